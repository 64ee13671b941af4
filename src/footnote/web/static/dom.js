// Building the page. Data become text nodes and attributes; there is no way here to turn them into markup.

const SVG = "http://www.w3.org/2000/svg";

const READ = new Set(["title", "aria-label", "placeholder"]);
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * `text` with a sign in place of each character that cannot be seen and changes what can: a name in the data may hold
 * one that turns round the figures after it. The length stays, so that spans still fit.
 */
export const visible = (text) => text.replace(UNSEEN, "\ufffd");

/** An element with attributes and children. A string child becomes a text node; null and false are left out. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : READ.has(name) ? visible(String(value)) : String(value));
  }
  append(node, children);
  return node;
}

/** Append children; arrays are flattened. */
export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
  return node;
}

/** Replace everything below `node`. */
export function replace(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

/** "1 row", "4 rows". */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A field's name as words: "dueOn" and "due_on" become "Due on". */
export function words(name) {
  const spaced = name.replace(/_/g, " ").replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  return capital(spaced.replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase()));
}

/** The label of a row's field as recorded, or its name as words. */
export function labelOf(row, name) {
  return row.labels?.[name] ? capital(row.labels[name]) : words(name);
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `url` if a click on it leads to a web page, else null: a link in the data may say `javascript:`. */
export function webAddress(url) {
  try {
    const parsed = new URL(url, document.baseURI);
    return ["http:", "https:"].includes(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

/** The permanent page of a row: its key may hold any character. */
export function rowPage(type, key) {
  return `/record/${encodeURIComponent(type)}/${encodeURIComponent(key)}`;
}

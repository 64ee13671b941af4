// The ledger under a figure: one line a row, its contribution, a rule, the total, a tick when it ties out.

import { browser } from "./browse.js";
import { counted, el, labelOf, replace, rowPage, webAddress } from "./dom.js";

const FIRST = 12;
const PAGE = 50;

/** The ledger of `figure` (see figure.js). */
export function ledger(figure) {
  const dated = figure.lines.some((line) => line.date);
  const width = dated ? 3 : 2;
  const body = el("tbody");
  const rest = el("tbody", { class: "rest" });
  let shown = 0;
  function show(count) {
    const next = figure.lines.slice(shown, shown + count);
    shown += next.length;
    body.append(...next.flatMap((line) => lineRows(line, dated, width)));
    replace(rest, (shown < figure.lines.length || figure.left > 0) && restRow(figure, shown, width, show));
  }
  show(figure.lines.length <= FIRST + 3 ? figure.lines.length : FIRST);
  const head = el("tr", {}, el("th", { scope: "col" }, figure.rowsWord), dated && el("th", { scope: "col", class: "date" }, figure.dateWord),
    el("th", { scope: "col", class: "amount" }, figure.amountWord));
  return el("div", {}, el("table", { class: "ledger" }, el("thead", {}, head), body, rest, foot(figure, width)),
    el("p", { class: "ties" }, figure.ties === null ? figure.tieWords : verdict(figure)),
    figure.behind > FIRST && browser(figure), decided(figure));
}

function restRow(figure, shown, width, show) {
  const listed = figure.lines.length - shown;
  const extreme = ["minimum", "maximum"].includes(figure.method);
  if (extreme && !listed) return null;
  const left = figure.method === "count distinct" || extreme ? listed : listed + figure.left;
  const more = figure.method === "count distinct" ? counted(left, "more value") : counted(left, "more row");
  return el("tr", {}, el("td", { colspan: width - 1 }, `and ${more}`,
    listed > 0 && el("button", { type: "button", class: "more", click: () => show(PAGE) }, listed > PAGE ? `Show ${PAGE} more` : "Show them")),
    el("td", { class: "amount" }, figure.rest(shown)));
}

/** Rows that decided which rows count; they add nothing, so they stand apart from the sum. */
function decided(figure) {
  if (!figure.decidedBy.length) return null;
  const rows = figure.decidedBy.filter((item) => item.recordId !== undefined);
  return el("div", { class: "decided" }, el("p", { class: "about" }, "Decided which rows count; adds nothing to the sum"),
    figure.decidedBy.filter((item) => !rows.includes(item)).map((item) => el("p", {}, el("span", { class: "kind" }, item.type), " ", item.label)),
    rows.length > 0 && rowList(rows));
}

function lineRows(line, dated, width, depth = 0) {
  const { evidence: item, below = [] } = line;
  const cells = (label) => [el("td", { class: depth ? `label inner-${Math.min(depth, 3)}` : "label" }, label),
    dated && el("td", { class: "date" }, line.date), el("td", { class: "amount" }, line.display)];
  if (!item && !below.length) return [el("tr", {}, cells(line.label))];
  const fields = item && Object.keys(item.fields ?? {}).length > 0;
  const inner = below.flatMap((each) => lineRows(each, dated, width, depth + 1));
  inner.forEach((row) => row.classList.add("below"));
  const unfolded = fields ? [el("tr", {}, el("td", { colspan: width }, fieldsOf(item)))] : [];
  const own = [...inner.filter((row) => !row.dataset.folded), ...unfolded];
  own.forEach((row) => (row.hidden = true));
  if (!own.length) return [el("tr", {}, cells(line.label))];
  const opener = el("button", {
    type: "button",
    class: "unfold",
    "aria-expanded": "false",
    click: () => setOpen(opener, own, opener.getAttribute("aria-expanded") !== "true"),
  }, line.label);
  [...inner, ...unfolded].forEach((row) => (row.dataset.folded = "true"));
  return [el("tr", {}, cells(opener)), ...inner, ...unfolded];
}

/** Show or hide what stands below a line; what is closed closes what is open in it. */
function setOpen(opener, rows, on) {
  opener.setAttribute("aria-expanded", String(on));
  for (const row of rows) {
    row.hidden = !on;
    const inner = row.querySelector(":scope > .label > .unfold[aria-expanded=true]");
    if (!on && inner) inner.click();
  }
}

function foot(figure, width) {
  const rows = figure.subtotals.map(([label, value]) => el("tr", { class: "subtotal" },
    el("td", { colspan: width - 1 }, label), el("td", { class: "amount" }, value)));
  rows.push(el("tr", { class: "total" }, el("td", { colspan: width - 1 }, figure.totalWord),
    el("td", { class: "amount" }, figure.display)));
  return el("tfoot", {}, rows, exactLine(figure, width));
}

/** Below a total that is shown rounded: what it is exactly. */
export function exactLine(figure, width) {
  return figure.exactly && el("tr", { class: "exactly" }, el("td", { colspan: width }, "Shown rounded; exactly ", el("span", {}, figure.exactly)));
}

/** Whether the figure ties out, in words; `brief` leaves out how that was found. */
export function verdict(figure, brief = false) {
  if (figure.ties === null) return null;
  if (!figure.ties) return el("span", { class: "apart" }, `Does not tie out: the rows give ${figure.recomputed}.`);
  return [el("span", { class: "tick" }, "✓ ties out"), brief ? "" : ` ${figure.tieWords}`];
}

/** Rows without contributions, each to be unfolded. */
export function rowList(items) {
  return el("table", { class: "ledger" }, el("tbody", {}, items.flatMap((item) => lineRows({ evidence: item, label: item.label, display: "" }, false, 2))));
}

/** The fields of a row as displayed, its link into the ERP and its permanent page; what `claims` show is marked. */
export function fieldsOf(item, claims = []) {
  const shown = new Set(claims.map((claim) => claim.text));
  const rows = Object.entries(item.fields ?? {}).map(([name, display]) => {
    const missing = item.values?.[name] === null;
    return el("div", { class: shown.has(display) ? "shown" : null }, el("dt", {}, labelOf(item, name)), el("dd", {}, missing ? "no value" : display));
  });
  const deep = item.url && webAddress(item.url);
  if (deep) rows.push(el("div", {}, el("dt", {}, "Opens"), el("dd", {}, el("a", { href: deep, rel: "noreferrer", target: "_blank" }, deep))));
  if (item.uri && item.recordId !== undefined) {
    rows.push(el("div", {}, el("dt", {}, "Row"), el("dd", {}, el("a", { href: rowPage(item.type, item.recordId) }, el("code", {}, item.uri)))));
  }
  return el("dl", { class: "fields" }, rows);
}

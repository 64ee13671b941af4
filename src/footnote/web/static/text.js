// The text of an answer with its claims. Spans count UTF-16 code units, as JavaScript's strings do.

import { el } from "./dom.js";

const ITEM = /^\s*[·•*–-]\s+/;
const MOST_COLUMNS = 5;

/**
 * Paragraphs and lists of the text; `claimNode(claim, said, last)` makes the node of each claim, `last` saying
 * whether the next claim of the line has another note.
 */
export function blocks(answer, claims, claimNode) {
  const out = [];
  let items = [];
  const flush = () => items.length && out.push(list(answer.answer, items, claims, claimNode));
  for (const line of linesOf(answer.answer)) {
    if (line.item) {
      items.push(line);
    } else {
      flush();
      items = [];
      out.push(...paragraphs(answer, line, claims, claimNode));
    }
  }
  flush();
  return out;
}

function* linesOf(text) {
  let at = 0;
  for (const part of text.split("\n")) {
    const marker = ITEM.exec(part)?.[0] ?? "";
    if (part.trim()) yield { start: at + marker.length, end: at + part.length, item: marker !== "" };
    at += part.length + 1;
  }
}

/** A line as a paragraph; the conclusion of an interpretation stands in one of its own, marked as what it is. */
function paragraphs({ answer: text, conclusion }, line, claims, claimNode) {
  const nodes = (from, to) => join(pieces(text, from, to, claims), claimNode, true);
  if (!conclusion || conclusion.end <= line.start || conclusion.start >= line.end) return [el("p", {}, nodes(line.start, line.end))];
  const [from, to] = [Math.max(line.start, conclusion.start), Math.min(line.end, conclusion.end)];
  return [
    from > line.start && el("p", {}, nodes(line.start, from)),
    el("p", { class: "interpretation" }, el("span", { class: "word" }, "Interpretation "), el("em", {}, nodes(from, to))),
    to < line.end && el("p", {}, nodes(to, line.end)),
  ].filter(Boolean);
}

/** Lines of one make as a table with a column for each claim, other ones as a list. */
function list(text, items, claims, claimNode) {
  const rows = items.map((line) => pieces(text, line.start, line.end, claims));
  const widths = new Set(rows.map((row) => row.filter((piece) => piece.claim).length));
  const [width] = widths;
  if (rows.length < 2 || widths.size > 1 || width < 2 || width > MOST_COLUMNS) {
    return el("ul", {}, rows.map((row) => el("li", {}, join(row, claimNode))));
  }
  return el("table", { class: "entries" }, el("tbody", {}, rows.map((row) => tableRow(row, claimNode))));
}

function tableRow(row, claimNode) {
  const cells = [[]];
  row.forEach((piece, index) => {
    const earlier = row.slice(0, index).some((before) => before.claim);
    const later = row.slice(index + 1).some((after) => after.claim);
    if (piece.claim || !earlier || !later) return void cells.at(-1).push(piece);
    // Marks belong to what stands before them, words to what follows.
    const marks = /^[,;:.)\]]*/.exec(piece.text)[0].length;
    cells.at(-1).push({ text: piece.text.slice(0, marks) });
    cells.push([{ text: piece.text.slice(marks).replace(/^ /, "") }]);
  });
  const made = join(row, claimNode);
  const nodeOf = new Map(row.map((piece, index) => [piece, made[index]]));
  return el("tr", {}, cells.map((cell) =>
    el("td", { class: cell.some((piece) => piece.claim && /^[-−+(]?[\d.,\s]*\d[^A-Za-z]*$/.test(piece.text)) ? "number" : null },
      cell.map((piece) => nodeOf.get(piece) ?? piece.text), " ")));
}

/**
 * The nodes of a line. A run of claims with one note gets its number once, at the end of the run; in prose each claim
 * that is not bound says so itself.
 */
function join(row, claimNode, prose = false) {
  return row.map((piece, index) => {
    if (!piece.claim) return piece.text;
    const next = row.slice(index + 1).find((after) => after.claim);
    return claimNode(piece.claim, piece.text, next?.claim.note !== piece.claim.note || (prose && piece.claim.kind === "generated"));
  });
}

/** A stretch of the text as pieces {text, claim?}. */
function pieces(text, start, end, claims) {
  const out = [];
  let at = start;
  for (const claim of claims) {
    if (claim.span.start < start || claim.span.start >= end) continue;
    if (claim.span.start > at) out.push({ text: text.slice(at, claim.span.start) });
    const from = Math.max(at, claim.span.start);
    const to = Math.max(from, claim.span.end);
    out.push({ text: text.slice(from, to), claim });
    at = to;
  }
  if (at < end) out.push({ text: text.slice(at, end) });
  return out;
}

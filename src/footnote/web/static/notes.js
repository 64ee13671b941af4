// A note: the line beside the text, and what opens below it. Claims that rest on the same thing share one.

import { isRow } from "./claims.js";
import { counted, el, labelOf, words } from "./dom.js";
import { evidenceOf, resultOf } from "./evidence.js";
import { figureOf, gistOf, shownTitle } from "./figure.js";
import { fieldsOf, ledger, rowList, verdict } from "./ledger.js";
import { ran } from "./ran.js";
import { documentPage } from "./verdict.js";

/** What stands in a note's line: number, what its claims rest on, a tick where all of it ties out. */
export function noteHead(answer, claims) {
  const [claim] = claims;
  const number = el("span", { class: "number" }, claim.note);
  if (claim.kind === "generated") return [number, el("span", { class: "gist" }, kind("not bound"), " no evidence"), el("span")];
  const figures = figuresOf(answer, claims);
  const gist = gistOf(main(figures) ?? figures.find((figure) => figure.formula?.division)) ?? firstEvidence(answer, claims);
  return [number, el("span", { class: "gist" }, gist), tick(figures)];
}

/** What a note opens to: ledger or rows with their fields, arguments and definitions, and what ran. */
export function noteBody(answer, claims) {
  const figures = figuresOf(answer, claims);
  const first = main(figures);
  const others = figures.filter((figure) => figure !== first);
  const items = unique(claims.flatMap((claim) => evidenceOf(answer, claim)));
  const listed = new Set((first?.lines ?? []).flatMap(everyItem));
  const rows = items.filter((item) => isRow(item.id) && !listed.has(item));
  return el("div", {}, el("p", { class: "about" }, shownTitle(first ?? soleFigure(figures), resultOf(answer, claims[0]))),
    items.filter((item) => !isRow(item.id)).map(evidenceItem),
    figures.filter((figure) => figure.formula).map(formula),
    first && ledger(first),
    otherFigures(others, first, rows),
    rows.length > 1 ? rowList(rows) : rows.map((row) => el("div", {}, el("p", { class: "row" }, row.label), fieldsOf(row, claims))),
    ran(answer, claims[0]));
}

/** What a line of a ledger and all lines below it rest on. */
function everyItem(line) {
  return [line.evidence, ...(line.below ?? []).flatMap(everyItem)];
}

function figuresOf(answer, claims) {
  return claims.map((claim) => figureOf(answer, claim)).filter(Boolean);
}

/** The figure whose ledger stands for the note: a sum before a count. */
function main(figures) {
  const summed = figures.filter((figure) => figure.lines.length);
  return summed.find((figure) => figure.method === "sum") ?? summed[0] ?? null;
}

function soleFigure(figures) {
  return figures.length === 1 ? figures[0] : null;
}

/** Figures beside the ledger's: over the same rows they are a line, over other rows a ledger of their own. */
function otherFigures(figures, first, rows) {
  const own = figures.filter((figure) => figure.lines.length && !(first && sameRows(figure, first)));
  const lines = figures.filter((figure) => !own.includes(figure) && figure.type !== "text" && !figure.formula && !rows.some((row) => shows(row, figure.display)));
  return [
    lines.length > 0 && el("dl", { class: "fields values" }, lines.map((figure) =>
      el("div", {}, el("dt", {}, words(figure.name)), el("dd", {}, figure.display, figure.unit ? ` ${figure.unit}` : "", " ", verdict(figure, true))))),
    own.map((figure) => [el("p", { class: "about" }, words(figure.name)), ledger(figure)]),
  ];
}

/** A derived figure: the figures it is made of, and for a ratio the division. */
function formula({ formula: { text, terms, division }, display, name }) {
  const line = (word, shown, last) => el("tr", { class: last ? "total" : null }, el("td", { class: "label" }, word), el("td", { class: "amount" }, shown));
  return el("div", {}, el("table", { class: "ledger" },
    el("tbody", {}, terms.map((term, index) => line(division && index ? `divided by ${term.label.toLowerCase()}` : term.label, term.display))),
    el("tfoot", {}, line(words(name), display, true))),
  el("p", { class: "ties" }, division && el("span", { class: division.ties ? "tick" : "apart" }, division.ties ? "✓ ties out" : "Does not tie out"),
    division ? ", divided again on this page: " : "Computed as ", el("code", {}, text)));
}

/** Whether a row's label or fields say this already. */
function shows(row, display) {
  return row.label.includes(display) || fieldShowing(row, display) !== "";
}

function sameRows(figure, other) {
  const ids = new Set(other.lines.map((line) => line.evidence));
  return figure.lines.length === ids.size && figure.lines.every((line) => ids.has(line.evidence));
}

function tick(figures) {
  const known = figures.filter((figure) => figure.ties !== null);
  if (!known.length) return el("span");
  return known.every((figure) => figure.ties) ? el("span", { class: "tick" }, "✓ ties out") : el("span", { class: "apart" }, "does not tie out");
}

function firstEvidence(answer, claims) {
  const items = unique(claims.flatMap((claim) => evidenceOf(answer, claim)));
  const [first, ...others] = items;
  if (!first) return claims[0].evidenceIds.join(", ");
  const more = others.length ? ` and ${others.length} more` : "";
  if (!isRow(first.id)) return [kind(first.type), " ", first.label, more];
  const rows = items.filter((item) => isRow(item.id));
  if (rows.length > 2) return `${counted(rows.length, "row")}: ${first.label}${more}`;
  if (rows.length === 2) return `${rows[0].label}, ${rows[1].label}`;
  const field = claims.length === 1 && !first.label.includes(claims[0].text) ? fieldShowing(first, claims[0].text) : "";
  return field ? `${labelOf(first, field)} of ${first.label}` : first.label;
}

/** The field of a row that shows this text, or "". */
function fieldShowing(item, text) {
  return Object.entries(item.fields ?? {}).find(([, display]) => display === text)?.[0] ?? "";
}

function evidenceItem(item) {
  if (item.type === "argument") {
    return el("p", {}, kind("argument"), " ", item.label, item.defaulted ? " (the default, since none was given)" : "");
  }
  if (item.type === "definition") {
    return el("div", { class: "definition" }, el("p", {}, kind("definition"), " ", el("code", {}, item.id.replace(/^definition:/, ""))),
      el("pre", { tabindex: "0" }, item.label));
  }
  if (item.type === "quote") {
    const file = item.uri.replace(/^doc:\/\//, "");
    return el("blockquote", {}, `“${item.label}”`, el("br"),
      el("a", { href: documentPage(file, item.start, item.end) }, el("code", {}, `${file} ${item.start}–${item.end}`)));
  }
  if (item.type === "group") return null; // it stands in the ledger, with its rows
  return el("p", {}, kind("absence"), " ", item.label);
}

function kind(word) {
  return el("span", { class: "kind" }, word);
}

function unique(items) {
  return [...new Set(items)];
}

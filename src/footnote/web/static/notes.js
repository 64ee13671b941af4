// A note: the line beside the text, and what opens below it. Claims that rest on the same thing share one.

import { isRow } from "./claims.js";
import { append, counted, el, labelOf, words } from "./dom.js";
import { evidenceOf, resultOf } from "./evidence.js";
import { figureOf, gistOf, shownTitle } from "./figure.js";
import { exactLine, fieldsOf, ledger, rowList, verdict } from "./ledger.js";
import { ran } from "./ran.js";
import { documentPage } from "./verdict.js";

/** The most figures of a formula's term that are unfolded under it. */
const MOST = 12;

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
  const open = new Set(figures.flatMap((figure) => (figure.formula?.terms ?? []).flatMap(unfolding).flatMap(({ figure: { evidence } }) => evidence ?? [])));
  const rows = items.filter((item) => isRow(item.id) && !listed.has(item) && !open.has(item.id));
  return el("div", {}, el("p", { class: "about" }, shownTitle(first ?? soleFigure(figures), resultOf(answer, claims[0]))),
    items.filter((item) => !isRow(item.id) && !said(item, items)).map(evidenceItem),
    items.some((item) => item.type === "absence") && lookedFor(answer, claims[0]),
    figures.filter((figure) => figure.formula).map((figure) => formula(answer, claims[0], figure)),
    first && ledger(first),
    otherFigures(others, first, rows),
    rows.length > 1 ? rowList(rows) : rows.map((row) => el("div", {}, el("p", { class: "row" }, row.label), fieldsOf(row, claims))),
    ran(answer, claims[0]));
}

/** The figures of a term of a formula that unfold to a ledger; none if there are too many to read. */
function unfolding({ figures }) {
  return figures.length > MOST || figures.some(({ figure }) => !figure.contributions?.length && !figure.formula) ? [] : figures;
}

/** Whether the note's own line says all of it: an absence that stands alone. */
function said(item, items) {
  return item.type === "absence" && items.length === 1;
}

/** What an absence rests on: what was asked, and how many rows each statement found. */
function lookedFor(answer, claim) {
  const result = resultOf(answer, claim);
  if (!result) return null;
  const given = Object.entries(result.arguments ?? {}).map(([name, value]) => {
    const entity = (result.entities ?? []).find((each) => each.parameter === name);
    return [words(name), entity?.label ?? String(value)];
  });
  const operation = (answer.operations ?? []).find((entry) => entry.result === claim.result);
  const own = (claim.figure ?? "").split(/[.[]/)[0];
  const found = (operation?.queries ?? []).filter((query) => query.purpose === "witness" && (!own || query.statement === own));
  const counts = found.map((query) => [`Rows that count, ${words(query.statement).toLowerCase()}`, query.rows.toLocaleString("en")]);
  return el("dl", { class: "fields" }, [...given, ...counts].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
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

/** A derived figure: the figures it is made of, each with its ledger to be opened, and for a ratio the division. */
function formula(answer, claim, figure) {
  const { formula: { text, terms, division }, display, name } = figure;
  const lines = terms.flatMap((term, index) => termRows(answer, claim, division && index ? `divided by ${term.label.toLowerCase()}` : term.label, term));
  const total = el("tr", { class: "total" }, el("td", { class: "label" }, words(name)), el("td", { class: "amount" }, display));
  return el("div", {}, el("table", { class: "ledger" }, el("tbody", {}, lines), el("tfoot", {}, total, exactLine(figure, 2))),
    el("p", { class: "ties" }, division && el("span", { class: division.ties ? "tick" : "apart" }, division.ties ? "✓ ties out" : "Does not tie out"),
      division ? ", divided again on this page: " : "Computed as ", el("code", {}, text)));
}

/** A line of a formula; below it, once it is opened, how the figures in it are made. */
function termRows(answer, claim, label, term) {
  const amount = el("td", { class: "amount" }, term.display);
  const made = unfolding(term);
  if (!made.length) return [el("tr", {}, el("td", { class: "label" }, label), amount)];
  const place = el("td", { colspan: 2 });
  const below = el("tr", { class: "made", hidden: true }, place);
  const opener = el("button", { type: "button", class: "unfold", "aria-expanded": "false", click: turn }, label);
  function turn() {
    below.hidden = !below.hidden;
    opener.setAttribute("aria-expanded", String(!below.hidden));
    if (!place.hasChildNodes()) append(place, made.map(({ address }) => madeOf(answer, { ...claim, figure: address })));
  }
  return [el("tr", {}, el("td", { class: "label" }, opener), amount), below];
}

function madeOf(answer, claim) {
  const figure = figureOf(answer, claim);
  return figure.formula ? formula(answer, claim, figure) : ledger(figure);
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

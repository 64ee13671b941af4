// The figure under a claim as a ledger: its lines, its total, and the sum done again here in exact arithmetic.

import { counted, words } from "./dom.js";
import { dateOf, evidenceById, resultOf } from "./evidence.js";
import { equal, parse, plain, sum } from "./exact.js";

const METHODS = {
  sum: { gist: (n) => `Sum of ${n}`, total: "Total" },
  count: { gist: (n) => `Count of ${n}`, total: "Count" },
  "count distinct": { gist: (n) => `Distinct values in ${n}`, total: "Distinct values" },
  minimum: { gist: (n) => `Smallest of ${n}`, total: "Smallest" },
  maximum: { gist: (n) => `Largest of ${n}`, total: "Largest" },
  average: { gist: (n) => `Average of ${n}`, total: "Average" },
};

/** The recorded figure at an address such as `totals.invoiceCount`, `invoices[2].outstanding` or `derived.growth`. */
export function figureAt(result, address) {
  const match = /^([^.[]+)(?:\[(\d+)\])?\.(.+)$/.exec(address ?? "");
  if (!result || !match) return null;
  const [, place, index, name] = match;
  if (place === "derived" && result.derived?.[name]) return result.derived[name];
  const table = (result.tables ?? []).find((entry) => entry.name === place);
  return table?.rows[Number(index ?? 0)]?.figures[name] ?? null;
}

/** The figure a claim states, with its ledger; null for claims that state none. */
export function figureOf(answer, claim) {
  const result = resultOf(answer, claim);
  const figure = figureAt(result, claim.figure);
  if (!figure) return null;
  const locale = answer.display?.locale ?? "en";
  const method = METHODS[figure.method];
  const contributions = method ? (figure.contributions ?? []) : [];
  const lines = contributions.map((contribution) => lineOf(answer, result, contribution));
  const recomputed = recompute(figure.method, contributions);
  return {
    ...figure,
    lines,
    rowsWord: words(lines[0]?.evidence?.type ?? "row"),
    dateWord: words(lines.find((line) => line.dateName)?.dateName ?? ""),
    amountWord: ["minimum", "maximum", "average", "count distinct"].includes(figure.method) ? "Value" : "Contribution",
    totalWord: method?.total ?? "Value",
    subtotals: subtotals(figure, contributions, locale),
    ties: recomputed === null ? null : sameValue(recomputed, figure.value),
    recomputed: recomputed === null ? "" : written(recomputed, figure, locale),
    tieWords: tieWords(figure, contributions.length),
    sumOf: (from) => restOf(figure, contributions.slice(from), locale),
  };
}

/** "Sum of 4 rows", "Largest: INV-8812"; null if the claim states no figure with contributions. */
export function gistOf(figure) {
  if (!figure?.lines.length) return null;
  const { gist, total } = METHODS[figure.method];
  const sole = ["minimum", "maximum"].includes(figure.method) && figure.lines.length === 1;
  return sole ? `${total}: ${figure.lines[0].label}` : gist(counted(figure.lines.length, "row"));
}

/** What a note is about: the figure's name, its operation, as of when. */
export function shownTitle(figure, result) {
  const name = figure ? words(figure.name) + (figure.unit ? `, in ${figure.unit}` : "") : "";
  return [name, result?.title, result?.asOf && `as of ${result.asOf}`].filter(Boolean).join(" · ");
}

function lineOf(answer, result, { evidence, amount, display }) {
  const item = evidenceById(answer, evidence, result.id);
  const [dateName, date] = dateOf(result, item);
  const shown = display || (amount === null ? "no value" : String(amount));
  return { evidence: item, label: item?.label ?? evidence, dateName, date, display: shown };
}

/** The figure again from its contributions: text of a number or a date; null where the page cannot tell. */
function recompute(method, contributions) {
  const amounts = contributions.map((entry) => entry.amount).filter((amount) => amount !== null);
  if (!amounts.length) return null;
  if (method === "sum" || method === "count") {
    const total = sum(amounts);
    return total && plain(total);
  }
  if (method === "count distinct") return String(new Set(amounts.map(String)).size);
  if (method === "minimum" || method === "maximum") return extreme(amounts, method === "maximum" ? 1 : -1);
  return null;
}

function extreme(amounts, sign) {
  return amounts.reduce((best, amount) => {
    const [left, right] = [parse(amount), parse(best)];
    const further = left && right ? sum([plain(left), plain({ ...right, units: -right.units })]).units * BigInt(sign) > 0n
      : sign * String(amount).localeCompare(String(best), "en") > 0;
    return further ? amount : best;
  });
}

function sameValue(left, right) {
  const [a, b] = [parse(left), parse(right)];
  return a && b ? equal(a, b) : String(left) === String(right);
}

function subtotals(figure, contributions, locale) {
  if (figure.method !== "sum") return [];
  const amounts = contributions.map((entry) => entry.amount).filter((amount) => amount !== null).map(String);
  const minus = amounts.filter((amount) => amount.startsWith("-"));
  if (!minus.length || minus.length === amounts.length) return [];
  const plus = amounts.filter((amount) => !amount.startsWith("-"));
  return [["Gross plus", plus], ["Gross minus", minus]].map(([word, some]) => [word, written(plain(sum(some)), figure, locale)]);
}

function restOf(figure, contributions, locale) {
  if (!["sum", "count"].includes(figure.method)) return "";
  const total = sum(contributions.map((entry) => entry.amount ?? "0"));
  return total ? written(plain(total), figure, locale) : "";
}

/** A number the page added up, as the reader's locale writes it. */
function written(text, figure, locale) {
  const value = parse(text);
  if (!value) return text;
  const shown = parse(String(figure.value));
  const digits = Math.max(value.scale, shown?.scale ?? 0);
  const money = figure.type === "money" ? { style: "currency", currency: figure.currency } : {};
  return new Intl.NumberFormat(locale, { ...money, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(text);
}

function tieWords(figure, count) {
  if (figure.method === "sum") return `${counted(count, "contribution")}, added up again on this page`;
  if (figure.method === "count") return `${counted(count, "row")}, counted again on this page`;
  return count === 1 ? "the row that has it" : `${counted(count, "row")}, compared again on this page`;
}

// The figure under a claim as a ledger: its lines, its total, and the sum done again here in exact arithmetic.

import { counted, words } from "./dom.js";
import { dateOf, evidenceById, resultOf } from "./evidence.js";
import { divides, equal, parse, plain, rounded, sum } from "./exact.js";
import { formulaOf } from "./formula.js";

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
  const behind = figure.rows?.count ?? contributions.length;
  const recomputed = recompute(figure, contributions);
  const formula = formulaOf(result, figure, locale);
  return {
    ...figure,
    address: claim.figure,
    record: result.record?.id,
    behind,
    lines: figure.method === "count distinct" ? byValue(lines, contributions) : lines,
    rowsWord: figure.method === "count distinct" ? "Value" : words(lines[0]?.evidence?.type ?? "row"),
    dateWord: words(lines.find((line) => line.dateName)?.dateName ?? ""),
    amountWord: { "count distinct": "Rows", minimum: "Value", maximum: "Value", average: "Value" }[figure.method] ?? "Contribution",
    totalWord: totalWord(figure, behind, contributions),
    exactly: exactly(figure, locale),
    subtotals: subtotals(figure, contributions, locale),
    ties: recomputed === null ? (formula?.division?.ties ?? null) : recomputed.ties,
    recomputed: recomputed === null ? "" : written(recomputed.value, figure, locale),
    tieWords: tieWords(figure, contributions.length),
    left: behind - contributions.length,
    rest: (from) => restOf(figure, contributions.slice(from), locale),
    formula,
    decidedBy: (figure.decided ?? []).map((id) => evidenceById(answer, id, result.id)).filter(Boolean),
  };
}

/** "Sum of 4 rows", "Largest: INV-8812"; null if the claim states no figure with contributions. */
export function gistOf(figure) {
  if (figure?.formula?.division) return "Ratio of two figures";
  if (!figure?.lines.length) return null;
  const { gist, total } = METHODS[figure.method];
  if (["minimum", "maximum"].includes(figure.method)) {
    const of = figure.behind > figure.lines.length ? ` of ${figure.behind.toLocaleString("en")}` : "";
    return figure.lines.length === 1 ? `${total}${of}: ${figure.lines[0].label}` : gist(counted(figure.behind, "row"));
  }
  return gist(counted(figure.behind, "row"));
}

/** What a note is about: the figure's name, its operation, as of when. */
export function shownTitle(figure, result) {
  const name = figure ? words(figure.name) + (figure.unit ? `, in ${figure.unit}` : "") : "";
  return [name, result?.title, result?.asOf && `as of ${result.asOf}`].filter(Boolean).join(" · ");
}

function lineOf(answer, result, { evidence, amount, display, items }) {
  const item = evidenceById(answer, evidence, result.id);
  const [dateName, date] = dateOf(result, item);
  const shown = display || (amount === null ? "no value" : String(amount));
  const below = (items ?? []).map((inner) => lineOf(answer, result, inner));
  return { evidence: item, label: item?.label ?? evidence, dateName, date, display: shown, below };
}

/** Of a distinct count: an item a value, with its rows below it. */
function byValue(lines, contributions) {
  const values = new Map();
  lines.forEach((line, index) => {
    const value = String(contributions[index].amount);
    if (!values.has(value)) values.set(value, []);
    values.get(value).push({ ...line, display: "" });
  });
  return [...values].map(([value, rows]) => ({ label: value, display: rows.length.toLocaleString("en"), date: "", below: rows }));
}

/** The figure again from its contributions, as {value, ties}; null where the page cannot tell. */
function recompute(figure, contributions) {
  const amounts = contributions.map((entry) => entry.amount).filter((amount) => amount !== null);
  if (!amounts.length) return null;
  const { method, rows, value } = figure;
  if (method === "sum" || method === "count") {
    const total = rows?.plus === undefined ? sum(amounts) : sum([rows.plus, rows.minus]);
    return total && compared(plain(total), value);
  }
  if (method === "minimum" || method === "maximum") return compared(extreme(amounts, method === "maximum" ? 1 : -1), value);
  if (rows) return null;
  if (method === "count distinct") return compared(String(new Set(amounts.map(String)).size), value);
  if (method === "average") {
    const [total, mean] = [sum(amounts), parse(value)];
    return total && mean && { value, ties: divides(total, { units: BigInt(amounts.length), scale: 0 }, mean) };
  }
  return null;
}

const compared = (found, value) => ({ value: found, ties: sameValue(found, value) });

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

function totalWord(figure, behind, contributions) {
  const word = METHODS[figure.method]?.total ?? "Value";
  if (figure.method === "sum" && grossOf(figure, contributions)) return "Net";
  if (figure.method === "average") return "Average: the sum divided by the count";
  const of = ["minimum", "maximum"].includes(figure.method) && behind > contributions.length;
  return of ? `${word} of ${counted(behind, "row")}` : word;
}

/** [plus, minus] of a sum that has both; null for others. */
function grossOf(figure, contributions) {
  const amounts = contributions.map((entry) => entry.amount).filter((amount) => amount !== null).map(String);
  const parts = figure.rows?.plus === undefined
    ? [sum(amounts.filter((amount) => !amount.startsWith("-"))), sum(amounts.filter((amount) => amount.startsWith("-")))]
    : [parse(figure.rows.plus), parse(figure.rows.minus)];
  return parts.every((part) => part && part.units !== 0n) ? parts : null;
}

function subtotals(figure, contributions, locale) {
  const amounts = contributions.map((entry) => entry.amount).filter((amount) => amount !== null);
  if (figure.method === "average" && !figure.rows) {
    const total = sum(amounts);
    return total ? [["Sum", written(plain(total), { ...figure, value: plain(total) }, locale)], ["Count", amounts.length.toLocaleString(locale)]] : [];
  }
  if (figure.method !== "sum") return [];
  const gross = grossOf(figure, contributions);
  const lines = gross ? [["Gross plus", gross[0]], ["Gross minus", gross[1]]].map(([word, part]) => [word, written(plain(part), figure, locale)]) : [];
  return [...lines, ...roundingDifference(figure, amounts, locale)];
}

/** Where the amounts as displayed add up to something else than the total as displayed, the difference is a line. */
function roundingDifference(figure, amounts, locale) {
  const [values, value] = [amounts.map(parse), parse(figure.value)];
  if (figure.scale === undefined || figure.rows || !value || values.some((each) => !each)) return [];
  const factor = figure.type === "percent" ? 2 : 0;
  const shown = (each) => plain(rounded(each, figure.scale + factor));
  const apart = sum([shown(value), ...values.map(shown).map((text) => (text.startsWith("-") ? text.slice(1) : `-${text}`))]);
  return apart.units === 0n ? [] : [["Rounding difference: the lines are shown rounded", written(plain(apart), { ...figure, value: shown(value) }, locale)]];
}

/** The value in full where the display rounds it; "" where it does not. */
function exactly(figure, locale) {
  const value = parse(figure.value);
  const scale = shownScale(figure);
  if (!value || scale === null || equal(rounded(value, scale), value)) return "";
  const text = plain(value).replace(/0+$/, "");
  if (figure.type !== "percent") return written(text, { ...figure, value: text }, locale);
  const digits = { minimumFractionDigits: 0, maximumFractionDigits: Math.max(0, parse(text).scale - 2) };
  return new Intl.NumberFormat(locale, { style: "percent", ...digits }).format(text);
}

/** How many decimals of the value are shown; null for all of them. */
function shownScale({ type, scale, currency, method, formula }) {
  if (type === "percent") return scale === undefined ? null : scale + 2;
  if (type !== "money") return scale ?? null;
  const divided = method === "average" || /\bratio\s*\(/i.test(formula ?? "");
  return divided ? (scale ?? moneyDigits(currency)) : null;
}

/** The rows behind a figure that are not among `contributions`: how many, and what they come to. */
function restOf(figure, contributions, locale) {
  if (!["sum", "count"].includes(figure.method)) return "";
  const listed = (figure.contributions ?? []).map((entry) => entry.amount ?? "0");
  const minus = (text) => (String(text).startsWith("-") ? String(text).slice(1) : `-${text}`);
  const unlisted = figure.rows?.plus === undefined ? [] : [figure.rows.plus, figure.rows.minus, ...listed.map(minus)];
  const total = sum([...contributions.map((entry) => entry.amount ?? "0"), ...unlisted]);
  return total ? written(plain(total), figure, locale) : "";
}

/** The decimals of a currency. */
const moneyDigits = (currency) => new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits;

/** A number the page added up, as the reader's locale writes it. */
export function written(text, figure, locale) {
  const value = parse(text);
  if (!value) return text;
  const shown = parse(String(figure.value));
  const digits = Math.max(value.scale, shown?.scale ?? 0, figure.type === "money" ? moneyDigits(figure.currency) : 0);
  const money = figure.type === "money" ? { style: "currency", currency: figure.currency } : {};
  return new Intl.NumberFormat(locale, { ...money, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(text);
}

const ADDED = { sum: "added up", count: "counted", average: "averaged", "count distinct": "compared" };

function tieWords(figure, count) {
  if (figure.rows && ADDED[figure.method]) {
    return `${counted(figure.rows.count, "row")}, ${ADDED[figure.method]} when it was recorded; a digest in the record stands for them`;
  }
  if (figure.method === "sum") return `${counted(count, "contribution")}, added up again on this page`;
  if (figure.method === "count") return `${counted(count, "row")}, counted again on this page`;
  if (figure.method === "average") return `${counted(count, "value")}, added up and divided again on this page`;
  return count === 1 ? "the row that has it" : `${counted(count, "row")}, compared again on this page`;
}

// How a derived figure is computed: the figures it is made of, and for a ratio the division done again here.

import { words } from "./dom.js";
import { divides, parse, plain, sum } from "./exact.js";

const NAME = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?/g;

/** {text, terms: [{label, display, value, figures}], division} of a figure that has a formula; null for others. */
export function formulaOf(result, figure, locale) {
  if (!figure.formula) return null;
  const parts = ratioParts(figure.formula);
  if (parts) {
    const terms = parts.map((part) => term(result, part, locale));
    if (terms.every(Boolean)) return { text: figure.formula, terms, division: divided(terms, figure) };
  }
  const names = [...new Set(figure.formula.match(NAME) ?? [])];
  return { text: figure.formula, terms: names.map((name) => term(result, name, locale)).filter(Boolean), division: null };
}

/** The two arguments of `ratio(a, b)`, where that is the whole formula. */
function ratioParts(text) {
  const match = /^ratio\((.*)\)$/.exec(text.trim());
  if (!match) return null;
  const parts = [""];
  let depth = 0;
  for (const sign of match[1]) {
    depth += { "(": 1, ")": -1 }[sign] ?? 0;
    if (depth < 0) return null;
    if (sign === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return parts.length === 2 ? parts.map((part) => part.trim()) : null;
}

/** A name, `table.name` or `sum(table.name)` as a figure; null if it is none. */
function term(result, text, locale) {
  const summed = /^sum\(([\w.]+)\)$/.exec(text);
  const found = figuresNamed(result, summed ? summed[1] : text);
  if (!found.length || (!summed && found.length > 1)) return null;
  const [{ figure }] = found;
  if (!summed) return { label: words(figure.name), value: figure.value, display: figure.display, figures: found };
  const total = sum(found.map((entry) => entry.figure.value ?? "0"));
  if (!total) return null;
  const money = figure.type === "money" ? { style: "currency", currency: figure.currency } : {};
  const digits = { minimumFractionDigits: total.scale, maximumFractionDigits: total.scale };
  const display = new Intl.NumberFormat(locale, { ...money, ...digits }).format(plain(total));
  return { label: `${words(figure.name)}, ${found.length} added up`, value: plain(total), display, figures: found };
}

/** [{figure, address}] of all that have the name. */
function figuresNamed(result, text) {
  const [table, name] = text.includes(".") ? text.split(".") : [null, text];
  if (!table && result.derived?.[name]) return [{ figure: result.derived[name], address: `derived.${name}` }];
  return (result.tables ?? []).filter((each) => !table || each.name === table).flatMap((each) =>
    each.rows.map((row, index) => ({ figure: row.figures[name], address: `${each.name}[${index}].${name}` })).filter((entry) => entry.figure));
}

/** Whether the quotient is the figure. */
function divided([above, below], figure) {
  const [a, b, value] = [above.value, below.value, figure.value].map((each) => parse(each ?? ""));
  return a && b && b.units !== 0n && value ? { ties: divides(a, b, value) } : null;
}

// Records of the log: the list of the last ones, one of them as a page, a row by its address.

import { el, labelOf, rowPage, webAddress, words } from "./dom.js";
import { moment, short } from "./record-line.js";

/** The last records as a table, newest first. */
export function recordTable(records) {
  return el("table", {}, el("tbody", {}, [...records].reverse().map((record) => el("tr", {},
    el("td", {}, el("a", { href: `/record/${encodeURIComponent(record.id)}`, "aria-label": `Record ${record.sequence}` }, record.sequence)),
    el("td", { class: "kind" }, record.kind),
    el("td", { class: "what", title: record.summary || null }, record.summary || "–"),
    el("td", { class: "when" }, moment(record.timestamp)),
    el("td", { class: "hash" }, short(record.hash))))));
}

/** A record that is not an answer, as its payload stands. */
export function recordPage(record) {
  const facts = [["Record", record.sequence], ["Kind", record.kind], ["Id", record.id], ["Recorded", moment(record.timestamp)],
    ["Hash", record.hash], ["Previous hash", record.previousHash], ["Catalog", record.catalog],
    ["Parts", record.intact ? "every part is as it was recorded" : "a part is missing or not as it was recorded"]];
  return el("article", { class: "row-page", "aria-label": `Record ${record.sequence}` },
    el("p", { class: "eyebrow" }, `Record ${record.sequence} · ${record.kind}`),
    el("h2", {}, record.summary || record.kind),
    el("div", { class: "states" }, el("section", {}, el("h3", {}, "Record"), table(facts.filter(([, value]) => value)))),
    Object.entries(record.sections ?? {}).map(([name, value]) => section(name, value)),
    evidenceList(record.evidence ?? []));
}

function section(name, value) {
  return el("details", { class: "section" }, el("summary", {}, words(name)),
    el("pre", { tabindex: "0" }, typeof value === "string" ? value : JSON.stringify(value, null, 2)));
}

function evidenceList(evidence) {
  const rows = evidence.filter((item) => item?.recordId !== undefined);
  if (!rows.length) return null;
  return el("details", { class: "section" }, el("summary", {}, `Rows (${rows.length})`), el("ul", {}, rows.map((item) =>
    el("li", {}, el("a", { href: rowPage(item.type, item.recordId) }, item.label)))));
}

/** A row as now and as last recorded, field by field; what differs is set apart. */
export function rowPageOf({ id, now, recorded, absence }) {
  const label = now?.label ?? recorded?.row.label ?? id;
  const link = (now ?? recorded?.row)?.url;
  const deep = link && webAddress(link);
  return el("article", { class: "row-page", "aria-label": label },
    el("p", { class: "eyebrow" }, words((now ?? recorded?.row)?.type ?? id.split(":")[0]), " · ", el("code", {}, `erp://${id.replace(":", "/")}`)),
    el("h2", {}, label),
    el("div", { class: "states" },
      el("section", {}, el("h3", {}, "As now"), now ? rowTable(now, recorded?.row) : el("p", {}, absence ?? "The source has no such row now.")),
      el("section", {}, el("h3", {}, "As recorded"), recorded ? [rowTable(recorded.row, now), recordedIn(recorded)]
        : el("p", {}, "No record has cited this row yet."))),
    deep && el("p", { class: "quiet" }, el("a", { href: deep, rel: "noreferrer", target: "_blank" }, "Open in the ERP")));
}

function recordedIn({ record, at }) {
  return el("p", { class: "quiet" }, "In ", el("a", { href: `/record/${encodeURIComponent(record.id)}` }, `record ${record.sequence}`), ` · ${moment(at)}`);
}

function rowTable(row, other) {
  // A record keeps fields by name; the row as now has them in the catalog's order.
  const order = Object.keys(other?.fields ?? {}).filter((name) => name in row.fields);
  const names = [...new Set([...(row.result ? order : []), ...Object.keys(row.fields)])];
  return table(names.map((name) => {
    const missing = row.values?.[name] === null;
    const changed = other?.values && name in other.values && other.values[name] !== row.values?.[name];
    return [labelOf(row, name), missing ? "no value" : row.fields[name], changed];
  }));
}

function table(rows) {
  return el("table", { class: "fields" }, el("tbody", {}, rows.map(([name, value, changed]) =>
    el("tr", { class: changed ? "changed" : null }, el("th", { scope: "row" }, name), el("td", {}, value)))));
}

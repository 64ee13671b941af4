// The quiet line under an answer: record, hash, chain, snapshot, source, actor.

import { counted, el } from "./dom.js";

/** "2026-08-14 09:12:05 UTC" of an RFC 3339 time; text that is none comes back as it is. */
export function moment(text) {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?(Z|[+-]\d{2}:\d{2})$/.exec(text ?? "");
  return match ? `${match[1]} ${match[2]} ${["Z", "+00:00"].includes(match[3]) ? "UTC" : match[3]}` : (text ?? "");
}

/** A source as a reader knows it: the file or database without the way to it. */
export function sourceWords(name) {
  const match = /^(sqlite|postgres\w*|mysql|duckdb)[^:]*:\/\/(.*)$/.exec(name ?? "");
  if (!match) return name ?? "";
  const engine = { sqlite: "SQLite", mysql: "MySQL", duckdb: "DuckDB" }[match[1]] ?? "PostgreSQL";
  return `${match[2].split("?")[0].split("/").at(-1)} (${engine})`;
}

/** The first digits of a hash. */
export const short = (hash) => String(hash ?? "").replace(/^sha256:/, "").slice(0, 10);

/** The state of the chain in words, given what `/api/verify` said, or null before it has. */
export function chainWords(chain) {
  if (!chain) return "chain not verified yet";
  if (chain.ok) return `chain verified, ${counted(chain.count, "record")}`;
  return chain.failedAt ? `chain broken at record ${chain.failedAt}` : "chain broken";
}

/** The line as a `details` element; `chain` may still be null. */
export function recordLine(answer, chain) {
  const record = answer.record ?? {};
  const results = answer.results ?? [];
  const snapshots = unique(results.map((result) => moment(result.snapshot)));
  const parts = [
    record.sequence ? `Record ${record.sequence}` : "Not recorded",
    record.hash && el("code", { title: record.hash }, short(record.hash)),
    el("span", { class: chain && !chain.ok ? "broken" : "", part: "chain" }, chainWords(chain)),
    ...unique(results.map((result) => result.asOf)).map((date) => `as of ${date}`),
    snapshots.length && `snapshot ${snapshots.join(" and ")}`,
    ...unique(results.map((result) => sourceWords(result.source))),
    answer.actor?.id,
  ].filter(Boolean);
  const line = parts.flatMap((part, index) => (index ? [" · ", part] : [part]));
  return el("details", { class: "record" }, el("summary", {}, line), fieldList(answer, chain));
}

function fieldList(answer, chain) {
  const record = answer.record ?? {};
  const rows = [
    ["Record", record.id && el("a", { href: `/record/${encodeURIComponent(record.id)}` }, record.id)],
    ["Hash", record.hash],
    ["Previous hash", record.previousHash],
    ["Recorded", moment(record.timestamp)],
    ["Chain", chain ? [chainWords(chain), chain.reason ? `: ${chain.reason}` : ""].join("") : null],
    ["Actor", answer.actor && [answer.actor.id, answer.actor.role && ` (role: ${answer.actor.role})`]],
    ...(answer.results ?? []).flatMap((result) => [
      [`Result ${result.id}`, resultWords(result)],
      ["Arguments", Object.entries(result.arguments ?? {}).map(([name, value]) => `${name} = ${shown(value)}`).join(", ")],
      ["Source", result.source],
      ["Catalog", result.catalog && short(result.catalog)],
    ]),
  ];
  return el("dl", { class: "fields" }, rows.filter(([, value]) => value && value.length !== 0).map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function resultWords(result) {
  const number = result.record?.sequence ? `, record ${result.record.sequence}` : "";
  return `${result.operation}${number}, snapshot ${moment(result.snapshot)}`;
}

function shown(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function unique(values) {
  return [...new Set(values.filter(Boolean))];
}

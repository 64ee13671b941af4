// What ran under a claim: statement and witness statement as the engine got them, with their parameters.

import { counted, el } from "./dom.js";

const PURPOSE = {
  entity: "Resolving the name",
  statement: "Statement",
  witness: "Witness statement (the rows behind the figures)",
  fields: "Fields of the rows",
};

/** The queries of the claim's operation as a `details` element; those of its own statement first. */
export function ran(answer, claim) {
  const operation = (answer.operations ?? []).find((entry) => entry.result === claim.result);
  const queries = operation?.queries ?? [];
  if (!queries.length) return null;
  const own = (claim.figure ?? "").split(/[.[]/)[0];
  const ordered = [...queries.filter((query) => query.statement === own), ...queries.filter((query) => query.statement !== own)];
  const blocks = ordered.map((query) => [
    el("h4", {}, `${PURPOSE[query.purpose] ?? query.purpose}${query.statement ? ` · ${query.statement}` : ""} · ${counted(query.rows, "row")} · ${query.durationMs} ms`),
    el("pre", { tabindex: "0" }, query.sql.trim()),
    parameters(query.params),
  ]);
  return el("details", { class: "ran" }, el("summary", {}, `SQL of ${operation.name}, ${counted(queries.length, "query", "queries")}`), blocks);
}

function parameters(params = {}) {
  const entries = Object.entries(params);
  if (!entries.length) return null;
  return el("p", { class: "parameters" }, entries.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join("\n"));
}

// Finding in an answer what a claim rests on.

/** The result a claim comes from, or undefined. */
export function resultOf(answer, claim) {
  return (answer.results ?? []).find((result) => result.id === claim.result);
}

/**
 * The evidence of this id as one result saw it.
 *
 * A record that two operations cite is there once for each, with the fields that each of them saw; another result's
 * fields stand in only where this one has none.
 */
export function evidenceById(answer, id, result) {
  const found = (answer.evidence ?? []).filter((item) => item.id === id);
  return found.find((item) => item.result === result) ?? found[0];
}

/** Everything a claim cites, in its order. */
export function evidenceOf(answer, claim) {
  return (claim.evidenceIds ?? []).map((id) => evidenceById(answer, id, claim.result)).filter(Boolean);
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+.*)?$/;

/**
 * The date a row is listed with, as [field, display]: the one the result's own table shows for it, else its first.
 */
export function dateOf(result, item) {
  for (const table of result?.tables ?? []) {
    const own = table.rows.find((row) => row.record && row.record === item?.id);
    const [name, figure] = Object.entries(own?.figures ?? {}).find(([, entry]) => entry.type === "date") ?? [];
    if (figure) return [name, figure.display];
  }
  const dated = Object.entries(item?.values ?? {}).find(([, value]) => typeof value === "string" && DATE.test(value));
  return dated ? [dated[0], item.fields?.[dated[0]] ?? dated[1]] : ["", ""];
}

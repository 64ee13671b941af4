// The claims of an answer in reading order, and the notes they share.

const NAMED = ["argument", "definition", "absence", "quote", "group"];

/** The kind of an evidence id: `invoice:8812` is of kind `invoice`. */
export const kindOfId = (id) => id.slice(0, id.indexOf(":"));

/** Whether an evidence id names a row of the source. */
export const isRow = (id) => !NAMED.includes(kindOfId(id));

/**
 * The claims in reading order, each with its `number`, its `kind` and the number of its `note`.
 *
 * Claims that rest on the same thing share a note, as a printed page would not repeat one: the same row, the same
 * argument, or the figures of one row of a result. A claim whose span does not hold its text is of kind `generated`:
 * nothing may look bound that is not.
 */
export function numbered(answer) {
  const claims = [...(answer.claims ?? [])].sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  const notes = new Map();
  return claims.map((claim, index) => {
    const key = noteKey(answer, claim);
    if (!notes.has(key)) notes.set(key, notes.size + 1);
    return { ...claim, number: index + 1, kind: kindOf(claim, answer.answer), note: notes.get(key) };
  });
}

/** The notes in order: each the list of its claims. */
export function notesOf(claims) {
  const notes = [];
  for (const claim of claims) (notes[claim.note - 1] ??= []).push(claim);
  return notes;
}

function kindOf(claim, text) {
  const { start, end } = claim.span;
  if (claim.origin === "generated" || !claim.evidenceIds?.length) return "generated";
  if (text.slice(start, end) !== claim.text) return "generated";
  if (claim.origin === "quoted") return "quote";
  // What a claim names first is what it states; rows after a definition say what the definition was applied to.
  const first = kindOfId(claim.evidenceIds[0]);
  return NAMED.includes(first) && first !== "group" ? first : "row";
}

function noteKey(answer, claim) {
  const place = /^([^.[]+)\[\d+\]/.exec(claim.figure ?? "");
  const result = (answer.results ?? []).find((entry) => entry.id === claim.result);
  const table = place && (result?.tables ?? []).find((entry) => entry.name === place[1]);
  if (table?.shape === "many") return `${claim.result} ${place[0]}`;
  return `${claim.result} ${claim.figure ?? ""} ${(claim.evidenceIds ?? []).join(" ")}`;
}

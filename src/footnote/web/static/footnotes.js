// An answer as plain text with numbered footnotes, for the clipboard.

import { notesOf } from "./claims.js";
import { visible } from "./dom.js";
import { evidenceOf } from "./evidence.js";
import { figureOf, gistOf } from "./figure.js";
import { chainWords, short } from "./record-line.js";

/** Text, the notes by their numbers, and the record it can be verified by. */
export function footnotes(answer, claims, chain) {
  const notes = notesOf(claims).map((shared) => `[${shared[0].note}] ${unique(shared.map((claim) => note(answer, claim))).join("; ")}`);
  const record = answer.record?.sequence
    ? `Record ${answer.record.sequence}, ${short(answer.record.hash)}, ${chainWords(chain)}.` : "Not recorded.";
  return visible([answer.question, marked(answer, claims), notes.join("\n"), record].filter(Boolean).join("\n\n"));
}

function marked(answer, claims) {
  const label = answer.conclusion ? "Interpretation: " : "";
  let out = "";
  let at = 0;
  for (const claim of claims) {
    const end = Math.max(at, claim.span.end);
    out += `${answer.answer.slice(at, end)}[${claim.kind === "generated" ? "not bound" : claim.note}]`;
    at = end;
  }
  return label + out + answer.answer.slice(at);
}

function unique(texts) {
  return [...new Set(texts)];
}

function note(answer, claim) {
  if (claim.kind === "generated") return `${claim.text}: not bound`;
  const figure = figureOf(answer, claim);
  if (figure?.lines.length) {
    const lines = figure.lines.slice(0, 20).map((line) => `${line.label} ${line.display}`).join("; ");
    const more = figure.lines.length > 20 ? `; and ${figure.lines.length - 20} more rows` : "";
    return `${claim.text}: ${gistOf(figure).toLowerCase()} (${lines}${more})${figure.ties ? ", ties out" : ""}`;
  }
  const items = evidenceOf(answer, claim).map((item) => (item.uri ? `${item.label} <${item.uri}>` : `${item.type} ${item.label}`));
  return `${claim.text}: ${items.join("; ") || claim.evidenceIds.join(", ")}`;
}

// A refusal: what was asked, why there is no answer, and what would have one. It is an outcome, not an accident.

import { el, rowPage } from "./dom.js";
import { moment, short } from "./record-line.js";

const MATTER = {
  name_unknown: "No such name",
  name_ambiguous: "More than one such name",
  unroutable: "No operation for this question",
  argument: "Not understood",
  access_denied: "Not allowed",
  too_many_rows: "Too many rows",
  tie_out: "A figure does not add up, so it is not shown",
  control_check: "A control check does not hold, so no figure is shown",
  source_unavailable: "The source cannot be reached",
  source_timeout: "The source took too long",
  log_unavailable: "The log cannot be written, so there is no answer",
};

/**
 * The refusal as an element.
 *
 * `body` is what the host said; `ask(question)` asks another question; `titles` has the operations' titles by name.
 */
export function refusal(question, body, ask, titles = {}) {
  const refused = body.kind === "refusal";
  return el("article", { class: "refusal", "aria-label": refused ? "Refusal" : "No answer" },
    el("p", { class: "eyebrow" }, refused ? "No answer" : "No answer for now", ` · ${MATTER[body.code] ?? "Refused"}`),
    question && el("h2", {}, question),
    understood(body, titles),
    el("p", { class: "said" }, body.message),
    body.why && el("p", { class: "said" }, body.why),
    body.remedy && el("p", { class: "said" }, body.remedy),
    choices(question, body, ask),
    recorded(body.record ?? body.details?.record));
}

/** What the question was taken for, unless the message says so itself. */
function understood({ message, why = "", details = {} }, titles) {
  const title = titles[details.operation];
  if (!title || `${message} ${why}`.includes(title)) return null;
  return el("p", { class: "eyebrow" }, `Understood as “${title}”`);
}

function choices(question, body, ask) {
  const candidates = body.candidates ?? [];
  if (!candidates.length) return null;
  const named = candidates.some((candidate) => candidate.evidenceId);
  // Two operations that fit equally well are named; neither is a question that would have an answer.
  const titles = Boolean(body.details?.operations);
  const heading = named ? "Names that exist" : titles ? "What fits" : "Questions that have an answer";
  const given = body.details?.given ?? quotedIn(body.message, question);
  return el("div", {}, el("h3", {}, heading), el("ul", { class: "choices" }, candidates.map((candidate) =>
    el("li", {}, titles ? el("span", {}, candidate.text) : choice(question, candidate, given, ask)))));
}

/** The longest text that the message quotes from the question. */
function quotedIn(message, question) {
  const found = [...message.matchAll(/“([^”]+)”|'([^']+)'|"([^"]+)"/g)].map((match) => match[1] ?? match[2] ?? match[3]);
  return found.filter((text) => question?.includes(text)).sort((a, b) => b.length - a.length)[0] ?? "";
}

function choice(question, { text, evidenceId }, given, ask) {
  if (!evidenceId) return button(text, () => ask(text));
  // The number in brackets tells two records of one name apart for the reader; the name alone is what is asked about.
  const next = replaced(question, given, text.replace(/ \(\d+\)$/, ""));
  if (next) return button(text, () => ask(next));
  const [type, key] = split(evidenceId);
  return el("a", { class: "action", href: rowPage(type, key) }, text);
}

function button(text, click) {
  return el("button", { type: "button", class: "action", click }, text);
}

/** The question with the name that does not exist replaced by one that does; "" if the name is not in it. */
export function replaced(question, given, name) {
  if (!question || !given) return "";
  const at = question.toLowerCase().indexOf(String(given).toLowerCase());
  return at < 0 ? "" : `${question.slice(0, at)}“${name}”${question.slice(at + given.length)}`;
}

function split(evidenceId) {
  const at = evidenceId.indexOf(":");
  return [evidenceId.slice(0, at), evidenceId.slice(at + 1)];
}

function recorded(record) {
  if (!record?.sequence) return null;
  return el("p", { class: "quiet" }, "This outcome is ", el("a", { href: `/record/${encodeURIComponent(record.id)}` }, `record ${record.sequence}`),
    " · ", el("code", {}, short(record.hash)), record.timestamp ? ` · ${moment(record.timestamp)}` : "");
}

// A verdict on one statement: what the documents say, the passage that says it, and how to see it in its place.

import { get } from "./api.js";
import { el, replace } from "./dom.js";
import { moment, short } from "./record-line.js";

const SAYS = {
  GROUNDED: "Grounded",
  CONTRADICTED: "Contradicted",
  UNSUPPORTED: "Unsupported",
};

const MAY = {
  present_with_quote: "May be stated as fact, with its quote.",
  report_contradiction: "Not to be stated. The source says otherwise.",
  refuse: "Not to be stated. No source supports it.",
};

/** The verdict as an element; `record` stands in where the verdict was read from the log. */
export function verdictElement(verdict, record = verdict.record) {
  const status = verdict.status.toLowerCase();
  return el("article", { class: `verdict ${status}`, "aria-label": `Verdict: ${SAYS[verdict.status]}` },
    el("p", { class: "eyebrow" }, el("strong", {}, SAYS[verdict.status]), ` · ${MAY[verdict.permittedAction]}`),
    el("h2", {}, verdict.claim),
    quotes(verdict),
    verdict.derivation && el("p", { class: "said" }, verdict.derivation),
    el("p", { class: "said" }, verdict.explanation),
    verdict.conflicting.map((passage) => beside("Disagrees, with less authority", passage)),
    verdict.nearest && beside("Nearest passage, which does not decide", verdict.nearest),
    (verdict.notes ?? []).map((note) => el("p", { class: "quiet" }, note)),
    recorded(record));
}

function quotes(verdict) {
  if (!verdict.quotes.length) return null;
  return el("figure", { class: "passage" },
    verdict.quotes.map((fragment) => [el("blockquote", {}, `“${fragment.text}”`), inPlace(fragment)]),
    el("figcaption", {}, where(verdict.file, verdict.location, verdict.tier)));
}

function beside(heading, passage) {
  return el("section", { class: "beside" }, el("h3", {}, heading),
    el("blockquote", {}, `“${passage.text}”`),
    el("p", { class: "quiet" }, where(passage.file, passage.location, passage.tier)),
    inPlace(passage.fragments[0]));
}

/** "contracts/lease.md · 1. Rent › 1.1 · page 3 · tier 1". */
function where(file, location, tier) {
  const parts = [el("a", { href: documentPage(file, location.start, location.end) }, file)];
  if (location.text) parts.push(` · ${location.text}`);
  return [...parts, ` · tier ${tier}`];
}

/** A passage that opens in its document, below the quote. */
function inPlace(fragment) {
  const place = el("div", { class: "context" });
  const details = el("details", {}, el("summary", {}, "In its document"), place);
  details.addEventListener("toggle", async () => {
    if (!details.open || place.childNodes.length) return;
    try {
      const found = await get(`/api/document/${encoded(fragment.file)}?at=${fragment.start}-${fragment.end}`);
      replace(place, context(found));
    } catch (error) {
      replace(place, el("p", { class: "quiet" }, error.body?.message ?? "The document cannot be read."));
    }
  });
  return details;
}

function context(found) {
  return el("p", { class: "document-text", tabindex: "0" },
    found.before.replace(/^\s+/, ""), el("mark", {}, found.passage.text), found.after.replace(/\s+$/, ""));
}

/** The page of a passage in its document, or of a document's beginning. */
export function passagePage(found) {
  const { source } = found;
  const about = [source.type, `tier ${source.tier}: ${source.tierReason}`];
  if (source.effective) about.push(`from ${source.effective}`);
  return el("article", { class: "document" },
    el("p", { class: "eyebrow" }, source.file),
    el("h2", {}, source.title),
    el("p", { class: "quiet" }, about.join(" · ")),
    found.section?.length ? el("p", { class: "quiet" }, found.section.join(" › "), found.page ? `, page ${found.page}` : "") : null,
    source.problems.map((problem) => el("p", { class: "said" }, problem)),
    found.passage ? context(found) : el("p", { class: "document-text", tabindex: "0" }, found.text, found.truncated ? " …" : ""));
}

/** The address of a passage's page. */
export function documentPage(file, start, end) {
  return `/document/${encoded(file)}?at=${start}-${end}`;
}

function encoded(file) {
  return file.split("/").map(encodeURIComponent).join("/");
}

function recorded(record) {
  if (!record?.sequence) return null;
  return el("p", { class: "quiet" }, "This verdict is ",
    el("a", { href: `/record/${encodeURIComponent(record.id)}` }, `record ${record.sequence}`),
    " · ", el("code", {}, short(record.hash)), record.timestamp ? ` · ${moment(record.timestamp)}` : "");
}

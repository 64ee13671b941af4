// <footnote-answer>: one answer with its claims, its notes and the evidence under each.
//
//   const element = document.createElement("footnote-answer");
//   element.answer = await (await fetch("/api/ask", …)).json();
//
// Attribute `illustration`: the answer is an illustration; nothing in it is bound, opened or copied.
// Property `chain`: what /api/verify said. Events: `footnote-copy` {said}, `footnote-illustrate` {on}, both bubble.
// Looks: the custom properties of tokens.css, set on the element.

import { drawing } from "./chart.js";
import { isRow, notesOf, numbered } from "./claims.js";
import { append, counted, el, replace } from "./dom.js";
import { footnotes } from "./footnotes.js";
import { noteBody, noteHead } from "./notes.js";
import { recordLine } from "./record-line.js";
import { blocks } from "./text.js";

/** Texts of at most so many characters (figures, dates, numbers of documents) are not broken over two lines. */
const WHOLE = 20;

const sheet = new CSSStyleSheet();
const read = async (name) => (await fetch(new URL(name, import.meta.url))).text();
sheet.replaceSync((await Promise.all(["./tokens.css", "./footnote-answer.css"].map(read))).join("\n"));

export class FootnoteAnswer extends HTMLElement {
  #answer = null;
  #illustration = null;
  #chain = null;
  #claims = [];
  #open = 0;
  #root = this.attachShadow({ mode: "open" });

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [sheet];
    this.#root.addEventListener("copy", (event) => this.illustrated && event.preventDefault());
    this.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** The answer as JSON (`Answer.as_dict()`). */
  get answer() {
    return this.#answer;
  }

  set answer(answer) {
    this.#answer = answer;
    this.#illustration = null;
    this.#open = 0;
    this.#render();
  }

  /** What the same answer looks like when a model writes the numbers; null shows the answer itself again. */
  set illustration(answer) {
    this.#illustration = answer;
    this.#open = 0;
    this.#render();
  }

  get illustrated() {
    return this.#illustration !== null;
  }

  /** The state of the chain as /api/verify said it. */
  set chain(chain) {
    this.#chain = chain;
    const line = this.#root.querySelector(".record");
    if (!line) return;
    const fresh = recordLine(this.#answer, chain);
    fresh.open = line.open;
    line.replaceWith(fresh);
  }

  /** How many claims the answer has. */
  get count() {
    return this.#claims.length;
  }

  /** The number of the open claim, or 0. */
  get opened() {
    return this.#open;
  }

  /** Open the evidence of claim `number` (from 1); `focus` also moves the focus to it. */
  open(number, { focus = false } = {}) {
    const claim = this.#claims[number - 1];
    if (!claim || claim.kind === "generated") return;
    if (this.#open && this.#open !== number) this.close();
    this.#open = number;
    const note = this.#note(number);
    const body = note.querySelector(".body");
    if (!body.hasChildNodes()) append(body, [noteBody(this.#answer, notesOf(this.#claims)[claim.note - 1])]);
    this.#setExpanded(number, true);
    if (focus) body.focus({ preventScroll: true });
    note.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /** Close what is open; `focus` returns the focus to its claim. */
  close({ focus = false } = {}) {
    const number = this.#open;
    if (!number) return false;
    this.#open = 0;
    this.#setExpanded(number, false);
    if (focus) this.#claimNode(number).focus();
    return true;
  }

  /** Go `step` claims on from the current one; what was open follows. */
  walk(step) {
    if (!this.count) return;
    const at = this.#current();
    const next = at ? ((at - 1 + step + this.count) % this.count) + 1 : step > 0 ? 1 : this.count;
    const wasOpen = this.#open;
    this.#claimNode(next).focus();
    if (wasOpen) this.open(next);
  }

  /** Copy text and footnotes; an illustration cannot be copied. */
  async copy() {
    let said = "An illustration cannot be copied as an answer.";
    if (!this.illustrated) {
      try {
        await navigator.clipboard.writeText(footnotes(this.#answer, this.#claims, this.#chain));
        said = "Copied with footnotes.";
      } catch {
        said = "The browser did not allow copying.";
      }
    }
    this.#say(said);
    this.dispatchEvent(new CustomEvent("footnote-copy", { bubbles: true, composed: true, detail: { said } }));
  }

  #render() {
    const shown = this.#illustration ?? this.#answer;
    if (!shown) return void replace(this.#root);
    this.#claims = numbered(shown);
    if (this.illustrated) this.#claims.forEach((claim) => (claim.kind = "generated"));
    const text = el("div", { class: "text", part: "text" }, this.illustrated && banner(),
      blocks(shown, this.#claims, (claim, said, last) => this.#claim(claim, said, last)), this.#below());
    const article = el("article", { class: this.illustrated ? "illustrated" : "", "aria-label": "Answer" },
      shown.question && el("h2", { class: "question", part: "question" }, shown.question),
      el("div", { class: "spread" }, text, this.#notes()),
      this.illustrated ? null : recordLine(this.#answer, this.#chain), this.#actions());
    replace(this.#root, article);
  }

  #claim(claim, said, last) {
    const { number, kind } = claim;
    const bound = kind !== "generated";
    return el("span", {
      class: `claim ${kind}${said.length <= WHOLE ? " whole" : ""}`,
      id: `claim-${number}`,
      role: "button",
      tabindex: "0",
      "aria-expanded": bound ? "false" : null,
      "aria-disabled": bound ? null : "true",
      "aria-controls": bound ? `note-${claim.note}` : null,
      "aria-label": `${said}, claim ${number} of ${this.#claims.length}, ${this.#extent(claim)}`,
      click: () => this.#toggle(number),
      keydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.#toggle(number, { focus: true });
      },
      ...this.#linking(number),
    }, el("span", { class: "said" }, said), mark(claim, last));
  }

  #extent(claim) {
    if (claim.kind === "generated") return "not bound";
    const rows = claim.evidenceIds.filter(isRow).length;
    return rows ? counted(rows, "row") : claim.kind;
  }

  #notes() {
    if (this.illustrated) {
      return el("aside", { class: "notes", "aria-label": "Notes" }, el("h3", {}, "Notes"),
        el("p", { class: "unbound" }, "None. A figure that a model writes has no row to open, no sum to check and no record."));
    }
    const items = notesOf(this.#claims).map((claims) => this.#noteItem(claims));
    return items.length ? el("aside", { class: "notes", "aria-label": "Notes" }, el("h3", {}, "Notes"), el("ol", {}, items)) : null;
  }

  #noteItem(claims) {
    const [{ kind, note, number }] = claims;
    const head = noteHead(this.#answer, claims);
    const toggle = () => this.#toggle(claims.some((claim) => claim.number === this.#open) ? this.#open : number);
    const opener = kind === "generated" ? el("div", { class: "head" }, head)
      : el("button", { class: "head", type: "button", "aria-expanded": "false", click: toggle }, head);
    return el("li", { class: "note", id: `note-${note}`, ...this.#linking(...claims.map((claim) => claim.number)) }, opener,
      el("div", { class: "body", tabindex: "-1", role: "region", "aria-label": `Evidence of note ${note}`, hidden: true }));
  }

  #below() {
    if (this.illustrated) return null;
    const results = this.#answer.results ?? [];
    const checks = results.flatMap((result) => result.checks ?? []);
    const notes = [...new Set([...(this.#answer.notes ?? []), ...results.flatMap((result) => result.notes ?? [])])];
    return [
      drawing(this.#answer),
      (checks.length || notes.length) ? el("ul", { class: "below" },
        checks.map((check) => el("li", {}, check.say, " ", el("span", { class: "tick" }, `✓ ${check.left}`))),
        notes.map((note) => el("li", {}, note))) : null,
    ];
  }

  #actions() {
    const id = this.#answer.record?.id;
    const illustrate = () => this.dispatchEvent(new CustomEvent("footnote-illustrate",
      { bubbles: true, composed: true, detail: { on: !this.illustrated } }));
    const off = this.illustrated;
    return el("div", { class: "actions" },
      el("button", { type: "button", disabled: off, click: () => this.copy() }, "Copy with footnotes"),
      id && !off && el("a", { href: `/record/${encodeURIComponent(id)}` }, "Permanent link"),
      id && !off && el("a", { href: exported(id, "html"), download: "" }, "Page to print"),
      id && !off && el("a", { href: exported(id, "bundle"), download: "" }, "Bundle for an auditor"),
      off ? null : el("a", { href: "/api/export", download: "" }, "Download export"),
      el("button", { type: "button", "aria-pressed": String(off), click: illustrate },
        off ? "Show the answer itself" : "Show what this looks like when a model writes the numbers"),
      el("span", { class: "said-aloud", role: "status" }));
  }

  #say(words) {
    const status = this.#root.querySelector(".said-aloud");
    if (status) status.textContent = words;
  }

  #linking(...numbers) {
    const link = (on) => () => {
      for (const number of numbers) this.#claimNode(number)?.classList.toggle("linked", on);
      this.#note(numbers[0])?.classList.toggle("linked", on);
    };
    return { mouseenter: link(true), mouseleave: link(false), focusin: link(true), focusout: link(false) };
  }

  #toggle(number, options) {
    if (this.#open === number) this.close();
    else this.open(number, options);
  }

  #setExpanded(number, on) {
    const note = this.#note(number);
    note.querySelector(".body").hidden = !on;
    note.querySelector(".head").setAttribute("aria-expanded", String(on));
    this.#claimNode(number)?.setAttribute("aria-expanded", String(on));
  }

  #current() {
    const active = this.#root.activeElement;
    const claim = active?.closest(".claim");
    return claim ? Number(claim.id.slice("claim-".length)) : this.#open;
  }

  #onKey(event) {
    if (event.key === "Escape" && this.close({ focus: true })) event.stopPropagation();
  }

  #claimNode(number) {
    return this.#root.getElementById(`claim-${number}`);
  }

  /** The note of claim `number`. */
  #note(number) {
    return this.#root.getElementById(`note-${this.#claims[number - 1]?.note}`);
  }
}

/** The number of a claim's note, at the `last` claim of a run that shares it; and what the claim is, if no row. */
function mark({ kind, note }, last) {
  if (kind === "generated") return last && el("sup", { "aria-hidden": "true" }, "not bound");
  const word = { argument: "arg", definition: "def", absence: "none" }[kind];
  if (!last && !word) return null;
  return el("sup", { "aria-hidden": "true" }, last && note, word && el("span", { class: "marker" }, last ? ` ${word}` : word));
}

function banner() {
  return el("p", { class: "banner", role: "note" }, "Illustration: these figures are invented. ",
    el("span", {}, "This is how the answer looks when a model writes the numbers: the same words, and nothing to open."));
}

customElements.define("footnote-answer", FootnoteAnswer);

function exported(id, format) {
  return `/api/export?${new URLSearchParams({ record: id, format })}`;
}

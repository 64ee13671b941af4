// The page: asks, shows, remembers where it was. Everything it knows comes from the host that served it.

import { get, post } from "./api.js";
import { contents } from "./contents.js";
import { el, replace } from "./dom.js";
import "./footnote-answer.js";
import { sourceWords } from "./record-line.js";
import { recordPage, recordTable, rowPageOf } from "./records.js";
import { refusal as refusalOf } from "./refusal.js";
import { passagePage, verdictElement } from "./verdict.js";

const LAST = 20;
const PATIENCE = 300;

const byId = (id) => document.getElementById(id);
const main = byId("main");
const field = byId("question");
const state = { about: null, controller: null, asking: "" };

/** A refusal with the titles of this catalog's operations. */
function refusal(question, body) {
  const titles = Object.fromEntries((state.about?.operations ?? []).map(({ name, title }) => [name, title]));
  return refusalOf(question, body, ask, titles);
}

/** Show what the address says: a record, a row, a question, or the start. */
async function route({ first = false } = {}) {
  const parts = location.pathname.split("/").filter(Boolean).map(decoded);
  const asked = new URLSearchParams(location.search);
  const statement = asked.get("verify") ?? "";
  const question = asked.get("q") ?? "";
  if (statement || question || !first) field.value = statement || question;
  if (parts[0] === "record" && parts.length === 2) return openRecord(parts[1]);
  if (parts[0] === "record" && parts.length > 2) return openRow(parts[1], parts.slice(2).join("/"));
  if (parts[0] === "document" && parts.length > 1) return openDocument(parts.slice(1).join("/"), asked.get("at") ?? "");
  if (history.state?.record) return openRecord(history.state.record, question);
  if (statement) return verify(statement, { push: false });
  if (question) return ask(question, { push: false });
  state.controller?.abort();
  state.controller = null;
  state.asking = "";
  main.setAttribute("aria-busy", "false");
  document.title = "Footnote";
  replace(main, contents(state.about?.operations ?? [], run));
  offer();
  field.focus();
}

/** A part of an address as text; one that cannot be read stands for itself, and no record has such a name. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function ask(question, { push = true } = {}) {
  const asked = question.trim();
  if (!asked) return void field.focus();
  if (state.asking === asked) return; // a second click or Enter while the first is on its way asks nothing new
  field.value = asked;
  const address = `/?q=${encodeURIComponent(asked)}`;
  if (push) history[location.pathname + location.search === address ? "replaceState" : "pushState"]({}, "", address);
  const answered = showing(asked, async (signal) => {
    const body = await post("/api/ask", { question: asked }, signal);
    const record = body.record ?? body.details?.record;
    if (record?.id) history.replaceState({ record: record.id }, "");
    return body.kind === "refusal" ? refusal(asked, body) : answerElement(body);
  });
  state.asking = asked;
  await answered;
}

/** Verify a statement against the documents. */
async function verify(statement, { push = true } = {}) {
  const claim = statement.trim();
  if (!claim) return void field.focus();
  const call = `verify ${claim}`;
  if (state.asking === call) return;
  field.value = claim;
  const address = `/?verify=${encodeURIComponent(claim)}`;
  if (push) history[location.pathname + location.search === address ? "replaceState" : "pushState"]({}, "", address);
  const answered = showing(claim, async (signal) => {
    const body = await post("/api/documents/verify", { claim }, signal);
    const record = body.record ?? body.details?.record;
    if (record?.id) history.replaceState({ record: record.id }, "");
    return body.kind === "refusal" ? refusal(claim, body) : verdictElement(body);
  });
  state.asking = call;
  await answered;
}

async function openDocument(file, at) {
  await showing("", async (signal) => {
    const path = file.split("/").map(encodeURIComponent).join("/");
    const body = await get(`/api/document/${path}${at ? `?at=${encodeURIComponent(at)}` : ""}`, signal);
    return body.kind === "refusal" ? refusal("", body) : passagePage(body);
  }, file);
  main.querySelector("mark")?.scrollIntoView({ block: "center" });
}

/** Ask an operation without words; the record it makes is its address. */
async function run(operation, args) {
  field.value = "";
  const call = JSON.stringify([operation, args]);
  if (state.asking === call) return;
  const answered = showing(operation, async (signal) => {
    const body = await post("/api/run", { operation, arguments: args }, signal);
    const record = body.record ?? body.details?.record;
    if (record?.id) history.pushState({}, "", `/record/${encodeURIComponent(record.id)}`);
    return body.kind === "refusal" ? refusal("", body) : answerElement(body);
  });
  state.asking = call;
  await answered;
}

async function openRecord(id, question = "") {
  await showing(question, async (signal) => {
    const record = await get(`/api/record/${encodeURIComponent(id)}`, signal);
    if (!record.sequence) return refusal("", record);
    if (record.sections.verdict) {
      field.value = record.sections.verdict.claim;
      return [...standing(record), verdictElement(record.sections.verdict, record)];
    }
    if (record.answer) {
      field.value = record.answer.question;
      return [...standing(record), answerElement(record.answer)];
    }
    if (record.refusal) {
      field.value = record.refusal.question ?? "";
      return [...standing(record), refusal(record.refusal.question, record.refusal)];
    }
    return recordPage(record);
  }, `Record ${id}`);
}

async function openRow(type, key) {
  await showing("", async (signal) => {
    const body = await get(`/api/row/${encodeURIComponent(type)}/${encodeURIComponent(key)}`, signal);
    return body.kind === "refusal" ? refusal("", body) : rowPageOf(body);
  }, `${type} ${key}`);
}

/** What stands over an answer that is shown as it was recorded. */
function standing(record) {
  const statement = record.sections?.verdict?.claim;
  const question = statement ?? record.answer?.question ?? record.refusal?.question;
  const again = () => (statement ? verify(statement) : ask(question));
  const line = el("p", { class: "standing" }, `As recorded in record ${record.sequence}. `,
    question && el("button", { type: "button", class: "plain", click: again }, statement ? "Verify again now" : "Ask again now"));
  return record.intact ? [line] : [line, el("p", { class: "altered" },
    "This is not the whole record: a part of it is missing, or is not what was recorded, and is left out here.")];
}

/** Run `work` and show what it gives; a skeleton after a while, an error as a refusal to look at. */
async function showing(title, work, fallback = "Footnote") {
  state.controller?.abort();
  const controller = (state.controller = new AbortController());
  state.asking = "";
  document.title = title ? `${title} – Footnote` : fallback;
  main.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => replace(main, skeleton()), PATIENCE);
  try {
    const nodes = await work(controller.signal);
    if (state.controller !== controller) return;
    clearTimeout(slow);
    replace(main, nodes);
    offer();
    if (document.activeElement === field) main.focus({ preventScroll: true });
  } catch (error) {
    if (error.name === "AbortError" || state.controller !== controller) return;
    clearTimeout(slow);
    replace(main, refusal(title, error.body ?? { message: "The page could not show this." }));
    if (!error.body) throw error;
  } finally {
    clearTimeout(slow);
    if (state.controller === controller) {
      main.setAttribute("aria-busy", "false");
      state.asking = "";
    }
  }
  refresh();
}

function skeleton() {
  return el("div", { class: "skeleton", role: "status", "aria-label": "Asking the source" }, el("div"), el("div"), el("div"));
}

function answerElement(answer) {
  const element = el("footnote-answer", { lang: "en" });
  element.answer = answer;
  element.addEventListener("footnote-illustrate", async (event) => {
    if (!event.detail.on) return void (element.illustration = null);
    element.illustration = await post("/api/illustrate", { record: answer.record.id });
  });
  get("/api/verify").then((chain) => (element.chain = chain), () => (element.chain = { ok: false, reason: "the log could not be read" }));
  return element;
}

/** The list of records, which every question makes longer. */
async function refresh() {
  try {
    const { records } = await get(`/api/records?limit=${LAST}`);
    byId("records").hidden = !records.length;
    replace(byId("records-list"), recordTable(records));
  } catch {
    byId("records").hidden = true;
  }
}

async function introduce() {
  try {
    state.about = await get("/api/about");
  } catch (error) {
    return void replace(main, refusal("", error.body ?? { message: "Footnote cannot be reached." }));
  }
  const about = state.about;
  byId("source").textContent = about.title;
  byId("notice").textContent = about.notice;
  byId("verify-statement").hidden = !about.documents;
  byId("version").textContent = `Footnote ${about.version}`;
  byId("evaluating").textContent = `Evaluating as of ${longDate(about.today)} · ${sourceWords(about.source)}`;
  const examples = byId("examples");
  replace(examples, about.examples.map((question) =>
    el("li", {}, el("button", { type: "button", click: () => ask(question) }, question))));
}

/** The question box is as high as its text. */
function fit() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** Show the examples on the start page; elsewhere nothing competes with the answer. */
function offer() {
  fit();
  byId("examples").hidden = !state.about?.examples.length || location.pathname !== "/" || location.search !== "";
}

/** "14 August 2026" of an ISO date. */
function longDate(iso) {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${iso}T00:00:00Z`));
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const typing = event.composedPath()[0].matches?.("input, textarea, select");
  if (event.key === "Escape" && typing) return void field.blur();
  if (typing || byId("keys").open) return;
  const answer = main.querySelector("footnote-answer");
  const keys = {
    "/": () => (field.focus(), field.select()),
    "?": () => byId("keys").showModal(),
    "[": () => answer?.walk(-1),
    "]": () => answer?.walk(1),
    c: () => !String(getSelection()) && answer?.copy(),
    Escape: () => answer?.close({ focus: true }),
  };
  if (!(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
}

/** A click on a link to a page of ours changes the page without loading it again. */
function onClick(event) {
  const link = event.composedPath().find((node) => node.localName === "a");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const url = new URL(link.href);
  const ours = url.origin === location.origin && /^\/(?:$|record\/|document\/)/.test(url.pathname);
  if (!ours || link.target || link.hasAttribute("download")) return;
  event.preventDefault();
  history.pushState({}, "", url.pathname + url.search);
  route();
  scrollTo(0, 0);
}

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask(field.value);
});
byId("verify-statement").addEventListener("click", () => verify(field.value));
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId("ask").requestSubmit();
});
byId("keys-open").addEventListener("click", () => byId("keys").showModal());
field.addEventListener("input", fit);
addEventListener("keydown", onKey);
addEventListener("click", onClick);
addEventListener("popstate", () => route());
addEventListener("resize", fit);

await introduce();
// Whoever typed or asked while the page was loading is not interrupted; Enter was a line break until now.
if (!state.controller) await (field.value.endsWith("\n") ? ask(field.value) : route({ first: true }));
refresh();

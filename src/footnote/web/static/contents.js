// What can be asked, as the table of contents of the start page; each entry opens to its parameters.

import { el, words } from "./dom.js";

/** The operations as a list; `run(name, arguments)` asks one of them without words. */
export function contents(operations, run) {
  if (!operations.length) return null;
  return el("section", { class: "contents", "aria-labelledby": "contents-title" },
    el("h2", { id: "contents-title" }, "What can be asked"),
    operations.map((operation) => el("details", {}, el("summary", {}, operation.title),
      el("p", {}, operation.description), form(operation, run))));
}

function form({ name, parameters }, run) {
  const fields = parameters.map((parameter) => [parameter, input(parameter)]);
  const submit = (event) => {
    event.preventDefault();
    run(name, Object.fromEntries(fields.map(([parameter, field]) => [parameter.name, valueOf(parameter, field)])
      .filter(([, value]) => value !== "" && value !== undefined)));
  };
  return el("form", { submit }, fields.map(([parameter, field]) =>
    el("label", {}, el("span", {}, words(parameter.name)), field, el("small", {}, parameter.description))),
    el("button", { class: "action" }, "Ask"));
}

function input(parameter) {
  const required = parameter.required;
  if (parameter.type === "boolean") return select(["", "true", "false"], required);
  if (parameter.allowedValues.length) return select(["", ...parameter.allowedValues], required);
  const type = parameter.type === "date" ? "date" : "text";
  return el("input", { type, required, placeholder: parameter.default ?? null, autocomplete: "off" });
}

function select(values, required) {
  return el("select", { required }, values.map((value) => el("option", { value: String(value) }, String(value) || "–")));
}

/** What was typed, as the parameter's type has it in JSON; numbers with a fraction stay text, to stay exact. */
function valueOf(parameter, field) {
  const text = field.value.trim();
  if (text === "") return undefined;
  if (parameter.type === "boolean") return text === "true";
  if (parameter.type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (parameter.type === "list") return text.split(",").map((part) => part.trim()).filter(Boolean);
  return text;
}

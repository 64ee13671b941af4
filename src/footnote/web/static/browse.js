// Every row behind a figure: searched, sorted, a page at a time, asked of the host.

import { get } from "./api.js";
import { counted, el, replace, rowPage } from "./dom.js";

const SIZE = 20;

/** A button that opens the rows of `figure`; nothing where there is no record to ask about. */
export function browser(figure) {
  if (!figure.record) return null;
  const place = el("div", { class: "browse", hidden: true });
  const opener = el("button", {
    type: "button",
    class: "open-rows",
    "aria-expanded": "false",
    click: () => {
      place.hidden = !place.hidden;
      opener.setAttribute("aria-expanded", String(!place.hidden));
      if (!place.hasChildNodes()) open(figure, place);
    },
  }, `Search and page ${figure.behind === 1 ? "the row" : `all ${counted(figure.behind, "row")}`}`);
  return el("div", { class: "rows" }, opener, place);
}

function open(figure, place) {
  const state = { page: 1, sort: "record", search: "" };
  const rows = el("div", { class: "page" });
  const status = el("p", { class: "said", role: "status" });
  const previous = el("button", { type: "button", click: () => turn(-1) }, "Previous");
  const next = el("button", { type: "button", click: () => turn(1) }, "Next");
  let asked = new AbortController();

  async function show() {
    asked.abort();
    asked = new AbortController();
    previous.disabled = next.disabled = true;
    place.setAttribute("aria-busy", "true");
    const query = new URLSearchParams({ figure: figure.address, size: SIZE, ...state });
    try {
      const found = await get(`/api/evidence/${encodeURIComponent(figure.record)}?${query}`, asked.signal);
      replace(rows, table(found, figure));
      const matched = found.matched === found.total ? "" : `${counted(found.matched, "row")} of ${found.total.toLocaleString("en")} match. `;
      replace(status, `Page ${found.page.toLocaleString("en")} of ${found.pages.toLocaleString("en")}. ${matched}`,
        el("span", { class: found.same ? "" : "apart" }, found.said));
      previous.disabled = found.page <= 1;
      next.disabled = found.page >= found.pages;
    } catch (error) {
      if (error.name === "AbortError") return;
      replace(status, el("span", { class: "apart" }, error.message));
      previous.disabled = state.page <= 1;
    }
    place.removeAttribute("aria-busy");
  }

  function turn(step) {
    state.page += step;
    show();
  }

  function change(name, value) {
    Object.assign(state, { [name]: value, page: 1 });
    show();
  }

  const search = el("input", { type: "search", "aria-label": "Search the rows", placeholder: "Search the rows", maxlength: "200",
    change: (event) => change("search", event.target.value), keydown: (event) => event.stopPropagation() });
  const sort = el("select", { "aria-label": "Order", change: (event) => change("sort", event.target.value) },
    el("option", { value: "record" }, "In record order"), el("option", { value: "largest" }, "Largest first"));
  replace(place, el("div", { class: "tools" }, search, sort), rows, el("div", { class: "tools" }, previous, next), status);
  show();
}

function table(found, figure) {
  if (!found.rows.length) return el("p", {}, "No row.");
  return el("table", { class: "ledger" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Row"), el("th", { scope: "col", class: "amount" }, figure.amountWord))),
    el("tbody", {}, found.rows.map((row) => el("tr", {},
      el("td", { class: "label" }, row.recordId === undefined ? row.label : el("a", { href: rowPage(row.type, row.recordId) }, row.label)),
      el("td", { class: "amount" }, row.display)))));
}

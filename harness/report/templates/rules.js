"use strict";
// Tables of rules: filter by words, class, result and by what two columns differ in; a rule opens into what is known.
const FEW = 5; // columns up to which there is room for names

/** Makes an element; text is always text, never markup. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Keys: arrows, Home and End move between the rows that are shown, Escape closes the one with the focus. */
function followKeys(table, rows, close) {
  table.addEventListener("keydown", (event) => {
    const entry = rows.find((each) => each.button === event.target || each.panel?.contains(event.target));
    if (!entry) return;
    if (event.key === "Escape") { close(entry); entry.button.focus(); return; }
    if (event.target !== entry.button) return;
    const shown = rows.filter((each) => !each.row.hidden);
    const at = shown.indexOf(entry);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined || !shown[to]) return;
    event.preventDefault();
    shown[to].button.focus();
  });
}

/** Filters whenever something is chosen or typed. */
function followForm(form, filter) {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("reset", () => setTimeout(filter));
}

/** A table that has no room for its columns becomes a card for each row. */
function stackTable(table) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  table.classList.toggle("stacked", table.parentElement.clientWidth < Number(table.dataset.least) * rem);
}
for (const table of document.querySelectorAll("table.totals")) {
  new ResizeObserver(() => stackTable(table)).observe(table.parentElement);
  stackTable(table);
}

for (const book of document.querySelectorAll("[data-rules]")) {
  const part = (name) => book.querySelector(`[data-part="${name}"]`);
  const [words, chosenClass, standing, one, other, differ, count] =
    ["words", "class", "standing", "one", "other", "differ", "count"].map(part);
  const table = book.querySelector("table");
  const heads = [...table.tHead.querySelectorAll("th[data-column]")];
  const nameOf = (at) => heads[at].dataset.label;
  const rows = [...table.querySelectorAll("tr[data-rule]")].map((row) => ({
    row, panel: null, id: row.dataset.rule, ofClass: row.closest("tbody").dataset.class,
    button: row.querySelector("button"), cells: [...row.querySelectorAll("td")],
    words: `${row.dataset.rule}\n${row.querySelector("button").textContent}`.toLowerCase(),
  }));

  const breakable = (id) => id.split(/(?<=[/-])/u).flatMap((each, at) => (at ? [document.createElement("wbr"), each] : [each]));

  /** Gives the columns that are shown: all, one, or the two that are compared. */
  function columns() {
    const chosen = [one, other].filter((each) => each && each.value !== "").map((each) => Number(each.value));
    return chosen.length ? [...new Set(chosen)] : heads.map((_, at) => at);
  }

  const content = (cell) => `${cell.dataset.standing} ${cell.textContent.replace(/^[A-Z]+/u, "")}`;

  function filter() {
    const shownColumns = columns();
    const two = Boolean(one && one.value !== "" && other.value !== "" && one.value !== other.value);
    if (differ) differ.disabled = !two;
    const parts = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const entry of rows) {
      const seen = shownColumns.map((at) => entry.cells[at]);
      const standings = seen.map((cell) => cell.dataset.standing);
      const wanted = standing.value;
      const here = parts.every((each) => entry.words.includes(each))
        && (!chosenClass.value || chosenClass.value === entry.ofClass)
        && (!wanted || (wanted === "short" ? standings.some((each) => each === "partly" || each === "no") : standings.includes(wanted)))
        && (!two || !differ.checked || content(seen[0]) !== content(seen[1]));
      entry.row.hidden = !here;
      if (entry.panel) entry.panel.hidden = !here || entry.button.getAttribute("aria-expanded") !== "true";
      shown += here;
    }
    for (const body of table.tBodies) body.hidden = !body.querySelector("tr[data-rule]:not([hidden])");
    for (const cell of table.querySelectorAll("[data-column]")) cell.hidden = !shownColumns.includes(Number(cell.dataset.column));
    for (const cell of table.querySelectorAll("[colspan]")) cell.colSpan = shownColumns.length + 1;
    const few = shownColumns.length <= FEW;
    table.classList.toggle("few", few);
    table.dataset.least = String(21 + (few ? 9 : Number(table.dataset.step)) * shownColumns.length);
    count.textContent = `${shown} of ${rows.length} rule${rows.length === 1 ? "" : "s"}`;
    stackTable(table);
  }

  function panel(entry) {
    const box = make("div", { class: "panel", role: "region", "aria-label": entry.button.textContent });
    box.append(make("p", {}, entry.row.dataset.why));
    box.append(make("p", { class: "quiet" }, `${entry.ofClass}, ${entry.row.dataset.requirement}: `, make("code", {}, `readfirst rules ${entry.id}`)));
    const list = make("dl", { class: "facts" });
    entry.cells.forEach((cell, at) => {
      if (cell.hidden || cell.dataset.standing === "yes") return;
      const value = make("dd", {}, cell.dataset.standing === "no" ? "holds in none" : cell.dataset.standing);
      const number = cell.textContent.match(/\d+\/\d+/u);
      if (number) value.append(`, ${number[0]}`);
      if (cell.dataset.since && cell.dataset.since !== nameOf(at)) value.append(`, since ${cell.dataset.since}`);
      if (cell.dataset.shortest) {
        const id = cell.dataset.shortest;
        value.append(", shortest that fails: ", "linked" in book.dataset ? make("a", { href: `#${id}` }, ...breakable(id)) : make("code", {}, ...breakable(id)));
      }
      list.append(make("dt", {}, nameOf(at)), value);
    });
    if (list.children.length) box.append(list);
    else box.append(make("p", {}, "It holds in every column."));
    const { repeat } = book.dataset;
    if (repeat && list.children.length) {
      const parts = repeat.replace("RULE", entry.id).split(" ").map((each) => make("span", {}, each));
      box.append(make("p", { class: "quiet" }, "To inspect one:"), make("code", { class: "command" }, ...parts.flatMap((each, at) => (at ? [" ", each] : [each]))));
    }
    if ("linked" in book.dataset) {
      const all = make("button", { type: "button", class: "close" }, "List its scenarios");
      all.addEventListener("click", () => document.dispatchEvent(new CustomEvent("rule", { detail: entry.id })));
      box.append(all);
    }
    return box;
  }

  function toggle(entry) {
    const open = entry.button.getAttribute("aria-expanded") === "true";
    entry.button.setAttribute("aria-expanded", String(!open));
    entry.row.classList.toggle("open", !open);
    if (entry.panel) entry.panel.remove();
    entry.panel = null;
    if (open) return;
    const cell = make("td", { role: "cell", colspan: String(columns().length + 1) }, panel(entry));
    entry.panel = make("tr", { class: "details", role: "row" }, cell);
    entry.row.after(entry.panel);
  }

  for (const entry of rows) entry.button.addEventListener("click", () => toggle(entry));
  followKeys(table, rows, (entry) => entry.panel && toggle(entry));
  followForm(book.querySelector("form"), filter);
  filter();
  new ResizeObserver(() => stackTable(table)).observe(table.parentElement);
}

"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const { runs, levels, scenarios } = JSON.parse(byId("index").textContent);

  /** Gives a text with the places marked where a line may end: between the words of a path, an address or a name. */
  function breakable(text) {
    const words = text.split(/(?<=[/:_,=&])(?=[^/:_,=&])|(?=[@?]|\.\D)|(?<=[a-z])(?=[A-Z])/u)
      .flatMap((word) => (/\S{31}/u.test(word) ? word.match(/\S{1,30}|\s+/gu) : [word]));
    return words.flatMap((word, at) => (at ? [document.createElement("wbr"), word] : [word]));
  }
  for (const element of document.querySelectorAll(".name, .words, .matrix th button")) {
    element.replaceChildren(...breakable(element.textContent));
  }

  const broke = (cell) => cell !== null && cell[0] === "error";
  const judged = (cell) => cell !== null && ["passed", "failed", "error"].includes(cell[0]);
  const firstFailing = (cell) => levels.find((level) => !cell[1].includes(level));
  const differs = (level) => ({ safe: "not safe", effects: "effects differ" })[level] || `${level} differs`;
  const harms = (level) => level === "safe" || level === "effects";

  /** Gives what is in the list: a tone, a word, and a remark. */
  function outcome(cell, asked) {
    if (cell === null) return ["", "not run", ""];
    const accepted = cell[2] ? "accepted" : "";
    if (broke(cell)) return ["error", "error", accepted];
    if (!judged(cell)) return ["", cell[0], accepted];
    const level = firstFailing(cell);
    if (cell[0] === "passed") return ["good", "passed", level && asked !== level && level !== "verbatim" ? differs(level) : ""];
    if (!level) return ["harm", "failed", accepted];
    return [harms(level) ? "harm" : "wording", differs(level), accepted];
  }

  function result(cell, index) {
    const [tone, word, note] = outcome(cell, runs[index].level);
    const nodes = [make("span", { class: `chip ${tone}${note === "accepted" ? " accepted" : ""}` }, word)];
    if (note) nodes.push(" ", make("span", { class: "note" }, note));
    return nodes;
  }

  /** Names a run by its letter, as the table of runs does; by all of it, where there is one only. */
  const key = (index) => make("span", { class: "key" }, runs[index].key);
  function keys(indexes) {
    return runs.length > 1 ? indexes.flatMap((index, at) => (at ? [" ", key(index)] : [key(index)])) : [runs[0].short];
  }
  function name(index) {
    const { key: letter, short, facts } = runs[index];
    const nodes = letter ? [key(index), " "] : [];
    nodes.push(make("span", { class: "name" }, ...breakable(short)));
    if (facts) nodes.push(" ", make("span", { class: "facts-of-run" }, facts));
    return nodes;
  }

  // The list: one row per scenario, and a row for its details that is filled when it is opened.
  const rows = new Map();
  const bodies = new Map();
  for (const [id, title, cells, rule] of scenarios) {
    const family = id.split("/")[0];
    if (!bodies.has(family)) bodies.set(family, make("tbody", { role: "rowgroup" }));
    const button = make("button", { type: "button", "aria-expanded": "false" }, ...breakable(id));
    const heading = make("th", { scope: "row", role: "rowheader" }, button);
    if (title) heading.append(make("span", { class: "title" }, title));
    const row = make("tr", { id, role: "row" }, heading);
    cells.forEach((cell, index) => {
      const letter = runs.length > 1 ? [key(index)] : [];
      row.append(make("td", { role: "cell" }, ...letter, ...result(cell, index)));
    });
    const entry = { id, family, cells, row, button, panel: null, words: `${id}\n${title}\n${rule}`.toLowerCase() };
    button.addEventListener("click", () => (entry.panel && !entry.panel.hidden ? close(entry) : open(entry)));
    rows.set(id, entry);
    bodies.get(family).append(row);
  }
  byId("list").append(...bodies.values());

  // Filter
  const words = byId("words"), family = byId("family"), wantedResult = byId("result"), run = byId("run");

  function matchesResult(cells) {
    const wanted = wantedResult.value;
    if (!wanted) return true;
    if (wanted === "differs") return new Set(cells.map((cell, at) => outcome(cell, runs[at].level).join())).size > 1;
    const chosen = run.value === "" ? cells : [cells[Number(run.value)]];
    return chosen.some((cell) => {
      if (cell === null) return false;
      if (wanted === "not-passed") return cell[0] !== "passed";
      if (wanted === "not-judged") return !judged(cell);
      if (wanted === "error") return broke(cell);
      return judged(cell) && !cell[1].includes(wanted);
    });
  }

  function filter() {
    const parts = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const entry of rows.values()) {
      const shown = (!family.value || entry.family === family.value)
        && (wantedResult.value || run.value === "" || entry.cells[Number(run.value)] !== null)
        && matchesResult(entry.cells) && parts.every((part) => entry.words.includes(part));
      entry.row.hidden = !shown;
      if (entry.panel) entry.panel.hidden = !shown || entry.button.getAttribute("aria-expanded") !== "true";
      count += shown;
    }
    byId("count").textContent = `${count} of ${rows.size} scenario${rows.size === 1 ? "" : "s"}`;
  }

  function choose(chosen) {
    words.value = chosen.words || "";
    family.value = chosen.family || "";
    wantedResult.value = chosen.result || "";
    run.value = chosen.run || "";
    filter();
  }

  followForm(words.form, filter);
  words.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { words.value = ""; filter(); }
  });
  function list(chosen) {
    choose(chosen);
    byId("scenarios").scrollIntoView();
    byId("scenarios").focus({ preventScroll: true });
  }
  for (const button of document.querySelectorAll(".matrix button")) {
    button.addEventListener("click", () => list(button.dataset));
  }
  document.addEventListener("rule", (event) => list({ words: event.detail }));

  // The matrix with its levels side by side, or with one of them, so that many runs fit beside each other.
  const shownLevel = byId("shown");
  shownLevel.addEventListener("change", () => {
    const only = shownLevel.value;
    for (const cell of document.querySelectorAll(".matrix [data-level]")) {
      cell.hidden = only !== "" && cell.dataset.level !== only;
    }
    for (const heading of document.querySelectorAll(".matrix th[scope=colgroup]")) {
      heading.colSpan = only ? 1 : levels.length + 1;
    }
    document.querySelector(".matrix .of-levels").hidden = only !== "";
    document.querySelector(".matrix").classList.toggle("one", only !== "");
    fit();
  });

  // A table becomes cards where its columns have no room, else its headings stay in sight; where the matrix is
  // too wide it scrolls in a box of its own, and as long as nobody chose, it shows the first level only.
  const scenarioList = byId("list");
  function fit() {
    document.querySelectorAll("table[data-least]").forEach(stackTable);
    for (const box of document.querySelectorAll(".scroll")) {
      box.classList.add("fits");
      const over = box.scrollWidth > box.clientWidth;
      box.classList.toggle("fits", !over);
      const named = { role: "region", tabindex: "0", "aria-labelledby": box.closest("section").getAttribute("aria-labelledby") };
      for (const [attribute, value] of Object.entries(named)) {
        if (over) box.setAttribute(attribute, value);
        else box.removeAttribute(attribute);
      }
    }
    document.documentElement.style.setProperty("--stuck", `${scenarioList.tHead.offsetHeight}px`);
  }

  followKeys(scenarioList, [...rows.values()], close);

  // Details
  const parsed = new Map();
  function detailsOf(entry) {
    if (!parsed.has(entry.family)) {
      const source = [...document.querySelectorAll("script[data-details]")].find((each) => each.dataset.details === entry.family);
      parsed.set(entry.family, JSON.parse(source.textContent));
    }
    return parsed.get(entry.family)[entry.id];
  }

  function open(entry) {
    if (!entry.panel) {
      const id = `details-of-${entry.id}`;
      const cell = make("td", { role: "cell", colspan: String(runs.length + 1) }, panel(entry, detailsOf(entry)));
      entry.panel = make("tr", { id, class: "details", role: "row" }, cell);
      entry.button.setAttribute("aria-controls", id);
      entry.row.after(entry.panel);
    }
    entry.panel.hidden = false;
    fit();
    entry.row.classList.add("open");
    entry.button.setAttribute("aria-expanded", "true");
    history.replaceState(null, "", `#${entry.id}`);
  }

  function close(entry) {
    if (entry.panel) entry.panel.hidden = true;
    entry.row.classList.remove("open");
    entry.button.setAttribute("aria-expanded", "false");
    if (linked() === entry.id) history.replaceState(null, "", location.pathname + location.search);
  }

  function linked() {
    try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; }
  }

  function follow() {
    const entry = rows.get(linked());
    if (!entry) return;
    if (entry.row.hidden) choose({});
    open(entry);
    entry.row.scrollIntoView();
    entry.button.focus({ preventScroll: true });
  }
  addEventListener("hashchange", follow);

  function panel(entry, details) {
    const box = make("div", { class: "panel", role: "region", "aria-label": entry.id });
    for (const line of details.about) box.append(make("p", {}, line));
    const facts = make("dl", { class: "facts" });
    const fact = (term, ...values) => facts.append(make("dt", {}, term), ...values.map((value) => make("dd", {}, ...value)));
    fact("link", [make("a", { href: `#${entry.id}` }, ...breakable(`#${entry.id}`))]);
    if (details.requirement) fact("requirement", [details.requirement]);
    if (details.tags.length) fact("tags", [details.tags.join(", ")]);
    if (details.sources.length) fact(details.sources.length > 1 ? "sources" : "source", ...details.sources.map(source));
    if (details.file) fact("file", [make("code", {}, ...breakable(details.file))]);
    box.append(facts, make("h3", {}, "Results"), results(entry, details));
    if (details.given.length) box.append(make("h3", {}, "Given"), make("div", { class: "columns" }, ...details.given.map((each) => make("div", {}, block(each)))));
    if (!details.steps.length) {
      const text = details.file
        ? `It passed, so its steps are not on this page: readfirst show ${entry.id}`
        : "This scenario is not in the suite that the page was made with, so its steps are unknown.";
      box.append(make("p", {}, text));
    }
    box.append(make("h3", {}, "Steps"), steps(entry, details), make("h3", {}, "To repeat it"), commands(entry));
    const closing = make("button", { type: "button", class: "close" }, "Close");
    closing.addEventListener("click", () => { close(entry); entry.button.focus(); });
    box.append(closing);
    return box;
  }

  /** Gives what a source is shown as: a link, if it is an address of the web; the page itself fetches nothing. */
  function source(text) {
    const address = /^https?:\/\/[^\s\\]+$/.test(text);
    return address ? [make("a", { href: text, rel: "noopener noreferrer" }, ...breakable(text))] : breakable(text);
  }

  function results(entry, details) {
    const heading = (text) => make("th", { scope: "col", role: "columnheader" }, text);
    const head = make("tr", { role: "row" }, ...["run", ...levels, "remark"].map(heading));
    const body = make("tbody", { role: "rowgroup" });
    entry.cells.forEach((cell, index) => {
      if (cell === null) return;
      const said = details.runs[index] || {};
      const row = make("tr", { role: "row" }, make("th", { scope: "row", role: "rowheader" }, ...name(index)));
      for (const level of levels) {
        const asked = levels.indexOf(level) <= levels.indexOf(runs[index].level);
        const seen = judged(cell) && (asked || level !== "verbatim");
        const holds = seen && cell[1].includes(level);
        const tone = !seen ? "quiet" : broke(cell) ? "harm-3" : holds ? "good" : !asked ? "above" : harms(level) ? "harm-2" : "wording-2";
        row.append(make("td", { class: tone, role: "cell", "data-label": level }, !seen ? "not judged" : broke(cell) ? "error" : holds ? "holds" : "fails"));
      }
      const remarks = [judged(cell) && !broke(cell) ? "" : cell[0], said.reason, said.blame && `blame: ${said.blame}`, said.accepted && `accepted: ${said.accepted}`, said.stale];
      row.append(make("td", { class: "remark", role: "cell" }, ...breakable(remarks.filter(Boolean).join("; "))));
      body.append(row);
    });
    const table = make("table", { class: "levels fields", role: "table", "aria-label": "Results", "data-least": "44" },
      make("thead", { role: "rowgroup" }, head), body);
    return make("div", { class: "card" }, table);
  }

  /** Gives the command lines; a line of one ends between its words only, not after a dash. */
  function commands(entry) {
    const indexes = [...entry.cells.keys()].filter((index) => entry.cells[index] !== null);
    return make("ul", { class: "commands" }, ...indexes.map((index) => {
      const words = `${runs[index].command} ${entry.id}`.split(" ").map((word) => make("span", {}, word));
      const line = make("code", { class: "command" }, ...words.flatMap((word, at) => (at ? [" ", word] : [word])));
      return make("li", {}, ...(runs.length > 1 ? [key(index)] : []), line);
    }));
  }

  function steps(entry, details) {
    const list = make("ol", { class: "steps" });
    const all = differences(entry, details);
    const known = Math.max(details.steps.length, ...all.map((each) => each.step + 1), 0);
    for (let number = 0; number < known; number++) {
      const step = details.steps[number];
      const here = all.filter((each) => each.step === number);
      const item = make("li", here.every(beyond) ? {} : { class: "differs" });
      item.append(make("h4", {}, `Step ${number + 1} of ${known}${step ? `: ${step.head}` : ""}`));
      if (step) item.append(...stepBody(step, number, details));
      here.forEach((each) => item.append(difference(each, step)));
      if (step && step.kind !== "event") {
        const fine = [...entry.cells.keys()].filter((index) => judged(entry.cells[index]) && !broke(entry.cells[index]) && !here.some((each) => each.runs.includes(index)));
        if (fine.length) item.append(make("p", { class: "quiet" }, "As expected: ", ...keys(fine)));
      }
      list.append(item);
    }
    for (const [index, said] of Object.entries(details.runs)) {
      if (said.more) list.append(make("li", {}, `${said.more} more differences of `, ...name(Number(index))));
    }
    return list;
  }

  /** Gives the differences of all runs; those that are the same for several runs are there once. */
  function differences(entry, details) {
    const found = new Map();
    entry.cells.forEach((cell, index) => {
      for (const each of details.runs[index]?.differences || []) {
        const same = JSON.stringify(each);
        if (!found.has(same)) found.set(same, { ...each, runs: [] });
        found.get(same).runs.push(index);
      }
    });
    return [...found.values()];
  }

  function stepBody(step, number, details) {
    if (step.kind === "event") return step.blocks.map(block);
    const found = [];
    step.calls.forEach((call, at) => {
      const columns = make("div", { class: "columns" });
      const title = step.calls.length > 1 ? `Call ${at + 1}: ${call.label}` : "Arguments";
      columns.append(make("div", {}, make("h5", {}, title), ...call.blocks.map(block)));
      columns.append(make("div", {}, ...details.expected.flatMap(([contracts, expected]) => expectation("Expected by", contracts, expected[number]?.[at]))));
      found.push(columns);
    });
    for (const [contracts, expected] of details.expected) {
      const group = step.kind === "parallel" ? expected[number]?.[step.calls.length] : null;
      if (group) found.push(make("div", {}, ...expectation("Expected of the group by", contracts, group)));
    }
    return found;
  }

  function expectation(title, contracts, blocks) {
    const names = contracts.join(", ");
    if (!blocks || !blocks.length) return [make("p", { class: "quiet" }, `${names}: nothing is said`)];
    return [make("h5", {}, `${title} ${names}`), ...blocks.map(block)];
  }

  function block(each) {
    const box = make("div", { class: "block" }, make("span", {}, each.label));
    if (each.lines === undefined) {
      box.append(" ", make("code", {}, each.value));
      return box;
    }
    if (each.lines.length === 1 && !each.lines[0]) {
      box.append(make("span", {}, each.label.includes(" bytes") ? "" : " is empty"));
      return box;
    }
    if (each.lines.length === 1 && each.lines[0].length <= 80) {
      box.append(" ", make("code", { class: "inline" }, ...escapes(tokens(each.lines[0]))));
      return box;
    }
    const text = make("pre");
    each.lines.forEach((line) => text.append(make("span", { class: "line" }, ...escapes(tokens(line)))));
    if (each.more) text.append(make("span", { class: "line remark" }, `[${each.more} more lines]`));
    box.append(text);
    return box;
  }

  // A difference: pairs of lines are compared token by token, so that an escape is never split.
  const TOKEN = /\\(?:[nrt\\]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})|[^]/gu;
  const tokens = (line) => line.match(TOKEN) || [];
  const escapes = (parts) => {
    const nodes = [];
    for (const part of parts) {
      if (part.length > 1 && part[0] === "\\") nodes.push(make("span", { class: "escape" }, part));
      else if (typeof nodes[nodes.length - 1] === "string") nodes[nodes.length - 1] += part;
      else nodes.push(part);
    }
    return nodes;
  };

  function marked(line, other) {
    const mine = tokens(line), theirs = tokens(other);
    const most = Math.min(mine.length, theirs.length);
    let head = 0, tail = 0;
    while (head < most && mine[head] === theirs[head]) head++;
    while (tail < most - head && mine[mine.length - 1 - tail] === theirs[theirs.length - 1 - tail]) tail++;
    const end = mine.length - tail;
    if (3 * (head + tail) < Math.max(mine.length, theirs.length)) return escapes(mine); // all of it is different
    const middle = mine.slice(head, end);
    return [...escapes(mine.slice(0, head)), ...(middle.length ? [make("mark", {}, ...escapes(middle))] : []), ...escapes(mine.slice(end))];
  }

  /** Tells whether a difference is one of a level that none of its runs was asked for, such as other words at `effects`. */
  function beyond(each) {
    return each.runs.every((index) => levels.indexOf(each.level) > levels.indexOf(runs[index].level));
  }

  function difference(each, step) {
    const call = step?.calls?.length > 1 ? `call ${each.call + 1}: ` : "";
    const harmed = each.level === "safe";
    const what = harmed || each.what === each.level ? each.what : `${each.what} (${each.level})`;
    const text = make("pre");
    let gone = [], came = [];
    const flush = () => {
      const paired = gone.length === came.length;
      gone.forEach((line, at) => text.append(diffLine("expected", "-", harmed ? "was: " : "expected: ", paired ? marked(line, came[at]) : escapes(tokens(line)))));
      came.forEach((line, at) => text.append(diffLine("got", "+", harmed ? "is now: " : "got: ", paired ? marked(line, gone[at]) : escapes(tokens(line)))));
      gone = []; came = [];
    };
    for (const [sign, line] of each.lines) {
      if (sign === "-") { if (came.length) flush(); gone.push(line); continue; }
      if (sign === "+") { came.push(line); continue; }
      if (sign === "?" && line.trim() === "^") continue;
      flush();
      if (sign === "?") text.append(make("span", { class: "line remark" }, `  ${line}`));
      else text.append(make("span", { class: "line" }, "  ", ...escapes(tokens(line))));
    }
    flush();
    const who = runs.length > 1 ? [...keys(each.runs), " "] : [];
    const legend = make("span", { class: "legend" }, make("span", { class: "expected" }, harmed ? "- was" : "- expected"), " ", make("span", { class: "got" }, harmed ? "+ is now" : "+ got"));
    return make("div", { class: harmed ? "difference harmed" : beyond(each) ? "difference beyond" : "difference" }, make("h5", {}, ...who, `${call}${what} `, legend), text);
  }

  function diffLine(kind, sign, spoken, nodes) {
    const visible = make("span", { "aria-hidden": "true" }, `${sign} `);
    return make(kind === "expected" ? "del" : "ins", { class: `line ${kind}` }, visible, make("span", { class: "hidden" }, spoken), ...nodes);
  }

  filter();
  fit();
  if (!document.querySelector(".matrix").parentElement.classList.contains("fits")) {
    shownLevel.value = levels[0];
    shownLevel.dispatchEvent(new Event("change"));
  }
  new ResizeObserver(fit).observe(document.querySelector("main"));
  follow();
  // The browser follows the fragment itself when the page is there, and takes the focus away from the button.
  addEventListener("load", () => requestAnimationFrame(() => setTimeout(follow)));
})();

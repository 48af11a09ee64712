"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const { runs, levels, scenarios } = JSON.parse(byId("index").textContent);
  const WORDS = { passed: "passed", broken: "broken", unsupported: "unsupported", unspecified: "unspecified" };
  const TONES = { passed: "good", failed: "bad", broken: "bad", unsupported: "odd", unspecified: "" };

  /** Makes an element; text is always text, never markup. */
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const judged = (cell) => cell !== null && (cell[0] === "passed" || cell[0] === "failed");
  const firstFailing = (cell) => levels.find((level) => !cell[1].includes(level));

  function verdictWord(cell, asked) {
    if (cell === null) return "not run";
    if (!judged(cell)) return WORDS[cell[0]];
    const level = firstFailing(cell);
    const verb = level === "effects" ? "differ" : "differs";
    if (cell[0] === "passed") return level && asked !== level && level !== "verbatim" ? `passed; ${level} ${verb}` : "passed";
    return level ? `${level} ${verb}` : "failed";
  }

  function chip(cell, asked) {
    if (cell === null) return make("span", { class: "chip" }, "not run");
    const accepted = cell[2] ? " (accepted)" : "";
    const tone = accepted ? "odd" : TONES[cell[0]];
    return make("span", { class: `chip ${tone}` }, verdictWord(cell, asked) + accepted);
  }

  // The list: one row per scenario, and a row for its details that is filled when it is opened.
  const rows = new Map();
  const bodies = new Map();
  for (const [id, title, cells] of scenarios) {
    const family = id.split("/")[0];
    if (!bodies.has(family)) bodies.set(family, make("tbody"));
    const button = make("button", { type: "button", "aria-expanded": "false" }, id);
    const heading = make("th", { scope: "row" }, button);
    if (title) heading.append(make("span", { class: "title" }, title));
    const row = make("tr", { id }, heading);
    cells.forEach((cell, index) => row.append(make("td", {}, chip(cell, runs[index].level))));
    const entry = { id, family, cells, row, button, panel: null, words: `${id}\n${title}`.toLowerCase() };
    button.addEventListener("click", () => (entry.panel && !entry.panel.hidden ? close(entry) : open(entry)));
    rows.set(id, entry);
    bodies.get(family).append(row);
  }
  byId("list").append(...bodies.values());

  // Filter
  const words = byId("words"), family = byId("family"), result = byId("result"), run = byId("run");

  function matchesResult(cells) {
    const wanted = result.value;
    if (!wanted) return true;
    if (wanted === "differs") return new Set(cells.map((cell, at) => verdictWord(cell, runs[at].level))).size > 1;
    const chosen = run.value === "" ? cells : [cells[Number(run.value)]];
    return chosen.some((cell) => {
      if (cell === null) return false;
      if (wanted === "not-passed") return cell[0] !== "passed";
      if (wanted === "not-judged") return !judged(cell);
      if (wanted === "broken") return cell[0] === "broken";
      return judged(cell) && !cell[1].includes(wanted);
    });
  }

  function filter() {
    const parts = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const entry of rows.values()) {
      const shown = (!family.value || entry.family === family.value)
        && (result.value || run.value === "" || entry.cells[Number(run.value)] !== null)
        && matchesResult(entry.cells) && parts.every((part) => entry.words.includes(part));
      entry.row.hidden = !shown;
      if (entry.panel) entry.panel.hidden = !shown || entry.button.getAttribute("aria-expanded") !== "true";
      count += shown;
    }
    byId("count").textContent = `${count} of ${rows.size} scenario${rows.size === 1 ? "" : "s"}`;
  }

  function choose(chosen) {
    words.value = "";
    family.value = chosen.family || "";
    result.value = chosen.result || "";
    run.value = chosen.run || "";
    filter();
  }

  const form = document.querySelector(".filter");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  words.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { words.value = ""; filter(); }
  });
  for (const button of document.querySelectorAll(".matrix button")) {
    button.addEventListener("click", () => {
      choose(button.dataset);
      byId("scenarios").scrollIntoView();
      byId("scenarios").focus({ preventScroll: true });
    });
  }

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
  });

  // Keys: arrows, Home and End move between the shown scenarios, Escape closes the one with the focus.
  byId("list").addEventListener("keydown", (event) => {
    const entry = [...rows.values()].find((each) => each.button === event.target || each.panel?.contains(event.target));
    if (!entry) return;
    if (event.key === "Escape") { close(entry); entry.button.focus(); return; }
    if (event.target !== entry.button) return;
    const shown = [...rows.values()].filter((each) => !each.row.hidden);
    const at = shown.indexOf(entry);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined || !shown[to]) return;
    event.preventDefault();
    shown[to].button.focus();
  });

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
      entry.panel = make("tr", { id }, make("td", { colspan: String(runs.length + 1) }, panel(entry, detailsOf(entry))));
      entry.button.setAttribute("aria-controls", id);
      entry.row.after(entry.panel);
    }
    entry.panel.hidden = false;
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
    const fact = (name, ...values) => facts.append(make("dt", {}, name), make("dd", {}, ...values));
    fact("link", make("a", { href: `#${entry.id}` }, `#${entry.id}`));
    if (details.requirement) fact("requirement", details.requirement);
    if (details.tags.length) fact("tags", details.tags.join(", "));
    details.sources.forEach((source) => fact("source", source));
    if (details.file) fact("file", make("code", {}, details.file));
    box.append(facts, make("h3", {}, "Levels"), levelTable(entry, details));
    if (details.given.length) box.append(make("h3", {}, "Given"), make("div", { class: "columns" }, ...details.given.map((each) => make("div", {}, block(each)))));
    if (!details.steps.length) {
      box.append(make("p", {}, "This scenario is not in the suite that the page was made with; its steps are not known."));
    }
    box.append(make("h3", {}, "Steps"), steps(entry, details));
    return box;
  }

  function levelTable(entry, details) {
    const head = make("tr", {}, make("th", { scope: "col" }, "run"), ...levels.map((level) => make("th", { scope: "col" }, level)),
      make("th", { scope: "col" }, "remark"), make("th", { scope: "col" }, "to repeat it"));
    const body = make("tbody");
    entry.cells.forEach((cell, index) => {
      if (cell === null) return;
      const said = details.runs[index] || {};
      const row = make("tr", {}, make("th", { scope: "row" }, runs[index].label));
      for (const level of levels) {
        const [tone, word] = !judged(cell) ? ["none", "not judged"] : cell[1].includes(level) ? ["good", "holds"] : ["bad", "fails"];
        row.append(make("td", { class: tone }, level === "verbatim" && runs[index].level !== level ? "not judged" : word));
      }
      const remarks = [judged(cell) ? "" : cell[0], said.reason, said.blame && `blame: ${said.blame}`, said.accepted && `accepted: ${said.accepted}`, said.stale];
      row.append(make("td", {}, remarks.filter(Boolean).join("; ")), make("td", {}, make("code", {}, `${runs[index].command} ${entry.id}`)));
      body.append(row);
    });
    return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), body));
  }

  function steps(entry, details) {
    const list = make("ol", { class: "steps" });
    const all = entry.cells.flatMap((cell, index) => (details.runs[index]?.differences || []).map((each) => ({ ...each, run: index })));
    const known = Math.max(details.steps.length, ...all.map((each) => each.step + 1), 0);
    for (let number = 0; number < known; number++) {
      const step = details.steps[number];
      const here = all.filter((each) => each.step === number);
      const item = make("li", here.length ? { class: "differs" } : {});
      item.append(make("h3", {}, `Step ${number + 1} of ${known}${step ? `: ${step.head}` : ""}`));
      if (step) item.append(...stepBody(step, number, details));
      here.forEach((each) => item.append(difference(each, step)));
      if (step && step.kind !== "event") {
        const fine = entry.cells.map((cell, index) => [cell, index])
          .filter(([cell, index]) => judged(cell) && !here.some((each) => each.run === index)).map(([, index]) => runs[index].label);
        if (fine.length) item.append(make("p", { class: "quiet" }, `Got: as expected (${fine.join("; ")})`));
      }
      list.append(item);
    }
    for (const [index, said] of Object.entries(details.runs)) {
      if (said.more) list.append(make("li", {}, `${said.more} more differences of ${runs[index].label}`));
    }
    return list;
  }

  function stepBody(step, number, details) {
    if (step.kind === "event") return step.blocks.map(block);
    const found = [];
    step.calls.forEach((call, at) => {
      const columns = make("div", { class: "columns" });
      const title = step.calls.length > 1 ? `Call ${at + 1}: ${call.label}` : "Arguments";
      columns.append(make("div", {}, make("h4", {}, title), ...call.blocks.map(block)));
      columns.append(make("div", {}, ...details.expected.flatMap(([contracts, expected]) => expectation("Expected by", contracts, expected[number]?.[at]))));
      found.push(columns);
    });
    for (const [contracts, expected] of details.expected) {
      const group = step.kind === "parallel" ? expected[number]?.[step.calls.length] : null;
      if (group) found.push(make("div", {}, ...expectation("Expected of all of them by", contracts, group)));
    }
    return found;
  }

  function expectation(title, contracts, blocks) {
    const names = contracts.join(", ");
    if (!blocks || !blocks.length) return [make("p", { class: "quiet" }, `${names}: nothing is said`)];
    return [make("h4", {}, `${title} ${names}`), ...blocks.map(block)];
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
    const middle = mine.slice(head, end);
    return [...escapes(mine.slice(0, head)), ...(middle.length ? [make("mark", {}, ...escapes(middle))] : []), ...escapes(mine.slice(end))];
  }

  function difference(each, step) {
    const call = step?.calls?.length > 1 ? `, call ${each.call + 1}` : "";
    const what = each.what === each.level ? each.what : `${each.what} (${each.level})`;
    const title = `${runs[each.run].label}${call}: ${what}`;
    const text = make("pre");
    let gone = [], came = [];
    const flush = () => {
      const paired = gone.length === came.length;
      gone.forEach((line, at) => text.append(diffLine("gone", "-", "expected: ", paired ? marked(line, came[at]) : escapes(tokens(line)))));
      came.forEach((line, at) => text.append(diffLine("came", "+", "got: ", paired ? marked(line, gone[at]) : escapes(tokens(line)))));
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
    return make("div", { class: "difference" }, make("h4", {}, title, make("span", { class: "quiet" }, " (- expected, + got)")), text);
  }

  function diffLine(kind, sign, spoken, nodes) {
    const visible = make("span", { "aria-hidden": "true" }, `${sign} `);
    return make(kind === "gone" ? "del" : "ins", { class: `line ${kind}` }, visible, make("span", { class: "sr" }, spoken), ...nodes);
  }

  filter();
  follow();
  // The browser follows the fragment itself when the page is there, and takes the focus away from the button.
  addEventListener("load", () => requestAnimationFrame(() => setTimeout(follow)));
})();

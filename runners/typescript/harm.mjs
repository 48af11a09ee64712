// Harm: what a session harmed, judged from files, calls and answers alone; no expectation is asked.
import { posix } from "node:path";
import { meant, names, reads } from "./compare.mjs";
import { closed } from "./closed.mjs";
import { Known } from "./known.mjs";
import { notebookHarm } from "./notebook.mjs";
import { asked, changes as changesBy, isInserted, mayBecome } from "./permitted.mjs";
import { Content } from "./content.mjs";
import { placed } from "./suite.mjs";
import { changes } from "./workspace.mjs";

const [MOST_STARTS, MOST_CHANGES] = [16, 4];
const USUAL = new Set(["file_path", "notebook_path", "content", "old_string", "new_string", "new_source"]);

/** Notes what was harmed, and what was refused though every contract answers it. */
export function harms(scenario, outcome, note) {
  const judge = new HarmJudge(scenario, outcome.given);
  scenario.steps.slice(0, outcome.steps.length).forEach((step, index) => {
    judge.note = (what) => note(index + 1, what);
    judge.step(step, outcome.steps[index]);
  });
  if (outcome.misfit || outcome.steps.length === 0) return;
  const { before, after, touched } = outcome.later;
  for (const path of new Set([...changes(before, after).keys(), ...touched])) judge.note(`${path} was changed or touched after the last answer`);
}

class HarmJudge {
  constructor(scenario, state) {
    this.given = scenario.given;
    this.state = state;
    /** What the session knows of files, the innermost sub-agent's last. */
    this.views = [fresh(state)];
    this.checkpoint = state;
    this.changed = new Set();
    this.rewinds = false;
    /** Of the contracts that refused alike so far. */
    this.courses = scenario.courses.map((course) => course.split(" "));
  }

  /** What all sessions know. */
  get everyone() {
    return this.other && !this.views.includes(this.other) ? [...this.views, this.other] : this.views;
  }

  get view() {
    return this.views.at(-1);
  }

  step(step, happened) {
    if (step.kind === "session") this.happen(step);
    if (step.kind === "event" || step.kind === "session") this.others(changes(happened.before, happened.after));
    else this.calls(step.kind === "call" ? [step] : step.calls, happened);
  }

  happen({ event, path }) {
    if (event === "agent") this.views.push(fresh(this.state));
    else if (event === "other") this.views.push((this.other ??= fresh(this.state)));
    else if ((event === "end" || event === "back") && this.views.length > 1) this.views.pop();
    else if (event === "rewind") this.rewinds = true;
    else if (event === "mention") for (const each of meant({ file_path: path }, this.state)) this.view.get(each)?.showAll();
  }

  /** Somebody else changed files. */
  others(changed) {
    for (const [path, entry] of changed) {
      for (const view of this.everyone) learn(view, path, this.state.get(path), entry, "other");
    }
    this.state = withChanges(this.state, changed);
  }

  /** Brings the files back that the session changed, as they were before it. */
  rewound(changed) {
    const back = new Map();
    for (const path of this.changed) {
      const former = this.checkpoint.get(path);
      const [is, was] = [dataOf(this.state.get(path)), dataOf(former)];
      if (changed.has(path) || (is && was ? is.equals(was) : is === was)) back.set(path, former ?? null);
    }
    for (const [path, former] of back) {
      const lost = this.view.get(path)?.lost(dataOf(former) ?? Buffer.alloc(0)) ?? [];
      if (lost.some((line) => line.hand === "other")) this.note(`lost: what somebody else saved in ${path}, which the rewind took back`);
    }
    for (const view of this.everyone) {
      for (const [path, entry] of back) learn(view, path, this.state.get(path), entry, "session");
    }
    this.state = withChanges(this.state, back);
    this.rewinds = false;
    this.checkpoint = this.state;
  }

  calls(steps, happened) {
    // What a call made as it was before somebody else changed it is not among the changes of the step.
    const change = new Map([...happened.world.keys()].map((path) => [path, this.state.get(path) ?? null]));
    this.others(happened.world);
    for (const [path, entry] of changes(happened.before, happened.after)) change.set(path, entry);
    if (this.rewinds) this.rewound(change);
    const before = this.state;
    const after = withChanges(before, change);
    const changed = changes(before, after);
    const calls = happened.results.map((result, index) => ({ tool: steps[index].tool, given: placed(steps[index].arguments, "$WS"), result }));
    this.refusals(calls);
    const chains = new Map();
    let free = false;
    for (const call of calls) {
      for (const what of closed(this.given, call, before, changed)) this.note(`trespass: ${what}`);
      if (call.tool === "Bash") free ||= !call.result.refused || changed.size > 0;
      else if (reads(call.tool)) this.hear(call, before);
      else if (!call.result.refused) {
        const path = target(call, before, after, changed);
        if (path !== undefined) chains.set(path, [...(chains.get(path) ?? []), call]);
      }
      // A path in which the workspace's own is hidden is somewhere that no snapshot names.
      free ||= typeof call.given.file_path === "string" && call.given.file_path.slice(1).includes("$WS");
    }
    const foreign = new Set(this.given.hooks.flatMap((hook) => hook.writes));
    const allowed = new Set(foreign);
    const sharing = names(before);
    for (const [path, chain] of chains) {
      for (const each of sharing.get(path) ?? [path]) allowed.add(each);
      for (let folder = posix.dirname(path); folder !== "."; folder = posix.dirname(folder)) allowed.add(folder);
      if (!foreign.has(path)) this.made(path, chain, before, after);
      this.kept(path, before, after, names(happened.start), names(happened.after));
    }
    if (!free) {
      this.strays(calls, before, changed, allowed);
      for (const path of happened.touched) if (!allowed.has(path)) this.note(`${path} was written or touched, though no call asked for it`);
    }
    for (const [path, entry] of changed) {
      for (const view of this.everyone) {
        learn(view, path, before.get(path), entry, view === this.view && !foreign.has(path) ? "session" : "other");
      }
      this.changed.add(path);
    }
    this.state = after;
    for (const call of calls) if (!reads(call.tool) || call.result.reminders.length > 0) this.hear(call, after);
  }

  /** Notes what is refused though every contract that went the same way so far answers it. */
  refusals(calls) {
    const alike = this.courses.filter(([message]) => message?.length === calls.length);
    const marks = calls.map((call) => (call.result.refused ? "r" : "a")).join("");
    calls.forEach(({ tool, result }, number) => {
      if (!result.refused || alike.length === 0 || alike.some(([message]) => message[number] === "r")) return;
      this.note(`overcautious: ${tool} was refused, which every contract answers`);
    });
    this.courses = alike.filter(([message]) => message === marks).map((course) => course.slice(1));
  }

  /** Learns what an answer shows of the files as they are. */
  hear({ tool, given, result }, state) {
    if (result.refused && result.reminders.length === 0) return;
    const answer = [result.text, ...result.reminders].join("\n");
    const named = meant(given, state);
    const all = tool === "Bash" && given.command;
    for (const [path, known] of this.view) if (all || named.includes(path) || answer.includes(`$WS/${path}`)) known.show(answer);
  }

  /** Notes where the answered calls of one message made of a file what they did not ask for. */
  made(path, chain, before, after) {
    const crlf = [...before.values()].some((entry) => dataOf(entry)?.includes("\r\n"));
    const misdone = (calls) => this.misdone(path, calls, dataOf(before.get(path)), dataOf(after.get(path)), crlf);
    const problem = misdone(chain);
    if (!problem) return;
    const hooks = this.given.hooks.filter((hook) => Object.keys(hook.replaces).length > 0);
    const meets = (hook, tool) => hook.matcher === "*" || hook.matcher.split("|").includes(tool);
    const hooked = chain.map((call) => {
      const put = hooks.filter((hook) => meets(hook, call.tool)).map((hook) => hook.replaces);
      return { ...call, given: Object.assign({}, call.given, ...put) };
    });
    if (hooks.length === 0 || misdone(hooked)) this.note(`${path}: ${problem}`);
  }

  misdone(path, chain, before, after, crlf) {
    if (chain.some(({ tool }) => tool === "NotebookEdit")) return chain.length === 1 ? notebookHarm(chain[0].given, before, after) : undefined;
    const wanted = chain.map(({ tool, given }) => asked(tool, given)).filter((each) => each !== undefined);
    const last = wanted.pop();
    if (last === undefined) return undefined;
    const kept = after && isInserted(before, last, after);
    const lost = last.whole !== undefined && before && !kept ? (this.view.get(path)?.lost(after ?? Buffer.alloc(0)) ?? []) : [];
    if (lost.length > 0) return `lost: a line that the session was never shown: ${lost[0].text}`;
    return after && starts(before, wanted).some((start) => mayBecome(start, last, after, crlf)) ? undefined : "it does not hold what was asked";
  }

  strays(calls, before, changed, allowed) {
    for (const path of changed.keys()) {
      if (allowed.has(path)) continue;
      const link = before.get(path)?.type === "symlink";
      const bad = calls.some((call) => (call.result.refused && meant(call.given, before).includes(path)) || (link && namesPath(call, path)));
      const named = calls.some(({ given }) =>
        Object.entries(given).some(([key, value]) => !USUAL.has(key) && typeof value === "string" && value.replace(/^\$WS\//, "") === path),
      );
      if (bad || !named) this.note(`${path} was changed, made or removed, and no answered call named it`);
    }
  }

  /** Notes what is spoiled of a file beside its bytes: type, mode and names. */
  kept(path, before, after, sharedBefore, shared) {
    const [former, now] = [before.get(path), after.get(path)];
    if (!former || !now) return;
    if (former.type !== now.type) this.note(`spoiled: ${path} is a ${now.type} now`);
    if (former.type !== "file" || now.type !== "file") return;
    if (former.mode !== now.mode) this.note(`spoiled: the mode of ${path}`);
    const [was, is] = [sharedBefore.get(path) ?? [], shared.get(path) ?? []];
    const gained = is.filter((name) => name !== path && before.has(name));
    if (gained.length > 0 && !gained.some((name) => was.includes(name))) this.note(`spoiled: ${path} was a file of its own`);
    const wanted = was.filter((name) => after.has(name));
    if (wanted.length > 1 && wanted.some((name) => name !== path && !is.includes(name))) this.note(`spoiled: ${path} was one file with others`);
  }
}

const dataOf = (entry) => (entry?.type === "file" ? entry.data : undefined);

function fresh(state) {
  return new Map([...state].filter(([, entry]) => entry.type === "file").map(([path, entry]) => [path, new Known(entry.data)]));
}

function learn(view, path, before, after, hand) {
  if (after?.type !== "file") return;
  if (view.has(path) && dataOf(before)?.equals(after.data)) return;
  if (!view.has(path)) view.set(path, new Known());
  view.get(path).put(hand, after.data);
}

function withChanges(state, changed) {
  const after = new Map(state);
  for (const [path, entry] of changed) {
    if (entry) after.set(path, entry);
    else after.delete(path);
  }
  return after;
}

function starts(before, calls) {
  let all = [before];
  for (const call of calls) {
    const next = all.flatMap((start) => {
      const former = Content.of(start ?? Buffer.alloc(0));
      let texts = [call.whole ?? former.text];
      for (const edit of call.edits ?? []) texts = texts.flatMap((text) => changesBy(text, edit).slice(0, MOST_CHANGES).map((each) => each.text));
      return texts.map((text) => former.data(text));
    });
    if (next.length > 0) all = next.slice(0, MOST_STARTS);
  }
  return all;
}

/** Tells which path a call is about; undefined where that is somewhere that no snapshot names. */
function target(call, before, after, changed) {
  let paths = meant(call.given, before);
  if (paths.some((path) => path.includes("$WS"))) return undefined;
  if (!paths.some((path) => before.has(path) || after.has(path))) {
    const bare = Object.fromEntries(
      Object.entries(call.given)
        .filter(([, value]) => typeof value === "string")
        .map(([key, value]) => [key, value.replace(/^[ \t\r\n\ufeff]+|[ \t\r\n\ufeff]+$/g, "")]),
    );
    paths = [...meant(bare, before).filter((path) => changed.has(path)), ...paths];
  }
  const links = [...changed.keys()].filter((path) => before.get(path)?.type === "symlink" && namesPath(call, path));
  return [...links, ...paths].find((path) => changed.has(path)) ?? paths.toReversed().find((path) => before.has(path)) ?? paths[0];
}

function namesPath({ given }, path) {
  const named = Object.hasOwn(given, "file_path") ? given.file_path : given.notebook_path;
  return typeof named === "string" && posix.normalize(named.replace(/^\$WS/, "").replace(/^\/+/, "")).startsWith(path);
}

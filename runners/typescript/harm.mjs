// Detect the harm of a session from files, calls and answers, and the lines that the session was shown.
import { posix } from "node:path";
import { meant, names, pathKey, reads } from "./compare.mjs";
import { closed } from "./closed.mjs";
import { absolute, beginsAt, directoryAfter } from "./directory.mjs";
import { dataOf, made } from "./edited.mjs";
import { Known } from "./known.mjs";
import { unseen } from "./showing.mjs";
import { placed } from "./suite.mjs";
import { changes } from "./workspace.mjs";

const USUAL = new Set(["file_path", "notebook_path", "content", "old_string", "new_string", "new_source"]);
/** Number of files that the product shows again with a summary. */
const MOST_SUMMARISED = 5;

/**
 * Notes, at the level `safe`, harm that the contract does not do and refusals of calls that every contract answers,
 * and, at the level `effects`, lines that were not shown.
 */
export function judgeBeyond(scenario, outcome, note) {
  const judge = new HarmJudge(scenario, outcome.given, note);
  scenario.steps.slice(0, outcome.steps.length).forEach((step, index) => judge.step(index + 1, step, outcome.steps[index]));
  if (outcome.misfit || outcome.steps.length === 0) return;
  const { before, after, touched } = outcome.later;
  for (const path of new Set([...changes(before, after).keys(), ...touched])) judge.note(0, "stray", path, "it was changed or touched after the last answer");
}

class HarmJudge {
  constructor({ given, harms, courses }, state, found) {
    Object.assign(this, { given, state, found, rewinds: false, changed: new Set(), checkpoint: state });
    /** The harms that the contract does. */
    this.own = new Set(harms.map(({ step, call, kind, path }) => [step, call, kind, path].join(" ")));
    this.harmful = new Set(harms.filter(({ kind }) => kind !== "blind").map(({ step, call }) => [step, call].join(" ")));
    /** The answers of the contracts with the same refusals so far. */
    this.courses = courses.map((course) => course.split(" "));
    this.start = given.permissions?.working_directory ?? "";
    /**
     * The knowledge of the session and of its sub-agents: files, and the directory of relative paths. The innermost
     * sub-agent is last.
     */
    this.views = [this.fresh()];
  }

  /**
   * Notes a harm of a call, counted from 0, unless the contract does the same harm. A refusal is not overcautious if
   * the contract's answer to the call does harm.
   */
  note(number, kind, path, what) {
    if (kind === "overcautious" && this.harmful.has([this.number, number + 1].join(" "))) return;
    if (kind === "blind" || this.own.has([this.number, number + 1, kind, path].join(" "))) return;
    this.found(this.number, "safe", `${kind}: ${path}: ${what}`);
  }

  fresh() {
    const files = [...this.state].filter(([, entry]) => entry.type === "file").map(([path, entry]) => [path, new Known(entry.data)]);
    return { files: new Map(files), directory: this.start };
  }

  /** The knowledge of all sessions. */
  get everyone() {
    return this.other && !this.views.includes(this.other) ? [...this.views, this.other] : this.views;
  }

  get view() {
    return this.views.at(-1);
  }

  step(number, step, happened) {
    this.number = number;
    if (step.kind === "session") this.happen(step);
    if (step.kind === "event" || step.kind === "session") this.others(changes(happened.before, happened.after));
    else this.calls(step, happened);
  }

  happen({ event, path }) {
    // After a message of the user, a session may be back in its first directory.
    if (event === "rewind" || event === "mention") this.view.isSpokenTo = true;
    if (event === "resume") this.view.directory = this.start;
    else if (event === "compact") this.summarise();
    // A sub-agent starts in the directory of the session, and its commands do not change this directory.
    else if (event === "agent") this.views.push({ ...this.fresh(), directory: this.view.directory, stays: true });
    else if (event === "other") this.views.push((this.other ??= this.fresh()));
    else if ((event === "end" || event === "back") && this.views.length > 1) this.views.pop();
    else if (event === "rewind") this.rewinds = true;
    else if (event === "mention") for (const each of meant({ file_path: path }, this.state)) this.view.files.get(each)?.showAll();
  }

  /**
   * Removes the knowledge of the session, except for the files that a summary shows again: the files that changed last,
   * or more if several changed at the same time.
   */
  summarise() {
    const met = [...this.view.files].filter(([, known]) => known.met).map(([path, known]) => [known, this.state.get(path)?.time]);
    const times = met.map(([, time]) => time).filter((time) => time !== undefined);
    const latest = times.sort((one, other) => (one < other ? 1 : one > other ? -1 : 0)).slice(0, MOST_SUMMARISED);
    for (const [known, time] of met) {
      if (time !== undefined && time >= latest.at(-1)) known.showAll();
      else known.forget();
    }
  }

  /** Updates the knowledge after changes by other programs. */
  others(changed) {
    for (const [path, entry] of changed) {
      for (const view of this.everyone) learn(view, path, this.state.get(path), entry, "other");
    }
    this.state = withChanges(this.state, changed);
  }

  /** Restores the knowledge of the files that a rewind restores. */
  rewound(changed) {
    const back = new Map();
    for (const path of this.changed) {
      const former = this.checkpoint.get(path);
      const [is, was] = [dataOf(this.state.get(path)), dataOf(former)];
      if (changed.has(path) || (is && was ? is.equals(was) : is === was)) back.set(path, former ?? null);
    }
    for (const [path, former] of back) {
      const lost = this.view.files.get(path)?.lost(dataOf(former) ?? Buffer.alloc(0)) ?? [];
      if (lost.some((line) => line.hand === "other")) this.note(0, "lost", path, "changes of another program, which the rewind reverted");
    }
    for (const view of this.views) {
      for (const [path, entry] of back) learn(view, path, this.state.get(path), entry, "session");
    }
    this.state = withChanges(this.state, back);
    this.rewinds = false;
    this.checkpoint = this.state;
  }

  calls(step, happened) {
    // The changes of the step do not contain a file that a call changed and another program then changed again.
    const change = new Map([...happened.world.keys()].map((path) => [path, this.state.get(path) ?? null]));
    this.others(happened.world);
    for (const [path, entry] of changes(happened.before, happened.after)) change.set(path, entry);
    if (this.rewinds) this.rewound(change);
    const before = this.state;
    const after = withChanges(before, change);
    const changed = changes(before, after);
    const steps = step.kind === "call" ? [step] : step.calls;
    const calls = happened.results.map((result, number) => {
      const { tool, arguments: written, interrupted } = steps[number];
      const [view, given] = [this.view, placed(written, "$WS")];
      if (view.isSpokenTo && beginsAt(given, this.start, changed)) view.directory = this.start;
      const call = { number, tool, given: absolute(given, view.directory), result };
      if (!view.stays) view.directory = directoryAfter(call, view.directory, this.start, after);
      view.isSpokenTo ||= ["cancelled", "stopped"].includes(interrupted);
      return call;
    });
    this.refusals(steps, calls);
    const chains = new Map();
    let free = false;
    for (const call of calls) {
      const isCommand = call.tool === "Bash";
      const own = (isCommand || call.result.refused) && calls.length > 1 ? new Map() : changed;
      for (const [path, what] of closed(this.given, call, before, own)) this.note(call.number, "trespass", path, what);
      if (isCommand) free ||= !call.result.refused || changed.size > 0;
      else if (reads(call.tool)) this.hear(call, before);
      else if (!call.result.refused) {
        const path = target(call, before, after, changed);
        if (path !== undefined) chains.set(path, [...(chains.get(path) ?? []), call]);
      }
      // No snapshot contains a path that includes the path of the workspace.
      free ||= typeof call.given.file_path === "string" && call.given.file_path.slice(1).includes("$WS");
    }
    const foreign = new Set(this.given.hooks.flatMap((hook) => hook.writes));
    const allowed = new Set(foreign);
    const sharing = names(before);
    for (const [path, chain] of chains) {
      for (const each of sharing.get(path) ?? [path]) allowed.add(each);
      for (let folder = path; folder !== "." && folder !== "/"; ) {
        folder = posix.dirname(folder);
        if (!before.has(folder)) allowed.add(folder);
      }
      if (!foreign.has(path)) {
        const known = this.view.files.get(path) ?? new Known();
        for (const { number, kind, what } of made(path, chain, this.given.hooks, known, before, after)) this.note(number, kind, path, what);
      }
      for (const what of kept(path, before, after, names(happened.start), names(happened.after))) this.note(chain.at(-1).number, "spoiled", path, what);
    }
    if (!free) this.strays(calls, before, changed, allowed, happened.touched);
    for (const [path, entry] of changed) {
      for (const view of this.everyone) {
        learn(view, path, before.get(path), entry, view === this.view && !foreign.has(path) ? "session" : "other");
      }
      this.changed.add(path);
    }
    this.state = after;
    for (const call of calls) if (!reads(call.tool) || call.result.reminders.length > 0) this.hear(call, after);
    for (const what of unseen(step, calls, before, after, this.view.files)) this.found(this.number, "effects", what);
  }

  /** Notes a refusal of a call that every contract with the same refusals so far answers. */
  refusals(steps, calls) {
    const alike = this.courses.filter(([message]) => message?.length === calls.length);
    const marks = calls.map((call) => (call.result.refused ? "r" : "a")).join("");
    calls.forEach(({ tool, result }, number) => {
      if (!result.refused || steps[number].expect?.refused || alike.length === 0 || alike.some(([message]) => message[number] === "r")) return;
      this.note(number, "overcautious", "", `${tool} was refused, which every contract answers`);
    });
    this.courses = alike.filter(([message]) => message === marks).map((course) => course.slice(1));
  }

  /** Records the lines of files that an answer shows. */
  hear({ tool, given, result }, state) {
    if (result.refused && result.reminders.length === 0) return;
    const named = meant(given, state);
    const all = tool === "Bash" && given.command;
    for (const answer of [result.text, ...result.reminders]) {
      for (const [path, known] of this.view.files) {
        const isNamed = named.includes(path);
        if (all || isNamed || answer.includes(`$WS/${path}`)) known.show(answer, reads(tool) && isNamed && !result.refused);
      }
    }
  }

  /** Notes other files that were changed or touched. */
  strays(calls, before, changed, allowed, touched) {
    const refused = (path) => calls.findIndex((call) => call.result.refused && meant(call.given, before).includes(path));
    const mentions = ({ given }, path) =>
      Object.entries(given).some(([key, value]) => !USUAL.has(key) && typeof value === "string" && value.replace(/^\$WS\//, "") === path);
    for (const path of changed.keys()) {
      if (allowed.has(path)) continue;
      const number = refused(path);
      const isLink = before.get(path)?.type === "symlink" && calls.some((call) => namesPath(call, path));
      if (number >= 0) this.note(number, "untrue", path, "the call was refused, and it was changed");
      else if (isLink) this.note(0, "spoiled", path, "it was a symbolic link, and is none now");
      else if (!calls.some((call) => mentions(call, path))) this.note(0, "stray", path, "no call named it, and it was changed, made or removed");
    }
    for (const path of touched) {
      if (!allowed.has(path)) this.note(0, refused(path) >= 0 ? "untrue" : "stray", path, "it was written or touched, though no call asked for it");
    }
  }
}

/** Yields changes of a file's type, mode and names. */
function* kept(path, before, after, sharedBefore, shared) {
  const [former, now] = [before.get(path), after.get(path)];
  if (!former || !now) return;
  if (former.type !== now.type) yield `it is a ${now.type} now`;
  if (former.type !== "file" || now.type !== "file") return;
  if (former.mode !== now.mode) yield "its mode";
  const [was, is] = [sharedBefore.get(path) ?? [], shared.get(path) ?? []];
  const gained = is.filter((name) => name !== path && before.has(name));
  if (gained.length > 0 && !gained.some((name) => was.includes(name))) yield "it was a file of its own";
  const wanted = was.filter((name) => after.has(name));
  if (wanted.length > 1 && wanted.some((name) => name !== path && !is.includes(name))) yield "it was one file with others";
}

function learn({ files }, path, before, after, hand) {
  if (after?.type !== "file") return;
  if (files.has(path) && dataOf(before)?.equals(after.data)) return;
  if (!files.has(path)) files.set(path, new Known());
  files.get(path).put(hand, after.data);
}

function withChanges(state, changed) {
  const after = new Map(state);
  for (const [path, entry] of changed) {
    if (entry) after.set(path, entry);
    else after.delete(path);
  }
  return after;
}

/** Returns the path that a call names. Undefined if no snapshot can contain the path. */
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
  const named = given[pathKey(given)];
  return typeof named === "string" && posix.normalize(named.replace(/^\$WS/, "").replace(/^\/+/, "")).startsWith(path);
}

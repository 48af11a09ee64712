// Compare results with expectations, level by level.
import { createHash } from "node:crypto";
import { posix, sep } from "node:path";
import { replay } from "./replay.mjs";
import { bytes } from "./suite.mjs";
import { here, lacking } from "./system.mjs";
import { changes, Place, Unkept } from "./workspace.mjs";
import { judgeBeyond } from "./harm.mjs";

export const LEVELS = ["safe", "effects", "reason", "text"];

/** Replays a scenario, compares the results with the expectations, and returns the verdict. */
export async function judge(suite, scenario, implementation) {
  const verdict = { scenario: scenario.id, levels: [], differences: [] };
  const lacks = lacking(here(), scenario, implementation.capabilities);
  if (lacks.length > 0) return { ...verdict, status: "unsupported", reason: lacks.join(", "), lacks };
  const place = new Place();
  let outcome;
  try {
    outcome = await replay(scenario, implementation, place);
  } catch (error) {
    return { ...verdict, status: error instanceof Unkept ? "unsupported" : "error", reason: String(error?.message ?? error) };
  } finally {
    place.remove();
  }
  const found = [];
  const note = (step, level, what) => found.push({ step, level, what });
  const last = (level, what) => note(outcome.steps.length, level, what);
  if (!scenario.invariant) {
    outcome.steps.forEach((done, index) => {
      compareStep(suite, scenario, scenario.steps[index], done, (level, what) => note(index + 1, level, what));
    });
    compareFiles(new Map(), outcome.later, last);
    compareUntouched(new Map(), [], outcome.later, last);
    compareNames(new Map(), outcome.later, last);
  }
  if (found.length > 0 || isOpen(scenario)) judgeBeyond(scenario, outcome, note);
  const differs = (level) => found.some((each) => each.level === level);
  const misfit = outcome.misfit?.message;
  if (misfit && !differs("effects")) return { ...verdict, status: "error", reason: misfit };
  if (misfit) last("effects", misfit);
  const failing = LEVELS.findIndex(differs);
  verdict.levels = failing < 0 ? LEVELS : LEVELS.slice(0, failing);
  return { ...verdict, status: "judged", differences: found };
}

/**
 * Returns whether a scenario states nothing about an answer. In any other scenario, an implementation with the expected
 * results also shows the lines, and does the harm, of the contract.
 */
function isOpen({ invariant, steps }) {
  return invariant || steps.flatMap(callsOf).some(({ expect }) => expect.judge !== "text");
}

const callsOf = (step) => (step.kind === "call" ? [step] : (step.calls ?? []));

function compareStep(suite, scenario, step, done, note) {
  const calls = callsOf(step);
  calls.forEach((call, index) => compareCall(suite, call, done.results[index], done.struck, note));
  const expected = new Map(Object.entries(calls.length > 0 ? step.expect.files : {}));
  compareFiles(expected, done, note);
  if (calls.length === 0) return;
  if (scenario.given.reminders) compareReminders(step.expect.reminders, done.results, note);
  compareUntouched(expected, calls, done, note);
  compareNames(expected, done, note);
}

function compareCall(suite, call, result, struck, note) {
  const { expect } = call;
  if (result.refused !== expect.refused) note("effects", `refused: expected ${expect.refused}, got ${result.text}`);
  const answer = unwrapped(result.text);
  const name = result.refused ? (result.error ?? errorOf(suite, call.tool, answer)) : null;
  const reaches = !expect.refused || suite.errors_of_execution.includes(expect.error);
  if (call.during.length > 0 && !struck && result.refused === expect.refused && name === expect.error && reaches) {
    note("effects", "the call never stopped between validation and execution");
  }
  if (expect.judge === "effects") return;
  if (expect.refused && result.refused && name !== expect.error) note("reason", `error: expected ${expect.error}, got ${name}`);
  const problem = differs(expect.text, answer, result.text, suite.outer_whitespace === "ignored");
  if (problem) note("text", problem);
}

function compareReminders(expected, results, note) {
  const got = results.flatMap((result) => result.reminders);
  if (got.length !== expected.length) {
    note("effects", `${got.length} reminders, expected ${expected.length}`);
    return;
  }
  expected.forEach((wanted, index) => {
    const problem = differs(wanted, got[index], got[index], false);
    if (problem) note("text", `reminder: ${problem}`);
  });
}

/** Returns the difference of a text from the expected text. Undefined if there is none. */
function differs(expected, answer, raw, ignoresWhitespace) {
  if (expected === null) return undefined;
  if (typeof expected === "string") {
    const cut = ignoresWhitespace ? withoutOuterWhitespace : (text) => text;
    const same = [answer, raw].some((text) => cut(text) === cut(expected));
    return same ? undefined : `text: expected ${JSON.stringify(expected)}, got ${JSON.stringify(answer)}`;
  }
  const { sha256, lines, starts, ends } = expected;
  if (starts !== undefined && !answer.startsWith(starts)) return `the text does not start with ${starts}`;
  if (ends !== undefined && !answer.endsWith(ends)) return `the text does not end with ${ends}`;
  if (lines !== undefined && answer.split("\n").length !== lines) return `the text does not have ${lines} lines`;
  if (sha256 !== undefined && digest(Buffer.from(answer, "utf8")) !== sha256) return "the text has another digest";
  return undefined;
}

const digest = (data) => createHash("sha256").update(data).digest("hex");

// `trim` removes the same whitespace.
const withoutOuterWhitespace = (text) => text.trim();

function unwrapped(text) {
  while (text.replace(/\n+$/, "").endsWith("</system-reminder>")) {
    const start = text.lastIndexOf("<system-reminder>");
    if (start <= 0 || text[start - 1] !== "\n") break;
    text = text.slice(0, start - 1);
    if (text.endsWith("\n")) text = text.slice(0, -1);
  }
  const [before, after] = ["<tool_use_error>", "</tool_use_error>"];
  const whole = text.startsWith(before) && text.endsWith(after) && text.length >= before.length + after.length;
  return whole ? text.slice(before.length, -after.length) : text;
}

const PLACEHOLDER = /\{[a-z_]+\}/g;

function errorOf(suite, tool, answer) {
  const text = answer.trim();
  let [best, weight] = [null, -1];
  for (const { name, forms } of suite.errors) {
    for (const form of forms) {
      const own = [...form.text.replace(PLACEHOLDER, "")].length;
      const of = form.tools.length === 0 || form.tools.includes(tool);
      if (own > weight && of && fits(form.text, text)) [best, weight] = [name, own];
    }
  }
  return best;
}

function fits(form, text) {
  const [first, ...middle] = form.split(PLACEHOLDER);
  if (middle.length === 0) return text === form;
  const last = middle.pop();
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let rest = text.slice(first.length, text.length - last.length);
  for (const part of middle) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return true;
}

function compareFiles(expected, done, note) {
  const changed = changes(done.before, done.after);
  const wanted = new Map([...[...done.world].map(([path, seen]) => [path, { seen }]), ...[...expected].map(([path, stated]) => [path, { stated }])]);
  const parents = new Set();
  for (const [name, { seen, stated }] of wanted) {
    if (!seen && !stated) continue;
    for (let folder = posix.dirname(name); folder !== "."; folder = posix.dirname(folder)) parents.add(folder);
  }
  for (const [name, got] of changed) {
    if (wanted.has(name) || (parents.has(name) && !done.before.has(name) && got?.type === "directory")) continue;
    note("effects", `${name} changed, and should not`);
  }
  for (const [name, each] of wanted) {
    const former = done.world.has(name) ? done.world.get(name) : done.before.get(name);
    const problem = differsFrom(each, done.after.get(name), former);
    if (problem) note("effects", `${name}: ${problem}`);
  }
}

function differsFrom({ seen, stated }, got, former) {
  const wanted = seen ?? stated;
  if (!wanted || !got) return wanted || got ? "is there, or is gone" : undefined;
  if (wanted.type !== got.type) return `is a ${got.type}, not a ${wanted.type}`;
  if (wanted.type === "symlink") return wanted.target === got.target ? undefined : `leads to ${got.target}`;
  if (wanted.type === "file") {
    const same = seen
      ? seen.data.equals(got.data)
      : stated.sha256 === undefined
        ? bytes(stated).equals(got.data)
        : stated.size === got.data.length && stated.sha256 === digest(got.data);
    if (!same) return `holds ${JSON.stringify(got.data.toString("utf8").slice(0, 500))}`;
  }
  let mode = seen ? seen.mode : stated.mode && parseInt(stated.mode, 8);
  if (mode === undefined && former?.type === got.type) mode = former.mode;
  return mode === undefined || mode === got.mode ? undefined : `has the mode ${got.mode.toString(8)}`;
}

/** Notes files that were written although their content stayed the same. */
function compareUntouched(expected, calls, done, note) {
  const after = names(done.after);
  const written = new Set();
  for (const call of calls) {
    if (reads(call.tool) || call.expect.refused) continue;
    const paths = meant(call.arguments, done.before);
    if (paths.length === 0) return;
    for (const path of paths) for (const name of after.get(path) ?? [path]) written.add(name);
  }
  for (const name of done.touched) {
    if (!expected.has(name) && !written.has(name)) note("effects", `${name} was written or replaced, and holds what it held`);
  }
}

export function normal(path) {
  return posix.normalize(path).replace(/(.)\/+$/, "$1");
}

/** Returns whether a tool only shows a file. */
export function reads(tool) {
  return tool === "Read" || tool === "NotebookRead";
}

/** Returns the name of the argument that contains the path. */
export const pathKey = (given) => (Object.hasOwn(given, "file_path") ? "file_path" : "notebook_path");

/** Returns the paths of a snapshot that a call may name, with all links resolved. */
export function meant(given, state) {
  const path = given[pathKey(given)];
  if (typeof path !== "string") return [];
  const here = followed(normal(path.replaceAll(sep, "/").replace(/^\$WS/, "").replace(/^\/+/, "")), state);
  const home = path.startsWith("~/") ? `$HOME/${normal(path.slice(2))}` : undefined;
  return [here, home].filter((each) => each !== undefined);
}

/** Returns a path with all symbolic links resolved. Undefined if the links form a loop. */
export function followed(name, state) {
  for (let links = 0; links < 40; links++) {
    const parts = name.split("/");
    const end = parts.findIndex((_, index) => state.get(parts.slice(0, index + 1).join("/"))?.type === "symlink") + 1;
    if (end === 0) return name;
    const here = parts.slice(0, end).join("/");
    const { target } = state.get(here);
    const start = target.startsWith("$WS") ? "" : posix.dirname(here);
    name = normal(posix.join(start, target.replace(/^\$WS/, "").replace(/^\/+/, ""), ...parts.slice(end)));
  }
  return undefined;
}

/** Maps each name of a file with several names to all of its names. */
export function names(entries) {
  const groups = new Map();
  for (const [path, entry] of entries) {
    if (entry.type === "file" && entry.names > 1n) groups.set(entry.inode, [...(groups.get(entry.inode) ?? []), path]);
  }
  const found = new Map();
  for (const group of groups.values()) {
    group.sort();
    if (group.length > 1) for (const path of group) found.set(path, group);
  }
  return found;
}

/** Notes hard links that are missing or unexpected. */
function compareNames(expected, done, note) {
  const [before, after] = [names(done.start), names(done.after)];
  const gone = new Set([...changes(done.before, done.after)].filter(([, entry]) => entry === null).map(([path]) => path));
  const reported = new Set(gone);
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    if (reported.has(path)) continue;
    const wanted = (before.get(path) ?? [path]).filter((name) => !gone.has(name) && alike(expected, path, name));
    const got = after.get(path) ?? [path];
    if (wanted.join("\0") === got.join("\0")) continue;
    for (const name of [...wanted, ...got]) reported.add(name);
    note("effects", `${path} is one file with ${got.join(", ")}; expected: ${wanted.join(", ")}`);
  }
}

function alike(expected, one, other) {
  if (!expected.has(one) || !expected.has(other)) return one === other || (!expected.has(one) && !expected.has(other));
  const [first, second] = [expected.get(one), expected.get(other)];
  if (!first || !second) return first === second;
  if (first.type === "file" && second.type === "file" && !first.sha256 && !second.sha256) return bytes(first).equals(bytes(second));
  return ["type", "sha256", "size", "mode", "target"].every((key) => first[key] === second[key]);
}

// Detect the properties of this machine, and the scenarios whose files it cannot store.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placed } from "./suite.mjs";

const SYSTEMS = { darwin: "macos", win32: "windows" };

let known;

/** Returns the properties of this machine, measured in its directory for temporary files. */
export function here() {
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), "readfirst-"));
  const leads = (name, other) => {
    writeFileSync(join(folder, name), "");
    return existsSync(join(folder, other));
  };
  try {
    const system = SYSTEMS[process.platform] ?? process.platform;
    const [folds, composes] = [leads("readfirst-a", "READFIRST-A"), leads("readfirst-\u00e9", "readfirst-e\u0301")];
    return (known = { system, folds, composes, opensAll: opensAll(join(folder, "closed")) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function opensAll(file) {
  writeFileSync(file, "", { mode: 0o000 });
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}

/** Capabilities that this runner cannot test. */
const BEYOND = ["background", "full_disk", "kill", "stop"];

/**
 * Returns the needs of a scenario that the implementation or a machine lacks. An implementation that opens one session
 * also supports `sessions`.
 */
export function lacking(machine, scenario, capabilities) {
  const has = (need) => !BEYOND.includes(need) && (need === "sessions" || capabilities.includes(need) || holds(machine, need));
  return [...scenario.needs.filter((need) => !has(need)), ...lacks(machine, scenario)];
}

/** Returns whether a need is the name of a machine's platform. */
function holds({ system, folds, composes }, platform) {
  if (platform === "case-insensitive") return folds;
  return platform === "composing" ? composes : platform === system;
}

/** Maximum length of a path in UTF-16 units; with the directories above it, a path has at most 260. */
const LONGEST = 180;
const CLOSED_TO_WINDOWS = /[<>:"|?*\\\0-\x1f]|[. ]$/;
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/** Returns the needs of a scenario that a machine lacks, as docs/export.md lists them. */
function lacks({ system, folds, composes, opensAll }, scenario) {
  const missing = new Set();
  const add = (is, what) => is && missing.add(what);
  const needs = new Set(scenario.needs);
  const [windows, elsewhere] = [system === "windows", system !== "linux"];
  add(elsewhere && needs.has("Bash"), "the commands of Linux");
  add(windows && ["deny", "hooks", "permission_modes"].some((need) => needs.has(need)), "rules and commands as POSIX writes paths");
  for (const { type, mode, mtime_ns: time = 0 } of states(scenario)) {
    const bits = mode === undefined ? 0 : parseInt(mode, 8);
    add(opensAll && mode !== undefined && withholds(bits, type), "a user to whom a mode closes files");
    add(opensAll && (bits & 0o6000) !== 0, "a user whose writes clear setuid and setgid bits");
    add(windows && type === "symlink", "symbolic links that anybody may make");
    add(windows && mode !== undefined && bits !== (type === "directory" ? 0o755 : 0o644), "modes of files");
    add(elsewhere && bits > 0o777, "modes above 0777");
    add(windows && BigInt(time) % 1000n !== 0n, "times finer than a microsecond");
  }
  for (const { event, mode, mtime_shift_ns: shift = 0 } of events(scenario)) {
    add(opensAll && event === "chmod" && withholds(parseInt(mode, 8)), "a user to whom a mode closes files");
    add(windows && event === "chmod", "modes of files");
    add(windows && BigInt(shift) % 1000n !== 0n, "times finer than a microsecond");
  }
  if (windows || folds || composes) namesOf(scenario, needs, { windows, folds, composes }, add);
  return [...missing].sort();
}

/** Returns whether a mode denies something to the owner. Root ignores such a mode. */
function withholds(mode, type) {
  const all = type === "directory" ? 0o700 : 0o600;
  return (mode & all) !== all;
}

/** Adds names that a machine cannot store, or that it treats as equal. */
function namesOf(scenario, needs, { windows, folds, composes }, add) {
  windows &&= !needs.has("windows");
  folds &&= !needs.has("windows") && !needs.has("case-insensitive");
  composes &&= !needs.has("composing");
  const spelled = new Map();
  for (const path of paths(scenario)) {
    add(windows && !onWindows(path), "names that Windows has not");
    add(windows && path.length > LONGEST, "paths longer than 260 characters");
    add(composes && /\p{M}/u.test(path), "a directory that distinguishes the forms of é");
    let begun = "";
    for (const part of path.replace(/^\$WS/, "").split("/")) {
      if (part === "" || part === ".") continue;
      begun += `/${part}`;
      const key = begun.toLowerCase();
      add(folds && (spelled.get(key) ?? begun) !== begun, "a directory that distinguishes the case of names");
      spelled.set(key, begun);
    }
  }
}

/** Returns whether a path of a scenario has the same meaning on Windows. */
function onWindows(path) {
  const below = path.replace(/^\$WS\//, "");
  if (below.startsWith("/") || below.includes("$WS/")) return false;
  return below.split("/").every((part) => part === "." || part === ".." || !(CLOSED_TO_WINDOWS.test(part) || DEVICE.test(part)));
}

function* states(scenario) {
  yield* Object.values(scenario.given.files);
  for (const { entry } of events(scenario)) if (entry) yield entry;
  for (const { expect } of scenario.steps) yield* Object.values(expect?.files ?? {}).filter((state) => state !== null);
}

function* events(scenario) {
  for (const step of scenario.steps) {
    if (step.kind === "event") yield step;
    yield* step.during ?? [];
  }
}

/** Yields the paths of files, events and calls. Paths of calls are yielded as they are written. */
function* paths(scenario) {
  yield* Object.keys(scenario.given.files);
  for (const { path, to } of events(scenario)) yield* to === undefined ? [path] : [path, to];
  for (const step of scenario.steps) {
    yield* Object.keys(step.expect?.files ?? {});
    for (const call of step.kind === "call" ? [step] : (step.calls ?? [])) {
      const { file_path: file, notebook_path: notebook } = placed(call.arguments, "$WS");
      yield* [file, notebook].filter((path) => typeof path === "string");
    }
  }
}

/** Replaces the paths of Windows in a text, in any spelling, by paths as in scenarios. */
export function neutral(text, folder, name) {
  text = text.replaceAll(folder, () => name);
  if (!folder.includes("\\")) return text;
  for (const each of [folder.replaceAll("\\", "\\\\"), folder.replaceAll("\\", "/")]) text = text.replaceAll(each, () => name);
  const below = new RegExp(`\\${name}(\\\\+[^\\s\\\\/:*?"<>|]+)+`, "g");
  return text.replace(below, (path) => path.replace(/\\+/g, "/"));
}

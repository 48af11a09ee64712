// Read an export.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const STEPS = new Set(["call", "parallel", "event", "session"]);
/** The events of docs/export.md. This runner does not support mount, unmount, git and background. */
const EVENTS = new Set("modify touch delete rename chmod symlink mkdir mount unmount git".split(" "));
const TURNS = new Set("resume compact rewind mention agent end other back background".split(" "));

/** Returns a scenario. Throws for a kind of step or event that this runner does not support. */
function known(scenario, where) {
  const check = (names, what, name) => {
    if (!names.has(name)) throw new Error(`${where}: ${printed(scenario.id)}: this runner knows no ${what} ${printed(JSON.stringify(name))}`);
  };
  for (const step of scenario.steps) {
    check(STEPS, "step", step.kind);
    if (step.kind === "session") check(TURNS, "event of a session", step.event);
    const events = [step, ...(step.calls ?? [])].flatMap((call) => call.during ?? []);
    for (const { event } of step.kind === "event" ? [step, ...events] : events) check(EVENTS, "event", event);
  }
  return scenario;
}

/** Reads an export, which may be compressed. */
export function load(path) {
  const data = readFileSync(path);
  const lines = (path.endsWith(".gz") ? gunzipSync(data) : data).toString("utf8").split("\n");
  const suite = { scenarios: [] };
  let ended = false;
  lines.forEach((line, number) => {
    if (!line) return;
    let value;
    try {
      // As text, because these numbers have more digits than a number of JavaScript.
      value = JSON.parse(line.replace(/"mtime_ns": ?(-?\d+)/g, '"mtime_ns":"$1"'));
    } catch (error) {
      throw new Error(`${path}:${number + 1}: ${printed(error.message)}`);
    }
    if (value.type === "header") Object.assign(suite, value);
    else if (value.type === "scenario") suite.scenarios.push(known(value, `${path}:${number + 1}`));
    else if (value.type === "end") ended = value.scenarios === suite.scenarios.length;
  });
  if (suite.format !== 4) throw new Error(`${path}: this runner reads format 4, not ${suite.format}`);
  if (!ended) throw new Error(`${path}: the export is cut off`);
  return suite;
}

/** Returns the bytes that a content describes. */
export function bytes(content) {
  if (content.utf8 !== undefined) return Buffer.from(content.utf8, "utf8");
  if (content.base64 !== undefined) return Buffer.from(content.base64, "base64");
  // Latin-1 has one character for each byte.
  return Buffer.from(repeated(bytes(content.repeat).toString("latin1"), content.times), "latin1");
}

function repeated(unit, times) {
  if (!unit.includes("{n}")) return unit.repeat(times);
  const parts = unit.split("{n}");
  return Array.from({ length: times }, (_, index) => parts.join(String(index + 1))).join("");
}

/** Returns a value of the arguments with short forms expanded, and with `$WS` replaced by the path of a workspace. */
export function placed(value, root) {
  if (typeof value === "string") return value.replaceAll("$WS", root);
  if (Array.isArray(value)) return value.map((item) => placed(item, root));
  if (value === null || typeof value !== "object") return value;
  const keys = Object.keys(value);
  if (keys.length === 2 && typeof value.repeat === "string" && typeof value.times === "number") {
    return repeated(value.repeat, value.times).replaceAll("$WS", root);
  }
  // Not an assignment, because an assignment to `__proto__` has a different effect.
  return Object.fromEntries(keys.map((key) => [key, placed(value[key], root)]));
}

/** Returns a text on one line, without control characters for a terminal and commands for a CI system. */
export function printed(text) {
  const escaped = (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`;
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped).replace(/##(\[|vso\[|teamcity\[)/g, "#\\x23$1");
}

// Suite: reads an export.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const STEPS = new Set(["call", "parallel", "event", "session"]);
/** Those of docs/export.md; this runner performs no mount and unmount, git and background. */
const EVENTS = new Set("modify touch delete rename chmod symlink mkdir mount unmount git".split(" "));
const TURNS = new Set("resume compact rewind mention agent end other back background".split(" "));

/** Returns a scenario; throws where it has a kind of step or event that this runner does not know. */
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

/** Reads an export, compressed or not. */
export function load(path) {
  const data = readFileSync(path);
  const lines = (path.endsWith(".gz") ? gunzipSync(data) : data).toString("utf8").split("\n");
  const suite = { scenarios: [] };
  let ended = false;
  lines.forEach((line, number) => {
    if (!line) return;
    let value;
    try {
      // As text: these numbers have more digits than one of JavaScript.
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

/** Expands a content to a Buffer. */
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

/** Returns a value of arguments with short forms expanded and a workspace's path for $WS. */
export function placed(value, root) {
  if (typeof value === "string") return value.replaceAll("$WS", root);
  if (Array.isArray(value)) return value.map((item) => placed(item, root));
  if (value === null || typeof value !== "object") return value;
  const keys = Object.keys(value);
  if (keys.length === 2 && typeof value.repeat === "string" && typeof value.times === "number") {
    return repeated(value.repeat, value.times).replaceAll("$WS", root);
  }
  // Not an assignment, which would take `__proto__` for something else.
  return Object.fromEntries(keys.map((key) => [key, placed(value[key], root)]));
}

/** Returns a text on one line, in which nothing acts on a terminal or in a log. */
export function printed(text) {
  const escaped = (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`;
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped).replace(/##(\[|vso\[|teamcity\[)/g, "#\\x23$1");
}

// :Detect files that a session reads or changes although rules, hooks or modes forbid it.
import { meant, reads } from "./compare.mjs";
import { Content, cutLeft, cutRight, isBlank } from "./content.mjs";
import { meets } from "./edited.mjs";
import { shownLines } from "./shown.mjs";

const RULE = /^(Read|Edit|Write)(?:\((.*)\))?$/s;
const NOT_PLAIN = /[[\]?\\!~]|^[/#]|\s$|\/$/;

/**
 * Yields the path and the description of each file that a call read or changed although this is forbidden. `changed`
 * contains the changes of the step. A command may concern any file, because its arguments contain no path.
 */
export function* closed(given, call, before, changed) {
  const { deny, permissions, hooks } = given;
  if (deny.length === 0 && !permissions && hooks.length === 0) return;
  const isCommand = call.tool === "Bash";
  if (isCommand) yield* shownByCommand(given, call, before);
  for (const path of isCommand ? changed.keys() : meant(call.given, before)) {
    if (reads(call.tool)) {
      if (!call.result.refused && isUnreadable(given, path) && linesShown(before.get(path), call.result).length > 0) yield [path, "it is closed, and was read"];
      continue;
    }
    const asks = ["default", "plan"].includes(permissions?.mode) && permissions.allow.length === 0;
    const refused = hooks.some((hook) => hook.refuses && meets(hook, call.tool));
    if (changed.has(path) && (isAway(permissions, path) || asks || refused || closes(deny, "Edit", path))) yield [path, "it is closed, and was changed"];
  }
}

/** Yields the forbidden files of which a command shows a line that no readable file contains. */
function* shownByCommand(given, call, before) {
  const files = [...before].filter(([, entry]) => entry.type === "file");
  const elsewhere = new Set(files.filter(([path]) => !isUnreadable(given, path)).flatMap(([, { data }]) => Content.of(data).lines));
  const isNew = (line) => !elsewhere.has(line) && !String(call.given.command ?? "").includes(cutLeft(cutRight(line)));
  for (const [path, entry] of files) {
    if (isUnreadable(given, path) && linesShown(entry, call.result).some(isNew)) yield [path, "it is closed, and a command showed it"];
  }
}

const isUnreadable = ({ deny, permissions }, path) => closes(deny, "Read", path) || isAway(permissions, path);

function isAway(permissions, path) {
  if (!permissions || permissions.mode === "bypassPermissions" || permissions.allow.length > 0) return false;
  const homes = [permissions.working_directory, ...permissions.additional_directories];
  return !homes.some((home) => home === "" || path === home || path.startsWith(`${home.replace(/\/+$/, "")}/`));
}

/** Returns the lines of a file that an answer shows, without blank lines. */
function linesShown(entry, result) {
  if (entry?.type !== "file") return [];
  const { lines } = Content.of(entry.data);
  const shown = shownLines(lines, result.text);
  return lines.filter((line, index) => shown[index] && !isBlank(line));
}

/**
 * Returns whether a plain rule names a path or a directory above it. If a rule opens paths again (`!`), no rule counts.
 */
function closes(rules, tool, path) {
  if (rules.some((rule) => rule.includes("!"))) return false;
  return rules.some((rule) => {
    const [, of, pattern] = RULE.exec(rule) ?? [];
    return of === tool && (pattern === undefined || matches(pattern, path));
  });
}

function matches(pattern, path) {
  if (NOT_PLAIN.test(pattern)) return false;
  const plain = pattern.replace(/^\$WS\//, "").replace(/^\.\//, "").replace(/\/\*\*$/, "");
  const parts = path.split("/");
  const tried = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  if (pattern.endsWith("/**")) tried.pop();
  const escaped = plain.replace(/[.+^${}()|]/g, "\\$&");
  if (!plain.includes("/")) {
    const whole = new RegExp(`^${escaped.replaceAll("*", ".*")}$`, "s");
    return tried.some((each) => whole.test(each.slice(each.lastIndexOf("/") + 1)));
  }
  const stars = { "/**/": "/(?:.*/)?", "**": ".*", "*": "[^/]*" };
  const whole = new RegExp(`^${escaped.replace(/\/\*\*\/|\*\*|\*/g, (each) => stars[each])}$`);
  return tried.some((each) => whole.test(each));
}

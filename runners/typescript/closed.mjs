// Closed: what rules, hooks and modes keep a session from, read or changed all the same.
import { meant, reads } from "./compare.mjs";
import { Content, isBlank } from "./content.mjs";
import { shownLines } from "./known.mjs";

const RULE = /^(Read|Edit|Write)(?:\((.*)\))?$/s;
const NOT_PLAIN = /[[\]?\\!~]|^[/#]|\s$|\/$/;

/** Yields what a call read or changed though it is closed to the session. */
export function* closed({ deny, permissions, hooks }, call, before, changed) {
  if (call.tool === "Bash") return;
  for (const path of meant(call.given, before)) {
    const away = isAway(permissions, path);
    if (reads(call.tool)) {
      const open = !away && !closes(deny, "Read", path);
      if (!open && !call.result.refused && isShown(before.get(path), call.result)) yield `${path} was read`;
      continue;
    }
    const asks = ["default", "plan"].includes(permissions?.mode) && permissions.allow.length === 0;
    const refused = hooks.some(({ refuses, matcher }) => refuses && (matcher === "*" || matcher.split("|").includes(call.tool)));
    if (changed.has(path) && (away || asks || refused || closes(deny, "Edit", path))) yield `${path} was changed`;
  }
}

function isAway(permissions, path) {
  if (!permissions || permissions.mode === "bypassPermissions" || permissions.allow.length > 0) return false;
  const homes = [permissions.working_directory, ...permissions.additional_directories];
  return !homes.some((home) => home === "" || path === home || path.startsWith(`${home.replace(/\/+$/, "")}/`));
}

function isShown(entry, result) {
  if (entry?.type !== "file") return false;
  const lines = Content.of(entry.data).lines.filter((line) => !isBlank(line));
  return shownLines(lines, result.text).includes(true);
}

/** Tells whether a plain rule names a path or a folder above it; where one opens again (`!`), none counts. */
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

// Determine the directory of relative paths in a session whose commands may change the directory.
import { posix } from "node:path";
import { followed, normal, pathKey } from "./compare.mjs";
import { BLANK } from "./content.mjs";

/** Matches a word of a command with its quotes, or an operator that joins commands. */
const WORD = new RegExp(`(?:[^${BLANK};&|"']|"[^"]*"|'[^']*')+|[;&|\\n]+`, "gu");

/**
 * Returns arguments whose relative path is replaced by a path from `$WS/`. `directory` is relative to the workspace.
 */
export function absolute(given, directory) {
  const key = pathKey(given);
  const path = given[key];
  return !directory || typeof path !== "string" || /^(?:$|[/$~])/.test(path) ? given : { ...given, [key]: `$WS/${directory}/${path}` };
}

/**
 * Returns the directory of a session after a call. Only an answered command with `cd` changes the directory. A `cd` to
 * home or out of the workspace leads back to `start`; a `cd` to a missing directory has no effect.
 */
export function directoryAfter({ tool, given, result }, directory, start, after) {
  if (tool !== "Bash" || result.refused) return directory;
  for (const target of directories(String(given.command ?? ""))) {
    const isWhole = target.startsWith("$WS");
    if (!isWhole && /^(?:$|[/$~])/.test(target)) {
      directory = start;
      continue;
    }
    const wanted = normal(isWhole ? target.slice(3).replace(/^\/+/, "") : posix.join(directory, target));
    const place = followed(wanted, after);
    if (wanted.startsWith("..")) directory = start;
    else if (wanted === ".") directory = "";
    else if (after.get(place)?.type === "directory") directory = place;
  }
  return directory;
}

/** Returns whether the relative path of a call, starting at a directory, names a changed file. */
export function beginsAt(given, directory, changed) {
  const path = given[pathKey(given)];
  return typeof path === "string" && path !== "" && changed.has(posix.normalize(posix.join(directory, path)));
}

/**
 * Returns the argument of each `cd` at the start of a command, except in pipes, in parentheses and in the background.
 */
export function directories(command) {
  const joins = (word) => /^[;&|\n]*$/.test(word);
  const words = command.match(WORD) ?? [];
  const isCd = (word, at) => word === "cd" && (at === 0 || joins(words[at - 1])) && words[at - 1] !== "|" && !["|", "&"].includes(words[at + 2]);
  return [...words.keys()].filter((at) => isCd(words[at], at)).map((at) => {
    const target = words[at + 1] ?? "";
    return joins(target) ? "" : target.replace(/["']/g, "");
  });
}

// Directory: where relative paths begin in a session whose commands may change the directory.
import { posix } from "node:path";
import { followed, normal, pathKey } from "./compare.mjs";
import { BLANK } from "./content.mjs";

/** A word of a command, with its quotes, or what joins commands. */
const WORD = new RegExp(`(?:[^${BLANK};&|"']|"[^"]*"|'[^']*')+|[;&|\\n]+`, "gu");

/** Returns arguments whose relative path is made one from `$WS/` on; `directory` is relative to the workspace. */
export function absolute(given, directory) {
  const key = pathKey(given);
  const path = given[key];
  return !directory || typeof path !== "string" || /^(?:$|[/$~])/.test(path) ? given : { ...given, [key]: `$WS/${directory}/${path}` };
}

/**
 * Returns the directory in which a session is after a call; only answered commands with `cd` change it. One that leads out of
 * the workspace, or to its home, leads back to the `start`; one that is not there stays away.
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

/** Tells whether the relative path of a call leads from a directory to a file that changed. */
export function beginsAt(given, directory, changed) {
  const path = given[pathKey(given)];
  return typeof path === "string" && path !== "" && changed.has(posix.normalize(posix.join(directory, path)));
}

/** Returns the word after each `cd` that begins a command; not in a pipe, in parentheses or in the background. */
export function directories(command) {
  const joins = (word) => /^[;&|\n]*$/.test(word);
  const words = command.match(WORD) ?? [];
  const isCd = (word, at) => word === "cd" && (at === 0 || joins(words[at - 1])) && words[at - 1] !== "|" && !["|", "&"].includes(words[at + 2]);
  return [...words.keys()].filter((at) => isCd(words[at], at)).map((at) => {
    const target = words[at + 1] ?? "";
    return joins(target) ? "" : target.replace(/["']/g, "");
  });
}

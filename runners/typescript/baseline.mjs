// Read a file that `readfirst run --update-baseline` wrote, one entry per line.
import { readFileSync } from "node:fs";

const ENTRY =
  /^ {2}- \{(scenario|rule): ([^ ,]+), contract: "([^"]+)", level: (\w+), (varies: true, )?reason: ("(?:[^"\\]|\\.)*")/;

/** Maps ids of scenarios and rules to their accepted failures on a contract. */
export function readBaseline(path, contract) {
  const accepted = new Map();
  if (!path) return accepted;
  let inside = false;
  readFileSync(path, "utf8").split(/\r?\n/).forEach((line, number) => {
    if (/^accepted:/.test(line)) {
      inside = true;
      return;
    }
    if (!inside || /^\s*(#|$)/.test(line)) return;
    const found = ENTRY.exec(line);
    if (!found) {
      const form = '`  - {scenario: ID, contract: "NAME", level: LEVEL, reason: "TEXT"}`';
      throw new Error(`${path}:${number + 1}: this runner reads the form in which readfirst writes baselines: ${form}`);
    }
    const [, kind, id, of, level, varies, reason] = found;
    if (of === contract) accepted.set(id, { level, varies: Boolean(varies) || kind === "rule", reason: JSON.parse(reason) });
  });
  return accepted;
}

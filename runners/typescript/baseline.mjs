// Baseline: reads what `readfirst run --update-baseline` writes: one entry for each scenario, a field a line.
import { readFileSync } from "node:fs";

const FIELD = /^( {2}- | {4})([a-z]+): *(.*?) *$/;

/** Maps scenario ids to what is accepted of them on a contract. */
export function readBaseline(path, contract) {
  const accepted = new Map();
  if (!path) return accepted;
  const entries = [];
  let began = false;
  readFileSync(path, "utf8").split("\n").forEach((line, number) => {
    if (line.startsWith("accepted:")) {
      began = true;
      return;
    }
    if (!line || /^\s*#/.test(line) || (!began && !line.startsWith("groups:"))) return;
    const found = FIELD.exec(line);
    if (!found || (found[1] === "    " && entries.length === 0)) {
      const form = "write `  - scenario: ID`, `    fails: [LEVEL]` and `    reason: TEXT`; groups are for readfirst itself";
      throw new Error(`${path}:${number + 1}: ${form}`);
    }
    if (found[1] === "  - ") entries.push({});
    entries.at(-1)[found[2]] = found[3].replace(/^["']|["']$/g, "");
  });
  for (const { scenario, contract: of = contract, fails = "", because, reason = "" } of entries) {
    if (of !== contract) continue;
    const levels = fails.replace(/[[\]]/g, "").split(",").map((each) => each.trim());
    accepted.set(scenario, { fails: levels, varies: because === "varies", reason });
  }
  return accepted;
}

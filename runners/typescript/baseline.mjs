// Baseline: reads what `readfirst run --update-baseline` writes: a field a line, and a list for each family of a group.
import { readFileSync } from "node:fs";

const FIELD = /^( {2}- | {4})([a-z]+): *(.*?) *$/;
const FAMILY = /^ {6}([^ :]+): \[(.*)$/;
const MORE = /^ {8}([^ ].*)$/;

const listed = (text) => text.split(",").map((each) => each.replace(/^[[\s"']+|[\]\s"']+$/g, "")).filter((each) => each !== "");

/** Maps scenario ids to what is accepted of them on a contract. */
export function readBaseline(path, contract) {
  const accepted = new Map();
  if (!path) return accepted;
  const entries = [];
  let began = false;
  let family;
  readFileSync(path, "utf8").split(/\r?\n/).forEach((line, number) => {
    if (/^(accepted|groups):/.test(line)) {
      began = true;
      return;
    }
    if (!began || /^\s*(#|$)/.test(line)) return;
    const [field, list, more] = [FIELD.exec(line), FAMILY.exec(line), MORE.exec(line)];
    if (field?.[1] === "  - ") entries.push({ ids: [] });
    if (list) family = list[1];
    if (entries.length === 0 || !(field || list || (more && family))) {
      const form = "`  - scenario: ID`, `    fails: [LEVEL]`, `    reason: TEXT`";
      throw new Error(`${path}:${number + 1}: this runner reads the form in which readfirst writes baselines: ${form}`);
    }
    if (field) entries.at(-1)[field[2]] = field[3].replace(/^["']|["']$/g, "");
    else entries.at(-1).ids.push(...listed((list?.[2] ?? more[1])).map((slug) => `${family}/${slug}`));
  });
  for (const { scenario, ids, contract: of = contract, fails = "", because, reason = "" } of entries) {
    if (of !== contract) continue;
    for (const id of scenario ? [scenario, ...ids] : ids) accepted.set(id, { fails: listed(fails), varies: because === "varies", reason });
  }
  return accepted;
}

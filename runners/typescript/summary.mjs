// Count verdicts: the rules that hold in each class, and the rules that do not hold, those with harm first.
import { LEVELS } from "./compare.mjs";
import { printed } from "./suite.mjs";

const CLASSES = ["safety", "design", "wording", "quirk"];
const HARMS = ["lost", "misplaced", "spoiled", "altered", "stray", "untrue", "trespass", "blind"];
const MOST_RULES = 20;

export class Summary {
  #rules = new Map();
  #harms = new Map();

  constructor(level) {
    this.level = level;
  }

  /** Counts a judged verdict. A scenario without a rule counts for a rule with the name of its family. */
  add(scenario, verdict) {
    if (verdict.status === "unsupported" || scenario.disputed) return;
    const name = scenario.rule || `${scenario.id.split("/")[0]}/*`;
    if (!this.#rules.has(name)) this.#rules.set(name, { name, class: scenario.class || "no class", judged: 0, failing: [], harmful: false });
    const rule = this.#rules.get(name);
    rule.judged++;
    const holds = verdict.status === "judged" && verdict.levels.includes(this.level);
    if (holds) return;
    rule.failing.push({ id: scenario.id, length: scenario.steps.length });
    rule.harmful ||= !verdict.levels.includes("safe");
    const kinds = verdict.differences.filter(({ level }) => level === "safe").map(({ what }) => what.split(":")[0]);
    for (const kind of new Set(kinds)) this.#harms.set(kind, (this.#harms.get(kind) ?? 0) + 1);
  }

  /** Returns the lines of the summary. */
  lines() {
    const place = (rule) => [rule.harmful ? 0 : 1, CLASSES.indexOf(rule.class), -rule.failing.length];
    const rules = [...this.#rules.values()];
    const failing = rules.filter((rule) => rule.failing.length > 0).sort((one, other) => compared(place(one), place(other)));
    const harms = HARMS.filter((kind) => this.#harms.has(kind)).map((kind) => `${kind} ${this.#harms.get(kind)}`);
    const lines = [`harm, by failing scenarios: ${harms.join(", ") || "none"}`];
    for (const name of [...new Set([...CLASSES, ...rules.map((rule) => rule.class)])]) {
      const all = rules.filter((rule) => rule.class === name);
      const holding = all.filter((rule) => rule.failing.length === 0);
      if (all.length > 0) lines.push(`${name}: ${holding.length} of ${all.length} rules hold at the level ${this.level}`);
    }
    for (const rule of failing.slice(0, MOST_RULES)) {
      const { id } = rule.failing.reduce((one, other) => (other.length < one.length ? other : one));
      lines.push(`${rule.failing.length}/${rule.judged} fail: ${rule.name} (${rule.class}${rule.harmful ? ", harm" : ""}), shortest: ${id}`);
    }
    if (failing.length > MOST_RULES) lines.push(`${failing.length - MOST_RULES} more rules do not hold`);
    return lines.map(printed);
  }
}

function compared(one, other) {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}

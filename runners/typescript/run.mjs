// Run: shows each scenario as a subtest under its id.
import { readBaseline } from "./baseline.mjs";
import { judge, LEVELS } from "./compare.mjs";
import { printed } from "./suite.mjs";

/** Runs a suite in a test of node:test. A failure that the baseline accepts is skipped; one that it accepts in vain fails. */
export async function run(context, suite, implementation, { level = "text", baseline, report } = {}) {
  const accepted = readBaseline(baseline, suite.contract);
  process.umask(0o022);
  for (const scenario of suite.scenarios) {
    await context.test(printed(scenario.id), async (test) => {
      const verdict = await judge(suite, scenario, implementation);
      report?.(verdict);
      rule(test, scenario, verdict, accepted.get(scenario.id), level);
    });
  }
}

/** Says what a verdict means for the test. */
function rule(test, scenario, verdict, entry, level) {
  if (scenario.disputed) return test.skip(printed(`disputed: ${scenario.disputed}`));
  const tools = ["Read", "Edit", "Write"].filter((tool) => verdict.lacks?.includes(tool));
  if (level === "safe" && tools.length > 0) throw new Error(`nobody can tell that it is safe: it has no ${tools.join(", ")}`);
  if (verdict.status === "unsupported") return test.skip(printed(`unsupported: it lacks ${verdict.reason}`));
  const asked = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
  const failing = verdict.status === "broken" ? ["broken"] : asked.filter((each) => !verdict.levels.includes(each));
  const listed = (entry?.fails ?? []).filter((each) => each === "broken" || asked.includes(each));
  if (failing.some((each) => !listed.includes(each))) throw new Error(`${printed(scenario.title)}\n${explained(verdict)}`);
  const vain = entry?.varies ? [] : listed.filter((each) => !failing.includes(each));
  if (vain.length > 0) throw new Error(`the baseline accepts a failure at ${vain.join(", ")}, which holds now`);
  if (listed.length > 0) test.skip(printed(`accepted: ${entry.reason}`));
}

function explained(verdict) {
  if (verdict.status === "broken") return printed(`broken: ${verdict.reason}`);
  return verdict.differences.map(({ step, level, what }) => printed(`step ${step}, ${level}: ${what}`)).join("\n");
}

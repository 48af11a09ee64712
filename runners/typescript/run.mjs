// Run each scenario as a subtest under its id.
import { readBaseline } from "./baseline.mjs";
import { judge, LEVELS } from "./compare.mjs";
import { printed } from "./suite.mjs";
import { Summary } from "./summary.mjs";

/**
 * Runs a suite in a test of node:test. A failure that the baseline accepts is skipped; an accepted failure that does
 * not occur fails. Several implementations, or `concurrency` sessions of one, run scenarios at the same time.
 */
export async function run(context, suite, implementation, { level = "text", baseline, report, concurrency = 1 } = {}) {
  const accepted = readBaseline(baseline, suite.contract);
  const summary = new Summary(level);
  process.umask(0o022);
  const lanes = Array.isArray(implementation) ? implementation : Array(concurrency).fill(implementation);
  const verdicts = lanes.length > 1 ? judged(suite, lanes) : [];
  for (const [number, scenario] of suite.scenarios.entries()) {
    await context.test(printed(scenario.id), async (test) => {
      const verdict = await (verdicts[number] ?? judge(suite, scenario, lanes[0]));
      report?.(verdict);
      summary.add(scenario, verdict);
      rule(test, scenario, verdict, accepted.get(scenario.id) ?? accepted.get(scenario.rule), level);
    });
  }
  for (const line of summary.lines()) context.diagnostic?.(line);
}

/** Returns a promise of the verdict of each scenario. Each implementation judges one scenario at a time. */
function judged(suite, implementations) {
  const settle = [];
  const verdicts = suite.scenarios.map((_, number) => new Promise((resolve, reject) => (settle[number] = { resolve, reject })));
  for (const verdict of verdicts) verdict.catch(() => {}); // whoever awaits it is told
  let next = 0;
  const work = async (implementation) => {
    while (next < suite.scenarios.length) {
      const number = next++;
      await judge(suite, suite.scenarios[number], implementation).then(settle[number].resolve, settle[number].reject);
    }
  };
  implementations.forEach(work);
  return verdicts;
}

/** Reports a verdict to the test. */
function rule(test, scenario, verdict, entry, level) {
  if (scenario.disputed) return test.skip(printed(`disputed: ${scenario.disputed}`));
  const tools = ["Read", "Edit", "Write"].filter((tool) => verdict.lacks?.includes(tool));
  if (level === "safe" && tools.length > 0) throw new Error(`nobody can tell that it is safe: it has no ${tools.join(", ")}`);
  if (verdict.status === "unsupported") return test.skip(printed(`unsupported: it lacks ${verdict.reason}`));
  const asked = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
  const failing = verdict.status === "error" ? "error" : asked.find((each) => !verdict.levels.includes(each));
  const rank = (each) => ["error", ...LEVELS].indexOf(each);
  if (failing && !(entry && rank(failing) >= rank(entry.level))) throw new Error(`${printed(scenario.title)}\n${explained(verdict)}`);
  if (entry && failing !== entry.level && !entry.varies && rank(entry.level) <= rank(level)) {
    throw new Error(`the baseline accepts a failure at ${entry.level}, which holds now`);
  }
  if (failing) test.skip(printed(`accepted: ${entry.reason}`));
}

function explained(verdict) {
  if (verdict.status === "error") return printed(`broken: ${verdict.reason}`);
  return verdict.differences.map(({ step, level, what }) => printed(`step ${step}, ${level}: ${what}`)).join("\n");
}

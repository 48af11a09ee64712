"""Write the badge of a run. It shows the share of the suite that holds, in the JSON format of shields.io endpoints."""

from functools import reduce

from readfirst.harness.adapter_api import BASIC_CAPABILITIES
from readfirst.harness.compare.summary import Count
from readfirst.harness.report.by_rule import RuleResult, by_rule
from readfirst.harness.report.results import ReportSources, Results
from readfirst.harness.suite.rule_classes import RuleClass
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.shared_files import is_partial_title
from readfirst.harness.terminal import harmless_json


def page(results: Results, sources: ReportSources) -> str:
    """Return the JSON of one badge for all runs. The badge counts the scenarios that pass at the requested level of
    each run.

    If the runs contain exactly all scenarios of one class of rules, the badge counts rules: `safety 38/40` means that
    38 of 40 judged rules of the class hold in every run. The number of unsupported scenarios is added.

    The first condition that applies determines the colour:

    - grey: a run was interrupted, or no scenario (of one of the suites) was judged
    - red: a required capability is missing
    - bright green: everything passes
    - green: everything that was judged passes, but scenarios or a capability of Read, Edit or Write are missing
    - yellow: all failures are accepted
    - orange: only names of errors or texts differ
    - red: files or refusals differ, or an implementation had an error
    """
    runs = results.runs
    judged, passed = (sum(getattr(run.total, name) for run in runs) for name in ("judged", "passed"))
    levels = ", ".join(dict.fromkeys(run.level for run in runs))
    class_ = _whole_class(results, sources)
    suites = ", ".join(dict.fromkeys(run.suite or "readfirst" for run in runs))
    label = f"{suites} on {', '.join(results.contracts)}"
    share = f"{passed}/{judged}" if class_ is None else f"{class_} {_count_rules(results, sources.rules)}"
    message = f"{share} {levels}"
    if any(run.total.unsupported for run in runs):
        message += f", {reduce(Count.plus, (run.total for run in runs)).share}"
    if any(run.interrupted for run in runs):
        message, color = "interrupted", "lightgrey"
    elif judged == 0:
        message, color = "nothing judged", "lightgrey"
    elif results.unjudged_suites:
        message, color = f"nothing of {' and '.join(results.unjudged_suites)} judged", "lightgrey"
    elif any(run.total.unclaimed for run in runs):
        color = "red"
    elif passed == judged:
        is_narrow = any(BASIC_CAPABILITIES & {*verdict.lacks} for run in runs for verdict, _ in run.judged)
        is_part = class_ is None and any(is_partial_title(run.suite) for run in runs)
        color = "green" if is_narrow or is_part else "brightgreen"
    elif all(run.conformant for run in runs):
        color = "yellow"
    elif all(run.total.holds["effects"] == run.total.judged for run in runs):
        color = "orange"
    else:
        color = "red"
    value = {"schemaVersion": 1, "label": label, "message": message, "color": color}
    return f"{harmless_json(value, indent=2)}\n"


def _whole_class(results: Results, sources: ReportSources) -> RuleClass | None:
    """Return the class of rules whose scenarios are exactly those of the runs. None if no class has these scenarios."""
    if (rules := sources.rules) is None:
        return None
    rule_ids = {verdict.rule for run in results.runs for verdict, _ in run.judged}
    class_, *others = {rules[rule_id].class_ if rule_id in rules else None for rule_id in rule_ids} or {None}
    if others or class_ is None:
        return None
    scenario_ids = set(sources.of_class(class_))
    return class_ if all(run.verdicts.keys() >= scenario_ids for run in results.runs) else None


def _count_rules(results: Results, rules: Rules | None) -> str:
    """Return counts such as `38/40, 2 not claimed,`: 38 of 40 judged rules hold, 2 rules need missing capabilities."""
    results_by_rule: dict[str, list[RuleResult]] = {}
    for run in results.runs:
        for result in by_rule(run.judged, rules):
            results_by_rule.setdefault(result.id, []).append(result)
    judged = [group for group in results_by_rule.values() if any(result.count.judged for result in group)]
    holds = [all(result.standing == "yes" for result in group if result.count.judged) for group in judged]
    missing = sum(
        all(result.standing == "not claimed" for result in group)
        for group in results_by_rule.values()
        if group not in judged
    )
    return f"{sum(holds)}/{len(judged)}" + (f", {missing} not claimed," if missing else "")

"""Write the JUnit report: a suite for each contract and rule, the worst rule first, with a case per scenario."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from readfirst.harness.report.by_rule import NO_RULE, RuleResult, by_rule, rule_title
from readfirst.harness.report.escape import visible
from readfirst.harness.report.failure import brief, failure_text
from readfirst.harness.report.results import JudgedScenario, ReportSources, Results, Run

_TAGS_BY_ATTRIBUTE = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
"""Attributes of a test suite that contain counts, with the tag of the XML elements that each attribute counts."""


def page(results: Results, sources: ReportSources) -> str:
    """Return the JUnit report as XML. Characters that XML does not allow are escaped."""
    runs = results.runs
    names = list(dict.fromkeys(run.name for run in runs))
    several = len(names) > 1
    root = Element("testsuites", name=visible(f"readfirst {', '.join(names)}"))
    for run in runs:
        for suite in _make_suites(run, sources):
            about = (*((run.name,) if several else ()), *((run.contract,) if len(runs) > 1 else ()))
            suite.set("name", " ".join((*map(visible, about), suite.get("name", ""))))
            root.append(suite)
    if any(run.interrupted for run in runs):
        case = SubElement(SubElement(root, "testsuite", name="readfirst"), "testcase", name="run")
        _add_element(case, "error", f"interrupted after {sum(len(run.judged) for run in runs)} scenarios")
    for element in (root, *root):
        for attribute, tag in _TAGS_BY_ATTRIBUTE.items():
            element.set(attribute, str(sum(1 for _ in element.iter(tag))))
    milliseconds = sum(verdict.milliseconds for run in runs for verdict, _ in run.judged)
    root.set("time", f"{milliseconds / 1000:.6f}")
    indent(root)
    text = tostring(root, encoding="unicode").replace(" />", "/>")  # texts contain no `>`
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _make_suites(run: Run, sources: ReportSources) -> Iterator[Element]:
    """Yield the test suites for one contract: one for each rule, or for each family if the suite has no rules."""
    rules, groups = sources.rules, dict[str, list[JudgedScenario]]()
    for verdict, ruling in run.judged:
        family = verdict.scenario_id.partition("/")[0]
        group = family if rules is None else verdict.rule if verdict.rule in rules else ""
        groups.setdefault(group, []).append((verdict, ruling))
    if rules is None:
        for family, judged in groups.items():
            suite = Element("testsuite", name=visible(family))
            for verdict, ruling in judged:
                slug = verdict.scenario_id.partition("/")[2]
                _add_case(suite, family, slug, (verdict, ruling), run, sources)
            yield suite
        return
    for result in by_rule(run.judged, rules):
        rule, name = result.rule, rule_title(result)
        suite = Element("testsuite", name=visible(name if rule is None else f"{rule.class_}: {name}"))
        _add_properties(suite, result, run, sources)
        for verdict, ruling in groups[result.id]:
            class_name = NO_RULE if rule is None else f"{rule.class_}.{rule.id}"
            _add_case(suite, class_name, verdict.scenario_id, (verdict, ruling), run, sources)
        yield suite


def _add_properties(suite: Element, result: RuleResult, run: Run, sources: ReportSources) -> None:
    values: dict[str, str] = {}
    if (rule := result.rule) is not None:
        values = {"rule": rule.id, "class": rule.class_, "requirement": rule.requirement}
    if design := run.judged[0][0].design:
        values["design"] = design
    if refuses := run.judged[0][0].refuses:
        values["refuses"] = ", ".join(refuses)
    if result.level is not None and result.example is not None:
        values["failing"] = f"{result.failing_scenarios} of {result.count.judged} at {result.level}"
        values["shortest"] = result.example.scenario_id
        values["command"] = f"{sources.commands(run).run} {result.example.scenario_id}"
    properties = SubElement(suite, "properties") if values else suite
    for key, value in values.items():
        SubElement(properties, "property", name=key, value=visible(value))


def _add_case(
    suite: Element, class_name: str, name: str, judged: JudgedScenario, run: Run, sources: ReportSources
) -> None:
    verdict, ruling = judged
    class_name = visible(f"{run.contract}.{class_name}")
    case = SubElement(suite, "testcase", classname=class_name, name=visible(name))
    case.set("time", f"{verdict.milliseconds / 1000:.6f}")
    if ruling.stale:
        state = "needs a reason" if ruling.needs_reason else "out of date"
        _add_element(case, "failure", f"baseline entry {state}", visible(ruling.stale))
    elif ruling.accepted:
        _add_element(case, "skipped", f"accepted failure: {ruling.accepted}")
    elif ruling.unclaimed:
        message = f"not judged, because a required capability is missing: {ruling.unclaimed}"
        _add_element(case, "failure", message)
    elif verdict.status in ("failed", "error"):
        text = failure_text(verdict, sources.find(verdict.scenario_id), sources.commands(run))
        if verdict.status == "error":
            _add_element(case, "error", verdict.reason, text)
        else:
            SubElement(case, "failure", message=brief(verdict)).text = text
    elif verdict.status != "passed":
        _add_element(case, "skipped", f"{verdict.status}: {verdict.reason}")
    if verdict.harms:  # even if the contract does the same
        lines = [f"step {harm.step + 1}: {visible(harm.line)}\n" for harm in verdict.harms]
        SubElement(case, "system-out").text = "".join(lines)


def _add_element(parent: Element, kind: str, message: str, text: str = "") -> None:
    SubElement(parent, kind, message=visible(message)).text = text or None

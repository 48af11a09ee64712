"""The Markdown report: levels by run, the failing rules, and the worst failures."""

from collections.abc import Iterator, Sequence

from readfirst.harness.compare.summary import Count
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.by_rule import (
    accepted_in,
    by_class,
    by_rule,
    failing_rules,
    group_of,
    rule_title,
)
from readfirst.harness.report.escape import visible
from readfirst.harness.report.failure import failure_text
from readfirst.harness.report.markdown_escape import document, fenced, prose, table
from readfirst.harness.report.mistakes import worst
from readfirst.harness.report.results import Results, Run, Sources, levels_shown

MOST_FAILURES = 20
"""Maximum number of explained failures in a run without rules. Further failures are counted."""
MOST_RULES = 5
"""Maximum number of rules in a run whose shortest failure is explained."""
WIDEST = 4000
"""Maximum characters of one explanation; a step summary is limited to one megabyte."""


def page(results: Results, sources: Sources) -> str:
    """Return the page. Texts of scenarios and tools are in fences and entities, never markup.

    Failures are grouped by rule, or by family if the suite has no rules.
    """
    return document(_lines(results, sources))


def _lines(results: Results, sources: Sources) -> Iterator[str]:
    levels = levels_shown(results.runs)
    yield "# Conformance of file tools"
    suites = ", ".join(dict.fromkeys(run.suite for run in results.runs if run.suite))
    if suites:
        yield f"Suite: {_escaped(suites)}"
    header = ["target", "contract", "level", "result", *levels, "unsupported", "unspecified", "broken"]
    yield table(
        header,
        [_run(run, name, levels) for run, name in zip(results.runs, results.names, strict=True)],
        numbers=header[4:],
    )
    for run, label in zip(results.runs, results.labels(), strict=True):
        if alike := run.likeness:
            yield _escaped(alike)
        if by_hand := run.summary.by_hand_sentence():
            yield (f"**{_escaped(label)}**: {_escaped(by_hand)}")
        if design := run.summary.design_sentence():
            yield (f"**{_escaped(label)}**: {_escaped(design)}")
        if complaint := run.summary.complaint():
            yield (f"**{_escaped(label)}**: {_escaped(complaint)}")
        asked = [level for level in levels if level != "verbatim" or run.level == level]
        short = [
            name
            for name in results.families
            if any(run.family(name).holds[level] != run.family(name).judged for level in asked)
        ]
        if short:
            yield f"## {_escaped(label)}"
            if sources.rules is None:
                rows = [[_escaped(name), *_cells(run.family(name), levels)] for name in short]
                yield table(["family", *levels, "broken"], rows, numbers=[*levels, "broken"])
                yield from _failures(run, sources)
            else:
                yield from _by_rule(run, sources, levels)
        for stale in run.summary.stale:
            yield f"Out of date in the baseline: {_escaped(stale)}"


def _run(run: Run, name: str, levels: Sequence[Level]) -> list[str]:
    total = run.total
    result = "conformant" if run.conformant else "**not conformant**"
    if run.interrupted:
        result = "**interrupted**"
    elif run.summary.exit_code == 5:
        result = "nothing judged"
    if total.accepted:
        result += f", {total.accepted} accepted"
    numbers = [str(number) for number in (total.unsupported, total.unspecified)]
    *cells, broken = _cells(total, levels)
    return [_escaped(name), _escaped(run.contract), run.level, result, *cells, *numbers, broken]


def _cells(count: Count, levels: Sequence[Level]) -> list[str]:
    held = (f"{count.holds[level]}/{count.judged}" if count.judged else "-" for level in levels)
    return [*held, str(count.broken)]


def _by_rule(run: Run, sources: Sources, levels: Sequence[Level]) -> Iterator[str]:
    """Yield the classes, a line for each failing rule, and the shortest failures of the first rules."""
    results = by_rule(run.judged, sources.rules)
    rows = [
        [each.class_, f"{each.holding}/{each.judged}" if each.judged else "-", *_cells(each.count, levels)]
        for each in by_class(results)
    ]
    rows += [["no rule", "", *_cells(each.count, levels)] for each in results if each.rule is None]
    yield table(["class", "rules", *levels, "broken"], rows, numbers=["rules", *levels, "broken"])
    failing = failing_rules(results)
    if not failing:
        return
    many = "1 rule does" if len(failing) == 1 else f"{len(failing)} rules do"
    yield f"{many} not hold at the level {run.level}, worst first. To repeat one:"
    yield fenced("sh", f"{sources.commands(run).run} SCENARIO")
    rows = [
        [
            f"{each.fails}/{each.count.judged}",
            _escaped(rule_title(each)) + accepted_in(each),
            group_of(each),
            _escaped(each.shortest.scenario_id if each.shortest is not None else ""),
        ]
        for each in failing
    ]
    yield table(["fails", "rule", "of", "shortest that fails"], rows)
    for each in failing[:MOST_RULES]:
        if each.shortest is not None:
            yield from _explained(each.shortest, run, sources)


def _failures(run: Run, sources: Sources) -> Iterator[str]:
    failing = [
        verdict
        for verdict, ruling in run.judged
        if verdict.status in ("failed", "broken") and not ruling.accepted
    ]
    if not failing:
        return
    yield f"{pluralize(len(failing), 'failure')} at the level {run.level}:"
    for verdict in sorted(failing, key=worst)[:MOST_FAILURES]:
        yield from _explained(verdict, run, sources)
    if len(failing) > MOST_FAILURES:
        yield f"{len(failing) - MOST_FAILURES} more failures, which do less harm, are not shown."


def _explained(verdict: Verdict, run: Run, sources: Sources) -> Iterator[str]:
    text = failure_text(verdict, sources.find(verdict.scenario_id), sources.commands(run))
    if len(text) > WIDEST:
        text = f"{text[:WIDEST]}\n[{len(text) - WIDEST:,} more characters]"
    yield f"<details><summary>{_escaped(verdict.scenario_id)}</summary>"
    yield fenced("text", text)
    yield "</details>"


def _escaped(text: str) -> str:
    return prose(visible(text))

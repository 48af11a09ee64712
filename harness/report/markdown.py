"""Write the Markdown report: a table of levels per run, the failing rules, and the worst failures explained."""

from collections.abc import Iterator, Sequence

from readfirst.harness.compare.baseline import lowest_failure
from readfirst.harness.compare.summary import Count
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.by_rule import (
    RuleTally,
    accepted_in,
    by_class,
    dominant_lines,
    failing_rules,
    group_of,
    rule_title,
)
from readfirst.harness.report.escape import visible
from readfirst.harness.report.failure import failure_text
from readfirst.harness.report.markdown_escape import document, fence_code, prose, table
from readfirst.harness.report.mistakes import worst
from readfirst.harness.report.results import ReportSources, Results, Run, levels_shown

_MAX_FAILURES = 20
"""Maximum failures to explain if the suite has no rules. For further failures, only their number is shown."""
_MAX_EXPLAINED_RULES = 5
"""In a run, the shortest failure is explained for at most this number of failing rules."""
_MAX_EXPLANATION_CHARS = 4000
"""Maximum characters of one explanation, because GitHub limits a step summary to one megabyte."""


def page(results: Results, sources: ReportSources) -> str:
    """Return the Markdown page. Failures are grouped by rule, or by family if the suite has no rules."""
    return document(_page_blocks(results, sources))


def _page_blocks(results: Results, sources: ReportSources) -> Iterator[str]:
    levels = levels_shown(results.runs)
    yield "# Conformance of file tools"
    suites = ", ".join(dict.fromkeys(run.suite for run in results.runs if run.suite))
    if suites:
        yield f"Suite: {_escape_prose(suites)}"
    header = ["target", "contract", "level", "result", *levels, "unsupported", "unspecified", "error"]
    yield table(
        header,
        [_run_row(run, name, levels) for run, name in zip(results.runs, results.names, strict=True)],
        numbers=header[4:],
    )
    for run, label in zip(results.runs, results.labels(), strict=True):
        if likeness := run.likeness:
            yield _escape_prose(likeness)
        summary = run.summary
        for note in (
            summary.harm_sentence(),
            *summary.example_lines(),
            summary.by_hand_sentence(),
            summary.design_sentence(),
            summary.complaint(),
        ):
            if note:
                yield f"**{_escape_prose(label)}**: {_escape_prose(note)}"
        judged_levels = [level for level in levels if level != "verbatim" or run.level == level]
        failing_families = [
            name
            for name in results.families
            if any(run.family(name).holds[level] != run.family(name).judged for level in judged_levels)
        ]
        if failing_families:
            yield f"## {_escape_prose(label)}"
            if sources.rules is None:
                counts = [(name, _count_cells(run.family(name), levels)) for name in failing_families]
                rows = [[_escape_prose(name), *cells] for name, cells in counts]
                yield table(["family", *levels, "error"], rows, numbers=[*levels, "error"])
                yield from _failure_blocks(run, sources)
            else:
                yield from _rule_blocks(run, sources, levels)
        for stale in run.summary.stale:
            yield f"Baseline: {_escape_prose(stale)}"
        accepted = [
            [
                _escape_prose(verdict.scenario_id),
                lowest_failure(verdict) or "",
                _escape_prose(ruling.accepted),
            ]
            for verdict, ruling in run.judged
            if ruling.accepted
        ]
        if accepted:
            yield f"<details><summary>{pluralize(len(accepted), 'accepted failure')}</summary>"
            yield table(["scenario", "level", "reason"], accepted)
            yield "</details>"


def _run_row(run: Run, name: str, levels: Sequence[Level]) -> list[str]:
    total = run.total
    result = "conformant" if run.conformant else "**not conformant**"
    if run.interrupted:
        result = "**interrupted**"
    elif run.summary.exit_code == 5:
        result = "nothing judged"
    if total.accepted:
        result += f", {total.accepted} accepted"
    numbers = [str(number) for number in (total.unsupported, total.unspecified)]
    *cells, errors = _count_cells(total, levels)
    return [_escape_prose(name), _escape_prose(run.contract), run.level, result, *cells, *numbers, errors]


def _count_cells(count: Count, levels: Sequence[Level]) -> list[str]:
    held = (f"{count.holds[level]}/{count.judged}" if count.judged else "-" for level in levels)
    return [*held, str(count.error)]


def _rule_blocks(run: Run, sources: ReportSources, levels: Sequence[Level]) -> Iterator[str]:
    """Yield a table of classes, the list of failing rules, and explanations of the shortest failures of some rules."""
    tally = RuleTally(sources.rules)
    for verdict, ruling in run.judged:
        tally.add(verdict, ruling)
    results, dominant = tally.results(), tally.dominant()
    rows = [
        [
            class_result.class_,
            f"{class_result.holding}/{class_result.judged}" if class_result.judged else "-",
            *_count_cells(class_result.count, levels),
        ]
        for class_result in by_class(results)
    ]
    without_rule = [result.count for result in results if result.rule is None]
    rows += [["no rule", "", *_count_cells(count, levels)] for count in without_rule]
    yield table(["class", "rules", *levels, "error"], rows, numbers=["rules", *levels, "error"])
    if dominant is not None:
        yield " ".join(_escape_prose(line.strip()) for _, line in dominant_lines(dominant))
        results = tally.results(as_if_without=dominant.kind)
        yield from _explain_failure(dominant.shortest, run, sources)
    failing = failing_rules(results)
    if not failing:
        return
    count = "1 rule does" if len(failing) == 1 else f"{len(failing)} rules do"
    yield f"{count} not hold at the level {run.level}, worst first. To repeat one:"
    yield fence_code("sh", f"{sources.commands(run).run} SCENARIO")
    rows = [
        [
            f"{result.failing_scenarios}/{result.count.judged}",
            _escape_prose(rule_title(result)) + accepted_in(result),
            group_of(result),
            _escape_prose(result.example.scenario_id if result.example is not None else ""),
        ]
        for result in failing
    ]
    yield table(["fails", "rule", "of", "shortest that fails"], rows)
    for result in failing[:_MAX_EXPLAINED_RULES]:
        if result.example is not None:
            yield from _explain_failure(result.example, run, sources)


def _failure_blocks(run: Run, sources: ReportSources) -> Iterator[str]:
    unaccepted = (verdict for verdict, ruling in run.judged if not ruling.accepted)
    failing = [verdict for verdict in unaccepted if verdict.status in ("failed", "error")]
    if not failing:
        return
    yield f"{pluralize(len(failing), 'failure')} at the level {run.level}:"
    for verdict in sorted(failing, key=worst)[:_MAX_FAILURES]:
        yield from _explain_failure(verdict, run, sources)
    if len(failing) > _MAX_FAILURES:
        yield f"{len(failing) - _MAX_FAILURES} more failures, which do less harm, are not shown."


def _explain_failure(verdict: Verdict, run: Run, sources: ReportSources) -> Iterator[str]:
    text = failure_text(verdict, sources.find(verdict.scenario_id), sources.commands(run))
    if len(text) > _MAX_EXPLANATION_CHARS:
        text = f"{text[:_MAX_EXPLANATION_CHARS]}\n[{len(text) - _MAX_EXPLANATION_CHARS:,} more characters]"
    yield f"<details><summary>{_escape_prose(verdict.scenario_id)}</summary>"
    yield fence_code("text", text)
    yield "</details>"


def _escape_prose(text: str) -> str:
    return prose(visible(text))

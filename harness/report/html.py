"""The HTML report: one page without network access, with rules and families by run, and the steps and
differences of every scenario.

All text of scenarios and tools is JSON in the page; its script inserts it as text, never as markup. The same
results and scenarios give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, product
from string import ascii_uppercase
from typing import Any

from packaging.version import Version

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Count
from readfirst.harness.compare.verdict import LEVELS, Level, Verdict
from readfirst.harness.report.escape import visible
from readfirst.harness.report.markdown_escape import TEMPLATES, environment
from readfirst.harness.report.results import Results, Run, Sources, levels_shown
from readfirst.harness.report.rule_table import Column, run_table, toned
from readfirst.harness.report.timeline import difference_blocks, expected_steps, given_blocks, steps_of
from readfirst.harness.suite.contracts import Contract, order
from readfirst.harness.suite.scenario import Scenario

_SCHEMES = ("agent", "claude-code", "lines", "mcp", "python", "recording", "target")
"""Prefixes of connect strings that are omitted above a column."""
_STYLES = ("map.css", "page.css", "rules.css")


def page(results: Results, sources: Sources) -> str:
    """Return the page as ASCII text. For contracts that the suite lacks, expectations are omitted."""
    runs, levels = results.runs, levels_shown(results.runs)
    headings = _headings(results)
    labels = [heading["label"] for heading in headings]
    scenarios = {scenario_id: sources.find(scenario_id) for scenario_id in results.ids}
    contracts = [sources.contracts[name] for name in results.contracts if name in sources.contracts]

    def differs(scenario_id: str, before: str, after: str) -> bool:
        scenario, known = scenarios[scenario_id], sources.contracts
        if scenario is None or before not in known or after not in known:
            return False
        sides = (known[before], known[after])
        one, other = (expected_steps(sources.with_expectations_of(scenario, side), side) for side in sides)
        return one != other

    columns = [Column(each["key"], each["short"], each["label"], each["facts"]) for each in headings]
    return rendered(
        "page.html.j2",
        ["rules.js", "page.js"],
        title="readfirst: " + ", ".join(dict.fromkeys(visible(name) for name in results.names)),
        version=visible(sources.version),
        suites=visible(", ".join(dict.fromkeys(run.suite for run in runs if run.suite))),
        levels=levels,
        scenarios=len(results.ids),
        families=results.families,
        runs=[{**heading, **_run(run, levels)} for run, heading in zip(runs, headings, strict=True)],
        stale=[visible(entry) for run in runs for entry in run.summary.stale],
        rules=run_table(results, sources.rules, columns),
        matrix=[_row(family, results, labels, levels) for family in results.families],
        lines=version_lines(results, differs),
        index=_json(_index(results, scenarios, headings, levels, sources)),
        details=[
            (family, _json(dict(_details(family, results, scenarios, contracts, sources))))
            for family in results.families
        ],
    )


def rendered(template: str, scripts: Sequence[str], **values: Any) -> str:
    """Render a page as ASCII text: a template, the common styles, and these scripts as its only script."""
    script = "".join(map(_source, scripts))
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode()
    made: str = (
        environment(html=True)
        .get_template(template)
        .render(
            script_hash=f"sha256-{digest}",
            style=safe(
                styles(
                    ":root", "@media screen and (prefers-color-scheme: dark) {{ :root {{ {} }} }}", _STYLES
                )
            ),
            script=safe(script),
            **values,
        )
    )
    return made.encode("ascii", "xmlcharrefreplace").decode()


def styles(light: str, dark: str, names: Sequence[str]) -> str:
    """Return style sheets that start with the colours: `light` selects the light theme, `dark` wraps the dark
    theme.
    """
    colours = f"{light} {{\n{_source('light.css')}}}\n{dark.format(_source('dark.css'))}\n"
    return colours + "".join(map(_source, names))


def macro(template: str, name: str, *values: Any) -> str:
    """Return the result of a template's macro as HTML."""
    made: str = getattr(environment(html=True).get_template(template).module, name)(*values)
    return str(made)


def _source(name: str) -> str:
    return (TEMPLATES / name).read_text("utf-8")


def safe(text: str) -> Any:
    """Mark text as safe HTML."""
    from markupsafe import Markup

    # The input consists of files of this package, and JSON without < > &.
    return Markup(text)


def _json(value: object) -> Any:
    """Return JSON for a script element: ASCII, without characters that could end the element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    text = text.replace("##", r"#\u0023")  # `##[error]` would be a command of some CI systems
    return safe(text)


def _headings(results: Results) -> list[dict[str, str]]:
    """Return the names of each run: its letter if there are several, its full name, and a short name above a
    column.
    """
    runs = results.runs
    contracts, levels = len({run.contract for run in runs}) > 1, len({run.level for run in runs}) > 1
    found = []
    for run, name, label, letter in zip(runs, results.names, results.labels(), letters(), strict=False):
        facts = [visible(run.contract)] * contracts + [f"level {run.level}"] * levels
        scheme, _, rest = name.partition(":")
        found.append(
            {
                "key": letter if len(runs) > 1 else "",
                "label": visible(label),
                "name": visible(name),
                "short": visible(rest if rest and scheme in _SCHEMES else name),
                "facts": ", ".join(facts),
            }
        )
    return found


def letters() -> Iterator[str]:
    """Yield A to Z, then AA, AB and so on."""
    return ("".join(letters) for size in count(1) for letters in product(ascii_uppercase, repeat=size))


def _run(run: Run, levels: tuple[Level, ...]) -> dict[str, Any]:
    total, summary = run.total, run.summary
    result = "conformant" if run.conformant else "not conformant"
    if run.interrupted:
        result = f"interrupted after {total.scenarios}"
    elif run.summary.exit_code == 3:
        result = "broken"
    elif run.summary.exit_code == 5:
        result = "nothing judged"
    accepted = f"{total.accepted} accepted" if total.accepted else ""
    notes = (accepted, summary.design_sentence(), summary.by_hand_sentence(), visible(run.likeness))
    return {
        "contract": visible(run.contract),
        "level": run.level,
        "result": result,
        "note": "; ".join(filter(None, notes)),
        "tone": "good" if run.conformant else "broken" if result == "broken" else "harm",
        "cells": [{**_level_cell(run, total, level), "level": level} for level in levels],
        "rest": [
            ("unsupported", total.unsupported),
            ("unspecified", total.unspecified),
            ("broken", total.broken),
            ("a step", f"{total.milliseconds / total.steps:.2f} ms" if total.steps else "-"),
        ],
    }


def _level_cell(run: Run, count: Count, level: Level) -> dict[str, str]:
    # `verbatim` is judged only on request.
    if not count.judged or (level == "verbatim" and run.level != level):
        return {"text": "-", "tone": "quiet"}
    holds = count.holds[level]
    return {
        "text": f"{holds}/{count.judged}",
        "tone": _tone(run, level, (count.judged - holds) / count.judged),
    }


def _tone(run: Run, level: Level, failing: float) -> str:
    """Return the colour of a number: the kind of failure, and one of five steps by its share."""
    if not failing:
        return "good"
    if LEVELS.index(level) > LEVELS.index(run.level):
        return "above"
    return toned("harm" if level in ("safe", "effects") else "wording", failing)


def _row(family: str, results: Results, labels: list[str], levels: tuple[Level, ...]) -> dict[str, Any]:
    cells: list[dict[str, Any]] = []
    for number, run in enumerate(results.runs):
        count = run.family(family)
        for level in levels:
            cell: dict[str, Any] = {
                **_level_cell(run, count, level),
                "first": level == levels[0],
                "run": number,
            }
            cell["level"] = level
            failing = count.judged - count.holds[level]
            cell["result"] = level if failing and cell["text"] != "-" else ""
            if cell["tone"] == "good":
                cell["text"] = str(count.judged)
            cell["spoken"] = f"{cell['text']}, {failing} of {family} fail at {level}, {labels[number]}"
            cells.append(cell)
        rest = count.scenarios - count.judged
        cells.append(
            {
                "text": str(rest) if rest else "-",
                "tone": "quiet",
                "level": "not-judged",
                "first": False,
                "run": number,
                "result": "not-judged" if rest else "",
                "spoken": f"{rest} of {family} not judged, {labels[number]}",
            }
        )
    return {"family": family, "cells": cells}


def _index(
    results: Results,
    scenarios: Mapping[str, Scenario | None],
    headings: list[dict[str, str]],
    levels: tuple[Level, ...],
    sources: Sources,
) -> dict[str, Any]:
    return {
        "levels": levels,
        "runs": [
            {**heading, "level": run.level, "command": visible(sources.commands(run).run)}
            for run, heading in zip(results.runs, headings, strict=True)
        ],
        "scenarios": [
            [
                scenario_id,
                visible(scenario.title) if scenario is not None else "",
                [  # empty if a run did not contain it
                    _cell(*judged, levels) if (judged := run.verdicts.get(scenario_id)) else None
                    for run in results.runs
                ],
                visible(scenario.rule) if scenario is not None else "",
            ]
            for scenario_id, scenario in scenarios.items()
        ],
    }


def _cell(verdict: Verdict, ruling: BaselineResult, levels: tuple[Level, ...]) -> list[Any]:
    """Return the status, the levels that hold, and 1 if the failure is accepted."""
    holding = [level for level in levels if verdict.levels.get(level)]
    return [verdict.status, holding, int(bool(ruling.accepted))]


def _details(
    family: str,
    results: Results,
    scenarios: Mapping[str, Scenario | None],
    contracts: Sequence[Contract],
    sources: Sources,
) -> Iterator[tuple[str, dict[str, Any]]]:
    for scenario_id, scenario in scenarios.items():
        if scenario_id.partition("/")[0] == family:
            by_run = {
                str(number): said
                for number, run in enumerate(results.runs)
                if (judged := run.verdicts.get(scenario_id)) is not None and (said := _said(*judged))
            }
            yield scenario_id, {**_description(scenario, contracts, sources), "runs": by_run}


def _description(
    scenario: Scenario | None, contracts: Sequence[Contract], sources: Sources
) -> dict[str, Any]:
    if scenario is None:
        empty: list[Any] = []
        return dict.fromkeys(("about", "tags", "sources", "given", "steps", "expected"), empty)
    expected: list[tuple[Any, list[str]]] = []
    for contract in contracts:  # group contracts with the same expectations
        steps = expected_steps(sources.with_expectations_of(scenario, contract), contract)
        names = next((names for same, names in expected if same == steps), None)
        if names is None:
            expected.append((steps, [contract.name]))
        else:
            names.append(contract.name)
    return {
        "about": [visible(line) for line in scenario.about.strip().splitlines()],
        "requirement": scenario.requirement,
        "tags": scenario.tags,
        "sources": [visible(source) for source in scenario.sources],
        "file": f"scenarios/{scenario.id}.yaml",
        "given": given_blocks(scenario),
        "steps": steps_of(scenario),
        "expected": [(names, steps) for steps, names in expected],
    }


def _said(verdict: Verdict, ruling: BaselineResult) -> dict[str, Any]:
    differences, more = difference_blocks(verdict)
    blame = verdict.blame or (verdict.differences[0].blame if verdict.differences else "")
    fields = {
        "reason": visible(verdict.reason),
        "blame": blame,
        "accepted": visible(ruling.accepted),
        "stale": visible(ruling.stale),
        "differences": differences,
        "more": more,
    }
    return {name: value for name, value in fields.items() if value}


_FAILS = ("failed", "broken")


def version_lines(results: Results, differs: Callable[[str, str, str], bool]) -> list[dict[str, Any]]:
    """Return an entry for each target that was compared with several versions at one level: its name and the
    `changes`.

    Changes are ordered from the oldest version, with the results of each and `lists` of scenario ids: scenarios
    with different expectations (`differs` compares two contracts), and scenarios that pass on only one of two
    consecutive versions. Contracts without a version (`documented`) are omitted.
    """
    groups: dict[tuple[str, str], dict[str, Run]] = {}
    for name, run in zip(results.names, results.runs, strict=True):
        if order(run.contract)[0] > Version("0"):
            groups.setdefault((name, run.level), {})[run.contract] = run
    return [
        {"target": visible(name), "changes": [*_changes(runs.values(), differs)]}
        for (name, _), runs in groups.items()
        if len(runs) > 1
    ]


def _changes(runs: Iterable[Run], differs: Callable[[str, str, str], bool]) -> Iterator[dict[str, Any]]:
    before: Run | None = None
    for run in sorted(runs, key=lambda each: order(each.contract)):
        passed, judged = run.total.passed, run.total.judged
        lists = {} if before is None else _lists(before, run, differs)
        yield {
            "contract": visible(run.contract),
            "passed": passed,
            "judged": judged,
            "tone": "good" if passed == judged else "bad",
            "lists": lists,
            "same": before is not None and not lists,
        }
        before = run


def _lists(before: Run, after: Run, differs: Callable[[str, str, str], bool]) -> dict[str, list[str]]:
    both = sorted(before.verdicts.keys() & after.verdicts.keys())
    was, now = ({each: run.verdicts[each][0].status for each in both} for run in (before, after))
    found = {
        "scenarios with another expectation": [
            each for each in both if differs(each, before.contract, after.contract)
        ],
        "newly hold": [each for each in both if now[each] == "passed" and was[each] in _FAILS],
        "no longer hold": [each for each in both if was[each] == "passed" and now[each] in _FAILS],
    }
    return {label: ids for label, ids in found.items() if ids}

"""HTML: one page that needs no network: families by runs, and every scenario's steps with what was expected and came.

All text of scenarios and tools is JSON in the page, and is put there by its script as text; nothing of it is
ever markup. The same results and scenarios give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from harness.baseline import Ruling
from harness.contracts import Contract, Contracts
from harness.report.results import Judged, Results, Run, levels_shown
from harness.report.timeline import difference_blocks, expected_steps, given_blocks, steps_of
from harness.report.versions import Change, VersionLine, version_lines
from harness.scenario import Scenario
from harness.summary import Count
from harness.verdict import Level, Verdict
from harness.visible import visible

if TYPE_CHECKING:
    import jinja2

__all__ = ["page"]

_LABELS = {
    "expected": "scenarios of which something else is expected",
    "better": "newly hold",
    "worse": "no longer hold",
}


def page(
    results: Results,
    find: Callable[[str], Scenario | None],
    contracts: Contracts,
    command: Callable[[Run], str],
    version: str,
) -> str:
    """Return the page as ASCII text. `find` gives a scenario, None where the suite has none of that id.

    `command` gives the command line that repeats a run when an id is added. Contracts that the suite does not
    have are shown without what they expect.
    """
    runs, levels = results.runs, levels_shown(results.runs)
    labels = [visible(label) for label in results.labels()]
    scenarios = {scenario_id: find(scenario_id) for scenario_id in results.ids}
    expectations = _Expectations([name for name in results.contracts if name in contracts], contracts)
    lines = version_lines(results, _differs(scenarios, contracts))
    script = _source("page.js")
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode()
    made: str = (
        _environment()
        .get_template("page.html.j2")
        .render(
            title="readfirst: " + ", ".join(dict.fromkeys(visible(run.target) for run in runs)),
            version=version,
            script_hash=f"sha256-{digest}",
            style=_safe(_source("page.css")),
            script=_safe(script),
            levels=levels,
            scenarios=len(results.ids),
            families=results.families,
            runs=[_run(run, label, levels) for run, label in zip(runs, labels, strict=True)],
            stale=[visible(told) for run in runs for told in run.summary.stale],
            matrix=[_row(family, results, labels, levels) for family in results.families],
            lines=[_line(line) for line in lines],
            index=_json(_index(results, scenarios, labels, levels, command)),
            details=[
                (family, _json(dict(_details(family, results, scenarios, expectations))))
                for family in results.families
            ],
        )
    )
    return made.encode("ascii", "xmlcharrefreplace").decode()


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # here, because only pages need it

    return jinja2.Environment(
        loader=jinja2.PackageLoader("harness.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )


def _source(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _safe(text: str) -> Any:
    from markupsafe import Markup

    # What comes here are files of this package, and JSON without < > &.
    return Markup(text)


def _json(value: object) -> Any:
    """Return JSON that can stand in a script element: ASCII, and no character that could end the element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return _safe(text)


def _run(run: Run, label: str, levels: tuple[Level, ...]) -> dict[str, Any]:
    total = run.total
    result = "conformant" if run.conformant else "not conformant"
    if run.interrupted:
        result = f"interrupted after {total.scenarios}"
    elif run.summary.exit_code == 3:
        result = "broken"
    elif run.summary.exit_code == 5:
        result = "nothing judged"
    elif run.conformant and total.accepted:
        result = f"conformant, {total.accepted} accepted"
    return {
        "label": label,
        "target": visible(run.target),
        "contract": visible(run.contract),
        "level": run.level,
        "result": result,
        "tone": "good" if run.conformant else "bad",
        "cells": [_level_cell(total, level) for level in levels],
        "unsupported": total.unsupported,
        "unspecified": total.unspecified,
        "broken": total.broken,
        "cost": f"{total.milliseconds / total.steps:.2f} ms" if total.steps else "-",
    }


def _level_cell(count: Count, level: Level) -> dict[str, str]:
    if not count.judged:
        return {"text": "-", "tone": "none"}
    holds = count.holds[level]
    return {"text": f"{holds}/{count.judged}", "tone": "good" if holds == count.judged else "bad"}


def _row(family: str, results: Results, labels: list[str], levels: tuple[Level, ...]) -> dict[str, Any]:
    cells: list[dict[str, Any]] = []
    for number, run in enumerate(results.runs):
        count = run.family(family)
        for level in levels:
            cell: dict[str, Any] = {**_level_cell(count, level), "first": level == levels[0], "run": number}
            cell["level"] = level
            failing = count.judged - count.holds[level]
            # A level that a run was not asked for and that is not judged has no failures to list.
            judged = level != "verbatim" or run.level == "verbatim"
            cell["result"] = level if failing and judged else ""
            if not judged:
                cell |= {"text": "-", "tone": "none"}
            elif count.judged and not failing:
                cell["text"] = str(count.judged)
            cell["spoken"] = f"{cell['text']}, {failing} of {family} fail at {level}, {labels[number]}"
            cells.append(cell)
        rest = count.scenarios - count.judged
        cells.append(
            {
                "text": str(rest) if rest else "-",
                "tone": "bad" if count.broken else "odd" if rest else "none",
                "level": "not-judged",
                "first": False,
                "run": number,
                "result": "not-judged" if rest else "",
                "spoken": f"{rest} of {family} not judged, {labels[number]}",
            }
        )
    return {"family": family, "cells": cells}


def _differs(
    scenarios: Mapping[str, Scenario | None], contracts: Contracts
) -> Callable[[str, str, str], bool]:
    def differs(scenario_id: str, before: str, after: str) -> bool:
        scenario = scenarios[scenario_id]
        if scenario is None or before not in contracts or after not in contracts:
            return False
        return expected_steps(scenario, contracts[before]) != expected_steps(scenario, contracts[after])

    return differs


def _line(line: VersionLine) -> dict[str, Any]:
    return {"target": visible(line.target), "changes": [_change(change) for change in line.changes]}


def _change(change: Change) -> dict[str, Any]:
    total = change.run.total
    lists = [
        {"label": label, "ids": getattr(change, name)}
        for name, label in _LABELS.items()
        if getattr(change, name)
    ]
    passed = total.passed
    return {
        "contract": visible(change.run.contract),
        "passed": passed,
        "judged": total.judged,
        "tone": "good" if passed == total.judged else "bad",
        "lists": lists,
        "same": not change.first and not lists,
    }


def _index(
    results: Results,
    scenarios: Mapping[str, Scenario | None],
    labels: list[str],
    levels: tuple[Level, ...],
    command: Callable[[Run], str],
) -> dict[str, Any]:
    return {
        "levels": levels,
        "runs": [
            {"label": label, "level": run.level, "command": visible(command(run))}
            for run, label in zip(results.runs, labels, strict=True)
        ],
        "scenarios": [
            [
                scenario_id,
                visible(scenario.title) if scenario is not None else "",
                [_cell(run.verdicts.get(scenario_id), levels) for run in results.runs],
            ]
            for scenario_id, scenario in scenarios.items()
        ],
    }


def _cell(judged: Judged | None, levels: tuple[Level, ...]) -> list[Any] | None:
    """Return the status, the levels that hold, and 1 where the failure is accepted; None: not in this run."""
    if judged is None:
        return None
    verdict, ruling = judged
    holding = [level for level in levels if verdict.levels.get(level)]
    return [verdict.status, holding, int(bool(ruling.accepted))]


def _details(
    family: str,
    results: Results,
    scenarios: Mapping[str, Scenario | None],
    expectations: _Expectations,
) -> Iterator[tuple[str, dict[str, Any]]]:
    for scenario_id, scenario in scenarios.items():
        if scenario_id.partition("/")[0] == family:
            told = {
                str(number): said
                for number, run in enumerate(results.runs)
                if (judged := run.verdicts.get(scenario_id)) is not None and (said := _said(*judged))
            }
            yield scenario_id, {**_description(scenario, expectations), "runs": told}


def _description(scenario: Scenario | None, expectations: _Expectations) -> dict[str, Any]:
    if scenario is None:
        empty: list[Any] = []
        return dict.fromkeys(("about", "tags", "sources", "given", "steps", "expected"), empty)
    return {
        "about": [visible(line) for line in scenario.about.strip().splitlines()],
        "requirement": scenario.requirement,
        "tags": scenario.tags,
        "sources": [visible(source) for source in scenario.sources],
        "file": f"scenarios/{scenario.id}.yaml",
        "given": given_blocks(scenario),
        "steps": steps_of(scenario),
        "expected": expectations.of(scenario),
    }


def _said(verdict: Verdict, ruling: Ruling) -> dict[str, Any]:
    differences, more = difference_blocks(verdict)
    blame = verdict.blame or (verdict.differences[0].blame if verdict.differences else "")
    told = {
        "reason": visible(verdict.reason),
        "blame": blame,
        "accepted": visible(ruling.accepted),
        "stale": visible(ruling.stale),
        "differences": differences,
        "more": more,
    }
    return {name: value for name, value in told.items() if value}


class _Expectations:
    """What the contracts of the page expect; those that expect the same stand together."""

    def __init__(self, names: list[str], contracts: Contracts) -> None:
        self._contracts: list[Contract] = [contracts[name] for name in names]

    def of(self, scenario: Scenario) -> list[tuple[list[str], Any]]:
        """Return pairs of contract names and the expectations of each step."""
        found: list[tuple[list[str], Any]] = []
        for contract in self._contracts:
            expected = expected_steps(scenario, contract)
            for names, same in found:
                if same == expected:
                    names.append(contract.name)
                    break
            else:
                found.append(([contract.name], expected))
        return found

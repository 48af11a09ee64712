"""Write the HTML report: one page with the rules and families of each run, and the steps and differences of every
scenario. It contains all texts as JSON, which a script inserts as text, never as markup. It uses no network. The same
results and scenarios give the same bytes.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import jinja2
from packaging.version import Version

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Count
from readfirst.harness.compare.verdict import LEVELS, Level, Verdict
from readfirst.harness.report.escape import visible
from readfirst.harness.report.results import ReportSources, Results, Run, levels_shown
from readfirst.harness.report.rule_table import Column, run_table, tone_of
from readfirst.harness.report.timeline import difference_blocks, expected_steps, given_blocks, steps_of
from readfirst.harness.suite.contracts import Contract, contract_sort_key
from readfirst.harness.suite.scenario import Scenario

_HIDDEN_SCHEMES = ("agent", "claude-code", "lines", "mcp", "python", "recording", "target")
"""Prefixes of connect strings that the headings of columns omit, to save space."""
_TEMPLATES = Path(__file__).with_name("templates")
_STYLES = ("map.css", "page.css", "rules.css")


def page(results: Results, sources: ReportSources) -> str:
    """Return the HTML page as ASCII text. Expectations are omitted for contracts that the suite does not contain."""
    runs, levels = results.runs, levels_shown(results.runs)
    headings = _column_headings(results)
    labels = [heading["label"] for heading in headings]
    scenarios = {scenario_id: sources.find(scenario_id) for scenario_id in results.ids}
    contracts = [sources.contracts[name] for name in results.contracts if name in sources.contracts]

    def differs(scenario_id: str, before: str, after: str) -> bool:
        scenario, contracts_by_name = scenarios[scenario_id], sources.contracts
        if scenario is None or before not in contracts_by_name or after not in contracts_by_name:
            return False
        sides = (contracts_by_name[before], contracts_by_name[after])
        steps_before, steps_after = (
            expected_steps(sources.with_expectations_of(scenario, side), side.for_scenario(scenario))
            for side in sides
        )
        return steps_before != steps_after

    columns = [Column(*(names[key] for key in ("key", "short", "label", "facts"))) for names in headings]
    return render_page(
        "page.html.j2",
        ["rules.js", "page.js"],
        title="readfirst: " + ", ".join(dict.fromkeys(visible(name) for name in results.names)),
        version=visible(sources.version),
        suites=visible(", ".join(dict.fromkeys(run.suite for run in runs if run.suite))),
        levels=levels,
        scenarios=len(results.ids),
        families=results.families,
        runs=[{**heading, **_run_values(run, levels)} for run, heading in zip(runs, headings, strict=True)],
        stale=[visible(entry) for run in runs for entry in run.summary.stale],
        rules=run_table(results, sources.rules, columns),
        matrix=[_family_row(family, results, labels, levels) for family in results.families],
        lines=version_lines(results, differs),
        index=_script_json(_index_of_scenarios(results, scenarios, headings, levels, sources)),
        details=[
            (family, _script_json(dict(_details_of_family(family, results, scenarios, contracts, sources))))
            for family in results.families
        ],
    )


def render_page(template: str, scripts: Sequence[str], **values: Any) -> str:
    """Return the page of a template as ASCII text, with the common styles, and with `scripts` joined to one script."""
    script = "".join(map(_read_template_file, scripts))
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode()
    dark = "@media screen and (prefers-color-scheme: dark) {{ :root {{ {} }} }}"
    page_text: str = TEMPLATE_ENVIRONMENT.get_template(template).render(
        script_hash=f"sha256-{digest}",
        style=safe(styles(":root", dark, _STYLES)),
        script=safe(script),
        **values,
    )
    return page_text.encode("ascii", "xmlcharrefreplace").decode()


def styles(light: str, dark: str, names: Sequence[str]) -> str:
    """Return the CSS of a page: the colours of both themes, followed by the CSS files `names`. `light` is the selector
    of the light theme. `dark` is the CSS of the dark theme, with `{}` for the colours.
    """
    light_colours = f"{light} {{\n{_read_template_file('light.css')}}}\n"
    dark_colours = f"{dark.format(_read_template_file('dark.css'))}\n"
    return light_colours + dark_colours + "".join(map(_read_template_file, names))


def _read_template_file(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8")


TEMPLATE_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FunctionLoader(_read_template_file),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    keep_trailing_newline=True,
)


def safe(text: str) -> Any:
    """Mark a text as safe HTML, so that a template inserts the text without escaping it."""
    from markupsafe import Markup

    # The input consists of files of this package, and JSON without < > &.
    return Markup(text)


def _script_json(value: object) -> Any:
    """Return a value as ASCII JSON for a script element, without characters that could end the element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    text = text.replace("##", r"#\u0023")  # `##[error]` would be a command of some CI systems
    return safe(text)


def _column_headings(results: Results) -> list[dict[str, str]]:
    """Return the heading texts of each run: `key` (a letter, or empty for a single run), `label`, `name`, `short`, and
    `facts` (the contract and the level, if the runs differ).
    """
    runs = results.runs
    contracts, levels = len({run.contract for run in runs}) > 1, len({run.level for run in runs}) > 1
    headings = []
    for run, name, label, letter in zip(
        runs, results.names, results.labels(), column_letters(), strict=False
    ):
        facts = [visible(run.contract)] * contracts + [f"level {run.level}"] * levels
        scheme, _, rest = name.partition(":")
        headings.append(
            {
                "key": letter if len(runs) > 1 else "",
                "label": visible(label),
                "name": visible(name),
                "short": visible(rest if rest and scheme in _HIDDEN_SCHEMES else name),
                "facts": ", ".join(facts),
            }
        )
    return headings


def column_letters() -> Iterator[str]:
    """Yield letters that name columns: A to Z, then AA, AB and so on."""
    sizes = count(1)
    return ("".join(letters) for size in sizes for letters in product(ascii_uppercase, repeat=size))


def _run_values(run: Run, levels: tuple[Level, ...]) -> dict[str, Any]:
    total, summary = run.total, run.summary
    result = "conformant" if run.conformant else "not conformant"
    if run.interrupted:
        result = f"interrupted after {total.scenarios}"
    elif run.summary.exit_code == 3:
        result = "error"
    elif run.summary.exit_code == 5:
        result = "nothing judged"
    accepted = f"{total.accepted} accepted" if total.accepted else ""
    notes = (accepted, summary.design_sentence(), summary.by_hand_sentence(), visible(run.likeness))
    return {
        "contract": visible(run.contract),
        "level": run.level,
        "result": result,
        "note": "; ".join(filter(None, notes)),
        "tone": "good" if run.conformant else "error" if result == "error" else "harm",
        "cells": [{**_cell_of_level(run, total, level), "level": level} for level in levels],
        "rest": [
            ("unsupported", total.unsupported),
            ("unspecified", total.unspecified),
            ("error", total.error),
            ("a step", f"{total.milliseconds / total.steps:.2f} ms" if total.steps else "-"),
        ],
    }


def _cell_of_level(run: Run, count: Count, level: Level) -> dict[str, str]:
    # `verbatim` is judged only on request.
    if not count.judged or (level == "verbatim" and run.level != level):
        return {"text": "-", "tone": "quiet"}
    holds = count.holds[level]
    tone = _tone_of_failures(run, level, (count.judged - holds) / count.judged)
    return {"text": f"{holds}/{count.judged}", "tone": tone}


def _tone_of_failures(run: Run, level: Level, failing: float) -> str:
    """Return the colour of a cell with the share `failing` (0 to 1) of failures: `good`, `above` if its level was not
    requested, otherwise the kind of failure with one of five steps, such as `harm-3`.
    """
    if not failing:
        return "good"
    if LEVELS.index(level) > LEVELS.index(run.level):
        return "above"
    return tone_of("harm" if level in ("safe", "effects") else "wording", failing)


def _family_row(
    family: str, results: Results, labels: list[str], levels: tuple[Level, ...]
) -> dict[str, Any]:
    cells: list[dict[str, Any]] = []
    for number, run in enumerate(results.runs):
        count = run.family(family)
        for level in levels:
            cell: dict[str, Any] = _cell_of_level(run, count, level)
            cell |= {"first": level == levels[0], "run": number, "level": level}
            failing = count.judged - count.holds[level]
            cell["result"] = level if failing and cell["text"] != "-" else ""
            if cell["tone"] == "good":
                cell["text"] = str(count.judged)
            cell["spoken"] = f"{cell['text']}, {failing} of {family} fail at {level}, {labels[number]}"
            cells.append(cell)
        not_judged = count.scenarios - count.judged
        cell = {"text": str(not_judged or "-"), "tone": "quiet", "level": "not-judged", "first": False}
        cell |= {"run": number, "result": "not-judged" if not_judged else ""}
        cells.append({**cell, "spoken": f"{not_judged} of {family} not judged, {labels[number]}"})
    return {"family": family, "cells": cells}


def _index_of_scenarios(
    results: Results,
    scenarios: Mapping[str, Scenario | None],
    headings: list[dict[str, str]],
    levels: tuple[Level, ...],
    sources: ReportSources,
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
                    _result_of_scenario(*judged, levels)
                    if (judged := run.verdicts.get(scenario_id))
                    else None
                    for run in results.runs
                ],
                visible(scenario.rule) if scenario is not None else "",
            ]
            for scenario_id, scenario in scenarios.items()
        ],
    }


def _result_of_scenario(verdict: Verdict, ruling: BaselineResult, levels: tuple[Level, ...]) -> list[Any]:
    """Return a scenario's status, the levels that hold, and 1 for an accepted failure, otherwise 0."""
    holding = [level for level in levels if verdict.levels.get(level)]
    return [verdict.status, holding, int(bool(ruling.accepted))]


def _details_of_family(
    family: str,
    results: Results,
    scenarios: Mapping[str, Scenario | None],
    contracts: Sequence[Contract],
    sources: ReportSources,
) -> Iterator[tuple[str, dict[str, Any]]]:
    for scenario_id, scenario in scenarios.items():
        if scenario_id.partition("/")[0] == family:
            by_run = {
                str(number): details
                for number, run in enumerate(results.runs)
                if (judged := run.verdicts.get(scenario_id)) is not None
                and (details := _details_of_verdict(*judged))
            }
            is_brief = not by_run and len(scenarios) > MAX_SCENARIOS_WITH_ALL_STEPS
            described = _describe_scenario(scenario, () if is_brief else contracts, sources)
            left_out: dict[str, Any] = {"given": [], "steps": []} if is_brief else {}
            yield scenario_id, {**described, **left_out, "runs": by_run}


def _describe_scenario(
    scenario: Scenario | None, contracts: Sequence[Contract], sources: ReportSources
) -> dict[str, Any]:
    if scenario is None:
        empty: list[Any] = []
        return dict.fromkeys(("about", "tags", "sources", "given", "steps", "expected"), empty)
    expected: list[tuple[Any, list[str]]] = []
    for contract in contracts:  # group contracts with the same expectations
        own = contract.for_scenario(scenario)
        steps = expected_steps(sources.with_expectations_of(scenario, own), own)
        names = next((names for other_steps, names in expected if other_steps == steps), None)
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


def _details_of_verdict(verdict: Verdict, ruling: BaselineResult) -> dict[str, Any]:
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


MAX_SCENARIOS_WITH_ALL_STEPS = 1000
"""Maximum scenarios on a page with all steps. Larger pages omit the steps of scenarios that always pass."""
_FAILING_STATUSES = ("failed", "error")


def version_lines(results: Results, differs: Callable[[str, str, str], bool]) -> list[dict[str, Any]]:
    """Compare the results of each target on several versions. Return an object for each target with results on several
    versions at one level: its name and a list of `changes`, one for each version, the oldest first.

    A change contains the results on the version, and `lists` of scenario ids: the scenarios whose expectations on the
    previous version were different, the newly passed scenarios, and the newly failed scenarios. `differs` returns
    whether a scenario's expectations on two contracts differ.
    """
    groups: dict[tuple[str, str], dict[str, Run]] = {}
    for name, run in zip(results.names, results.runs, strict=True):
        if contract_sort_key(run.contract)[0] > Version("0"):
            groups.setdefault((name, run.level), {})[run.contract] = run
    return [
        {"target": visible(name), "changes": [*_version_changes(runs.values(), differs)]}
        for (name, _), runs in groups.items()
        if len(runs) > 1
    ]


def _version_changes(
    runs: Iterable[Run], differs: Callable[[str, str, str], bool]
) -> Iterator[dict[str, Any]]:
    before: Run | None = None
    for run in sorted(runs, key=lambda item: contract_sort_key(item.contract)):
        passed, judged = run.total.passed, run.total.judged
        lists = {} if before is None else _changed_scenarios(before, run, differs)
        yield {
            "contract": visible(run.contract),
            "passed": passed,
            "judged": judged,
            "tone": "good" if passed == judged else "bad",
            "lists": lists,
            "same": before is not None and not lists,
        }
        before = run


def _changed_scenarios(
    before: Run, after: Run, differs: Callable[[str, str, str], bool]
) -> dict[str, list[str]]:
    both = sorted(before.verdicts.keys() & after.verdicts.keys())
    was, now = ({name: run.verdicts[name][0].status for name in both} for run in (before, after))
    ids_by_label = {
        "scenarios with another expectation": [
            scenario_id for scenario_id in both if differs(scenario_id, before.contract, after.contract)
        ],
        "newly hold": [name for name in both if now[name] == "passed" and was[name] in _FAILING_STATUSES],
        "no longer hold": [name for name in both if was[name] == "passed" and now[name] in _FAILING_STATUSES],
    }
    return {label: ids for label, ids in ids_by_label.items() if ids}

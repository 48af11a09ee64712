"""Compute the content of docs/compatibility.json: the harm that implementations and versions do, and the rules that
hold for them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

from readfirst.harness.compare.level_reached import (
    Cell,
    ScenarioResult,
    Standing,
    cell_of,
    level_of,
    reach_holds_at,
)
from readfirst.harness.compare.verdict import LEVELS
from readfirst.harness.run.job_count import processors
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.harm_kinds import HARMS, MEANING
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.rules import Rule, Rules
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import harmless_json
from readfirst.observatory.claims.rule_index import behaviours_by_rule
from readfirst.observatory.claims.versions import ResultsByVersion, results_by_version, rule_cells_by_version
from readfirst.observatory.report.rule_diff import common_cells
from readfirst.observatory.survey.packed_results import JUDGED_REACHES, in_families, unpack_results

FORMAT = 4
_DATA = Mapping[str, Any]
_ONE_LINE_KEYS = ("holding", "yes", "sessions", "scenario")
"""`json_with_cell_lines` writes an object on one line if the object has one of these keys."""


@dataclass(frozen=True, slots=True)
class RuleScenario:
    """Properties of a scenario for compatibility.json. `length` is used to find the shortest failing scenario."""

    id: str
    rule: str
    length: int


def compatibility_data(suite: Suite, rules: Rules, survey: _DATA, harm: _DATA) -> dict[str, Any]:
    """Return the content of docs/compatibility.json from docs/implementations.json (`survey`) and docs/harm.json.
    Raises SuiteError, RecordingError, or ValueError if `survey` is invalid.
    """
    versions = results_by_version(suite, rules, jobs=processors())
    known = [
        RuleScenario(each, suite.heading(each).rule, next(iter(results.values())).length)
        for each, results in versions.items()
    ]
    data = implementations_data(rules, known, survey)
    belonging = {rule: [each.id for each in found] for rule, found in _by_rule(rules, known).items()}
    by_version = rule_cells_by_version(rules, list(suite.contracts), versions, belonging)
    behaviours = behaviours_by_rule(suite)
    return {
        "format": FORMAT,
        "contract": suite.contracts.default,
        **{name: data[name] for name in ("date", "kinds", "likeness", "classes", "implementations")},
        "versions": {
            contract.name: {
                "recorded": contract.recorded,
                "summary": contract.summary,
                **({"harm": harm[contract.name]} if contract.name in harm else {}),
                "classes": _count_statuses(
                    rules, {rule.id: by_version[rule.id][contract.name] for rule in rules}
                ),
                **_previous_version_cells(suite, contract, versions, belonging),
            }
            for contract in suite.contracts
        },
        "rules": {
            name: {
                **fields,
                "behaviours": list(behaviours.get(name, ())),
                "versions": {version: _cell_data(cell) for version, cell in by_version[name].items()},
            }
            for name, fields in data["rules"].items()
        },
    }


def _previous_version_cells(
    suite: Suite, contract: Contract, versions: ResultsByVersion, belonging: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return `since`: the previous version, and the rules with different results. Empty for the oldest version."""
    before = suite.contracts.before(contract) if contract.recorded else None
    if before is None:
        return {}
    one, other = (
        {rule: [versions[each][side.name] for each in ids] for rule, ids in belonging.items()}
        for side in (before, contract)
    )
    return {"since": {"version": before.name, "rules": common_cells(one, other)}}


def common_target_cells(
    rules: Rules, known: Iterable[RuleScenario], survey: _DATA, before: str, after: str
) -> dict[str, dict[str, Any]]:
    """Return the rules that hold for the target `after` in more or fewer scenarios than for the target `before`. Raises
    KeyError for an unknown target, ValueError for a wrong format.
    """
    scenarios = _by_rule(rules, known)
    contract = survey["contracts"][0]
    targets = {each["target"]: each for each in survey["targets"]}
    one, other = (
        _implementation_results(rules, scenarios, targets[name], contract) for name in (before, after)
    )
    return common_cells(one, other)


def tested_scenarios(target: _DATA) -> set[str]:
    """Return the ids of the scenarios that were tested for harm, from the target's entry in implementations.json."""
    if "sampled" in target["harm"]:
        return set(in_families(target["harm"]["sampled"]))
    every = (unpack_results(reaches) for reaches in target["reach"].values())
    judged = {name for reaches in every for name, reach in reaches.items() if reach in JUDGED_REACHES}
    return judged | set(in_families(target["harm"].get("left_out", {})))


def known_scenarios(suite: Suite) -> list[RuleScenario]:
    """Return the id, the rule and the length of every scenario of the suite. Raises SuiteError."""
    return [RuleScenario(each.id, each.rule, each.length) for each in suite.scenarios()]


def implementations_data(rules: Rules, known: Iterable[RuleScenario], survey: _DATA) -> dict[str, Any]:
    """Return the part of docs/compatibility.json about implementations. Raises ValueError for an invalid `survey`."""
    scenarios = _by_rule(rules, known)
    contracts: list[str] = survey["contracts"]
    targets: list[_DATA] = survey["targets"]
    cells = {
        contract: {
            each["target"]: {
                rule: cell_of(seen)
                for rule, seen in _implementation_results(rules, scenarios, each, contract).items()
            }
            for each in targets
        }
        for contract in contracts
    }
    return {
        "date": survey["date"],
        "kinds": dict(MEANING),
        "likeness": contracts,
        "classes": {
            class_: {
                "means": rules.classes[class_],
                "level": level_of(class_),
                "rules": len(rules.of(class_)),
            }
            for class_ in CLASSES
        },
        "implementations": {
            each["target"]: {
                **{name: each[name] for name in ("title", "home", "kind", "level", "date")},
                **({"design": each["design"]} if "design" in each else {}),
                "harm": harm_data(each["harm"]),
                "classes": {
                    name: _count_statuses(rules, found[each["target"]]) for name, found in cells.items()
                },
            }
            for each in targets
        },
        "rules": {
            rule.id: {
                "title": rule.title,
                "class": rule.class_,
                "guards": list(rule.guards),
                "requirement": rule.requirement,
                "tools": list(rule.tools),
                "why": rule.why,
                "scenarios": len(scenarios[rule.id]),
                "implementations": {
                    contract: {name: _cell_data(each[rule.id]) for name, each in found.items()}
                    for contract, found in cells.items()
                },
            }
            for rule in rules
        },
    }


def harm_data(found: _DATA) -> dict[str, Any]:
    """Return, by kind of harm, the number of scenarios and the shortest one, from `harm` in implementations.json."""
    harmed = {each for kind in HARMS for each in in_families(found["scenarios"].get(kind, {}))}
    return {
        "sessions": found["sessions"],
        "any": len(harmed),
        "counts": found["counts"],
        "shortest": {kind: each["scenario"] for kind, each in found["shortest"].items()},
        **({"sampled": True} if "sampled" in found else {}),
    }


def _by_rule(rules: Rules, known: Iterable[RuleScenario]) -> dict[str, list[RuleScenario]]:
    scenarios: dict[str, list[RuleScenario]] = {rule.id: [] for rule in rules}
    for each in known:
        scenarios.get(each.rule, []).append(each)
    return scenarios


def _implementation_results(
    rules: Iterable[Rule], scenarios: Mapping[str, Sequence[RuleScenario]], target: _DATA, contract: str
) -> dict[str, list[ScenarioResult]]:
    """Return a target's results by rule id. Rules of a stricter level than the target's run count as unsupported."""
    found: dict[str, list[ScenarioResult]] = {}
    reach, asked = unpack_results(target.get("reach", {}).get(contract, {})), target["level"]
    for rule in rules:
        level = level_of(rule.class_)
        # At the level effects, the texts of answers are not those that a model sees.
        silent = asked == "effects" and LEVELS.index(level) > LEVELS.index(asked)
        found[rule.id] = seen = []
        for each in scenarios[rule.id]:
            how_far = reach.get(each.id)
            holds = None if how_far is None or silent else reach_holds_at(how_far, level)
            lacking = how_far == "unsupported" or (silent and how_far not in (None, "unspecified"))
            seen.append(ScenarioResult(each.id, each.length, holds, lacking))
    return found


def _count_statuses(rules: Rules, cells: Mapping[str, Cell]) -> dict[str, dict[str, int]]:
    counts = {class_: Counter(cells[rule.id].standing for rule in rules.of(class_)) for class_ in CLASSES}
    return {class_: {each: found[each] for each in get_args(Standing)} for class_, found in counts.items()}


def _cell_data(cell: Cell) -> dict[str, Any]:
    fields = asdict(cell)
    return {"holds": fields.pop("standing"), **{name: each for name, each in fields.items() if each != ""}}


def json_with_cell_lines(data: _DATA, dump: Callable[[Any], str] = harmless_json) -> str:
    """Return the data as JSON with one line for each table cell or piece of evidence, so that `git diff` is short."""
    return _emit_json(data, 0, dump) + "\n"


def _emit_json(value: Any, depth: int, dump: Callable[[Any], str]) -> str:
    if not isinstance(value, Mapping) or not value or any(name in value for name in _ONE_LINE_KEYS):
        return dump(value)
    pad = " " * (depth + 1)
    rows = [f"{pad}{dump(name)}: {_emit_json(each, depth + 1, dump)}" for name, each in value.items()]
    return "{\n" + ",\n".join(rows) + "\n" + " " * depth + "}"

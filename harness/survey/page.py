"""Implementations: what the suite finds in every target, as data and as a page for people; harm comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readfirst.harness.compare.reach import Reach, packed, reach_of, unpacked
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.harm.harm import KINDS, MEANING
from readfirst.harness.report.compatibility_page import LEGEND, cells_table, class_line, harm_table
from readfirst.harness.report.markup import cell, code, link, prose, scenario_link, table
from readfirst.harness.suite.suite import Suite
from readfirst.harness.survey.harmed import Harmed
from readfirst.harness.targets.mapping import Release, Target

__all__ = ["FORMAT", "TargetResult", "page", "result_data", "result_of"]

FORMAT = 3
_LEVELS: tuple[Level, ...] = ("effects", "reason", "text")
_TRIED: tuple[Reach, ...] = ("nothing", "effects", "reason", "text")
"""How far a scenario went that was replayed to its end."""


@dataclass(slots=True)
class TargetResult:
    """What one run of a target came to. `holds` counts the scenarios that hold, per level, of those that are judged.

    `judged` are those that passed, failed or broke, as in a run's own table. All this is by the first of the contracts
    in `reach`, which has how far each scenario went by each of them.
    """

    name: str
    version: str
    title: str
    home: str
    about: str
    kind: str
    level: Level
    packages: tuple[str, ...]
    released: str
    scenarios: int = 0
    judged: int = 0
    broken: int = 0
    unsupported: int = 0
    unspecified: int = 0
    holds: Counter[str] = field(default_factory=Counter)
    families: dict[str, Counter[str]] = field(default_factory=dict)
    lacks: Counter[str] = field(default_factory=Counter)
    harmed: Harmed = field(default_factory=Harmed)
    shortest: dict[str, tuple[int, str]] = field(default_factory=dict)
    """For each family the shortest scenario that fails at effects, with its number of steps."""
    reach: dict[str, dict[str, Reach]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """`name@version`."""
        return f"{self.name}@{self.version}"


def result_of(
    target: Target,
    release: Release,
    verdicts: Iterable[Verdict],
    suite: Suite,
    contracts: Sequence[str],
    earlier: Mapping[str, Any] | None = None,
) -> TargetResult:
    """Count the verdicts of one target by these contracts, and whom it harmed.

    They are added to an `earlier` result, as `result_data` has it, of a run of other scenarios.
    """
    result = TargetResult(
        target.name,
        release.version,
        target.title,
        target.home,
        target.about,
        target.kind,
        target.level,
        (*release.pip, *release.npm),
        release.released,
        reach={contract: {} for contract in contracts},
    )
    if earlier is not None:
        _go_on_from(result, earlier, suite)
    for verdict in verdicts:
        result.reach[verdict.contract][verdict.scenario_id] = reach_of(verdict)
        result.harmed.note(verdict, suite)
        if verdict.contract == contracts[0]:
            _count(result, verdict, suite)
    return result


def _go_on_from(result: TargetResult, earlier: Mapping[str, Any], suite: Suite) -> None:
    for name in ("scenarios", "judged", "broken", "unsupported", "unspecified"):
        setattr(result, name, earlier[name])
    result.holds.update(earlier["holds"])
    result.lacks.update(earlier["lacks"])
    for contract, reaches in earlier["reach"].items():
        result.reach[contract].update(unpacked(reaches))
    every = result.reach.values()
    tried = {name for reaches in every for name, reach in reaches.items() if reach in _TRIED}
    result.harmed = Harmed.of(earlier["harm"], tried)
    for family, counts in earlier["families"].items():
        numbers = dict(counts)
        shortest = numbers.pop("shortest", "")
        result.families[family] = Counter(numbers)
        if shortest:
            result.shortest[family] = (len(suite.scenario(shortest).steps), shortest)


def _count(result: TargetResult, verdict: Verdict, suite: Suite) -> None:
    family = result.families.setdefault(verdict.scenario_id.partition("/")[0], Counter())
    result.scenarios += 1
    family["scenarios"] += 1
    match verdict.status:
        case "unsupported":
            result.unsupported += 1
            family["unsupported"] += 1
            result.lacks[verdict.reason.removeprefix("the adapter lacks ")] += 1
            return
        case "unspecified":
            result.unspecified += 1
            return
        case "broken":
            result.broken += 1
            result.judged += 1
            family["broken"] += 1
            family["judged"] += 1
            return
    result.judged += 1
    family["judged"] += 1
    for level in _LEVELS:
        if verdict.levels.get(level):
            result.holds[level] += 1
            family[level] += 1
    if not verdict.levels.get("effects"):
        contract = suite.contracts[verdict.contract]
        scenario = suite.scenario(verdict.scenario_id, contract)
        name = scenario.family
        shortest = (len(scenario.steps), scenario.id)
        result.shortest[name] = min(result.shortest.get(name, shortest), shortest)


def result_data(
    results: Sequence[TargetResult], contracts: Sequence[str], date: str, command: str
) -> dict[str, Any]:
    """Return everything in JSON types, for docs/implementations.json."""
    return {
        "format": FORMAT,
        "contracts": list(contracts),
        "date": date,
        "command": command,
        "levels": list(_LEVELS),
        "scenarios": max((result.scenarios for result in results), default=0),
        "targets": [_target_data(result) for result in results],
    }


def _target_data(result: TargetResult) -> dict[str, Any]:
    return {
        "target": result.key,
        "title": result.title,
        "home": result.home,
        "about": result.about,
        "kind": result.kind,
        "level": result.level,
        "packages": list(result.packages),
        "released": result.released,
        "scenarios": result.scenarios,
        "judged": result.judged,
        "holds": {level: result.holds[level] for level in _LEVELS},
        "broken": result.broken,
        "unsupported": result.unsupported,
        "unspecified": result.unspecified,
        "lacks": dict(sorted(result.lacks.items(), key=lambda item: (-item[1], item[0]))),
        "harm": result.harmed.data(),
        "families": {
            family: {
                "scenarios": count["scenarios"],
                "judged": count["judged"],
                **{level: count[level] for level in _LEVELS},
                "broken": count["broken"],
                "unsupported": count["unsupported"],
                **({"shortest": result.shortest[family][1]} if family in result.shortest else {}),
            }
            for family, count in sorted(result.families.items())
        },
        "reach": {contract: packed(reaches) for contract, reaches in result.reach.items()},
    }


def page(data: Mapping[str, Any], table: Mapping[str, Any] | None = None) -> str:
    """Return docs/implementations.md of the data of `result_data`.

    It opens with what `implementations_data` tells by rule; `table` is None for a suite without rules.
    """
    lines = [*_head(data), *_harm(data), *_rules(data, table), *_totals(data), *_families(data), *_each(data)]
    return "\n".join(lines) + "\n"


def _head(data: Mapping[str, Any]) -> Iterator[str]:
    yield "# Published implementations: whom they harm, and what they are like"
    yield ""
    yield (
        f"In {data['scenarios']} scenarios, run on {data['date']}: first whose work was lost or spoiled, whatever the "
        f"implementation's design; then how it compares with {data['contracts'][0]}. "
        "The levels are separate: an implementation that does the same in other words is not unsafe, and none of these "
        "promises to be what it is compared with. What a target does not claim is unsupported and not counted."
    )
    yield ""
    yield "This page and `implementations.json` are written by one command; the targets are in docs/targets.md."
    yield ""
    yield "```console"
    yield f"$ {data['command']}"
    yield "```"
    yield ""


def _rules(data: Mapping[str, Any], table: Mapping[str, Any] | None) -> Iterator[str]:
    if table is None:
        return
    yield "## Rules that hold"
    yield ""
    yield (
        f"Of the rules that were judged, class by class: where it does what {data['contracts'][0]} does. The first"
        " class is about what harms somebody whatever the design, the second about how this version guards against it."
    )
    yield ""
    for name, each in table["implementations"].items():
        yield f"- [{name}](#{_anchor(name)}): {class_line(each['classes'])}"
    yield ""
    yield "### Safety, rule by rule"
    yield ""
    yield "The other classes are in [compatibility.md](compatibility.md), with the versions of the product."
    yield ""
    yield from LEGEND
    yield ""
    safety = {name: rule for name, rule in table["rules"].items() if rule["class"] == "safety"}
    yield from cells_table(safety, list(table["implementations"]), "implementations")
    yield ""


def _totals(data: Mapping[str, Any]) -> Iterator[str]:
    yield "## Scenarios that hold, at each level"
    yield ""
    heads = ["target", "kind", *_LEVELS, "unsupported", "broken", "scenarios"]
    yield from table(heads, [_total(each) for each in data["targets"]])
    yield ""


def _total(each: Mapping[str, Any]) -> Sequence[str]:
    shown = [f"{each['holds'][level]}/{each['judged']}" for level in _LEVELS]
    if each["level"] == "effects":
        shown[1:] = ["-"] * (len(shown) - 1)
    rest = (str(each[name]) for name in ("unsupported", "broken", "scenarios"))
    return [_link(each["target"]), prose(each["kind"]), *shown, *rest]


def _harm(data: Mapping[str, Any]) -> Iterator[str]:
    yield "## What was harmed"
    yield ""
    yield (
        "The number of sessions in which it happened, of those that were tried; [harm.md](harm.md) says what the kinds"
        " mean, and what Claude Code itself does. `blind` and `overcautious` lose nothing, and are counted beside harm."
    )
    yield ""
    yield from harm_table("target", {each["target"]: each["harm"] for each in data["targets"]}, _link)
    yield ""
    for kind in KINDS:
        rows = []
        for each in data["targets"]:
            shortest = each["harm"]["shortest"].get(kind)
            if shortest is not None:
                rows.append(
                    [
                        prose(each["target"]),
                        str(each["harm"]["counts"][kind]),
                        scenario_link(shortest["scenario"]),
                        prose(shortest["line"].removeprefix(f"{kind}: ")),
                    ]
                )
        yield f"### {kind}: {MEANING[kind]}"
        yield ""
        if rows:
            yield from table(["target", "sessions", "shortest", "what it shows"], rows)
        else:
            yield "No target does this."
        yield ""


def _link(target: str) -> str:
    return link(prose(target), f"#{_anchor(target)}")


def _families(data: Mapping[str, Any]) -> Iterator[str]:
    yield "## Effects by family"
    yield ""
    targets = data["targets"]
    rows = []
    for family in sorted({family for each in targets for family in each["families"]}):
        counts = [each["families"].get(family) for each in targets]
        cells = [f"{each['effects']}/{each['judged']}" if each and each["judged"] else "-" for each in counts]
        rows.append([prose(family), *cells])
    yield from table(["family", *(prose(each["target"]) for each in targets)], rows)
    yield ""


def _each(data: Mapping[str, Any]) -> Iterator[str]:
    for each in data["targets"]:
        yield f"## {prose(each['target'])}"
        yield ""
        packages = ", ".join(map(code, each["packages"]))
        released = f", of {prose(each['released'])}" if each["released"] else ""
        yield f"{link(prose(each['title']), each['home'])}: {packages}{released}. {cell(each['about'])}".rstrip()
        yield ""
        lacks = ", ".join(f"{prose(name)} ({count})" for name, count in each["lacks"].items())
        if lacks:
            yield f"It does not claim: {lacks}."
            yield ""
        failing = {name: count for name, count in each["families"].items() if "shortest" in count}
        if not failing:
            continue
        fails = {name: count["judged"] - count["effects"] for name, count in failing.items()}
        rows = [
            [
                prose(name),
                f"{fails[name]} of {failing[name]['judged']}",
                scenario_link(failing[name]["shortest"]),
            ]
            for name in sorted(failing, key=lambda name: (-fails[name], name))
        ]
        yield from table(["family", "effects fail", "shortest"], rows)
        yield ""


def _anchor(target: str) -> str:
    return "".join(letter for letter in target.lower() if letter.isalnum() or letter in "-_")

"""Implementations: what the suite finds in every target, as data and as a page for people; harm comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readfirst.harness.compare.reach import TRIED, Reach, packed, reach_of, unpacked
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.harm.harm import HARMS, KINDS
from readfirst.harness.report.harm_map import map_rows, untried
from readfirst.harness.report.markup import link, prose, scenario_link, table
from readfirst.harness.suite.suite import Suite
from readfirst.harness.survey.compatibility import harm_data
from readfirst.harness.survey.harmed import Harmed
from readfirst.harness.targets.mapping import Release, Target

__all__ = ["FORMAT", "TargetResult", "looked_at_all", "page", "result_data", "result_of"]

FORMAT = 3
_LEVELS: tuple[Level, ...] = ("effects", "reason", "text")


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

    They are added to an `earlier` result, as `result_data` has it, of a run of other scenarios; what broke then counts
    no more.
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
        known = unpacked(reaches).items()
        result.reach[contract].update((name, reach) for name, reach in known if reach != "broken")
    every = result.reach.values()
    tried = {name for reaches in every for name, reach in reaches.items() if reach in TRIED}
    result.harmed = Harmed.of(earlier["harm"], tried)
    for name in ("scenarios", "judged"):
        setattr(result, name, earlier[name] - earlier["broken"])
    result.broken = 0
    for family, counts in earlier["families"].items():
        numbers = dict(counts)
        for name in ("scenarios", "judged", "broken"):
            numbers[name] -= counts["broken"]
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


def looked_at_all(target: Mapping[str, Any]) -> bool:
    """Whether harm was looked for in every session of a target's result that was replayed to its end."""
    every = (unpacked(reaches) for reaches in target["reach"].values())
    tried = {name for reaches in every for name, reach in reaches.items() if reach in TRIED}
    return bool(target["harm"]["sessions"] >= len(tried))


def page(data: Mapping[str, Any]) -> str:
    """Return docs/implementations.md of the data of `result_data`."""
    return "\n".join(_page(data)) + "\n"


def _page(data: Mapping[str, Any]) -> Iterator[str]:
    harm = {each["target"]: {"harm": harm_data(each["harm"])} for each in data["targets"]}
    rows = map_rows({"implementations": harm, "versions": {}})
    home = {each["target"]: each["home"] for each in data["targets"]}
    yield "# Published implementations: whose work they lose"
    yield ""
    yield (
        f"Run on {data['date']} in up to {data['scenarios']:,} sessions that are made to provoke harm, the most harmful"
        " first: in how many of those that a target could be asked was work lost or spoiled, whatever its design?"
        f" {link('harm.md', 'harm.md')} says what the kinds mean; `blind` and `overcautious` lose nothing, and are"
        " counted beside harm."
    )
    yield ""
    yield from table(
        ["implementation", "sessions", "harmed", *KINDS],
        [
            [
                link(prose(row.name), home[row.name]),
                f"{row.sessions:,}",
                row.shown,
                *(str(cell.count) for cell in row.cells),
            ]
            for row in rows
        ],
        numbers=["sessions", "harmed", *KINDS],
    )
    yield ""
    waiting = untried({"implementations": harm})
    if waiting:
        yield f"Nobody has looked for harm yet in {', '.join(map(prose, waiting))}."
        yield ""
    part = [
        row.name
        for row in rows
        if not looked_at_all(next(t for t in data["targets"] if t["target"] == row.name))
    ]
    if part:
        yield f"Only a sample of the sessions was tried, spread evenly, with {', '.join(map(prose, part))}."
        yield ""
    yield "The worst that each does, in the scenario with the fewest steps:"
    yield ""
    targets = {each["target"]: each["harm"]["shortest"] for each in data["targets"]}
    yield from table(
        ["implementation", "what it shows", "scenario"],
        [
            [prose(row.name), prose(worst["line"]), scenario_link(worst["scenario"])]
            for row in rows
            if (worst := next((shown for kind, shown in targets[row.name].items() if kind in HARMS), None))
        ],
    )
    yield ""
    yield (
        "[compatibility.md](compatibility.md) says how like a version of Claude Code each is, [targets.md](targets.md)"
        " how it is run. A card for each, with every kind of harm as a picture of its steps and every rule that does"
        " not hold, is part of [the site](site.md). `implementations.json` has what every scenario came to; this page"
        " and it are written by"
    )
    yield ""
    yield "```console"
    yield f"$ {data['command']}"
    yield "```"

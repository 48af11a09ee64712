"""Compute the entries of docs/implementations.json, and write the page docs/implementations.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readfirst.harness.compare.level_reached import Reach, reach_holds_at, reach_of
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.report.markdown_escape import link, prose
from readfirst.harness.suite.harm_kinds import HARMS, KINDS, Kind
from readfirst.harness.suite.scenario_metadata import is_generated
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.report.harm_heatmap import map_rows, star_meaning, untested_implementations
from readfirst.observatory.survey.compatibility import harm_data, tested_scenarios
from readfirst.observatory.survey.packed_results import by_family, in_families, pack_results, unpack_results
from readfirst.observatory.targets.mapping import Target
from readfirst.observatory.template import markdown, scenario_link, template

FORMAT = 3
_LEVELS: tuple[Level, ...] = ("effects", "reason", "text")
_STORED_ATTRIBUTES = ("scenario", "title", "steps", "step", "line")
"""The attributes of `ShortestExample` that docs/implementations.json contains."""


@dataclass(frozen=True, slots=True, order=True)
class ShortestExample:
    """The shortest scenario with one kind of harm. Sorted by the attributes: hand-written scenarios are first."""

    made: bool  # whether the scenario was generated
    steps: int
    scenario: str
    step: int  # number of the harmful step, from 1
    line: str  # describes the harm
    title: str


@dataclass(slots=True)
class HarmTally:
    """For one target: the tested scenarios, the scenarios with each kind of harm, and the shortest of each kind."""

    sessions: set[str] = field(default_factory=set)
    by_kind: dict[Kind, set[str]] = field(default_factory=dict)
    shortest: dict[Kind, ShortestExample] = field(default_factory=dict)

    def add_verdict(self, verdict: Verdict, suite: Suite) -> None:
        """Add the harm in a verdict. If a scenario has verdicts for several contracts, it is counted only once."""
        if verdict.status not in ("passed", "failed") and not verdict.left_out:
            return
        self.sessions.add(verdict.scenario_id)
        for harm in verdict.harms:
            self.by_kind.setdefault(harm.kind, set()).add(verdict.scenario_id)
            known = self.shortest.get(harm.kind)
            if known is None or known.made or known.steps > 1:
                scenario = suite.scenario(verdict.scenario_id)
                made, steps = is_generated(scenario.id), len(scenario.steps)
                found = ShortestExample(made, steps, scenario.id, harm.step + 1, harm.line, scenario.title)
                self.shortest[harm.kind] = found if known is None else min(known, found)

    def data(self) -> dict[str, Any]:
        """Return the tally as docs/implementations.json contains it, the worst kind of harm first."""
        return {
            "sessions": len(self.sessions),
            "counts": {kind: len(self.by_kind.get(kind, ())) for kind in KINDS},
            "scenarios": {kind: by_family(self.by_kind[kind]) for kind in KINDS if kind in self.by_kind},
            "shortest": {
                kind: {name: getattr(self.shortest[kind], name) for name in _STORED_ATTRIBUTES}
                for kind in KINDS
                if kind in self.shortest
            },
        }

    @classmethod
    def from_stored(
        cls, data: Mapping[str, Any], tried: set[str], again: frozenset[str] = frozenset()
    ) -> HarmTally:
        """Return a target's stored tally without the scenarios in `again`. `tried` contains all tested scenarios."""
        scenarios = data["scenarios"]
        return cls(
            tried - again,
            {kind: set(in_families(scenarios[kind])) - again for kind in KINDS if kind in scenarios},
            {
                kind: ShortestExample(is_generated(each["scenario"]), **each)
                for kind, each in data["shortest"].items()
                if each["scenario"] not in again
            },
        )


def target_result(
    target: Target,
    verdicts: Iterable[Verdict],
    suite: Suite,
    contracts: Sequence[str],
    earlier: Mapping[str, Any] | None = None,
    again: Collection[str] = (),
) -> dict[str, Any]:
    """Return a target's entry in implementations.json. Results of an `earlier` entry are reused, except for the
    scenarios in `again`. Numbers are for the first of the `contracts`.
    """
    reach: dict[str, dict[str, Reach]] = {contract: {} for contract in contracts}
    harmed, lacks = HarmTally(), Counter[str]()
    if earlier is not None:
        lacks.update(earlier["lacks"])
        for contract, reaches in earlier["reach"].items():
            known = unpack_results(reaches).items()
            reach[contract].update((name, how_far) for name, how_far in known if name not in again)
        if states_tested_scenarios(earlier):
            harmed = HarmTally.from_stored(earlier["harm"], tested_scenarios(earlier), frozenset(again))
    for verdict in verdicts:
        reach[verdict.contract][verdict.scenario_id] = reach_of(verdict)
        harmed.add_verdict(verdict, suite)
        if verdict.contract == contracts[0] and verdict.status == "unsupported":
            lacks[verdict.reason.removeprefix("the adapter lacks ")] += 1
    release, tally = target.release, Counter(reach[contracts[0]].values())
    judged = tally.total() - tally["unsupported"] - tally["unspecified"]
    data: dict[str, Any] = {
        "target": target.pinned,
        **{name: getattr(target, name) for name in ("title", "home", "about", "kind", "level")},
        **({"design": release.design} if release.design else {}),
        "packages": [*release.pip, *release.npm],
        "released": release.released,
        "scenarios": tally.total(),
        "judged": judged,
        "holds": {
            level: sum(tally[how_far] for how_far in tally if reach_holds_at(how_far, level))
            for level in _LEVELS
        },
        **{name: tally[name] for name in ("error", "unsupported", "unspecified")},
        "lacks": dict(sorted(lacks.items(), key=lambda item: (-item[1], item[0]))),
        "harm": harmed.data(),
        "reach": {contract: pack_results(each) for contract, each in reach.items()},
    }
    if not is_fully_tested(data):
        data["harm"]["sampled"] = by_family(harmed.sessions)
    elif left_out := harmed.sessions - tested_scenarios(data):
        data["harm"]["left_out"] = by_family(left_out)
    return data


def result_data(
    targets: Sequence[Mapping[str, Any]], contracts: Sequence[str], date: str, command: str
) -> dict[str, Any]:
    """Return the content of docs/implementations.json in JSON types. `targets` are the entries of all targets."""
    return {
        "format": FORMAT,
        "contracts": list(contracts),
        "date": date,
        "command": command,
        "levels": list(_LEVELS),
        "scenarios": max((each["scenarios"] for each in targets), default=0),
        "targets": list(targets),
    }


def is_fully_tested(target: Mapping[str, Any]) -> bool:
    """Whether all fully replayed scenarios of a target were tested for harm, according to implementations.json."""
    harm = target["harm"]
    return "sampled" not in harm and bool(harm["sessions"] >= len(tested_scenarios(target)))


def states_tested_scenarios(target: Mapping[str, Any]) -> bool:
    """Whether an entry of implementations.json states the tested scenarios. Only such an entry can be extended."""
    return bool(target["harm"].get("sampled")) or is_fully_tested(target)


def page(data: Mapping[str, Any]) -> str:
    """Return the text of docs/implementations.md. `data` is the result of `result_data`."""
    targets = {each["target"]: each for each in data["targets"]}
    harm = {name: {"harm": harm_data(each["harm"])} for name, each in targets.items()}
    rows = map_rows({"implementations": harm, "versions": {}})
    worst = [
        [prose(row.name), prose(shown[0]["line"]), scenario_link(shown[0]["scenario"])]
        for row in rows
        if (shown := [each for kind, each in targets[row.name]["harm"]["shortest"].items() if kind in HARMS])
    ]
    return markdown(
        template("docs/implementations"),
        data=data,
        rows=[
            [
                link(prose(row.name), targets[row.name]["home"]),
                targets[row.name].get("design", "none fits"),
                f"{row.sessions:,}",
                row.share_text.replace("*", "\\*"),
                *(str(cell.count) for cell in row.cells),
            ]
            for row in rows
        ],
        untried=untested_implementations({"implementations": harm}),
        starred=star_meaning(rows),
        worst=worst,
    )

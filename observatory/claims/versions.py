"""Find the recorded versions that confirm each claim and each rule."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache

from readfirst.harness.compare.level_reached import Cell, ScenarioResult, cell_of, level_of
from readfirst.harness.compare.verdict import Level, up_to
from readfirst.harness.diff.difference import occurrences
from readfirst.harness.diff.sources import ContractSide, has_answers
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.run.process_pool import work_in_processes
from readfirst.harness.suite.contracts import Contract, contract_sort_key
from readfirst.harness.suite.product_versions import version_spans
from readfirst.harness.suite.rules import Rule, Rules
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.claims.claims import Claim, Claims
from readfirst.observatory.claims.evidence import ClaimStatus, RecordingLookup, combine_statuses

_SHOWS: tuple[ClaimStatus, ...] = ("holds", "in other words")


def statuses_by_contract(
    claims: Claims, ids: Collection[str], contracts: Sequence[str], lookup: RecordingLookup
) -> dict[str, dict[str, ClaimStatus]]:
    """Return the status of each claim in `ids`, by claim id and contract. A claim without scenarios has no status."""
    known = {claim.id: claim for claim in claims}

    @cache
    def status(claim_id: str, contract: str) -> ClaimStatus:
        claim = known[claim_id]
        statuses = [lookup.evidence(shown, claim.sources, contract).status for shown in claim.shown_by]
        # Scenarios that were not recorded for the contract are ignored if there are others.
        return combine_statuses([each for each in statuses if each != "not recorded"] or ["not shown"])

    def shows(claim: Claim, contract: str) -> bool:
        return all(status(presumed, contract) in _SHOWS for presumed in claim.presumes)

    return {
        claim.id: {
            name: status(claim.id, name) if shows(claim, name) else "not shown"
            for name in (contracts if claim.shown_by else ())
        }
        for claim in claims
        if claim.id in ids
    }


def describe_versions(statuses: Mapping[str, ClaimStatus]) -> str:
    """Return a text such as `2.0.60 to 2.1.7` with the contracts by status, except those that refute the claim."""
    if not statuses:
        return ""
    spans = list(version_spans(statuses, statuses.__getitem__))
    found = {
        status: [span for span, here in spans if here == status]
        for status in ("holds", "in other words", "partly", "not shown")
    }
    if set(statuses.values()) == {"holds"}:
        return "all recorded versions"
    parts = [", ".join(found["holds"]) or "no recorded version"]
    for status in ("in other words", "partly", "not shown"):
        if found[status]:
            parts.append(f"{status}: {', '.join(found[status])}")
    return "; ".join(parts)


ResultsByVersion = Mapping[str, Mapping[str, ScenarioResult]]
"""For each scenario id and each contract: whether the contract behaves like the default contract in this scenario."""


def rule_cells_by_version(
    rules: Iterable[Rule],
    contracts: Sequence[Contract],
    versions: ResultsByVersion,
    belonging: Mapping[str, Sequence[str]],
) -> dict[str, dict[str, Cell]]:
    """Return, by rule id and contract, in how many scenarios of the rule the contract behaves like the default
    contract. `belonging` contains the scenario ids of each rule.
    """
    found: dict[str, dict[str, Cell]] = {}
    for rule in rules:
        ids = belonging.get(rule.id, ())
        cells = {
            each.name: cell_of(versions[scenario_id][each.name] for scenario_id in ids) for each in contracts
        }
        answers = {
            each.name: tuple(versions[scenario_id][each.name].holds for scenario_id in ids)
            for each in contracts
        }
        found[rule.id] = {
            name: replace(cell, since=_oldest_equal_version(name, answers)) for name, cell in cells.items()
        }
    return found


def _oldest_equal_version(name: str, answers: Mapping[str, object]) -> str:
    """Return the oldest version of the series of consecutive versions with equal `answers` that ends at `name`."""
    variant = name.partition("+")[2]
    track = [
        each for each in answers if each[0].isdigit() and contract_sort_key(each) <= contract_sort_key(name)
    ]
    own = {each for each in track if each.partition("+")[2] == variant}
    first = min(map(contract_sort_key, own), default=contract_sort_key(name))
    track = [
        each
        for each in track
        if each in own or (not each.partition("+")[2] and contract_sort_key(each) < first)
    ]
    since = name
    for each in sorted(track, key=contract_sort_key, reverse=True):
        if answers[each] != answers[name]:
            break
        since = each
    return since


def results_by_version(
    suite: Suite, rules: Rules, ids: Sequence[str] | None = None, *, jobs: int = 1
) -> dict[str, dict[str, ScenarioResult]]:
    """Return whether each contract behaves like the default one, by scenario id and contract. Raises SuiteError."""
    job = _Comparison(suite, {rule.id: level_of(rule.class_) for rule in rules})
    chosen = [each for each in (suite.ids() if ids is None else ids) if suite.heading(each).rule in rules]
    if jobs > 1 and len(chosen) > 1:
        with work_in_processes(job, chosen, jobs) as results:
            return dict(zip(chosen, results, strict=True))
    with job.open() as compare:
        return {each: compare(each) for each in chosen}


@dataclass(frozen=True)
class _Comparison:
    """Compares all contracts with the default contract, at the level of each scenario's rule."""

    suite: Suite
    levels: Mapping[str, Level]

    @contextmanager
    def open(self) -> Iterator[Callable[[str], dict[str, ScenarioResult]]]:
        """Yield a function that compares all contracts in one scenario, and returns a result for each contract."""
        sides = {each.name: ContractSide(self.suite, each) for each in self.suite.contracts}

        def compare(scenario_id: str) -> dict[str, ScenarioResult]:
            scenario = self.suite.scenario(scenario_id)
            return _compare_scenario(scenario, sides, self.levels[scenario.rule])

        yield compare

    def result_for_crash(self, item: str, reason: str, /) -> dict[str, ScenarioResult]:
        """Raise an error, because a worker process ended before it returned the result for the scenario `item`."""
        raise ReadfirstError(f"{item} was not compared: {reason}")


def _compare_scenario(
    scenario: Scenario, sides: Mapping[str, ContractSide], level: Level
) -> dict[str, ScenarioResult]:
    base = sides[scenario.contract]
    transcripts = base.suite.recordings.recording(scenario.id).transcripts
    compared: dict[int, bool | None] = {id(transcripts.get(scenario.contract)): True}
    found = {}
    for name, side in sides.items():
        contract = side.contract
        lacking = bool(contract.recorded and scenario.needs - contract.capabilities)
        holds: bool | None = None
        if not lacking and (name == scenario.contract or name in transcripts or not contract.recorded):
            # Versions with the same answers share a transcript.
            key = id(transcripts.get(name)) if contract.recorded else -1
            if key not in compared:
                compared[key] = None
                if has_answers(side, scenario):
                    changes = occurrences(scenario, base.answers(scenario), side.answers(scenario))
                    compared[key] = not any(each.change.level in up_to(level) for each in changes)
            holds = compared[key]
        found[name] = ScenarioResult(scenario.id, scenario.length, holds, lacking)
    return found

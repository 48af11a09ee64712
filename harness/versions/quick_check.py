"""Compare a version of the product that is not recorded with a recorded version, by replaying only few scenarios."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from packaging.version import Version

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.compare.transcribe import with_current_error_names
from readfirst.harness.diff.diff import Diff, diff
from readfirst.harness.diff.sources import ContractSide
from readfirst.harness.record.confirmation import Confirmation
from readfirst.harness.record.record import replay_scenarios
from readfirst.harness.record.replay_samples import ProductReplayResult, StoredReplays
from readfirst.harness.record.restore_whitespace import restore_whitespace
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Transcript
from readfirst.harness.versions.points import ChangePoint, Histories

UNSTABLE = "two replays gave different answers"
_OWN_SESSION_COST = 6
"""Time of a scenario that needs a separate session, relative to all other scenarios. Used to choose fast scenarios."""
_NEW_VERSION = Version("999")
"""A version after all published versions. Used to find the scenarios that need a separate session on a new version."""


def quick_set(
    suite: Suite, histories: Histories, points: Sequence[ChangePoint], capabilities: Collection[str]
) -> list[str]:
    """Return few, fast scenarios that together show every change of the reference's behaviours, and every rule of the
    suite. Scenarios for the latest changes are first. `points` are the changes. Scenarios that need more than
    `capabilities` are excluded. Raises SuiteError.
    """
    able, cost = capability_check(suite, frozenset(capabilities)), _cost_function(suite)
    chosen = choose_telling_scenarios(histories, points, able, cost)
    headings = [suite.heading(scenario_id) for scenario_id in suite.ids()]
    seen = {heading.rule or heading.family for heading in headings if heading.id in chosen}
    unseen = [heading for heading in headings if (heading.rule or heading.family) not in seen]
    for each in sorted(
        unseen, key=lambda heading: (cost(heading.id), REQUIREMENTS.index(heading.requirement))
    ):
        subject = each.rule or each.family
        if subject not in seen and able(each.id):
            seen.add(subject)
            chosen.add(each.id)
    latest: dict[str, Version] = {}
    for point in points:  # oldest first
        for name in _scenarios_of(point, histories):
            latest[name] = Version(point.version)
    return sorted(sorted(chosen), key=lambda name: latest.get(name, Version("0")), reverse=True)


def _scenarios_of(point: ChangePoint, histories: Histories) -> Sequence[str]:
    """Return the scenarios that show a change: those with different recordings or, if none differ, `shown_by`."""
    return [name for name, _ in point.shown] or histories[point.behaviour].shown_by


def choose_telling_scenarios(
    histories: Histories,
    points: Sequence[ChangePoint],
    able: Callable[[str], bool],
    cost: Callable[[str], int],
) -> set[str]:
    """Return few, fast scenarios that show all `points`, if `able` permits them. `cost` returns a scenario's time."""
    telling = [_scenarios_of(point, histories) for point in points]
    unshown = [names_able for names in telling if (names_able := {*filter(able, names)})]
    chosen: set[str] = set()
    while unshown:  # repeat with the scenario that shows the most remaining changes in its time
        counts = Counter(name for ids in unshown for name in ids)
        best = min(counts, key=lambda name: (-counts[name] / cost(name), name))
        chosen.add(best)
        unshown = [ids for ids in unshown if best not in ids]
    return chosen


def differing_by_model(suite: Suite, ids: Sequence[str], one: Contract, other: Contract) -> list[str]:
    """Return the scenarios whose answers depend on the class of models. `one` and `other` are contracts of the same
    version, one for each class. Raises RecordingError.
    """
    transcripts = ((scenario_id, suite.recordings.recording(scenario_id).transcripts) for scenario_id in ids)
    return [scenario_id for scenario_id, by in transcripts if by.get(one.name) != by.get(other.name)]


def _cost_function(suite: Suite) -> Callable[[str], int]:
    """Return a function that estimates the relative time of a scenario on a new version."""

    @cache
    def cost(scenario_id: str) -> int:
        scenario = suite.scenario(scenario_id, require_expect=False)
        return _OWN_SESSION_COST if needs_own_session(scenario, _NEW_VERSION) else 1

    return cost


def capability_check(suite: Suite, capabilities: frozenset[str]) -> Callable[[str], bool]:
    """Return a predicate for scenarios that exist in the suite and need only these capabilities."""
    ids = frozenset(suite.ids())

    def has_capabilities(scenario_id: str) -> bool:
        return scenario_id in ids and suite.scenario(scenario_id, require_expect=False).needs <= capabilities

    return has_capabilities


@dataclass(frozen=True)
class QuickComparison:
    """Replays few scenarios on a version, and compares the answers with recorded contracts, without changing the suite.
    The replays are stored for a later recording. Only stable answers are compared. `connect` returns the function that
    opens the product of a contract.
    """

    suite: Suite
    takes: StoredReplays
    connect: Callable[[Contract], Callable[[], Adapter]]
    jobs: int = 1
    progress: Callable[[ProductReplayResult], None] = lambda _: None
    first_difference: Callable[[Contract, Diff], None] = lambda *_: None
    """Called once for each contract, as soon as a first replay differs, with the differences of this scenario."""

    def compare(
        self, pairs: Sequence[tuple[Contract, Contract]], ids: Mapping[str, Sequence[str]]
    ) -> list[Diff]:
        """Replay scenarios on the new contract of each pair, and compare the answers with the pair's recorded contract.
        Return one Diff per pair. `ids` contains the scenarios by new contract. Scenarios without a stable answer count
        as errors. Raises AdapterError, SuiteError.
        """
        confirmation = Confirmation(self.suite, self.takes)
        contracts = {contract.name: (contract, before) for contract, before in pairs}
        lost: dict[str, dict[str, str]] = {name: {} for name in contracts}
        unchanged = set(contracts)
        for replay in replay_scenarios(self.suite, ids, self.connect, self.takes, jobs=self.jobs):
            self.progress(replay)
            if replay.status in ("error", "unsupported"):
                lost[replay.contract][replay.scenario_id] = replay.message
            elif replay.contract in unchanged:
                contract, before = contracts[replay.contract]
                once = self._compare_first_replays(contract, before, [replay.scenario_id], {})
                if once.causes:
                    self.first_difference(contract, once)
                    unchanged.remove(contract.name)
        for name, scenario_ids in ids.items():
            for scenario_id in scenario_ids:
                scenario = self.suite.scenario(scenario_id, require_expect=False)
                if confirmation.accepted(scenario, contracts[name][0]) is None:
                    lost[name].setdefault(scenario_id, UNSTABLE)
        return [
            replace(
                self._compare_first_replays(contract, before, ids[contract.name], lost[contract.name]),
                error=len(lost[contract.name]),
            )
            for contract, before in pairs
        ]

    def _compare_first_replays(
        self, contract: Contract, before: Contract, ids: Sequence[str], lost: Mapping[str, str]
    ) -> Diff:
        """Compare first replays with recordings of `before`. `lost`: the reasons for missing replays, by id."""
        replays = {each: self._first_replay(each, contract, before) for each in ids if each not in lost}
        transcripts = {each: transcript for each, transcript in replays.items() if transcript is not None}
        side = ContractSide(self.suite, contract, transcripts, lost)
        return diff(self.suite, ContractSide(self.suite, before), side, ids)

    def _first_replay(self, scenario_id: str, contract: Contract, before: Contract) -> Transcript | None:
        """Return the first replay's transcript, with whitespace restored at the ends of answers. None if missing."""
        scenario = self.suite.scenario(scenario_id, require_expect=False)
        replayed = self.takes.get(scenario, contract, 1)
        if replayed is None:
            return None
        replayed = with_current_error_names(replayed, self.suite.vocabulary)
        previous = self.suite.recordings.recording(scenario_id).transcripts.get(before.name)
        if previous is not None and contract.ignores_outer_whitespace:
            return restore_whitespace(replayed, [previous])
        return replayed

"""Compare a version that is not recorded with a recorded one, by replaying few scenarios."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from packaging.version import Version

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.compare.transcribe import named
from readfirst.harness.diff.diff import Diff, diff
from readfirst.harness.diff.sources import ContractSide
from readfirst.harness.record.confirmation import Confirmation
from readfirst.harness.record.record import take
from readfirst.harness.record.replay_samples import Take, Takes
from readfirst.harness.record.restore_whitespace import restore_whitespace
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Transcript
from readfirst.harness.versions.points import ChangePoint, Histories

UNSTEADY = "two replays gave different answers"


def quick_set(
    suite: Suite, histories: Histories, points: Sequence[ChangePoint], capabilities: Collection[str]
) -> list[str]:
    """Return a small set of scenarios that shows every change of these behaviours, and every rule of the suite.
    Scenarios for the latest changes are first.

    `points` are the changes, with the scenarios whose recordings differ around them. If no recording differs, the
    `shown_by` scenarios of the behaviour are used. Scenarios that need other `capabilities` are excluded. Raises
    SuiteError.
    """
    able = able_to(suite, frozenset(capabilities))
    chosen = telling_set(histories, points, able)
    headings = [suite.heading(scenario_id) for scenario_id in suite.ids()]
    seen = {heading.rule or heading.family for heading in headings if heading.id in chosen}
    for each in sorted(headings, key=lambda heading: REQUIREMENTS.index(heading.requirement)):
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
    """Return the scenarios whose recordings differ around a change. Default: the behaviour's `shown_by`."""
    return [name for name, _ in point.shown] or histories[point.behaviour].shown_by


def telling_set(
    histories: Histories,
    points: Sequence[ChangePoint],
    able: Callable[[str], bool],
) -> set[str]:
    """Return a small set of scenarios that shows every change in `points`. All of them are accepted by `able`."""
    telling = [_scenarios_of(point, histories) for point in points]
    unshown = [names_able for names in telling if (names_able := {*filter(able, names)})]
    chosen: set[str] = set()
    while unshown:  # repeat with the scenario that shows the most remaining changes
        counts = Counter(name for ids in unshown for name in ids)
        best = min(counts, key=lambda name: (-counts[name], name))
        chosen.add(best)
        unshown = [ids for ids in unshown if best not in ids]
    return chosen


def able_to(suite: Suite, capabilities: frozenset[str]) -> Callable[[str], bool]:
    """Return a function that checks whether a scenario exists in the suite and needs only these capabilities."""
    ids = frozenset(suite.ids())

    def has_capabilities(scenario_id: str) -> bool:
        return scenario_id in ids and suite.scenario(scenario_id, require_expect=False).needs <= capabilities

    return has_capabilities


@dataclass(frozen=True)
class Look:
    """Replays scenarios on a version, and compares the answers with a recorded contract, without changing the suite.

    The replays are stored, so that a later recording can use them. Answers that no neighbouring contract confirms are
    replayed twice, because only stable answers are compared. `connect` returns the function that opens the product of a
    contract.
    """

    suite: Suite
    takes: Takes
    connect: Callable[[Contract], Callable[[], Adapter]]
    jobs: int = 1
    progress: Callable[[Take], None] = lambda _: None
    first_difference: Callable[[Contract, Diff], None] = lambda *_: None
    """Called once, with the differences of the first scenario whose first replay differs from the contract."""

    def at(self, contract: Contract, before: Contract, ids: Sequence[str]) -> Diff:
        """Return the differences between `contract` and the recorded contract `before`. Scenarios without a stable
        answer count as broken. Raises BrokenAdapter, SuiteError.
        """
        confirmation = Confirmation(self.suite, self.takes)
        before_side, lost, is_first = ContractSide(self.suite, before), dict[str, str](), True
        for replay in take(self.suite, {contract.name: ids}, self.connect, self.takes, jobs=self.jobs):
            self.progress(replay)
            if replay.status in ("broken", "unsupported"):
                lost[replay.scenario_id] = replay.message
            elif is_first and (transcript := self._first_replay(replay.scenario_id, contract, before)):
                side = ContractSide(self.suite, contract, {replay.scenario_id: transcript})
                once = diff(self.suite, before_side, side, [replay.scenario_id])
                if once.causes:
                    self.first_difference(contract, once)
                    is_first = False
        transcripts = {}
        for scenario_id in ids:
            scenario = self.suite.scenario(scenario_id, require_expect=False)
            if scenario_id in lost or confirmation.accepted(scenario, contract) is None:
                lost.setdefault(scenario_id, UNSTEADY)
            elif (transcript := self._first_replay(scenario_id, contract, before)) is not None:
                transcripts[scenario_id] = transcript
        changed = diff(self.suite, before_side, ContractSide(self.suite, contract, transcripts, lost), ids)
        return replace(changed, broken=len(lost))

    def _first_replay(self, scenario_id: str, contract: Contract, before: Contract) -> Transcript | None:
        """Return the transcript of the first replay. If the contract ignores outer whitespace, that of equal answers of
        `before` is restored. None without a replay.
        """
        scenario = self.suite.scenario(scenario_id, require_expect=False)
        replayed = self.takes.get(scenario, contract, 1)
        if replayed is None:
            return None
        replayed = named(replayed, self.suite.vocabulary)
        previous = self.suite.recordings.recording(scenario_id).transcripts.get(before.name)
        if previous is not None and contract.ignores_outer_whitespace:
            return restore_whitespace(replayed, [previous])
        return replayed

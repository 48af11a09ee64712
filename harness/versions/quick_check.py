"""Quick: a first look at a version that nobody has recorded, with few scenarios: does it do anything else?"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from packaging.version import Version

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.diff.diff import Diff, diff
from readfirst.harness.diff.sources import ContractSide, TakenSide
from readfirst.harness.record.confirmation import Confirmation
from readfirst.harness.record.record import take
from readfirst.harness.record.replay_samples import Take, Takes
from readfirst.harness.record.restore_whitespace import restored
from readfirst.harness.record.transcribe import named
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Transcript
from readfirst.harness.versions.points import ChangePoint, Histories

UNSTEADY = "two replays gave different answers"


def quick_set(
    suite: Suite, histories: Histories, points: Sequence[ChangePoint], capabilities: Collection[str]
) -> list[str]:
    """Return few scenarios that show every change of these behaviours, and every rule of the suite.

    Those that show the latest changes come first. `points` are the changes, with the scenarios whose recordings differ
    around each; of a change that is not recorded, the scenarios of the behaviour's `shown_by` count. Scenarios that
    need more than `capabilities` are left out. Raises SuiteError.
    """
    able = able_to(suite, frozenset(capabilities))
    chosen = telling_set(histories, points, able)
    headings = [suite.heading(each) for each in suite.ids()]
    seen = {each.rule or each.family for each in headings if each.id in chosen}
    for each in sorted(headings, key=lambda each: REQUIREMENTS.index(each.requirement)):
        subject = each.rule or each.family
        if subject not in seen and able(each.id):
            seen.add(subject)
            chosen.add(each.id)
    latest: dict[str, Version] = {}
    for point in points:  # oldest first
        for name in _shown_by(point, histories):
            latest[name] = Version(point.version)
    return sorted(sorted(chosen), key=lambda name: latest.get(name, Version("0")), reverse=True)


def _shown_by(point: ChangePoint, histories: Histories) -> Sequence[str]:
    """Return the scenarios whose recordings differ around a change; without any, those that are to show it."""
    return [name for name, _ in point.shown] or histories[point.behaviour].shown_by


def telling_set(
    histories: Histories,
    points: Sequence[ChangePoint],
    able: Callable[[str], bool],
) -> set[str]:
    """Return few scenarios that show every change of these behaviours, of those that are `able` to be asked.

    `points` are as for `quick_set`.
    """
    telling = [_shown_by(each, histories) for each in points]
    left = [found for names in telling if (found := {*filter(able, names)})]
    chosen: set[str] = set()
    while left:  # again and again the one that shows most of the rest
        counts = Counter(name for each in left for name in each)
        best = min(counts, key=lambda name: (-counts[name], name))
        chosen.add(best)
        left = [each for each in left if best not in each]
    return chosen


def able_to(suite: Suite, capabilities: frozenset[str]) -> Callable[[str], bool]:
    """Return what tells whether a suite has a scenario, and it needs no more than these capabilities."""
    ids = frozenset(suite.ids())

    def able(scenario_id: str) -> bool:
        return scenario_id in ids and suite.scenario(scenario_id, require_expect=False).needs <= capabilities

    return able


@dataclass(frozen=True)
class Look:
    """A look at a version with some scenarios, compared with a recorded contract; nothing of the suite is written.

    The takes are those of a recording, which goes on from them. An answer that no neighbouring contract confirms is
    replayed twice, so that only steady answers count. `connect` says how the product is opened.
    """

    suite: Suite
    takes: Takes
    connect: Callable[[Contract], Callable[[], Adapter]]
    jobs: int = 1
    progress: Callable[[Take], None] = lambda _: None
    first_difference: Callable[[Contract, Diff], None] = lambda *_: None
    """Called for the first scenario that differs on a contract, as soon as it was replayed once."""

    def at(self, contract: Contract, before: Contract, ids: Sequence[str]) -> Diff:
        """Return what differs. Scenarios without a steady answer count as broken. Raises BrokenAdapter, SuiteError."""
        confirmation = Confirmation(self.suite, self.takes)
        before_side, lost, is_first = ContractSide(self.suite, before), dict[str, str](), True
        for each in take(self.suite, {contract.name: ids}, self.connect, self.takes, jobs=self.jobs):
            self.progress(each)
            if each.status in ("broken", "unsupported"):
                lost[each.scenario_id] = each.message
            elif is_first and (transcript := self._replayed(each.scenario_id, contract, before)):
                side = TakenSide(contract, {each.scenario_id: transcript}, {})
                once = diff(self.suite, before_side, side, [each.scenario_id])
                if once.causes:
                    self.first_difference(contract, once)
                    is_first = False
        found = {}
        for scenario_id in ids:
            scenario = self.suite.scenario(scenario_id, require_expect=False)
            if scenario_id in lost or confirmation.accepted(scenario, contract) is None:
                lost.setdefault(scenario_id, UNSTEADY)
            elif (transcript := self._replayed(scenario_id, contract, before)) is not None:
                found[scenario_id] = transcript
        changed = diff(self.suite, before_side, TakenSide(contract, found, lost), ids)
        return replace(changed, broken=len(lost))

    def _replayed(self, scenario_id: str, contract: Contract, before: Contract) -> Transcript | None:
        """Return the first replay; where outer whitespace is ignored, with that of the same answer before."""
        scenario = self.suite.scenario(scenario_id, require_expect=False)
        replayed = self.takes.get(scenario, contract, 1)
        if replayed is None:
            return None
        replayed = named(replayed, self.suite.vocabulary)
        known = self.suite.recordings.recording(scenario_id).transcripts.get(before.name)
        if known is not None and contract.ignores_outer_whitespace:
            return restored(replayed, [known])
        return replayed

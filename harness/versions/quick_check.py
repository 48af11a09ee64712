"""Quick: a first look at a version that nobody has recorded, with few scenarios: does it do anything else?"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.diff.diff import Diff, diff
from readfirst.harness.diff.sources import ContractSide, TakenSide
from readfirst.harness.record.record import take
from readfirst.harness.record.replay_samples import NUMBERS, Take, Takes
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
    """Return few scenarios that show every change of these behaviours, and every rule of the suite; sorted.

    `points` are the changes, with the scenarios whose recordings differ around each; of one that nobody recorded,
    what the behaviour is `shown_by` counts. Scenarios that need more than `capabilities` are left out. Raises
    SuiteError.
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
    return sorted(chosen)


def telling_set(
    histories: Histories,
    points: Sequence[ChangePoint],
    able: Callable[[str], bool],
) -> set[str]:
    """Return few scenarios that show every change of these behaviours, of those that are `able` to be asked.

    `points` are as for `quick_set`.
    """
    telling = [[name for name, _ in each.shown] or histories[each.behaviour].shown_by for each in points]
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

    Each scenario is replayed once, and what differs a second time, so that only what is steady counts. The takes are
    those of a recording, which goes on from them. `connect` says how the product is opened.
    """

    suite: Suite
    takes: Takes
    connect: Callable[[Contract], Callable[[], Adapter]]
    jobs: int = 1
    progress: Callable[[Take], None] = lambda _: None

    def at(self, contract: Contract, before: Contract, ids: Sequence[str]) -> Diff:
        """Return what differs. Scenarios without a steady answer count as broken. Raises BrokenAdapter, SuiteError."""
        recorded = ContractSide(self.suite, before)
        first, second = NUMBERS
        lost = self._taken(contract, ids, first)
        found = {
            each: seen
            for each in ids
            if each not in lost and (seen := self._transcript(each, contract, before, first)) is not None
        }
        once = diff(self.suite, recorded, TakenSide(contract, found, lost), ids)
        doubtful = sorted(once.differing)
        lost.update(self._taken(contract, doubtful, second))
        for each in doubtful:
            if each not in lost and self._transcript(each, contract, before, second) != found[each]:
                lost[each] = UNSTEADY
        kept = {each: transcript for each, transcript in found.items() if each not in lost}
        changed = diff(self.suite, recorded, TakenSide(contract, kept, lost), ids)
        return replace(changed, broken=len(lost))

    def _taken(self, contract: Contract, ids: Sequence[str], number: int) -> dict[str, str]:
        """Replay scenarios, and return why some gave nothing."""
        lost = {}
        for each in take(
            self.suite, {contract.name: ids}, self.connect, self.takes, jobs=self.jobs, numbers=(number,)
        ):
            self.progress(each)
            if each.status in ("broken", "unsupported"):
                lost[each.scenario_id] = each.message
        return lost

    def _transcript(
        self, scenario_id: str, contract: Contract, before: Contract, number: int
    ) -> Transcript | None:
        """Return what was taken; where outer whitespace is ignored, with that of the same answers before."""
        scenario = self.suite.scenario(scenario_id, require_expect=False)
        taken = self.takes.get(scenario, contract, number)
        if taken is None:
            return None
        found = named(taken, self.suite.vocabulary)
        known = self.suite.recordings.recording(scenario_id).transcripts.get(before.name)
        return restored(found, [known]) if known is not None and contract.ignores_outer_whitespace else found

"""Alone: a generated scenario judged by harm, with nothing beside the target."""

from __future__ import annotations

from collections.abc import Sequence

from readfirst.harness.fuzz.campaign import Duel
from readfirst.harness.fuzz.disagree import Cause, Disagreement
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.session import Adapter
from readfirst.harness.suite.harm_kinds import HARMS
from readfirst.harness.suite.scenario import Scenario, calls_of
from readfirst.harness.suite.vocabulary import Vocabulary
from readfirst.harness.workspace.site import SitePool


class Alone(Duel):
    """Replays one scenario on the target and returns the first harm; counts the steps, and the calls that change files.

    `asked` are these calls, `answered` those that were not refused: who refuses all of them harms nobody, and nobody
    can tell that it is safe.
    """

    def __init__(self, target: Adapter, place: SitePool, vocabulary: Vocabulary) -> None:
        super().__init__(target, target, place, "safe", vocabulary, "itself")
        self.asked = 0
        self.answered = 0

    def differences(self, scenario: Scenario) -> Sequence[Disagreement]:
        """Replay and return the first harm. Raises BrokenAdapter where the target broke again and again."""
        outcome = self._on_target(scenario)
        self._count(scenario, outcome)
        found = next((each for each in harms_of(scenario, outcome) if each.kind in HARMS), None)
        self.scenarios += 1
        self.steps += len(outcome.steps) if found is None else found.step + 1
        if found is None:
            return ()
        calls = calls_of(scenario.steps[found.step])
        tool = calls[min(found.call, len(calls) - 1)].tool if calls else "afterwards"
        cause = Cause(tool, "safe", "", found.kind)
        return (Disagreement(cause, found.step, found.call, found.line, found.before, found.after),)

    def _count(self, scenario: Scenario, outcome: Outcome) -> None:
        for step, happened in zip(scenario.steps, outcome.steps, strict=False):
            for call, result in zip(calls_of(step), happened.results, strict=False):
                if call.tool != "Read":
                    self.asked += 1
                    self.answered += not result.is_error

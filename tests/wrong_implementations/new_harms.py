"""What a wrong implementation harms in a scenario, and a right one does not."""

from functools import cache
from pathlib import Path

import altered

from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.harm.overcautious import overcautious
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

SUITE = Suite(Path(__file__).parents[2] / "fixtures")

NOTHING_LOST = "it edits the file as it is now, so every change of others is kept"
SHOWN_OTHERWISE = "it edits what the session was shown, by a command, a mention or another name"
TOO_CAREFUL = "it refuses what some contracts refuse as well, so nobody can call it overcautious"
SHOWN = "what the model is told beside answers changes no byte"
CONVENTION = "what it does is a convention of other tools, and every byte is accounted for"
NOTHING_THERE = "the file that it changes unread is empty, or gets the bytes that it has"
CHANGES_NOTHING = "the Read that it answers wrongly changes nothing, and shows nothing of a closed file"
OWN_OR_SHOWN = "the session was shown all that it replaces, or wrote it itself"


def new_harms(scenario_id: str, outcome: Outcome) -> list[Harm]:
    """Return what an outcome harms, without what the reference harms at the same steps in the same way."""
    scenario = SUITE.scenario(scenario_id)
    transcripts = SUITE.recordings.of(scenario_id, scenario.inputs).transcripts
    recorded = [transcripts[each.name] for each in SUITE.contracts if each.name in transcripts]
    found = [*harms_of(scenario, outcome), *overcautious(scenario, outcome, recorded)]
    return [each for each in found if each not in _of_the_reference(scenario_id)]


@cache
def _of_the_reference(scenario_id: str) -> tuple[Harm, ...]:
    scenario = SUITE.scenario(scenario_id)
    with SitePool(memory=True) as place:
        return harms_of(scenario, replay(scenario, altered.Altered, place))

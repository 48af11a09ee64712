"""Detect overcautious refusals: the implementation refuses a call that every recorded contract answers."""

from collections.abc import Iterable, Iterator

from readfirst.harness.harm.harm import Harm, excerpt
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import Scenario, calls_of
from readfirst.harness.suite.transcript import Transcript, courses_of

_UNNOTICED_CHANGE = " (the file changed without a newer time, which the contracts do not notice)"


def refuses_as_expected(scenario: Scenario, outcome: Outcome) -> bool:
    """Whether the session refused exactly the calls that the scenario's contract refuses. False without a recording."""
    for step, step_outcome in zip(scenario.steps, outcome.steps, strict=False):
        for call, result in zip(calls_of(step), step_outcome.results, strict=False):
            expected = call.expect.recorded
            if expected is None or (expected.error is not None) != result.is_error:
                return False
    return True


def check_overcautious(
    scenario: Scenario, outcome: Outcome, recorded: Iterable[Transcript]
) -> Iterator[Harm]:
    """Yield a harm for each refused call that every contract answers. `recorded` contains the transcripts of all
    contracts. A contract is used up to the first step whose refused calls differ between contract and session.
    """
    courses = [*courses_of(recorded)]
    message = -1
    changed: set[str] = set()
    """Files that other programs changed since the latest call about them."""
    for index, (step, step_outcome) in enumerate(zip(scenario.steps, outcome.steps, strict=False)):
        calls = calls_of(step)
        if not calls:
            changes = step_outcome.changes.items()
            changed |= {path for path, entry in changes if isinstance(entry, RegularFile)}
            continue
        message += 1
        courses = [
            course for course in courses if len(course) > message and len(course[message]) == len(calls)
        ]
        if not courses:
            return
        for number, (call, result) in enumerate(zip(calls, step_outcome.results, strict=False)):
            if result.is_error and not any(course[message][number] for course in courses):
                path = call.path.removeprefix("$WS/")
                why = _UNNOTICED_CHANGE if path in changed else ""
                what = f"{call.tool} was refused, which every contract answers{why}: {excerpt(result.text)}"
                yield Harm(index, number, "overcautious", path, what)
        changed -= {call.path.removeprefix("$WS/") for call in calls}
        refused = tuple(result.is_error for result in step_outcome.results)
        courses = [course for course in courses if course[message] == refused]

"""Detect overcautious refusals: calls that are refused although every recorded contract answers them."""

from collections.abc import Iterable, Iterator

from readfirst.harness.harm.harm import Harm, excerpt
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import Scenario, calls_of
from readfirst.harness.suite.transcript import Transcript, courses_of

_TIMES = " (the file changed without a newer time, which the contracts do not notice)"


def refuses_as_expected(scenario: Scenario, outcome: Outcome) -> bool:
    """Whether exactly the calls were refused that the own contract's recording refuses. False without one."""
    for step, outcome_of_step in zip(scenario.steps, outcome.steps, strict=False):
        for call, result in zip(calls_of(step), outcome_of_step.results, strict=False):
            expected = call.expect.recorded
            if expected is None or (expected.error is not None) != result.is_error:
                return False
    return True


def check_overcautious(
    scenario: Scenario, outcome: Outcome, recorded: Iterable[Transcript]
) -> Iterator[Harm]:
    """Yield a harm for each call that this implementation refuses although every contract answers it. `recorded`
    contains the transcripts of all contracts.

    At each step, only those contracts are compared that refused and answered the same calls in all earlier steps: the
    others are in a different state. The search stops if no such contract remains.
    """
    courses = [*courses_of(recorded)]
    message = -1
    changed: set[str] = set()
    """Files that other programs changed since the latest call about them."""
    for index, (step, step_outcome) in enumerate(zip(scenario.steps, outcome.steps, strict=False)):
        calls = calls_of(step)
        if not calls:
            changed |= {
                path for path, entry in step_outcome.changes.items() if isinstance(entry, RegularFile)
            }
            continue
        message += 1
        courses = [
            course for course in courses if message < len(course) and len(course[message]) == len(calls)
        ]
        if not courses:
            return
        for number, (call, result) in enumerate(zip(calls, step_outcome.results, strict=False)):
            if result.is_error and not any(course[message][number] for course in courses):
                path = call.path.removeprefix("$WS/")
                why = _TIMES if path in changed else ""
                what = f"{call.tool} was refused, which every contract answers{why}: {excerpt(result.text)}"
                yield Harm(index, number, "overcautious", path, what)
        changed -= {call.path.removeprefix("$WS/") for call in calls}
        refused = tuple(result.is_error for result in step_outcome.results)
        courses = [course for course in courses if course[message] == refused]

"""Overcautious: calls that were refused though every contract answers them, as the recordings say."""

from collections.abc import Iterable, Iterator

from readfirst.harness.harm.harm import Harm, excerpt
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.scenario import Scenario, calls_of
from readfirst.harness.suite.transcript import Transcript, courses_of


def refuses_as_expected(scenario: Scenario, outcome: Outcome) -> bool:
    """Whether each call was refused or answered as the scenario's own contract was recorded to do."""
    for step, happened in zip(scenario.steps, outcome.steps, strict=False):
        for call, result in zip(calls_of(step), happened.results, strict=False):
            expected = call.expect.recorded
            if expected is None or (expected.error is not None) != result.is_error:
                return False
    return True


def overcautious(scenario: Scenario, outcome: Outcome, recorded: Iterable[Transcript]) -> Iterator[Harm]:
    """Yield the calls that only this implementation refuses; `recorded` is what each contract did.

    Only contracts that refused and answered alike so far count: after another course of things nobody knows what they
    would do. Once none is left nothing more is yielded.
    """
    alike = [*courses_of(recorded)]
    message = -1
    for index, (step, happened) in enumerate(zip(scenario.steps, outcome.steps, strict=False)):
        calls = calls_of(step)
        if not calls:
            continue
        message += 1
        alike = [course for course in alike if message < len(course) and len(course[message]) == len(calls)]
        if not alike:
            return
        for number, (call, result) in enumerate(zip(calls, happened.results, strict=False)):
            if result.is_error and not any(course[message][number] for course in alike):
                what = f"{call.tool} was refused, which every contract answers: {excerpt(result.text)}"
                yield Harm(index, number, "overcautious", call.path.removeprefix("$WS/"), what)
        refused = tuple(result.is_error for result in happened.results)
        alike = [course for course in alike if course[message] == refused]

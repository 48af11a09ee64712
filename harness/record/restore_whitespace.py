"""Outer whitespace: put back what a reminder after every answer stripped from the recordings of some models."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from readfirst.harness.suite.contracts import Contracts, UnknownContractError, order
from readfirst.harness.suite.transcript import RecordedResult, Transcript
from readfirst.harness.suite.unwrap_host_text import without_outer_whitespace


def with_outer_whitespace(
    transcripts: Mapping[str, Transcript], contracts: Contracts
) -> dict[str, Transcript]:
    """Return the transcripts of a scenario, by contract, each answer with its outer whitespace where it is known.

    An answer of a contract that ignores outer whitespace gets that of the same answer on the closest contract that
    compares them: on the same version first. One that no such contract gave stays as it is, and so does what was
    recorded of a contract that the suite does not have.
    """
    ignoring = {name: ignores for name in transcripts if (ignores := _ignores(name, contracts)) is not None}
    names = sorted(ignoring, key=order)
    exact = [name for name in names if not ignoring[name]]

    def closest(name: str) -> list[Transcript]:
        def distance(other: str) -> tuple[bool, int]:
            same_version = order(name)[0] == order(other)[0]
            return not same_version, abs(names.index(name) - names.index(other))

        return [transcripts[other] for other in sorted(exact, key=distance)]

    return {
        name: restored(each, closest(name)) if ignoring.get(name) else each
        for name, each in transcripts.items()
    }


def _ignores(name: str, contracts: Contracts) -> bool | None:
    """Whether a contract ignores outer whitespace; None if the suite does not have it."""
    try:
        return contracts.find(name).ignores_outer_whitespace
    except UnknownContractError:
        return None


def restored(transcript: Transcript, others: Sequence[Transcript]) -> Transcript:
    """Return a transcript, each answer with the outer whitespace of the first of the others that answers the same."""
    steps = []
    for place, step in enumerate(transcript.steps):
        known = [other.steps[place].results for other in others]
        results = tuple(
            next(
                (other[number] for other in known if _same_but_for_whitespace(result, other[number])), result
            )
            for number, result in enumerate(step.results)
        )
        steps.append(replace(step, results=results))
    return Transcript(tuple(steps))


def _same_but_for_whitespace(one: RecordedResult, other: RecordedResult) -> bool:
    one, other = (replace(each, text=without_outer_whitespace(each.text)) for each in (one, other))
    return one == other

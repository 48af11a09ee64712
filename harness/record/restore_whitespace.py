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
    compares them, on the same version first, or else that of the closest older contract that ignores it, too. One
    that no such contract gave stays as it is, and so does what was recorded of a contract that the suite does not
    have.
    """
    ignoring = {name: ignores for name in transcripts if (ignores := _ignores(name, contracts)) is not None}
    names = sorted(ignoring, key=order)
    exact = [name for name in names if not ignoring[name]]

    result = dict(transcripts)

    def closest(name: str) -> list[Transcript]:
        def distance(other: str) -> tuple[bool, int]:
            same_version = order(name)[0] == order(other)[0]
            return not same_version, abs(names.index(name) - names.index(other))

        return [transcripts[other] for other in sorted(exact, key=distance)]

    for number, name in enumerate(names):
        if ignoring[name]:
            older = [result[other] for other in reversed(names[:number]) if ignoring[other]]
            result[name] = restored(transcripts[name], closest(name), older)
    return result


def _ignores(name: str, contracts: Contracts) -> bool | None:
    """Whether a contract ignores outer whitespace; None if the suite does not have it."""
    try:
        return contracts.find(name).ignores_outer_whitespace
    except UnknownContractError:
        return None


def restored(
    transcript: Transcript, others: Sequence[Transcript], stripped: Sequence[Transcript] = ()
) -> Transcript:
    """Return a transcript, each answer with the outer whitespace of the first of the others that answers the same.

    Of those whose answers may have been `stripped`, only answers with outer whitespace count.
    """
    steps = []
    for place, step in enumerate(transcript.steps):
        whole = []
        for number, result in enumerate(step.results):
            known = [other.steps[place].results[number] for other in others]
            padded = [each for other in stripped if _is_padded(each := other.steps[place].results[number])]
            same = (each for each in [*known, *padded] if _same_but_for_whitespace(result, each))
            whole.append(next(same, result))
        steps.append(replace(step, results=tuple(whole)))
    return Transcript(tuple(steps))


def _is_padded(result: RecordedResult) -> bool:
    return result.text != without_outer_whitespace(result.text)


def _same_but_for_whitespace(one: RecordedResult, other: RecordedResult) -> bool:
    one, other = (replace(each, text=without_outer_whitespace(each.text)) for each in (one, other))
    return one == other

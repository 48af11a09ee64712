"""Restore the whitespace at both ends of recorded answers. The product strips this whitespace for some models."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from readfirst.harness.suite.contracts import Contracts, UnknownContractError, contract_sort_key
from readfirst.harness.suite.transcript import RecordedResult, Transcript
from readfirst.harness.suite.unwrap_host_text import without_outer_whitespace


def with_outer_whitespace(
    transcripts: Mapping[str, Transcript], contracts: Contracts
) -> dict[str, Transcript]:
    """Return a scenario's transcripts, by contract, with restored whitespace at both ends of answers (outer
    whitespace). Only the transcripts of contracts that ignore outer whitespace are changed. The whitespace is copied
    from the answer of another contract with the same text: of the same version, otherwise of the nearest contract.
    """
    ignoring = {
        name: ignores for name in transcripts if (ignores := _ignores_whitespace(name, contracts)) is not None
    }
    names = sorted(ignoring, key=contract_sort_key)
    exact = [name for name in names if not ignoring[name]]

    result = dict(transcripts)

    def closest_first(name: str) -> list[Transcript]:
        def distance_to(other: str) -> tuple[bool, int]:
            same_version = contract_sort_key(name)[0] == contract_sort_key(other)[0]
            return not same_version, abs(names.index(name) - names.index(other))

        return [transcripts[other] for other in sorted(exact, key=distance_to)]

    for number, name in enumerate(names):
        if ignoring[name]:
            older = [result[other] for other in reversed(names[:number]) if ignoring[other]]
            result[name] = restore_whitespace(transcripts[name], closest_first(name), older)
    return result


def _ignores_whitespace(name: str, contracts: Contracts) -> bool | None:
    """Whether a contract ignores outer whitespace. None if the suite does not list the contract."""
    try:
        return contracts.find(name).ignores_outer_whitespace
    except UnknownContractError:
        return None


def restore_whitespace(
    transcript: Transcript, others: Sequence[Transcript], stripped: Sequence[Transcript] = ()
) -> Transcript:
    """Return the transcript with whitespace restored at both ends of its answers. The whitespace is copied from another
    transcript's answer to the same call with the same text. `others` are searched first. In `stripped`, the product may
    have removed whitespace, so only answers that have whitespace are used.
    """
    steps = []
    for index, step in enumerate(transcript.steps):
        results = []
        for answer, result in enumerate(step.results):
            exact = [other.steps[index].results[answer] for other in others]
            others_stripped = [other.steps[index].results[answer] for other in stripped]
            padded = [
                other for other in others_stripped if other.text != without_outer_whitespace(other.text)
            ]
            equal = (other for other in [*exact, *padded] if _stripped(other) == _stripped(result))
            results.append(next(equal, result))
        steps.append(replace(step, results=tuple(results)))
    return Transcript(tuple(steps))


def _stripped(result: RecordedResult) -> RecordedResult:
    return replace(result, text=without_outer_whitespace(result.text))

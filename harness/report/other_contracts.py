"""Other contracts: what they expect at a step, one row for each distinct answer with the versions that give it."""

from collections.abc import Iterator, Sequence

from readfirst.harness.report.step import brief_entry
from readfirst.harness.report.visible import visible
from readfirst.harness.suite.contracts import order
from readfirst.harness.suite.expected import seen_by
from readfirst.harness.suite.releases import version_spans
from readfirst.harness.suite.scenario import (
    CallIndex,
    Clause,
    Expectation,
    ParallelCalls,
    Scenario,
    TextDigest,
    ToolCall,
)
from readfirst.harness.suite.transcript import Recording

_WIDEST = 88
"""Characters of an answer that a row shows."""


class OtherContracts:
    """The recorded answers to one scenario, by place; `scenario` as its file states it."""

    def __init__(self, scenario: Scenario, recording: Recording) -> None:
        self._names = sorted(recording.transcripts, key=order)
        self._own = scenario.contract
        self._answers: dict[CallIndex, dict[str, Clause | None]] = {}
        for name in self._names:
            seen = seen_by(scenario, name, recording.transcripts[name])
            for place, expect in _places(seen):
                self._answers.setdefault(place, {})[name] = expect.recorded

    def rows(self, place: CallIndex) -> Iterator[str]:
        """Yield the rows of a table: versions, whether they refuse, and what they say and change.

        Versions that answer as the scenario's own contract does are named first. Nothing is yielded where all do.
        """
        groups: dict[object, list[str]] = {}
        clauses: dict[object, Clause | None] = {}
        for name, clause in self._answers.get(place, {}).items():
            key: object = (
                None if clause is None else (clause.error, clause.text, tuple(sorted(clause.files.items())))
            )
            groups.setdefault(key, []).append(name)
            clauses[key] = clause
        own = next((key for key, names in groups.items() if self._own in names), None)
        if len(groups) < 2:
            return
        ranges = {key: version_ranges(names, self._names) for key, names in groups.items()}
        width = max(map(len, ranges.values()))
        yield f"{ranges[own]:{width}}  as above"
        for key, clause in clauses.items():
            if key != own:
                yield f"{ranges[key]:{width}}  {_brief(clause)}"


def version_ranges(names: Sequence[str], recorded: Sequence[str]) -> str:
    """Return versions as ranges: `1.0.60 to 2.1.40` is all that were recorded from the one to the other."""
    spans = version_spans(sorted(recorded, key=order), names.__contains__)
    return ", ".join(span for span, is_named in spans if is_named)


def _places(scenario: Scenario) -> Iterator[tuple[CallIndex, Expectation]]:
    for index, step in enumerate(scenario.steps):
        match step:
            case ToolCall():
                yield (index, None), step.expect
            case ParallelCalls(calls=calls):
                for number, call in enumerate(calls):
                    yield (index, number), call.expect
                yield (index, None), step.expect
            case _:
                pass


def _brief(clause: Clause | None) -> str:
    """Return an answer in one line."""
    if clause is None:
        return "changes no file"
    parts = [] if clause.error is None else [f"refused: {clause.error}"]
    match clause.text:
        case str() as text:
            parts.append(_cut(visible(text)))
        case TextDigest(starts=str() as starts):
            parts.append(f"{_cut(visible(starts))} …")
        case TextDigest(lines=lines):
            parts.append(f"a text of {lines} lines")
        case None:
            pass
    parts += (
        f"{visible(path)} is gone" if entry is None else brief_entry(path, entry)
        for path, entry in clause.files.items()
    )
    return "; ".join(parts)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"

"""From an outcome to what is kept of it: the transcript, and the clause that states it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from harness.emit import Value
from harness.entry import Directory, Entry, RegularFile, Symlink
from harness.expected_files import file_differences
from harness.expected_text import text_differences
from harness.host_text import answer_of
from harness.outcome import Outcome, StepOutcome
from harness.recordings import Transcript, TranscriptStep
from harness.scenario import Clause, ParallelCalls, Scenario, TextDigest, ToolCall
from harness.session import ToolResult
from harness.vocabulary import Vocabulary

__all__ = ["Effects", "Observation", "UnnamedError", "observations", "transcribe"]

_LONG = 4096
"""Longer texts (characters) and files (bytes) are stated by digest."""

_SHOWN = 200


class UnnamedError(Exception):
    """The product refused with words that `errors.yaml` does not know."""


@dataclass(frozen=True, slots=True)
class Effects:
    """What one step changed on disk: `changes` of all, `world` by the harness itself, against `before`."""

    before: Mapping[str, Entry] = field(default_factory=dict)
    changes: Mapping[str, Entry | None] = field(default_factory=dict)
    world: Mapping[str, Entry | None] = field(default_factory=dict)

    def own(self) -> dict[str, Entry | None]:
        """Return what the product changed, beside the world events that struck during the call."""
        own: dict[str, Entry | None] = {}
        for path in sorted({*self.changes, *self.world}):
            struck = self.world.get(path, self.before.get(path))
            after = self.changes.get(path, self.before.get(path))
            if struck != after:
                own[path] = after
        return own

    def stated(self) -> dict[str, Value]:
        """Return the `files` of a clause that states it: new parent directories are implied by a new file."""
        own = self.own()
        return {
            path: self._value(path, entry)
            for path, entry in own.items()
            if not (
                isinstance(entry, Directory)
                and path not in self.before
                and any(other.startswith(f"{path}/") for other in own)
            )
        }

    def _value(self, path: str, entry: Entry | None) -> Value:
        old, now = _mode_of(self.before.get(path)), _mode_of(entry)
        mode: dict[str, Value] = {}
        if path in self.before and now is not None and now != old:
            mode = {"mode": f"{now:04o}"}
        match entry:
            case None:
                return None
            case Symlink(target=target):
                return {"symlink": target}
            case RegularFile():
                value = _content_value(entry.data)
                if not mode:
                    return value
                return {**({"text": value} if isinstance(value, str) else value), **mode}
            case _:
                return {"directory": True, **mode}


@dataclass(frozen=True, slots=True)
class Observation:
    """What one call, or one parallel group (no text, effects only), gave, in the terms of a clause.

    `beginning` is what of the text a clause states, where data of the product's own follows it.
    """

    error: str | None = None
    text: str | None = None
    effects: Effects = Effects()
    beginning: str | None = None

    def agrees(self, clause: Clause) -> bool:
        """Whether the clause states all of this: a text that is left out does not agree with one that came.

        Of a text without its digest only a beginning may be pinned; an end or a number of lines leaves a hole.
        """
        if self.error != clause.error or (self.text is None) != (clause.text is None):
            return False
        match clause.text:
            case TextDigest(sha256=None, lines=None, ends=None) | str() | None:
                pass
            case TextDigest(sha256=None):
                return False
        if self.text is not None and text_differences(clause.text, self.text, self.text):
            return False
        effects = self.effects
        return not file_differences(clause.files, effects.world, effects.before, effects.changes)

    def recorded(self) -> dict[str, Value]:
        """Return the recorded keys of a clause that states it."""
        clause: dict[str, Value] = {}
        if self.error is not None:
            clause["error"] = self.error
        if self.beginning is not None:
            clause["text"] = {"starts": self.beginning}
        elif self.text is not None:
            clause["text"] = _text_value(self.text)
        files = self.effects.stated()
        if files:
            clause["files"] = files
        return clause


def transcribe(scenario: Scenario, outcome: Outcome) -> Transcript:
    """Return the transcript of a complete replay."""
    steps = []
    for _, step, done, effects in _calls(scenario, outcome):
        calls = step.calls if isinstance(step, ParallelCalls) else (step,)
        named = tuple((call.tool, call.arguments) for call in calls)
        results = tuple(ToolResult(result.text, result.is_error) for result in done.results)
        steps.append(TranscriptStep(named, results, effects.own(), done.struck))
    return Transcript(tuple(steps))


def observations(
    scenario: Scenario, outcome: Outcome, vocabulary: Vocabulary
) -> dict[tuple[int, ...], Observation]:
    """Return what every call gave, by its place: `(2,)` the third step, `(2, 0)` the first call of a group there.

    A group itself has its files at `(2,)`. Raises UnnamedError.
    """
    seen: dict[tuple[int, ...], Observation] = {}
    for place, step, done, effects in _calls(scenario, outcome):
        if isinstance(step, ToolCall):
            seen[(place,)] = _observation(step, done.results[0], effects, vocabulary)
        else:
            seen[(place,)] = Observation(effects=effects)
            for index, (call, result) in enumerate(zip(step.calls, done.results, strict=True)):
                seen[(place, index)] = _observation(call, result, Effects(), vocabulary)
    return seen


def _calls(
    scenario: Scenario, outcome: Outcome
) -> Iterator[tuple[int, ToolCall | ParallelCalls, StepOutcome, Effects]]:
    """Yield the steps that are calls, each with its place, what came of it and what it changed."""
    state = dict(outcome.before)
    for place, (step, done) in enumerate(zip(scenario.steps, outcome.steps, strict=True)):
        if isinstance(step, ToolCall | ParallelCalls):
            yield place, step, done, Effects(dict(state), done.changes, done.expected_world)
        for path, entry in done.changes.items():
            if entry is None:
                state.pop(path, None)
            else:
                state[path] = entry


def _observation(call: ToolCall, result: ToolResult, effects: Effects, vocabulary: Vocabulary) -> Observation:
    text = answer_of(result.text)
    error = beginning = None
    if result.is_error:
        error = vocabulary.name_of(call.tool, text)
        if error is None:
            raise UnnamedError(
                f"{call.tool} refused with words that errors.yaml does not know: {text!r}; add them"
            )
        beginning = vocabulary.beginning(error, text)
    return Observation(error, text, effects, beginning)


def _text_value(text: str) -> Value:
    if len(text) <= _LONG:
        return text
    return {
        "sha256": _sha256(text),
        "lines": text.count("\n") + 1,
        "starts": text[:_SHOWN],
        "ends": text[-_SHOWN:],
    }


def _content_value(data: bytes) -> str | dict[str, Value]:
    if len(data) > _LONG:
        return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _mode_of(entry: Entry | None) -> int | None:
    return entry.mode if isinstance(entry, RegularFile | Directory) else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

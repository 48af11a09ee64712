"""From an outcome to what is kept of it: the transcript, and the clause that states it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from harness.emit import Value
from harness.entry import Directory, Entry, FileDigest, RegularFile, Symlink
from harness.host_text import answer_of
from harness.outcome import Outcome, StepOutcome
from harness.recordings import Transcript, TranscriptStep
from harness.scenario import Clause, ParallelCalls, Scenario, TextDigest, ToolCall
from harness.session import ToolResult
from harness.vocabulary import Vocabulary

__all__ = ["LONG_TEXT", "Observation", "UnnamedError", "observations", "text_holds", "transcribe"]

LONG_TEXT = 4096
"""Longer texts (characters) and files (bytes) are stated by digest."""

_SHOWN = 200


class UnnamedError(Exception):
    """The product refused with words that `errors.yaml` does not know."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What one call (or one parallel group: files only) gave, in the terms of a clause."""

    error: str | None
    text: str | None
    files: Mapping[str, Entry | None]
    modes: Mapping[str, int]
    """The modes of files that existed before, where the call changed them."""

    def agrees(self, clause: Clause) -> bool:
        """Whether the clause states exactly this."""
        return self.error == clause.error and self._text_agrees(clause) and self._files_agree(clause.files)

    def recorded(self) -> dict[str, Value]:
        """Return the recorded keys of a clause that states it."""
        clause: dict[str, Value] = {}
        if self.error is not None:
            clause["error"] = self.error
        if self.text is not None:
            clause["text"] = _text_value(self.text)
        if self.files:
            clause["files"] = {path: self._file_value(path) for path in sorted(self.files)}
        return clause

    def _text_agrees(self, clause: Clause) -> bool:
        if self.text is None or clause.text is None:
            return self.text is clause.text
        return text_holds(clause.text, self.text)

    def _files_agree(self, stated: Mapping[str, Entry | None]) -> bool:
        if set(stated) != set(self.files):
            return False
        return all(self._file_agrees(stated[path], path) for path in stated)

    def _file_agrees(self, stated: Entry | None, path: str) -> bool:
        seen = self.files[path]
        match stated, seen:
            case (RegularFile(), RegularFile()):
                same = stated.data == seen.data
            case (FileDigest(sha256=digest, size=size), RegularFile()):
                same = (digest, size) == (hashlib.sha256(seen.data).hexdigest(), len(seen.data))
            case (Directory(), Directory()):
                same = True
            case _:
                return stated == seen
        return same and _stated_mode(stated) == self.modes.get(path)

    def _file_value(self, path: str) -> Value:
        entry = self.files[path]
        mode = self.modes.get(path)
        match entry:
            case None:
                return None
            case Symlink(target=target):
                return {"symlink": target}
            case RegularFile():
                value = _content_value(entry.data)
                if mode is None:
                    return value
                fields: dict[str, Value] = {"text": value} if isinstance(value, str) else dict(value)
                return {**fields, "mode": f"{mode:04o}"}
            case _:
                return {"directory": True} if mode is None else {"directory": True, "mode": f"{mode:04o}"}


def transcribe(scenario: Scenario, outcome: Outcome) -> Transcript:
    """Return the transcript of a complete replay."""
    steps = []
    for step, done, before in _steps(scenario, outcome):
        calls = step.calls if isinstance(step, ParallelCalls) else (step,)
        own = _own_changes(done, before)
        named = tuple((call.tool, call.arguments) for call in calls)
        results = tuple(ToolResult(result.text, result.is_error) for result in done.results)
        steps.append(TranscriptStep(named, results, own, done.struck))
    return Transcript(tuple(steps))


def observations(
    scenario: Scenario, outcome: Outcome, vocabulary: Vocabulary
) -> dict[tuple[int, ...], Observation]:
    """Return what every call gave, by its place: `(2,)` the third step, `(2, 0)` the first call of a group there.

    A group itself has its files at `(2,)`. Raises UnnamedError.
    """
    seen: dict[tuple[int, ...], Observation] = {}
    places = [
        place for place, step in enumerate(scenario.steps) if isinstance(step, ToolCall | ParallelCalls)
    ]
    for place, (step, done, before) in zip(places, _steps(scenario, outcome), strict=True):
        files, modes = _files(_own_changes(done, before), before)
        if isinstance(step, ToolCall):
            seen[(place,)] = _observation(step, done.results[0], files, modes, vocabulary)
        else:
            seen[(place,)] = Observation(None, None, files, modes)
            for index, (call, result) in enumerate(zip(step.calls, done.results, strict=True)):
                seen[(place, index)] = _observation(call, result, {}, {}, vocabulary)
    return seen


def text_holds(expected: str | TextDigest, text: str) -> bool:
    """Whether the text is the expected one."""
    if isinstance(expected, str):
        return expected == text
    return (
        expected.sha256 in (None, _sha256(text))
        and expected.lines in (None, text.count("\n") + 1)
        and text.startswith(expected.starts or "")
        and text.endswith(expected.ends or "")
    )


def _steps(
    scenario: Scenario, outcome: Outcome
) -> list[tuple[ToolCall | ParallelCalls, StepOutcome, dict[str, Entry]]]:
    """Return the steps that are calls, what came of each, and the workspace before it."""
    state = dict(outcome.before)
    steps = []
    for step, done in zip(scenario.steps, outcome.steps, strict=True):
        if isinstance(step, ToolCall | ParallelCalls):
            steps.append((step, done, dict(state)))
        for path, entry in done.changes.items():
            if entry is None:
                state.pop(path, None)
            else:
                state[path] = entry
    return steps


def _own_changes(done: StepOutcome, before: Mapping[str, Entry]) -> dict[str, Entry | None]:
    """Return what the product changed, beside the world events that struck during the call."""
    own: dict[str, Entry | None] = {}
    for path in sorted({*done.changes, *done.expected_world}):
        struck = done.expected_world.get(path, before.get(path))
        after = done.changes.get(path, before.get(path))
        if struck != after:
            own[path] = after
    return own


def _files(
    own: Mapping[str, Entry | None], before: Mapping[str, Entry]
) -> tuple[dict[str, Entry | None], dict[str, int]]:
    """Return the changed paths without the new directories that a new file implies, and changed modes."""
    files: dict[str, Entry | None] = {}
    modes: dict[str, int] = {}
    for path, entry in own.items():
        new = path not in before
        if isinstance(entry, Directory) and new and any(other.startswith(f"{path}/") for other in own):
            continue
        files[path] = entry
        old, now = _mode_of(before.get(path)), _mode_of(entry)
        if not new and now is not None and now != old:
            modes[path] = now
    return files, modes


def _observation(
    call: ToolCall,
    result: ToolResult,
    files: Mapping[str, Entry | None],
    modes: Mapping[str, int],
    vocabulary: Vocabulary,
) -> Observation:
    text = answer_of(result.text)
    error = None
    if result.is_error:
        error = vocabulary.name_of(call.tool, text)
        if error is None:
            raise UnnamedError(
                f"{call.tool} refused with words that errors.yaml does not know: {text!r}; add them"
            )
    return Observation(error, text, files, modes)


def _text_value(text: str) -> Value:
    if len(text) <= LONG_TEXT:
        return text
    return {
        "sha256": _sha256(text),
        "lines": text.count("\n") + 1,
        "starts": text[:_SHOWN],
        "ends": text[-_SHOWN:],
    }


def _content_value(data: bytes) -> str | dict[str, Value]:
    if len(data) > LONG_TEXT:
        return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _mode_of(entry: Entry | None) -> int | None:
    return entry.mode if isinstance(entry, RegularFile | Directory) else None


def _stated_mode(entry: Entry | None) -> int | None:
    return entry.mode if isinstance(entry, RegularFile | Directory | FileDigest) else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

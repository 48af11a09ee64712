"""Transcripts: the exact answers of the real product in a scenario, version by version."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.unwrap_host_text import unwrapped, wrapped

UNNAMED = "unnamed"
"""Name of an error whose message is not in `errors.yaml`. A recording that contains it is never accepted."""

_OMISSION_MARK = "\n[…]"


class RecordingError(ReadfirstError):
    """A recording is damaged, or its scenario has changed. The message contains its path (`file`) and the solution."""

    exit_code = ExitCode.SUITE_INVALID
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """The recorded answer of one call. Texts that the host program added are stored separately."""

    text: str
    """The tool's answer, with `$WS` for the path of the workspace. Ends before data that are not stored."""
    error: str | None = None
    """The name of the refusal. None if the call was not refused."""
    wrapped: bool = False
    """Whether the host enclosed the answer in `<tool_use_error>`."""
    after: str = ""
    """The text that the host appended."""
    cut: str | None = None
    """SHA-256 of the whole answer, if the answer contains data of the product that are not stored."""
    ending: str = ""
    """The text after the data that are not stored."""

    @classmethod
    def of(
        cls, raw: str, error: str | None, beginning: str | None = None, ending: str = ""
    ) -> RecordedResult:
        """Create a result from `raw`, the whole text that the model saw. With `beginning`, store only both ends."""
        answer, is_wrapped, after = unwrapped(raw)
        if beginning is None or beginning == answer:
            return cls(answer, error, is_wrapped, after)
        cut = hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(beginning, error, is_wrapped, after, cut, ending)

    @property
    def is_error(self) -> bool:
        """Whether the call was refused."""
        return self.error is not None

    @property
    def answer(self) -> str:
        """The tool's answer without texts of the host program. A mark replaces text that is not stored."""
        return self.text if self.cut is None else f"{self.text}{_OMISSION_MARK}{self.ending}"

    @property
    def raw(self) -> str:
        """The whole text that the model saw. A mark replaces text that is not stored."""
        return wrapped(self.answer, self.wrapped, self.after)


@dataclass(frozen=True, slots=True)
class TranscriptStep:
    """The recorded results of one step: of one tool call, or of the calls in one message."""

    tools: tuple[str, ...]
    results: tuple[RecordedResult, ...]
    changes: Mapping[str, Entry | None] = field(default_factory=dict)
    """The new entry of each path that the product changed. None for a deleted path."""
    created: Mapping[str, int] = field(default_factory=dict)
    """The mode of each new file and directory."""
    struck: bool = False
    """Whether the events `during` the call happened."""
    reminders: tuple[str, ...] = ()
    """Compared only if `Given.reminders` is true."""

    @property
    def key(self) -> Hashable:
        """A hashable value of all fields, which is equal for equal steps only."""
        changes = tuple(sorted(self.changes.items()))
        created = tuple(sorted(self.created.items()))
        return self.tools, self.results, changes, created, self.struck, self.reminders


@dataclass(frozen=True, slots=True)
class Transcript:
    """The recorded results of all steps of one scenario, for one contract."""

    steps: tuple[TranscriptStep, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """All transcripts of one scenario, by contract."""

    inputs: str = ""
    """Digest of the recorded files and steps."""
    transcripts: Mapping[str, Transcript] = field(default_factory=dict)
    unrecorded: Mapping[str, str] = field(default_factory=dict)
    """The reason for each missing transcript."""
    packed: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """The long texts in compressed form, by their digests."""

    def with_transcript(self, contract: str, transcript: Transcript) -> Recording:
        """Return a copy with the transcript of one contract in place of a previous transcript, if any."""
        reasons = {name: why for name, why in self.unrecorded.items() if name != contract}
        return replace(self, transcripts={**self.transcripts, contract: transcript}, unrecorded=reasons)

    def without(self, contract: str, why: str = "") -> Recording:
        """Return a copy without the transcript of one contract. `why` is the reason to store in `unrecorded`."""
        transcripts = {
            name: transcripts for name, transcripts in self.transcripts.items() if name != contract
        }
        reasons = {**self.unrecorded, contract: why} if why else self.unrecorded
        return replace(self, transcripts=transcripts, unrecorded=reasons)


Course = tuple[tuple[bool, ...], ...]
"""The course of a replay: for each message of the model, whether each of the message's calls was refused."""


def courses_of(recorded: Iterable[Transcript]) -> tuple[Course, ...]:
    """Return the different courses (see `Course`) of some transcripts, in the order of their first occurrence."""
    courses = (
        tuple(tuple(result.is_error for result in step.results) for step in transcript.steps)
        for transcript in recorded
    )
    return tuple(dict.fromkeys(courses))


def course_text(course: Course) -> str:
    """Return a course as a text such as `a ar`: a word per message, `a` for an answered, `r` for a refused call."""
    return " ".join("".join("r" if refused else "a" for refused in message) for message in course)

"""Transcripts: the answers of the real product in a scenario, by contract, byte for byte, and their stored form."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.unwrap_host_text import unwrapped, wrapped

UNNAMED = "unnamed"
"""The name of an error whose words `errors.yaml` does not know; it is never blessed."""

_CUT = "\n[…]"


class RecordingError(ReadfirstError):
    """A recording file is damaged, or of other inputs; the message names file and remedy, `file` the file if known."""

    exit_code = ExitCode.SUITE_INVALID
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """The answer of one call, separated from the additions of the host program.

    `text` is the tool's answer, with `$WS` for the path of the workspace; `error` is the name of the refusal, None if
    the call was not refused. `wrapped`: the host wrapped the answer in `<tool_use_error>`; `after` is the text that it
    appended. `cut` is the SHA-256 of the whole answer if `text` is only its beginning, because product data follow,
    which are not stored; `ending` is the text after the data.
    """

    text: str
    error: str | None = None
    wrapped: bool = False
    after: str = ""
    cut: str | None = None
    ending: str = ""

    @classmethod
    def of(
        cls, raw: str, error: str | None, beginning: str | None = None, ending: str = ""
    ) -> RecordedResult:
        """Return the stored form of a text that the model saw. `beginning` and `ending`: only these parts of the
        answer are stored.
        """
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
        """The tool's answer, with a mark instead of the removed part."""
        return self.text if self.cut is None else f"{self.text}{_CUT}{self.ending}"

    @property
    def raw(self) -> str:
        """The text that the model saw, without the removed part."""
        return wrapped(self.answer, self.wrapped, self.after)


@dataclass(frozen=True, slots=True)
class TranscriptStep:
    """One tool call, or the calls of one message, with their results.

    `changes` are the changes of the product to the workspace (None: deleted), without those of the harness; a mode is
    stated if an existing mode changed. `created` contains the mode of each new file and directory; new directories
    above another new path are not listed. `struck`: the product reached the moment between validation and execution,
    for a call with `during`. `reminders` are those about changed files, for a scenario that judges them.
    """

    tools: tuple[str, ...]
    results: tuple[RecordedResult, ...]
    changes: Mapping[str, Entry | None] = field(default_factory=dict)
    created: Mapping[str, int] = field(default_factory=dict)
    struck: bool = False
    reminders: tuple[str, ...] = ()

    @property
    def key(self) -> Hashable:
        """A key that is equal only for equal steps."""
        changes = tuple(sorted(self.changes.items()))
        created = tuple(sorted(self.created.items()))
        return self.tools, self.results, changes, created, self.struck, self.reminders


@dataclass(frozen=True, slots=True)
class Transcript:
    """The results of one contract in one scenario."""

    steps: tuple[TranscriptStep, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """All transcripts of one scenario, by contract. Contracts with the same results share one.

    `inputs` is the digest of the recorded steps. `unrecorded` contains the reasons for missing transcripts. `packed`
    are the long texts as in the file, compressed, by their digests.
    """

    inputs: str = ""
    transcripts: Mapping[str, Transcript] = field(default_factory=dict)
    unrecorded: Mapping[str, str] = field(default_factory=dict)
    packed: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def with_transcript(self, contract: str, transcript: Transcript) -> Recording:
        """Return the recording with one contract's transcript replaced or added."""
        reasons = {name: why for name, why in self.unrecorded.items() if name != contract}
        return replace(self, transcripts={**self.transcripts, contract: transcript}, unrecorded=reasons)

    def without(self, contract: str, why: str = "") -> Recording:
        """Return the recording without one contract; `why` stays in its place."""
        kept = {name: kept for name, kept in self.transcripts.items() if name != contract}
        reasons = {**self.unrecorded, contract: why} if why else self.unrecorded
        return replace(self, transcripts=kept, unrecorded=reasons)


Course = tuple[tuple[bool, ...], ...]
"""For each message, whether each of its calls was refused."""


def courses_of(recorded: Iterable[Transcript]) -> tuple[Course, ...]:
    """Return the distinct courses of these transcripts, in the order of their first occurrence."""
    found = (tuple(tuple(each.is_error for each in row.results) for row in one.steps) for one in recorded)
    return tuple(dict.fromkeys(found))


def marks(course: Course) -> str:
    """Write a course down: a word for each message, in it `a` for a call that was answered, `r` for a refused one."""
    return " ".join("".join("r" if refused else "a" for refused in message) for message in course)

"""Transcripts: what the real product answered to a scenario, contract by contract, byte for byte, and as it is kept."""

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
    """What one call answered, without what the program around the tool added, and that apart.

    `text` is the tool's own answer, with `$WS` for the workspace's path; `error` the name of the refusal, None where
    the call was not refused. `wrapped`: the host put the answer into `<tool_use_error>`; `after` is what it appended.
    `cut` is the SHA-256 of the whole answer where `text` is its beginning only, because data of the product's own
    follows, which is not kept; `ending` is what follows that.
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
        """Return what is kept of the text as the model saw it; `beginning` and `ending`: of its answer only these."""
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
        """The tool's own answer, with a mark in the place of what was cut out of it."""
        return self.text if self.cut is None else f"{self.text}{_CUT}{self.ending}"

    @property
    def raw(self) -> str:
        """The text as the model saw it; of one that was cut, as far as it is kept."""
        return wrapped(self.answer, self.wrapped, self.after)


@dataclass(frozen=True, slots=True)
class TranscriptStep:
    """One tool call, or the calls of one message, and what came of them.

    `changes` are the product's own changes to the workspace (None: gone), without those of the harness: a mode is
    stated where one that existed changed. `created` has the mode of each file and directory that is new; of a new
    directory above another new path nothing else is said. `struck` tells whether the product came as far as
    the moment between validation and execution, for a call with `during`. `reminders` are those of
    changed files, for a scenario that judges them.
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
    """What one contract's product gave for one scenario."""

    steps: tuple[TranscriptStep, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """All transcripts of one scenario, by contract; contracts that gave the same share one.

    `inputs` is the digest of the steps that were recorded. `unrecorded` says of contracts that were asked why there is
    no transcript. `packed` are the long texts as its file has them, compressed, by their digests.
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
    """Return the courses of these transcripts, each once, in the order in which they come first."""
    found = (tuple(tuple(each.is_error for each in row.results) for row in one.steps) for one in recorded)
    return tuple(dict.fromkeys(found))


def marks(course: Course) -> str:
    """Write a course down: a word for each message, in it `a` for a call that was answered, `r` for a refused one."""
    return " ".join("".join("r" if refused else "a" for refused in message) for message in course)

"""Recording file: the transcripts of one scenario as YAML that people review as a diff.

Equal answers of a step are written once, with the versions that they begin to hold in; arguments are not repeated, a
digest tells which inputs were recorded, another (`seal`) that nobody changed the file. What is long is written once,
compressed, under `packed`, and what hosts append to very many answers has a name. docs/recording.md describes the file.
"""

from __future__ import annotations

import base64
import hashlib
import lzma
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.emit import Plain, emit_mapping
from readfirst.harness.suite.content import entry_value
from readfirst.harness.suite.contracts import order
from readfirst.harness.suite.entry import Entry
from readfirst.harness.suite.host_text import HOST_TEXTS
from readfirst.harness.suite.seal import UNSEALED, sealed
from readfirst.harness.suite.since import starts_of
from readfirst.harness.suite.transcript import (
    Heading,
    RecordedResult,
    Recording,
    RecordingError,
    TranscriptStep,
)
from readfirst.harness.suite.transcripts import Transcripts, readable

_HEADER = (
    "# What the real product did, version by version: written by `product record`, printed by `show`.\n"
    "# An answer holds from each version in its `since` on, until another answer begins; without `since`, for all.\n"
)
_PLAIN_LIMIT = 4096
"""Longer texts and contents (in characters or bytes) are stored compressed."""
_SHOWN = 200
"""Characters at both ends of a compressed text that are shown to a reviewer."""
_NAME = 12
_NAMES = {text: name for name, text in HOST_TEXTS.items()}


def encode(recording: Recording) -> bytes:
    """Return the file's bytes. Contracts are in release order, the steps in that of the scenario.

    What is `packed` already stays as it is: another xz may give other bytes for the same text.
    Raises RecordingError for what would be too large to be read again.
    """
    lines = emit_mapping(value_of(recording, _PLAIN_LIMIT, _SHOWN), 0)
    data = sealed((_HEADER + "\n".join(lines) + "\n").encode("utf-8"))
    if len(data) > strict_yaml.MAX_BYTES:
        message = (
            f"the recording would have {len(data):,} bytes; at most {strict_yaml.MAX_BYTES:,} are read again"
        )
        raise RecordingError(f"{message}. Take fewer steps, or smaller files.")
    return data


def value_of(recording: Recording, most: int, shown: int) -> dict[str, Any]:
    """Return a recording as files hold it before they are sealed; what is on one line is a tuple.

    Of longer texts than `most` there are so many characters at both ends `shown` to a reviewer.
    """
    encoder = _Encoder(most, shown, recording.packed)
    names = tuple(sorted(recording.transcripts, key=order))
    value: dict[str, Any] = {
        "inputs": recording.inputs,
        "digest": UNSEALED,
        "versions": tuple(map(Plain, names)),
    }
    if recording.unrecorded:
        value["unrecorded"] = {
            name: recording.unrecorded[name] for name in sorted(recording.unrecorded, key=order)
        }
    rows = zip(*(recording.transcripts[name].steps for name in names), strict=True)
    value["steps"] = [_step_value(names, row, encoder) for row in rows]
    return {**value, "packed": encoder.packed} if encoder.packed else value


def _step_value(names: tuple[str, ...], row: Sequence[TranscriptStep], encoder: _Encoder) -> dict[str, Any]:
    tools = row[0].tools
    held: dict[Hashable, TranscriptStep] = {}
    # Contracts that gave the same share a step, so that few keys have to be made.
    first = {
        number: held.setdefault(step.key, step) for number, step in {id(each): each for each in row}.items()
    }
    answers = {name: id(first[id(step)]) for name, step in zip(names, row, strict=True)}
    starts = starts_of(names, answers)
    return {
        **({"call": tools[0]} if len(tools) == 1 else {"calls": tools}),
        "answers": [
            {**_since(starts[id(step)] if len(held) > 1 else []), **encoder.answer(step)}
            for step in held.values()
        ],
    }


def _since(names: list[str]) -> dict[str, Any]:
    since = tuple(map(Plain, names))
    return {"since": since[0] if len(since) == 1 else since} if since else {}


@dataclass(frozen=True, slots=True)
class _Encoder:
    """Encodes what steps gave as JSON values; of longer texts than `most` only names, by which `packed` has them.

    A name is a digest of the text; `shown` characters at its both ends are there for a reviewer. `compressed` has what
    was compressed before, by the same names.
    """

    most: int
    shown: int
    compressed: Mapping[str, str]
    packed: dict[str, str] = field(default_factory=dict)

    def answer(self, step: TranscriptStep) -> dict[str, Any]:
        """Return what a step gave."""
        body: dict[str, Any] = {}
        if len(step.results) == 1:
            body |= self.result(step.results[0])
        else:
            body["results"] = [self.result(each) for each in step.results]
        if step.changes:
            body["files"] = {path: self.entry(step.changes[path]) for path in sorted(step.changes)}
        if step.created:
            body["created"] = {path: f"{step.created[path]:04o}" for path in sorted(step.created)}
        if step.struck:
            body["struck"] = True
        if step.reminders:
            body["reminders"] = [self.text(reminder) for reminder in step.reminders]
        return body

    def result(self, result: RecordedResult) -> dict[str, Any]:
        """Return what a call answered."""
        body: dict[str, Any] = {}
        if result.error is not None:
            body["error"] = result.error
        if result.wrapped:
            body["wrapped"] = True
        if result.cut is None:
            body["text"] = self.text(result.text)
        else:
            ends = {"ends": result.ending} if result.ending else {}
            body["text"] = {"starts": result.text, **ends, "sha256": result.cut}
        if result.after:
            name = _NAMES.get(result.after)
            body["after"] = self.text(result.after) if name is None else {"host": name}
        return body

    def text(self, text: str) -> str | dict[str, Any]:
        """Return a text."""
        if len(text) <= self.most:
            return _encode_string(text)
        shown = {
            "lines": text.count("\n") + 1,
            "starts": _shown(text[: self.shown]),
            "ends": _shown(text[-self.shown :]),
        }
        return {**(shown if self.shown else {}), "packed": self.pack(text.encode("utf-8", "surrogatepass"))}

    def entry(self, entry: Entry | None) -> Any:
        """Return what is at a path; None where there is nothing."""
        return entry_value(entry, self._long)

    def _long(self, data: bytes) -> dict[str, Any]:
        return {"size": len(data), "packed": self.pack(data)} if len(data) > self.most else {}

    def pack(self, data: bytes) -> str:
        """Return the name under which these bytes are kept."""
        name = hashlib.sha256(data).hexdigest()[:_NAME]
        if name not in self.packed:
            self.packed[name] = self.compressed.get(name) or _compressed(data)
        return name


def _compressed(data: bytes) -> str:
    packed = lzma.compress(data, check=lzma.CHECK_CRC32, preset=6 | lzma.PRESET_EXTREME)
    return base64.b64encode(packed).decode("ascii")


def _shown(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _encode_string(text: str) -> str | dict[str, str]:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair, which no YAML file can hold
        return {"base64": base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")}
    return text


@lru_cache(maxsize=4)
def read(data: bytes) -> dict[str, Any]:
    """Return the values in a file's bytes; the last few are kept, for who asks again. Raises RecordingError."""
    with readable():
        return {**strict_yaml.load(data, Path("recording")).value}


def decode(data: bytes) -> Recording:
    """Read a file's bytes, all of them. Raises RecordingError."""
    with readable():
        return checked(recording_of(read(data)))


def decode_heading(data: bytes) -> Heading:
    """Read what comes before the steps in a file's bytes. Raises RecordingError."""
    with readable():
        return heading_of(strict_yaml.load(data, Path("recording"), until={"steps"}).value)


def heading_of(value: Mapping[str, Any]) -> Heading:
    """Return what a file holds so before the steps. Raises KeyError, TypeError, AttributeError."""
    names = value["versions"] if "versions" in value else value["contracts"]
    return Heading(str(value["inputs"]), tuple(map(str, names)), value.get("unrecorded", {}))


def recording_of(value: Mapping[str, Any], path: Path | None = None) -> Recording:
    """Return the recording that a file holds so; transcripts that are damaged are found when they are asked for.

    Raises ValueError, KeyError, TypeError, AttributeError.
    """
    heading = heading_of(value)
    packed = {str(name): str(encoded) for name, encoded in value.get("packed", {}).items()}
    transcripts = Transcripts(heading.versions, value["steps"], packed, path)
    return Recording(heading.inputs, transcripts, heading.unrecorded, packed)


def checked(recording: Recording) -> Recording:
    """Return a recording after a look at all that is in it. Raises RecordingError."""
    for name in recording.transcripts:
        recording.transcripts[name]
    return recording

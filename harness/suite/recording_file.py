"""Recording file: the transcripts of one scenario as YAML that people review as a diff.

Equal answers of a step are written once, with the versions that they begin to hold in; arguments are not repeated, a
digest tells which inputs were recorded, another (`seal`) that nobody changed the file. What is long is written once,
compressed, under `packed`, and what hosts append to very many answers has a name. docs/recording.md describes the file.
"""

from __future__ import annotations

import base64
import hashlib
import lzma
import zlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.emit import Plain, emit_mapping
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.suite.content import entry_value
from readfirst.harness.suite.contracts import order
from readfirst.harness.suite.entry import Directory, Entry, RegularFile, Symlink
from readfirst.harness.suite.host_text import HOST_TEXTS
from readfirst.harness.suite.ownership import ownership_of
from readfirst.harness.suite.seal import UNSEALED, sealed
from readfirst.harness.suite.transcript import (
    Heading,
    RecordedResult,
    Recording,
    RecordingError,
    Transcript,
    TranscriptStep,
)

_HEADER = (
    "# What the real product did, version by version: written by `product record`, printed by `show`.\n"
    "# An answer holds from each version in its `since` on, until another answer begins; without `since`, for all.\n"
)
_PLAIN_LIMIT = 4096
"""Longer texts and contents (in characters or bytes) are stored compressed."""
_MOST_UNPACKED = 256 * 1024 * 1024
"""Bytes that all compressed texts and contents of a file may have."""
_MEMORY = 128 * 1024 * 1024
"""Bytes that unpacking one of them may take."""
_XZ = b"\xfd7zXZ\x00"
_MOST_ANSWERS = 1_000_000
"""Steps of a file, times the versions that they were recorded on."""
_SHOWN = 200
"""Characters at both ends of a compressed text that are shown to a reviewer."""
_NAME = 12
_NONE = object()
_NAMES = {text: name for name, text in HOST_TEXTS.items()}
_Answer = TypeVar("_Answer")


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
    starts = _starts_of(names, answers)
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


def _starts_of(names: tuple[str, ...], answers: Mapping[str, Hashable]) -> dict[Hashable, list[str]]:
    """Return the versions from which on each answer holds; an older model goes on as the versions before it did."""
    starts: dict[Hashable, list[str]] = {}
    for track, before in _tracks_of(names):
        former = answers[before] if before is not None else _NONE
        for name in track:
            if answers[name] != former:
                starts.setdefault(answers[name], []).append(name)
            former = answers[name]
    return starts


def _holding(names: tuple[str, ...], starts: Mapping[str, _Answer]) -> dict[str, _Answer]:
    """Return the answer of each version, from where each begins to hold. Raises ValueError."""
    found: dict[str, _Answer] = {}
    for track, before in _tracks_of(names):
        former = found[before] if before is not None else None
        for name in track:
            former = starts.get(name, former)
            if former is None:
                raise ValueError(f"no answer holds for {name}")
            found[name] = former
    if unknown := starts.keys() - found.keys():
        raise ValueError(f"{min(unknown)} is not among the versions")
    return found


@lru_cache(maxsize=64)
def _tracks_of(names: tuple[str, ...]) -> tuple[tuple[list[str], str | None], ...]:
    """Return the versions of each class of models, and the version that the first of them follows."""
    tracks: dict[str, list[str]] = {"": []}
    for name in names:
        tracks.setdefault(name.partition("+")[2], []).append(name)
    plain = tracks[""]
    found: list[tuple[list[str], str | None]] = []
    for variant, track in tracks.items():
        older = [name for name in plain if variant and order(name)[0] < order(track[0])[0]]
        found.append((track, older[-1] if older else None))
    return tuple(found)


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


_DAMAGED = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    RecursionError,
    lzma.LZMAError,
    zlib.error,
)


@contextmanager
def readable(what: str = "the scenario") -> Iterator[None]:
    """Say of what cannot be read how to get it anew."""
    try:
        yield
    except SuiteError as error:
        found = error.findings[0]
        where = f"line {found.position.line}: {found.message}"
        raise RecordingError(f"not a readable recording ({where}); record {what} again") from error
    except _DAMAGED as error:
        raise RecordingError(f"not a readable recording ({error!r}); record {what} again") from error


@lru_cache(maxsize=4)
def decode(data: bytes) -> Recording:
    """Read a file's bytes; the last few are kept, because a comparison asks again and again. Raises RecordingError."""
    with readable():
        return recording_of(strict_yaml.load(data, Path("recording")).value)


def decode_heading(data: bytes) -> Heading:
    """Read what comes before the steps in a file's bytes. Raises RecordingError."""
    with readable():
        return heading_of(strict_yaml.load(data, Path("recording"), until={"steps"}).value)


def heading_of(value: Mapping[str, Any]) -> Heading:
    """Return what a file holds so before the steps. Raises KeyError, TypeError, AttributeError."""
    names = value["versions"] if "versions" in value else value["contracts"]
    return Heading(str(value["inputs"]), tuple(map(str, names)), value.get("unrecorded", {}))


def recording_of(value: Mapping[str, Any]) -> Recording:
    """Return the recording that a file holds so. Raises ValueError, KeyError, TypeError, AttributeError."""
    heading = heading_of(value)
    names = heading.versions
    if len(names) * len(value["steps"]) > _MOST_ANSWERS:  # which would fill the memory
        raise ValueError(f"its steps have more than {_MOST_ANSWERS:,} answers by version")
    packed = {str(name): str(encoded) for name, encoded in value.get("packed", {}).items()}
    decode = _Decoder(_Packed(packed))
    rows = [_row(names, step, decode) for step in value["steps"]]
    shared: dict[tuple[int, ...], Transcript] = {}
    transcripts = {}
    for name in names:
        steps = tuple([row[name] for row in rows])
        same = tuple(map(id, steps))
        if same not in shared:
            shared[same] = Transcript(steps)
        transcripts[name] = shared[same]
    return Recording(heading.inputs, transcripts, heading.unrecorded, packed)


def _row(names: tuple[str, ...], body: Mapping[str, Any], decode: _Decoder) -> Mapping[str, TranscriptStep]:
    """Return what one step gave on every version; those that gave the same share it."""
    tools = (body["call"],) if "call" in body else tuple(body["calls"])
    if not all(isinstance(tool, str) for tool in tools):
        raise TypeError(f"the calls {tools!r} are no names"[:200])
    answers = body["answers"]
    starts: dict[str, TranscriptStep] = {}
    for answer in answers:
        step = _step_of(tools, answer, decode)
        since = answer["since"] if len(answers) > 1 else names
        for name in [since] if isinstance(since, str) else since:
            if starts.setdefault(name, step) is not step:
                raise ValueError(f"two answers begin in {name}")
    return _holding(names, starts)


class _Packed:
    """What is compressed in a file, by its names: unpacked once, however often it is named."""

    def __init__(self, encoded: Mapping[str, str]) -> None:
        self._encoded = encoded
        self._left = _MOST_UNPACKED
        self._data: dict[str, bytes] = {}
        self._texts: dict[str, str] = {}

    def data(self, name: str) -> bytes:
        """Return what is compressed. Raises KeyError, ValueError, lzma.LZMAError, zlib.error."""
        if name not in self._data:
            self._data[name] = self._unpacked(_bytes(self._encoded[name]))
        return self._data[name]

    def _unpacked(self, packed: bytes) -> bytes:
        """Return bytes in the format of xz, or in that of zlib, which stores what a wheel compresses as a whole."""
        unpacking: Any = (
            lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
            if packed.startswith(_XZ)
            else zlib.decompressobj()
        )
        data: bytes = unpacking.decompress(packed, self._left + 1)  # 0 would be no limit
        if len(data) > self._left:
            self._left = 0
            raise ValueError(f"more than {_MOST_UNPACKED:,} bytes are compressed in it")
        if not unpacking.eof:
            raise ValueError("what is compressed in it has no end")
        self._left -= len(data)
        return data

    def text(self, name: str) -> str:
        """Return it as a text. Raises as `data`."""
        if name not in self._texts:
            self._texts[name] = self.data(name).decode("utf-8", "surrogatepass")
        return self._texts[name]


def _step_of(tools: tuple[str, ...], body: Mapping[str, Any], decode: _Decoder) -> TranscriptStep:
    """Return the step of such values, as an Encoder gives them. Raises ValueError, KeyError, TypeError."""
    results = tuple(map(decode.result, body.get("results", (body,))))
    if len(results) != len(tools):
        raise ValueError(f"{len(results)} results for {len(tools)} calls")
    return TranscriptStep(
        tools,
        results,
        {path: decode.entry(entry) for path, entry in body.get("files", {}).items()},
        {path: int(mode, 8) for path, mode in body.get("created", {}).items()},
        body.get("struck", False),
        tuple(map(decode.text, body.get("reminders", ()))),
    )


@dataclass(frozen=True, slots=True)
class _Decoder:
    """Decodes the values of a file."""

    packed: _Packed

    def result(self, body: Mapping[str, Any]) -> RecordedResult:
        cut, ending = None, ""
        match body["text"]:
            case {"starts": text, "sha256": cut, **rest}:
                ending = str(rest.get("ends", ""))
            case stored:
                text = self.text(stored)
        after = self.text(body.get("after", ""))
        error = body.get("error")
        if not isinstance(error, str | None):
            raise TypeError(f"an error is named by a text, not by {error!r}")
        return RecordedResult(text, error, body.get("wrapped", False), after, cut, ending)

    def text(self, stored: Any) -> str:
        match stored:
            case str():
                return stored
            case {"host": name}:
                return HOST_TEXTS[name]
            case {"packed": name}:
                return self.packed.text(name)
            case {"base64": encoded}:
                return _bytes(encoded).decode("utf-8", "surrogatepass")
            case _:
                raise ValueError(f"unknown text {stored!r}")

    def entry(self, body: Any) -> Entry | None:
        match body:
            case None:
                return None
            case str():
                return RegularFile(body.encode("utf-8"))
            case {"symlink": target}:
                return Symlink(target)
            case {"directory": True}:
                return Directory(_mode(body))
            case {"text": text}:
                ownership = ownership_of(body["ownership"]) if "ownership" in body else None
                return RegularFile(text.encode("utf-8"), _mode(body), ownership=ownership)
            case {"packed": name}:
                return RegularFile(self.packed.data(name), _mode(body))
            case {"base64": encoded}:
                return RegularFile(_bytes(encoded), _mode(body))
            case _:
                raise ValueError(f"unknown entry {body!r}")


def _mode(body: Mapping[str, Any]) -> int | None:
    return int(body["mode"], 8) if "mode" in body else None


def _bytes(encoded: str) -> bytes:
    return base64.b64decode(encoded, validate=True)

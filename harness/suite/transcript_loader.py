"""Transcripts by version, built from the data of a recording file on first use."""

from __future__ import annotations

import base64
import lzma
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.suite.file_entry import Directory, Entry, RegularFile, SpecialFile, Symlink
from readfirst.harness.suite.ownership import ownership_of
from readfirst.harness.suite.transcript import RecordedResult, RecordingError, Transcript, TranscriptStep
from readfirst.harness.suite.unwrap_host_text import HOST_TEXTS
from readfirst.harness.suite.version_ranges import holding
from readfirst.harness.yaml_io.finding import SuiteError

_MOST_UNPACKED = 256 * 1024 * 1024
"""Maximum size in bytes of all decompressed texts and contents of a recording."""
_MEMORY = 128 * 1024 * 1024
"""Maximum memory in bytes for decompressing one text."""
_MOST_ANSWERS = 1_000_000
"""Maximum product of the number of steps and the number of versions in a recording."""
_DAMAGED = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    RecursionError,
    lzma.LZMAError,
)


@contextmanager
def readable(advice: str = "record the scenario again", path: Path | None = None) -> Iterator[None]:
    """Raise errors of the block as RecordingError, with this advice and the `path` of the recording file."""
    try:
        yield
    except SuiteError as error:
        found = error.findings[0]
        raise _unreadable(f"line {found.position.line}: {found.message}", advice, path) from error
    except _DAMAGED as error:
        raise _unreadable(repr(error), advice, path) from error


def _unreadable(reason: str, advice: str, path: Path | None) -> RecordingError:
    prefix = "" if path is None else f"{path}: "
    error = RecordingError(f"{prefix}not a readable recording ({reason}); {advice}")
    error.file = path
    return error


class Transcripts(Mapping[str, Transcript]):
    """The transcripts in a recording, by version. Versions with equal answers share one object. They are decoded when
    they are used.

    `steps` and `packed` are the JSON values of the recording. Error messages name `path`.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        steps: Sequence[Mapping[str, Any]],
        packed: Mapping[str, str],
        path: Path | None = None,
    ) -> None:
        """Determine which answer of each step belongs to each version. Raises ValueError, KeyError, TypeError."""
        if len(names) * len(steps) > _MOST_ANSWERS:  # which would fill the memory
            raise ValueError(f"its steps have more than {_MOST_ANSWERS:,} answers by version")
        self._names = dict.fromkeys(names)
        self._bodies = steps
        self._decoder = _Decoder(_Packed(packed))
        self._path = path
        self._rows = [_row(names, step) for step in steps]
        self._steps: dict[tuple[int, int], TranscriptStep] = {}
        self._made: dict[tuple[int, ...], Transcript] = {}

    def __getitem__(self, name: str) -> Transcript:
        """Return the transcript of a version. Raises KeyError (not recorded) or RecordingError (damaged)."""
        if name not in self._names:
            raise KeyError(name)
        numbers = tuple([row[name] for row in self._rows])
        if numbers not in self._made:
            with readable(path=self._path):
                self._made[numbers] = Transcript(tuple(map(self._step, range(len(numbers)), numbers)))
        return self._made[numbers]

    def __contains__(self, name: object) -> bool:
        """Whether a version was recorded."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        """Yield the versions."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of recorded versions."""
        return len(self._names)

    def __repr__(self) -> str:
        """Return the `repr` of a dictionary of the transcripts. Digests are computed from it."""
        return repr(dict(self))

    def _step(self, place: int, number: int) -> TranscriptStep:
        if (place, number) not in self._steps:
            body = self._bodies[place]
            self._steps[place, number] = self._decoder.step(_tools(body), body["answers"][number])
        return self._steps[place, number]


def _tools(body: Mapping[str, Any]) -> tuple[str, ...]:
    tools = (body["call"],) if "call" in body else tuple(body["calls"])
    if not all(isinstance(tool, str) for tool in tools):
        raise TypeError(f"the calls {tools!r} are no names"[:200])
    return tools


def _row(names: tuple[str, ...], body: Mapping[str, Any]) -> Mapping[str, int]:
    """Return, for each version, the index of its answer among the answers of a step."""
    answers = body["answers"]
    starts: dict[str, int] = {}
    for number, answer in enumerate(answers):
        since = answer["since"] if len(answers) > 1 else names
        for name in [since] if isinstance(since, str) else since:
            if starts.setdefault(name, number) != number:
                raise ValueError(f"two answers begin in {name}")
    return holding(names, starts)


def decode_step(body: Mapping[str, Any], packed: Mapping[str, str]) -> TranscriptStep:
    """Return the step that `StepEncoder.step` encoded as these JSON values. Raises RecordingError."""
    with readable("run it again"):
        return _Decoder(_Packed(packed)).step(_tools(body), body)


class _Packed:
    """The compressed texts and contents of a recording, by name. Each is decompressed only once."""

    def __init__(self, encoded: Mapping[str, str]) -> None:
        self._encoded = encoded
        self._left = _MOST_UNPACKED
        self._data: dict[str, bytes] = {}
        self._texts: dict[str, str] = {}

    def data(self, name: str) -> bytes:
        """Return the decompressed data. Raises KeyError, ValueError, lzma.LZMAError."""
        if name not in self._data:
            self._data[name] = self._unpack_text(_bytes(self._encoded[name]))
        return self._data[name]

    def _unpack_text(self, packed: bytes) -> bytes:
        unpacking = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
        data = unpacking.decompress(packed, self._left + 1)  # 0 would be no limit
        if len(data) > self._left:
            self._left = 0
            raise ValueError(f"more than {_MOST_UNPACKED:,} bytes are compressed in it")
        if not unpacking.eof:
            raise ValueError("what is compressed in it has no end")
        self._left -= len(data)
        return data

    def text(self, name: str) -> str:
        """Return the decompressed data as a text. Raises the errors of `data`."""
        if name not in self._texts:
            self._texts[name] = self.data(name).decode("utf-8", "surrogatepass")
        return self._texts[name]


@dataclass(frozen=True, slots=True)
class _Decoder:
    """Decodes the JSON values of a recording."""

    packed: _Packed

    def step(self, tools: tuple[str, ...], body: Mapping[str, Any]) -> TranscriptStep:
        """Return the step with these JSON values of `StepEncoder`. Raises ValueError, KeyError, TypeError."""
        results = tuple(map(self.result, body.get("results", (body,))))
        if len(results) != len(tools):
            raise ValueError(f"{len(results)} results for {len(tools)} calls")
        return TranscriptStep(
            tools,
            results,
            {path: self.entry(entry) for path, entry in body.get("files", {}).items()},
            {path: int(mode, 8) for path, mode in body.get("created", {}).items()},
            body.get("struck", False),
            tuple(map(self.text, body.get("reminders", ()))),
        )

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
            case {"special": kind}:
                return SpecialFile(kind)
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

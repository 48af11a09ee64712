"""Decode the transcripts in a recording file. Each transcript is decoded when it is used for the first time."""

from __future__ import annotations

import base64
import lzma
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.suite.file_entry import Directory, Entry, RegularFile, SpecialFile, Symlink
from readfirst.harness.suite.ownership import parse_ownership
from readfirst.harness.suite.transcript import RecordedResult, RecordingError, Transcript, TranscriptStep
from readfirst.harness.suite.unwrap_host_text import HOST_TEXTS
from readfirst.harness.suite.version_ranges import expand_ranges
from readfirst.harness.yaml_io.finding import SuiteError

_MAX_UNPACKED_BYTES = 256 * 1024 * 1024
"""Maximum total size of the decompressed texts and contents of a recording, in bytes. A larger recording is refused."""
_MAX_LZMA_MEMORY_BYTES = 128 * 1024 * 1024
"""Maximum memory that may be used to decompress one text, in bytes."""
_MAX_ANSWERS = 1_000_000
"""Maximum number of answers in a recording: the number of its steps times the number of its versions."""
_DAMAGE_ERRORS = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, lzma.LZMAError)


@contextmanager
def errors_as_unreadable(
    advice: str = "record the scenario again", path: Path | None = None
) -> Iterator[None]:
    """Convert errors in the `with` block to RecordingError, whose message contains `advice` and `path`."""
    try:
        yield
    except SuiteError as error:
        finding = error.findings[0]
        raise _unreadable_error(f"line {finding.position.line}: {finding.message}", advice, path) from error
    except _DAMAGE_ERRORS as error:
        raise _unreadable_error(repr(error), advice, path) from error


def _unreadable_error(reason: str, advice: str, path: Path | None) -> RecordingError:
    prefix = "" if path is None else f"{path}: "
    error = RecordingError(f"{prefix}not a readable recording ({reason}); {advice}")
    error.file = path
    return error


class Transcripts(Mapping[str, Transcript]):
    """The transcripts of a recording, by version. They are decoded when they are used. `steps` and `packed` are JSON
    values of the recording. Error messages contain `path`.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        steps: Sequence[Mapping[str, Any]],
        packed: Mapping[str, str],
        path: Path | None = None,
    ) -> None:
        """Index the steps of each version without decoding them. Raises ValueError, KeyError, TypeError."""
        if len(names) * len(steps) > _MAX_ANSWERS:  # they would fill the memory
            raise ValueError(
                f"the steps of the recording have more than {_MAX_ANSWERS:,} answers of all versions"
            )
        self._names = dict.fromkeys(names)
        self._step_values = steps
        self._decoder = _Decoder(_PackedTexts(packed))
        self._path = path
        self._answer_numbers = [_answers_by_version(names, step) for step in steps]
        self._steps: dict[tuple[int, int], TranscriptStep] = {}
        self._transcripts: dict[tuple[int, ...], Transcript] = {}

    def __getitem__(self, name: str) -> Transcript:
        """Return a version's transcript. Raises KeyError for an unrecorded, RecordingError for a damaged transcript."""
        if name not in self._names:
            raise KeyError(name)
        numbers = tuple([row[name] for row in self._answer_numbers])
        if numbers not in self._transcripts:
            with errors_as_unreadable(path=self._path):
                self._transcripts[numbers] = Transcript(tuple(map(self._step, range(len(numbers)), numbers)))
        return self._transcripts[numbers]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        """Return `repr` of a dictionary of the transcripts. Digests are computed from this text."""
        return repr(dict(self))

    def _step(self, index: int, number: int) -> TranscriptStep:
        if (index, number) not in self._steps:
            values = self._step_values[index]
            self._steps[index, number] = self._decoder.step(_called_tools(values), values["answers"][number])
        return self._steps[index, number]


def _called_tools(values: Mapping[str, Any]) -> tuple[str, ...]:
    tools = (values["call"],) if "call" in values else tuple(values["calls"])
    if not all(isinstance(tool, str) for tool in tools):
        raise TypeError(f"the calls {tools!r} are no names"[:200])
    return tools


def _answers_by_version(names: tuple[str, ...], values: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the index of each version's answer in `answers`, the list of a step's different answers."""
    answers = values["answers"]
    starts: dict[str, int] = {}
    for number, answer in enumerate(answers):
        since = answer["since"] if len(answers) > 1 else names
        for name in [since] if isinstance(since, str) else since:
            if starts.setdefault(name, number) != number:
                raise ValueError(f"a step has two answers for the version {name}")
    return expand_ranges(names, starts)


def decode_step(values: Mapping[str, Any], packed: Mapping[str, str]) -> TranscriptStep:
    """Create a step from JSON values that `StepEncoder.step` returned. Raises RecordingError."""
    with errors_as_unreadable("run it again"):
        return _Decoder(_PackedTexts(packed)).step(_called_tools(values), values)


class _PackedTexts:
    """The compressed texts and contents of a recording, by name. Each text is decompressed at its first use."""

    def __init__(self, encoded: Mapping[str, str]) -> None:
        self._encoded = encoded
        self._remaining_bytes = _MAX_UNPACKED_BYTES
        self._data: dict[str, bytes] = {}
        self._texts: dict[str, str] = {}

    def data(self, name: str) -> bytes:
        """Return the decompressed bytes of the content `name`. Raises KeyError, ValueError, lzma.LZMAError."""
        if name not in self._data:
            self._data[name] = self._unpack_text(_decode_base64(self._encoded[name]))
        return self._data[name]

    def _unpack_text(self, packed: bytes) -> bytes:
        unpacking = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_LZMA_MEMORY_BYTES)
        data = unpacking.decompress(packed, self._remaining_bytes + 1)  # 0 would be no limit
        if len(data) > self._remaining_bytes:
            self._remaining_bytes = 0
            raise ValueError(
                f"the compressed texts of the recording unpack to more than {_MAX_UNPACKED_BYTES:,} bytes"
            )
        if not unpacking.eof:
            raise ValueError("a compressed text is truncated")
        self._remaining_bytes -= len(data)
        return data

    def text(self, name: str) -> str:
        """Return the decompressed text `name`. Raises the same errors as `data`."""
        if name not in self._texts:
            self._texts[name] = self.data(name).decode("utf-8", "surrogatepass")
        return self._texts[name]


@dataclass(frozen=True, slots=True)
class _Decoder:
    """Creates the steps of a recording from their JSON values."""

    packed: _PackedTexts

    def step(self, tools: tuple[str, ...], values: Mapping[str, Any]) -> TranscriptStep:
        """Create a step from JSON values that a `StepEncoder` returned. Raises ValueError, KeyError, TypeError."""
        results = tuple(map(self.result, values.get("results", (values,))))
        if len(results) != len(tools):
            raise ValueError(f"{len(results)} results for {len(tools)} calls")
        return TranscriptStep(
            tools,
            results,
            {path: self.entry(entry) for path, entry in values.get("files", {}).items()},
            {path: int(mode, 8) for path, mode in values.get("created", {}).items()},
            values.get("struck", False),
            tuple(map(self.text, values.get("reminders", ()))),
        )

    def result(self, values: Mapping[str, Any]) -> RecordedResult:
        cut, ending = None, ""
        match values["text"]:
            case {"starts": text, "sha256": cut, **rest}:
                ending = str(rest.get("ends", ""))
            case stored:
                text = self.text(stored)
        after = self.text(values.get("after", ""))
        error = values.get("error")
        if not isinstance(error, str | None):
            raise TypeError(f"the name of an error must be a text, not {error!r}")
        return RecordedResult(text, error, values.get("wrapped", False), after, cut, ending)

    def text(self, stored: Any) -> str:
        match stored:
            case str():
                return stored
            case {"host": name}:
                return HOST_TEXTS[name]
            case {"packed": name}:
                return self.packed.text(name)
            case {"base64": encoded}:
                return _decode_base64(encoded).decode("utf-8", "surrogatepass")
            case _:
                raise ValueError(f"a text is stored in an unknown form: {stored!r}")

    def entry(self, values: Any) -> Entry | None:
        match values:
            case None:
                return None
            case str():
                return RegularFile(values.encode("utf-8"))
            case {"symlink": target}:
                return Symlink(target)
            case {"special": kind}:
                return SpecialFile(kind)
            case {"directory": True}:
                return Directory(_parse_mode(values))
            case {"text": text}:
                ownership = parse_ownership(values["ownership"]) if "ownership" in values else None
                return RegularFile(text.encode("utf-8"), _parse_mode(values), ownership=ownership)
            case {"packed": name}:
                return RegularFile(self.packed.data(name), _parse_mode(values))
            case {"base64": encoded}:
                return RegularFile(_decode_base64(encoded), _parse_mode(values))
            case _:
                raise ValueError(f"a file is stored in an unknown form: {values!r}")


def _parse_mode(values: Mapping[str, Any]) -> int | None:
    return int(values["mode"], 8) if "mode" in values else None


def _decode_base64(encoded: str) -> bytes:
    return base64.b64decode(encoded, validate=True)

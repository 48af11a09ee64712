"""Recordings: what the real product answered, per scenario and contract, byte for byte.

One JSON file per scenario (`recordings/<family>/<slug>.json`), in ASCII: carriage returns, NUL, byte order marks
and invalid UTF-8 survive every tool between here and the reader. Contracts that gave the same transcript share it.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.contracts import order
from harness.entry import Directory, Entry, RegularFile, Symlink
from harness.session import ToolResult

__all__ = ["Recording", "RecordingError", "Recordings", "Transcript", "TranscriptStep", "decode", "encode"]

_FORMAT = 1
_PLAIN_LIMIT = 4096
"""Longer texts and contents (in characters or bytes) are stored compressed."""


class RecordingError(Exception):
    """A recording file is damaged or of another format; the message names file and remedy."""


@dataclass(frozen=True, slots=True)
class TranscriptStep:
    """One tool call, or the calls of one message, and what came of them.

    `results` hold the raw text, with `$WS` for the workspace's path. `changes` are the product's own changes to
    the workspace (None: gone), without those of the harness. `struck` tells whether the product came as far
    as the moment between validation and execution, for a call with `during`.
    """

    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    results: tuple[ToolResult, ...]
    changes: Mapping[str, Entry | None] = field(default_factory=dict)
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """What one contract's product gave for one scenario."""

    steps: tuple[TranscriptStep, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """All transcripts of one scenario, by contract."""

    transcripts: Mapping[str, Transcript] = field(default_factory=dict)

    def with_transcript(self, contract: str, transcript: Transcript) -> Recording:
        """Return the recording with one contract's transcript replaced or added."""
        return Recording({**self.transcripts, contract: transcript})

    def without(self, contract: str) -> Recording:
        """Return the recording without one contract."""
        return Recording({name: kept for name, kept in self.transcripts.items() if name != contract})


class Recordings:
    """The recordings below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, scenario_id: str) -> Path:
        """Return where the scenario's recording is or would be."""
        return self.root / f"{scenario_id}.json"

    def ids(self) -> Iterator[str]:
        """Yield the ids of all recordings, sorted."""
        for path in sorted(self.root.rglob("*.json")):
            yield path.relative_to(self.root).with_suffix("").as_posix()

    def recording(self, scenario_id: str) -> Recording:
        """Return the scenario's recording; empty where there is none. Raises RecordingError."""
        path = self.path(scenario_id)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return Recording()
        try:
            return decode(data)
        except RecordingError as error:
            raise RecordingError(f"{path}: {error}") from error

    def load(self, scenario_id: str, contract: str) -> Transcript | None:
        """Return one contract's transcript of a scenario, None where it was not recorded. Raises RecordingError."""
        return self.recording(scenario_id).transcripts.get(contract)


def encode(recording: Recording) -> bytes:
    """Return the file's bytes. Contracts stand in release order; equal transcripts stand once."""
    bodies: list[dict[str, Any]] = []
    contracts: dict[str, int] = {}
    for name in sorted(recording.transcripts, key=order):
        body = _encode_transcript(recording.transcripts[name])
        if body not in bodies:
            bodies.append(body)
        contracts[name] = bodies.index(body)
    file = {"format": _FORMAT, "contracts": contracts, "transcripts": bodies}
    return (json.dumps(file, indent=1) + "\n").encode("ascii")


def decode(data: bytes) -> Recording:
    """Read a file's bytes. Raises RecordingError."""
    try:
        file = json.loads(data)
        if file["format"] != _FORMAT:
            raise RecordingError(f"format {file['format']!r} is unknown; this version reads format {_FORMAT}")
        transcripts = [_decode_transcript(body) for body in file["transcripts"]]
        return Recording({name: transcripts[index] for name, index in file["contracts"].items()})
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, zlib.error) as error:
        raise RecordingError(f"not a readable recording ({error!r}); record the scenario again") from error


def _encode_transcript(transcript: Transcript) -> dict[str, Any]:
    return {"steps": [_encode_step(step) for step in transcript.steps]}


def _encode_step(step: TranscriptStep) -> dict[str, Any]:
    body: dict[str, Any] = {
        "calls": [{"tool": tool, "arguments": arguments} for tool, arguments in step.calls],
        "results": [
            {"text": _encode_text(result.text), "is_error": result.is_error} for result in step.results
        ],
    }
    if step.changes:
        body["changes"] = {path: _encode_entry(step.changes[path]) for path in sorted(step.changes)}
    if step.struck:
        body["struck"] = True
    return body


def _encode_text(text: str) -> str | dict[str, str]:
    if len(text) <= _PLAIN_LIMIT:
        return text
    return {"zlib": _compress(text.encode("utf-8", "surrogatepass"))}


def _encode_entry(entry: Entry | None) -> dict[str, Any] | None:
    match entry:
        case None:
            return None
        case RegularFile(mode=mode):
            return {"file": _encode_bytes(entry.data), "mode": _encode_mode(mode)}
        case Symlink(target=target):
            return {"symlink": target}
        case Directory(mode=mode):
            return {"directory": _encode_mode(mode)}
        case _:
            raise TypeError(f"a snapshot holds no {type(entry).__name__}")


def _encode_bytes(data: bytes) -> str | dict[str, str]:
    if len(data) > _PLAIN_LIMIT:
        return {"zlib": _compress(data)}
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _encode_mode(mode: int | None) -> str | None:
    return None if mode is None else f"{mode:04o}"


def _compress(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def _decompress(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text, validate=True))


def _decode_transcript(body: Mapping[str, Any]) -> Transcript:
    return Transcript(tuple(_decode_step(step) for step in body["steps"]))


def _decode_step(body: Mapping[str, Any]) -> TranscriptStep:
    return TranscriptStep(
        calls=tuple((call["tool"], call["arguments"]) for call in body["calls"]),
        results=tuple(ToolResult(_decode_text(item["text"]), item["is_error"]) for item in body["results"]),
        changes={path: _decode_entry(entry) for path, entry in body.get("changes", {}).items()},
        struck=body.get("struck", False),
    )


def _decode_text(body: str | Mapping[str, str]) -> str:
    if isinstance(body, str):
        return body
    return _decompress(body["zlib"]).decode("utf-8", "surrogatepass")


def _decode_entry(body: Mapping[str, Any] | None) -> Entry | None:
    match body:
        case None:
            return None
        case {"file": content, "mode": mode}:
            return RegularFile(_decode_bytes(content), _decode_mode(mode))
        case {"symlink": target}:
            return Symlink(target)
        case {"directory": mode}:
            return Directory(_decode_mode(mode))
        case _:
            raise RecordingError(f"unknown entry {body!r}; record the scenario again")


def _decode_bytes(body: str | Mapping[str, str]) -> bytes:
    match body:
        case str():
            return body.encode("utf-8")
        case {"zlib": text}:
            return _decompress(text)
        case {"base64": text}:
            try:
                return base64.b64decode(text, validate=True)
            except binascii.Error as error:
                raise RecordingError(f"damaged base64 ({error}); record the scenario again") from error
        case _:
            raise RecordingError(f"unknown content {body!r}; record the scenario again")


def _decode_mode(text: str | None) -> int | None:
    return None if text is None else int(text, 8)

"""Read and write recording files. Each is a JSON file with the recordings of all scenarios in one scenario file. Each
answer has its own line. Equal answers of a step are written once, with the versions that introduced them. A digest of
the inputs identifies the recorded files and steps; a digest of the recording is used to detect manual edits. Long texts
are written once, compressed, under `packed`. docs/recording.md describes the format.
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from readfirst.harness.suite.contracts import contract_sort_key
from readfirst.harness.suite.file_content import entry_value
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.transcript import RecordedResult, Recording, RecordingError, TranscriptStep
from readfirst.harness.suite.transcript_loader import Transcripts, errors_as_unreadable
from readfirst.harness.suite.unwrap_host_text import HOST_TEXTS
from readfirst.harness.suite.version_ranges import first_versions
from readfirst.harness.yaml_io.yaml_writer import INVISIBLE_PATTERN

RECORD_FILE_AGAIN = "undo the change, or remove the file and record its scenarios again"
"""Advice in the error message about a recording file that is not JSON or does not have the right format."""
MAX_FILE_BYTES = 8 * 1024 * 1024
"""Maximum size of a recording file, in bytes. Larger files are neither written nor read."""
_MAX_PLAIN_LENGTH = 4096
"""Maximum length of an uncompressed text (in characters) or content (in bytes)."""
_EXCERPT_CHARS = 100
"""Number of characters of a compressed text that stay readable in a recording file, at each end of the text."""
_PACKED_NAME_CHARS = 12
_DIGEST_CHARS = 16
_HOST_TEXT_NAMES = {text: name for name, text in HOST_TEXTS.items()}
_to_ascii = json.JSONEncoder(separators=(",", ":")).encode
_to_json = json.JSONEncoder(ensure_ascii=False).encode

Entries = Mapping[str, Mapping[str, Any]]
"""The recordings in one file as JSON values. The keys are the last parts of the scenarios' ids."""


@lru_cache(maxsize=4)
def read_entries(data: bytes) -> Entries:
    """Parse a recording file. Return each recording's JSON value. Cached for a few files. Raises RecordingError."""
    with errors_as_unreadable(RECORD_FILE_AGAIN):
        return {**json.loads(data, object_pairs_hook=_unique_pairs)}


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


def format_entries(entries: Entries) -> bytes:
    """Return the bytes of a recording file with these recordings, sorted. Raises RecordingError if too large."""
    lines = ",\n".join(f"  {_to_json(name)}: {_format_entry(entries[name])}" for name in sorted(entries))
    data = INVISIBLE_PATTERN.sub(lambda match: f"\\u{ord(match[0]):04x}", f"{{\n{lines}\n}}\n").encode()
    if len(data) > MAX_FILE_BYTES:
        message = f"the recording would have {len(data):,} bytes; at most {MAX_FILE_BYTES:,} are read again"
        raise RecordingError(f"{message}. Use fewer steps or smaller files in the scenario.")
    return data


def _format_entry(entry: Mapping[str, Any]) -> str:
    return (
        "{\n"
        + ",\n".join(f"    {_to_json(key)}: {_format_field(key, entry[key])}" for key in entry)
        + "\n  }"
    )


def _format_field(key: str, value: Any) -> str:
    if key == "steps":
        return "[\n" + ",\n".join(map(_format_step, value)) + "\n    ]"
    if key == "packed":
        rows = (f"      {_to_json(name)}: {_to_json(text)}" for name, text in value.items())
        return "{\n" + ",\n".join(rows) + "\n    }"
    return _to_json(value)


def _format_step(step: Mapping[str, Any]) -> str:
    call = ", ".join(f"{_to_json(key)}: {_to_json(step[key])}" for key in step if key != "answers")
    answers = ",\n".join(f"        {_to_json(answer)}" for answer in step["answers"])
    return f'      {{{call}, "answers": [\n{answers}\n      ]}}'


def encode_recording(recording: Recording) -> dict[str, Any]:
    """Return a recording as JSON values with a digest. Texts in `recording.packed` are not compressed again."""
    encoder = StepEncoder(recording.packed)  # another version of xz may return different bytes
    names = tuple(sorted(recording.transcripts, key=contract_sort_key))
    value: dict[str, Any] = {"inputs": recording.inputs, "digest": "", "versions": list(names)}
    if recording.unrecorded:
        value["unrecorded"] = {
            name: recording.unrecorded[name] for name in sorted(recording.unrecorded, key=contract_sort_key)
        }
    rows = zip(*(recording.transcripts[name].steps for name in names), strict=True)
    value["steps"] = [_encode_step(names, row, encoder) for row in rows]
    if encoder.packed:
        value["packed"] = encoder.packed
    return with_digest(value)


def with_digest(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON values of a recording, with their digest added. The digest is used to detect manual edits."""
    text = _to_ascii({**value, "digest": ""})
    return {**value, "digest": hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]}


def has_valid_digest(value: Mapping[str, Any]) -> bool:
    """Whether the JSON values of a recording match the digest that they contain. If not, a user edited them by hand."""
    return "digest" in value and with_digest(value)["digest"] == value["digest"]


def decode_recording(value: Mapping[str, Any], path: Path | None = None) -> Recording:
    """Create a recording from its JSON values. Transcripts are decoded when they are used. `path` is the file for error
    messages. Raises RecordingError.
    """
    with errors_as_unreadable(path=path):
        names = tuple(map(str, value["versions"]))
        packed = {str(name): str(text) for name, text in value.get("packed", {}).items()}
        transcripts = Transcripts(names, value["steps"], packed, path)
        return Recording(str(value["inputs"]), transcripts, {**value.get("unrecorded", {})}, packed)


def decode_whole(value: Mapping[str, Any], path: Path | None = None) -> Recording:
    """Create a recording from JSON values, and decode all transcripts, to find all errors. Raises RecordingError."""
    recording = decode_recording(value, path)
    for name in recording.transcripts:
        recording.transcripts[name]
    return recording


def format_recording(recording: Recording, name: str = "recording") -> bytes:
    """Return the bytes of a file with one recording. Raises RecordingError if the file would be too large."""
    return format_entries({name: encode_recording(recording)})


def parse_recording(data: bytes, name: str = "recording") -> Recording:
    """Parse a recording file that contains one recording. Raises RecordingError."""
    with errors_as_unreadable():
        return decode_whole(read_entries(data)[name])


def _encode_step(
    names: tuple[str, ...], row: Sequence[TranscriptStep], encoder: StepEncoder
) -> dict[str, Any]:
    steps_by_key: dict[Hashable, TranscriptStep] = {}
    # Contracts with equal answers share a step object, so few keys must be computed.
    first_steps = {
        number: steps_by_key.setdefault(step.key, step)
        for number, step in {id(step): step for step in row}.items()
    }
    starts = first_versions(
        names, {name: id(first_steps[id(step)]) for name, step in zip(names, row, strict=True)}
    )
    return {
        **_tools_value(row[0].tools),
        "answers": [
            {**(_since(starts[id(step)]) if len(steps_by_key) > 1 else {}), **encoder.answer(step)}
            for step in steps_by_key.values()
        ],
    }


def _tools_value(tools: Sequence[str]) -> dict[str, Any]:
    """Return the tools of a step as JSON values, with the key `call`, or `calls` for a group of parallel calls."""
    return {"call": tools[0]} if len(tools) == 1 else {"calls": list(tools)}


def _since(names: list[str]) -> dict[str, Any]:
    return {"since": names[0] if len(names) == 1 else names}


@dataclass(frozen=True, slots=True)
class StepEncoder:
    """Encodes the steps of one recording as JSON values. Long texts are compressed and added to `packed` under their
    digests. `compressed` contains texts that are already compressed.
    """

    compressed: Mapping[str, str]
    packed: dict[str, str] = field(default_factory=dict)

    def step(self, step: TranscriptStep) -> dict[str, Any]:
        """Return a step as JSON values: the tools that it calls, and their answers. `decode_step` reverses this."""
        return {**_tools_value(step.tools), **self.answer(step)}

    def answer(self, step: TranscriptStep) -> dict[str, Any]:
        """Return the results of a step's calls, and the changes of files, as JSON values."""
        body: dict[str, Any] = {}
        if len(step.results) == 1:
            body |= self.result(step.results[0])
        else:
            body["results"] = [self.result(result) for result in step.results]
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
        """Return the recorded result of one call as JSON values."""
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
            name = _HOST_TEXT_NAMES.get(result.after)
            body["after"] = self.text(result.after) if name is None else {"host": name}
        return body

    def text(self, text: str) -> str | dict[str, Any]:
        """Return a text as a JSON value. A long text is added to `packed`, and replaced by an excerpt and its key."""
        if len(text) <= _MAX_PLAIN_LENGTH:
            return _encode_text(text)
        return {
            "lines": text.count("\n") + 1,
            "starts": _replace_half_characters(text[:_EXCERPT_CHARS]),
            "ends": _replace_half_characters(text[-_EXCERPT_CHARS:]),
            "packed": self.pack(text.encode("utf-8", "surrogatepass")),
        }

    def entry(self, entry: Entry | None) -> Any:
        """Return the state of a path (such as a file with its content) as a JSON value. None for a deleted path."""
        return entry_value(entry, self._long)

    def _long(self, data: bytes) -> dict[str, Any]:
        return {"size": len(data), "packed": self.pack(data)} if len(data) > _MAX_PLAIN_LENGTH else {}

    def pack(self, data: bytes) -> str:
        """Compress `data`, add the result to `packed`, and return its key."""
        name = hashlib.sha256(data).hexdigest()[:_PACKED_NAME_CHARS]
        if name not in self.packed:
            self.packed[name] = self.compressed.get(name) or _compress(data)
        return name


def _compress(data: bytes) -> str:
    packed = lzma.compress(data, check=lzma.CHECK_CRC32, preset=6 | lzma.PRESET_EXTREME)
    return base64.b64encode(packed).decode("ascii")


def _replace_half_characters(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _encode_text(text: str) -> str | dict[str, str]:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair: other JSON parsers replace or refuse its escape
        return {"base64": base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")}
    return text

"""Theme recordings: those of a theme's composed scenarios, in one JSON file that a program reads fast.

It holds each as a file of one scenario does. A line is an answer, so that a review is a diff.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from readfirst.harness.suite.recording_file import value_of
from readfirst.harness.suite.seal import sealed
from readfirst.harness.suite.transcript import Recording
from readfirst.harness.suite.transcripts import readable

_PLAIN_LIMIT = 1024
"""Longer texts and contents (in characters or bytes) are stored compressed."""
_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
"""What editors take for the end of a line, or do not show."""
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@lru_cache(maxsize=4)
def _theme(data: bytes) -> Mapping[str, Any]:
    """Return the values in a file; those of the last few are kept, because their scenarios follow each other."""
    with readable("its scenarios"):
        return {**json.loads(data, object_pairs_hook=_pairs)}


def slugs(data: bytes) -> list[str]:
    """Return the last parts of the ids of the scenarios in a file. Raises RecordingError."""
    return [*_theme(data)]


def read_one(data: bytes, slug: str) -> Mapping[str, Any] | None:
    """Return the values of one scenario's recording in a file's bytes. Raises RecordingError."""
    return _theme(data).get(slug)


def replaced(data: bytes, slug: str, recording: Recording) -> bytes:
    """Return a file's bytes with one scenario's recording replaced, added, or without it where there is none.

    Raises RecordingError.
    """
    entries = {name: _entry(name, value) for name, value in _theme(data).items()}
    entries.pop(slug, None)
    if recording.transcripts or recording.unrecorded:
        entries[slug] = sealed(_entry(slug, value_of(recording, _PLAIN_LIMIT, 0)))
    return b"{\n" + b",\n".join(entries[each] for each in sorted(entries)) + b"\n}\n"


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _entry(slug: str, value: Mapping[str, Any]) -> bytes:
    text = f"{json.dumps(slug)}: {_text(value)}"
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _text(value: Any, key: str = "") -> str:
    match value:
        case [{}, *_]:
            return "[\n" + ",\n".join(map(_text, value)) + "\n]"
        case {} if key == "packed":
            return "{" + ",".join(f"\n {_text(name)}: {_text(each)}" for name, each in value.items()) + "\n}"
        case {} if not any(isinstance(each, list | dict) for each in value.values()):
            return _ENCODE(value)
        case {}:
            return "{" + ",".join(f"{_text(name)}:{_text(each, name)}" for name, each in value.items()) + "}"
        case _:
            return _ENCODE(value)

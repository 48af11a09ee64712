"""Theme recordings: the transcripts of a theme's composed scenarios, in one JSON file that a program reads fast.

Each part of an answer is written once, with the versions that it begins to hold in, so that files which all versions
leave alike are not repeated where their words differ. A line is a part of an answer, so that a review is a diff.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from readfirst.harness.suite.contracts import order
from readfirst.harness.suite.recording_file import (
    Encoder,
    Packed,
    Room,
    check_answers,
    holding,
    keys_of,
    packed_of,
    starts_of,
    step_of,
)
from readfirst.harness.suite.transcript import Kept, Recording, RecordingError, Row, TranscriptStep, readable

_SINCE = "since"
_ABSENT = "null"
_PLAIN_LIMIT = 1024
"""Longer texts and contents (in characters or bytes) are stored compressed."""
_HEAD = re.compile(rb'^"([^"\\]*)": ', re.MULTILINE)
_TEXT = re.compile(rb"\{.*^[]}]\}", re.MULTILINE | re.DOTALL)
"""Where one scenario's recording begins in a file, and the recording."""
_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
"""What editors take for the end of a line, or do not show."""


@lru_cache(maxsize=4)
def theme(data: bytes) -> Mapping[str, Kept]:
    """Read a file's bytes; the last few are kept, because its scenarios follow each other. Raises RecordingError."""
    with readable("its scenarios"):
        file = json.loads(data, object_pairs_hook=_pairs)
        check_answers(sum(len(each["versions"].split()) * _parts(each["steps"]) for each in file.values()))
        room = Room()
        return {str(slug): _kept(each, room) for slug, each in file.items()}


def _parts(steps: Sequence[Mapping[str, Any]]) -> int:
    """Return how much of a recording may differ by version: steps, and what each of them has."""
    return sum(1 + len(step) for step in steps)


def _kept(body: Mapping[str, Any], room: Room) -> Kept:
    names, packed = tuple(body["versions"].split()), packed_of(body)
    unpacked = Packed(packed, room)
    rows = [_row(names, step, unpacked) for step in body["steps"]]
    return Kept(str(body["inputs"]), names, rows, body.get("unrecorded", {}), packed)


def _row(names: tuple[str, ...], step: Mapping[str, Any], packed: Packed) -> Row:
    """Return one step, in which each part has the versions that it begins to hold in, unless it holds for all."""
    tools = (step["call"],) if "call" in step else tuple(step["calls"])
    parts = {key: value for key, value in step.items() if key not in ("call", "calls")}
    varied = {
        key: value[_SINCE]
        for key, value in parts.items()
        if isinstance(value, dict) and value.keys() == {_SINCE}
    }
    held = [
        holding(names, {name: number for number, (since, _) in enumerate(values) for name in since.split()})
        for values in varied.values()
    ]

    def made(chosen: tuple[int, ...]) -> TranscriptStep:
        values = {
            key: values[number][1] for number, (key, values) in zip(chosen, varied.items(), strict=True)
        }
        return step_of(
            tools, {key: each for key, each in {**parts, **values}.items() if each is not None}, packed
        )

    return Row({name: tuple(each[name] for each in held) for name in names}, made)


def replaced(data: bytes, slug: str, recording: Recording) -> bytes:
    """Return a file's bytes with one scenario's recording replaced, added, or without it where there is none.

    Raises RecordingError.
    """
    texts = {**_texts(data)}
    texts.pop(slug, None)
    if recording.transcripts or recording.unrecorded:
        texts[slug] = _written(recording)
    return _joined(texts)


def is_as_written(data: bytes, slug: str, recording: Recording) -> bool:
    """Whether a file's bytes have the form that the recorder gives this recording of one scenario."""
    try:
        kept = theme(data).get(slug)
        written = "" if kept is None else _written(recording, kept.packed)
        return _is_joined(data) and _texts(data).get(slug) == written
    except RecordingError:
        return False


def encoded(recordings: Mapping[str, Recording]) -> bytes:
    """Return a file's bytes, given the recordings of a theme by the last part of each id."""
    return _joined({slug: _written(each) for slug, each in recordings.items()})


def _joined(texts: Mapping[str, str]) -> bytes:
    parts = [f"{json.dumps(each)}: {texts[each]}" for each in sorted(texts)]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


@lru_cache(maxsize=4)
def _texts(data: bytes) -> Mapping[str, str]:
    """Return the text of each scenario's recording in a file, as it was written. Raises RecordingError."""
    _, *parts = _HEAD.split(data)
    found = {slug.decode(): _TEXT.match(part) for slug, part in zip(parts[::2], parts[1::2], strict=True)}
    texts = {slug: match[0].decode() for slug, match in found.items() if match}
    for slug in theme(data).keys() ^ texts.keys():
        raise RecordingError(f"the recording of {slug} is not in the form that the recorder writes")
    return texts


@lru_cache(maxsize=4)
def _is_joined(data: bytes) -> bool:
    return _joined(_texts(data)) == data


def _written(recording: Recording, compressed: Mapping[str, str] | None = None) -> str:
    names = tuple(sorted(recording.transcripts, key=order))
    rows = zip(*(recording.transcripts[name].steps for name in names), strict=True)
    encoder = Encoder(_PLAIN_LIMIT, compressed or {})
    steps = ",\n".join(_step_text(names, row, encoder) for row in rows)
    packed = encoder.packed
    long = ",\n".join(f' "{name}": "{data}"' for name, data in packed.items())
    reasons = {name: recording.unrecorded[name] for name in sorted(recording.unrecorded, key=order)}
    left_out = f'"unrecorded": {_json(reasons)}, ' if reasons else ""
    head = (
        f'{{"inputs": {json.dumps(recording.inputs)}, "versions": "{" ".join(names)}", {left_out}"steps": ['
    )
    return f"{head}\n{steps}\n]" + (f', "packed": {{\n{long}\n}}}}' if packed else "}")


def _step_text(names: tuple[str, ...], row: Sequence[TranscriptStep], encoder: Encoder) -> str:
    tools = row[0].tools
    made: dict[Any, Mapping[str, str]] = {}
    bodies = {}
    for name, step, answer in zip(names, row, keys_of(row), strict=True):
        if answer not in made:
            made[answer] = {key: _json(value) for key, value in encoder.answer(step).items()}
        bodies[name] = made[answer]
    lines = [f' {{"call": {_json(tools[0])}' if len(tools) == 1 else f' {{"calls": {_json(tools)}']
    for key in dict.fromkeys(key for body in bodies.values() for key in body):
        values = {name: body.get(key, _ABSENT) for name, body in bodies.items()}
        starts = starts_of(names, values)
        if len(starts) == 1:
            lines.append(f'  "{key}": {values[names[0]]}')
            continue
        parts = ",\n".join(f'   ["{" ".join(since)}", {value}]' for value, since in starts.items())
        lines.append(f'  "{key}": {{"{_SINCE}": [\n{parts}]}}')
    return ",\n".join(lines) + "}"


def _json(value: Any) -> str:
    if (
        isinstance(value, dict) and "packed" in value
    ):  # what a reviewer is shown of it is in the files that people read
        value = {key: each for key, each in value.items() if key not in ("lines", "starts", "ends")}
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)

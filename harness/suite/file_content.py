"""Content: what a path holds, as files of a suite write it, into an Entry and back."""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from readfirst.harness.suite.file_entry import (
    OLD_TIME,
    Base64Content,
    Content,
    Directory,
    Entry,
    FileDigest,
    HardLink,
    RegularFile,
    Seconds,
    SpecialFile,
    Symlink,
    TextContent,
    parse_shift,
    shift_text,
)
from readfirst.harness.suite.ownership import read_ownership
from readfirst.harness.yaml_io.yaml_validation import Fields, Node

MAX_CONTENT_BYTES = 64 * 1024 * 1024

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "latin-1")
EOLS = ("lf", "crlf", "cr")
SPECIAL_KINDS = ("fifo", "socket")
"""What a given path may be besides a file, a link or a folder."""

_TEXT_KEYS = ("encoding", "bom", "eol")
_BESIDE: Mapping[str, tuple[str, ...]] = {
    "text": (*_TEXT_KEYS, "mode", "mtime", "ownership"),
    "repeat": ("times", *_TEXT_KEYS, "mode", "mtime"),
    "base64": ("mode", "mtime"),
    "symlink": (),
    "hardlink": (),
    "directory": ("mode", "ownership"),
    "special": (),
}
"""What a path may hold, by the key that says it, with the keys that go with that."""
_EVENT_KEYS = ("text", "repeat", "base64", "times", *_TEXT_KEYS, "mode", "mtime")
_GIVEN_KEYS = (*_EVENT_KEYS, "symlink", "hardlink", "directory", "special", "ownership")
_EXPECTED_KEYS = (
    *(key for key in _GIVEN_KEYS if key not in ("hardlink", "special", "mtime")),
    "sha256",
    "size",
)

_MODE = re.compile(r"[0-7]{4}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_AS_PRINTED = "Write it as `base64 -w0 FILE` prints it."


def given_entry(node: Node) -> Entry | None:
    """Read the content of a given path; None after noting what is wrong."""
    entry = _entry(node, _GIVEN_KEYS)
    if isinstance(entry, RegularFile) and isinstance(node.value, dict) and "mtime" in node.value:
        shift = shift_of(node.below("mtime"))
        if shift is not None:
            return replace(entry, mtime=OLD_TIME + shift)
    return entry


def modified_entry(node: Node) -> tuple[RegularFile | None, Seconds | None]:
    """Read the content of a `modify` and the shift of its time in seconds (None: `same`)."""
    entry = _entry(node, _EVENT_KEYS)
    shift: Seconds | None = 2
    if isinstance(node.value, dict) and "mtime" in node.value:
        shift = None if node.value["mtime"] == "same" else shift_of(node.below("mtime"), same=True)
    return (entry if isinstance(entry, RegularFile) else None), shift


def expected_entry(node: Node) -> Entry | None:
    """Read the expected content of a path that still exists; None after noting what is wrong."""
    is_digest = isinstance(node.value, dict) and "sha256" in node.value
    return _digest(node) if is_digest else _entry(node, _EXPECTED_KEYS)


def mode_of(node: Node) -> int | None:
    """Read a mode: a string of four octal digits, the first of them for setuid, setgid and sticky bit."""
    if isinstance(node.value, str) and _MODE.fullmatch(node.value):
        return int(node.value, 8)
    node.note(f"{node.value!r} is not a mode", 'Write four octal digits in quotes, for example "0644".')
    return None


def shift_of(node: Node, *, same: bool = False) -> Seconds | None:
    """Read a shift of a time into seconds; with `same`, the message names that word too."""
    if isinstance(node.value, str) and (shift := parse_shift(node.value)) is not None:
        return shift
    fix = (
        f"Write a number with sign and unit, s, ms or us: +2s, -10s, +1ms, +900us{' or same' if same else ''}. "
        "It has at most ten digits, and at most nine decimals, none of them finer than a nanosecond."
    )
    node.note(f"{node.value!r} is not a shift of a time", fix)
    return None


def _entry(node: Node, known: tuple[str, ...]) -> Entry | None:
    if isinstance(node.value, str):
        return RegularFile(TextContent(node.value))
    fields = node.called("content").fields(known)
    kinds = [key for key in _BESIDE if key in fields and key in known]
    if fields.wrong or (not kinds and not fields.values.keys() <= set(known)):
        return None  # a misspelt kind, noted already
    if len(kinds) != 1:
        has = f"has {' and '.join(kinds)}" if kinds else "does not say what the path holds"
        choices = ", ".join(key for key in _BESIDE if key in known)
        node.note(f"content {has}", f"Write a string, or a mapping with one of {choices}.")
        return None
    kind = kinds[0]
    mode = fields.read("mode", mode_of)
    for key, value in fields:
        if key in known and key != kind and key not in _BESIDE[kind]:
            value.note(f"{key} does not go with {kind}", f"Remove {key}.", key=True)
    ownership = fields.read("ownership", read_ownership)
    if kind in ("text", "repeat"):
        content = _text_content(fields, kind)
        return None if content is None else RegularFile(content, mode, ownership=ownership)
    if kind == "directory":
        if fields.values[kind] is not True:
            fields[kind].note("directory must be true", "Write directory: true, or leave the path out.")
        if ownership is not None and ownership.attributes:
            fields["ownership"].note("a directory is given no attributes", "Leave them out.")
        return Directory(mode, ownership)
    if kind == "special":
        special = fields.choice(kind, SPECIAL_KINDS)
        return None if special is None else SpecialFile(special)
    target = fields[kind].string(empty=kind == "base64")
    if target is None:
        return None
    if kind == "base64":
        return _base64(fields[kind], target, mode)
    if "\0" in target:
        fields[kind].note(f"{kind} contains a NUL character", "No file name can contain it.")
        return None
    return Symlink(target) if kind == "symlink" else HardLink(target)


def _text_content(fields: Fields, kind: str) -> TextContent | None:
    text = fields[kind].string(empty=kind == "text")
    encoding = fields.choice("encoding", ENCODINGS) if "encoding" in fields else "utf-8"
    eol = fields.choice("eol", EOLS) if "eol" in fields else "lf"
    bom = fields.values.get("bom", False)
    if encoding is None or eol is None:
        return None
    if not isinstance(bom, bool):
        fields["bom"].note("bom must be true or false", "Write bom: true for a byte order mark in front.")
        return None
    if bom and encoding == "latin-1":
        fix = "Remove bom, or write the bytes as base64."
        fields["bom"].note("latin-1 has no byte order mark", fix, key=True)
        return None
    times: int | None = None
    if kind == "repeat":
        if "times" not in fields:
            fields.node.note("repeat needs times", "Add times: with the number of repetitions.")
            return None
        times = fields.integer("times", least=1, most=MAX_CONTENT_BYTES)
        if times is None:
            return None
    if text is None:
        return None
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        message = f"{encoding} has no code for U+{ord(text[error.start]):04X}"
        fix = "Use another encoding, or write the bytes as base64."
        fields[kind].note(message, fix, rule="unencodable-text")
        return None
    return TextContent(text, times, encoding, bom, eol)


def _base64(node: Node, encoded: str, mode: int | None) -> RegularFile | None:
    try:
        data = base64.b64decode(encoded, validate=True)
    except ValueError as error:
        node.note(f"this is not base64: {error}", _AS_PRINTED)
        return None
    if base64.b64encode(data).decode() != encoded:
        node.note("this is not the canonical base64 of its bytes", _AS_PRINTED)
        return None
    return RegularFile(Base64Content(encoded), mode)


def _digest(node: Node) -> FileDigest | None:
    fields = node.called("content").fields(("sha256", "size", "mode"), required=("sha256", "size"))
    mode = fields.read("mode", mode_of)
    size = fields.integer("size", least=0, most=MAX_CONTENT_BYTES)
    digest = sha256_of(fields["sha256"])
    return None if digest is None or size is None else FileDigest(digest, size, mode)


def sha256_of(node: Node) -> str | None:
    """Read a SHA-256 digest: 64 lower-case hexadecimal digits."""
    if isinstance(node.value, str) and _SHA256.fullmatch(node.value):
        return node.value
    node.note("this is not a SHA-256 digest", "Write the 64 lower-case hexadecimal digits in quotes.")
    return None


def entry_value(entry: Entry | None, long: Callable[[bytes], Mapping[str, Any]] = lambda _: {}) -> Any:
    """Return what is at a path as files write it, None for nothing there; `long` says bytes that are not written out.

    Raises TypeError for what no file can say.
    """
    fields: dict[str, Any]
    match entry:
        case None:
            return None
        case RegularFile(content):
            fields = _content_value(content, long)
        case FileDigest(sha256, size):
            fields = {"sha256": sha256, "size": size}
        case Symlink(target):
            fields = {"symlink": target}
        case HardLink(to):
            fields = {"hardlink": to}
        case Directory():
            fields = {"directory": True}
        case SpecialFile(kind) if kind in SPECIAL_KINDS:
            fields = {"special": kind}
        case _:
            raise TypeError(f"no file can say {type(entry).__name__}")
    if isinstance(entry, RegularFile | FileDigest | Directory) and entry.mode is not None:
        fields["mode"] = f"{entry.mode:04o}"
    if isinstance(entry, RegularFile) and entry.ownership is not None:
        fields["ownership"] = entry.ownership.value
    if isinstance(entry, RegularFile) and entry.mtime is not None:
        fields["mtime"] = shift_text(entry.mtime - OLD_TIME)
    return fields["text"] if fields.keys() == {"text"} else fields


def _content_value(content: Content, long: Callable[[bytes], Mapping[str, Any]]) -> dict[str, Any]:
    match content:
        case TextContent(text, times, encoding, bom, eol):
            stated = {"text": text} if times is None else {"repeat": text, "times": times}
            others = {"encoding": (encoding, "utf-8"), "bom": (bom, False), "eol": (eol, "lf")}
            return {**stated, **{key: value for key, (value, usual) in others.items() if value != usual}}
        case Base64Content(encoded):
            return {"base64": encoded}
    if said := long(content):
        return {**said}
    try:
        return {"text": content.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode("ascii")}

"""Content: reads what a path holds, as scenario files write it, into an Entry."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath
from readfirst.harness.suite.entry import (
    OLD_TIME,
    Base64Content,
    Directory,
    Entry,
    FileDigest,
    HardLink,
    RegularFile,
    Seconds,
    Symlink,
    TextContent,
    parse_shift,
)
from readfirst.harness.suite.ownership import read_ownership

MAX_CONTENT_BYTES = 64 * 1024 * 1024

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "latin-1")
EOLS = ("lf", "crlf", "cr")

_KINDS = ("text", "repeat", "base64", "symlink", "hardlink", "directory")
_TEXT_KEYS = ("encoding", "bom", "eol")
_GIVEN_KEYS = (*_KINDS, "times", *_TEXT_KEYS, "mode", "mtime", "ownership")
_EVENT_KEYS = ("text", "repeat", "base64", "times", *_TEXT_KEYS, "mode", "mtime")
_EXPECTED_KEYS = (
    "text",
    "repeat",
    "base64",
    "symlink",
    "directory",
    "sha256",
    "size",
    "times",
    *_TEXT_KEYS,
    "mode",
    "ownership",
)

_MODE = re.compile(r"[0-7]{4}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def given_entry(look: Inspection, path: YamlPath, value: Any) -> Entry | None:
    """Read the content of a given path; None after noting what is wrong."""
    if isinstance(value, str):
        return RegularFile(TextContent(value))
    entry = _entry(look, path, value, _GIVEN_KEYS)
    if isinstance(entry, RegularFile) and "mtime" in value:
        shift = shift_of(look, (*path, "mtime"), value["mtime"])
        if shift is not None:
            return replace(entry, mtime=OLD_TIME + shift)
    return entry


def modified_entry(look: Inspection, path: YamlPath, value: Any) -> tuple[RegularFile | None, Seconds | None]:
    """Read the content of a `modify` and the shift of its time in seconds (None: `same`)."""
    if isinstance(value, str):
        return RegularFile(TextContent(value)), 2
    entry = _entry(look, path, value, _EVENT_KEYS)
    shift: Seconds | None = 2
    if isinstance(value, dict) and "mtime" in value:
        shift = (
            None if value["mtime"] == "same" else shift_of(look, (*path, "mtime"), value["mtime"], same=True)
        )
    return (entry if isinstance(entry, RegularFile) else None), shift


def expected_entry(look: Inspection, path: YamlPath, value: Any) -> Entry | None:
    """Read the expected content of a path that still exists; None after noting what is wrong."""
    if isinstance(value, str):
        return RegularFile(TextContent(value))
    if isinstance(value, dict) and "sha256" in value:
        return _digest(look, path, value)
    return _entry(look, path, value, _EXPECTED_KEYS)


def mode_of(look: Inspection, path: YamlPath, value: Any) -> int | None:
    """Read a mode: a string of four octal digits, the first of them for setuid, setgid and sticky bit."""
    if isinstance(value, str) and _MODE.fullmatch(value):
        return int(value, 8)
    look.note(path, f"{value!r} is not a mode", 'Write four octal digits in quotes, for example "0644".')
    return None


def shift_of(look: Inspection, path: YamlPath, value: Any, *, same: bool = False) -> Seconds | None:
    """Read a shift of a time into seconds; with `same`, the message names that word too."""
    if isinstance(value, str) and (shift := parse_shift(value)) is not None:
        return shift
    other = " or same" if same else ""
    look.note(
        path,
        f"{value!r} is not a shift of a time",
        f"Write a number with sign and unit, s, ms or us: +2s, -10s, +1ms, +900us{other}.",
    )
    return None


def _entry(look: Inspection, path: YamlPath, value: Any, known: tuple[str, ...]) -> Entry | None:
    fields = look.mapping(value, path, "content", known)
    if fields is None:
        return None
    kinds = [key for key in _KINDS if key in fields and key in known]
    if not kinds and not fields.keys() <= set(known):
        return None  # a misspelt kind, noted already
    if len(kinds) != 1:
        message = (
            f"content has {' and '.join(kinds)}" if kinds else "content does not say what the path holds"
        )
        choices = ", ".join(key for key in _KINDS if key in known)
        look.note(path, message, f"Write a string, or a mapping with one of {choices}.")
        return None
    kind = kinds[0]
    mode = mode_of(look, (*path, "mode"), fields["mode"]) if "mode" in fields else None
    allowed = {
        "text": (*_TEXT_KEYS, "mode", "mtime", "ownership"),
        "repeat": ("times", *_TEXT_KEYS, "mode", "mtime"),
        "base64": ("mode", "mtime"),
        "directory": ("mode", "ownership"),
    }.get(kind, ())
    for key in fields:
        if key in known and key != kind and key not in allowed:
            look.note((*path, key), f"{key} does not go with {kind}", f"Remove {key}.", key=True)
    ownership = None
    if "ownership" in fields:
        ownership = read_ownership(look, (*path, "ownership"), fields["ownership"])
    if kind in ("text", "repeat"):
        content = _text_content(look, path, fields, kind)
        return None if content is None else RegularFile(content, mode, ownership=ownership)
    target = fields[kind]
    if kind == "directory":
        if target is not True:
            look.note(
                (*path, kind), "directory must be true", "Write directory: true, or leave the path out."
            )
        if ownership is not None and ownership.attributes:
            look.note((*path, "ownership"), "a directory is given no attributes", "Leave them out.")
        return Directory(mode, ownership)
    target = look.string(target, (*path, kind), kind, empty=kind == "base64")
    if target is None:
        return None
    if kind == "base64":
        return _base64(look, (*path, kind), target, mode)
    if "\0" in target:
        look.note((*path, kind), f"{kind} contains a NUL character", "No file name can contain it.")
        return None
    return Symlink(target) if kind == "symlink" else HardLink(target)


def _text_content(
    look: Inspection, path: YamlPath, fields: Mapping[str, Any], kind: str
) -> TextContent | None:
    text = look.string(fields[kind], (*path, kind), kind, empty=kind == "text")
    encoding, eol, bom = fields.get("encoding", "utf-8"), fields.get("eol", "lf"), fields.get("bom", False)
    if encoding not in ENCODINGS:
        look.choice(encoding, (*path, "encoding"), "encoding", ENCODINGS)
        return None
    if eol not in EOLS:
        look.choice(eol, (*path, "eol"), "eol", EOLS)
        return None
    if not isinstance(bom, bool):
        look.note(
            (*path, "bom"), "bom must be true or false", "Write bom: true for a byte order mark in front."
        )
        return None
    if bom and encoding == "latin-1":
        look.note(
            (*path, "bom"),
            "latin-1 has no byte order mark",
            "Remove bom, or write the bytes as base64.",
            key=True,
        )
        return None
    times: int | None = None
    if kind == "repeat":
        if "times" not in fields:
            look.note(path, "repeat needs times", "Add times: with the number of repetitions.")
            return None
        times = look.integer(fields["times"], (*path, "times"), "times", least=1, most=MAX_CONTENT_BYTES)
        if times is None:
            return None
    if text is None:
        return None
    try:
        size = len(text.encode(encoding))
    except UnicodeEncodeError as error:
        message = f"{encoding} has no code for U+{ord(text[error.start]):04X}"
        look.note(
            (*path, kind),
            message,
            "Use another encoding, or write the bytes as base64.",
            rule="unencodable-text",
        )
        return None
    if size * (times or 1) > MAX_CONTENT_BYTES:
        message = f"the content has more than {MAX_CONTENT_BYTES:,} bytes"
        look.note((*path, kind), message, "Lower times: no rule of the tools needs more.")
        return None
    return TextContent(text, times, encoding, bom, eol)


def _base64(look: Inspection, path: YamlPath, encoded: str, mode: int | None) -> RegularFile | None:
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        look.note(path, f"this is not base64: {error}", "Write it as `base64 -w0 FILE` prints it.")
        return None
    if base64.b64encode(data).decode() != encoded:
        look.note(
            path, "this is not the canonical base64 of its bytes", "Write it as `base64 -w0 FILE` prints it."
        )
        return None
    return RegularFile(Base64Content(encoded), mode)


def _digest(look: Inspection, path: YamlPath, value: Mapping[str, Any]) -> FileDigest | None:
    fields = (
        look.mapping(value, path, "content", ("sha256", "size", "mode"), required=("sha256", "size")) or {}
    )
    mode = mode_of(look, (*path, "mode"), fields["mode"]) if "mode" in fields else None
    size = None
    if "size" in fields:
        size = look.integer(fields["size"], (*path, "size"), "size", least=0, most=MAX_CONTENT_BYTES)
    digest = sha256_of(look, (*path, "sha256"), fields["sha256"])
    return None if digest is None or size is None else FileDigest(digest, size, mode)


def sha256_of(look: Inspection, path: YamlPath, value: Any) -> str | None:
    """Read a SHA-256 digest: 64 lower-case hexadecimal digits."""
    if isinstance(value, str) and _SHA256.fullmatch(value):
        return value
    look.note(path, "this is not a SHA-256 digest", "Write the 64 lower-case hexadecimal digits in quotes.")
    return None

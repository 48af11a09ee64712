"""Convert the state of a path, such as a file, from and to its form in scenario and recording files."""

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
from readfirst.harness.yaml_io.yaml_validation import Fields, FormError, Node

MAX_CONTENT_BYTES = 64 * 1024 * 1024

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "latin-1")
EOLS = ("lf", "crlf", "cr")
SPECIAL_KINDS = ("fifo", "socket")
"""Kinds of special files that a scenario can create."""

_TEXT_KEYS = ("encoding", "bom", "eol")
_OTHER_KEYS: Mapping[str, tuple[str, ...]] = {
    "text": (*_TEXT_KEYS, "mode", "mtime", "ownership"),
    "repeat": ("times", *_TEXT_KEYS, "mode", "mtime"),
    "base64": ("mode", "mtime"),
    "symlink": (),
    "hardlink": (),
    "directory": ("mode", "ownership"),
    "special": (),
}
"""Each key that states the kind of an entry in a scenario file, with the keys that may be used together with it."""
_EVENT_KEYS = ("text", "repeat", "base64", "times", *_TEXT_KEYS, "mode", "mtime")
_GIVEN_KEYS = (*_EVENT_KEYS, "symlink", "hardlink", "directory", "special", "ownership")
_EXPECTED_KEYS = (
    *(key for key in _GIVEN_KEYS if key not in ("hardlink", "special", "mtime")),
    "sha256",
    "size",
)

_MODE_PATTERN = re.compile(r"[0-7]{4}")
SHA256_PATTERN = re.compile(r"[0-9a-f]{64}")
LINK_TARGET_PATTERN = re.compile(r"[^\0]+")
_ANY_TEXT_PATTERN = re.compile(r"(?s).*")
_BASE64_PATTERN = re.compile(
    r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?"
)
"""Matches valid Base64 with zero unused bits, so that each content can be written in only one way."""


def read_given_entry(node: Node) -> Entry:
    """Read the state of a path before the first step, or of a path that a hook writes. Raises FormError."""
    entry = _read_entry(node, _GIVEN_KEYS)
    if isinstance(entry, RegularFile) and "mtime" in node.value and type(node.value) is dict:
        return replace(entry, mtime=OLD_TIME + read_shift(node.below("mtime")))
    return entry


def read_modified_entry(node: Node) -> tuple[RegularFile, Seconds | None]:
    """Read a `modify` event: the new file, and the shift of its time (None for `mtime: same`). Raises FormError."""
    entry = _read_entry(node, _EVENT_KEYS)
    if not isinstance(entry, RegularFile):
        raise FormError(node)
    if type(node.value) is dict and "mtime" in node.value:
        return entry, None if node.value["mtime"] == "same" else read_shift(node.below("mtime"))
    return entry, 2


def read_expected_entry(node: Node) -> Entry:
    """Read the expected state of a path that is not deleted. Raises FormError."""
    if type(node.value) is dict and "sha256" in node.value:
        fields = node.mapping(("sha256", "size", "mode"), required=("sha256", "size"))
        size = fields["size"].number(0, MAX_CONTENT_BYTES)
        return FileDigest(fields["sha256"].matching(SHA256_PATTERN), size, fields.read("mode", read_mode))
    return _read_entry(node, _EXPECTED_KEYS)


def read_mode(node: Node) -> int:
    """Read the mode of a file: four octal digits such as `0644`, the first for setuid, setgid and sticky bits."""
    return int(node.matching(_MODE_PATTERN), 8)


def read_shift(node: Node) -> Seconds:
    """Read a shift of a file's time, such as `+2s`. Return the number of seconds. Raises FormError."""
    shift = parse_shift(node.value) if type(node.value) is str else None
    if shift is None:
        raise FormError(node)
    return shift


def _read_entry(node: Node, allowed_keys: tuple[str, ...]) -> Entry:
    if type(node.value) is str:
        return _check_encoding(RegularFile(TextContent(node.value)), node)
    fields = node.mapping()
    kind = next((key for key in _OTHER_KEYS if key in fields and key in allowed_keys), None)
    if kind is None:
        raise FormError(node)
    node.mapping([key for key in (kind, *_OTHER_KEYS[kind]) if key in allowed_keys])
    value = fields[kind]
    mode, ownership = fields.read("mode", read_mode), fields.read("ownership", read_ownership)
    match kind:
        case "text" | "repeat":
            return _check_encoding(
                RegularFile(_read_text_content(fields, kind), mode, ownership=ownership), value
            )
        case "directory":
            value.one_of((True,))
            if ownership is not None and ownership.attributes:
                raise FormError(fields["ownership"])
            return Directory(mode, ownership)
        case "special":
            return SpecialFile(value.one_of(SPECIAL_KINDS))
        case "base64":
            return RegularFile(Base64Content(value.matching(_BASE64_PATTERN)), mode)
        case "symlink":
            return Symlink(value.matching(LINK_TARGET_PATTERN))
        case _:
            return HardLink(value.matching(LINK_TARGET_PATTERN))


def _read_text_content(fields: Fields, kind: str) -> TextContent:
    encoding = fields["encoding"].one_of(ENCODINGS) if "encoding" in fields else "utf-8"
    eol = fields["eol"].one_of(EOLS) if "eol" in fields else "lf"
    bom = fields["bom"].one_of((True, False)) if "bom" in fields else False
    if bom and encoding == "latin-1":
        raise FormError(fields.node)
    if kind == "text":
        return TextContent(fields[kind].matching(_ANY_TEXT_PATTERN), None, encoding, bom, eol)
    times = fields.node.mapping(required=("times",))["times"].number(1, MAX_CONTENT_BYTES)
    return TextContent(fields[kind].matching(), times, encoding, bom, eol)


def _check_encoding(entry: RegularFile, node: Node) -> RegularFile:
    """Return the file. Adds a finding if its text contains a character that its encoding cannot represent."""
    content = entry.content
    if isinstance(content, TextContent) and not content.text.isascii():
        try:
            content.text.encode(content.encoding)
        except UnicodeEncodeError as error:
            message = f"{content.encoding} has no code for U+{ord(content.text[error.start]):04X}"
            fix = "Use a different encoding, or write the bytes as base64."
            node.note(message, fix, rule="unencodable-text")
    return entry


def entry_value(entry: Entry | None, encode_long: Callable[[bytes], Mapping[str, Any]] = lambda _: {}) -> Any:
    """Return an entry as it is written in scenario files (YAML) and recording files (JSON). None for a deleted path.
    `encode_long` may return keys, such as a digest, that replace a long content.
    """
    fields: dict[str, Any]
    match entry:
        case None:
            return None
        case RegularFile(content):
            fields = _content_value(content, encode_long)
        case FileDigest(sha256, size):
            fields = {"sha256": sha256, "size": size}
        case Symlink(target):
            fields = {"symlink": target}
        case HardLink(to):
            fields = {"hardlink": to}
        case Directory():
            fields = {"directory": True}
        case SpecialFile(kind):
            fields = {"special": kind}
    if isinstance(entry, RegularFile | FileDigest | Directory) and entry.mode is not None:
        fields["mode"] = f"{entry.mode:04o}"
    if isinstance(entry, RegularFile) and entry.ownership is not None:
        fields["ownership"] = entry.ownership.value
    if isinstance(entry, RegularFile) and entry.mtime is not None:
        fields["mtime"] = shift_text(entry.mtime - OLD_TIME)
    return fields["text"] if fields.keys() == {"text"} else fields


def _content_value(content: Content, encode_long: Callable[[bytes], Mapping[str, Any]]) -> dict[str, Any]:
    match content:
        case TextContent(text, times, encoding, bom, eol):
            stated = {"text": text} if times is None else {"repeat": text, "times": times}
            others = {"encoding": (encoding, "utf-8"), "bom": (bom, False), "eol": (eol, "lf")}
            return {**stated, **{key: value for key, (value, usual) in others.items() if value != usual}}
        case Base64Content(encoded):
            return {"base64": encoded}
    if long := encode_long(content):
        return {**long}
    try:
        return {"text": content.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode("ascii")}

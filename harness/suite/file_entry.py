"""Entries: states of paths in a workspace, such as a regular file. Shifts of file times, such as `+2s`."""

import base64
import hashlib
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, Self

from readfirst.harness.suite.ownership import Ownership

Seconds = int | Fraction
"""An exact number of seconds, used for shifts of file times: an int if the number is whole, otherwise a Fraction."""

NANOSECONDS = 1_000_000_000

_MAX_LINKS = 40
"""Maximum number of symbolic links that are followed to resolve a path. Operating systems use the same limit."""
_SHIFT_PATTERN = re.compile(r"([+-](?:0|[1-9][0-9]{0,9})(?:\.[0-9]{1,9})?)(s|ms|us)")
_UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000}


def parse_shift(text: str) -> Seconds | None:
    """Return the seconds of a time shift such as `+2s`. None for other texts and for fractions of a nanosecond."""
    match = _SHIFT_PATTERN.fullmatch(text)
    if match is None:
        return None
    number, unit = match.groups()
    seconds = Fraction(number) / _UNITS[unit]
    if (seconds * NANOSECONDS).denominator != 1:
        return None
    return seconds.numerator if seconds.denominator == 1 else seconds


def shift_text(seconds: Seconds) -> str:
    """Return a time shift as a text such as `+2s`, in the largest unit with a whole number, otherwise microseconds."""
    for unit, parts in _UNITS.items():
        if (count := Fraction(seconds) * parts).denominator == 1:
            return f"{count.numerator:+d}{unit}"
    nanoseconds = Fraction(seconds) * NANOSECONDS
    microseconds, rest = divmod(abs(nanoseconds.numerator), 1000)
    return f"{'-' if seconds < 0 else '+'}{microseconds}.{rest:03d}us"


OLD_TIME = 1_577_836_800
"""Default time of the given files and directories: 2020-01-01T00:00:00Z, in seconds since 1970."""

_BYTE_ORDER_MARKS = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
_MAX_CACHED_CHARS = 1 << 20
"""Maximum length of an expanded repeated text that is cached, in characters. Longer texts are expanded at each use."""
_EOLS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


@dataclass(frozen=True, slots=True)
class TextContent:
    """Content of a file that a scenario states as a text."""

    text: str
    """In a repeated text, `{n}` stands for the number of the repetition, from 1."""
    times: int | None = None
    """Number of repetitions. None for a text that is not repeated."""
    encoding: str = "utf-8"
    bom: bool = False
    """Whether the content starts with the encoding's byte order mark."""
    eol: str = "lf"
    """The line ending: `lf`, `crlf` or `cr`."""

    @property
    def expanded(self) -> str:
        """The text with all its repetitions. A short text is cached, a long text is expanded at each access."""
        if self.times is None:
            return self.text
        repeated = _repeat_text if len(self.text) * self.times > _MAX_CACHED_CHARS else _repeat_and_cache
        return repeated(self.text, self.times)

    def data(self) -> bytes:
        """Return the encoded bytes. A long content is encoded again at each call."""
        text = self.expanded
        if self.eol != "lf":
            text = text.replace("\n", _EOLS[self.eol])
        data = text.encode(self.encoding)
        return _BYTE_ORDER_MARKS[self.encoding] + data if self.bom else data


def _repeat_text(text: str, times: int) -> str:
    match text.split("{n}"):
        case [_]:
            return text * times
        case [before, after]:  # the usual case
            return _join_numbered(before, after, times)
        case parts:
            return "".join(str(number).join(parts) for number in range(1, times + 1))


def _join_numbered(before: str, after: str, times: int) -> str:
    """Return `before`, a number and `after`, repeated for each number from 1 to `times`. Fast for many repetitions."""

    def join(numbers: range) -> str:
        return f"{before}{(after + before).join(map(str, numbers))}{after}" if numbers else ""

    thousands = (times + 1) // 1000
    if thousands < 2:
        return join(range(1, times + 1))
    ends = [f"{number:03}{after}" for number in range(1000)]
    parts = [before, *(f"{end}{before}" for end in ends[:-1]), ends[-1]]
    whole = (str(number).join(parts) for number in range(1, thousands))
    return "".join((join(range(1, 1000)), *whole, join(range(thousands * 1000, times + 1))))


_repeat_and_cache = lru_cache(maxsize=8)(_repeat_text)


@dataclass(frozen=True, slots=True)
class Base64Content:
    """Content of a file that a scenario states as base64, because the content is not text."""

    encoded: str

    def data(self) -> bytes:
        """Return the decoded bytes."""
        return base64.b64decode(self.encoded, validate=True)


Content = TextContent | Base64Content | bytes


class Stamp(NamedTuple):
    """The identity and the time of a file, to detect that a file was rewritten with the same bytes. `names` is the
    number of hard links of the file; `mtime_ns` is its time in nanoseconds since 1970.
    """

    inode: int
    names: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class RegularFile:
    """A regular file in a scenario or a snapshot."""

    content: Content
    mode: int | None = None
    """None if the scenario states no mode."""
    mtime: Seconds | None = None
    """Time in seconds since 1970. None means OLD_TIME."""
    stamp: Stamp | None = field(default=None, compare=False, repr=False)
    """Only in snapshots."""
    ownership: Ownership | None = None
    """None means the user that runs readfirst, or in an expected file an unchanged owner."""

    @property
    def data(self) -> bytes:
        """The content of the file in bytes."""
        return self.content if isinstance(self.content, bytes) else self.content.data()


@dataclass(frozen=True, slots=True)
class Symlink:
    """The state of a path that is a symbolic link. `target` may begin with `$WS` (the workspace)."""

    target: str


@dataclass(frozen=True, slots=True)
class HardLink:
    """An additional name (hard link) of the regular file `to` in a scenario. Snapshots use RegularFile instead."""

    to: str


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory. `mode` None: the scenario states no mode. `ownership` None: the user that runs readfirst."""

    mode: int | None = None
    ownership: Ownership | None = None


@dataclass(frozen=True, slots=True)
class SpecialFile:
    """An entry that cannot be read: `fifo` or `socket`; in a snapshot also `device`, `missing` or a too large file."""

    kind: str


@dataclass(frozen=True, slots=True)
class FileDigest:
    """An expected file with long content: its hexadecimal SHA-256 (`sha256`) and its length in bytes (`size`)."""

    sha256: str
    size: int
    mode: int | None = None

    @classmethod
    def of(cls, data: bytes) -> Self:
        """Return the digest of a file with the content `data`."""
        return cls(hashlib.sha256(data).hexdigest(), len(data))

    def fits(self, data: bytes) -> bool:
        """Whether a file with the content `data` has this digest."""
        return len(data) == self.size and hashlib.sha256(data).hexdigest() == self.sha256

    def __str__(self) -> str:
        return f"{self.size} bytes with sha256 {self.sha256}"


Entry = RegularFile | Symlink | HardLink | Directory | FileDigest | SpecialFile


def data_of(entry: Entry | None) -> bytes | None:
    """Return the content of a regular file. None for a directory, a link and so on."""
    return entry.data if isinstance(entry, RegularFile) else None


def resolved_links(path: str, files: Mapping[str, Entry | None]) -> str | None:
    """Return a path after resolving the symbolic links in `files`. None for too many links, as in a cycle."""
    for _ in range(_MAX_LINKS):
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            link_path = "/".join(parts[:end])
            link = files.get(link_path)
            if isinstance(link, Symlink):
                break
        else:
            return path
        start, target = posixpath.dirname(link_path), link.target
        if target.startswith("$WS"):
            start, target = "", target.removeprefix("$WS").lstrip("/")
        path = posixpath.normpath(posixpath.join(start, target, *parts[end:]))
    return None


def describe_entry(entry: Entry | None) -> str:
    """Describe the state of a path for messages, such as `a directory`, without content and mode."""
    match entry:
        case None:
            return "nothing there"
        case RegularFile():
            return "a regular file"
        case FileDigest():
            return f"a regular file of {entry}"
        case Symlink(target):
            return f"a symbolic link to {target}"
        case HardLink(to):
            return f"another name of {to}"
        case Directory():
            return "a directory"
        case SpecialFile(kind):
            return kind

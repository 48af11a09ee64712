"""All output to terminals and logs goes through this module. Text stays text, and a line stays one line.

Printed text may come from other people: titles, ids, names of files, answers. Each character that would control a
terminal is escaped, and so is each text that a CI system would execute as a command.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from rich.console import Console


_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of characters that are invisible or control a terminal."""
_ODD = re.compile(r"[^ -~]")
_MARK = re.compile(r"##(?:\[|vso\[|teamcity\[)")
"""Starts of commands that Azure and TeamCity, and formerly GitHub, execute at any position of a line."""
_STYLE = re.compile(r"(\x1b\[[0-9;]*m)")
"""A colour, or another style of letters, as Rich writes it."""
_REMEMBERED = 16
"""Number of stored characters of an unfinished line, which may be the start of a command for a CI system."""
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape_character(character: str) -> str:
    """Return the escape of a character as in Python, such as `\\n` or `\\u200b`."""
    code = ord(character)
    if character in _NAMED:
        return _NAMED[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def as_text(text: str, kept: str = "\n\t", before: str = "") -> str:
    """Return a text where control characters for terminals and commands for CI systems are escaped.

    Characters in `kept` are not escaped. `before` is the text that precedes `text` on its line. A text that is
    already escaped stays unchanged.
    """
    text = _ODD.sub(
        lambda found: found[0] if found[0] in kept or is_seen(found[0]) else escape_character(found[0]), text
    )
    lines = (before + text).split("\n")
    return "\n".join(map(without_commands, lines))[len(before) :]


def is_seen(character: str) -> bool:
    """Whether a character is visible or a space."""
    return unicodedata.category(character) not in _HIDDEN


def without_commands(line: str) -> str:
    """Return a line where the commands for CI systems are escaped, so that these systems print them."""
    if "##" in line:
        line = _MARK.sub(lambda found: f"{found[0][:-1]}\\x5b", line)
    if "::" in line:
        begun = line.lstrip()
        if begun.startswith("::"):
            line = f"{line[: len(line) - len(begun)]}:\\x3a{begun[2:]}"
    return line


def one_line(text: str) -> str:
    """Return a text on one line, with escaped control characters and line ends."""
    return as_text(text, kept="")


class UnreadError(Exception):
    """The reader has closed the output. Not an OSError, because libraries treat a closed pipe as their failure."""


class _Guarded:
    """A stream that writes to another stream and escapes control characters and commands for CI systems. With
    `styles`, colours of Rich are not escaped.

    With `beside`, a failure to write raises no exception: the stream is for messages about progress.
    """

    encoding = errors = None
    """Rich writes the characters of UTF-8. Characters that the stream cannot encode are escaped."""

    def __init__(self, stream: IO[str], *, styles: bool = False, beside: bool = False) -> None:
        self.stream = stream
        self._styles = styles
        self._beside = beside
        self._line = ""

    def write(self, text: str) -> int:
        """Write a text; return its length, as a stream does."""
        parts = _STYLE.split(text) if self._styles else [text]
        for number, part in enumerate(parts):
            if number % 2:
                self._pass_on(part)
                continue
            made = as_text(part, before=self._line)
            self._pass_on(made)
            line = (self._line + made).rpartition("\n")[2]
            if not line.strip():
                self._line = " " * bool(line)
            else:
                self._line = line if len(line) <= _REMEMBERED else "." + line[-_REMEMBERED:]
        return len(text)

    def _pass_on(self, text: str | None) -> None:
        """Write a text to the underlying stream. None: flush the stream."""
        try:
            if text is None:
                self.stream.flush()
            else:
                self.stream.write(text)
        except BrokenPipeError as error:
            if not self._beside:
                raise UnreadError from error
        except OSError:
            if not self._beside:
                raise

    @property
    def rich_proxied_file(self) -> IO[str]:
        """The stream that Rich writes to. A terminal is returned unfiltered, because Rich moves its cursor; any
        other stream is filtered, so that only text and Rich's colours pass.
        """
        if self.stream.isatty():
            return self.stream
        return cast("IO[str]", _Guarded(self.stream, styles=True, beside=self._beside))

    def flush(self) -> None:
        """Flush the stream, unless it is closed, because a server closes its standard output."""
        if not self.stream.closed:
            self._pass_on(None)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each text."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)  # `buffer`, `isatty`, `fileno`


def stdout() -> IO[str]:
    """Return standard output as a stream that escapes control characters."""
    return guard_stream(sys.stdout)


def stderr() -> IO[str]:
    """Return standard error as a stream that escapes control characters."""
    return guard_stream(sys.stderr, beside=True)


def guard_stream(stream: Any, *, beside: bool = False) -> IO[str]:
    """Return `stream`, made to escape control characters unless it does. `beside`: failures to write are ignored."""
    return cast("IO[str]", stream if isinstance(stream, _Guarded) else _Guarded(stream, beside=beside))


def harmless_json(value: Any, *, indent: int | None = None, compact: bool = False) -> str:
    """Return JSON in printable ASCII without commands for CI systems (`##[error]`). `compact`: no spaces."""
    separators = (",", ":") if compact else None
    return (
        json.dumps(value, indent=indent, separators=separators)
        .replace("##", r"#\u0023")
        .replace("\x7f", r"\u007f")
    )


@contextmanager
def guarded_streams() -> Iterator[None]:
    """During the block, escape control characters in the text for standard output and standard error."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("Any", stdout()), cast("Any", stderr())
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def say(text: str, *, err: bool = False) -> None:
    """Print one line immediately. Line ends in the text are escaped. `err`: to standard error."""
    print(one_line(text), file=stderr() if err else stdout(), flush=True)


def say_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print each text on a separate line. `err`: to standard error."""
    shown = (as_text(line, kept="\t") for line in lines)
    (stderr() if err else stdout()).writelines(f"{line}\n" for line in shown)


def say_rows(rows: Iterable[Iterable[str]]) -> None:
    """Print each row as a line, its cells separated by tabs; a tab or a line end in a cell is an escape."""
    stdout().writelines("\t".join(map(one_line, row)) + "\n" for row in rows)


def say_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[str] = ()) -> None:
    """Print rows: on a terminal as a table whose last column wraps, otherwise separated by tabs, without headings.

    `numbers` are the columns that are aligned to the right.
    """
    if not sys.stdout.isatty():
        say_rows(rows)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in heads:
        right = head in numbers
        table.add_column(head, no_wrap=head != heads[-1], justify="right" if right else "left")
    for row in rows:
        table.add_row(*map(one_line, row))
    console().print(table)


def console(*, err: bool = False, stream: IO[str] | None = None, width: int | None = None) -> Console:
    """Return Rich's console for standard output, standard error or another stream, filtered to text.

    Texts contain no markup. Rich may colour them, and move the cursor of a terminal.
    """
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class Guarded(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for each in super().render(renderable, options):
                yield each if each.control else each._replace(text=as_text(each.text, kept="\n"))

    shown = guard_stream(stream) if stream is not None else stderr() if err else stdout()
    return Guarded(file=shown, width=width, markup=False, emoji=False, highlight=False)

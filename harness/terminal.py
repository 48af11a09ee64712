"""Write text to terminals and logs. All output of readfirst uses this module, because it escapes dangerous characters.
Printed text may come from other people: titles, ids, names of files, answers. Characters that control a terminal are
escaped, and so are texts that a CI system would execute as commands.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from rich.console import Console


_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of characters that are invisible or control a terminal. They are escaped in the output."""
_NOT_ASCII_PATTERN = re.compile(r"[^ -~]")
_CI_COMMAND_PATTERN = re.compile(r"##(?:\[|vso\[|teamcity\[)")
"""Pattern of the starts of commands that Azure and TeamCity, and formerly GitHub, execute at any position of a line."""
_STYLE_PATTERN = re.compile(r"(\x1b\[[0-9;]*m)")
"""Pattern of a colour, or a different style of letters, as the library Rich writes it."""
_STORED_CHARS = 16
"""Number of characters of an unfinished line to store, because the next text may complete a command for a CI system."""
_NAMED_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape_character(character: str) -> str:
    """Return the escape of a character as in Python, such as `\\n` or `\\u200b`. An invalid byte becomes `\\xe9`."""
    code = ord(character)
    if character in _NAMED_ESCAPES:
        return _NAMED_ESCAPES[character]
    if code < 0x80 or 0xDC80 <= code < 0xDD00:  # ASCII, or a byte decoded with `surrogateescape`
        return f"\\x{code & 0xFF:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def as_text(text: str, kept: str = "\n\t", before: str = "") -> str:
    """Escape terminal control characters, and commands for CI systems, in a text. Characters in `kept` are not escaped.
    `before` is the text that precedes `text` on its line.
    """

    def escape_invisible(match: re.Match[str]) -> str:
        character = match[0]
        return character if character in kept or is_visible(character) else escape_character(character)

    lines = (before + _NOT_ASCII_PATTERN.sub(escape_invisible, text)).split("\n")
    return "\n".join(map(escape_ci_commands, lines))[len(before) :]


def is_visible(character: str) -> bool:
    """Whether a character is visible or a space."""
    return unicodedata.category(character) not in _INVISIBLE_CATEGORIES


def escape_ci_commands(line: str) -> str:
    """Escape the commands for CI systems in a line, so that CI systems print the commands and do not execute them."""
    if "##" in line:
        line = _CI_COMMAND_PATTERN.sub(lambda match: f"{match[0][:-1]}\\x5b", line)
    stripped = line.lstrip()
    if stripped.startswith("::"):
        line = f"{line[: len(line) - len(stripped)]}:\\x3a{stripped[2:]}"
    return line


def one_line(text: str) -> str:
    """Return a text on one line: line ends and control characters are escaped."""
    return as_text(text, kept="")


class OutputClosedError(Exception):
    """The reader of the output, such as `head`, has closed the output. Not an OSError: libraries catch OSError."""


class _GuardedStream:
    """A stream that escapes control characters and commands for CI systems, and then writes to the underlying stream.
    With `keeps_styles`, colours of Rich are not escaped. With `ignores_errors`, a failure to write raises no exception.
    """

    encoding = errors = None
    """Makes Rich write all characters of UTF-8. Characters that the underlying stream cannot encode are escaped."""

    def __init__(self, stream: IO[str], *, keeps_styles: bool = False, ignores_errors: bool = False) -> None:
        self.stream = stream
        self._keeps_styles = keeps_styles
        self._ignores_errors = ignores_errors
        self._line = ""

    def write(self, text: str) -> int:
        """Escape a text and write it. Return the length of the text, as every stream does."""
        parts = _STYLE_PATTERN.split(text) if self._keeps_styles else [text]
        for number, part in enumerate(parts):
            if number % 2:
                self._call(self.stream.write, part)
                continue
            escaped = as_text(part, before=self._line)
            self._call(self.stream.write, escaped)
            line = (self._line + escaped).rpartition("\n")[2]
            if not line.strip():
                self._line = " " * bool(line)
            else:
                self._line = line if len(line) <= _STORED_CHARS else "." + line[-_STORED_CHARS:]
        return len(text)

    def _call(self, method: Callable[..., object], *arguments: str) -> None:
        """Call a method of the stream. Raises OutputClosedError and OSError, unless the stream ignores errors."""
        try:
            method(*arguments)
        except BrokenPipeError as error:
            if not self._ignores_errors:
                raise OutputClosedError from error
        except OSError:
            if not self._ignores_errors:
                raise

    @property
    def rich_proxied_file(self) -> IO[str]:
        """The stream that Rich writes to: a terminal itself, because Rich moves its cursor, or an escaping stream."""
        if self.stream.isatty():
            return self.stream
        guarded = _GuardedStream(self.stream, keeps_styles=True, ignores_errors=self._ignores_errors)
        return cast("IO[str]", guarded)

    def flush(self) -> None:
        """Flush the underlying stream, unless it is closed. (A server closes its standard output.)"""
        if not self.stream.closed:
            self._call(self.stream.flush)

    def writelines(self, lines: Iterable[str]) -> None:
        """Escape and write each text."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)  # `buffer`, `isatty`, `fileno`


def stdout() -> IO[str]:
    """Return standard output as a stream that escapes control characters."""
    return guard_stream(sys.stdout)


def stderr() -> IO[str]:
    """Return standard error as a stream that escapes control characters."""
    return guard_stream(sys.stderr, ignores_errors=True)


def guard_stream(stream: Any, *, ignores_errors: bool = False) -> IO[str]:
    """Return a stream that escapes control characters. With `ignores_errors`, failures to write raise no exception."""
    is_guarded = isinstance(stream, _GuardedStream)
    return cast("IO[str]", stream if is_guarded else _GuardedStream(stream, ignores_errors=ignores_errors))


def harmless_json(value: Any, *, indent: int | None = None, compact: bool = False) -> str:
    """Return a value as JSON in printable ASCII, with escaped CI commands (`##[error]`). `compact`: no spaces."""
    separators = (",", ":") if compact else None
    return (
        json.dumps(value, indent=indent, separators=separators)
        .replace("##", r"#\u0023")
        .replace("\x7f", r"\u007f")
    )


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Escape control characters in the text for standard output and standard error during the `with` block."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("Any", stdout()), cast("Any", stderr())
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def say(text: str, *, err: bool = False) -> None:
    """Print one line immediately. Line ends in the text are escaped. With `err`, print to standard error."""
    print(one_line(text), file=stderr() if err else stdout(), flush=True)


def say_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print each text on a separate line. With `err`, print to standard error."""
    (stderr() if err else stdout()).writelines(as_text(line, kept="\t") + "\n" for line in lines)


def say_rows(rows: Iterable[Iterable[str]]) -> None:
    """Print each row as a line with its cells separated by tabs. Tabs and line ends in a cell are escaped."""
    stdout().writelines("\t".join(map(one_line, row)) + "\n" for row in rows)


def say_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[str] = ()) -> None:
    """Print a table: aligned on a terminal, otherwise tab-separated, without headings. `numbers` are the headings of
    the columns that are aligned to the right.
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
    """Return a console of the library Rich for standard output, for standard error (`err`), or for `stream`. It escapes
    control characters in texts, and interprets no markup.
    """
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class Guarded(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=as_text(segment.text, kept="\n"))

    file = guard_stream(stream) if stream is not None else stderr() if err else stdout()
    return Guarded(file=file, width=width, markup=False, emoji=False, highlight=False)

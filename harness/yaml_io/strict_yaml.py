"""Parse a strict subset of YAML: one document per file, only JSON types, and a position for every value."""

import math
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError

# PyYAML is imported when it is used: a list of scenarios does not need it.


MAX_BYTES = 1024 * 1024
MAX_DEPTH = 64
"""Maximum depth of nested mappings and lists. Deeper files are refused."""

CONSTANTS: dict[str, Any] = {"null": None, "true": True, "false": False}
_NUMBER_STARTS = frozenset("-0123456789")
_INTEGER_PATTERN = re.compile(r"-?(?:0|[1-9][0-9]*)")
NUMBER_PATTERN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_MAX_DIGITS = 300

_Mark = tuple[int, int]
"""A position in a file: line and column, both from 0."""
YamlPath = tuple[str | int, ...]
"""The path of a value in a document: a sequence of keys of mappings and indexes of lists."""


class StrictYamlError(SuiteError):
    """A file is not strict YAML. The error contains only the first problem, because reading stops there."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value (string, number and so on) as it is written in a YAML file. `style` is its kind of quotes (`'` or
    `"`), `|` or `>` for a block, or empty. Lines and columns count from 1.
    """

    value: str
    style: str
    first_line: int
    last_line: int
    column: int


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed YAML file: its content in JSON types, and the position of each value."""

    value: Any
    file: Path
    data: bytes = field(repr=False)
    marks: Any = field(repr=False)
    """The position of each value, paired with the positions of its keys and items (None for a single value)."""

    def position(self, path: YamlPath = (), *, key: bool = False) -> Position:
        """Return the position of the value at `path`, or with `key` of its key. `path` contains keys and list indexes.
        If `path` does not exist in the file, return the position of the nearest value above it.
        """
        node = self.marks
        line, column = node[0]
        for number, part in enumerate(path, 1):
            children = node[1]
            if isinstance(children, dict) and part in children:
                key_mark, node = children[part]
                line, column = key_mark if key and number == len(path) else node[0]
            elif isinstance(children, list) and isinstance(part, int) and part < len(children):
                node = children[part]
                line, column = node[0]
            else:
                break
        return Position(self.file, line + 1, column + 1)

    def scalars(self) -> Iterator[Scalar]:
        """Yield every single value as it is written, in the order of the file. Parses the file again."""
        import yaml

        for event in _iter_events(self.data):
            kind = type(event)  # without narrowing: the marks of an event may be None for the type checker
            if kind is yaml.ScalarEvent:
                start, end = event.start_mark, event.end_mark
                # The end mark of a block scalar is the start of the following token.
                last = end.line if event.style in ("|", ">") else end.line + 1
                yield Scalar(event.value, event.style or "", start.line + 1, last, start.column + 1)


def read(file: Path, *, max_bytes: int = MAX_BYTES, suite: Path | None = None) -> bytes:
    """Read a file of a suite safely. Raises StrictYamlError if it is missing, is not a regular file, or is larger than
    `max_bytes`. If `suite`, the directory of the suite, is given, a link in the path inside the suite is also an error.
    """
    if suite is not None:
        refuse_links(file, suite)
    try:
        # Without O_NONBLOCK a named pipe would wait for a writer.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise _unreadable_error(
            file, f"the file cannot be read: {error.strerror}", "Check its name and mode."
        ) from error
    except ValueError as error:
        raise _unreadable_error(
            file, "the file's name contains a NUL character", "Give another name."
        ) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _unreadable_error(file, "this is not a regular file", "Put a YAML file in its place.")
        if status.st_size > max_bytes:
            raise _too_large_error(status.st_size, max_bytes).at(file)
        return os.read(descriptor, status.st_size + 1)
    finally:
        os.close(descriptor)


def refuse_links(file: Path, suite: Path) -> None:
    """Raise StrictYamlError if `file`, or a directory between the suite and the file, is a symbolic link."""
    # With strings: this runs for every file, and paths would be slower than the system calls.
    path, top = os.fspath(file), os.fspath(suite)
    while path != top and (parent := os.path.dirname(path)) != path:  # noqa: PTH120
        if os.path.islink(path):  # noqa: PTH114 - it takes a name that no file can have
            raise _unreadable_error(Path(path), "this is a link", "Replace it by its target.")
        path = parent


class _Refused(Exception):  # noqa: N818 - the name is the outcome
    """A problem in a file, raised by code that does not know the file's name. The caller adds the name with `at`."""

    def __init__(self, rule: str, message: str, fix: str, mark: _Mark = (0, 0)) -> None:
        super().__init__(message)
        self.rule, self.message, self.fix, self.mark = rule, message, fix, mark

    def at(self, file: Path) -> StrictYamlError:
        """Return the error with the name of the file added."""
        line, column = self.mark
        return StrictYamlError(
            [Finding(self.rule, Position(file, line + 1, column + 1), self.message, self.fix)]
        )


def _unreadable_error(file: Path, message: str, fix: str) -> StrictYamlError:
    return _Refused("unreadable", message, fix).at(file)


def _too_large_error(size: int, max_bytes: int) -> _Refused:
    fix = "Write large content with repeat and times, long text with sha256."
    return _Refused("file-too-large", f"the file has {size:,} bytes; at most {max_bytes:,} are read", fix)


def load(data: bytes, file: Path, *, until: Collection[str] = ()) -> Document:
    """Parse the bytes of a YAML file. `file` is only used in positions. Raises StrictYamlError at the first problem.
    `null`, `true`, `false` and JSON numbers get their type. Every other single value is a string. Parsing ends before
    the first top-level key in `until`.
    """
    try:
        value, marks = _parse(data, until)
    except _Refused as error:
        raise error.at(file) from None
    return Document(value, file, data, marks)


def _parse(data: bytes, until: Collection[str]) -> tuple[Any, Any]:
    """Parse YAML. Return its value, and the position of each value inside (see `Document.marks`). Raises _Refused."""
    import yaml

    if len(data) > MAX_BYTES:
        raise _too_large_error(len(data), MAX_BYTES)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        mark = before.count("\n"), len(before) - before.rfind("\n") - 1
        fix = "Save the file as UTF-8; write other bytes as base64."
        raise _Refused("not-utf-8", f"byte 0x{data[error.start]:02x} is not UTF-8", fix, mark) from None
    if text.startswith("\ufeff"):
        raise _Refused("not-utf-8", "the file begins with a byte order mark", "Save it without one.")
    try:
        return _build(data, until)
    except yaml.reader.ReaderError as error:
        message = f"character U+{_character_code(error):04X} is not allowed in a YAML file"
        fix = r'Write it as an escape, for example "\0".'
        raise _Refused("control-character", message, fix, _mark_of_character(text, error)) from None
    except yaml.MarkedYAMLError as error:
        yaml_mark = error.problem_mark or error.context_mark
        mark = (yaml_mark.line, yaml_mark.column) if yaml_mark else (0, 0)
        message = ", ".join(part for part in (error.context, error.problem) if part)
        # libyaml may count brackets itself, before any event
        if _count_open_brackets(text, *mark) > MAX_DEPTH:
            raise _too_deep_error(mark) from None
        raise _Refused("yaml-syntax", message or "not YAML", _fix_for_syntax_error(message), mark) from None
    except yaml.YAMLError as error:
        raise _Refused("yaml-syntax", " ".join(str(error).split()), _fix_for_syntax_error("")) from None


def _open_parser(data: bytes) -> Any:
    import yaml

    # libyaml's parser is about 8 times faster; PyYAML's own parser gives the same events.
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)(data)


def _iter_events(data: bytes) -> Iterator[Any]:
    parser = _open_parser(data)
    try:
        while parser.check_event():
            yield parser.get_event()
    finally:
        parser.dispose()


def _build(data: bytes, until: Collection[str] = ()) -> tuple[Any, Any]:
    """Return the value of a document and its positions, created in one pass over the events of the YAML parser."""
    import yaml

    parser = _open_parser(data)
    get = parser.get_event
    root: Any = None
    marks: Any = None
    documents = 0
    stack: list[tuple[Any, Any, bool]] = []
    container: Any = None  # the innermost open collection and the marks of its children
    children: Any = None
    in_mapping = False
    key: str | None = None
    key_mark: _Mark = (0, 0)
    try:
        while True:
            event = get()
            kind = type(event)
            if kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                container, children, in_mapping = stack.pop()
                key = None
                continue
            if kind is yaml.StreamEndEvent:
                break
            mark = (event.start_mark.line, event.start_mark.column)
            if kind is yaml.ScalarEvent:
                if event.anchor is not None or event.tag is not None:
                    raise _anchor_or_tag_error(event, mark)
                text = event.value
                plain = event.implicit[0] and not event.style
                if in_mapping and key is None:
                    if text in until and container is root:
                        break
                    if plain and (text == "<<" or not text or text in CONSTANTS or _is_number(text)):
                        raise _invalid_key_error(text, mark)
                    if text in container:
                        message = f"the key {text!r} occurs twice, first in line {children[text][0][0] + 1}"
                        raise _Refused("duplicate-key", message, "Keep one of the two, or merge them.", mark)
                    key, key_mark = text, mark
                    continue
                value: Any = text
                if plain:
                    if text in CONSTANTS:
                        value = CONSTANTS[text]
                    elif not text:
                        fix = 'Write null, "" or the value that is meant.'
                        raise _Refused("missing-value", "a value is missing here", fix, mark)
                    elif text[0] in _NUMBER_STARTS:
                        value = _number(text, mark)
                node: Any = (mark, None)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                if event.anchor is not None or event.tag is not None:
                    raise _anchor_or_tag_error(event, mark)
                if in_mapping and key is None:
                    fix = "Write a plain or quoted string before the colon."
                    raise _Refused("non-string-key", "a collection cannot be a key", fix, mark)
                if len(stack) >= MAX_DEPTH:
                    raise _too_deep_error(mark)
                value = {} if kind is yaml.MappingStartEvent else []
                node = (mark, {} if kind is yaml.MappingStartEvent else [])
            elif kind is yaml.AliasEvent:
                message = f"the alias *{event.anchor} repeats another value"
                raise _Refused("alias", message, "Write the value out where it is used.", mark)
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    fix = "Keep one document per file."
                    raise _Refused("several-documents", "a second document begins here", fix, mark)
                if event.version is not None or event.tags:
                    fix = "Remove it: the format needs none."
                    raise _Refused("tag", "directives (%YAML, %TAG) are not allowed", fix, mark)
                continue
            else:
                continue

            if in_mapping:
                container[key] = value
                children[key] = (key_mark, node)
                key = None
            elif container is not None:
                container.append(value)
                children.append(node)
            else:
                root, marks = value, node
            if node[1] is not None:
                stack.append((container, children, in_mapping))
                container, children, in_mapping = value, node[1], kind is yaml.MappingStartEvent
    finally:
        parser.dispose()
    if marks is None:
        raise _Refused("empty-file", "the file has no value", "Write it, or remove the file.")
    return root, marks


def _too_deep_error(mark: _Mark) -> _Refused:
    fix = "Use less nesting; no part of the format is that deep."
    return _Refused("too-deep", f"nested more than {MAX_DEPTH} levels deep", fix, mark)


def _count_open_brackets(text: str, line: int, column: int) -> int:
    lines = text.splitlines(keepends=True)
    before = "".join(lines[:line]) + "".join(lines[line : line + 1])[:column]
    return sum(map(before.count, "[{")) - sum(map(before.count, "]}"))


def _is_number(text: str) -> bool:
    return text[0] in _NUMBER_STARTS and NUMBER_PATTERN.fullmatch(text) is not None


def _number(text: str, mark: _Mark) -> Any:
    """Return the JSON number that `text` stands for. If it is not a number, return `text`."""
    if NUMBER_PATTERN.fullmatch(text) is None:
        return text
    if len(text) <= _MAX_DIGITS:
        if _INTEGER_PATTERN.fullmatch(text):
            return int(text)
        number = float(text)
        if math.isfinite(number):
            return number
    fix = "Write a smaller number, or quote it if it is meant as a string."
    raise _Refused("number-too-large", f"the number {text[:20]}... is too large", fix, mark)


def _anchor_or_tag_error(event: Any, mark: _Mark) -> _Refused:
    if event.anchor is not None:
        message = f"the anchor &{event.anchor} is not allowed"
        return _Refused("alias", message, "Remove it, and write the value out where it is used.", mark)
    fix = "Remove it: the format has only JSON types; quote strings."
    return _Refused("tag", f"the tag {event.tag} is not allowed", fix, mark)


def _invalid_key_error(text: str, mark: _Mark) -> _Refused:
    if text == "<<":
        message, fix = "merge keys (<<) are not supported", "Write the merged keys out."
    elif not text:
        message, fix = "a key is missing before the colon", 'Write it, if need be as "".'
    else:
        message, fix = f"the key {text} is not a string", f'Quote it: "{text}".'
    return _Refused("non-string-key", message, fix, mark)


def _character_code(error: Any) -> int:
    character = error.character
    return ord(character) if isinstance(character, str) else int(character)


def _mark_of_character(text: str, error: Any) -> _Mark:
    """Return the line and the column of the invalid character that `error` is about."""
    character = chr(_character_code(error))
    offset = text.find(character)
    if offset < 0:
        return (0, 0)
    before = text[:offset]
    return (before.count("\n"), offset - before.rfind("\n") - 1)


def _fix_for_syntax_error(message: str) -> str:
    if "escape" in message:
        return r'Use the escapes of YAML: "\x01", "\u2028", "\U0001F600" (one escape, not two surrogates).'
    if "tab" in message or "cannot start any token" in message:
        return "Indent with spaces, and quote a string that begins with a special character."
    return "Compare with `readfirst docs format`; a string with `: `, `#` or quotes in it is safest in double quotes."

"""Convert answers to plain lines, because tools show the lines of a file in many forms (escaped, coloured, as JSON)."""

import json
import re
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

from readfirst.harness.suite.repeated_text import texts_in

MARK = "\ufeff"
"""The byte order mark as a character. Some tools show it before the first line."""
_LONE_HALF_PATTERN = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""A lone half of a surrogate pair, as in UTF-16 files. Other surrogates stand for bytes that are not UTF-8."""
_COLOUR_PATTERN = re.compile("\x1b\\[[0-9;]*[A-Za-z]")
_ENTITY_PATTERN = re.compile(r"&(?:(lt|gt|amp|quot|apos|nbsp)|#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6}));")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": "\u00a0"}
_HEADING_PATTERN = re.compile("[A-Z][A-Za-z ]{0,40}: ")
"""Pattern of a heading with a colon. Some tools write it before the first line of a file, on the same line."""
_OPENING_TAG_PATTERN = re.compile(r"\s*<[A-Za-z_][A-Za-z_-]*>")
_CLOSING_TAG_PATTERN = re.compile(r"</[A-Za-z_][A-Za-z0-9_-]*>$")
_BYTE_ESCAPES_PATTERN = re.compile(r"(?:\\x[89a-fA-F][0-9a-fA-F]|\\[23][0-7]{2})+")
"""Pattern of hexadecimal or octal escapes, which some tools show instead of characters that are not ASCII."""
_ESCAPE_PATTERN = re.compile(
    r"\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|([0-7]{3})|(.))"
)
_SURROGATE_PAIR_PATTERN = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_CHARACTER_BY_ESCAPE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "0": "\0",
}
_WHITESPACE_BY_SIGN = str.maketrans({"·": " ", "␣": " ", "␠": " ", "␉": "\t", "⇥": "\t"})
_LINE_END_SIGNS = "↵¶␊␍⏎↩"
_CELL_ENDS = ("|", "│", "┃", "║")
_QUOTES = ("'", '"', "`")
_STRING_PREFIXES = "bBrRuUfF"
_BETWEEN_STRINGS_PATTERN = re.compile(r"[\W\dbBrRuUfF_]*")


def readings_of(answer: str, explained: Set[str] = frozenset()) -> Iterator[Sequence[str]]:
    """Yield the lines of an answer as shown, and after undoing each encoding that a tool may have used: JSON strings,
    colours, tags and entities, a heading, quotes and escapes, the border of a table, `$` at line ends, or visible signs
    for whitespace. The most likely result is first. Lines in `explained` already matched the file, and stay unchanged.
    """
    answer = answer.replace(MARK, "")
    plain = _split_lines(answer)
    yield plain
    if strings := _strings_of_json(answer):
        yield strings
        return
    if "\x1b[" in answer:
        yield [line for text in plain for line in _without_heading(text)]
        plain = [_COLOUR_PATTERN.sub("", line) for line in plain]
        yield plain
    for signs, decode in _LINE_DECODERS:
        unexplained = {line for line in plain if line and not line.isspace()} - explained
        if not unexplained:
            return
        if any(sign in line for line in unexplained for sign in signs):
            yield [part for line in plain for part in (decode(line) if line in unexplained else (line,))]
    if not answer.isascii():
        yield [line.rstrip(_LINE_END_SIGNS).translate(_WHITESPACE_BY_SIGN) for line in plain]


def forms_of_line(line: str) -> set[str]:
    """Return the texts that tools may show for a line of a file: with decoded invalid bytes, as `cat -A` and `cat -v`
    print the line, and with tabs as spaces or arrows.
    """
    plain = line.replace(MARK, "")
    carets = (_with_carets(text, keep=keep) for text in (line, plain) for keep in ("", "\t"))
    decoded = _as_decoded(plain)
    forms = {line, plain, decoded, *carets}
    if "\t" in plain:
        forms |= {
            decoded.replace("\t", tab) for tab in ("  ", "    ", "        ", "→", "→   ", "^I", "␉", "»")
        }
        for tab_size in (8, 4):
            forms |= {f"{'x' * width}{decoded}".expandtabs(tab_size)[width:] for width in range(tab_size)}
    return {form.rstrip() for form in forms}


def _as_decoded(line: str) -> str:
    """Return a line of a file as an answer may contain it: with a replacement character for each invalid byte."""
    if line.isprintable():
        return line
    line = _LONE_HALF_PATTERN.sub("\ufffd", line)
    return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace").removesuffix("\r")


def _with_carets(line: str, keep: str) -> str:
    """Return a line as `cat -A` prints it (`^I` for a tab). Characters in `keep` are unchanged."""
    written = []
    errors = "surrogateescape" if _LONE_HALF_PATTERN.search(line) is None else "replace"
    for byte in line.encode("utf-8", errors):
        low = byte & 0x7F
        shown = f"^{chr(low ^ 0x40)}" if low in (*range(32), 127) else chr(low)
        written.append(chr(byte) if chr(byte) in keep else f"{'M-' if byte > low else ''}{shown}")
    return "".join(written)


def _split_lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n")]


def _replace_entities(text: str) -> str:
    def replace_entity(match: re.Match[str]) -> str:
        name, decimal, hexadecimal = match.groups()
        if name:
            return _ENTITIES[name]
        number = int(decimal) if decimal else int(hexadecimal, 16)
        return chr(number) if number <= 0x10FFFF else match[0]

    return _ENTITY_PATTERN.sub(replace_entity, text) if "&" in text else text


def _decode_escapes(text: str) -> str:
    """Decode the escapes of Python, C and JSON, such as `\\n`, in a text."""
    if "\\" not in text:
        return text
    parts = _BYTE_ESCAPES_PATTERN.split(text)
    byte_escapes = [*_BYTE_ESCAPES_PATTERN.finditer(text)]
    decoded = [_ESCAPE_PATTERN.sub(_decode_escape, parts[0])]
    for match, rest in zip(byte_escapes, parts[1:], strict=True):
        numbers = re.findall(r"\\x(..)|\\([0-7]{3})", match[0])
        data = bytes(int(hexadecimal, 16) if hexadecimal else int(octal, 8) for hexadecimal, octal in numbers)
        try:
            decoded.append(data.decode())
        except UnicodeDecodeError:
            decoded.append(data.decode("latin-1"))
        decoded.append(_ESCAPE_PATTERN.sub(_decode_escape, rest))
    return _SURROGATE_PAIR_PATTERN.sub(
        lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), "".join(decoded)
    )


def _decode_escape(match: re.Match[str]) -> str:
    for group in (1, 2, 3, 4):
        if match[group]:
            number = int(match[group], 16)
            return chr(number) if number <= 0x10FFFF else match[0]
    if match[5]:
        return chr(int(match[5], 8))
    return _CHARACTER_BY_ESCAPE.get(match[6], match[6])


def _read_quoted_lines(line: str, *, escapes: bool) -> list[str]:
    """Return the quoted texts of a line. If only one is quoted, include the text before it. Else return the line."""
    strings, between, label = _split_at_quotes(line, escapes=escapes)
    if not strings or _BETWEEN_STRINGS_PATTERN.fullmatch(between[len(label) :]) is None:
        return [line]
    if len(strings) == 1:
        return _split_lines(label + strings[0])
    if _BETWEEN_STRINGS_PATTERN.fullmatch(label) is None:
        return [line]
    return [part for string in strings for part in _split_lines(string)]


def _split_at_quotes(line: str, *, escapes: bool) -> tuple[list[str], str, str]:
    """Split a line at its quotes. Return the texts in quotes, the other text, and the text before the first quote."""
    strings: list[str] = []
    between: list[str] = []
    label = ""
    position = 0
    while position < len(line):
        quote = line[position]
        previous = line[position - 1] if position else " "
        before = line[position - 2] if position > 1 else " "
        opens = not previous.isalnum() or (previous in _STRING_PREFIXES and not before.isalnum())
        end = _end_of_string(line, position, escapes=escapes) if quote in _QUOTES and opens else None
        if end is None:
            between.append(quote)
            position += 1
            continue
        if not strings:
            label = "".join(between).removesuffix(previous if previous in _STRING_PREFIXES else "")
        body = line[position + 1 : end].replace(quote * 2, quote)
        strings.append(_decode_escapes(body) if escapes else body)
        position = end + 1
    return strings, "".join(between), label


def _end_of_string(line: str, start: int, *, escapes: bool) -> int | None:
    """Return the index of the quote that ends the text whose first quote is at `start`. None if no quote ends the text.
    A doubled quote does not end the text, nor, with `escapes`, an escaped quote.
    """
    quote = line[start]
    position = start + 1
    if line[position : position + 1] == quote and line[position + 1 : position + 2] != quote:
        return position
    while position < len(line):
        if (line[position] == "\\" and escapes) or (
            line[position] == quote and line[position + 1 : position + 2] == quote
        ):
            position += 2
        elif line[position] == quote:
            return position
        else:
            position += 1
    return None


def _strings_of_json(answer: str) -> list[str]:
    """Return the lines of all strings in an answer that is JSON or JSON Lines. Empty for other answers. A number next
    to a string in a list item is put before the string, as a line number.
    """
    if answer.lstrip()[:1] not in ("{", "[", '"'):
        return []
    try:
        values = [json.loads(answer)]
    except (ValueError, RecursionError):
        try:
            values = [json.loads(line) for line in answer.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            return []
    rows = values if len(values) > 1 else _first_list(values[0])
    pairs = [pair for row in rows if (pair := _numbered_string(row)) is not None]
    if len(pairs) > 1 and len(pairs) == len(rows):
        return pairs
    return [line for text in texts_in(values) for line in _split_lines(text)]


def _first_list(value: Any) -> list[Any]:
    """Return a JSON list, or the first list in an object. Empty if not all items are objects or lists."""
    if isinstance(value, dict):
        value = next((item for item in value.values() if isinstance(item, list)), [])
    return value if isinstance(value, list) and all(isinstance(item, dict | list) for item in value) else []


def _numbered_string(row: Any) -> str | None:
    parts = list(row.values()) if isinstance(row, dict) else row if isinstance(row, list) else []
    numbers = [part for part in parts if isinstance(part, int) and not isinstance(part, bool)]
    strings = [part for part in parts if isinstance(part, str)]
    if len(numbers) != 1 or len(strings) != 1 or len(parts) != 2 or "\n" in strings[0].rstrip("\r\n"):
        return None
    return f"{numbers[0]}\t{strings[0].rstrip(chr(13) + chr(10))}"


def _without_heading(line: str) -> list[str]:
    heading = _HEADING_PATTERN.match(line)
    return [line if heading is None else line[heading.end() :]]


def _without_cell_end(line: str) -> list[str]:
    stripped = line.rstrip()
    return [stripped[:-1] if stripped.endswith(_CELL_ENDS) else line]


_LINE_DECODERS: tuple[tuple[tuple[str, ...], Callable[[str], list[str]]], ...] = (
    (
        ("<",),
        lambda line: [_replace_entities(_CLOSING_TAG_PATTERN.sub("", _OPENING_TAG_PATTERN.sub("", line)))],
    ),
    ((": ",), _without_heading),
    (("&",), lambda line: [_replace_entities(line)]),
    (_QUOTES, lambda line: _read_quoted_lines(line, escapes=True)),
    (_QUOTES, lambda line: _read_quoted_lines(line, escapes=False)),
    (("\\",), lambda line: _split_lines(_decode_escapes(line))),
    (_CELL_ENDS, _without_cell_end),
    (("$",), lambda line: [line.removesuffix("$")]),
    (("^M$",), lambda line: [line.removesuffix("^M$")]),
)
"""Functions that decode a line of an answer. Each is used only if the line contains one of the given texts."""

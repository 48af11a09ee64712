"""Forms in which tools show lines of text, and how to read answers in these forms."""

import json
import re
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

from readfirst.harness.suite.repeated_text import texts_in

MARK = "\ufeff"
"""A byte order mark. Some tools show it before the first line."""
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Half of a surrogate pair, as UTF-16 may contain it. The other surrogates represent bytes that are not UTF-8."""
_COLOUR = re.compile("\x1b\\[[0-9;]*[A-Za-z]")
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos|nbsp)|#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6}));")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": "\u00a0"}
_HEADING = re.compile("[A-Z][A-Za-z ]{0,40}: ")
"""Words and a colon before the first shown line, on the same line."""
_OPENING = re.compile(r"\s*<[A-Za-z_][A-Za-z_-]*>")
_CLOSING = re.compile(r"</[A-Za-z_][A-Za-z0-9_-]*>$")
_BYTES = re.compile(r"(?:\\x[89a-fA-F][0-9a-fA-F]|\\[23][0-7]{2})+")
"""Bytes of characters that are not ASCII, as hexadecimal or octal escapes."""
_ESCAPE = re.compile(
    r"\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|([0-7]{3})|(.))"
)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "0": "\0"}
_VISIBLE = str.maketrans({"·": " ", "␣": " ", "␠": " ", "␉": "\t", "⇥": "\t"})
_VISIBLE_ENDS = "↵¶␊␍⏎↩"
_CELL_ENDS = ("|", "│", "┃", "║")
_QUOTES = ("'", '"', "`")
_PREFIXES = "bBrRuUfF"
_BESIDE_STRINGS = re.compile(r"[\W\dbBrRuUfF_]*")


def readings_of(answer: str, explained: Set[str] = frozenset()) -> Iterator[Sequence[str]]:
    """Yield the lines of an answer in several readings, the most likely first.

    The readings: unchanged; the strings of JSON; without colours; without tags and with decoded entities;
    without a heading; quoted texts with decoded escapes; without the border of a table or the `$` at line ends;
    with whitespace instead of visible signs. Lines in `explained` are not decoded any more.
    """
    answer = answer.replace(MARK, "")
    plain = [said.removesuffix("\r") for said in answer.split("\n")]
    yield plain
    if strings := _strings_of_json(answer):
        yield strings
        return
    if "\x1b[" in answer:
        yield [line for said in plain for line in _without_heading(said)]
        plain = [_COLOUR.sub("", said) for said in plain]
        yield plain
    for signs, read in _READERS:
        left = {said for said in plain if said and not said.isspace()} - explained
        if not left:
            return
        if any(sign in said for said in left for sign in signs):
            yield [each for said in plain for each in (read(said) if said in left else (said,))]
    if not answer.isascii():
        yield [said.rstrip(_VISIBLE_ENDS).translate(_VISIBLE) for said in plain]


def forms_of_line(line: str) -> set[str]:
    """Return the texts that can show a line which is not plain ASCII without tabs. Whitespace at the end is
    stripped.

    Includes decoded invalid bytes, the forms of `cat -A` and `cat -v`, and tabs as spaces or arrows.
    """
    plain = line.replace(MARK, "")
    carets = (_with_carets(each, keep=keep) for each in (line, plain) for keep in ("", "\t"))
    forms = {line, plain, _as_shown(plain), *carets}
    if "\t" in plain:
        shown = _as_shown(plain)
        forms |= {
            shown.replace("\t", each) for each in ("  ", "    ", "        ", "→", "→   ", "^I", "␉", "»")
        }
        forms |= {f"{'x' * width}{shown}".expandtabs(8)[width:] for width in range(8)}
        forms |= {f"{'x' * width}{shown}".expandtabs(4)[width:] for width in range(4)}
    return {each.rstrip() for each in forms}


def _as_shown(line: str) -> str:
    """Return a line as an answer can contain it: every invalid byte becomes a replacement character."""
    if line.isprintable():
        return line
    line = _HALF.sub("\ufffd", line)
    return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace").removesuffix("\r")


def _with_carets(line: str, keep: str = "") -> str:
    """Return a line as `cat -A` writes it: `^I` for a tab, `M-C` and similar for bytes beyond ASCII."""
    written = []
    for byte in line.encode("utf-8", "surrogateescape" if _HALF.search(line) is None else "replace"):
        low = byte & 0x7F
        if chr(byte) in keep:
            written.append(chr(byte))
            continue
        written.append(
            ("M-" if byte > low else "") + (f"^{chr(low ^ 0x40)}" if low in (*range(32), 127) else chr(low))
        )
    return "".join(written)


def _lines(text: str) -> list[str]:
    return [each.removesuffix("\r") for each in text.split("\n")]


def _replace_entities(text: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        name, decimal, hexadecimal = found.groups()
        if name:
            return _ENTITIES[name]
        number = int(decimal) if decimal else int(hexadecimal, 16)
        return chr(number) if number <= 0x10FFFF else found[0]

    return _ENTITY.sub(replaced, text) if "&" in text else text


def _unescaped(text: str) -> str:
    """Return a text with the escapes of Python, C and JSON decoded."""
    if "\\" not in text:
        return text
    parts = _BYTES.split(text)
    found = [*_BYTES.finditer(text)]
    written = [_ESCAPE.sub(_escaped, parts[0])]
    for match, rest in zip(found, parts[1:], strict=True):
        numbers = re.findall(r"\\x(..)|\\([0-7]{3})", match[0])
        data = bytes(int(six, 16) if six else int(eight, 8) for six, eight in numbers)
        try:
            written.append(data.decode())
        except UnicodeDecodeError:
            written.append(data.decode("latin-1"))
        written.append(_ESCAPE.sub(_escaped, rest))
    return _PAIR.sub(
        lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), "".join(written)
    )


def _escaped(found: re.Match[str]) -> str:
    for group in (1, 2, 3, 4):
        if found[group]:
            number = int(found[group], 16)
            return chr(number) if number <= 0x10FFFF else found[0]
    if found[5]:
        return chr(int(found[5], 8))
    return _SHORT.get(found[6], found[6])


def _unquoted(said: str, *, escapes: bool) -> list[str]:
    """Return the lines of the quoted texts in a line of an answer. The line itself if it is not a list of
    quoted texts.

    A single quoted text at the end keeps the text before it.
    """
    strings, beside, label = _split_at_quotes(said, escapes=escapes)
    if not strings or _BESIDE_STRINGS.fullmatch(beside[len(label) :]) is None:
        return [said]
    if len(strings) == 1:
        return _lines(label + strings[0])
    return [line for each in strings for line in _lines(each)] if _BESIDE_STRINGS.fullmatch(label) else [said]


def _split_at_quotes(said: str, *, escapes: bool) -> tuple[list[str], str, str]:
    """Return the quoted texts in a line, the text between them, and the text before the first."""
    strings: list[str] = []
    beside: list[str] = []
    label = ""
    at = 0
    while at < len(said):
        quote = said[at]
        former = said[at - 1] if at else " "
        before = said[at - 2] if at > 1 else " "
        opens = not former.isalnum() or (former in _PREFIXES and not before.isalnum())
        end = _end_of_string(said, at, escapes=escapes) if quote in _QUOTES and opens else None
        if end is None:
            beside.append(quote)
            at += 1
            continue
        if not strings:
            label = "".join(beside).removesuffix(former if former in _PREFIXES else "")
        body = said[at + 1 : end].replace(quote * 2, quote)
        strings.append(_unescaped(body) if escapes else body)
        at = end + 1
    return strings, "".join(beside), label


def _end_of_string(said: str, start: int, *, escapes: bool) -> int | None:
    """Return the position of the quote that closes the one at `start`. Doubled and escaped quotes do not close
    it.
    """
    quote = said[start]
    at = start + 1
    if said[at : at + 1] == quote and said[at + 1 : at + 2] != quote:
        return at
    while at < len(said):
        if (said[at] == "\\" and escapes) or (said[at] == quote and said[at + 1 : at + 2] == quote):
            at += 2
        elif said[at] == quote:
            return at
        else:
            at += 1
    return None


def _strings_of_json(answer: str) -> list[str]:
    """Return the lines of all strings in an answer that is JSON, or JSON lines.

    If several items have one number and one string each, the number precedes the string.
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
    return [line for text in texts_in(values) for line in _lines(text)]


def _first_list(value: Any) -> list[Any]:
    """Return the value if it is a list of items, or the first such list in it."""
    if isinstance(value, dict):
        value = next((each for each in value.values() if isinstance(each, list)), [])
    return value if isinstance(value, list) and all(isinstance(each, dict | list) for each in value) else []


def _numbered_string(row: Any) -> str | None:
    parts = list(row.values()) if isinstance(row, dict) else row if isinstance(row, list) else []
    numbers = [each for each in parts if isinstance(each, int) and not isinstance(each, bool)]
    strings = [each for each in parts if isinstance(each, str)]
    if len(numbers) != 1 or len(strings) != 1 or len(parts) != 2 or "\n" in strings[0].rstrip("\r\n"):
        return None
    return f"{numbers[0]}\t{strings[0].rstrip(chr(13) + chr(10))}"


def _without_tags(said: str) -> list[str]:
    return [_replace_entities(_CLOSING.sub("", _OPENING.sub("", said)))]


def _without_heading(said: str) -> list[str]:
    heading = _HEADING.match(said)
    return [said if heading is None else said[heading.end() :]]


def _without_frame(said: str) -> list[str]:
    bare = said.rstrip()
    return [bare[:-1] if bare.endswith(_CELL_ENDS) else said]


_READERS: tuple[tuple[tuple[str, ...], Callable[[str], list[str]]], ...] = (
    (("<",), _without_tags),
    ((": ",), _without_heading),
    (("&",), lambda said: [_replace_entities(said)]),
    (_QUOTES, lambda said: _unquoted(said, escapes=True)),
    (_QUOTES, lambda said: _unquoted(said, escapes=False)),
    (("\\",), lambda said: _lines(_unescaped(said))),
    (_CELL_ENDS, _without_frame),
    (("$",), lambda said: [said.removesuffix("$")]),
    (("^M$",), lambda said: [said.removesuffix("^M$")]),
)
"""Ways to read a line of an answer, each with the characters of which the line contains at least one."""

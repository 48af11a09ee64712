"""Generate random contents of files, file names, and texts for the arguments of calls."""

import base64
import sys
import unicodedata
from functools import cache
from random import Random

from readfirst.harness.suite.file_entry import Base64Content, RegularFile, TextContent
from readfirst.harness.suite.repeated_text import RepeatedText

SIZES = tuple(4096 * 2**power for power in range(11))
"""Likely sizes of buffers, from 4 KiB to 4 MiB: mistakes often occur in texts of about these sizes."""
_SMALL_SIZES = SIZES[:7]
MAX_LITERAL_ARGUMENT_CHARS = _SMALL_SIZES[-1] + 100
"""Arguments longer than this must be a RepeatedText: stored as a short text and a number of repetitions."""
_REPEATED_LINES = ("line of many\n", "x", "one two three four\n", "0123456789abcde\n", "wörter\n")

FORMATS = (
    "```python\nprint('alpha')\n```",
    "~~~\nfence\n~~~",
    '{"alpha": [1, 2.50, null], "b": "\\u00e9"}',
    "<?xml version='1.0'?><a b=\"c\">&amp;<![CDATA[x]]></a>",
    '#!/bin/sh\nset -e\necho "$HOME" `id` $(date)',
    "${HOME} $PATH %USERPROFILE% {{ value }} #{x} <%= y %>",
    "     1\talpha\n     2\tbeta",
    "     7→gamma",
    "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n-alpha\n+beta\n gamma",
    "<<<<<<< SEARCH\nalpha\n=======\nbeta\n>>>>>>> REPLACE",
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** End Patch",
    "<system-reminder>alpha</system-reminder>",
    "<tool_use_error>no</tool_use_error>",
    "key: &anchor [a, *anchor]\n---\n...",
    "[section]\nkey = 'value' ; comment",
    'a,b,"c\nd",,\n1,2,3',
    "\\begin{x}\\alpha\\end{x} 100\\% \\\\",
    "data:text/plain;base64,YWxwaGE=",
    "\\x41 \\101 \\u0041 \\U0001F600 \\N{BULLET} &#65; %41 =41",
    "(?P<a>[^\\]]*)+$1\\1\\g<0>|^.*$",
    "\x1b[31mred\x1b[0m\x07\x08 \x1b]0;title\x07",
    "Error: File has not been read yet.",
    "... (rest of the file unchanged) ...",
    "// TODO\r\n/* comment */",
)
"""Texts in a special format, for example a code block, JSON or a script, that generated files and arguments contain."""

_STEMS = (*("notes", "a b", "naïve", "日本", "-rf", "x.y", "CON", "#tag"), *("'q'", "a%20b", "e\u0301"))
_ENDINGS = (
    *("", ".txt", ".md", ".py", ".json", ".yaml", ".xml", ".html", ".sh", ".bat", ".csv", ".lock", ".env"),
    *(".tar.gz.txt", ".min.js", ".tsx", ".c", ".rs", ".go", ".toml", ".ini", ".log", ".bak", "~", ".diff"),
)
ODD_NAMES = (
    *("trail.", "...", "PROGRA~1", "notes.txt~", "~", "-n", "a&b.txt", "$HOME", "%41.txt", "'q'.md"),
    *("tab\there.txt", "icon.ico", "table.parquet", "UPPER.TXT", "Makefile", "e\u0301.txt", "日本.txt"),
    *("settings.json", "a" * 120),
)


@cache
def _points_by_category() -> dict[str, tuple[int, ...]]:
    """Return all assigned Unicode code points, except surrogates, by Unicode category (`Lu`, `Nd`)."""
    found: dict[str, list[int]] = {}
    for point in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(point))
        if category not in ("Cs", "Cn"):
            found.setdefault(category, []).append(point)
    return {category: tuple(points) for category, points in found.items()}


def random_character(random: Random) -> str:
    """Return a random character that is not a line end. Each Unicode category is equally probable."""
    points = _points_by_category()
    while True:
        drawn = chr(random.choice(points[random.choice(sorted(points))]))
        if drawn not in "\r\n":
            return drawn


def unusual_text(random: Random) -> str:
    """Return one to four random characters, or one of the texts in FORMATS."""
    if random.randint(0, 1):
        return random.choice(FORMATS)
    return "".join(random_character(random) for _ in range(random.randint(1, 4)))


def large_text(random: Random) -> str:
    """Return a random text for an argument whose size is close to one of SIZES. Small sizes are preferred."""
    size: int = random.choice(_SMALL_SIZES[: random.choice((2, 2, 3, 5, 7))]) + random.choice((-1, 0, 1, 17))
    row: str = random.choice(_REPEATED_LINES)
    if random.randint(0, 15) == 15:
        size = random.choice(SIZES[len(_SMALL_SIZES) :])
        return RepeatedText.of(row, size // len(row.encode()) + random.choice((0, 1)))
    text = row * (size // len(row.encode()) + 1)
    return text.encode()[:size].decode("utf-8", "ignore")


def large_content(random: Random) -> TextContent:
    """Return random content for a file whose size is close to one of SIZES. Small sizes are preferred."""
    row: str = random.choice(_REPEATED_LINES)
    size: int = random.choice(SIZES[: random.choice((2, 3, 3, 5, 11))])
    return TextContent(row, times=size // len(row.encode()) + random.choice((0, 1)))


def file_name(random: Random) -> str:
    """Return a random name of a text file."""
    return f"{random.choice(_STEMS)}{random.choice(_ENDINGS)}"


PLAIN_TEXTS = ("alpha", "beta", "gamma", "x", "a", "  indented", "\ttabbed", "= 1;", "two words", "", "0")
UNUSUAL_TEXTS = (
    *("it's", "‘single’", '"quoted"', "“double”", "don’t"),
    *("$&", "$1", "$$", "$`", "$'", "\\n", "\\u0041", "\\"),
    *("&amp;", "<b>", "</tool_use_error>", "%s {n}", ".*", "a→b", "     1→alpha"),
    *("é", "e\u0301", "ﬁ", "ß", "日本", "😀", "👩‍👩‍👧"),
    *("\u00a0", "\u200b", "\u2028", "\u202f", "\u3000", "\u0085", "\ufeff", "\ufffd", "\u00ad"),
    *("\x0b", "\x0c", "\x00", "\x1b[0m", "trailing ", "trailing\t", "trailing\u00a0", " "),
)
"""Short texts with quotation marks, special characters or rare characters. Generated lines contain some of them."""
_LONG_LINES = ("long " * 500, "1234567890" * 201)


def random_line(random: Random) -> str:
    """Return one random line without a newline. It consists of a few short texts; rarely, it is very long."""
    if random.randint(0, 39) == 39:
        return random.choice(_LONG_LINES)
    if random.randint(0, 9) == 9:
        return unusual_text(random)
    return "".join(
        random.choice(PLAIN_TEXTS if random.randint(0, 2) else UNUSUAL_TEXTS)
        for _ in range(random.randint(0, 3))
    )


def argument_text(random: Random) -> str:
    r"""Return up to four random lines for an argument of a call. Lines end with `\n`, rarely with `\r\n` or `\r`."""
    end = random.choice(("\n", "\n", "\n", "\n", "\n", "\r\n", "\r"))
    if random.randint(0, 149) == 149:
        return large_text(random)
    text = end.join(random_line(random) for _ in range(random.randint(0, 4)))
    return text + end if random.randint(0, 1) else text


def file_content(random: Random, *, carriage_returns: bool = True) -> RegularFile:
    r"""Return random text in a random encoding, or random bytes. `carriage_returns`: allow `\r\n` and `\r`."""
    kind = random.randint(0, 19)
    if random.randint(0, 79) == 79:
        return RegularFile(large_content(random))
    if kind == 19:
        return RegularFile(Base64Content(base64.b64encode(random.choice(NON_TEXT_BYTES)).decode()))
    lines = [random_line(random) for _ in range(random.randint(0, 6))]
    text = "\n".join(lines) + ("\n" if random.randint(0, 3) else "")
    if random.randint(0, 59) == 59:
        # More bytes than a sample for detecting the encoding. Some targets need seconds to edit thousands of lines.
        text = "line of many\n" * 320 + text
    eol = "lf"
    if carriage_returns and kind >= 16:
        text = "".join(each + random.choice(("\n", "\r\n", "\r")) for each in lines)
    elif carriage_returns:
        eol = random.choice(("lf", "lf", "lf", "crlf"))
    mode = random.choice((None, None, None, 0o755, 0o600, 0o444))
    match kind:
        case 1 | 2:
            return RegularFile(TextContent(text, bom=True, eol=eol), mode)
        case 3:
            return RegularFile(TextContent(text, encoding="utf-16-le", bom=True, eol=eol), mode)
        case _:
            return RegularFile(TextContent(text, eol=eol), mode)


NON_TEXT_BYTES = (
    *(b"caf\xe9 alpha\nbeta\n", b"\xff\xfe", b"\xff\xfea", b"\xff", b"alpha\n\xc3", b"\xfe\xff\x00a\x00\n"),
    *(b"\xef\xbb\xbf", b"alpha\xed\xa0\x80beta\n", b"\x00\x01\x02alpha\n"),
)
"""Contents for generated files that are not valid UTF-8, or contain only a byte order mark or control characters."""


def quote_from(random: Random, text: str) -> str:
    """Return a random part of a text as a model may quote it: usually exactly, sometimes with other quotation marks."""
    if not text:
        return argument_text(random)
    start = random.randint(0, min(len(text) - 1, 400))
    if random.randint(0, 1):
        start = text.rfind("\n", 0, start) + 1  # models quote whole lines
    end = text.find("\n", start)
    piece = text[start : start + random.randint(1, 24)]
    match random.randint(0, 15):
        case 15:
            return piece.translate(_STRAIGHT_QUOTES)
        case 14:
            return piece.translate(_CURLY_QUOTES)
        case 13:
            return piece.replace("\n", "\r\n")
        case 12:
            return piece + "\n"
        case 11:
            return piece.rstrip()
        case 10 | 9 | 8:
            return text[start : end if end >= 0 else len(text)][:3000] or piece
        case 7:
            return piece.upper()
        case 6:
            return text[:5000]
        case 5:
            return text[start : start + 1500]
        case _:
            return piece


_STRAIGHT_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_CURLY_QUOTES = str.maketrans({"'": "’", '"': "”"})

"""Variety: contents and names of every kind, drawn anew, so that special treatment of any of them is met.

A tool may treat a content specially for its form, its size beyond a buffer or its characters, or a file for its name.
"""

import sys
import unicodedata
from functools import cache
from random import Random

from readfirst.harness.suite.entry import TextContent
from readfirst.harness.suite.repeated import RepeatedText

SIZES = tuple(4096 * 2**power for power in range(11))
"""Sizes of buffers, in bytes: 4 KiB to 4 MiB."""
_WRITTEN = SIZES[:7]
LONGEST_AS_IT_IS = _WRITTEN[-1] + 100
"""Characters of an argument that a scenario file can hold as it is; a longer one has a short form."""
_ROWS = ("line of many\n", "x", "one two three four\n", "0123456789abcde\n", "wörter\n")

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
"""Texts that look like another format."""

_STEMS = (
    *("notes", "a b", "naïve", "日本", "-rf", "x.y", "CON", "#tag"),
    *("'q'", "a%20b", "e\u0301"),
)
_ENDINGS = (
    *("", ".txt", ".md", ".py", ".json", ".yaml", ".xml", ".html", ".sh", ".bat", ".csv", ".lock", ".env"),
    *(".tar.gz.txt", ".min.js", ".tsx", ".c", ".rs", ".go", ".toml", ".ini", ".log", ".bak", "~", ".diff"),
)


@cache
def _of_category() -> dict[str, tuple[int, ...]]:
    """Return the code points of each Unicode category that text can hold."""
    found: dict[str, list[int]] = {}
    for point in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(point))
        if category not in ("Cs", "Cn"):
            found.setdefault(category, []).append(point)
    return {category: tuple(points) for category, points in found.items()}


def character(random: Random) -> str:
    """Return a character of any Unicode category, each category as often as any other; no line end."""
    points = _of_category()
    while True:
        drawn = chr(random.choice(points[random.choice(sorted(points))]))
        if drawn not in "\r\n":
            return drawn


def like_a_format(random: Random) -> str:
    """Return a text that looks like another format."""
    return random.choice(FORMATS)


def piece(random: Random) -> str:
    """Return a short text of unusual characters, or one that looks like another format."""
    if random.randint(0, 1):
        return like_a_format(random)
    return "".join(character(random) for _ in range(random.randint(1, 4)))


def large(random: Random) -> str:
    """Return a text of about the size of a buffer: a byte less, as many, or one or some more; mostly a small one."""
    size: int = random.choice(_WRITTEN[: random.choice((2, 2, 3, 5, 7))]) + random.choice((-1, 0, 1, 17))
    row: str = random.choice(_ROWS)
    if random.randint(0, 15) == 15:
        size = random.choice(SIZES[len(_WRITTEN) :])
        return RepeatedText.of(row, size // len(row.encode()) + random.choice((0, 1)))
    text = row * (size // len(row.encode()) + 1)
    return text.encode()[:size].decode("utf-8", "ignore")


def large_content(random: Random) -> TextContent:
    """Return the content of a file of about the size of a buffer, seldom of a large one."""
    row: str = random.choice(_ROWS)
    size: int = random.choice(SIZES[: random.choice((2, 3, 3, 5, 11))])
    return TextContent(row, times=size // len(row.encode()) + random.choice((0, 1)))


def file_name(random: Random) -> str:
    """Return the name of a file, of any kind that a file of text may have."""
    stem: str = random.choice(_STEMS)
    ending: str = random.choice(_ENDINGS)
    return stem + ending

"""Texts: awkward file contents, pieces to search for, and pieces to put in their place, drawn at random."""

import base64
from random import Random

from readfirst.harness.fuzz.variety import large, large_content, piece
from readfirst.harness.suite.entry import Base64Content, RegularFile, TextContent

PLAIN = ("alpha", "beta", "gamma", "x", "a", "  indented", "\ttabbed", "= 1;", "two words", "", "0")
AWKWARD = (
    "it's",
    "‘single’",
    '"quoted"',
    "“double”",
    "don’t",
    "$&",
    "$1",
    "$$",
    "$`",
    "$'",
    "\\n",
    "\\u0041",
    "\\",
    "&amp;",
    "<b>",
    "</tool_use_error>",
    "%s {n}",
    ".*",
    "a→b",
    "     1→alpha",
    "é",
    "e\u0301",
    "ﬁ",
    "ß",
    "日本",
    "😀",
    "👩‍👩‍👧",
    "\u00a0",
    "\u200b",
    "\u2028",
    "\u202f",
    "\u3000",
    "\u0085",
    "\ufeff",
    "\ufffd",
    "\u00ad",
    "\x0b",
    "\x0c",
    "\x00",
    "\x1b[0m",
    "trailing ",
    "trailing\t",
    "trailing\u00a0",
    " ",
)
_LONG = ("long " * 500, "1234567890" * 201)


def line(random: Random) -> str:
    """Return one line without its end: a few pieces, seldom a long one."""
    if random.randint(0, 39) == 39:
        return random.choice(_LONG)
    if random.randint(0, 9) == 9:
        return piece(random)
    return "".join(
        random.choice(PLAIN if random.randint(0, 2) else AWKWARD) for _ in range(random.randint(0, 3))
    )


def argument_text(random: Random) -> str:
    """Return a text as a model may pass it: some lines, `\\n` or seldom another line end between them."""
    end = random.choice(("\n", "\n", "\n", "\n", "\n", "\r\n", "\r"))
    if random.randint(0, 149) == 149:
        return large(random)
    text = end.join(line(random) for _ in range(random.randint(0, 4)))
    return text + end if random.randint(0, 1) else text


def content(random: Random, *, carriage_returns: bool = True) -> RegularFile:
    """Return what a file may hold: text in one of several encodings and line ends, or bytes that are no text."""
    kind = random.randint(0, 19)
    if random.randint(0, 79) == 79:
        return RegularFile(large_content(random))
    if kind == 19:
        return RegularFile(Base64Content(base64.b64encode(random.choice(NO_TEXT)).decode()))
    lines = [line(random) for _ in range(random.randint(0, 6))]
    text = "\n".join(lines) + ("\n" if random.randint(0, 3) else "")
    if random.randint(0, 59) == 59:
        # More bytes than a sample; not thousands of lines, over whose replacement some targets brood for seconds.
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


NO_TEXT = (
    b"caf\xe9 alpha\nbeta\n",
    b"\xff\xfe",
    b"\xff\xfea",
    b"\xff",
    b"alpha\n\xc3",
    b"\xfe\xff\x00a\x00\n",
    b"\xef\xbb\xbf",
    b"alpha\xed\xa0\x80beta\n",
    b"\x00\x01\x02alpha\n",
)


def quoted_from(random: Random, text: str) -> str:
    """Return a piece of `text` as a model may quote it: mostly exact, sometimes with another spelling."""
    if not text:
        return argument_text(random)
    start = random.randint(0, min(len(text) - 1, 400))
    if random.randint(0, 1):
        start = text.rfind("\n", 0, start) + 1  # a whole line is what models quote
    end = text.find("\n", start)
    piece = text[start : start + random.randint(1, 24)]
    match random.randint(0, 15):
        case 15:
            return piece.translate(_STRAIGHT)
        case 14:
            return piece.translate(_CURLY)
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


_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_CURLY = str.maketrans({"'": "’", '"': "”"})

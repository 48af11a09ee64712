"""Texts: strategies for awkward file contents, pieces to search for, and pieces to put in their place."""

from __future__ import annotations

import base64

from hypothesis import strategies as st

from harness.entry import Base64Content, RegularFile, TextContent

__all__ = ["arguments_text", "contents", "lines", "pieces", "variants_of"]

_PLAIN = ("alpha", "beta", "gamma", "x", "a", "  indented", "\ttabbed", "= 1;", "two words", "", "0")
_AWKWARD = (
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
    "%s {n} $WS",
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

pieces: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(_PLAIN), st.sampled_from(_PLAIN), st.sampled_from(_AWKWARD)
)
"""One piece of a line."""


@st.composite
def lines(draw: st.DrawFn) -> str:
    """Draw one line without its end: a few pieces, seldom a long one."""
    if draw(st.integers(0, 39)) == 39:
        return draw(st.sampled_from(_LONG))
    return "".join(draw(st.lists(pieces, max_size=3)))


@st.composite
def arguments_text(draw: st.DrawFn) -> str:
    """Draw a text as a model may pass it: some lines, `\\n` or seldom another line end between them."""
    end = draw(st.sampled_from(("\n", "\n", "\n", "\n", "\n", "\r\n", "\r")))
    text = end.join(draw(st.lists(lines(), max_size=4)))
    return text + end if draw(st.booleans()) else text


@st.composite
def contents(draw: st.DrawFn, *, carriage_returns: bool = True) -> RegularFile:
    """Draw what a file holds: text in one of several encodings and line ends, or bytes that are no text."""
    kind = draw(st.integers(0, 19))
    if kind == 19:
        return _bytes(draw(st.sampled_from(_NO_TEXT)))
    drawn = draw(st.lists(lines(), max_size=6))
    text = "\n".join(drawn) + ("\n" if draw(st.integers(0, 3)) else "")
    if draw(st.integers(0, 59)) == 59:
        text = "line of many\n" * draw(st.sampled_from((320, 2001))) + text
    if not carriage_returns:
        text = text.replace("\r", "")
    elif kind >= 16:
        ends = [draw(st.sampled_from(("\n", "\r\n", "\r"))) for _ in drawn]
        text = "".join(line + end for line, end in zip(drawn, ends, strict=True))
    eol = draw(st.sampled_from(("lf", "lf", "lf", "crlf"))) if carriage_returns and kind < 16 else "lf"
    mode = draw(st.sampled_from((None, None, None, 0o755, 0o600, 0o444)))
    match kind:
        case 0 | 1:
            return RegularFile(TextContent(text, bom=True, eol=eol), mode)
        case 2:
            return RegularFile(TextContent(text, encoding="utf-16-le", bom=True, eol=eol), mode)
        case _:
            return RegularFile(TextContent(text, eol=eol), mode)


def _bytes(data: bytes) -> RegularFile:
    return RegularFile(Base64Content(base64.b64encode(data).decode()))


_NO_TEXT = (
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


@st.composite
def variants_of(draw: st.DrawFn, text: str) -> str:
    """Draw a piece of `text` as a model may quote it: mostly exact, sometimes with another spelling."""
    if not text:
        return draw(arguments_text())
    start = draw(st.integers(0, min(len(text) - 1, 400)))
    if draw(st.booleans()):
        start = text.rfind("\n", 0, start) + 1  # a whole line is what models quote
    size = draw(st.integers(1, 24))
    piece = text[start : start + size]
    match draw(st.integers(0, 15)):
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
            end = text.find("\n", start)
            return text[start : end if end >= 0 else len(text)][:3000] or piece
        case 7:
            return piece.upper()
        case _:
            return piece


_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_CURLY = str.maketrans({"'": "’", '"': "”"})

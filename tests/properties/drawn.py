"""Drawn: strategies for what files hold and what calls ask for, the simplest first."""

from base64 import b64encode
from dataclasses import replace

from hypothesis import strategies as st

from readfirst.harness.fuzz.texts import AWKWARD, NO_TEXT, PLAIN
from readfirst.harness.suite.entry import Base64Content, RegularFile, TextContent

WORDS = st.sampled_from(("alpha", "beta", "a", "\ttabbed", "$&", "é")) | st.sampled_from(
    (*filter(None, PLAIN), *AWKWARD, "long " * 450)
)
LINES = st.lists(WORDS, max_size=2).map("".join)
TEXTS = st.lists(LINES, max_size=4).map("\n".join)
"""Texts with `\\n` line ends, or none."""
PLAIN_LINES = st.lists(LINES.filter(bool), min_size=2, max_size=4, unique=True)
"""Some lines, none of which is empty."""
ARGUMENTS = st.one_of(
    LINES,
    TEXTS,
    TEXTS.map("{}\n".format),
    TEXTS.map(lambda text: text.replace("\n", "\r\n")),
    st.just("a\rb"),
).map(str)
"""Texts as a model may pass them; where it stands among others it is one choice, not five."""
DIFFERENT = st.lists(
    st.sampled_from(("gamma", "$&$1", "\tz\tz", "“q”", "öö", "😀😀", "one\nmore", "\\n")),
    min_size=2,
    max_size=2,
    unique=True,
)
"""Two texts of which neither is part of the other, nor of what else is drawn."""
MODES = st.sampled_from((0o644, 0o755, 0o600, 0o444))
SHIFTS = st.sampled_from((2, -10, 0, 3600, 1, -10, 2))
"""Seconds by which a change moves the time of a file."""


def _file(text: str, kind: tuple[str, str, bool], mode: int | None) -> RegularFile:
    eol, encoding, bom = kind
    return RegularFile(TextContent(text, eol=eol, encoding=encoding, bom=bom), mode)


KINDS = st.sampled_from(
    (
        ("lf", "utf-8", False),
        ("lf", "utf-8", False),
        ("crlf", "utf-8", False),
        ("lf", "utf-8", True),
        ("crlf", "utf-8", True),
        ("cr", "utf-8", False),
        ("lf", "utf-16-le", True),
        ("crlf", "utf-16-le", True),
    )
)
_TEXT_FILES = st.builds(_file, st.one_of(TEXTS, TEXTS.map("{}\n".format)), KINDS, st.none() | MODES)
FILES = st.one_of(
    _TEXT_FILES,
    _TEXT_FILES.map(replace),
    _TEXT_FILES.map(replace),
    st.sampled_from(("a\r\nb\nc\r", "a\r\nb\r\nc\n")).map(lambda text: RegularFile(TextContent(text))),
    st.sampled_from(NO_TEXT).map(lambda data: RegularFile(Base64Content(b64encode(data).decode()))),
)
"""What a file may hold: mostly text, in one of several line ends and encodings."""

_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_CURLY = str.maketrans({"'": "’", '"': "”"})


def quotes(text: str) -> st.SearchStrategy[str]:
    """Return a strategy for what a model may quote of a text: a line, a piece, or something like it."""
    if not text:
        return ARGUMENTS
    lines = text.split("\n")
    pieces = st.tuples(st.integers(0, min(len(text) - 1, 200)), st.integers(1, 12)).map(
        lambda span: text[span[0] : span[0] + span[1]]
    )
    exact = st.one_of(st.sampled_from([line for line in lines if line] or lines), pieces)
    return st.one_of(
        exact.map(str),
        exact.map(str),
        st.sampled_from(lines).map("{}\n".format),
        pieces.map(lambda piece: piece.translate(_STRAIGHT)),
        pieces.map(lambda piece: piece.translate(_CURLY)),
        ARGUMENTS,
    )


def news(text: str, old: str) -> st.SearchStrategy[str]:
    """Return a strategy for what to put in the place of `old`."""
    others = quotes(text).map(str)
    return st.one_of(
        LINES, st.just(""), ARGUMENTS, ARGUMENTS.map(lambda more: old + more), st.just(old), others
    )

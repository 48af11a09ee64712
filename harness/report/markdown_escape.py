"""Build Markdown tables, links and code from any text."""

import re
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import quote

from readfirst.harness.report.escape import visible
from readfirst.harness.terminal import one_line

_ESCAPE_BY_CHARACTER = {
    **{character: f"\\{character}" for character in "\\`*_[]#!"},
    **{"<": "&lt;", ">": "&gt;", "&": "&amp;", **{character: f"&#{ord(character)};" for character in "|~@$"}},
}
"""The escape of each special character: an HTML entity if some parsers do not support a backslash before it."""
_SPECIAL_CHARACTER_PATTERN = re.compile(r"[\\`*\[\]#!<>&|~$]|(?<!\w)[_@]|_(?!\w)")
"""Matches characters with a meaning in Markdown, HTML or GitHub, so not `_` inside a word or `@` after a letter."""
_SCHEME_PATTERN = re.compile(r"[^/?#]*?:")
_SAFE_ADDRESS_CHARACTERS = "%/:?#@!$&'*+,;=~"
"""Characters that need no escape in the address of a link, besides letters, digits and `_.-`."""
_BLOCK_START_PATTERN = re.compile(r"[-+] |[-=]+ *$|\d+[.)](?: |$)")
"""Matches a line start that Markdown would parse as a list item or as the underline of a heading."""
_BACKTICKS_PATTERN = re.compile(r"`+")
_CODE_SPAN_PATTERN = re.compile(r"((?<!`)(?:`[^`]+`|``[^`](?:.*?[^`])?``)(?!`))")
"""Matches a code span between single or double backticks."""


def code(text: str, *, escaped: bool = False) -> str:
    """Return the text as a code span on one line, which can be used in a table. `escaped` means that special characters
    are already escaped. An empty text becomes `(empty)`.
    """
    if not text:
        return "(empty)"
    content = (text if escaped else visible(text)).replace("|", "\\|")
    longest = max((len(run) for run in _BACKTICKS_PATTERN.findall(content)), default=0)
    fence = "`" * (longest + 1)
    # A code span loses one space at each end if it has both, and needs one to start or end with a backtick.
    padding = " " if content[0] in " `" or content[-1] == "`" else ""
    return f"{fence}{padding}{content}{padding}{fence}"


def document(blocks: Iterable[str]) -> str:
    """Join paragraphs, headings, lists, tables and code blocks to a page."""
    return "\n\n".join(blocks) + "\n"


def bullets(items: Iterable[str]) -> str:
    """Return a bulleted list of `items`. An item may contain a nested list."""
    return "\n".join(f"- {item}" for item in items)


def fence_code(language: str, text: str) -> str:
    """Return a code block with the unchanged text. Its fence uses more backticks than any fence in the text."""
    longest = max((len(run) for run in _BACKTICKS_PATTERN.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def prose(text: str) -> str:
    """Escape a text and put it on one line, so that no part of it is parsed as Markdown or HTML."""
    line = one_line(" ".join(text.split()))
    if _BLOCK_START_PATTERN.match(line):
        return f"&#{ord(line[0])};{_escape_markup(line[1:])}"
    return _escape_markup(line)


def cell(text: str) -> str:
    """Escape a text for a table cell. Code spans in the text stay code spans."""
    parts = _CODE_SPAN_PATTERN.split(one_line(" ".join(text.split())))
    return "".join(
        part.replace("|", "\\|") if number % 2 else _escape_markup(part) for number, part in enumerate(parts)
    )


def _escape_markup(text: str) -> str:
    return _SPECIAL_CHARACTER_PATTERN.sub(lambda match: _ESCAPE_BY_CHARACTER[match[0]], text)


def link(text: str, target: str) -> str:
    """Return a link to `target`, or only its text if the scheme of `target` is not http or https."""
    scheme = _SCHEME_PATTERN.match(target)
    if scheme is not None and scheme[0].lower() not in ("https:", "http:"):
        return text
    return f"[{text}]({quote(target, safe=_SAFE_ADDRESS_CHARACTERS)})"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[str] = ()) -> str:
    """Return a Markdown table with Markdown in its cells. Columns whose headings are in `numbers` are right-aligned."""
    marks = "".join("--:|" if head in numbers else "---|" for head in heads)
    first, *others = (f"| {' | '.join(row)} |" for row in (heads, *rows))
    return "\n".join((first, f"|{marks}", *others))

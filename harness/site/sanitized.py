"""Sanitized: the HTML of a page made anew from what is known to be harmless, whoever wrote it.

Nothing of the old markup is copied. Elements and attributes that are not listed are left out, text is escaped, and an
address is one that a reader follows by hand, or a file of the site.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

_ELEMENTS = """
a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li
ol p picture pre q s samp small source span strong sub summary sup table tbody td tfoot th thead tr ul var
"""
_EMPTY = frozenset({"br", "hr", "img", "source"})
_SILENT = frozenset(
    {"script", "style", "template", "textarea", "title", "noscript", "iframe", "object", "svg", "math"}
)
"""Elements whose contents are no text of a page."""
_ATTRIBUTES = frozenset(
    {"align", "alt", "class", "colspan", "height", "href", "id", "media", "open", "role", "rowspan", "scope"}
    | {"src", "srcset", "start", "title", "width"}
)
_CLASS = re.compile(
    r"highlight|headerlink|language-[\w+-]+|[a-z][a-z0-9]{0,2}"
    r"|(?:harm|rule)-map|(?:harm|wording)-[1-5]|none|product|sessions|share|aside|hidden|card|steps?|harmed"
)
"""Classes of code in colours, of a heading's own link and of maps: others are handles of the theme's script."""
_SCHEME = re.compile(r"[^/?#]*?:")


def sanitized(html: str) -> str:
    """Return the HTML without whatever could run or fetch something."""
    page = _Page()
    page.feed(html)
    page.close()
    return "".join([*page.made, *(f"</{name}>" for name in reversed(page.open))])


def is_followed(address: str) -> bool:
    """Tell whether an address may be a link: one of the web or of mail, or a place of the same site."""
    plain = "".join(each for each in address if each > " ")  # as a browser reads it
    scheme = _SCHEME.match(plain)
    return scheme is None or scheme[0].lower() in ("https:", "http:", "mailto:")


def _is_own(address: str) -> bool:
    """Tell whether an address is a file of the same site: only such a one is fetched."""
    plain = "".join(each for each in address if each > " ")
    return _SCHEME.match(plain) is None and not plain.replace("\\", "/").startswith("//")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.made: list[str] = []
        self.open: list[str] = []
        self._silent: list[str] = []
        self._heads: list[str] = []
        self._column = 0
        self._plain = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        if self._silent or tag not in _ELEMENTS.split():
            return
        kept = [f' {name}="{escape(value)}"' for name, value in _kept(attrs)]
        if tag == "table":
            self._heads, self._plain = [], not any(each.startswith(" class=") for each in kept)
        elif tag == "tr":
            self._column = 0
        elif tag == "th" and "thead" in self.open:
            self._heads.append("")
        elif tag == "td":
            self._column += 1
            if self._plain and self._column <= len(self._heads):  # what a phone shows beside the value
                kept.append(f' data-label="{escape(self._heads[self._column - 1].strip())}"')
        self.made.append(f"<{tag}{''.join(kept)}>")
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _SILENT:
            self.handle_starttag(tag, attrs)
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.pop()
            return
        if tag in self.open:
            while True:
                ended = self.open.pop()
                self.made.append(f"</{ended}>")
                if ended == tag:
                    break

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.made.append(escape(data, quote=False))
            if self._heads and "thead" in self.open:
                self._heads[-1] += data


def _kept(attrs: list[tuple[str, str | None]]) -> list[tuple[str, str]]:
    kept = []
    for name, value in dict(reversed(attrs)).items():
        text = value or ""
        if name == "class":
            text = " ".join(each for each in text.split() if _CLASS.fullmatch(each))
        if (
            name not in _ATTRIBUTES
            or (name == "class" and not text)
            or (name == "id" and text.startswith("__"))  # the theme's own
            or (name == "href" and not is_followed(text))
            or (name == "src" and not _is_own(text))
            or (name == "srcset" and not all(_is_own(each) for each in text.split(",")))
        ):
            continue
        kept.append((name, text))
    return kept[::-1]

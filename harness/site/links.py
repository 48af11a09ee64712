"""Links: those of built pages that lead nowhere."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.names.add(value)
            elif name in ("href", "src"):
                self.targets.append(value)
            elif name == "srcset":
                self.targets += [each.split()[0] for each in value.split(",") if each.strip()]


def broken_links(folder: Path) -> Iterator[str]:
    """Yield `page: link` for each link of a site to a file, or to a place in a page, that is not there.

    Links to other hosts are not followed.
    """
    pages = {file: _read(file) for file in sorted(folder.rglob("*.html"))}
    for file, page in pages.items():
        for target in dict.fromkeys(page.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            found = file if not path else Path(os.path.normpath(file.parent / path))
            if found.is_dir():
                found /= "index.html"
            lost = not found.is_file() or (
                parts.fragment
                and found in pages
                and unquote(parts.fragment) not in pages[found].names
                and not _is_for_a_script(parts.fragment)
            )
            if lost:
                yield f"{file.relative_to(folder)}: {target}"


def _is_for_a_script(fragment: str) -> bool:
    """Whether a fragment is what a page keeps for itself: `__search`, or nothing to go to."""
    return fragment.startswith("__")


def _read(file: Path) -> _Page:
    page = _Page()
    page.feed(file.read_text("utf-8"))
    return page

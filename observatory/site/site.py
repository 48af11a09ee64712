"""Build the website from a suite and its docs. The site needs no server and no network."""

import os.path
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.observatory.report.compatibility import filtered_page
from readfirst.observatory.site.markdown_sources import generated_pages, is_safe_to_publish, write_sources
from readfirst.observatory.site.mkdocs import HOME, build_html, require_mkdocs
from readfirst.observatory.site.site_data import SiteData, SiteError

_MARKER_FILE = "readfirst-site.txt"
"""Marks a directory as a generated site. `write_site` only replaces directories with this file."""
_MAX_LISTED_LINKS = 20
"""Maximum number of broken links that the error message of `write_site` lists."""


def write_site(data: SiteData, root: Path, folder: Path, *, url: str = "", version: str = "") -> int:
    """Write the site into `folder`, replacing an earlier site, and return the number of pages. Raises SiteError,
    without changes to `folder`, if MkDocs fails, links are broken, or `folder` contains other files.
    """
    require_mkdocs()
    folder = folder.absolute()  # MkDocs takes relative paths from the folder of its settings
    if folder.exists() and not (folder / _MARKER_FILE).is_file() and any(folder.iterdir()):
        raise SiteError(
            f"{folder} is not empty, and does not contain a site of readfirst: name a different directory."
        )
    pages = project_pages(root)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent)
    except OSError as error:
        raise SiteError(
            f"{folder} cannot be written: {error.strerror}. Name a different directory."
        ) from error
    with beside as work:
        source, built = Path(work) / "source", Path(work) / "built"
        made = generated_pages(data)
        write_sources(made, pages, source, root)
        table = filtered_page(data.compatibility, version, data.harm_address)
        (source / "table.html").write_text(table, "ascii")
        build_html(source, built, _navigation(data, pages), url=url)
        if not url:  # its links are to the root of a host, where nothing can be looked up here
            (built / "404.html").unlink()
        broken = [each for each in broken_links(built) if not each.startswith("404.html: ")]
        if broken:
            if (more := len(broken) - _MAX_LISTED_LINKS) > 0:
                broken[_MAX_LISTED_LINKS:] = [f"… and {more} more"]
            raise SiteError("the site has broken links:", details="\n".join(broken))
        (built / _MARKER_FILE).write_text(f"readfirst {version}\n", "utf-8")
        _replace_site(built, folder, Path(work) / "before")
    return sum(1 for _ in folder.rglob("*.html"))


def project_pages(root: Path) -> dict[str, Path]:
    """Return the existing pages of the project by path in the site. Raises SiteError if README.md is missing."""
    files = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    if not files[0].is_file():
        raise SiteError(f"{root} has no README.md, which is the first page of a site.")
    return {
        str(file.relative_to(root)): file
        for file in files
        if file.is_file() and is_safe_to_publish(file, root)
    }


def _replace_site(built: Path, folder: Path, before: Path) -> None:
    if folder.exists():
        folder.rename(before)
    try:
        built.rename(folder)
    except OSError:
        if before.exists():
            before.rename(folder)
        raise


def _navigation(data: SiteData, pages: Mapping[str, Path]) -> Sequence[Any]:
    docs = [name for name in pages if name.startswith("docs/") and name != "docs/README.md"]
    return [
        {"Who loses work": HOME},
        {
            "Implementations": [
                "implementations/index.md",
                *({escape(name): f"implementations/{name}.md"} for name in data.results),
            ]
        },
        {
            "Rules": [
                "rules/index.md",
                *(
                    {class_: [{escape(rule.title): f"rules/{rule.id}.md"} for rule in data.rules.of(class_)]}
                    for class_ in CLASSES
                ),
            ]
        },
        {
            "Versions": [
                "versions/index.md",
                *({escape(name): f"versions/{name}.md"} for name in reversed(data.recorded)),
                {"What changed, and when": "docs/history.md"},
            ]
        },
        {"Docs": ["docs/README.md", "README.md", *(name for name in docs if name != "docs/history.md")]},
        *([{"Contributing": "CONTRIBUTING.md"}] if "CONTRIBUTING.md" in pages else []),
    ]


class _LinkCollector(HTMLParser):
    """Collects the targets of the links (`targets`) and the anchors (`names`) of an HTML page, for `broken_links`."""

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
    """Yield `page: link` for each link to a missing file or anchor of the site. Other hosts are not checked."""
    pages = {file: _LinkCollector() for file in sorted(folder.rglob("*.html"))}
    for file, page in pages.items():
        page.feed(file.read_text("utf-8"))
    for file, page in pages.items():
        for target in dict.fromkeys(page.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            found = file if not path else Path(os.path.normpath(file.parent / path))
            if found.is_dir():
                found /= "index.html"
            broken = not found.is_file() or (
                parts.fragment
                and found in pages
                and unquote(parts.fragment) not in pages[found].names
                and not parts.fragment.startswith(
                    "__"
                )  # reserved: `__search`, or a fragment without a target
            )
            if broken:
                yield f"{file.relative_to(folder)}: {target}"

"""Build the website from the suite and its docs. It needs no server and no network."""

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
from readfirst.observatory.site.markdown_sources import made_pages, may_be_shown, write_sources
from readfirst.observatory.site.mkdocs import HOME, build, demand_mkdocs
from readfirst.observatory.site.site_data import Facts, SiteError

_MARK = "readfirst-site.txt"
"""The name of the file that marks a directory as a generated site. Only such a directory is replaced."""
_SHOWN = 20
"""Maximum number of broken links in an error message."""


def write_site(facts: Facts, root: Path, folder: Path, *, url: str = "", version: str = "") -> int:
    """Write the site into the directory `folder`, replacing an earlier site, and return the number of pages.

    `root` is the directory of the project, with README.md and docs/. `url` is the address of the published site. Raises
    SiteError if MkDocs is missing or reports an error, if the directory has other content, or if links are broken. The
    directory is then unchanged.
    """
    demand_mkdocs()
    folder = folder.absolute()  # MkDocs takes relative paths from the folder of its settings
    if folder.exists() and not (folder / _MARK).is_file() and any(folder.iterdir()):
        raise SiteError(
            f"{folder} is not empty, and does not contain a site of readfirst: name a different directory."
        )
    pages = pages_of(root)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent)
    except OSError as error:
        raise SiteError(
            f"{folder} cannot be written: {error.strerror}. Name a different directory."
        ) from error
    with beside as work:
        source, built = Path(work) / "source", Path(work) / "built"
        made = made_pages(facts)
        write_sources(made, pages, source, root)
        table = filtered_page(facts.compatibility, version, facts.harm_address)
        (source / "table.html").write_text(table, "ascii")
        build(source, built, _navigation(facts, pages), url=url)
        if not url:  # its links are to the root of a host, where nothing can be looked up here
            (built / "404.html").unlink()
        lost = [each for each in broken_links(built) if not each.startswith("404.html: ")]
        if lost:
            more = [f"… and {len(lost) - _SHOWN} more"] if len(lost) > _SHOWN else []
            raise SiteError("the site has broken links:", details="\n".join([*lost[:_SHOWN], *more]))
        (built / _MARK).write_text(f"readfirst {version}\n", "utf-8")
        _put_in_place(built, folder, Path(work) / "before")
    return sum(1 for _ in folder.rglob("*.html"))


def pages_of(root: Path) -> dict[str, Path]:
    """Return the files of the project's existing pages, by path in the site. Raises SiteError without README.md."""
    files = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    if not files[0].is_file():
        raise SiteError(f"{root} has no README.md, which is the first page of a site.")
    return {
        str(file.relative_to(root)): file for file in files if file.is_file() and may_be_shown(file, root)
    }


def _put_in_place(built: Path, folder: Path, before: Path) -> None:
    if folder.exists():
        folder.rename(before)
    try:
        built.rename(folder)
    except OSError:
        if before.exists():
            before.rename(folder)
        raise


def _navigation(facts: Facts, pages: Mapping[str, Path]) -> Sequence[Any]:
    docs = [name for name in pages if name.startswith("docs/") and name != "docs/README.md"]
    return [
        {"Who loses work": HOME},
        {
            "Implementations": [
                "implementations/index.md",
                *({escape(name): f"implementations/{name}.md"} for name in facts.results),
            ]
        },
        {
            "Rules": [
                "rules/index.md",
                *(
                    {class_: [{escape(rule.title): f"rules/{rule.id}.md"} for rule in facts.rules.of(class_)]}
                    for class_ in CLASSES
                ),
            ]
        },
        {
            "Versions": [
                "versions/index.md",
                *({escape(name): f"versions/{name}.md"} for name in reversed(facts.recorded)),
                {"What changed, and when": "docs/history.md"},
            ]
        },
        {"Docs": ["docs/README.md", "README.md", *(name for name in docs if name != "docs/history.md")]},
        *([{"Contributing": "CONTRIBUTING.md"}] if "CONTRIBUTING.md" in pages else []),
    ]


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
    """Yield a text `page: link` for each link to a missing file of the site, or to a missing anchor in a page.

    Links to other hosts are not checked.
    """
    pages = {file: _Page() for file in sorted(folder.rglob("*.html"))}
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
            lost = not found.is_file() or (
                parts.fragment
                and found in pages
                and unquote(parts.fragment) not in pages[found].names
                and not parts.fragment.startswith(
                    "__"
                )  # reserved: `__search`, or a fragment without a target
            )
            if lost:
                yield f"{file.relative_to(folder)}: {target}"

"""Write the Markdown of the website in the directory layout of the project, so that links between pages work."""

import mimetypes
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from readfirst.observatory.claims.claims import claims_file
from readfirst.observatory.claims.page import behaviour_page
from readfirst.observatory.site.mkdocs import HOME
from readfirst.observatory.site.pages import home_page, implementation_pages, rule_pages, version_pages
from readfirst.observatory.site.site_data import SiteData
from readfirst.observatory.versions.history import history_page

_LINK_ATTRIBUTE = re.compile(r"""\s(?:href|src|srcset)=["']([^"']+)["']""")
_ACTIVE_SVG = re.compile(
    r"<(?!/?(?:svg|g|title|desc|rect|text|tspan|line|path|circle|style)\b)"
    r"|\bon\w+\s*=|href|@import|url\(|//|\\|&#(?!3[49];)",
    re.I,
)
"""Matches parts of SVG that are unsafe on a web page: scripts, addresses, unexpected elements or escapes."""
_SVG_NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
_FENCE_WITH_INFO = re.compile(r"^( *)(`{3,}|~{3,}) *([\w+-]+) .*$", re.MULTILINE)


def generated_pages(data: SiteData) -> dict[str, str]:
    """Return the Markdown of all generated pages of the site, by path. Raises SiteError, SuiteError."""
    suite = data.suite
    claimed = {"docs/behaviour.md": behaviour_page(suite)} if claims_file(suite.root).is_file() else {}
    return {
        **claimed,
        "docs/history.md": history_page(suite),
        HOME: home_page(data),
        **{f"rules/{name}": text for name, text in rule_pages(data)},
        **{f"implementations/{name}": text for name, text in implementation_pages(data)},
        **{f"versions/{name}": text for name, text in version_pages(data)},
    }


def write_sources(generated: Mapping[str, str], pages: Mapping[str, Path], folder: Path, root: Path) -> None:
    """Write the Markdown of `generated` pages and of the existing files `pages` into `folder`, by their paths in the
    site, and copy the files of the project that these pages link to.
    """
    texts = {**{name: file.read_text("utf-8") for name, file in pages.items()}, **generated}
    waiting, copied = list(texts), set(texts)
    files: dict[str, bytes] = {}
    while waiting:
        name = waiting.pop()
        text = texts[name]
        for path in linked_paths(name, text):
            file = root / path
            if path in copied or not file.is_file() or not is_safe_to_publish(file, root):
                continue
            copied.add(path)
            if file.suffix == ".md":
                texts[path] = file.read_text("utf-8")
                waiting.append(path)
            else:
                files[path] = file.read_bytes()
    files |= {name: strip_fence_info(text).encode() for name, text in texts.items()}
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def is_safe_to_publish(file: Path, root: Path) -> bool:
    """Whether a file can be published: it is in the project `root`, and contains nothing that a browser executes."""
    if not file.resolve().is_relative_to(root.resolve()):
        return False
    kind = mimetypes.guess_type(file.name)[0] or ""
    if kind == "image/svg+xml":
        return _ACTIVE_SVG.search(file.read_text("utf-8", "replace").replace(_SVG_NAMESPACE, "")) is None
    return not any(each in kind for each in ("html", "xml"))


def strip_fence_info(text: str) -> str:
    """Keep only the language after the backticks of code blocks; some renderers do not support more words."""
    return _FENCE_WITH_INFO.sub(r"\1\2\3", text)


def linked_paths(name: str, text: str) -> Iterator[str]:
    """Yield the paths in the site that a page links to, without fragments. `name` is the path of the page."""
    for token in _all_tokens(MarkdownIt("commonmark").enable("table").parse(text)):
        targets = [str(token.attrs.get("href") or token.attrs.get("src") or "")]
        if token.type in ("html_block", "html_inline"):
            targets = _LINK_ATTRIBUTE.findall(token.content)
        for target in targets:
            path = unquote(target.partition("#")[0])
            if path and "://" not in target and not target.startswith(("mailto:", "/")):
                # A path out of the site starts at the root of the site.
                yield posixpath.normpath(f"/{posixpath.dirname(name)}/{path}").strip("/")


def _all_tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all_tokens(token.children or [])

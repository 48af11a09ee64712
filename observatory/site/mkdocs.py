"""Build the website with MkDocs and the Material theme, without files from other hosts."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape, unescape
from pathlib import Path
from typing import Any

from readfirst.harness.report.html import styles
from readfirst.observatory.site.sanitize_html import sanitize_html
from readfirst.observatory.site.site_data import SiteError
from readfirst.observatory.template import anchor, template

_SEARCH_SCRIPT = Path(__file__).with_name("iframe-worker.js")
"""Makes the search work in pages opened from a file. The theme would otherwise download this script."""
_COLOUR_SCHEMES = [
    {
        "media": f"(prefers-color-scheme{scheme})",
        "scheme": name,
        "primary": "teal",
        "accent": "teal",
        "toggle": {"icon": f"material/{icon}", "name": f"Switch to {following}"},
    }
    for scheme, name, icon, following in (
        ("", "default", "brightness-auto", "light mode"),
        (": light", "default", "weather-sunny", "dark mode"),
        (": dark", "slate", "weather-night", "what the system prefers"),
    )
]
"""The colour schemes that a reader of the site can choose. The first one, the default, follows the reader's system."""
HOME = "home.md"
"""The file name of the site's first page, which the site shows instead of the project's README."""
_DESTINATIONS = {HOME: "index.html", "README.md": "about.html"}
_STYLE_SHEET = "maps.css"
_THEME = {
    "name": "material",
    "font": False,
    "palette": _COLOUR_SCHEMES,
    "icon": {"logo": "material/file-check-outline"},
    "features": [
        "navigation.indexes",
        "navigation.prune",
        "navigation.tabs",
        "navigation.top",
        "search.highlight",
        "toc.follow",
    ],
}
_EXTENSIONS = ("sane_lists", "pymdownx.superfences", "pymdownx.highlight")


def require_mkdocs() -> None:
    """Raise SiteError if MkDocs or its theme is not installed."""
    try:
        import material
        import mkdocs.commands.build
    except ImportError as error:
        raise SiteError("a site needs MkDocs: python3 -m pip install 'readfirst[observatory]'") from error
    del material, mkdocs


def build_html(source: Path, target: Path, nav: Sequence[Any], *, url: str = "") -> None:
    """Build `source` (Markdown) into `target`. `nav` is the menu of the site. Raises SiteError if MkDocs fails."""
    from mkdocs.commands.build import build as built
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort, MkDocsException

    (source / _SEARCH_SCRIPT.name).write_bytes(_SEARCH_SCRIPT.read_bytes())
    colours = ("[data-md-color-scheme=default]", "[data-md-color-scheme=slate] {{ {} }}")
    (source / _STYLE_SHEET).write_text(styles(*colours, ["map.css", template("site.css")]), "utf-8")
    settings = source.with_name("mkdocs.yml")
    settings.write_text("site_name: readfirst\n", "utf-8")
    with _collect_warnings() as messages:
        try:
            config = load_config(
                str(settings),
                strict=True,
                site_description="Conformance suite for the file tools of coding agents",
                site_url=url,
                docs_dir=str(source),
                site_dir=str(target),
                use_directory_urls=False,
                nav=list(nav),
                theme=_THEME,
                plugins=["search", "offline"],
                extra_css=[_STYLE_SHEET],
                markdown_extensions=[  # MkDocs takes the mappings apart
                    *_EXTENSIONS,
                    {"tables": {"use_align_attribute": True}},
                    {"toc": {"permalink": True, "slugify": lambda title, _: anchor(title)}},
                ],
                validation={"anchors": "warn"},
                extra={"generator": False, "polyfills": [_SEARCH_SCRIPT.name]},
            )
            config.plugins["readfirst"] = _sanitizing_plugin()
            built(config)
        except (Abort, MkDocsException) as error:
            details = "\n".join([*messages, str(error)])
            raise SiteError("MkDocs reports errors in the pages:", details=details) from error


def _sanitizing_plugin() -> Any:
    """Return a MkDocs plugin that sanitizes the contents, titles and metadata of pages, because the theme does not."""
    from markupsafe import Markup
    from mkdocs.plugins import BasePlugin

    class SanitizingPlugin(BasePlugin):
        def on_files(self, files: Any, **_: Any) -> Any:
            for file in files:
                place = _DESTINATIONS.get(file.src_uri)
                if place is not None:
                    file.dest_uri = file.url = place
            return files

        def on_page_markdown(self, markdown: str, *, page: Any, **_: Any) -> str:
            # Front matter may name templates, and is put into attributes.
            page.meta = {"hide": ["navigation", "toc"]} if page.file.src_uri == HOME else {}
            return markdown

        def on_page_content(self, html: str, **_: Any) -> str:
            return sanitize_html(html)

        def on_env(self, env: Any, *, files: Any, **_: Any) -> Any:
            """Escape the titles of all rendered pages, before MkDocs inserts them into the theme."""
            env.filters["striptags"] = lambda text: _escaped_title(Markup(text).striptags())  # unescapes
            for file in files.documentation_pages():
                file.page.title = _escaped_title(file.page.title)
                _escape_titles(file.page.toc)
            return env

    return SanitizingPlugin()


def _escaped_title(text: object) -> Any:
    from markupsafe import Markup

    return Markup(escape(unescape(str(text or ""))))


def _escape_titles(items: Any) -> None:
    for each in items:
        each.title = _escaped_title(each.title)
        _escape_titles(each.children)


@contextmanager
def _collect_warnings() -> Iterator[list[str]]:
    """Yield a list that collects the warnings of MkDocs. MkDocs does not print them while this context is open."""
    messages: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    before, logger.propagate = logger.propagate, False
    try:
        yield messages
    finally:
        logger.propagate = before
        logger.removeHandler(handler)

"""The site in a real Chromium, opened from its folder: search, keys, a phone, the dark, and nothing from elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from readfirst.harness.site.facts import Facts
from readfirst.harness.site.site import write_site
from readfirst.harness.suite.suite import Suite
from tests.cli.browser import PHONE, Shown, chromium, look, severe

pytestmark = pytest.mark.browser

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def facts() -> Facts:
    return Facts(Suite(CHECKOUT / "fixtures"), CHECKOUT / "docs")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, facts: Facts) -> Path:
    made = tmp_path_factory.mktemp("site") / "a site"
    made.mkdir()
    (made / "readfirst-site.txt").write_text("readfirst 1.0\n")
    (made / "gone.html").write_text("of an earlier site")
    pages = write_site(facts, CHECKOUT, made, version="1.1")
    assert pages == len(list(made.rglob("*.html")))
    assert (made / "readfirst-site.txt").read_text() == "readfirst 1.1\n"
    assert not (made / "gone.html").exists()
    assert [each.name for each in made.parent.iterdir()] == [made.name]
    return made


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


class Website:
    def __init__(self, driver: Any, folder: Path) -> None:
        self.driver = driver
        self.folder = folder

    def open(self, page: str) -> Shown:
        return Shown(self.driver, self.folder / page).go()


@pytest.fixture
def site(driver: Any, folder: Path) -> Iterator[Website]:
    look(driver)
    severe(driver)
    yield Website(driver, folder)
    look(driver)
    assert severe(driver) == []  # also what another host would have been asked for


def test_search_finds_a_rule(site: Website) -> None:
    page = site.open("rules/index.html")
    page.press("/")
    page.press(*"symbolic links")

    def hits() -> list[str]:
        return [str(each.get_attribute("href")) for each in page.all(".md-search-result__link")]

    assert page.waits_for(lambda: any("/rules/symbolic-links.html" in hit for hit in hits()))


def test_a_reader_comes_from_the_first_page_to_a_rule_that_does_not_hold(site: Website, facts: Facts) -> None:
    page = site.open("index.html")
    (cell,) = page.all("article a[href$='implementations/deepagents@0.7.32.html#lost']")
    cell.click()
    assert page.waits_for(lambda: "What it loses" in page.one("article").text)
    assert "lost: lines 1" in page.one("article .harmed").text
    page.driver.find_element("partial link text", "Write refuses to overwrite an existing file").click()
    assert page.waits_for(lambda: "Why it matters" in page.one("article").text)
    assert "/rules/write-refuses-unread-file.html" in page.driver.current_url


def test_the_keyboard_reaches_the_content(site: Website) -> None:
    page = site.open("rules/edit-refuses-changed-file.html")
    page.press("\ue004")
    assert "md-skip" in page.script("document.activeElement.className")
    page.press("\ue007")
    assert page.script("location.hash").startswith("#")
    reached = []
    for _ in range(12):
        page.press("\ue004")
        reached.append(page.script("document.activeElement.tagName"))
    assert "A" in reached


@pytest.mark.parametrize(
    "name",
    [
        "index",
        "implementations/agno@3.1.10",
        "rules/edit-refuses-changed-file",
        "versions/index",
        "versions/2.1.228",
        "table",
        "docs/format",
    ],
)
def test_a_phone_shows_a_page_without_scrolling_sideways(site: Website, name: str) -> None:
    look(site.driver, width=PHONE)
    page = site.open(f"{name}.html")
    assert page.waits_for(lambda: page.script("document.documentElement.scrollWidth") == PHONE)


@pytest.mark.parametrize(("scheme", "shade"), [("light", "default"), ("dark", "slate")])
def test_a_page_is_dark_for_those_who_like_it(folder: Path, tmp_path: Path, scheme: str, shade: str) -> None:
    with chromium(tmp_path) as driver:
        look(driver, prefers_color_scheme=scheme)
        page = Shown(driver, folder / "index.html").go()
        assert page.waits_for(lambda: page.one("body").get_attribute("data-md-color-scheme") == shade)


def test_the_chart_of_the_versions_is_shown(site: Website) -> None:
    page = site.open("versions/index.html")
    widths = "[...document.querySelectorAll('article img')].map(each => each.naturalWidth)"
    (wide,) = page.script(widths)
    look(site.driver, width=PHONE)
    (narrow,) = site.open("versions/index.html").script(widths)
    assert 0 < narrow < wide


@pytest.mark.parametrize("width", [PHONE, 768, 1440])
@pytest.mark.parametrize("name", ["index", "implementations/deepagents@0.7.32", "table"])
def test_no_cell_of_a_map_is_cut(site: Website, name: str, width: int) -> None:
    look(site.driver, width=width)
    page = site.open(f"{name}.html")
    cut = (
        "[...document.querySelectorAll('.harm-map td, .harm-map th')].filter(each => each.offsetParent &&"
        " (each.scrollWidth > each.clientWidth + 1 || each.getBoundingClientRect().right > innerWidth))"
        ".map(each => each.textContent)"
    )
    assert page.waits_for(lambda: page.all(".harm-map td") != [] and page.script(cut) == []), page.script(cut)


def test_the_table_to_filter_is_one_click_away(site: Website) -> None:
    page = site.open("implementations/index.html")
    page.driver.find_element("link text", "A table to filter").click()
    assert page.waits_for(lambda: len(page.all("tr[data-rule]")) > 0)


@pytest.mark.parametrize(
    "name",
    ["README", "CONTRIBUTING", *(f"docs/{file.stem}" for file in sorted((CHECKOUT / "docs").glob("*.md")))],
)
def test_the_prose_has_the_blocks_that_it_was_written_with(folder: Path, name: str) -> None:
    """The site's Markdown is another one than that of the pages at home."""
    page = folder / {"README": "about.html", "docs/README": "docs/index.html"}.get(name, f"{name}.html")
    html = page.read_text("utf-8")
    article = html[html.index("<article") : html.index("</article>")]
    found = Counter(re.findall(r"<(table|tr|li|pre)\b", article))
    tokens = MarkdownIt("commonmark").enable("table").parse((CHECKOUT / f"{name}.md").read_text("utf-8"))
    wanted = Counter(token.type for token in tokens)
    assert found["table"] == wanted["table_open"]
    assert found["tr"] == wanted["tr_open"]
    assert found["li"] == wanted["list_item_open"]
    assert found["pre"] == wanted["fence"] + wanted["code_block"]

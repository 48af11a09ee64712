"""The site in Chromium, opened from its directory: search, keys, a phone, dark colours, no requests to other sites."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from readfirst.observatory.site.site import write_site
from readfirst.observatory.site.site_data import SiteData
from tests.cli.browser import PHONE, WEAK_TEXT, BrowserPage, chromium, emulate, logged_errors, run_script

pytestmark = pytest.mark.browser

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, facts: SiteData) -> Path:
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

    def open(self, page: str) -> BrowserPage:
        return BrowserPage(self.driver, self.folder / page).go()


@pytest.fixture
def site(driver: Any, folder: Path) -> Iterator[Website]:
    emulate(driver)
    logged_errors(driver)
    yield Website(driver, folder)
    emulate(driver)
    assert logged_errors(driver) == []  # a request to another host would be an error, too


def test_search_finds_a_rule(site: Website) -> None:
    page = site.open("rules/index.html")
    page.press("/")
    page.press(*"symbolic links")

    def hits() -> list[str]:
        return [str(each.get_attribute("href")) for each in page.all(".md-search-result__link")]

    assert page.waits_for(lambda: any("/rules/symbolic-links.html" in hit for hit in hits()))


def test_a_reader_comes_from_the_first_page_to_a_rule_that_does_not_hold(
    site: Website, facts: SiteData
) -> None:
    page = site.open("index.html")
    (cell,) = page.all("article a[href$='implementations/deepagents@0.7.32.html#lost']")
    cell.click()
    assert page.waits_for(lambda: "Diagnosis" in page.one("article").text)
    assert "lost: lines 1" in page.all("article .harmed")[0].text
    page.driver.find_element("partial link text", "Write refuses to overwrite an existing file").click()
    assert page.waits_for(lambda: "Why it matters" in page.one("article").text)
    assert "/rules/write-refuses-unread-file.html" in page.driver.current_url


CUT = """
const wide = arguments[0];
const frame = (each) => rect(each.closest(".md-typeset__scrollwrap") ?? document.documentElement).right + 1;
const found = [...document.querySelectorAll(
  "article table:not([class]) :is(td, th), .harm-map :is(td, th), .rule-map :is(td, th), article pre > code")]
  .filter((each) => shown(each) && !each.closest("thead, .scroll") &&
    (each.scrollWidth > each.clientWidth + 1 || rect(each).left < 0 || rect(each).right > Math.min(wide, frame(each))))
  .map((each) => each.textContent.slice(0, 40));
return document.documentElement.scrollWidth > wide ? ["the page scrolls sideways", ...found] : found;
"""
"""Returns the texts in tables and code that are cut off, or outside of the window (`wide` pixels) or of their
scrollable frame, and reports a page that scrolls sideways.
"""


@pytest.mark.parametrize(
    "name",
    [
        "index",
        "implementations/index",
        "implementations/deepagents@0.7.32",
        "rules/edit-refuses-changed-file",
        "versions/index",
        "versions/2.1.228",
        "table",
        "about",
        *(f"docs/{file.stem}" for file in sorted((CHECKOUT / "docs").glob("[!R]*.md"))),
    ],
)
def test_no_table_no_code_and_no_map_is_cut_at_any_width(site: Website, name: str) -> None:
    page = site.open(f"{name}.html")
    for width in (320, PHONE, 600, 768, 1024, 1220, 1440):
        emulate(site.driver, width=width)
        assert page.waits_for(lambda at=width: run_script(page, CUT, at) == []), (
            width,
            run_script(page, CUT, width),
        )


def test_what_is_too_wide_is_noticed(site: Website) -> None:
    emulate(site.driver, width=PHONE)
    page = site.open("docs/format.html")
    page.driver.execute_script(
        "document.querySelector('article td').innerHTML = '<p style=width:500px>wide</p>'"
    )
    assert "wide" in run_script(page, CUT, PHONE)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name", ["index", "implementations/deepagents@0.7.32", "versions/2.1.228", "docs/format"]
)
def test_all_text_has_the_contrast_that_wcag_asks_for(site: Website, name: str, scheme: str) -> None:
    emulate(site.driver, prefers_color_scheme=scheme)
    page = site.open(f"{name}.html")
    for width in (PHONE, 1440):
        emulate(site.driver, width=width, prefers_color_scheme=scheme)
        assert page.waits_for(lambda: run_script(page, WEAK_TEXT) == []), (width, run_script(page, WEAK_TEXT))


@pytest.mark.parametrize("table", ["harm-map", "rule-map"])
def test_on_a_phone_the_names_of_columns_stay_while_a_map_is_read(site: Website, table: str) -> None:
    emulate(site.driver, width=PHONE)
    page = site.open("index.html")
    last = f"document.querySelector('table.{table} tbody').lastElementChild"
    page.script(f"{last}.scrollIntoView({{block: 'end'}})")
    head = f"document.querySelector('table.{table} thead').getBoundingClientRect()"
    top, bottom, height = page.script(f"[{head}.top, {head}.bottom, innerHeight]")
    assert 0 < top < bottom < height / 2

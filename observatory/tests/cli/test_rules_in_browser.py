"""The tables of rules in a real Chromium: filters, comparison, a phone, and links to scenarios."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.report.results import Results
from readfirst.observatory.report.compatibility import filtered_page as compatibility_html
from tests.cli.browser import PHONE, BrowserPage, emulate, logged_errors
from tests.verdicts import run, sources_of, verdict

pytestmark = pytest.mark.browser

DATA = Path(__file__).resolve().parents[3] / "docs" / "compatibility.json"
BOOK = '[data-rules="implementations"]'
"""The CSS selector of the first of the two tables on the page with filters: the rules by implementation."""


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DATA.read_text())
    return found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, table: dict[str, Any]) -> Path:
    made = tmp_path_factory.mktemp("compatibility") / "page.html"
    made.write_text(compatibility_html(table, "1.0"), encoding="ascii")
    return made


@pytest.fixture
def page(driver: Any, file: Path) -> Iterator[BrowserPage]:
    emulate(driver)
    logged_errors(driver)
    yield BrowserPage(driver, file).go()
    emulate(driver)
    assert logged_errors(driver) == []


def rows(page: BrowserPage) -> list[str]:
    found: list[str] = page.script(
        f"[...document.querySelectorAll('{BOOK} tr[data-rule]')].filter(each => each.offsetParent)"
        ".map(each => each.dataset.rule)"
    )
    return found


def choose(page: BrowserPage, part: str, value: str) -> None:
    page.driver.execute_script(
        f"const part = document.querySelector('{BOOK} [data-part={part}]');"
        "if (part.type === 'checkbox') part.click();"
        "else { part.value = arguments[0]; part.dispatchEvent(new Event('input', { bubbles: true })); }",
        value,
    )


def column(table: dict[str, Any], name: str) -> str:
    return str(list(table["implementations"]).index(name))


def cell(table: dict[str, Any], rule: str, name: str) -> tuple[str, int, int]:
    found = table["rules"][rule]["implementations"]["2.1.7"][name]
    return found["holds"], found["holding"], found["judged"]


def test_a_class_a_result_and_words_choose_rows(page: BrowserPage, table: dict[str, Any]) -> None:
    choose(page, "class", "wording")
    assert rows(page) == [name for name, rule in table["rules"].items() if rule["class"] == "wording"]
    choose(page, "class", "")
    choose(page, "words", "deny")
    assert rows(page)
    assert all("deny" in f"{each} {table['rules'][each]['title']}".lower() for each in rows(page))
    choose(page, "words", "nothing like that")
    assert rows(page) == []
    assert page.one(f"{BOOK} [data-part=count]").text == f"0 of {len(table['rules'])} rules"
    page.one(f"{BOOK} button[type=reset]").click()
    assert page.waits_for(lambda: len(rows(page)) == len(table["rules"]))


def test_two_columns_are_compared_with_each_other(page: BrowserPage, table: dict[str, Any]) -> None:
    one, other = "agno@3.1.10", "agno-gated@3.1.10"
    assert not page.one(f"{BOOK} [data-part=differ]").is_enabled()
    choose(page, "one", column(table, one))
    choose(page, "other", column(table, other))
    heads = [each.text for each in page.all(f"{BOOK} thead th") if each.is_displayed()]
    assert len(heads) == 3
    assert len(rows(page)) == len(table["rules"])
    choose(page, "differ", "")
    differing = [name for name in table["rules"] if cell(table, name, one) != cell(table, name, other)]
    assert differing
    assert sorted(rows(page)) == sorted(differing)


def test_a_rule_opens_into_the_shortest_scenario_that_fails(page: BrowserPage, table: dict[str, Any]) -> None:
    rule = "write-refuses-changed-file"
    page.one(f"{BOOK} tr[data-rule={rule}] button").click()
    text = page.one(f"{BOOK} .panel").text
    cells = table["rules"][rule]["implementations"]["2.1.7"].values()
    found = next(each for each in cells if each["holds"] == "partly")
    assert f"partly, {found['holding']}/{found['judged']}" in text
    assert found["shortest"] in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(driver: Any, page: BrowserPage, scheme: str) -> None:
    emulate(driver, width=PHONE, prefers_color_scheme=scheme)
    page.go()
    page.all(f"{BOOK} tr[data-rule] button")[0].click()
    assert page.script("document.documentElement.scrollWidth") <= PHONE
    assert "stacked" in page.one(f"{BOOK} table").get_attribute("class")
    cells = page.script(
        "[...document.querySelectorAll('.totals td')].map((each) => [each.scrollWidth, each.clientWidth])"
    )
    assert cells
    assert all(text <= room for text, room in cells), "the text of a cell runs into the next"


@pytest.fixture
def report(driver: Any, tmp_path: Path, ruled: Any) -> Iterator[BrowserPage]:
    """In Chromium, the report about two runs. In the second run, `gate/not-read` fails: its call is not refused."""
    numbers = verdict("reading/lines", "passed", rule="numbers", length=2)
    runs = (
        run(verdict("gate/not-read", "passed", rule="read-first", length=2), numbers, target="python:a:b"),
        run(verdict("gate/not-read", rule="read-first", length=2), numbers, target="python:c:d"),
    )
    sources = sources_of(ruled, rules=ruled.rules, of_class=lambda _: [])
    made = tmp_path / "report.html"
    made.write_text(sources.write("html", Results(runs)), encoding="ascii")
    emulate(driver)
    logged_errors(driver)
    yield BrowserPage(driver, made).go()
    assert logged_errors(driver) == []


def test_a_report_has_the_rules_of_its_runs_and_lists_their_scenarios(report: BrowserPage) -> None:
    texts: Callable[[str], list[str]] = lambda rule: [  # noqa: E731 - one expression
        each.get_attribute("data-standing") for each in report.all(f"tr[data-rule={rule}] td")
    ]
    assert texts("read-first") == ["yes", "no"]
    assert texts("numbers") == ["yes", "yes"]
    report.one("tr[data-rule=read-first] button").click()
    report.one(".rulebook .panel a").click()
    assert report.waits_for(lambda: bool(report.panel("gate/not-read")))
    report.driver.execute_script("arguments[0].click()", report.one(".rulebook .panel button"))
    assert report.list_scenarios() == ["gate/not-read"]

"""The tables of rules in a real Chromium: sticky headings, filters, keys, a screen reader, a phone, the dark."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.report.results import Results, Run
from readfirst.observatory.report.compatibility import filtered_page as compatibility_html
from tests.cli.browser import PHONE, Shown, look, severe
from tests.cli.test_reports_by_rule import ruled_sources, verdict

pytestmark = pytest.mark.browser

DATA = Path(__file__).resolve().parents[3] / "docs" / "compatibility.json"
BOOK = '[data-rules="implementations"]'
"""The first of the two tables of the page."""


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
def shown(driver: Any, file: Path) -> Iterator[Shown]:
    look(driver)
    severe(driver)
    yield Shown(driver, file).go()
    look(driver)
    assert severe(driver) == []


def rows(shown: Shown) -> list[str]:
    found: list[str] = shown.script(
        f"[...document.querySelectorAll('{BOOK} tr[data-rule]')].filter(each => each.offsetParent)"
        ".map(each => each.dataset.rule)"
    )
    return found


def choose(shown: Shown, part: str, value: str) -> None:
    shown.driver.execute_script(
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


def test_all_rules_are_there_the_worst_class_first(shown: Shown, table: dict[str, Any]) -> None:
    classes = ["safety", "contract", "fidelity", "product"]
    wanted = [name for class_ in classes for name, rule in table["rules"].items() if rule["class"] == class_]
    assert rows(shown) == wanted


def test_a_class_a_result_and_words_choose_rows(shown: Shown, table: dict[str, Any]) -> None:
    choose(shown, "class", "fidelity")
    assert rows(shown) == [name for name, rule in table["rules"].items() if rule["class"] == "fidelity"]
    choose(shown, "class", "")
    choose(shown, "words", "deny")
    assert rows(shown)
    assert all("deny" in f"{each} {table['rules'][each]['title']}".lower() for each in rows(shown))
    choose(shown, "words", "nothing like that")
    assert rows(shown) == []
    assert shown.one(f"{BOOK} [data-part=count]").text == f"0 of {len(table['rules'])} rules"
    shown.one(f"{BOOK} button[type=reset]").click()
    assert shown.waits_for(lambda: len(rows(shown)) == len(table["rules"]))


def test_two_columns_are_compared_with_each_other(shown: Shown, table: dict[str, Any]) -> None:
    one, other = "agno@3.1.10", "agno-gated@3.1.10"
    assert not shown.one(f"{BOOK} [data-part=differ]").is_enabled()
    choose(shown, "one", column(table, one))
    choose(shown, "other", column(table, other))
    heads = [each.text for each in shown.all(f"{BOOK} thead th") if each.is_displayed()]
    assert len(heads) == 3
    assert len(rows(shown)) == len(table["rules"])
    choose(shown, "differ", "")
    differing = [name for name in table["rules"] if cell(table, name, one) != cell(table, name, other)]
    assert differing
    assert sorted(rows(shown)) == sorted(differing)


def test_keys_do_what_clicks_do(shown: Shown, table: dict[str, Any]) -> None:
    from selenium.webdriver.common.keys import Keys

    first, second = list(table["rules"])[:2]
    shown.script(f"document.querySelector('{BOOK} tr[data-rule] button').focus()")
    shown.press(Keys.ARROW_DOWN)
    assert shown.focused() == table["rules"][second]["title"]
    shown.press(Keys.HOME, Keys.ENTER)
    panel = shown.one(f"{BOOK} .panel")
    assert table["rules"][first]["why"] in panel.text
    assert f"readfirst rules {first}" in panel.text
    shown.press(Keys.ESCAPE)
    assert shown.all(f"{BOOK} .panel") == []
    assert shown.focused() == table["rules"][first]["title"]


def test_a_rule_opens_into_the_shortest_scenario_that_fails(shown: Shown, table: dict[str, Any]) -> None:
    rule = "write-refuses-changed-file"
    shown.one(f"{BOOK} tr[data-rule={rule}] button").click()
    text = shown.one(f"{BOOK} .panel").text
    cells = table["rules"][rule]["implementations"]["2.1.7"].values()
    found = next(each for each in cells if each["holds"] == "partly")
    assert f"partly, {found['holding']}/{found['judged']}" in text
    assert found["shortest"] in text


def test_headings_stay_in_sight(shown: Shown) -> None:
    top = shown.script(
        f"(() => {{ const rows = document.querySelectorAll('{BOOK} tr[data-rule]'); rows[60].scrollIntoView();"
        f" return document.querySelector('{BOOK} thead').getBoundingClientRect().top; }})()"
    )
    assert abs(top) < 1


def test_a_screen_reader_hears_table_rule_and_standing(shown: Shown) -> None:
    tree = shown.tree()
    roles = {(node["role"]["value"], node["name"]["value"]) for node in tree if "name" in node}
    assert ("table", "Implementations: likeness to Claude Code") in roles
    assert any(role == "search" and "by implementation" in name for role, name in roles)
    assert ("rowheader", "Write refuses to overwrite an existing file that the session has not read") in roles
    cells = {name for role, name in roles if role == "cell"}
    assert any("partly 2/7" in name for name in cells)
    assert any("not claimed" in name for name in cells)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(driver: Any, shown: Shown, scheme: str) -> None:
    look(driver, width=PHONE, prefers_color_scheme=scheme)
    shown.go()
    shown.all(f"{BOOK} tr[data-rule] button")[0].click()
    assert shown.script("document.documentElement.scrollWidth") <= PHONE
    assert "stacked" in shown.one(f"{BOOK} table").get_attribute("class")
    narrow = shown.all(".chart-box svg.narrow")
    assert all(each.is_displayed() for each in narrow)
    assert not any(each.is_displayed() for each in shown.all(".chart-box svg.wide"))
    cells = shown.script(
        "[...document.querySelectorAll('.totals td')].map((each) => [each.scrollWidth, each.clientWidth])"
    )
    assert cells
    assert all(text <= room for text, room in cells), "the text of a cell runs into the next"


CONTRAST = """
return (() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const back = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
  };
  const light = (color) => {
    const [r, g, b] = color.map((each) => each / 255)
      .map((each) => (each <= .03928 ? each / 12.92 : ((each + .055) / 1.055) ** 2.4));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const kinds = new Map();
  for (const cell of document.querySelectorAll("[data-rules] td")) kinds.set(cell.className, cell);
  return [...kinds].map(([name, cell]) => {
    const [one, other] = [light(parse(getComputedStyle(cell).color)), light(back(cell))];
    return [name, (Math.max(one, other) + .05) / (Math.min(one, other) + .05)];
  });
})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_cell_can_be_read(driver: Any, shown: Shown, scheme: str) -> None:
    look(driver, prefers_color_scheme=scheme)
    shown.go()
    found = dict(driver.execute_script(CONTRAST))
    assert {"good", "quiet", "harm-5"} <= found.keys()
    assert {name: ratio for name, ratio in found.items() if ratio < 4.5} == {}


@pytest.fixture
def report(driver: Any, tmp_path: Path, ruled: Any) -> Iterator[Shown]:
    """A report of two runs of the suite with rules, of which one refuses nothing."""
    good = [verdict("gate/not-read", "read-first", "passed"), verdict("reading/lines", "numbers", "passed")]
    bad = [verdict("gate/not-read", "read-first", "failed"), verdict("reading/lines", "numbers", "passed")]
    runs = tuple(
        Run(name, "2.1.7", "text", "1.0", tuple(judged))
        for name, judged in (("python:a:b", good), ("python:c:d", bad))
    )
    made = tmp_path / "report.html"
    made.write_text(ruled_sources(ruled).write("html", Results(runs)), encoding="ascii")
    look(driver)
    severe(driver)
    yield Shown(driver, made).go()
    assert severe(driver) == []


def test_a_report_has_the_rules_of_its_runs_and_lists_their_scenarios(report: Shown) -> None:
    texts: Callable[[str], list[str]] = lambda rule: [  # noqa: E731 - one expression
        each.get_attribute("data-standing") for each in report.all(f"tr[data-rule={rule}] td")
    ]
    assert texts("read-first") == ["yes", "no"]
    assert texts("numbers") == ["yes", "yes"]
    report.one("tr[data-rule=read-first] button").click()
    report.one(".rulebook .panel a").click()
    assert report.waits_for(lambda: bool(report.panel("gate/not-read")))
    report.driver.execute_script("arguments[0].click()", report.one(".rulebook .panel button"))
    assert report.listed() == ["gate/not-read"]

"""The HTML report in a real Chromium: clicks, keys, filter and permalinks."""

import json
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.compare.verdict import Difference
from readfirst.harness.report.results import Results
from readfirst.harness.run.runner import run as replayed
from readfirst.harness.suite.suite import Suite
from tests.verdicts import run, sources_of, verdict

from .browser import Shown, look, severe
from .conftest import FAILING, HOLDING, MakeSuite

pytestmark = pytest.mark.browser

HARD = f"""\
title: {json.dumps("</script><script>alert(1)</script> & more")}
about: {json.dumps("<b>bold</b> </script>")}
requirement: must
given: {{files: {{notes.txt: "<!-- </script> \\r\\n\\x00\\n"}}}}
steps:
  - Edit: {{file_path: "$WS/a & b.txt", old_string: "<!--<script>", new_string: "x"}}
    expect: {{error: file_not_found, text: File does not exist.}}
"""

EVIL = "</script><script>document.title='taken'</script>\x00\r\n\udc80<b>"


Show = Callable[..., Shown]


@pytest.fixture
def show(driver: Any, make_suite: MakeSuite, tmp_path: Path) -> Iterator[Show]:
    """Show a page of the reference on a small suite, and of a run in which a tool says evil things."""

    def shown(fragment: str = "") -> Shown:
        suite = make_suite({**HOLDING, **FAILING, "hard/script": HARD})
        verdicts = list(replayed(suite, "reference", ["2.1.7"]))
        place = Difference(0, 0, "effects", "refused", "refused: file_not_found", f"not refused: {EVIL}")
        evil = verdict("hard/script", "failed", place, fails="safe", blame="implementation")
        second = [*(each for each in verdicts if each.scenario_id in HOLDING), evil]
        runs = (run(*verdicts), run(*second, target="python:evil:Tools"))
        file = tmp_path / "report.html"
        file.write_text(sources_of(suite).write("html", Results(runs)), encoding="ascii")
        return Shown(driver, file).go(fragment)

    look(driver)
    yield shown
    look(driver)
    assert severe(driver) == []


def test_all_scenarios_are_listed_and_counted(show: Show) -> None:
    page = show()
    assert page.listed() == ["gate/not-read", "hard/script", "reading/lines", "wrong/effects", "wrong/text"]
    assert page.one("#count").text == "5 of 5 scenarios"
    row = page.driver.execute_script("return document.getElementById('wrong/text').innerText")
    assert "Read is expected to show a carriage return" in row
    assert row.split()[-4:] == ["text", "differs", "not", "run"]


def test_a_click_opens_the_steps_and_another_closes_them(show: Show) -> None:
    page = show()
    button = page.button("wrong/text")
    assert button.get_attribute("aria-expanded") == "false"
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert button.get_attribute("aria-controls") == "details-of-wrong/text"
    panel = page.panel("wrong/text")
    assert "Step 1 of 1: Read" in panel
    assert "$WS/notes.txt" in panel
    assert "1→alpha\\r" in panel
    assert page.script("location.hash") == "#wrong/text"
    button.click()
    assert page.panel("wrong/text") == ""
    assert page.script("location.hash") == ""


def test_a_difference_marks_the_characters_that_differ(show: Show) -> None:
    page = show("#wrong/text")
    assert [each.text for each in page.all(".difference del mark")] == ["\\r"]
    assert page.all(".difference ins mark") == []
    assert [each.text for each in page.all(".difference del .escape")] == ["\\r"]


def test_levels_stand_side_by_side(show: Show) -> None:
    page = show("#wrong/text")
    cells = page.all("tr[id='details-of-wrong/text'] .panel tbody tr:first-child td")
    assert [cell.text for cell in cells[:4]] == ["holds", "holds", "holds", "fails"]


def test_a_permalink_opens_its_scenario_and_puts_the_focus_there(show: Show) -> None:
    page = show("#reading/lines")
    assert page.panel("reading/lines") != ""
    assert page.waits_for(lambda: page.focused() == "reading/lines")
    page.script("void (location.hash = '#gate/not-read')")
    assert page.waits_for(lambda: page.focused() == "gate/not-read")
    assert page.panel("gate/not-read") != ""
    top = page.script("document.getElementById('gate/not-read').getBoundingClientRect().top")
    assert 0 <= top < 900


def test_an_unknown_or_broken_permalink_opens_nothing(show: Show) -> None:
    page = show()
    for fragment in ("#gate/gone", "#%E0%A4%A"):
        page.go(fragment)
        assert page.all("[aria-expanded=true]") == []
        assert len(page.listed()) == 5


def test_the_filter_finds_words_of_ids_and_titles(show: Show) -> None:
    page = show()
    words = page.one("#words")
    words.send_keys("EDIT wrong")
    assert page.listed() == ["wrong/effects"]
    assert page.one("#count").text == "1 of 5 scenarios"
    words.send_keys("\ue00c")  # Escape
    assert len(page.listed()) == 5
    words.send_keys("nothing has this")
    assert page.listed() == []
    page.one("button[type=reset]").click()
    assert page.waits_for(lambda: len(page.listed()) == 5)
    assert page.one("#count").text == "5 of 5 scenarios"


@pytest.mark.parametrize(
    ("result", "run", "listed"),
    [
        ("not-passed", "", ["hard/script", "wrong/effects", "wrong/text"]),
        ("not-passed", "0", ["wrong/effects", "wrong/text"]),
        ("effects", "0", ["wrong/effects"]),
        ("text", "1", ["hard/script"]),
        ("", "1", ["gate/not-read", "hard/script", "reading/lines"]),
        ("differs", "", ["hard/script", "wrong/effects", "wrong/text"]),
        ("broken", "", []),
    ],
)
def test_results_and_runs_can_be_chosen(show: Show, result: str, run: str, listed: list[str]) -> None:
    from selenium.webdriver.support.select import Select

    page = show()
    Select(page.one("#result")).select_by_value(result)
    Select(page.one("#run")).select_by_value(run)
    assert page.listed() == listed


def test_a_number_of_the_matrix_lists_its_scenarios(show: Show) -> None:
    page = show()
    cell = page.one("button[data-family=wrong][data-result=effects][data-run='0']")
    assert cell.text == "1/2"
    cell.click()
    assert page.listed() == ["wrong/effects"]
    assert page.focused() == "Scenarios"
    page.one("button[data-family=wrong]:not([data-result])").click()
    assert page.listed() == ["wrong/effects", "wrong/text"]


def test_the_matrix_can_show_one_level_of_many_runs(show: Show) -> None:
    from selenium.webdriver.support.select import Select

    page = show()
    row = "[...document.querySelectorAll('.matrix tbody tr:last-child td')].filter(each => each.offsetParent)"
    spans = "[...document.querySelectorAll('.matrix th[scope=colgroup]')].map(each => each.colSpan)"
    whole = page.script(f"{row}.map(each => each.innerText)")
    assert (len(whole), page.script(spans)) == (10, [5, 5])
    Select(page.one("#shown")).select_by_visible_text("reason")
    assert page.script(f"{row}.map(each => each.dataset.level)") == ["reason", "reason"]
    assert page.script(spans) == [1, 1]
    Select(page.one("#shown")).select_by_visible_text("side by side")
    assert page.script(f"{row}.map(each => each.innerText)") == whole
    assert page.script(spans) == [5, 5]


def test_everything_can_be_done_with_keys(show: Show) -> None:
    from selenium.webdriver import Keys

    page = show()
    page.press(Keys.TAB)
    assert page.focused() == "Skip to the scenarios"
    assert page.script("document.activeElement.getBoundingClientRect().left") >= 0
    page.press(Keys.ENTER)
    page.press(Keys.TAB)
    assert page.focused() == "words"
    page.press("gate")
    for _ in range(5):
        page.press(Keys.TAB)
    assert page.focused() == "gate/not-read"
    outline = page.script("getComputedStyle(document.activeElement, '::after').outlineStyle")
    assert outline == "solid"
    page.press(Keys.ENTER)
    assert "Step 1 of 1: Edit" in page.panel("gate/not-read")
    page.press(Keys.TAB)
    assert page.focused() == "#gate/not-read"
    page.press(Keys.ESCAPE)
    assert page.panel("gate/not-read") == ""
    assert page.focused() == "gate/not-read"


def test_arrows_move_between_the_scenarios_that_are_shown(show: Show) -> None:
    from selenium.webdriver import Keys

    page = show()
    page.one("#words").send_keys("wrong")
    page.driver.execute_script("document.getElementById('wrong/effects').querySelector('button').focus()")
    page.press(Keys.ARROW_DOWN)
    assert page.focused() == "wrong/text"
    page.press(Keys.ARROW_DOWN)
    assert page.focused() == "wrong/text"
    page.press(Keys.HOME)
    assert page.focused() == "wrong/effects"


def test_every_control_has_a_name_and_every_table_its_headings(show: Show) -> None:
    page = show("#wrong/text")
    tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    controls = [
        node
        for node in tree
        if node.get("role", {}).get("value") in ("button", "searchbox", "combobox", "link", "table", "region")
        and not node.get("ignored")
    ]
    assert len(controls) > 15
    unnamed = [
        node
        for node in controls
        if not node.get("name", {}).get("value") and node["role"]["value"] != "table"
    ]
    assert unnamed == []
    levels = page.script("[...document.querySelectorAll('h1,h2,h3,h4')].map(each => Number(each.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.script("[...document.querySelectorAll('th')].every(each => each.scope)")


def test_the_whole_suite_opens_quickly(driver: Any, tmp_path: Path) -> None:
    suite = Suite()
    judged = [verdict(each, "passed", calls=1) for each in suite.ids()]
    runs = tuple(run(*judged, target=f"python:n{number}:Tools") for number in range(4))
    file = tmp_path / "whole.html"
    file.write_text(sources_of(suite).write("html", Results(runs)), encoding="ascii")
    page = Shown(driver, file).go()
    assert page.one("#count").text == f"{len(judged)} of {len(judged)} scenarios"
    started = time.monotonic()
    page.driver.execute_script("document.getElementById('words').value = 'staleness/edit';")
    page.driver.execute_script("document.querySelector('.filter').dispatchEvent(new Event('input'))")
    assert 0 < len(page.listed()) < len(judged)
    # The bound is generous, because the machine may be busy: it takes a tenth of that.
    assert time.monotonic() - started < 5
    loaded = page.script("performance.timing.domComplete - performance.timing.responseEnd")
    assert loaded < 15_000

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.compare.verdict import Difference
from readfirst.harness.report.results import Results
from readfirst.harness.run.runner import run as replayed
from tests.verdicts import run, sources_of, verdict

from .browser import PHONE, WEAK_TEXT, BrowserPage, emulate, logged_errors, run_script
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


Show = Callable[..., BrowserPage]
"""A function that opens the report at a fragment of its address, such as `#gate/not-read`."""


@pytest.fixture
def show(driver: Any, make_suite: MakeSuite, tmp_path: Path) -> Iterator[Show]:
    """A function that opens a report about two runs: the reference, and a tool with hostile answers."""

    def open_report(fragment: str = "") -> BrowserPage:
        suite = make_suite({**HOLDING, **FAILING, "hard/script": HARD})
        verdicts = list(replayed(suite, "reference", ["2.1.7"]))
        place = Difference(0, 0, "effects", "refused", "refused: file_not_found", f"not refused: {EVIL}")
        evil = verdict("hard/script", "failed", place, fails="safe", blame="implementation")
        second = [*(each for each in verdicts if each.scenario_id in HOLDING), evil]
        runs = (run(*verdicts), run(*second, target="python:evil:Tools"))
        file = tmp_path / "report.html"
        file.write_text(sources_of(suite).write("html", Results(runs)), encoding="ascii")
        return BrowserPage(driver, file).go(fragment)

    emulate(driver)
    yield open_report
    emulate(driver)
    assert logged_errors(driver) == []


def test_a_permalink_opens_its_scenario_and_moves_the_focus_to_it(show: Show) -> None:
    page = show("#reading/lines")
    assert page.panel("reading/lines") != ""
    assert page.waits_for(lambda: page.read_focus() == "reading/lines")
    page.script("void (location.hash = '#gate/not-read')")
    assert page.waits_for(lambda: page.read_focus() == "gate/not-read")
    assert page.panel("gate/not-read") != ""
    top = page.script("document.getElementById('gate/not-read').getBoundingClientRect().top")
    assert 0 <= top < 900


def test_the_filter_of_the_report_finds_words_of_ids_and_titles(show: Show) -> None:
    page = show()
    words = page.one("#words")
    words.send_keys("EDIT wrong")
    assert page.list_scenarios() == ["wrong/effects"]
    assert page.one("#count").text == "1 of 5 scenarios"
    words.send_keys("\ue00c")  # Escape
    assert len(page.list_scenarios()) == 5
    words.send_keys("nothing has this")
    assert page.list_scenarios() == []
    page.one("button[type=reset]").click()
    assert page.waits_for(lambda: len(page.list_scenarios()) == 5)
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
        ("error", "", []),
    ],
)
def test_scenarios_are_filtered_by_result_and_run(
    show: Show, result: str, run: str, listed: list[str]
) -> None:
    from selenium.webdriver.support.select import Select

    page = show()
    Select(page.one("#result")).select_by_value(result)
    Select(page.one("#run")).select_by_value(run)
    assert page.list_scenarios() == listed


def test_clicking_a_number_in_the_report_lists_the_scenarios_that_it_counts(show: Show) -> None:
    page = show()
    cell = page.one("button[data-family=wrong][data-result=effects][data-run='0']")
    assert cell.text == "1/2"
    cell.click()
    assert page.list_scenarios() == ["wrong/effects"]
    assert page.read_focus() == "Scenarios"
    page.one("button[data-family=wrong]:not([data-result])").click()
    assert page.list_scenarios() == ["wrong/effects", "wrong/text"]


def test_every_control_of_the_report_can_be_operated_with_the_keyboard(show: Show) -> None:
    from selenium.webdriver import Keys

    page = show()
    page.press(Keys.TAB)
    assert page.read_focus() == "Skip to the scenarios"
    assert page.script("document.activeElement.getBoundingClientRect().left") >= 0
    page.press(Keys.ENTER)
    page.press(Keys.TAB)
    assert page.read_focus() == "words"
    page.press("gate")
    for _ in range(5):
        page.press(Keys.TAB)
    assert page.read_focus() == "gate/not-read"
    outline = page.script("getComputedStyle(document.activeElement, '::after').outlineStyle")
    assert outline == "solid"
    page.press(Keys.ENTER)
    assert "Step 1 of 1: Edit" in page.panel("gate/not-read")
    page.press(Keys.TAB)
    assert page.read_focus() == "#gate/not-read"
    page.press(Keys.ESCAPE)
    assert page.panel("gate/not-read") == ""
    assert page.read_focus() == "gate/not-read"


def test_every_control_of_the_report_has_an_accessible_name_and_every_table_has_headings(show: Show) -> None:
    page = show("#wrong/text")
    roles = ("button", "searchbox", "combobox", "link", "table", "region")
    controls = [node for node in page.tree() if node.get("role", {}).get("value") in roles]
    assert len(controls) > 15
    unnamed = [node for node in controls if not node.get("name", {}).get("value")]
    assert [node for node in unnamed if node["role"]["value"] != "table"] == []
    levels = page.script("[...document.querySelectorAll('h1,h2,h3,h4')].map(each => Number(each.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.script("[...document.querySelectorAll('th')].every(each => each.scope)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, 820, 1440])
def test_all_results_are_visible_and_have_enough_contrast(show: Show, width: int, scheme: str) -> None:
    page = show()
    emulate(page.driver, width=width, prefers_color_scheme=scheme)
    page.go("#wrong/text")
    cells = "[...document.querySelectorAll('.runs td, .matrix td, .list td')].filter(shown)"
    off = f"return {cells}.filter((each) => rect(each).left < 0 || rect(each).right > innerWidth).length"
    assert run_script(page, f"return {cells}.length") > 10
    assert run_script(page, off) == 0
    assert page.script("document.documentElement.scrollWidth <= innerWidth")
    assert run_script(page, WEAK_TEXT) == []


def test_a_printed_report_has_dark_text_on_white_and_no_controls(show: Show) -> None:
    page = show()
    emulate(page.driver, prefers_color_scheme="dark", media="print")
    page.go("#wrong/text")
    colours = "const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]"
    ink, paper = run_script(page, f"{colours}.map(luminance)")
    assert ink < 0.1
    assert paper == 1
    assert run_script(page, WEAK_TEXT) == []
    controls = "[...document.querySelectorAll('form, .close, .skip, #shown')]"
    assert not run_script(page, f"return {controls}.some(shown)")

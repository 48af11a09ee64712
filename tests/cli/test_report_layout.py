"""How the HTML report looks in a real Chromium: on a phone and on a desk, in light and dark, printed, and with keys."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.verdict import Difference, Level, Status, Verdict
from readfirst.harness.report import Commands
from readfirst.harness.report.results import Judged, Results, Run, Sources
from readfirst.harness.suite.suite import Suite

from .browser import PHONE, WEAK_TEXT, Shown, look, seen, severe

pytestmark = pytest.mark.browser

SHOWN = "staleness/edit-after-change"
DESK = 1440
WIDTHS = (PHONE, 820, DESK)
BROKEN = f"links-and-modes-00/a-scenario-with-a-rather-long-name-{'b' * 40}"
MANY = 80
"""Scenarios of the family `many`, of which runs fail none, six and all."""
HELD: dict[Level, tuple[Level, ...]] = {
    "effects": (),
    "reason": ("effects",),
    "text": ("effects", "reason"),
    "verbatim": ("effects", "reason", "text"),
}
"""The levels that hold where one is the first that fails."""


def verdict(scenario_id: str, run: Run, fails: Level | None, *found: Difference, reason: str = "") -> Judged:
    holds = HELD[fails] if fails else ("effects", "reason", "text")
    upto = ("effects", "reason", "text").index(run.level)
    passed = all(level in holds for level in ("effects", "reason", "text")[: upto + 1])
    status: Status = "passed" if passed else "failed"
    made = Verdict(scenario_id, run.contract, run.level, status, dict.fromkeys(holds, True), found)
    return made, BaselineResult(passed or bool(reason), accepted="" if passed else reason)


def other(scenario_id: str, run: Run, status: Status, reason: str) -> Judged:
    made = Verdict(scenario_id, run.contract, run.level, status, {}, reason=reason)
    return made, BaselineResult(status != "broken")


def five_runs() -> Results:
    """Return runs of which each does something else: passes, accepts, fails all, breaks, differs in words only."""
    refused = Difference(2, 0, "effects", "refused", "refused: modified_since_read", "not refused: Edited it")
    words = Difference(0, 0, "text", "text", "     1→alpha\n     2→beta", "     1\talpha\n     2\tbeta")
    runs = (
        Run("reference", "2.1.7", "text", "1.0", ()),
        Run("target:agno-gated@3.1.10", "2.1.7", "reason", "1.0", ()),
        Run("target:langchain-anthropic@0.7.32", "2.1.7", "reason", "1.0", ()),
        Run("python:wrong_state:NoReadCheckAtAll", "2.1.7", "text", "1.0", ()),
        Run("python:wrong_state:NoReadCheckAtAll", "2.1.328", "text", "1.0", ()),
    )
    fails: tuple[Level | None, ...] = (None, "effects", "effects", "effects", "text")
    judged: list[list[Judged]] = [[] for _ in runs]
    for at, run in enumerate(runs):
        accepted = "It asks whether a file was read, and not whether it has changed." if at in (1, 2) else ""
        found = ((), (refused, words), (refused,), (refused,), (words,))[at]
        judged[at].append(verdict(SHOWN, run, fails[at], *found, reason=accepted))
        for number in range(MANY):
            fail = at == 2 or (at == 1 and number < 6)
            first: Level | None = "effects" if fail else "text" if at in (1, 4) else None
            judged[at].append(verdict(f"many/scenario-{number:02}", run, first))
        for number in range(30):
            level: Level | None = "reason" if at == 3 and number < 5 else None
            judged[at].append(verdict(f"links-and-modes-{number:02}/a", run, level))
        if at == 3:
            judged[at].append(other(BROKEN, run, "broken", "the server ended: " + "x" * 200))
        elif at == 4:
            judged[at].append(other(BROKEN, run, "unspecified", ""))
        else:
            judged[at].append(other(BROKEN, run, "unsupported", "it cannot let something happen meanwhile"))
    return Results(
        tuple(
            Run(run.target, run.contract, run.level, run.version, tuple(each))
            for run, each in zip(runs, judged, strict=True)
        )
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of five runs, of one, and of twenty."""
    suite, results = Suite(), five_runs()
    known = frozenset(suite.ids())
    sources = Sources(
        lambda scenario_id: suite.scenario(scenario_id) if scenario_id in known else None,
        suite.contracts,
        suite.with_expectations_of,
        lambda run: Commands(
            f"readfirst run {run.target} --contract {run.contract} --level {run.level}", "readfirst show"
        ),
        "1.0",
    )
    pages = {
        "five": results,
        "one": Results(results.runs[1:2]),
        "twenty": Results(tuple(run for run in results.runs[:2] for _ in range(10))),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, made in pages.items():
        (folder / f"{name}.html").write_text(sources.write("html", made), encoding="ascii")
    return {name: folder / f"{name}.html" for name in pages}


@pytest.fixture
def page(driver: Any, files: dict[str, Path]) -> Iterator[Shown]:
    """The page of five runs; `page.go` opens it."""
    look(driver)
    yield Shown(driver, files["five"])
    look(driver)
    assert severe(driver) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_all_results_of_five_runs_are_on_the_screen(page: Shown, width: int) -> None:
    look(page.driver, width=width)
    page.go(f"#{SHOWN}")
    off = seen(
        page,
        "return [...document.querySelectorAll('.runs td, .matrix td, .list td')].filter(shown)"
        ".filter((each) => rect(each).left < 0 || rect(each).right > innerWidth).map((each) => each.textContent)",
    )
    assert off == []
    runs = seen(
        page, "return [...document.querySelectorAll('.matrix tbody tr:first-child td')].filter(shown).length"
    )
    assert runs >= 5
    words = page.driver.execute_script("return document.getElementById(arguments[0]).innerText", SHOWN)
    assert re.findall(r"passed|not safe|effects differ", words) == ["passed", *["not safe"] * 5]
    assert page.script("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [*WIDTHS, 1180])
def test_no_result_is_cut_or_covers_another(page: Shown, width: int) -> None:
    look(page.driver, width=width)
    page.go(f"#{SHOWN}")
    cut = seen(
        page,
        """
        const found = [];
        for (const row of document.querySelectorAll(".list > tbody > tr[id*='/']:not([hidden])")) {
          const chips = [...row.querySelectorAll(".chip")].map((each) => [each, rect(each)]);
          chips.forEach(([chip, box], at) => {
            if (chip.scrollWidth > chip.clientWidth + 1) found.push(["cut", chip.textContent]);
            for (const [, other] of chips.slice(at + 1)) {
              if (box.right > other.left && other.right > box.left && box.bottom > other.top && other.bottom > box.top)
                found.push(["covered", row.id]);
            }
          });
        }
        for (const cell of document.querySelectorAll("#list:not(.stacked) > thead th, .matrix th")) {
          if (cell.scrollWidth > cell.clientWidth + 1) found.push(["cut", cell.textContent]);
        }
        return found.slice(0, 5);
        """,
    )
    assert cut == []


def test_other_words_have_no_colour_in_a_run_that_was_not_asked_for_them(
    page: Shown, files: dict[str, Path]
) -> None:
    colours = (
        "return [...document.querySelectorAll('.difference')].map((each) => [each.querySelector('h5').textContent,"
        " ...[...each.querySelectorAll('pre .expected, pre .got')].map((line) => rgba(getComputedStyle(line)"
        ".backgroundColor)[3])])"
    )
    page.go(f"#{SHOWN}")
    asked = [each for each in seen(page, colours) if " text " in each[0]]
    assert asked  # by the fifth run
    assert all(set(opaque) == {255} for _, *opaque in asked)
    alone = Shown(page.driver, files["one"]).go(f"#{SHOWN}")  # at the level `reason`
    (words, refused) = seen(alone, colours)
    assert refused[0].startswith("refused")
    assert set(refused[1:]) == {255}
    assert words[0].startswith("text")
    assert set(words[1:]) == {0}


SPLIT_WORDS = """
const found = [], range = document.createRange();
const inside = "th, .name, .chip, .note, dt, .key, h3, h4, h5, button, label, .facts-of-run";
const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!element.closest(inside) || element.closest("script, option") || !shown(element)) continue;
  for (const word of node.data.matchAll(/[A-Z]?[a-z0-9]+|[A-Z0-9]+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const tops = new Set([...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top)));
    if (tops.size > 1) found.push([word[0], element.tagName, element.className]);
  }
}
return found;
"""


@pytest.mark.parametrize("name", ["five", "one", "twenty"])
@pytest.mark.parametrize("width", [PHONE, 700, 820, 1024, 1280, DESK])
def test_labels_break_between_words_only(page: Shown, files: dict[str, Path], width: int, name: str) -> None:
    look(page.driver, width=width)
    page.file = files[name]
    page.go(f"#{SHOWN}")
    assert seen(page, SPLIT_WORDS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_all_text_has_the_contrast_that_wcag_asks_for(page: Shown, width: int, scheme: str) -> None:
    look(page.driver, width=width, prefers_color_scheme=scheme)
    page.go(f"#{SHOWN}")
    page.driver.execute_script("arguments[0].click()", page.button(BROKEN))
    assert seen(page, WEAK_TEXT) == []
    edges = seen(
        page,
        "return [...document.querySelectorAll('.filter input, .filter select, .filter button, .close')]"
        ".map((each) => ratio(getComputedStyle(each).borderTopColor, back(each.parentElement)))",
    )
    assert len(edges) >= 6
    assert min(edges) >= 3


def test_a_printed_page_is_dark_on_white_and_whole(page: Shown) -> None:
    look(page.driver, width=DESK, prefers_color_scheme="dark", media="print")
    page.go(f"#{SHOWN}")
    ink, paper = seen(
        page,
        "const style = getComputedStyle(document.body); return [style.color, style.backgroundColor].map(luminance)",
    )
    assert ink < 0.1
    assert paper == 1
    assert seen(page, WEAK_TEXT) == []
    assert not seen(page, "return [...document.querySelectorAll('form, .close, .skip, #shown')].some(shown)")
    stuck = seen(
        page,
        "return [...document.querySelectorAll('thead, th')].map((each) => getComputedStyle(each).position)",
    )
    assert "sticky" not in stuck
    hidden = seen(
        page,
        "return [...document.querySelectorAll('.card')].map((each) => getComputedStyle(each).overflowX)",
    )
    assert set(hidden) == {"visible"}
    look(page.driver, prefers_color_scheme="dark")
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF-")

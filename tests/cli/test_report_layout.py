"""How the HTML report looks in a real Chromium: on a phone and on a desk, in light and dark, printed, and with keys."""

import base64
import io
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Difference, Level, Status, Verdict
from readfirst.harness.report import Commands, RunFacts
from readfirst.harness.report.results import Judged, Results, Run, Sources
from readfirst.harness.report.table import TableReport
from readfirst.harness.suite.suite import Suite

from .browser import HEIGHT, PHONE, WEAK_TEXT, Shown, look, seen, severe

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
def test_the_command_that_repeats_a_run_can_be_read(page: Shown, width: int) -> None:
    look(page.driver, width=width)
    page.go(f"#{SHOWN}")
    boxes = seen(
        page,
        "return [...document.querySelectorAll('.panel code')]"
        ".filter((each) => each.textContent.startsWith('readfirst run ')).map(rect)",
    )
    assert len(boxes) == 5
    assert all(box["width"] >= 250 for box in boxes)
    assert all(box["height"] <= 110 for box in boxes)
    rows = seen(page, "return [...document.querySelectorAll('.panel tbody tr')].map(rect)")
    assert [row["height"] for row in rows if row["height"] > 250] == []
    assert "readfirst run python:wrong_state:NoReadCheckAtAll --contract 2.1.328" in page.panel(SHOWN)


def test_a_command_breaks_between_its_words_and_is_selected_as_a_whole(page: Shown) -> None:
    look(page.driver, width=PHONE)
    page.go(f"#{SHOWN}")
    split = seen(
        page,
        "return [...document.querySelectorAll('.command span')]"
        ".filter((each) => rect(each).height > 25).map((each) => each.textContent)",
    )
    assert split == []
    page.all(".command")[1].click()
    chosen = page.script("getSelection().toString().trim()")
    assert chosen == f"readfirst run target:agno-gated@3.1.10 --contract 2.1.7 --level reason {SHOWN}"


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_more_scenarios_fail_the_stronger_the_colour(page: Shown, scheme: str) -> None:
    look(page.driver, width=DESK, prefers_color_scheme=scheme)
    page.go()
    colors = seen(
        page,
        """
        const cell = (run, level) => document.querySelector(
          `.matrix button[data-family=many][data-run="${run}"][data-result=${level}]`).closest("td");
        const card = getComputedStyle(document.querySelector(".card, .scroll")).backgroundColor;
        const of = (run, level) => [cell(run, level).textContent, ratio(back(cell(run, level)), card),
          rgba(back(cell(run, level)))];
        return [of(1, "effects"), of(2, "effects"), of(4, "text"), of(2, "text"), of(2, "reason")];
        """,
    )
    few, all_of_them, words, not_asked, reason = colors
    assert [each[0] for each in colors] == ["74/80", "0/80", "0/80", "0/80", "0/80"]
    assert few[1] < 1.25
    assert all_of_them[1] > 3 * few[1]
    # Words alone are no danger to files, and look otherwise; what a run was not asked for has no colour.
    assert words[2] != all_of_them[2]
    assert words[2] == reason[2]
    assert not_asked[1] == 1


def test_the_steps_of_the_colours_differ_from_each_other(page: Shown) -> None:
    for scheme in ("light", "dark"):
        look(page.driver, prefers_color_scheme=scheme)
        page.go()
        for kind in ("harm", "wording"):
            steps = seen(
                page,
                "const card = getComputedStyle(document.querySelector('.card')).backgroundColor;"
                "return [1, 2, 3, 4, 5].map((step) => ratio(card, getComputedStyle("
                "document.querySelector(`.swatches .${arguments[0]}-${step}`)).backgroundColor))",
                kind,
            )
            assert steps == sorted(steps)
            assert all(later / earlier > 1.1 for earlier, later in pairwise(steps)), steps


def on_a_terminal(suite: Suite) -> dict[str, str]:
    """Return the colours in which the table report writes what is expected and what came: `32` is green."""
    from rich.console import Console

    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system="standard", width=200)
    facts = RunFacts(
        "reference",
        "reference",
        ("2.1.7",),
        "text",
        1,
        lambda _: Commands("readfirst run", "readfirst show"),
        suite.scenario,
    )
    place = Difference(0, 0, "effects", "refused", "wanted", "came")
    failed = Verdict(SHOWN, "2.1.7", "text", "failed", {}, (place,))
    report = TableReport(console, facts)
    report.verdict(failed, BaselineResult(False))
    report.finish(Summary())
    output = stream.getvalue()
    return {word: re.search(rf"\x1b\[(\d+)m[^\x1b]*{word}", output)[1] for word in ("wanted", "came")}  # type: ignore[index]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_expected_and_got_have_the_colours_of_the_terminal(page: Shown, scheme: str) -> None:
    terminal = on_a_terminal(Suite())
    look(page.driver, prefers_color_scheme=scheme)
    page.go(f"#{SHOWN}")
    for sign, word in (("-", "wanted"), ("+", "came")):
        red, green = seen(
            page,
            "const line = [...document.querySelectorAll('.difference .line')]"
            ".find((each) => each.textContent.startsWith(arguments[0]));"
            "return rgba(getComputedStyle(line).backgroundColor)",
            sign,
        )[:2]
        assert terminal[word] == ("32" if green > red else "31")
    assert terminal == {"wanted": "32", "came": "31"}


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


def test_a_source_on_the_web_is_a_link_and_any_other_is_text(page: Shown) -> None:
    page.go(f"#{SHOWN}")
    links = [each for each in page.all(".facts a") if (each.get_attribute("href") or "").startswith("http")]
    assert [each.get_attribute("href") for each in links] == [
        "https://github.com/anthropics/claude-code/issues/7443"
    ]
    assert links[0].text == "https://github.com/anthropics/claude-code/issues/7443"
    assert "noreferrer" in links[0].get_attribute("rel")
    facts = page.one(".facts").text
    assert "2.1.7-read-before-edit.txt, Edit Tool Pre-Validation" in facts


@pytest.mark.parametrize("name", ["five", "twenty"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_headings_stay_in_sight(page: Shown, files: dict[str, Path], width: int, name: str) -> None:
    look(page.driver, width=width)
    page.file = files[name]
    page.go()
    page.driver.execute_script(
        "document.getElementById('many/scenario-40').scrollIntoView({block: 'center'})"
    )
    top, bottom, text = page.driver.execute_script(
        "const head = document.querySelector('#list').tHead; const box = head.getBoundingClientRect();"
        "return [box.top, box.bottom, head.innerText]"
    )
    assert 0 <= top < 1
    assert 20 < bottom < HEIGHT / 4
    assert "agno-gated" in re.sub(r"\s", "", text)
    covering = page.driver.execute_script(
        "return document.elementFromPoint(60, arguments[0]).closest('thead') !== null", (top + bottom) / 2
    )
    assert covering
    # The matrix: inside the window, or inside the box in which it scrolls.
    page.driver.execute_script(
        "[...document.querySelectorAll('.matrix tbody tr')].at(-1).scrollIntoView({block: 'end'})"
    )
    head, box = page.driver.execute_script(
        "const matrix = document.querySelector('.matrix');"
        "return [matrix.tHead, matrix.parentElement].map((each) => each.getBoundingClientRect().top)"
    )
    assert head >= 0
    assert head - max(box, 0) < 2


def test_the_families_stay_in_sight_while_the_matrix_scrolls(page: Shown, files: dict[str, Path]) -> None:
    look(page.driver, width=PHONE)
    page.file = files["twenty"]
    page.go()
    lefts = page.driver.execute_script(
        "const box = document.querySelector('.matrix').parentElement; box.scrollLeft = 300;"
        "const row = document.querySelector('.matrix tbody tr');"
        "return [box, row.cells[0], row.cells[1]].map((each) => each.getBoundingClientRect().left)"
    )
    assert lefts[1] - lefts[0] < 3
    assert lefts[2] < 0


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


RING = """
const button = document.activeElement, cell = button.closest("th, td");
const outline = (element, pseudo) => { const style = getComputedStyle(element, pseudo);
  return style.outlineStyle === "none" ? null : [parseFloat(style.outlineOffset), parseFloat(style.outlineWidth)]; };
const own = outline(button), layer = outline(button, "::after");
const box = layer && getComputedStyle(button, "::after").position === "absolute" ? rect(cell) : rect(button);
const [offset, width] = layer || own;
const near = { left: box.left - offset, right: box.right + offset, top: box.top - offset, bottom: box.bottom + offset };
const far = { left: near.left - width, right: near.right + width, top: near.top - width, bottom: near.bottom + width };
const cut = [], range = document.createRange();
const walker = document.createTreeWalker(cell.closest("tr"), NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  range.selectNodeContents(walker.currentNode);
  for (const text of range.getClientRects()) {
    const inside = text.left >= near.left && text.right <= near.right
      && text.top >= near.top && text.bottom <= near.bottom;
    const outside = text.left >= far.right || text.right <= far.left
      || text.top >= far.bottom || text.bottom <= far.top;
    if (!inside && !outside) cut.push(walker.currentNode.data);
  }
}
return [width, cut];
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_the_ring_of_the_focus_cuts_no_text(page: Shown, width: int) -> None:
    from selenium.webdriver import Keys

    look(page.driver, width=width)
    page.go()
    for scenario_id in (SHOWN, "many/scenario-03"):
        page.driver.execute_script("arguments[0].focus()", page.button(scenario_id))
        page.press(Keys.ARROW_UP, Keys.ARROW_DOWN)  # so that the browser shows the ring
        assert page.focused() == scenario_id
        thick, cut = seen(page, RING)
        assert thick >= 2
        assert cut == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_ring_of_the_focus_stands_out_on_every_cell(page: Shown, scheme: str) -> None:
    look(page.driver, width=DESK, prefers_color_scheme=scheme)
    page.go()
    weakest = seen(
        page,
        """
        const ring = getComputedStyle(document.documentElement).getPropertyValue("--accent");
        const inner = getComputedStyle(document.documentElement).getPropertyValue("--card");
        // The ring has a line of the card's colour on its inner side: one of the two stands out.
        return Math.min(...[...document.querySelectorAll(".matrix td, .list th, .list tr.open th")]
          .map((cell) => Math.max(ratio(ring, back(cell)), ratio(inner, ring))));
        """,
    )
    assert weakest >= 3


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


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_nothing_moves_by_itself(page: Shown, wish: str) -> None:
    look(page.driver, prefers_reduced_motion=wish)
    page.go()
    page.driver.execute_script(
        "document.querySelector(\"button[data-family=many][data-run='2'][data-result=effects]\").click()"
    )
    page.button(SHOWN)
    page.driver.execute_script("document.querySelectorAll('.list button')[3].click()")
    moving = seen(
        page,
        "return [document.getAnimations().length, ...[...document.querySelectorAll('*')].map((each) => {"
        "const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(each);"
        "return Number(transitionDuration !== '0s' || animationName !== 'none' || scrollBehavior !== 'auto')"
        "})].reduce((sum, each) => sum + each)",
    )
    assert moving == 0


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


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_screen_reader_gets_tables_with_headings_at_every_width(page: Shown, width: int) -> None:
    look(page.driver, width=width)
    page.go(f"#{SHOWN}")
    tree = page.tree()
    roles = [node.get("role", {}).get("value") for node in tree]
    names = {node.get("name", {}).get("value") for node in tree if node["role"]["value"] == "table"}
    assert names >= {"Runs", "Families", "Scenarios", "Results"}
    assert roles.count("row") > 150
    assert roles.count("cell") + roles.count("gridcell") > 500
    headings = {n.get("name", {}).get("value") for n in tree if n["role"]["value"] == "columnheader"}
    assert {"contract", "result", "effects", "reason", "text", "remark", "scenario"} <= headings
    assert any("agno-gated@3.1.10" in (each or "").replace(" ", "") for each in headings)
    rows = {n.get("name", {}).get("value") for n in tree if n["role"]["value"] == "rowheader"}
    assert any("reference" in (each or "") for each in rows)
    scopes = page.script("[...document.querySelectorAll('th')].map((each) => each.scope)")
    assert all(scopes)
    # What is a table in the markup stays one where it is shown as cards.
    stacked = page.script(
        "[...document.querySelectorAll('.stacked')]"
        ".flatMap((table) => [table, ...table.querySelectorAll(':scope > * > tr, :scope > * > tr > *')])"
        ".filter((each) => !each.getAttribute('role')).length"
    )
    assert stacked == 0
    assert page.script("document.querySelectorAll('.stacked').length") == (3 if width == PHONE else 0)


def test_only_a_box_that_scrolls_is_a_stop_for_keys(page: Shown, files: dict[str, Path]) -> None:
    look(page.driver, width=DESK)
    page.go()
    assert page.all("[tabindex='0']") == []
    page.file = files["twenty"]
    look(page.driver, width=PHONE)
    page.go()
    (box,) = page.all("[tabindex='0']")
    assert box.get_attribute("role") == "region"
    assert box.get_attribute("aria-labelledby") == "families"


def test_on_a_phone_everything_can_be_hit_with_a_finger(page: Shown) -> None:
    look(page.driver, width=PHONE)
    page.go(f"#{SHOWN}")
    small = seen(
        page,
        """
        const layered = (each) => getComputedStyle(each, "::after").position === "absolute";
        const target = (each) => (layered(each) ? each.closest("th, td") : each);
        return [...document.querySelectorAll("button, select, input, summary")].filter(shown)
          .map((each) => [each, rect(target(each))])
          .filter(([, box]) => box.width < 24 || box.height < 24).map(([each]) => each.textContent);
        """,
    )
    assert small == []


def test_what_is_the_same_for_several_runs_is_there_once(page: Shown) -> None:
    page.go(f"#{SHOWN}")
    heads = [re.sub(r"\s+", " ", each.text) for each in page.all(".difference h5")]
    assert heads == [
        "B E text - expected + got",
        "B C D refused (effects) - expected + got",
    ]
    fine = [re.sub(r"\s+", " ", each.text) for each in page.all(".steps li > .quiet")]
    assert fine == ["As expected: A C D", "As expected: A E"]


def test_letters_stand_for_runs_only_where_there_are_several(page: Shown, files: dict[str, Path]) -> None:
    page.go()
    assert [each.text for each in page.all(".runs .key")] == list("ABCDE")
    page.file = files["one"]
    page.go(f"#{SHOWN}")
    assert page.all(".key") == []
    assert page.one("#list > thead").text.split() == ["scenario", "agno-gated@3.1.10"]


def test_a_scenario_can_be_closed_at_its_end(page: Shown) -> None:
    look(page.driver, width=PHONE)
    page.go(f"#{SHOWN}")
    page.one(".close").click()
    assert page.panel(SHOWN) == ""
    assert page.focused() == SHOWN
    top = page.script("document.activeElement.getBoundingClientRect().top")
    assert 0 <= top < HEIGHT


def test_a_scenario_that_gets_the_focus_is_not_below_the_headings(page: Shown) -> None:
    from selenium.webdriver import Keys

    for width in (PHONE, DESK):
        look(page.driver, width=width)
        page.go("#many/scenario-40")
        assert page.waits_for(lambda: page.focused() == "many/scenario-40")
        for _ in range(15):
            page.press(Keys.ARROW_UP)
        assert page.focused() == "many/scenario-25"
        top, below = page.script(
            "[document.activeElement.getBoundingClientRect().top,"
            " document.querySelector('#list').tHead.getBoundingClientRect().bottom]"
        )
        assert top >= below


def test_a_matrix_without_room_shows_one_level_of_all_runs(page: Shown) -> None:
    """Five levels of five runs have no room on a desk either; two runs are side by side (test_report_in_browser)."""
    levels = (
        "[...document.querySelectorAll('.matrix tbody tr:first-child td')]"
        ".filter((each) => each.offsetParent).map((each) => each.dataset.level)"
    )
    for width in (PHONE, DESK):
        look(page.driver, width=width)
        page.go()
        assert page.script(levels) == ["safe"] * 5
        assert page.one("#shown").get_attribute("value") == "safe"

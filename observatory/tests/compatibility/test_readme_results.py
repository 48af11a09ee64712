"""The runs and figures that README.md and docs/running.md show."""

import json
import re
from pathlib import Path

import pytest

from readfirst.observatory.tools.examples import (
    ERRORS,
    PAGES,
    README,
    ROOT,
    OutdatedPageError,
    WrongExampleError,
    errors,
    run_readfirst,
    with_results,
    with_run,
)

PAGE = README.read_text("utf-8")
OUTPUT = PAGE.partition("&& readfirst run\n")[2].partition("```")[0]


def page_with_results(page: str) -> str:
    data = json.loads((ROOT / "docs/compatibility.json").read_bytes())
    date = json.loads((ROOT / "docs/implementations.json").read_bytes())["date"]
    return with_results(page, data["implementations"], data["versions"], date)


def test_the_results_of_the_first_page_are_those_of_the_data() -> None:
    """If this fails, run `readfirst renew`."""
    assert page_with_results(PAGE) == PAGE


def test_a_wrong_figure_and_a_missing_extreme_are_replaced() -> None:
    first, second, third, *rest = PAGE.partition("```text results\n")[2].partition("```")[0].splitlines()
    wrong = "\n".join([first, third.replace("%", "0%"), *rest, ""])
    page = PAGE.replace("\n".join([first, second, third, *rest, ""]), wrong)
    assert page != PAGE
    assert page_with_results(page) == PAGE


def test_the_sentences_below_the_run_have_its_figures() -> None:
    rules = int(re.findall(r"of the (\d+) rules apply", PAGE)[0])
    assert with_run(PAGE, OUTPUT, rules) == PAGE
    page = with_run(PAGE, OUTPUT.replace(", 33 unsupported", ", 34 unsupported"), rules + 1)
    assert f"of the {rules + 1} rules apply" in page
    assert "- `unsupported`: 34 scenarios cannot run on this machine" in page


def test_a_page_without_the_sentence_is_reported() -> None:
    with pytest.raises(OutdatedPageError, match=r"nothing matches .*unsupported"):
        with_run(PAGE.replace("- `unsupported`: ", "- skipped: "), OUTPUT, 1)
    with pytest.raises(OutdatedPageError, match="text results"):
        page_with_results("")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_runs_of_a_page_are_what_a_run_prints(page: Path) -> None:
    """If this fails, run `readfirst renew`."""
    assert PAGES[page]() == page.read_text("utf-8")


def test_a_run_that_fails_is_not_shown() -> None:
    with pytest.raises(WrongExampleError, match=r"ended with exit code 2, not 0"):
        run_readfirst("run", "--level", "none", expected_code=0)


def test_the_page_of_error_names_lists_the_names_of_errors_yaml() -> None:
    assert ERRORS.read_text("utf-8") == errors(), "run `readfirst renew`"

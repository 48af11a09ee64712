"""What an implementation that does nothing gets right is little, known, and told in docs/adapters.md."""

import re

import do_nothing
import pytest

from harness.verdict import Verdict

Judged = dict[str, list[Verdict]]


@pytest.fixture(scope="module")
def judged() -> Judged:
    return {name: list(do_nothing.verdicts(answer)) for name, answer in do_nothing.IMPLEMENTATIONS.items()}


def test_the_page_tells_what_they_score(judged: Judged) -> None:
    """A new scenario may move a number by one; then run do_nothing.py."""
    page = do_nothing.PAGE.read_text("utf-8")
    for name, verdicts in judged.items():
        row = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", page, re.M)
        assert row is not None
        told = [int(number) for number in re.findall(r"(\d+) %", row[1])]
        assert told == pytest.approx(do_nothing.scores(verdicts), abs=1)


def test_every_scenario_fails_for_one_of_them_whatever_the_level(judged: Judged) -> None:
    holding = [
        {each.scenario_id for each in verdicts if each.levels["effects"]} for verdicts in judged.values()
    ]
    assert all(holding)
    assert set.intersection(*holding) == set()


def test_no_answer_without_a_word_is_right_but_that_of_what_is_empty(judged: Judged) -> None:
    passed = {
        each.scenario_id for verdicts in judged.values() for each in verdicts if each.status == "passed"
    }
    assert passed == {"notebooks/read-empty-notebook"}


def test_both_are_judged_by_the_whole_contract(judged: Judged) -> None:
    refused, succeeded = judged.values()
    assert len(refused) == len(succeeded) > 1000
    assert {each.status for each in (*refused, *succeeded)} == {"passed", "failed"}

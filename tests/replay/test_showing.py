"""The comparison of shown lines, and of harm that the contract's version does not do."""

from dataclasses import replace

import pytest

from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.own_outcome import own_harms, own_outcome
from readfirst.harness.compare.showing import cell_sources, lines_of_contract, shown_cells
from readfirst.harness.compare.verdict import Difference
from readfirst.harness.harm.judge import judge
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.scenario import Scenario
from tests.judging import CONTRACT, SUITE
from tests.rows import rows

DOCUMENTED = SUITE.contracts["documented"]


def with_answers(scenario: Scenario, outcome: Outcome, **texts: str) -> Outcome:
    """Return the outcome with different texts of the results `step0`, `step1` and so on."""
    steps = [
        replace(step, results=(replace(step.results[0], text=texts[f"step{index}"]),))
        if f"step{index}" in texts
        else step
        for index, step in enumerate(outcome.steps)
    ]
    return replace(outcome, steps=tuple(steps))


def differences(scenario_id: str, *levels: str, **texts: str) -> list[Difference]:
    """Return the differences if some answers of the contract had different texts."""
    scenario = SUITE.with_full_contents(SUITE.scenario(scenario_id))
    outcome = with_answers(scenario, own_outcome(scenario, CONTRACT), **texts)
    verdict = compare(scenario, outcome, CONTRACT, "text", SUITE.vocabulary, None, judge(scenario, outcome))
    return [each for each in verdict.differences if each.level in levels]


@rows(
    ("text", "got"),
    [
        ("alpha\nbeta", None),
        ("1: alpha\n2: beta", None),
        ("alpha", "line 1"),
        ("2: beta", "line 2"),
        ("Read.", "none of them"),
    ],
)
def test_an_answer_must_show_the_lines_that_the_contract_shows(text: str, got: str | None) -> None:
    found = [
        (each.step, each.what, each.expected, each.got)
        for each in differences("gate/write-after-read", "effects", step0=text)
    ]
    assert found == ([] if got is None else [(0, "shown notes.txt", "lines 1–2", got)])


def test_harm_that_the_contract_does_too_is_not_a_difference() -> None:
    scenario = SUITE.scenario("links-and-modes/edit-of-hard-link")
    outcome = own_outcome(scenario, CONTRACT)
    (harm,) = judge(scenario, outcome).harms
    own = (harm.step, harm.call, harm.kind, harm.path)
    assert own in own_harms(scenario, CONTRACT, outcome)
    last = len(scenario.steps) - 1
    assert differences(scenario.id, "safe", "effects", **{f"step{last}": "Done."}) == []


def test_if_harm_was_not_judged_the_level_safe_fails_whenever_effects_fails() -> None:
    scenario = SUITE.scenario("gate/write-after-read")
    outcome = with_answers(scenario, own_outcome(scenario, CONTRACT), step0="Read.")
    levels = compare(scenario, outcome, CONTRACT, "text", SUITE.vocabulary).levels
    assert (levels["safe"], levels["effects"]) == (False, False)


@rows(("text", "got"), [("The file was changed.", "lines 1, 4"), ("1: one\n2: two\n3: three\n4: FOUR", None)])
def test_lines_around_an_edit_must_be_shown_before_it_or_by_its_answer(text: str, got: str | None) -> None:
    found = differences("gate/partial-read-edit-outside", "effects", step1=text)
    assert [each.got for each in found] == ([] if got is None else [got])


def test_the_answer_of_an_edit_need_not_show_lines_if_the_whole_file_was_read() -> None:
    assert differences("gate/edit-after-read", "effects", step1="ok") == []


def test_a_call_without_a_documented_text_must_show_the_recorded_lines() -> None:
    scenario = SUITE.scenario("gate/write-after-read", DOCUMENTED)
    seen = judge(scenario, own_outcome(scenario, DOCUMENTED)).steps
    assert any([*lines_of_contract(scenario, DOCUMENTED, index, each)] for index, each in seen.items())


def test_all_lines_of_a_long_text_are_compared() -> None:
    found = differences("sizes/2001-lines", "effects", step0="Read.")
    assert [each.got for each in found] == ["none of them"]


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ('<cell id="a">x = 1\ny</cell id="a">\n<cell id="b">z</cell>', [True, True]),
        ('{"cells": [{"source": "x = 1\\ny"}, {"source": ["z"]}]}', [True, True]),
        ('<cell id="b">z</cell>\n<cell id="a">x = 1\ny</cell>', [True, False]),
        ("x = 1\nby\nz", [False, True]),
        ('<cell id="x = 1" y z></cell>', [False, False]),
    ],
)
def test_a_cell_of_a_notebook_is_shown_if_it_follows_the_cells_before_it(
    answer: str, shown: list[bool]
) -> None:
    assert shown_cells(["x = 1\ny\n", "z"], answer) == shown


def test_only_a_notebook_file_has_cells() -> None:
    data = b'{"cells": [{"source": ["a\\n", "b"]}, {"source": "c"}]}'
    assert cell_sources("book.ipynb", data) == ["a\nb", "c"]
    assert cell_sources("book.txt", data) == []
    assert cell_sources("book.ipynb", b"[]") == []

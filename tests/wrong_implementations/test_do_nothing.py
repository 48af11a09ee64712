"""Implementations that do nothing pass few scenarios, and docs/adapters.md lists how many."""

import re

import do_nothing
import pytest

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.suite.suite import Suite

pytestmark = pytest.mark.slow

Judged = dict[str, list[Verdict]]


@pytest.fixture(scope="module")
def judged() -> Judged:
    """The verdicts on both implementations in all scenarios, which take minutes."""
    return {name: list(do_nothing.judge_all(answer)) for name, answer in do_nothing.IMPLEMENTATIONS.items()}


def test_adapters_md_lists_the_measured_numbers_of_both_implementations(judged: Judged) -> None:
    """A new scenario may change a number by one. If this test fails, run do_nothing.py to update the page."""
    page = do_nothing.PAGE.read_text("utf-8")
    for name, verdicts in judged.items():
        row = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", page, re.M)
        assert row is not None
        cells = [cell.strip() for cell in row[1].split("|")]
        scores = [int(cell.removesuffix(" %")) for cell in cells[:3]]
        assert scores == pytest.approx(do_nothing.percentages(verdicts), abs=1)
        assert cells[3:] == do_nothing.row(verdicts)[3:]


def test_no_scenario_passes_both_for_refusing_and_for_accepting_every_call(judged: Judged) -> None:
    holding = [
        {each.scenario_id for each in verdicts if each.levels["effects"]} for verdicts in judged.values()
    ]
    assert all(holding)
    assert set.intersection(*holding) == set()


@pytest.mark.parametrize("name", do_nothing.IMPLEMENTATIONS)
@pytest.mark.parametrize("basic", [False, True])
def test_no_rule_of_class_safety_or_design_holds_for_an_implementation_that_does_nothing(
    judged: Judged, name: str, basic: bool
) -> None:
    """If it fails, the rule needs a scenario that ends with an allowed call, or one that ends with a refused call."""
    suite = Suite(do_nothing.ROOT / "fixtures")
    contract = suite.contracts[suite.contracts.default]
    tools = frozenset({"Read", "Edit", "Write", "NotebookEdit"})
    rules = do_nothing.holding_rules(
        each
        for each in judged[name]
        if not basic or suite.scenario(each.scenario_id, contract).needs <= tools
    )
    assert rules["safety"] == rules["design"] == []


def test_an_empty_answer_passes_only_the_scenario_of_an_empty_notebook(judged: Judged) -> None:
    """Without invariants: they have no expected answers, and refusing every call does no harm."""
    suite = Suite(do_nothing.ROOT / "fixtures")
    passed = {
        each.scenario_id
        for verdicts in judged.values()
        for each in verdicts
        if each.status == "passed" and not suite.scenario(each.scenario_id).invariant
    }
    assert passed == {"notebooks/read-empty-notebook"}

"""The few correct results of implementations that do nothing are known, and are listed in docs/adapters.md."""

import re

import do_nothing
import pytest

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.suite.suite import Suite

pytestmark = pytest.mark.slow

Judged = dict[str, list[Verdict]]


@pytest.fixture(scope="module")
def judged() -> Judged:
    return {name: list(do_nothing.verdicts(answer)) for name, answer in do_nothing.IMPLEMENTATIONS.items()}


def test_the_page_shows_what_they_score(judged: Judged) -> None:
    """A new scenario may change a number by one. Run do_nothing.py in this case."""
    page = do_nothing.PAGE.read_text("utf-8")
    for name, verdicts in judged.items():
        row = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", page, re.M)
        assert row is not None
        cells = [cell.strip() for cell in row[1].split("|")]
        scores = [int(cell.removesuffix(" %")) for cell in cells[:3]]
        assert scores == pytest.approx(do_nothing.scores(verdicts), abs=1)
        assert cells[3:] == do_nothing.row(verdicts)[3:]


def test_every_scenario_fails_for_one_of_them_whatever_the_level(judged: Judged) -> None:
    holding = [
        {each.scenario_id for each in verdicts if each.levels["effects"]} for verdicts in judged.values()
    ]
    assert all(holding)
    assert set.intersection(*holding) == set()


@pytest.mark.parametrize("name", do_nothing.IMPLEMENTATIONS)
@pytest.mark.parametrize("connected", ["with all that scenarios need", "with the tools alone"])
def test_no_rule_of_safety_or_contract_holds_for_one_of_them(
    judged: Judged, name: str, connected: str
) -> None:
    """This holds also if races, parallel calls and permission rules are unsupported, as over MCP.

    If this test fails, the rule lacks a scenario: one with a call that must be allowed, or one with a call that must be
    refused.
    """
    found = judged[name]
    if connected == "with the tools alone":
        plain = needing_tools_alone()
        found = [each for each in found if each.scenario_id in plain]
    holding = do_nothing.holding(found)
    assert holding["safety"] == holding["design"] == []


def needing_tools_alone() -> set[str]:
    suite = Suite(do_nothing.ROOT / "fixtures")
    contract = suite.contracts[suite.contracts.default]
    tools = frozenset({"Read", "Edit", "Write", "NotebookEdit"})
    return {each for each in suite.ids() if suite.scenario(each, contract).needs <= tools}


def test_no_answer_without_a_word_is_right_but_that_of_what_is_empty(judged: Judged) -> None:
    """Invariants have no expected answers, and a refusal of every call does no harm."""
    suite = Suite(do_nothing.ROOT / "fixtures")
    passed = {
        each.scenario_id
        for verdicts in judged.values()
        for each in verdicts
        if each.status == "passed" and not suite.scenario(each.scenario_id).invariant
    }
    assert passed == {"notebooks/read-empty-notebook"}

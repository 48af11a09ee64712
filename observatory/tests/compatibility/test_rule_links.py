"""The page of a rule shows its claims, behaviours, scenarios and versions together."""

import re

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.observatory.claims.rule_index import behaviours_by_rule, rule_report_lines
from readfirst.observatory.claims.versions import results_by_version
from readfirst.reference_impl.behaviours.versioned import History
from readfirst.reference_impl.behaviours_by_version import behaviour_histories
from tests.judging import SUITE


def test_every_behaviour_is_about_a_rule() -> None:
    assert SUITE.rules is not None
    known = behaviours_by_rule(SUITE)
    assert {name for names in known.values() for name in names} == {*behaviour_histories()}
    assert {*known} <= {*SUITE.rules.by_id}


def test_a_behaviour_belongs_to_the_rules_of_all_its_scenarios(monkeypatch: pytest.MonkeyPatch) -> None:
    shown_by = ("gate/edit-unread", "gate/write-unread")
    known = {
        "mine": History(True, {}, True, shown_by, "Something is so.", "recorded"),
        "unseen": History(True, {}, True, (), "Something is so.", "recorded"),
    }
    monkeypatch.setattr("readfirst.observatory.claims.rule_index.behaviour_histories", lambda: known)
    assert behaviours_by_rule(SUITE) == {
        "edit-refuses-unread-file": ["mine"],
        "write-refuses-unread-file": ["mine"],
    }


def test_the_story_of_a_rule_has_claims_behaviours_versions_and_scenarios() -> None:
    assert SUITE.rules is not None
    lines = list(rule_report_lines(SUITE, SUITE.rules, SUITE.rules["edit-refuses-unread-file"]))
    (claim,) = [line for line in lines if line.startswith("    edit-needs-a-read\t")]
    _, says, holds_on = claim.split("\t")
    assert says == "Edit of an existing file that the session has not read is refused."
    assert holds_on.startswith("0.2.126 to 2.1.207, 2.1.228+gated to 2.1.3")
    assert "    edit_needs_read\t2.1.208" in lines
    first = lines.index("  versions that behave like 2.1.7 at the level effects:")
    like = [
        re.sub(r"(2\.1\.228) to [\d.]+", r"\1 and newer", re.sub(r"\d+ of \d+", "M of N", line))
        for line in lines[first + 1 : first + 9]
    ]  # a new case counts
    assert any(re.fullmatch(r" +2\.1\.\d+ to 2\.1\.207\tall scenarios", line) for line in like)
    assert (
        "    2.1.228 and newer\tM of N scenarios; the shortest of the others: gate/deletion-needs-a-read"
        in like
    )
    assert any(line.startswith("    gate/edit-unread\tmust\t") for line in lines)


def test_a_suite_of_ones_own_shows_versions_without_claims(suite: Suite) -> None:
    assert suite.rules is not None
    lines = list(rule_report_lines(suite, suite.rules, suite.rules["read-first"]))
    assert not any("claim" in line for line in lines)
    assert "    0.2.126 to 2.0.76\tnothing is recorded" in lines
    assert "    2.1.228\t1 of 2 scenarios; the shortest of the others: gate/long" in lines


def test_processes_find_the_same_as_one() -> None:
    assert SUITE.rules is not None
    ids = SUITE.ids()[::300]
    found = results_by_version(SUITE, SUITE.rules, ids, jobs=2)
    assert found == results_by_version(SUITE, SUITE.rules, ids)
    assert len({each.holds for results in found.values() for each in results.values()}) > 1

"""What counts as lost data, and what does not."""

from collections.abc import Mapping
from typing import Any

import pytest

from readfirst.harness.compare.verdict import LEVELS, Difference, Verdict
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.entry import RegularFile, TextContent
from readfirst.harness.suite.scenario import Clause, Expectation, Given, Scenario, ToolCall, WorldEvent
from readfirst.harness.survey.losses import losses_of

CONTRACT = Contract("2.1.7", "a-package", "2.1.7", "a-model", "enforced")
EXTERNAL = WorldEvent("modify", "a", RegularFile(TextContent("one\nTHEIRS\n")))


def scenario(
    tool: str, arguments: Mapping[str, Any], clause: Clause, *before: WorldEvent, given: str = "one\ntwo\n"
) -> Scenario:
    steps = (*before, ToolCall(tool, {"file_path": "$WS/a", **arguments}, expect=Expectation(clause)))
    files = {"a": RegularFile(TextContent(given))}
    return Scenario("family/slug", "A title", "must", Given(files), steps, CONTRACT.name)


def kinds(asked: Scenario, expected: str, got: str, *, refused: bool | None = None) -> list[str]:
    step = len(asked.steps) - 1
    differences = [Difference(step, 0, "effects", "file a", expected, got)]
    if refused is not None:
        differences.insert(
            0, Difference(step, 0, "effects", "refused", "x", "refused: no" if refused else "not refused: x")
        )
    verdict = Verdict(
        asked.id, "2.1.7", "effects", "failed", dict.fromkeys(LEVELS, False), tuple(differences)
    )
    return [loss.kind for loss in losses_of(asked, verdict, CONTRACT)]


EDIT = {"old_string": "one", "new_string": "ONE"}


@pytest.mark.parametrize(
    ("tool", "kind"), [("Edit", "edit-loses-external-edit"), ("Write", "write-loses-external-edit")]
)
def test_an_external_edit_that_is_gone_is_a_loss(tool: str, kind: str) -> None:
    asked = scenario(tool, EDIT, Clause(error="modified_since_read"), EXTERNAL)
    assert kinds(asked, "one\nTHEIRS\n", "ONE\ntwo\n", refused=False) == [kind]


def test_an_external_edit_that_is_still_there_is_none() -> None:
    asked = scenario("Edit", EDIT, Clause(error="modified_since_read"), EXTERNAL)
    assert kinds(asked, "one\nTHEIRS\n", "ONE\nTHEIRS\n", refused=False) == []


def test_an_external_edit_may_be_lost_where_the_contract_edits() -> None:
    asked = scenario("Edit", EDIT, Clause(text="done"), EXTERNAL)
    assert kinds(asked, "ONE\nTHEIRS\n", "ONE\ntwo\n") == ["edit-loses-external-edit"]


def test_what_the_contract_removes_too_is_not_a_loss() -> None:
    asked = scenario("Write", {"content": "new\n"}, Clause(text="done"), EXTERNAL)
    assert kinds(asked, "new\n", "new", refused=None) == []


def test_an_unread_file_that_is_overwritten_is_a_loss() -> None:
    asked = scenario("Write", {"content": "new\n"}, Clause(error="not_read"))
    assert kinds(asked, "one\ntwo\n", "new\n", refused=False) == ["write-loses-unread-file"]


@pytest.mark.parametrize(
    ("got", "kind"),
    [("ONE\ntwo\none\n", "first-of-several-replaced"), ("ONE\ntwo\nONE\n", "all-of-several-replaced")],
)
def test_several_matches_that_are_replaced_are_a_loss(got: str, kind: str) -> None:
    asked = scenario("Edit", EDIT, Clause(error="multiple_matches"), given="one\ntwo\none\n")
    assert kinds(asked, "one\ntwo\none\n", got, refused=False) == [kind]


@pytest.mark.parametrize(
    ("given", "expected", "got", "lost"),
    [
        ("one\r\ntwo\r\n", "ONE\r\ntwo\r\n", "ONE\ntwo\n", True),
        ("\ufeffone\n", "\ufeffONE\n", "ONE\n", True),
        ("\ufeffone\n", "ONE\n", "\ufeffONE\n", False),
        ("one\ntwo\n", "ONE\ntwo\n", "ONE\ntwo", True),
        ("one\ntwo\n", "ONE\ntwo\n", "One\ntwo\n", False),
        ("one\ntwo\n", "ONE\ntwo\n", "ONE \ntwo\n", False),
        ("one\ntwo\n", "ONE\ntwo\n", "\ntwo\n", False),
        ("one\ntwo\nthree\n", "ONE\ntwo\nthree\n", "ONE\ntwo\nthree!\n", True),
    ],
)
def test_bytes_outside_of_the_old_text_are_a_loss(given: str, expected: str, got: str, lost: bool) -> None:
    asked = scenario("Edit", EDIT, Clause(text="done"), given=given)
    assert kinds(asked, expected, got) == (["other-bytes-changed"] if lost else [])


def test_an_external_line_that_the_edit_replaces_is_not_a_loss() -> None:
    edit = {"old_string": "THEIRS", "new_string": "x"}
    asked = scenario("Edit", edit, Clause(error="modified_since_read"), EXTERNAL)
    assert kinds(asked, "one\nTHEIRS\n", "one\nx\n", refused=False) == []


def test_a_refused_edit_loses_nothing() -> None:
    asked = scenario("Edit", EDIT, Clause(text="done"))
    assert kinds(asked, "ONE\r\n", "one\n", refused=True) == []


def test_what_follows_a_loss_is_not_counted_again() -> None:
    stale = ToolCall("Write", {"file_path": "$WS/a"}, expect=Expectation(Clause(error="not_read")))
    asked = Scenario("family/slug", "A title", "must", Given({}), (stale, stale), CONTRACT.name)
    differences = tuple(Difference(step, 0, "effects", "file a", "x", "y") for step in (0, 1))
    verdict = Verdict(asked.id, "2.1.7", "effects", "failed", dict.fromkeys(LEVELS, False), differences)
    assert [loss.step for loss in losses_of(asked, verdict, CONTRACT)] == [1]

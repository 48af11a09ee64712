"""Rewriting expectations in place: a small diff, comments kept, nothing else touched."""

import difflib
from typing import Any

import pytest
import yaml

from readfirst.harness.record.rewrite import ClauseEdit, Keep, New, RewriteError, Update, rewrite_expectations

SOURCE = """\
title: x
steps:
  # before the read
  - Read: {file_path: $WS/notes.txt} # behind the read
  # before the change
  - modify: {notes.txt: "alpha\\nBETA\\n"}
  - Edit:
      file_path: $WS/notes.txt
      old_string: |2-
          alpha
        # not a comment
      new_string: gamma

    # why this is documented
    expect:
      # a note
      - documented: doc.txt, Section # behind the source
        error: modified_since_read
        # keep me
        text: File has been modified

  # before the group
  - parallel:
      - Read: {file_path: $WS/a}
        expect: {text: "a # b"}
      - Read: {file_path: $WS/b}
# the end
"""


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def test_a_missing_expectation_is_added_below_its_call() -> None:
    after = rewrite_expectations(SOURCE, {(0,): [New({"text": "     1→alpha\n     2→beta"})]})
    assert changed_lines(SOURCE, after) == [
        "+    expect:",
        "+      text: |2-",
        "+             1→alpha",
        "+             2→beta",
    ]
    assert yaml.safe_load(after)["steps"][0]["expect"] == {"text": "     1→alpha\n     2→beta"}


def test_an_event_on_several_paths_is_several_steps() -> None:
    source = SOURCE.replace("modify: {notes.txt:", "modify: {other.txt: x, notes.txt:")
    after = rewrite_expectations(source, {(3,): [Keep(0), New({"error": "not_read", "text": "No"})]})
    assert changed_lines(source, after) == ["+      - error: not_read", '+        text: "No"']


def test_an_update_changes_the_recorded_keys_and_keeps_the_comments() -> None:
    after = rewrite_expectations(SOURCE, {(2,): [Update(0, {"text": "New words"})]})
    for comment in (
        "# a note",
        "# behind the source",
        "# keep me",
        "# why this is documented",
        "# before the group",
    ):
        assert comment in after
    assert yaml.safe_load(after)["steps"][2]["expect"] == {
        "documented": "doc.txt, Section",
        "text": "New words",
    }


def test_a_call_of_a_group_and_the_group_itself_can_be_rewritten_together() -> None:
    edits = {
        (3,): [New({"files": {"a": "x\n"}})],
        (3, 0): [Update(0, {"text": "A"})],
        (3, 1): [New({"text": "B"})],
    }
    step = yaml.safe_load(rewrite_expectations(SOURCE, edits))["steps"][3]
    assert [call["expect"]["text"] for call in step["parallel"]] == ["A", "B"]
    assert step["expect"] == {"files": {"a": "x\n"}}


def test_rewriting_the_same_twice_changes_nothing_the_second_time() -> None:
    edits = {(0,): [New({"text": "one\ntwo"})], (2,): [Keep(0), New({"text": "x"})]}
    once = rewrite_expectations(SOURCE, edits)
    again = {(0,): [Update(0, {"text": "one\ntwo"})], (2,): [Keep(0), Update(1, {"text": "x"})]}
    assert rewrite_expectations(once, again) == once


def test_a_step_in_braces_is_refused_with_the_line_and_what_to_write() -> None:
    source = "title: x\nsteps:\n  - {Read: {file_path: a}}\n"
    with pytest.raises(RewriteError, match="line 3: write the step in block style"):
        rewrite_expectations(source, {(0,): [New({"text": "x"})]})


def test_nothing_but_expectations_ever_changes() -> None:
    # The last value keeps its trailing line breaks: what is put behind it would take them away.
    source = "title: x\nsteps:\n  - Write:\n      content: |+\n        a\n\n\n  - delete: b\n"
    with pytest.raises(RewriteError, match="the steps would change"):
        rewrite_expectations(source, {(0,): [New({"text": "x"})]})


AGENT = """\
title: x
steps:
  - resume: {}
  - agent:
      steps:
        - modify: {a: x, b: y}
        - Read: {file_path: $WS/a}
          expect: {text: old}
  - Read: {file_path: $WS/b}
"""


def test_a_sub_agents_steps_stand_between_its_beginning_and_its_end() -> None:
    after = rewrite_expectations(AGENT, {(4,): [New({"text": "a"})], (6,): [New({"text": "b"})]})
    assert yaml.safe_load(after)["steps"][1]["agent"]["steps"][1]["expect"] == {"text": "a"}
    assert yaml.safe_load(after)["steps"][2]["expect"] == {"text": "b"}


def test_what_was_seen_takes_the_place_of_what_is_said_to_be_shown() -> None:
    source = "steps:\n  - Read: {file_path: $WS/a}\n    expect: shown\n  - touch: a\n"
    written = rewrite_expectations(source, {(0,): [Update(0, {"text": "x"})]})
    assert written == source.replace("expect: shown", "expect:\n      text: x")


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([Keep(0), Update(1, {"text": "x"})], ["done", {"documented": "D", "text": "x"}]),
        ([Update(0, {"text": "x"}), Keep(1)], [{"text": "x"}, {"documented": "D", "error": "e"}]),
    ],
)
def test_a_word_is_one_of_two_clauses(edits: list[ClauseEdit], expected: list[Any]) -> None:
    source = (
        "steps:\n  - Edit: {file_path: $WS/a}\n    expect:\n      - done\n      - {documented: D, error: e}\n"
        "  - touch: a\n"
    )
    written = rewrite_expectations(source, {(0,): edits})
    assert yaml.safe_load(written)["steps"][0]["expect"] == expected

import re

import pytest
import yaml

from readfirst.harness.record.clause_writer import updated_expectation
from readfirst.harness.record.rewrite_expectations import GONE, RewriteError, rewrite_expectations
from readfirst.harness.suite.scenario import Clause

SOURCE = """\
title: x
steps:
  # before the read
  - Read: {file_path: $WS/notes.txt} # after the read
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
      - documented: doc.txt, Section # after the source
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


def test_a_rewrite_keeps_the_comments_outside_of_the_changed_expectation() -> None:
    after = rewrite_expectations(SOURCE, {(2,): {"text": "New words"}})
    gone = {"# a note", "# after the source", "# keep me"}
    kept = {each for each in re.findall("# [a-z ]+", SOURCE) if each.strip() not in gone}
    assert kept == set(re.findall("# [a-z ]+", after))
    assert yaml.safe_load(after)["steps"][2]["expect"] == {"text": "New words"}


def test_the_expectations_of_parallel_calls_and_of_their_group_are_rewritten_together() -> None:
    edits = {(3,): {"files": {"a": "x\n"}}, (3, 0): {"text": "A"}, (3, 1): {"text": "B"}}
    step = yaml.safe_load(rewrite_expectations(SOURCE, edits))["steps"][3]
    assert [call["expect"]["text"] for call in step["parallel"]] == ["A", "B"]
    assert step["expect"] == {"files": {"a": "x\n"}}


def test_rewriting_the_same_expectations_changes_nothing_and_one_can_be_removed() -> None:
    edits = {(0,): {"text": "one\ntwo"}, (2,): [{"documented": "D"}, {"text": "x"}]}
    once = rewrite_expectations(SOURCE, edits)
    assert rewrite_expectations(once, edits) == once
    assert "expect" not in yaml.safe_load(rewrite_expectations(once, {(2,): GONE}))["steps"][2]


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("  - {Read: {file_path: a}}\n", "line 3: write the step in block style"),
        # The last value ends with line breaks that belong to it. Adding text after the value would remove them.
        ("  - Write:\n      content: |+\n        a\n\n\n  - delete: b\n", "would also change steps"),
    ],
)
def test_a_step_in_braces_and_a_rewrite_that_would_change_steps_are_refused(steps: str, message: str) -> None:
    with pytest.raises(RewriteError, match=message):
        rewrite_expectations(f"title: x\nsteps:\n{steps}", {(0,): {"text": "x"}})


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


def test_the_index_of_a_step_counts_each_changed_file_and_each_step_of_a_sub_agent() -> None:
    after = yaml.safe_load(rewrite_expectations(AGENT, {(4,): {"text": "a"}, (6,): {"text": "b"}}))
    assert after["steps"][1]["agent"]["steps"][1]["expect"] == {"text": "a"}
    assert after["steps"][2]["expect"] == {"text": "b"}


def test_the_short_expectation_shown_is_replaced_by_the_observed_text() -> None:
    source = "steps:\n  - Read: {file_path: $WS/a}\n    expect: shown\n  - touch: a\n"
    written = rewrite_expectations(source, {(0,): {"text": "x"}})
    assert written == source.replace("expect: shown", "expect:\n      text: x")


def test_a_rewrite_keeps_the_documented_clause_next_to_the_recorded_one() -> None:
    documented = {"documented": "D", "error": "e"}
    for stated in (["done", documented], documented):
        assert updated_expectation(stated, Clause(text="x")) == [documented, {"text": "x"}]

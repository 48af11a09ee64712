"""Behaviours of the answers of Edit and Write."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["AnswerBehaviours"]


class AnswerBehaviours(Group):
    """The content of answers to a change."""

    edit_answer_shows_snippet: bool = behaviour(
        True,
        {"2.1.20": False},
        meaning="The answer of Edit shows the lines around the change.",
        shown_by=("results/edit-of-the-first-line",),
    )
    replace_all_answer_shows_snippet: bool = behaviour(
        False,
        documented=True,
        meaning="The answer of an Edit with `replace_all` shows the lines around the first change, without the other "
        "changes, instead of only the statement that all occurrences were replaced.",
        source="2.1.7-read-before-edit.txt, Snippet Generation for Result",
        shown_by=("replace-all/every-occurrence",),
    )
    replace_all_answer_quotes_strings: bool = behaviour(
        True,
        {"2.1.78": False},
        meaning="The answer of an Edit with `replace_all` quotes both strings.",
        shown_by=("replace-all/after-refusal",),
    )
    write_answer_shows_content: bool = behaviour(
        True,
        {"2.1.47": False},
        meaning="The answer of a Write over a file shows the content.",
        shown_by=("gate/write-after-read",),
    )
    answers_say_state_is_current: bool = behaviour(
        False,
        {"2.1.128": True},
        meaning="The answers of Edit and Write say that the model knows the whole file.",
        shown_by=("gate/edit-after-read", "gate/write-after-read"),
    )
    current_state_only_if_seen: bool = behaviour(
        False,
        {"2.1.281": True},
        meaning="The answer of Edit says that the model knows the whole file only if the model has read or written "
        "the whole file, instead of after every Edit.",
        shown_by=("gate/edit-unread", "gate/partial-read-edit-inside"),
    )
    current_state_only_if_unchanged: bool = behaviour(
        False,
        {"2.1.295": True},
        meaning="The answer of Edit says that the model knows the whole file only if the model knew the content of "
        "the file right before the Edit.",
        shown_by=(
            "staleness/same-time-other-content-edit",
            "line-endings/lone-cr-file",
            "encodings/utf-16-crlf",
        ),
    )
    longest_answer: int | None = behaviour(
        None,
        {"2.1.6": 100_000, "2.1.51": 50_000},
        meaning="The maximum number of characters of an answer (without a value, no maximum); from a longer answer, "
        "the model sees the beginning, and the path of a file that contains the whole answer.",
        shown_by=("notebooks/new-source-of-51000-characters",),
    )
    reads_may_be_longer: bool = behaviour(
        False,
        {"2.1.79": True},
        meaning="The maximum length of answers (`longest_answer`) does not apply to answers of Read.",
        shown_by=("sizes/more-characters-than-an-answer-has",),
    )
    empty_answers_say_so: bool = behaviour(
        False,
        {"2.1.73": True},
        meaning="An empty answer says that the tool completed with no output.",
        shown_by=("notebooks/read-empty-notebook",),
    )

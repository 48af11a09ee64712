"""Freshness: which files must be read before a change, and when what is known of one is out of date."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import ByModel, behaviour

__all__ = ["FreshnessBehaviours"]

_NOT_TOLD = "Don't tell the user this, since they are already aware."
_INTENDED = (
    "This change was intentional, so make sure to take it into account as you proceed (ie. don't revert it unless the "
    "user asks you to)."
)
_MODIFIED = "Note: {path} was modified, either by the user or by a linter."
_CHANGED = (
    "Note: {path} changed on disk since you last read it. That's usually deliberate, so take it as the current state "
    "rather than reverting it; if the change looks wrong, say so rather than undoing it yourself — otherwise no need "
    "to call it out."
)
_SNIPPET = (
    "So that you don't need to re-read the file, here's the result of running `cat -n` on a snippet of the "
    "edited file:"
)
_LINES = "Here are the relevant changes (shown with line numbers):\n{lines}"


@dataclass(frozen=True, kw_only=True)
class FreshnessBehaviours:
    """What a session must know of a file that it changes."""

    edit_needs_read: bool = behaviour(
        True,
        {"2.1.208": ByModel(enforced=True, relaxed=False)},
        meaning="Edit refuses a file in the working directory that was not read.",
        source="2.1.7-read-before-edit.txt, Edit Tool Pre-Validation",
        shown_by=("gate/edit-unread",),
    )
    write_needs_read: bool = behaviour(
        True,
        {"2.1.228": ByModel(enforced=True, relaxed=False)},
        meaning="Write refuses a file in the working directory that was not read.",
        source="2.1.7-read-before-edit.txt, Write Tool Same Enforcement",
        shown_by=("gate/write-unread",),
    )
    offset_1_is_whole_read: bool = behaviour(
        False,
        {"2.1.108": True},
        meaning="A Read from line 1 on without a limit counts as a Read of the whole file.",
        shown_by=("staleness/edit-after-touch-offset-only",),
    )
    every_line_is_a_whole_read: bool = behaviour(
        False,
        {"2.1.212": True},
        meaning="A Read with `offset` or `limit` counts as a Read of the whole file if it shows every line.",
        shown_by=("staleness/edit-after-touch-limit-only",),
    )
    staleness_uses_read_time: bool = behaviour(
        True,
        {"1.0.114": False},
        meaning="A file counts as changed if it was modified after the moment of the Read; otherwise if "
        "its time of modification is later than it was at the Read.",
        shown_by=("staleness/edit-after-change", "staleness/write-after-change"),
    )
    write_times_are_exact: bool = behaviour(
        False,
        {"1.0.114": True, "2.0.11": False, "2.0.22": True, "2.1.6": False},
        meaning="Write notices a change that is newer by less than a millisecond; otherwise Write "
        "compares whole milliseconds.",
        shown_by=("staleness/write-after-change-within-a-millisecond",),
    )
    edit_times_are_exact: bool = behaviour(
        False,
        {"2.0.22": True, "2.1.6": False},
        meaning="Edit notices a change that is newer by less than a millisecond; otherwise Edit compares "
        "whole milliseconds.",
        shown_by=(
            "staleness/edit-after-change-within-a-millisecond",
            "race/edit-changed-within-a-millisecond-during-call",
        ),
    )
    own_content_is_compared: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="A file that was only touched after an Edit or Write may be edited, because its content "
        "is compared.",
        source="2.1.7-read-before-edit.txt, Post-Write State Update",
        shown_by=("staleness/edit-after-touch-of-own-edit", "staleness/edit-after-touch-of-own-write"),
    )
    whole_reads_are_compared: bool = behaviour(
        False,
        {"2.1.108": True},
        documented=True,
        meaning="A file that was only touched after a whole Read may be edited, because its content is "
        "compared.",
        source="2.1.7-read-before-edit.txt, Edit Tool Pre-Validation",
        shown_by=("staleness/edit-after-touch-full-read", "staleness/latest-read-is-full"),
    )
    write_compares_contents: bool = behaviour(
        False,
        {"2.1.108": True},
        meaning="Write compares the content of a touched file as Edit does; otherwise the time alone "
        "decides.",
        shown_by=("staleness/write-after-touch-of-own-edit",),
    )
    edit_recovers: bool = behaviour(
        False,
        {"2.1.208": True},
        meaning="Edit of a file that changed goes through if the text to replace still occurs as often as"
        " it should.",
        shown_by=("staleness/edit-after-change", "race/edit-changed-during-call"),
    )
    execution_checks_again: bool = behaviour(
        False,
        {"1.0.111": True},
        meaning="Right before writing, Edit and Write compare the file once more with what the session "
        "knows of it.",
        shown_by=(
            "race/write-changed-in-the-future-during-call",
            "race/edit-changed-in-the-future-during-call",
        ),
    )
    execution_asks_for_a_read: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="A file that appeared right before writing is refused as unread; otherwise as changed.",
        shown_by=("race/write-new-created-during-call",),
    )
    stale_wording: str = behaviour(
        "File has been unexpectedly modified. Read it again before attempting to write it.",
        {
            "2.1.89": "File content has changed since it was last read. This commonly happens when a linter or "
            "formatter run via Bash rewrites the file. Call Read on this file to refresh, then retry the edit."
        },
        meaning="The value is the refusal of a file that changed right before writing.",
        shown_by=("race/write-changed-during-call",),
    )
    remembered_files: int | None = behaviour(
        None,
        {"1.0.58": 10, "2.1.75": None},
        documented=None,
        meaning="The value is how many files a session remembers; without a value a session remembers "
        "every file.",
        source="2.1.7-read-before-edit.txt, readFileState Data Structure",
        shown_by=("state/eleven-files-read", "state/eleven-files-written"),
    )
    links_share_a_record: bool = behaviour(
        False,
        documented=True,
        meaning="A session remembers a file under the path that links lead to, so that a link and its target are one"
        " file.",
        source="2.1.7-read-before-edit.txt, readFileState Data Structure",
        shown_by=("links-and-modes/read-link-edit-target", "links-and-modes/read-target-edit-link"),
    )
    changed_files_are_noticed: bool = behaviour(
        True,
        documented=False,
        meaning="After each message, a file that is remembered whole and is newer on disk is read again "
        "and the model is told what changed in it, so that the next Edit or Write goes through.",
        shown_by=("staleness/own-write-changed-then-retried",),
    )
    changed_reads_are_noticed: bool = behaviour(
        False,
        {"1.0.3": True, "2.0.22": False},
        meaning="After each message, a file that was only read is read again as well if it is newer on disk.",
        shown_by=("links-and-modes/edit-link-makes-target-stale",),
    )
    reminder: str = behaviour(
        "",
        {
            "1.0.3": f"{_MODIFIED} {_NOT_TOLD} {_INTENDED} {_SNIPPET}\n\n{{lines}}",
            "1.0.69": f"{_MODIFIED} {_NOT_TOLD} {_INTENDED} {_SNIPPET}\n{{lines}}",
            "1.0.114": f"{_MODIFIED} {_INTENDED} {_NOT_TOLD} {_LINES}",
            "2.1.234": f"{_CHANGED} {_LINES}",
        },
        meaning="The value is what the model is told of a file that changed; without a value it is told nothing.",
        shown_by=("reminders/change-after-own-edit", "links-and-modes/edit-link-makes-target-stale"),
    )
    reminder_limit: int | None = behaviour(
        None,
        {"2.1.84": 8192},
        meaning="The value is how many characters of changed lines the model is shown; without a value all of them.",
        shown_by=("reminders/many-lines-changed", "reminders/long-line-changed"),
    )
    reminders_count_the_cut: bool = behaviour(
        True,
        {"2.1.139": False},
        meaning="Where not all changed lines are shown, the number of those left out is one too high.",
        shown_by=("reminders/many-lines-changed",),
    )
    reminder_of_nothing: str | None = behaviour(
        "(no content)",
        {"1.0.69": "", "1.0.114": None},
        meaning="The value stands for the changed lines where there are none; without a value nothing is told then.",
        shown_by=("reminders/touch-after-own-edit",),
    )
    reminders_begin_unpadded: bool = behaviour(
        True,
        {"1.0.69": False},
        meaning="The number of the first changed line stands without the blanks before it.",
        shown_by=("reminders/change-after-own-edit",),
    )
    reminders_tell_of_ends: bool = behaviour(
        True,
        {"1.0.119": False},
        meaning="Among the changed lines it is told that a last line has no end.",
        shown_by=("reminders/long-line-changed",),
    )
    changed_files_are_known_folded: bool = behaviour(
        False,
        {"1.0.122": True},
        meaning="A watched file that changed is read again under its path without `.`, `..` and `//`, so that it stays "
        "changed under a path with them.",
        shown_by=("crossed/edit-changed-31",),
    )
    missing_files_are_forgotten: bool = behaviour(
        False,
        {"2.1.47": True},
        meaning="A watched file that is gone when a message ends is forgotten.",
        shown_by=("staleness/deleted-then-made-again",),
    )
    files_beyond_reading_are_forgotten: bool = behaviour(
        False,
        {"2.1.47": True, "2.1.89": False},
        meaning="A watched file that changed and that Read refuses now is forgotten.",
        shown_by=("reminders/too-large-now",),
    )

"""Behaviours of the checks that a file was read and has not changed."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import ByModel, behaviour

__all__ = ["FreshnessBehaviours"]


class FreshnessBehaviours(Group):
    """Required knowledge of a file before it is changed."""

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
    staleness_uses_read_time: bool = behaviour(
        True,
        {"1.0.114": False},
        meaning="A file counts as changed if its modification time is later than the moment of the Read, instead of "
        "later than the modification time that the file had at the Read.",
        shown_by=("staleness/edit-after-change", "staleness/write-after-change"),
    )
    write_compares_sub_milliseconds: bool = behaviour(
        False,
        {"1.0.114": True, "2.0.11": False, "2.0.22": True, "2.1.6": False},
        meaning="Write detects a change that is newer by less than a millisecond, instead of comparing modification "
        "times in whole milliseconds.",
        shown_by=("staleness/write-after-change-within-a-millisecond",),
    )
    edit_compares_sub_milliseconds: bool = behaviour(
        False,
        {"2.0.22": True, "2.1.6": False},
        meaning="Edit detects a change that is newer by less than a millisecond, instead of comparing modification "
        "times in whole milliseconds.",
        shown_by=(
            "staleness/edit-after-change-within-a-millisecond",
            "race/edit-changed-within-a-millisecond-during-call",
        ),
    )
    touched_own_write_may_be_edited: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="A file whose modification time, but not its content, changed after an Edit or Write may be edited, "
        "because Edit also compares the content.",
        source="2.1.7-read-before-edit.txt, Post-Write State Update",
        shown_by=("staleness/edit-after-touch-of-own-edit", "staleness/edit-after-touch-of-own-write"),
    )
    touched_whole_read_may_be_edited: bool = behaviour(
        False,
        {"2.1.108": True},
        documented=True,
        meaning="A file whose modification time, but not its content, changed after a Read of the whole file may be "
        "edited, because Edit also compares the content.",
        source="2.1.7-read-before-edit.txt, Edit Tool Pre-Validation",
        shown_by=("staleness/edit-after-touch-full-read", "staleness/latest-read-is-full"),
    )
    offset_1_is_whole_read: bool = behaviour(
        False,
        {"2.1.108": True},
        meaning="A Read from line 1 on without a limit counts as a Read of the whole file.",
        shown_by=("staleness/edit-after-touch-offset-only",),
    )
    showing_every_line_is_whole_read: bool = behaviour(
        False,
        {"2.1.212": True},
        meaning="A Read with `offset` or `limit` counts as a Read of the whole file if it shows every line.",
        shown_by=("staleness/edit-after-touch-limit-only",),
    )
    write_compares_content_of_touched: bool = behaviour(
        False,
        {"2.1.108": True},
        meaning="If the modification time of a file is newer, Write also compares its content, like Edit, instead of "
        "refusing the file as changed.",
        shown_by=("staleness/write-after-touch-of-own-edit",),
    )
    edit_of_changed_file_recovers: bool = behaviour(
        False,
        {"2.1.208": True},
        meaning="Edit of a changed file that requires no permission succeeds if `old_string` still occurs in the file "
        "once, or at least once with `replace_all`.",
        shown_by=("staleness/edit-after-change", "race/edit-changed-during-call"),
    )
    execution_rechecks_freshness: bool = behaviour(
        False,
        {"1.0.111": True},
        meaning="Right before writing, Edit and Write compare the file again with the knowledge of the session.",
        shown_by=(
            "race/write-changed-in-the-future-during-call",
            "race/edit-changed-in-the-future-during-call",
        ),
    )
    execution_refuses_unread: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="If another program creates a file right before Write writes it, Write refuses the file as unread "
        "instead of as changed.",
        shown_by=("race/write-new-created-during-call",),
    )
    execution_stale_refusal: str = behaviour(
        "File has been unexpectedly modified. Read it again before attempting to write it.",
        {
            "2.1.89": "File content has changed since it was last read. This commonly happens when a linter or "
            "formatter run via Bash rewrites the file. Call Read on this file to refresh, then retry the edit."
        },
        meaning="The refusal of a file that changed between the validation of a call and its write.",
        shown_by=("race/write-changed-during-call",),
    )

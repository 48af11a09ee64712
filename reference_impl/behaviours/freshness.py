"""Freshness: which files must be read before a change, and when what is known of one is out of date."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import ByModel, since

__all__ = ["FreshnessBehaviours"]


@dataclass(frozen=True, kw_only=True)
class FreshnessBehaviours:
    """What a session must know of a file that it changes."""

    edit_needs_read: bool = since(
        True, {"2.1.208": ByModel(enforced=True, relaxed=False)}, shown_by=("gate/edit-unread",)
    )
    """Edit refuses a file in the working directory that was not read."""
    write_needs_read: bool = since(
        True, {"2.1.228": ByModel(enforced=True, relaxed=False)}, shown_by=("gate/write-unread",)
    )
    """Write refuses a file in the working directory that was not read."""
    offset_1_is_whole_read: bool = since(
        False, {"2.1.108": True}, shown_by=("staleness/edit-after-touch-offset-only",)
    )
    """A Read from line 1 on without a limit counts as one of the whole file."""
    every_line_is_a_whole_read: bool = since(
        False, {"2.1.212": True}, shown_by=("staleness/edit-after-touch-limit-only",)
    )
    """A Read with offset or limit is a whole Read if it shows every line."""
    staleness_uses_read_time: bool = since(
        True, {"1.0.114": False}, shown_by=("staleness/edit-after-change", "staleness/write-after-change")
    )
    """A file counts as changed if it is newer than the moment of the Read; otherwise if newer than it was then."""
    write_times_are_exact: bool = since(
        False,
        {"1.0.126": True, "2.1.6": False},
        shown_by=("staleness/write-after-change-within-a-millisecond",),
    )
    """Write notices a change that is newer by less than a millisecond; otherwise it compares whole milliseconds."""
    edit_times_are_exact: bool = since(
        False,
        {"2.0.76": True, "2.1.6": False},
        shown_by=(
            "staleness/edit-after-change-within-a-millisecond",
            "race/edit-changed-within-a-millisecond-during-call",
        ),
    )
    """Edit notices a change that is newer by less than a millisecond; otherwise it compares whole milliseconds."""
    own_content_is_compared: bool = since(
        False,
        {"2.1.7": True},
        shown_by=("staleness/edit-after-touch-of-own-edit", "staleness/edit-after-touch-of-own-write"),
    )
    """A file that was only touched after an Edit or Write may be edited, because its content is compared."""
    whole_reads_are_compared: bool = since(
        False,
        {"2.1.108": True},
        documented=True,
        shown_by=("staleness/edit-after-touch-full-read", "staleness/latest-read-is-full"),
    )
    """A file that was only touched after a whole Read may be edited, because its content is compared."""
    write_compares_contents: bool = since(
        False, {"2.1.108": True}, shown_by=("staleness/write-after-touch-of-own-edit",)
    )
    """Write compares the content of a touched file as Edit does; otherwise the time alone decides."""
    edit_recovers: bool = since(
        False, {"2.1.208": True}, shown_by=("staleness/edit-after-change", "race/edit-changed-during-call")
    )
    """Edit of a file that changed goes through if the text still occurs as it should."""
    execution_checks_again: bool = since(
        False,
        {"1.0.111": True},
        shown_by=(
            "race/write-changed-in-the-future-during-call",
            "race/edit-changed-in-the-future-during-call",
        ),
    )
    """Right before writing, Edit and Write compare the file with what is known of it once more."""
    execution_asks_for_a_read: bool = since(
        False, {"2.1.89": True}, shown_by=("race/write-new-created-during-call",)
    )
    """A file that appeared before writing is refused as unread; otherwise as changed."""
    stale_wording: str = since(
        "File has been unexpectedly modified. Read it again before attempting to write it.",
        {
            "2.1.89": "File content has changed since it was last read. This commonly happens when a linter or "
            "formatter run via Bash rewrites the file. Call Read on this file to refresh, then retry the edit."
        },
        shown_by=("race/write-changed-during-call",),
    )
    """What refuses, right before writing, a file that changed."""
    remembered_files: int | None = since(
        None,
        {"1.0.58": 10, "2.1.75": None},
        documented=None,
        shown_by=("state/eleven-files-read", "state/eleven-files-written"),
    )
    """How many files a session remembers."""
    changed_files_are_noticed: bool = since(
        True, documented=False, shown_by=("staleness/own-write-changed-then-retried",)
    )
    """After each message a file that is remembered whole and is newer on disk is read again. The model is told what
    changed in it, so the next Edit or Write goes through."""
    changed_reads_are_noticed: bool = since(
        False,
        {"1.0.3": True, "2.0.22": False},
        shown_by=("links-and-modes/edit-link-makes-target-stale",),
    )
    """This also happens to files that were only read."""

"""Writing: how Edit and Write bring a change to the disk, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import since

__all__ = ["WriteBehaviours"]


@dataclass(frozen=True, kw_only=True)
class WriteBehaviours:
    """What Edit and Write do once a change is allowed."""

    writing_looks_first: bool = since(
        False, {"2.1.196": True, "2.1.251": False}, shown_by=("race/parent-replaced-by-file-during-call",)
    )
    """Edit and Write look at the path again right before they write."""
    write_opens_first: bool = since(False, {"2.1.72": True}, shown_by=("race/directory-made-during-call",))
    """Right before writing, Write reads the file before it compares times."""
    directories_are_opened: bool = since(
        False,
        {"2.1.251": True},
        shown_by=("race/directory-deleted-during-edit", "race/parent-replaced-by-file-during-call"),
    )
    """Right before writing, Edit and Write open the directory of the file."""
    parents_are_made_first: bool = since(
        False, {"2.1.83": True, "2.1.193": False}, shown_by=("race/directory-deleted-during-edit",)
    )
    """Edit makes missing directories before it finds out whether it can replace anything."""
    execution_matches_again: bool = since(
        False,
        {"2.1.321": True},
        shown_by=("race/target-doubled-during-call", "race/edit-new-created-during-call"),
    )
    """Right before writing, Edit refuses several matches and a creation over content once more."""
    every_match_is_replaced: bool = since(
        True,
        {"1.0.8": False},
        shown_by=("creation/edit-replaces-newlines", "creation/edit-replaces-blank-file"),
    )
    """Edit and MultiEdit replace every occurrence of what was counted in the file before, also every one of nothing
    in the lines that Edit shows."""
    files_are_replaced: bool = since(
        False,
        {"1.0.45": True},
        shown_by=("links-and-modes/edit-of-hard-link", "links-and-modes/write-link-chain"),
    )
    """A new file takes the place of the old one; otherwise the old one is written in place."""
    temporary_names_are_longer: bool = since(False, {"2.1.181": True}, shown_by=("paths/name-of-255-bytes",))
    """A file is written under its name with something added before it takes its place; that name may be too long."""
    new_files_are_private: bool = since(
        False,
        {"2.0.42": True, "2.0.77": False},
        shown_by=("links-and-modes/dangling-create", "links-and-modes/loop-write"),
    )
    """A file that was not there before gets the mode 0600."""
    new_directories_are_private: bool = since(
        False, {"1.0.120": True, "2.0.77": False}, shown_by=("creation/modes-of-what-is-new",)
    )
    """A directory that a new file needs gets the mode 0700."""
    edits_are_shown: bool = since(True, {"2.1.20": False}, shown_by=("results/edit-of-the-first-line",))
    """The answer of Edit shows the lines around the change."""
    replacements_are_quoted: bool = since(True, {"2.1.78": False}, shown_by=("replace-all/after-refusal",))
    """The answer of an Edit with `replace_all` quotes both strings."""
    writes_are_shown: bool = since(True, {"2.1.47": False}, shown_by=("gate/write-after-read",))
    """The answer of a Write over a file shows the content."""
    answers_say_state_is_current: bool = since(
        False, {"2.1.128": True}, shown_by=("gate/edit-after-read", "gate/write-after-read")
    )
    """The answers of Edit and Write tell that the model knows all of the file now."""
    current_state_needs_seen_content: bool = since(
        False, {"2.1.281": True}, shown_by=("gate/edit-unread", "gate/partial-read-edit-inside")
    )
    """The answer of Edit tells so only if the model has read or written all of the file; otherwise always."""
    current_state_needs_same_content: bool = since(
        False,
        {"2.1.295": True},
        shown_by=(
            "staleness/same-time-other-content-edit",
            "line-endings/lone-cr-file",
            "encodings/utf-16-crlf",
        ),
    )
    """And only if that is what the file held right before the Edit."""

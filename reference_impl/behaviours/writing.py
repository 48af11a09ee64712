"""Writing: how Edit and Write bring a change to the disk, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import behaviour

__all__ = ["WriteBehaviours"]


@dataclass(frozen=True, kw_only=True)
class WriteBehaviours:
    """What Edit and Write do once a change is allowed."""

    writing_looks_first: bool = behaviour(
        False,
        {"2.1.196": True, "2.1.251": False},
        meaning="Edit and Write look at the path again right before they write.",
        shown_by=("race/parent-replaced-by-file-during-call",),
    )
    write_opens_first: bool = behaviour(
        False,
        {"2.1.72": True},
        meaning="Right before writing, Write reads the file before it compares times.",
        shown_by=("race/directory-made-during-call",),
    )
    files_for_directories_are_noticed: bool = behaviour(
        False,
        {"2.1.64": True, "2.1.67": False},
        meaning="A file in the place of a directory is noticed when the directory is made, not when a file in it is "
        "opened.",
        shown_by=("race/parent-replaced-by-file-during-call",),
    )
    first_missing_parent_is_named: bool = behaviour(
        False,
        {"2.1.83": True},
        meaning="Where missing directories cannot be made, Edit and Write name the first of them instead of the last.",
        shown_by=("rights/parents-in-read-only-folder",),
    )
    directories_are_opened: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="Right before writing, Edit and Write open the directory of the file.",
        shown_by=("race/directory-deleted-during-edit", "race/parent-replaced-by-file-during-call"),
    )
    parents_are_made_first: bool = behaviour(
        False,
        {"2.1.83": True, "2.1.193": False},
        meaning="Edit makes missing directories before it finds out whether there is anything to replace.",
        shown_by=("race/directory-deleted-during-edit",),
    )
    execution_matches_again: bool = behaviour(
        False,
        {"2.1.321": True},
        meaning="Right before writing, Edit refuses several matches and a creation over content once more.",
        shown_by=("race/target-doubled-during-call", "race/edit-new-created-during-call"),
    )
    every_match_is_replaced: bool = behaviour(
        True,
        {"1.0.8": False},
        meaning="Edit and MultiEdit replace every occurrence of a text that was counted in the file "
        "before, and the lines that Edit shows have every occurrence of an empty text replaced.",
        shown_by=("creation/edit-replaces-newlines", "creation/edit-replaces-blank-file"),
    )
    files_are_replaced: bool = behaviour(
        False,
        {"1.0.45": True},
        meaning="A new file takes the place of the old one; otherwise the old file is written in place.",
        shown_by=("links-and-modes/edit-of-hard-link", "links-and-modes/write-link-chain"),
    )
    temporary_names_are_longer: bool = behaviour(
        False,
        {"2.1.181": True},
        meaning="A file is written under its name with something added before it takes its place, which a"
        " long name has no room for.",
        shown_by=("paths/name-of-255-bytes",),
    )
    special_bits_are_lost: bool = behaviour(
        False,
        {"2.1.113": True, "2.1.213": False},
        meaning="A file that takes the place of another gets its mode without setuid, setgid and sticky bit.",
        shown_by=(
            "links-and-modes/setgid-kept-by-edit",
            "links-and-modes/setuid-kept-by-write",
            "links-and-modes/sticky-kept-by-edit",
        ),
    )
    new_files_are_private: bool = behaviour(
        False,
        {"2.0.42": True, "2.0.77": False},
        meaning="A file that was not there before gets the mode 0600.",
        shown_by=("links-and-modes/dangling-create", "links-and-modes/loop-write"),
    )
    new_directories_are_private: bool = behaviour(
        False,
        {"1.0.120": True, "2.0.77": False},
        meaning="A directory that a new file needs gets the mode 0700.",
        shown_by=("creation/modes-of-what-is-new",),
    )
    edits_are_shown: bool = behaviour(
        True,
        {"2.1.20": False},
        meaning="The answer of Edit shows the lines around the change.",
        shown_by=("results/edit-of-the-first-line",),
    )
    replace_all_is_shown: bool = behaviour(
        False,
        documented=True,
        meaning="The answer of an Edit with `replace_all` shows the lines around the first change, with no other"
        " change made; otherwise the answer says that all occurrences were replaced.",
        source="2.1.7-read-before-edit.txt, Snippet Generation for Result",
        shown_by=("replace-all/every-occurrence",),
    )
    replacements_are_quoted: bool = behaviour(
        True,
        {"2.1.78": False},
        meaning="The answer of an Edit with `replace_all` quotes both strings.",
        shown_by=("replace-all/after-refusal",),
    )
    writes_are_shown: bool = behaviour(
        True,
        {"2.1.47": False},
        meaning="The answer of a Write over a file shows the content.",
        shown_by=("gate/write-after-read",),
    )
    answers_say_state_is_current: bool = behaviour(
        False,
        {"2.1.128": True},
        meaning="The answers of Edit and Write say that the model knows all of the file.",
        shown_by=("gate/edit-after-read", "gate/write-after-read"),
    )
    current_state_needs_seen_content: bool = behaviour(
        False,
        {"2.1.281": True},
        meaning="The answer of Edit says that the model knows all of the file only if the model has read "
        "or written all of it; otherwise always.",
        shown_by=("gate/edit-unread", "gate/partial-read-edit-inside"),
    )
    current_state_needs_same_content: bool = behaviour(
        False,
        {"2.1.295": True},
        meaning="The answer of Edit says that the model knows all of the file only if what the model "
        "knows is what the file held right before the Edit.",
        shown_by=(
            "staleness/same-time-other-content-edit",
            "line-endings/lone-cr-file",
            "encodings/utf-16-crlf",
        ),
    )

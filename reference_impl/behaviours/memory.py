"""Behaviours of the session's knowledge of files."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["MemoryBehaviours"]


class MemoryBehaviours(Group):
    """Files that a session remembers, and files that it reads again without a call."""

    remembered_file_limit: int | None = behaviour(
        None,
        {"1.0.58": 10, "2.1.75": None},
        documented=None,
        meaning="The maximum number of files that a session remembers; without a value, a session remembers every "
        "file.",
        source="2.1.7-read-before-edit.txt, readFileState Data Structure",
        shown_by=("state/eleven-files-read", "state/eleven-files-written"),
    )
    links_share_record_with_target: bool = behaviour(
        False,
        documented=True,
        meaning="A session remembers a file under its path without links, so that a link and its target are the same "
        "file.",
        source="2.1.7-read-before-edit.txt, readFileState Data Structure",
        shown_by=("links-and-modes/read-link-edit-target", "links-and-modes/read-target-edit-link"),
    )
    final_slash_is_part_of_the_key: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="A file that was read or written under a path with a final slash is not known without the slash.",
        shown_by=("paths/known-with-a-final-slash",),
    )
    own_writes_are_remembered_with_lf: bool = behaviour(
        False,
        {"2.1.216": True},
        meaning="The session remembers the content of a Write with `\\n` line ends, instead of with the line ends of "
        "the call.",
        shown_by=("staleness/touch-of-own-crlf-write",),
    )
    image_reads_are_remembered: bool = behaviour(
        True,
        {"2.0.67": False},
        documented=True,
        meaning="A Read of an image counts as a Read, so the image may be changed afterwards.",
        source="2.1.7-read-before-edit.txt, Read Tool Recording File State",
        shown_by=("gate/image-read-then-write", "staleness/change-in-an-image"),
    )
    pdf_reads_are_remembered: bool = behaviour(
        False,
        documented=True,
        meaning="A Read of a PDF counts as a Read, so the PDF may be changed afterwards.",
        source="2.1.7-read-before-edit.txt, Read Tool Recording File State",
        shown_by=("media/edit-pdf",),
    )
    notebook_edit_updates_the_record: bool = behaviour(
        False,
        {"2.1.86": True},
        meaning="After NotebookEdit changed a notebook, the session knows the new content.",
        shown_by=("notebooks/write-after-notebook-edit",),
    )
    claude_md_counts_as_read: bool = behaviour(
        False,
        {"2.1.64": True},
        meaning="If a Read of a file also shows the CLAUDE.md of its directory or of a parent directory, this "
        "CLAUDE.md counts as read.",
        shown_by=("bash-and-mentions/memory-file-then-edit",),
    )
    claude_md_counts_as_read_by_agents: bool = behaviour(
        False,
        {"1.0.117": True},
        meaning="If a Read by a sub-agent also shows the CLAUDE.md of the file's directory or of a parent directory, "
        "this CLAUDE.md counts as read by the sub-agent.",
        shown_by=("crossings/memory-file-agent",),
    )
    mentions_outlive_the_next_words: bool = behaviour(
        False,
        {"2.1.75": True},
        meaning="A file that the user mentioned stays known after the next message of the user, until the session is "
        "resumed, instead of only until the next message.",
        shown_by=("crossings/two-mentions",),
    )
    mentions_count_as_read: bool = behaviour(
        True,
        {"1.0.64": False, "2.0.19": True},
        meaning="A file that the user mentions counts as read.",
        shown_by=("bash-and-mentions/mention-then-edit", "bash-and-mentions/mention-of-another-file"),
    )
    changed_own_writes_are_reread: bool = behaviour(
        False,
        {"1.0.3": True},
        documented=False,
        meaning="After each message, a completely known file that is newer on disk is read again, and the model sees "
        "the changed lines, so that the next Edit or Write succeeds.",
        shown_by=("staleness/own-edit-changed-at-once-then-retried",),
    )
    changed_reads_are_reread: bool = behaviour(
        False,
        {"1.0.3": True, "2.0.22": False},
        meaning="After each message, a file that was only read is also read again if it is newer on disk.",
        shown_by=("links-and-modes/edit-link-makes-target-stale",),
    )
    changes_by_commands_are_reread: bool = behaviour(
        False,
        {"1.0.3": True},
        meaning="A file that the session wrote and that is newer on disk is also read again after a command.",
        shown_by=("bash-and-mentions/sed-in-place-after-own-edit",),
    )
    rereads_fold_dots: bool = behaviour(
        False,
        {"1.0.122": True},
        meaning="A watched file that changed is read again under its path without `.`, `..` and `//`, so that the "
        "file still counts as changed under a path that contains them.",
        shown_by=("crossed/edit-changed-31",),
    )
    missing_files_are_forgotten: bool = behaviour(
        False,
        {"2.1.47": True},
        meaning="A watched file that does not exist at the end of a message is forgotten.",
        shown_by=("staleness/deleted-then-made-again",),
    )
    unreadable_changed_files_are_forgotten: bool = behaviour(
        False,
        {"2.1.47": True, "2.1.89": False},
        meaning="A watched file that changed and that Read now refuses is forgotten.",
        shown_by=("reminders/too-large-now",),
    )

"""Declare behaviours of the session's knowledge of files: required Reads, changed files, remembered files, and
reminders.
"""

from __future__ import annotations

from readfirst.reference_impl.behaviours.versioned import ByModel, Group, behaviour

__all__ = ["FreshnessBehaviours", "MemoryBehaviours", "ReminderBehaviours"]


class FreshnessBehaviours(Group):
    """The knowledge of a file that Edit and Write require before they change the file."""

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
        meaning="A file counts as changed if its modification time is later than the time of the Read, "
        "instead of later than the modification time that the file had at the Read.",
        shown_by=("staleness/edit-after-change", "staleness/write-after-change"),
    )
    write_compares_sub_milliseconds: bool = behaviour(
        False,
        {"1.0.114": True, "2.0.11": False, "2.0.22": True, "2.1.6": False},
        meaning="Write compares exact modification times, instead of whole milliseconds, so Write detects a change "
        "even if the new time is less than a millisecond later.",
        shown_by=("staleness/write-after-change-within-a-millisecond",),
    )
    edit_compares_sub_milliseconds: bool = behaviour(
        False,
        {"2.0.22": True, "2.1.6": False},
        meaning="Edit compares exact modification times, instead of whole milliseconds, so Edit detects a change "
        "even if the new time is less than a millisecond later.",
        shown_by=(
            "staleness/edit-after-change-within-a-millisecond",
            "race/edit-changed-within-a-millisecond-during-call",
        ),
    )
    touched_own_write_may_be_edited: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="If the modification time of a file has changed after an Edit or Write, but the content has "
        "not, the file may be edited, because Edit also compares the content.",
        source="2.1.7-read-before-edit.txt, Post-Write State Update",
        shown_by=("staleness/edit-after-touch-of-own-edit", "staleness/edit-after-touch-of-own-write"),
    )
    touched_whole_read_may_be_edited: bool = behaviour(
        False,
        {"2.1.108": True},
        documented=True,
        meaning="If the modification time of a file has changed after a Read of the whole file, but the "
        "content has not, the file may be edited, because Edit also compares the content.",
        source="2.1.7-read-before-edit.txt, Edit Tool Pre-Validation",
        shown_by=("staleness/edit-after-touch-full-read", "staleness/latest-read-is-full"),
    )
    offset_1_is_whole_read: bool = behaviour(
        False,
        {"2.1.108": True},
        meaning="A Read with `offset` 1 and without `limit` counts as a Read of the whole file.",
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
        meaning="If the modification time of a file is newer than the session knows, Write compares the content of "
        "the file, instead of refusing the file as changed.",
        shown_by=("staleness/write-after-touch-of-own-edit",),
    )
    edit_of_changed_file_recovers: bool = behaviour(
        False,
        {"2.1.208": True},
        meaning="Edit accepts a file that changed after the Read if `old_string` still occurs in the file exactly "
        "once (with `replace_all`, at least once), and if the change requires no permission.",
        shown_by=("staleness/edit-after-change", "race/edit-changed-during-call"),
    )
    execution_rechecks_freshness: bool = behaviour(
        False,
        {"1.0.111": True},
        meaning="Right before Edit and Write write a file, they check again whether the file has changed "
        "since the session read or wrote it.",
        shown_by=(
            "race/write-changed-in-the-future-during-call",
            "race/edit-changed-in-the-future-during-call",
        ),
    )
    execution_refuses_unread: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="If another program creates a file right before Write writes the file, the refusal says that the "
        "session has not read the file, instead of that the file has changed.",
        shown_by=("race/write-new-created-during-call",),
    )
    execution_stale_refusal: str = behaviour(
        "File has been unexpectedly modified. Read it again before attempting to write it.",
        {
            "2.1.89": "File content has changed since it was last read. This commonly happens when a linter or "
            "formatter run via Bash rewrites the file. Call Read on this file to refresh, then retry the edit."
        },
        meaning="The refusal that is used if a file changes between the validation of a call and the write.",
        shown_by=("race/write-changed-during-call",),
    )


class MemoryBehaviours(Group):
    """Files that a session remembers, and changed files that the product reads again without a call of Read."""

    remembered_file_limit: int | None = behaviour(
        None,
        {"1.0.58": 10, "2.1.75": None},
        documented=None,
        meaning="The maximum number of files that a session remembers. Without `remembered_file_limit`, a session "
        "remembers every file.",
        source="2.1.7-read-before-edit.txt, readFileState Data Structure",
        shown_by=("state/eleven-files-read", "state/eleven-files-written"),
    )
    links_share_record_with_target: bool = behaviour(
        False,
        documented=True,
        meaning="A session remembers a file under its path with all links resolved. A link and its target therefore "
        "count as the same file.",
        source="2.1.7-read-before-edit.txt, readFileState Data Structure",
        shown_by=("links-and-modes/read-link-edit-target", "links-and-modes/read-target-edit-link"),
    )
    final_slash_is_part_of_the_key: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="If a file was read or written under a path with a final slash, the session does not know "
        "the file under the path without the slash.",
        shown_by=("paths/known-with-a-final-slash",),
    )
    own_writes_are_remembered_with_lf: bool = behaviour(
        False,
        {"2.1.216": True},
        meaning="After a Write, the session remembers the content with `\\n` line ends, instead of with the "
        "line ends of the call.",
        shown_by=("staleness/touch-of-own-crlf-write",),
    )
    image_reads_are_remembered: bool = behaviour(
        True,
        {"2.0.67": False},
        documented=True,
        meaning="A Read of an image counts as a Read, so Edit and Write may change the image afterwards.",
        source="2.1.7-read-before-edit.txt, Read Tool Recording File State",
        shown_by=("gate/image-read-then-write", "staleness/change-in-an-image"),
    )
    pdf_reads_are_remembered: bool = behaviour(
        False,
        documented=True,
        meaning="A Read of a PDF counts as a Read, so Edit and Write may change the PDF afterwards.",
        source="2.1.7-read-before-edit.txt, Read Tool Recording File State",
        shown_by=("media/edit-pdf",),
    )
    notebook_edit_updates_the_record: bool = behaviour(
        False,
        {"2.1.86": True},
        meaning="After NotebookEdit has changed a notebook, the session knows the new content.",
        shown_by=("notebooks/write-after-notebook-edit",),
    )
    claude_md_counts_as_read: bool = behaviour(
        False,
        {"2.1.64": True},
        meaning="If a Read of a file also shows the CLAUDE.md of the file's directory or of a parent "
        "directory, this CLAUDE.md counts as read.",
        shown_by=("bash-and-mentions/memory-file-then-edit",),
    )
    edits_show_claude_md: bool = behaviour(
        False,
        {"2.1.288": True},
        meaning="An Edit also shows the CLAUDE.md of the file's directory or of a parent directory, as a Read does.",
        shown_by=("crossings/memory-file-resume",),
    )
    claude_md_counts_as_read_by_agents: bool = behaviour(
        False,
        {"1.0.117": True},
        meaning="If a Read by a sub-agent also shows the CLAUDE.md of the file's directory or of a parent "
        "directory, this CLAUDE.md counts as read by the sub-agent.",
        shown_by=("crossings/memory-file-agent",),
    )
    mentions_outlive_the_next_words: bool = behaviour(
        False,
        {"2.1.75": True},
        meaning="A file that the user mentioned stays known until the session is resumed, instead of only "
        "until the next message of the user.",
        shown_by=("crossings/two-mentions",),
    )
    mentions_count_as_read: str = behaviour(
        "always",
        {"1.0.64": "never", "2.0.19": "unless denied"},
        meaning="Whether a file that the user mentions counts as read: `always`, `never`, or `unless "
        "denied` (only if no deny rule for Read covers the file).",
        shown_by=(
            "bash-and-mentions/mention-then-edit",
            "bash-and-mentions/mention-of-another-file",
            "permissions/mention-of-a-closed-file",
        ),
    )
    changed_own_writes_are_reread: bool = behaviour(
        False,
        {"1.0.3": True},
        documented=False,
        meaning="If a file that the session wrote and knows completely is newer on disk after a message, the product "
        "reads the file again and shows the model the changed lines. After the product has read a changed file "
        "again, the next Edit or Write of the file succeeds.",
        shown_by=("staleness/own-edit-changed-at-once-then-retried",),
    )
    changed_reads_are_reread: bool = behaviour(
        False,
        {"1.0.3": True, "2.0.22": False},
        meaning="If a file is newer on disk after a message, the product reads the file again even if the session "
        "has only read the file, and not written it.",
        shown_by=("links-and-modes/edit-link-makes-target-stale",),
    )
    changes_by_commands_are_reread: bool = behaviour(
        False,
        {"1.0.3": True},
        meaning="Even after a message that ran a shell command, the product reads a file again if the session wrote "
        "the file and the file is newer on disk.",
        shown_by=("bash-and-mentions/sed-in-place-after-own-edit",),
    )
    rereads_fold_dots: bool = behaviour(
        False,
        {"1.0.122": True},
        meaning="To read a changed file again, the product uses the path of the file without `.`, `..` and `//`. If "
        "the session knows the changed file under a path with `.`, `..` or `//`, the file still counts as changed "
        "under this path.",
        shown_by=("crossed/edit-changed-31",),
    )
    missing_files_are_forgotten: bool = behaviour(
        False,
        {"2.1.47": True},
        meaning="If a file that the session wrote does not exist at the end of a message, the session forgets the "
        "file.",
        shown_by=("staleness/deleted-then-made-again",),
    )
    unreadable_changed_files_are_forgotten: bool = behaviour(
        False,
        {"2.1.47": True, "2.1.89": False},
        meaning="If the product tries to read a changed file again, and Read now refuses the file, the session "
        "forgets the file.",
        shown_by=("reminders/too-large-now",),
    )


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


class ReminderBehaviours(Group):
    """Reminders: messages to the model about changed files."""

    changed_file_reminder: str = behaviour(
        "",
        {
            "1.0.3": f"{_MODIFIED} {_NOT_TOLD} {_INTENDED} {_SNIPPET}\n\n{{lines}}",
            "1.0.69": f"{_MODIFIED} {_NOT_TOLD} {_INTENDED} {_SNIPPET}\n{{lines}}",
            "1.0.114": f"{_MODIFIED} {_INTENDED} {_NOT_TOLD} {_LINES}",
            "2.1.234": f"{_CHANGED} {_LINES}",
        },
        meaning="The reminder that a file has changed. If `changed_file_reminder` is empty, the model gets no "
        "reminder about a changed file.",
        shown_by=("reminders/change-after-own-edit", "links-and-modes/edit-link-makes-target-stale"),
    )
    changed_lines_limit: int | None = behaviour(
        None,
        {"2.1.84": 8192},
        meaning="The maximum number of characters of changed lines in a reminder. Without `changed_lines_limit`, a "
        "reminder shows all changed lines.",
        shown_by=("reminders/many-lines-changed", "reminders/long-line-changed"),
    )
    changed_lines_count_one_too_many: bool = behaviour(
        True,
        {"2.1.139": False},
        meaning="If a reminder omits changed lines, the number of omitted lines that the reminder states is "
        "too high by one.",
        shown_by=("reminders/many-lines-changed",),
    )
    reminder_without_changed_lines: str | None = behaviour(
        "(no content)",
        {"1.0.69": "", "1.0.114": None},
        meaning="The text that a reminder uses instead of changed lines, if the file has no changed lines. "
        "With the value none, the model gets no reminder about a file without changed lines.",
        shown_by=("reminders/touch-after-own-edit",),
    )
    secret_file_reminder: str = behaviour(
        "",
        {"2.1.281": f"{_CHANGED} The changes are not shown here; use Read if you need the current content."},
        meaning="The reminder, without the changed lines, about a changed file whose name suggests keys or "
        "passwords, such as `.env`. If `secret_file_reminder` is empty, the reminder about a file such as `.env` "
        "shows the changed lines, as for any other file.",
        shown_by=("reminders/changes-of-secret-files",),
    )
    first_changed_line_is_unpadded: bool = behaviour(
        True,
        {"1.0.69": False},
        meaning="In a reminder, the number of the first changed line is not padded with spaces.",
        shown_by=("reminders/change-after-own-edit",),
    )
    changed_lines_mark_missing_newline: bool = behaviour(
        True,
        {"1.0.119": False},
        meaning="If the last line of a file has no line end, the changed lines in a reminder include a note that the "
        "line end is missing.",
        shown_by=("reminders/long-line-changed",),
    )
    reads_end_with_warning: bool = behaviour(
        False,
        {"1.0.31": True, "2.1.126": False},
        meaning="The answer of Read ends with a warning about malicious files. If a reminder follows the answer, the "
        "warning protects the whitespace at the end of the shown lines from being stripped.",
        shown_by=("staleness/own-change-is-reported-after-any-call", "crossed/own-57"),
    )
    early_refusals_keep_their_end: bool = behaviour(
        False,
        {"1.0.68": True},
        meaning="If a call is refused before its execution, the text of the refusal keeps its trailing "
        "whitespace, even if a reminder follows.",
        shown_by=("staleness/refusal-keeps-its-end-before-a-reminder",),
    )
    reminders_strip_answer_end: bool = behaviour(
        True,
        {"2.1.228": ByModel(enforced=True, relaxed=False)},
        meaning="A reminder about a changed file is part of the result of a call, instead of separate from the "
        "result. In a result that contains a reminder, the reminder follows the answer, and whitespace at the end of "
        "the answer is stripped.",
        shown_by=("sizes/262144-bytes",),
    )

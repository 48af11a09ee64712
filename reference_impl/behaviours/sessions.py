"""Behaviours of sessions that are resumed, summarised or rewound, and of sub-agents."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["SessionBehaviours"]


class SessionBehaviours(Group):
    """Knowledge of files after a resume or a summary, and in sub-agents."""

    resume_keeps_known_files: bool = behaviour(
        False,
        {"1.0.73": True},
        meaning="A resumed session knows the files that the session read or wrote before the resume, instead of no "
        "file.",
        shown_by=("sessions/edit-after-resume", "sessions/write-after-resume"),
    )
    resume_keeps_partial_reads: bool = behaviour(
        False,
        {"2.1.212": True},
        meaning="A resumed session also knows the files that the session read in part.",
        shown_by=("sessions/edit-after-partial-read-and-resume",),
    )
    resume_keeps_own_writes: bool = behaviour(
        False,
        {"2.0.15": True},
        meaning="A resumed session also knows the files that the session wrote and never read.",
        shown_by=("sessions/edit-after-own-write-and-resume",),
    )
    resume_counts_edits_as_seen: bool = behaviour(
        True,
        {"2.1.281": False},
        meaning="A resumed session counts a file that the session edited as seen, so that the answer of an Edit says "
        "that the model knows the whole file.",
        shown_by=("sessions/edit-after-own-edit-and-resume",),
    )
    resume_takes_over_changes: bool = behaviour(
        True,
        {"2.1.91": False},
        meaning="A resumed session detects changes after the Read, and knows the new content.",
        shown_by=("sessions/edit-after-new-change-before-resume",),
    )
    resume_reports_changes_once: bool = behaviour(
        False,
        {"2.0.19": True},
        meaning="A change from before the resume counts as known as soon as it is reported; with the value `no`, the "
        "change is reported again with the first result, and an Edit or Write before is refused.",
        shown_by=("reminders/change-before-resume", "sessions/edit-after-new-change-before-resume"),
    )
    resume_reports_own_edits: bool = behaviour(
        False,
        {"2.0.30": True, "2.1.86": False},
        meaning="A resumed session reports the Edits of the session itself as changes to the files that the session "
        "had read.",
        shown_by=("reminders/own-edit-before-resume",),
    )
    rewind_follows_links: bool = behaviour(
        True,
        {"2.1.216": False},
        meaning="If a link has replaced a file or its directory, a rewind writes to the target of the link.",
        shown_by=("rewind/link-in-its-place", "rewind/parent-replaced-by-a-link"),
    )
    rewind_decodes_as_utf_8: bool = behaviour(
        True,
        {"2.1.83": False},
        meaning="A rewind decodes every file as UTF-8, which damages the first bytes of a restored UTF-16 file.",
        shown_by=("rewind/whatever-the-file-was",),
    )
    sub_agents_have_their_own_memory: bool = behaviour(
        False,
        {"1.0.117": True},
        meaning="A sub-agent knows only the files that the sub-agent itself read or wrote, and its session does not "
        "know them, instead of sharing all known files with the session.",
        shown_by=("sessions/agents-read-unlocks-nothing", "sessions/agent-edits-what-was-read"),
    )
    files_reread_by_compaction: int = behaviour(
        0,
        {"1.0.11": 5},
        meaning="The number of files that are read again when a summary replaces the conversation (compaction), after "
        "which the session knows no other files.",
        shown_by=("sessions/edit-after-compaction", "sessions/five-files-survive-compaction"),
    )

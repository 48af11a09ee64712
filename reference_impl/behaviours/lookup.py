"""Behaviours of path lookup before a call is executed."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["LookupBehaviours"]


class LookupBehaviours(Group):
    """Order of the checks on disk, and the refusal of missing or unsuitable files."""

    validation_failures_quote_the_system: bool = behaviour(
        False,
        {"1.0.53": True},
        meaning="If a system call fails during validation, the refusal quotes the error.",
        shown_by=("creation/edit-at-directory",),
    )
    stat_call_in_refusals: str = behaviour(
        "stat",
        {"2.1.113": "statx", "2.1.208": "stat"},
        meaning="The name of the system call in the refusal of an inaccessible path.",
        shown_by=("paths/name-of-256-bytes", "links-and-modes/loop-write"),
    )
    read_checks_existence_at_execution: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read detects a missing file when it reads, not during validation.",
        shown_by=("race/read-created-during-call", "race/read-deleted-during-call"),
    )
    read_stats_before_open: bool = behaviour(
        False,
        {"2.1.40": True, "2.1.251": False},
        meaning="Read determines the size of a file before it reads the file.",
        shown_by=("race/read-deleted-during-call", "paths/parent-is-file-read", "links-and-modes/loop-read"),
    )
    edit_stats_before_open: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="Edit checks a path before it opens the file.",
        shown_by=("paths/parent-is-file-edit", "paths/trailing-slash-edit"),
    )
    edit_opens_before_gate: bool = behaviour(
        False,
        {"2.1.63": True},
        meaning="Edit reads the file before it checks whether the file may be edited, so that an Edit of a directory "
        "fails at reading.",
        shown_by=("paths/directory-edit", "paths/directory-named-like-notebook"),
    )
    write_stats_before_gate: bool = behaviour(
        False,
        {"2.1.63": True},
        meaning="Write refuses a path that the system cannot resolve, such as a link to itself, instead of treating "
        "the path as a missing file.",
        shown_by=("links-and-modes/loop-write",),
    )
    sockets_are_special_files: bool = behaviour(
        False,
        {"2.1.328": True},
        meaning="Edit and Write refuse a socket as a special file instead of as an unread file.",
        shown_by=("media/socket",),
    )
    missing_file_remark: str = behaviour(
        "",
        {
            "1.0.10": " Current working directory: {root}",
            "1.0.21": "",
            "2.1.48": " Note: your current working directory is {root}.",
        },
        meaning="The remark on the working directory in the refusal of a missing file.",
        shown_by=("paths/missing-read", "paths/missing-edit"),
    )
    suggestions_are_sanitized: bool = behaviour(
        False,
        {"2.1.290": True},
        meaning="The refusal of a missing file escapes control characters in the suggested file name (as `&#9;`), and "
        "never suggests a name that ends in whitespace.",
        shown_by=("paths/missing-suggests-odd-names", "paths/missing-suggests-marked-names"),
    )
    read_refusal_names_directory: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read names the directory if it refuses to read a directory.",
        shown_by=("paths/directory-read", "paths/empty-path-read"),
    )
    directory_refusal_puts_name_for_real_path: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="In the refusal to read a directory, the path of the call replaces every occurrence of the resolved "
        "path, so that a final slash, and a link to a parent directory, appear twice.",
        shown_by=("paths/directory-read-trailing-slash", "links-and-modes/links-with-a-final-slash"),
    )
    write_refusal_names_directory: bool = behaviour(
        False,
        {"2.1.277": True},
        meaning="Write names the directory if it refuses to replace a directory.",
        shown_by=("paths/directory-write", "paths/tilde-alone-write"),
    )
    read_refuses_link_loops: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="Read refuses links that form a loop.",
        shown_by=("links-and-modes/loop-read",),
    )

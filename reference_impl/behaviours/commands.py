"""Behaviours of shell commands that the model runs."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["CommandBehaviours"]

_FIRST = "cat sed"
_MORE = f"{_FIRST} head tail grep egrep fgrep"


class CommandBehaviours(Group):
    """Effects of shell commands on the session's knowledge, and their permissions."""

    commands_that_count_as_read: str = behaviour(
        "",
        {"2.1.89": _FIRST, "2.1.144": _MORE, "2.1.176": f"{_MORE} nl rg"},
        meaning="The commands that count as a Read of the lines that they show, if they show one file and do nothing "
        "else.",
        shown_by=("bash-and-mentions/cat", "bash-and-mentions/head", "bash-and-mentions/nl"),
    )
    commands_bound_by_deny_rules: str = behaviour(
        "",
        {
            "1.0.102": "show",
            "1.0.117": "show sed-i",
            "2.1.30": "show sed",
            "2.1.129": "show sed copies",
            "2.1.257": "show sed copies inputs",
            "2.1.269": "show sed copies inputs tee",
        },
        meaning="The commands that are refused if they obviously read or change a file that a deny rule covers: "
        "`show` (`cat`, `grep` and similar, `rm`, the old name of `mv`), `sed-i` or `sed`, `copies` (new names of "
        "`cp` and `mv`), `inputs` (standard input and the files that `cp` reads) and `tee`.",
        shown_by=(
            "permissions/commands-that-write-closed-files",
            "permissions/commands-that-move-closed-files",
            "permissions/commands-that-read-closed-files",
            "permissions/more-commands-that-read-closed-files",
        ),
    )
    redirections_bound_by_deny_rules: str = behaviour(
        "not",
        {"2.0.55": "by their file", "2.1.89": "as commands"},
        meaning="The refusal of a command whose output goes to a file that a deny rule covers: `not` (no refusal), "
        "`by their file` (the refusal names the file), or `as commands` (the refusal that other commands get).",
        shown_by=("permissions/commands-that-write-closed-files",),
    )
    deny_rules_follow_commands: bool = behaviour(
        True,
        {"2.1.324": False},
        meaning="The patterns of relative deny rules start at the directory of the latest `cd`.",
        shown_by=("working-directory/cd-into-a-closed-folder",),
    )
    user_messages_end_a_change_of_directory: bool = behaviour(
        True,
        {"2.1.265": False},
        meaning="After a message of the user, commands and relative paths start at the first directory of the "
        "session.",
        shown_by=("working-directory/cd-then-mention", "working-directory/cd-then-rewind-and-on"),
    )
    commands_ignore_standard_input: bool = behaviour(
        True,
        {"1.0.112": False},
        meaning="A command whose standard input is a file gets an empty standard input instead.",
        shown_by=("bash-and-mentions/cat-standard-input",),
    )
    failed_commands_tell_their_code: bool = behaviour(
        False,
        {"2.0.30": True},
        meaning="The answer to a failing command begins with its exit code.",
        shown_by=("bash-and-mentions/cat-fails",),
    )
    failed_command_output_order: str = behaviour(
        "errors first",
        {"2.1.45": "twice", "2.1.71": "in order"},
        meaning="The output of a failing command in its answer: `errors first`, `in order` (standard output, then "
        "errors), or `twice` (standard output and errors, and both again).",
        shown_by=("bash-and-mentions/cat-fails",),
    )
    in_place_commands_report_known_files: bool = behaviour(
        False,
        {"2.1.309": True},
        meaning="If a command rewrites files in place, the answer of the command names the files that the session "
        "knows and that are newer now.",
        shown_by=("bash-and-mentions/sed-in-place-after-read",),
    )

"""Commands: what a session makes of the commands that its model runs."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import behaviour

__all__ = ["CommandBehaviours"]

_FIRST = "cat sed"
_MORE = f"{_FIRST} head tail grep egrep fgrep"


@dataclass(frozen=True, kw_only=True)
class CommandBehaviours:
    """What commands show and change."""

    reading_commands: str = behaviour(
        "",
        {"2.1.112": _FIRST, "2.1.160": _MORE, "2.1.207": f"{_MORE} nl rg"},
        meaning="The value is which commands, where they show one file and do nothing else, count as a Read "
        "of what they show.",
        shown_by=("bash-and-mentions/cat", "bash-and-mentions/head", "bash-and-mentions/nl"),
    )
    rewritten_files_are_told: bool = behaviour(
        False,
        {"2.1.328": True},
        meaning="The answer to a command that rewrites files in place names the known files that are "
        "newer now.",
        shown_by=("bash-and-mentions/sed-in-place-after-read",),
    )
    mentions_are_reads: bool = behaviour(
        True,
        {"1.0.126": False, "2.0.76": True},
        meaning="A file that the user mentions counts as read.",
        shown_by=("bash-and-mentions/mention-then-edit", "bash-and-mentions/mention-of-another-file"),
    )
    memory_files_are_read: bool = behaviour(
        False,
        {"2.1.64": True},
        meaning="A file CLAUDE.md that is shown with a file that was read beside or below it counts as read.",
        shown_by=("bash-and-mentions/memory-file-then-edit",),
    )
    commands_get_no_input: bool = behaviour(
        True,
        {"1.0.126": False},
        meaning="A command that takes a file for its standard input gets an empty one instead.",
        shown_by=("bash-and-mentions/cat-standard-input",),
    )
    changes_by_commands_are_noticed: bool = behaviour(
        False,
        {"1.0.60": True},
        meaning="After a command, too, a file that the session wrote and that is newer on disk is read again.",
        shown_by=("bash-and-mentions/sed-in-place-after-own-edit",),
    )
    command_errors_come_in_order: bool = behaviour(
        False,
        {"2.1.87": True},
        meaning="The output of a failing command stands in the order of printing; otherwise errors come first.",
        shown_by=("bash-and-mentions/cat-fails",),
    )

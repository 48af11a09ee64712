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
        {"2.1.89": _FIRST, "2.1.144": _MORE, "2.1.176": f"{_MORE} nl rg"},
        meaning="The value is which commands, where they show one file and do nothing else, count as a Read "
        "of what they show.",
        shown_by=("bash-and-mentions/cat", "bash-and-mentions/head", "bash-and-mentions/nl"),
    )
    rewritten_files_are_told: bool = behaviour(
        False,
        {"2.1.309": True},
        meaning="The answer to a command that rewrites files in place names the known files that are "
        "newer now.",
        shown_by=("bash-and-mentions/sed-in-place-after-read",),
    )
    mentions_are_reads: bool = behaviour(
        True,
        {"1.0.64": False, "2.0.19": True},
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
        {"1.0.112": False},
        meaning="A command that takes a file for its standard input gets an empty one instead.",
        shown_by=("bash-and-mentions/cat-standard-input",),
    )
    changes_by_commands_are_noticed: bool = behaviour(
        False,
        {"1.0.3": True},
        meaning="After a command, too, a file that the session wrote and that is newer on disk is read again.",
        shown_by=("bash-and-mentions/sed-in-place-after-own-edit",),
    )
    output_of_failures: str = behaviour(
        "errors first",
        {"2.1.45": "twice", "2.1.71": "in order"},
        meaning="The value says how the output of a failing command is shown: `errors first`, `in order` of printing, "
        "or `twice` in that order.",
        shown_by=("bash-and-mentions/cat-fails",),
    )

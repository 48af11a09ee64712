"""Commands: what a session makes of the commands that its model runs."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.group import Group
from readfirst.reference_impl.behaviours.history import behaviour

__all__ = ["CommandBehaviours"]

_FIRST = "cat sed"
_MORE = f"{_FIRST} head tail grep egrep fgrep"


class CommandBehaviours(Group):
    """What commands show and change."""

    commands_that_count_as_read: str = behaviour(
        "",
        {"2.1.89": _FIRST, "2.1.144": _MORE, "2.1.176": f"{_MORE} nl rg"},
        meaning="The value has the commands that count as a Read of what they show, if they show one file and do "
        "nothing else.",
        shown_by=("bash-and-mentions/cat", "bash-and-mentions/head", "bash-and-mentions/nl"),
    )
    commands_ignore_standard_input: bool = behaviour(
        True,
        {"1.0.112": False},
        meaning="A command that takes a file as its standard input gets an empty one instead.",
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
        meaning="The value says how the output of a failing command is shown: `errors first`, `in order` of printing, "
        "or `twice` in that order.",
        shown_by=("bash-and-mentions/cat-fails",),
    )
    in_place_commands_report_known_files: bool = behaviour(
        False,
        {"2.1.309": True},
        meaning="The answer to a command that rewrites files in place names the known files that are now newer.",
        shown_by=("bash-and-mentions/sed-in-place-after-read",),
    )

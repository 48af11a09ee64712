"""Bash: the files that a command has shown, and the known files that it changed. The shell runs the command."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from readfirst.reference_impl.argument_validation import Parameter, Schema
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.access import resolve_path
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.shell.denied import denied_part, needs_approval
from readfirst.reference_impl.shell.displayed_lines import Shown, shown_by
from readfirst.reference_impl.shell.shell import CommandResult
from readfirst.reference_impl.tools import read as read_tool
from readfirst.reference_impl.tools.tool import keep_arguments as prepare

__all__ = ["check_permissions", "execute", "prepare", "schema", "validate"]

_REWRITES = re.compile(r"\bsed\b.*\s-i")
"""A command that rewrites files in place."""


def schema(behaviours: Behaviours) -> Schema:
    """Return the parameters of Bash."""
    return Schema(
        "Bash",
        description="Run a command.",
        behaviours=behaviours,
        parameters=(
            Parameter("command", description="The command", required=True),
            Parameter("description", description="What the command does, in a few words"),
            Parameter("timeout", description="Milliseconds that it may take", type="number"),
        ),
    )


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse nothing: the shell decides which commands it runs."""


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse a command that obviously reads or changes denied files, or that needs a permission."""
    assert session.shell is not None  # a session without a shell does not have this tool
    permissions = session.permissions
    grants = permissions.grants
    if grants is not None and grants.mode == "default":
        allowed = partial(grants.allow.denies, "Edit")
        if needs_approval(arguments["command"], session.shell.directory, allowed):
            raise Refusal("permission_denied", "This command requires approval")
    bound = session.behaviours.commands.commands_bound_by_deny_rules
    if not permissions.rules.lists or not bound:
        return
    command, how = arguments["command"], session.behaviours.commands.redirections_bound_by_deny_rules
    found = denied_part(
        command,
        session.shell.directory,
        permissions.rules.denies,
        checks=frozenset(bound.split()),
        redirected=how != "not",
    )
    if found is None:
        return
    if found.moved:
        message = f"{found.program} from '{found.path}' was blocked by a deny rule."
    elif found.redirected and how == "by their file":
        message = f"Output redirection to '{found.path}' was blocked by a deny rule."
    else:
        message = f"Permission to use Bash with command {found.text} has been denied."
    raise Refusal("permission_denied", message)


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Run the command and return its output. In some versions, files that the command shows count as read. Raises
    Refusal if the command failed.
    """
    assert session.shell is not None  # a session without a shell does not have this tool
    directory = session.shell.directory
    behaviours = session.behaviours
    session.has_just_run = True
    command = arguments["command"]
    if behaviours.commands.commands_ignore_standard_input:
        first, pipe, rest = command.partition("|")
        command = f"{first} < /dev/null {pipe}{rest}"
    ran = session.shell.run(command)
    _follow_directory(session, directory)
    printed = _output_text(ran, behaviours)
    if ran.code:
        code = f"Exit code {ran.code}" if behaviours.commands.failed_commands_tell_their_code else ""
        raise Refusal("command_failed", "\n".join(filter(None, (code, printed))))
    if printed:
        programs = frozenset(behaviours.commands.commands_that_count_as_read.split())
        for shown in shown_by(arguments["command"], programs) or ():
            with contextlib.suppress(OSError, RecursionError, Refusal):
                _remember_lines(session, shown, directory)
    notice = _modified_notice(session, directory) if _REWRITES.search(arguments["command"]) else ""
    return "\n".join(filter(None, (printed, notice)))


def _follow_directory(session: Session, before: str) -> None:
    """Continue in the final directory of the command. Commands of a sub-agent always start in its first directory."""
    assert session.shell is not None
    if session.is_agent:
        session.shell.directory = before
    else:
        session.enter(session.shell.directory)


def _output_text(ran: CommandResult, behaviours: Behaviours) -> str:
    """Return the standard output and the errors of a command as one text for the model. After a failure, some
    versions put the errors first, or print both twice.
    """
    parts = [part for part in (ran.output.rstrip(), ran.errors.rstrip()) if part]
    in_order = "\n".join(parts)
    match behaviours.commands.failed_command_output_order if ran.code else "in order":
        case "errors first":
            return "\n\n".join(reversed(parts))
        case "twice":
            return f"{in_order}\n\n{in_order}"
        case _:
            return in_order


def _remember_lines(session: Session, shown: Shown, directory: str) -> None:
    """Remember a file like a Read of the same lines. If the line numbers are unknown, the file is remembered
    without its content.
    """
    path = resolve_path(shown.path, directory, folds=True)
    if not shown.known:
        disk.read(path)
        session.memory.remember(path, None)
        return
    lines = {"offset": shown.offset, "limit": shown.limit}
    asked = {name: value for name, value in lines.items() if value is not None}
    read_tool.lines_of_file(session, path, {"file_path": path, **asked})
    record = session.memory.records.get(path)
    if record is not None:  # a Read of the same lines shows them
        session.memory.records.put(path, replace(record, asked=None))


def _modified_notice(session: Session, directory: str) -> str:
    """Return the notice about known files that are newer now. The notice blames the command for all changes."""
    if not session.behaviours.commands.in_place_commands_report_known_files:
        return ""
    changed = [path for path in session.memory.records.newest_first() if _is_newer(session, path)]
    if not changed:
        return ""
    names = ", ".join(os.path.relpath(path, directory) for path in changed)
    files = "1 file" if len(changed) == 1 else f"{len(changed)} files"
    return f"[This command modified {files} you've previously read: {names}. Call Read before editing.]"


def _is_newer(session: Session, path: str) -> bool:
    record = session.memory.records.get(path)
    try:
        return record is not None and session.memory.is_newer(path, record)
    except OSError:
        return False

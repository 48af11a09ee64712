"""The tool Bash: check the permissions of a command, run it in the shell, and record its effects on the known files."""

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
from readfirst.reference_impl.shell.denied import find_denied_command, needs_approval, output_files
from readfirst.reference_impl.shell.displayed_lines import DisplayedLines, displayed_lines
from readfirst.reference_impl.shell.shell import CommandResult
from readfirst.reference_impl.tools import read as read_tool
from readfirst.reference_impl.tools.tool import keep_arguments as prepare

__all__ = ["check_permissions", "execute", "prepare", "schema", "validate"]

_IN_PLACE_PATTERN = re.compile(r"\bsed\b.*\s-i")
"""Matches a command that uses `sed -i`, which rewrites files in place."""


def schema(behaviours: Behaviours) -> Schema:
    """Return the schema of Bash."""
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
    """Do nothing: Bash has no validation, and only permissions can refuse a command."""


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a command obviously reads or changes denied files, or needs a permission."""
    assert session.shell is not None  # a session without a shell does not have this tool
    permissions, behaviours = session.permissions, session.behaviours
    command, directory, grants = arguments["command"], session.shell.directory, permissions.grants
    if grants is not None and grants.mode == "default":
        outputs = output_files(command, directory)
        if outputs and behaviours.commands.redirection_approval_refusal:
            message = behaviours.commands.redirection_approval_refusal.format(path=outputs[0])
            raise Refusal("permission_denied", message)
        allowed = partial(grants.allow.denies, "Edit")
        reads_need_approval = behaviours.commands.reading_commands_need_approval
        if needs_approval(command, directory, allowed, reads_need_approval=reads_need_approval):
            raise Refusal("permission_denied", behaviours.commands.approval_refusal)
    bound = behaviours.commands.commands_bound_by_deny_rules
    how = behaviours.commands.redirections_bound_by_deny_rules
    if not permissions.rules.lists or not bound:
        return
    denied = find_denied_command(
        command,
        directory,
        permissions.rules.denies,
        checks=frozenset(bound.split()),
        redirected=how != "not",
    )
    if denied is None:
        return
    if denied.after_cd:
        message = f"{denied.program} from '{denied.path}' was blocked by a deny rule."
    elif denied.redirected and how == "by their file":
        message = f"Output redirection to '{denied.path}' was blocked by a deny rule."
    else:
        message = f"Permission to use Bash with command {denied.text} has been denied."
    raise Refusal("permission_denied", message)


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Run the command and return its output. In some versions, displayed files count as read. Raises Refusal."""
    assert session.shell is not None  # a session without a shell does not have this tool
    directory = session.shell.directory
    behaviours = session.behaviours
    session.has_just_run = True
    command = arguments["command"]
    if behaviours.commands.commands_ignore_standard_input:
        first, pipe, rest = command.partition("|")
        command = f"{first} < /dev/null {pipe}{rest}"
    result = session.shell.run(command)
    _follow_directory(session, directory)
    printed = _output_text(result, behaviours)
    if result.code:
        if behaviours.commands.failed_commands_tell_their_code:
            printed = "\n".join(filter(None, (f"Exit code {result.code}", printed)))
        raise Refusal("command_failed", printed or "Error")
    if printed:
        programs = frozenset(behaviours.commands.commands_that_count_as_read.split())
        for lines in displayed_lines(arguments["command"], programs) or ():
            with contextlib.suppress(OSError, RecursionError, Refusal):
                _remember_lines(session, lines, directory)
    notice = _modified_notice(session, directory) if _IN_PLACE_PATTERN.search(arguments["command"]) else ""
    return "\n".join(filter(None, (printed, notice)))


def _follow_directory(session: Session, before: str) -> None:
    """Start the next command in the last directory of this command. In a sub-agent, start it in `before`."""
    assert session.shell is not None
    if session.is_agent:
        session.shell.directory = before
    else:
        session.change_directory(session.shell.directory)


def _output_text(result: CommandResult, behaviours: Behaviours) -> str:
    """Join the outputs of a command. If it failed, some versions use a different order, or repeat the outputs."""
    parts = [part for part in (result.output.rstrip(), result.errors.rstrip()) if part]
    in_order = "\n".join(parts)
    match behaviours.commands.failed_command_output_order if result.code else "in order":
        case "errors first":
            return "\n\n".join(reversed(parts))
        case "twice":
            return f"{in_order}\n\n{in_order}"
        case _:
            return in_order


def _remember_lines(session: Session, lines: DisplayedLines, directory: str) -> None:
    """Record displayed lines as after a Read. If the line numbers are unknown, the content is not recorded."""
    path = resolve_path(lines.path, directory, resolves_dots=True)
    if not lines.has_line_numbers:
        disk.read(path)
        session.memory.record_read(path, None)
        return
    line_arguments = {"offset": lines.offset, "limit": lines.limit}
    read_arguments = {name: value for name, value in line_arguments.items() if value is not None}
    read_tool.read_lines(session, path, {"file_path": path, **read_arguments})
    record = session.memory.records.get(path)
    if record is not None:  # a Read of the same lines shows them
        session.memory.records.put(path, replace(record, requested_lines=None))


def _modified_notice(session: Session, directory: str) -> str:
    """Return a notice that lists the known files that the command changed. Empty in some versions."""
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

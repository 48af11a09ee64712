"""The file tools of one session, as a library."""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from readfirst.reference_impl.argument_validation import Schema, parse_truncated_arguments
from readfirst.reference_impl.behaviours_by_version import DEFAULT_CONTRACT, Behaviours, behaviours_of
from readfirst.reference_impl.call_result import PreparedCall, Result, answer_text, convert_errors
from readfirst.reference_impl.reading.notebook import is_notebook
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.guarded_paths import background_message
from readfirst.reference_impl.session.hooks import Hook
from readfirst.reference_impl.session.permission_rules import MODES, Mode
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.shell.shell import Shell
from readfirst.reference_impl.text.content import WHITESPACE
from readfirst.reference_impl.tools.changed_files import report_hook_change, reread_files
from readfirst.reference_impl.tools.implicit_reads import read_memory_files, refresh_memory_files, show_file
from readfirst.reference_impl.tools.registry import TOOLS
from readfirst.reference_impl.tools.tool import Answer, Tool

__all__ = ["FileTools", "Result"]


_PARALLEL_CALLS = 10


class FileTools:
    """The tools Read, Edit and Write of one session, for one contract or a combination of behaviours.

    `root` is the working directory, which must exist. `root` is not a sandbox: absolute paths and `..` lead out of it,
    as in the product. `home` is the meaning of `~` (default: the user's home directory). `deny` contains permission
    rules as in a settings file, for example `Edit(secret/**)`. `shell` runs commands; without a shell, Bash is not
    available. `hooks` run before and after each call. With a permission `mode` such as `plan`, calls that need a
    permission are refused unless a rule of `allow` covers them (default: no call needs a permission). `additional`
    contains further working directories. `checkpoints` must be true to use `rewind`. Raises ValueError for an unknown
    contract or mode, a root that is not a directory, or an invalid rule.

    `call` returns the answer for a model, also for a refused call; `read`, `edit`, `write` and `notebook_edit` return
    the text or raise `Refusal`. A refused call does not change the disk. Not thread-safe.
    """

    def __init__(
        self,
        contract: str | Behaviours = DEFAULT_CONTRACT,
        *,
        root: str | os.PathLike[str],
        home: str | os.PathLike[str] | None = None,
        deny: Iterable[str] = (),
        shell: Shell | None = None,
        hooks: Iterable[Hook] = (),
        mode: Mode | None = None,
        allow: Iterable[str] = (),
        additional: Iterable[str | os.PathLike[str]] = (),
        checkpoints: bool = False,
    ) -> None:
        if not Path(root).is_dir():
            raise ValueError(
                f"root is not a directory: {os.fspath(root)!r}; create it first, or name another one"
            )
        root_path = str(Path(root).absolute())
        home_path = str((Path.home() if home is None else Path(home)).absolute())
        behaviours = behaviours_of(contract)
        if mode is not None and mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}; there are {', '.join(MODES)}")
        self._session = Session.open_session(
            behaviours,
            root=root_path,
            home=home_path,
            deny=deny,
            shell=shell,
            hooks=hooks,
            mode=mode,
            allow=allow,
            additional=[str(Path(each).absolute()) for each in additional],
            checkpoints=checkpoints,
        )
        absent = {
            "MultiEdit": not behaviours.calls.multi_edit_exists,
            "NotebookRead": not behaviours.notebooks.read_refuses_notebooks,
            "Bash": shell is None,
        }
        self._tools = tuple(name for name in TOOLS if not absent.get(name))
        self._schemas: dict[str, Schema] = {}
        self._pending_reminders: tuple[str, ...] = ()
        """Reminders about files that changed between two calls. The next result contains them."""

    @property
    def schemas(self) -> Sequence[Schema]:
        """The schemas of the available tools. A deny rule without a pattern makes its tool unavailable."""
        removed = self._session.permissions.rules.removed
        return [self._tool_schema(name) for name in self._tools if name not in removed]

    def resume(self) -> None:
        """End the session and resume it, as a restart of the program does."""
        ended, self._session = self._session, self._session.after_resume()
        self._pending_reminders += self._take_noticed_files()[1]
        if not self._session.behaviours.sessions.resume_reports_changes_once:
            self._session = ended.after_resume()
        self._session.receive_user_message()

    def compact(self) -> None:
        """Replace the conversation by a summary: forget all files, then read the last changed files again."""
        self._end_message([])
        kept = self._session.memory.latest_changed(
            self._session.behaviours.sessions.files_reread_by_compaction
        )
        self._session = self._session.without_known_files()
        reread_files(self._session, kept)
        self._session.memory.before_parallel_reads.clear()

    def rewind(self) -> None:
        """Restore the files that the tools changed to their content at the last message of the user. Changes by
        commands and sub-agents stay. Raises OSError if a file cannot be restored, and ValueError without `checkpoints`.
        """
        self._session.rewind()
        self._pending_reminders += self._take_noticed_files()[1]

    def mention(self, path: str) -> None:
        """Show a file to the model, because the user mentions it in a message. `path` is absolute."""
        self._receive_user_message()
        counts = self._session.behaviours.memory.mentions_count_as_read
        if counts != "never":
            show_file(self._session, path, obeys_rules=counts == "unless denied")
            self._session.memory.mentioned.add(path)

    @contextlib.contextmanager
    def sub_agent(self) -> Iterator[FileTools]:
        """Yield the tools of a sub-agent. Do not call the tools of this session until the `with` block ends."""
        yield self._new_agent()
        refresh_memory_files(self._session)
        self._pending_reminders += self._take_noticed_files()[1]

    def background_agent(self) -> FileTools:
        """Return the tools that a sub-agent in the background uses."""
        agent = self._new_agent()
        permissions = replace(agent._session.permissions, in_background=True)
        agent._session = replace(agent._session, permissions=permissions)
        return agent

    def _new_agent(self) -> FileTools:
        agent = copy.copy(self)
        agent._session = self._session.sub_agent()
        agent._pending_reminders = ()
        return agent

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        """Execute the only call of a message of the model. The values of arguments may be any JSON values."""
        return self.call_during(tool, arguments, lambda: None)

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Result]:
        """Execute the calls of one message in order, after preparing all arguments. Return their results in order."""
        prepared = [(tool, self._prepare_arguments(tool, arguments)) for tool, arguments in calls]
        by_tens = self._session.behaviours.calls.ten_calls_run_at_once
        results = []
        for number, (tool, each) in enumerate(prepared):
            if tool != "Read" or (by_tens and number % _PARALLEL_CALLS == 0):
                self._session.memory.before_parallel_reads.clear()
            results.append(self._answer_call(tool, each))
        return self._end_message(results, [tool for tool, _ in calls])

    def call_during(self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]) -> Result:
        """Execute one call. Between validation and execution, call `interfere`, for example to change a file."""
        return self._end_message(
            [self._answer_call(tool, self._prepare_arguments(tool, arguments), interfere)], [tool]
        )[0]

    def call_given_up(self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]) -> Result:
        """Cancel a call as the user does, between validation and execution, after calling `interfere`. Then process the
        user's next message. If the validation refuses the call, return the refusal.
        """

        def give_up() -> None:
            interfere()
            raise Refusal("cancelled", self._session.behaviours.calls.given_up_remark)

        result = self.call_during(tool, arguments, give_up)
        if result.error == "cancelled":
            if self._session.behaviours.calls.giving_up_shows_changes:
                self._pending_reminders += reread_files(
                    self._session, self._session.memory.outdated_paths(everything=True)
                )
            self._receive_user_message()
        return result

    def call_stopped(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        """Execute a call. The user cancels it before the model sees the answer, and then sends a message."""
        path = str(arguments.get("file_path"))
        known = self._session.memory.records.peek(path)
        result = self.call(tool, arguments)
        if not result.is_error:
            self._receive_user_message()
            if remark := self._session.behaviours.calls.stopped_remark:
                self._session.memory.unreported_writes[path] = known
                as_cancelled = remark == self._session.behaviours.calls.given_up_remark
                return Result(remark, True, "cancelled" if as_cancelled else "stopped", None)
        return result

    def _receive_user_message(self) -> None:
        """Process the next message of the user: a mention, or the message after a cancelled call."""
        if self._session.behaviours.calls.user_messages_forget_files:
            self._session = self._session.without_known_files()
        self._session.receive_user_message()

    def call_at_limit(self, tool: str, arguments: str) -> Result:
        """Return the result of a call whose JSON `arguments` are truncated, because the message was too long."""
        try:
            return self.call(tool, parse_truncated_arguments(tool, arguments, self._session.behaviours))
        except Refusal as refusal:
            return self._end_message([self._answer_call(tool, refusal)], [tool])[0]

    def read(self, file_path: str, offset: float | None = None, limit: float | None = None) -> str:
        """Return `limit` numbered lines of a file, starting at line `offset`. The first line is 1. Raises Refusal."""
        return self._call_or_raise("Read", file_path=file_path, offset=offset, limit=limit)

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> str:
        """Replace `old_string` by `new_string` in a file, and return the answer. Raises Refusal."""
        return self._call_or_raise(
            "Edit",
            file_path=file_path,
            old_string=old_string,
            new_string=new_string,
            replace_all=replace_all or None,
        )

    def write(self, file_path: str, content: str) -> str:
        """Replace the whole content of a file, or create the file, and return the answer. Raises Refusal."""
        return self._call_or_raise("Write", file_path=file_path, content=content)

    def notebook_edit(
        self,
        notebook_path: str,
        new_source: str = "",
        *,
        cell_id: str | None = None,
        cell_number: int | None = None,
        cell_type: str | None = None,
        edit_mode: str | None = None,
    ) -> str:
        """Replace, insert or delete one cell of a notebook, and return the answer. Raises Refusal. `cell_id` names the
        cell; contracts before 1.0.22 require `cell_number` instead, which counts from 0. `cell_type` is `code` or
        `markdown`, `edit_mode` is `replace` (the default), `insert` or `delete`.
        """
        return self._call_or_raise(
            "NotebookEdit",
            notebook_path=notebook_path,
            cell_id=cell_id,
            cell_number=cell_number,
            new_source=new_source,
            cell_type=cell_type,
            edit_mode=edit_mode,
        )

    def _call_or_raise(self, tool: str, **arguments: Any) -> str:
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            prepared = self._validate_call(tool, self._prepare_arguments(tool, given))
            return answer_text(self._session, tool, self._execute_call(tool, prepared))
        finally:
            self._end_message([])

    def _end_message(self, results: list[Result], tools: Sequence[str] = ()) -> list[Result]:
        """End a message of the model, whose calls used `tools`. Return `results`, the last one with the reminders."""
        outdated, noticed = self._take_noticed_files()
        said = self._session.hooks.take_reminders() if self._session.hooks is not None else ()
        if not results:
            return results
        behaviours = self._session.behaviours
        plain = [path for path in outdated if not is_notebook(path, behaviours)]
        if plain and noticed and behaviours.reminders.reminders_strip_answer_end:
            warned = behaviours.reminders.reads_end_with_warning
            kept = behaviours.reminders.early_refusals_keep_their_end
            results = [
                result
                if (warned and tool == "Read" and not result.is_error) or (kept and result.early)
                else replace(result, text=result.text.rstrip(WHITESPACE))
                for tool, result in zip(tools, results, strict=True)
            ]
        reminders = (*self._pending_reminders, *noticed, *said)
        self._pending_reminders = ()
        return [*results[:-1], replace(results[-1], reminders=reminders)] if reminders else results

    def _take_noticed_files(self) -> tuple[Sequence[str], tuple[str, ...]]:
        """Return the files that are found changed at the end of a message, and the reminders about them."""
        watches = self._session.behaviours.memory.changed_own_writes_are_reread
        if self._session.has_just_run:
            self._session.has_just_run = False
            watches = watches and self._session.behaviours.memory.changes_by_commands_are_reread
        outdated = self._session.memory.outdated_paths() if watches else []
        reminders = reread_files(self._session, outdated) if outdated else ()
        self._session.memory.before_parallel_reads.clear()
        return outdated, reminders

    def _prepare_arguments(self, tool: str, arguments: Mapping[str, Any]) -> PreparedCall | Refusal:
        """Return the prepared arguments of a call, or a refusal for an unavailable tool or an invalid argument."""
        rules = TOOLS[tool] if tool in self._tools else None
        removed = rules is not None and tool in self._session.permissions.rules.removed
        if rules is None or removed:
            why = self._session.behaviours.calls.removed_tool_remark.format(tool=tool) if removed else ""
            return Refusal("invalid_arguments", f"Error: No such tool available: {tool}{why}")
        schema = self._tool_schema(tool)
        try:
            fitted = schema.fit_arguments(arguments)
            note = schema.note(arguments)
            return PreparedCall(rules.prepare(self._session, fitted, corrected=bool(note)), note)
        except Refusal as refusal:
            return refusal

    def _tool_schema(self, tool: str) -> Schema:
        """Return the schema of a tool. Each schema is created at its first use, because few sessions use every tool."""
        if tool not in self._schemas:
            self._schemas[tool] = TOOLS[tool].schema(self._session.behaviours)
        return self._schemas[tool]

    def _answer_call(
        self, tool: str, prepared: PreparedCall | Refusal, interfere: Callable[[], None] = lambda: None
    ) -> Result:
        early = True
        try:
            valid = self._validate_call(tool, prepared)
            early = False
            interfere()
            answer = self._execute_call(tool, valid)
        except Refusal as refusal:
            message = refusal.message
            if self._session.permissions.in_background:
                message = background_message(message, tool, self._session.behaviours)
            return Result(message, is_error=True, error=refusal.name, code=refusal.code, early=early)
        return Result(answer_text(self._session, tool, answer), is_error=False, error=None, code=None)

    def _validate_call(self, tool: str, prepared: PreparedCall | Refusal) -> PreparedCall:
        if isinstance(prepared, Refusal):
            raise prepared
        explained = self._session.behaviours.lookup.validation_failures_quote_the_system
        with convert_errors(f"Error calling tool ({tool}): " if explained else None):
            TOOLS[tool].validate(self._session, prepared.arguments)
        return prepared

    def _execute_call(self, tool: str, prepared: PreparedCall) -> Answer:
        rules = TOOLS[tool]
        hooks = self._session.hooks
        if hooks is None:
            rules.check_permissions(self._session, prepared.arguments)
            return self._execute_tool(tool, rules, prepared)
        named_reads = self._session.memory.named_reads if tool == "Read" else {}
        named = str(prepared.arguments.get("file_path"))
        named_reads[named] = None
        hook_result = hooks.before(tool, prepared.arguments)
        if hook_result.arguments is not None:
            replaced = self._prepare_arguments(tool, hook_result.arguments)
            if isinstance(replaced, Refusal):
                raise replaced
            prepared = replaced
        named_reads[named] = str(prepared.arguments.get("file_path"))
        if not hook_result.allowed or self._session.behaviours.permissions.deny_checked_before_validation:
            rules.check_permissions(self._session, prepared.arguments)
        known = set(self._session.memory.records.newest_first())
        answer = self._execute_tool(tool, rules, prepared)
        if hooks.after(tool, prepared.arguments, answer, in_agent=self._session.is_agent):
            report_hook_change(self._session, tool, prepared.arguments, known)
        return answer

    def _execute_tool(self, tool: str, rules: Tool, prepared: PreparedCall) -> Answer:
        with convert_errors(""):
            answer = rules.execute(self._session, prepared.arguments)
        behaviours = self._session.behaviours
        counts = behaviours.memory.claude_md_counts_as_read or (
            behaviours.memory.claude_md_counts_as_read_by_agents and self._session.is_agent
        )
        shows_memory_files = tool == "Read" or (tool == "Edit" and behaviours.memory.edits_show_claude_md)
        if shows_memory_files and counts:
            shown = read_memory_files(self._session, prepared.arguments["file_path"])
            reminders = behaviours.reminders
            if shown and reminders.reminders_strip_answer_end and not reminders.reads_end_with_warning:
                answer = answer.rstrip(WHITESPACE) if isinstance(answer, str) else answer
        return answer + prepared.note if isinstance(answer, str) else answer

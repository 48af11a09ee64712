"""Sessions of Claude Code: one scenario in a shared conversation, or in a separate one with sub-agents."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from signal import SIGKILL
from typing import Literal

from readfirst.harness.adapter_api import (
    AdapterError,
    Arguments,
    Ending,
    Interfere,
    Session,
    ToolResult,
    Workspace,
)
from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.agents.claude_code.launch_options import Options, summarise
from readfirst.harness.agents.claude_code.lifecycle import (
    end_agent,
    interrupt,
    resumed,
    rewind,
    say,
    start_agent,
    start_beside,
)
from readfirst.harness.agents.claude_code.reminders import (
    counts_tokens,
    file_reminders,
    hook_reminders,
    without_reminders_of_the_conversation,
)
from readfirst.harness.agents.scripted_model.server import Turn
from readfirst.harness.processes.temp_dirs import Scratch

_LAST_WORDS = frozenset({"Path contains null bytes"})
"""Last output of a version that exits because of a certain call. After such an output, the exit counts as the answer.
Every other exit is a breakage.
"""


class ClaudeCodeSession:
    """A session in a conversation, which other scenarios may share. `close` ends the conversation if it belongs only
    to this session.
    """

    def __init__(
        self,
        conversation: Conversation | None,
        owned: bool,
        workspace: Workspace,
        directory: Path,
        reminded: Callable[[], None],
        *,
        pads_numbers: bool = False,
    ) -> None:
        self._given = conversation
        self._owned = owned
        self._workspace = workspace
        self._directory = str(directory)
        self._reminded = reminded
        self._pads_numbers = pads_numbers

    @property
    def conversation(self) -> Conversation:
        """The conversation with the scenario's calls."""
        assert self._given is not None
        return self._given

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Make one call. If a version exits because of the call, the result is its last output."""
        try:
            return self._clean_result(self.conversation.call(tool, arguments), tool)
        except AdapterError as error:
            if error.details in _LAST_WORDS:
                return ToolResult(f"{error}: {error.details}", True)
            raise

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Make several calls in one message of the model."""
        answers = self.conversation.call_parallel(calls)
        results = [
            self._clean_result(answer, tool, last=number == len(answers))
            for number, (answer, (tool, _)) in enumerate(zip(answers, calls, strict=True), 1)
        ]
        if any(counts_tokens(answer.text) for answer in answers):
            # The count follows one answer, now this, now that, and cuts the whitespace at its end.
            results = [replace(result, text=result.text.rstrip()) for result in results]
        return results

    def call_during(self, tool: str, arguments: Arguments, interfere: Interfere) -> ToolResult:
        """Make one call; `interfere` runs in the product's PreToolUse hook.

        Raises AdapterError if the call was executed without the hook, which early versions do not have.
        """
        struck = False

        def striking() -> None:
            nonlocal struck
            struck = True
            interfere()

        result = self.conversation.call(tool, arguments, striking)
        if not (struck or result.is_error):
            raise AdapterError("the product ran no PreToolUse hook", blame="environment")
        return self._clean_result(result, tool)

    def close(self) -> None:
        """End the conversation if it belongs only to this session."""
        if self._owned:
            self.conversation.close()

    def _clean_result(self, result: ToolResult, tool: str, *, last: bool = True) -> ToolResult:
        """Return a result as it would be in a separate conversation: without reminders about the conversation, and
        with paths as seen from the workspace.
        """
        padded = self._pads_numbers and tool == "Read" and not result.is_error
        text, disturbed = without_reminders_of_the_conversation(result.text, padded=padded)
        if disturbed:
            self._reminded()
        reminders: tuple[str, ...] = ()
        if "reminders" in self._workspace.needs:
            notes = self.conversation.notes if last else ()
            text, reminders = file_reminders(text, notes)
            if self._workspace.hooks:
                text, by_hooks = hook_reminders(text, notes)
                reminders += by_hooks
        root = str(self._workspace.root)
        if not self._owned and self._directory in text:
            # In a separate conversation, the workspace would be the working directory.
            text = re.sub(rf"{re.escape(self._directory)}(?![\w/-])", root, text)
        if not self._owned:
            # A command's answer names files as they are seen from the working directory.
            text = text.replace(f" {self._workspace.root.relative_to(self._directory)}/", " ")
        return replace(result, text=text, reminders=reminders)


class ResumableConversation(ClaudeCodeSession):
    """One scenario in a separate conversation, which can be resumed and summarised, and can start sub-agents.

    If the user may mention files, the conversation begins with the first call or mention.
    """

    def __init__(
        self, options: Options, workspace: Workspace, reminded: Callable[[], None], *, pads_numbers: bool
    ) -> None:
        self._kept = Scratch()
        self._options = replace(options, configuration=self._kept.path)
        self._begun: Conversation | None = None
        self._heard: tuple[str, ...] = ()
        """The reminders of files since the last call."""
        super().__init__(None, True, workspace, workspace.root, reminded, pads_numbers=pads_numbers)
        try:
            if "mentions" not in workspace.needs:
                self._begun = Conversation(self._options)
        except BaseException:
            self._kept.close()
            raise

    @property
    def conversation(self) -> Conversation:
        """The conversation, which is started at the first use."""
        if self._begun is None:
            self._begun = Conversation(self._options)
        return self._begun

    def mention(self, path: str) -> None:
        """Mention a file as the user, at the beginning or after the model's turn."""
        if self._begun is None:
            self._begun = Conversation(replace(self._options, prompt=f"@{path}"))
        elif self._options.spoken:
            say(self._begun, f"@{path}")
        else:
            self._begun = resumed(self._begun, replace(self._options, prompt=f"@{path}"))
        self._hear()

    def call_interrupted(
        self, tool: str, arguments: Arguments | str, how: Ending, interfere: Interfere
    ) -> ToolResult:
        """Cancel a call as the user while the product's hook waits, or end the model's message within the call.

        The hook runs before the execution of the call; for a call that is `stopped`, after it.
        """
        if isinstance(arguments, str):
            ends: Literal["cut", "limit"] = "limit" if how == "limit" else "cut"
            return self._clean_result(self.conversation.call_cut(tool, arguments, ends), tool)

        def give_up() -> None:
            interfere()
            interrupt(self.conversation, self._options.prompt)

        if how == "stopped":
            return self._clean_result(self.conversation.call(tool, arguments, give_up), tool)
        return self.call_during(tool, arguments, give_up)

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the product, or send it another signal."""
        return self.conversation.kill(number)

    def resume(self) -> None:
        """End the product, start it again, and continue the conversation."""
        self._begun = resumed(self.conversation, self._options)
        self._hear()

    def compact(self) -> None:
        """Make the product summarise the conversation."""
        summarise(self.conversation)

    def rewind(self) -> None:
        """Make the product restore files, and send a message of the user."""
        rewind(self.conversation, self._options.prompt)
        self._hear()

    def sub_agent(self) -> Session:
        """Start a sub-agent as the model."""
        return SubAgent(self, start_agent(self.conversation))

    def background_agent(self) -> Session:
        """Start a sub-agent in the background as the model."""
        return BackgroundAgent(self, start_beside(self.conversation))

    def end_agent(self, started: str) -> None:
        """End a sub-agent, and with it the call that started it."""
        end_agent(self.conversation, started)
        self._hear(self.conversation.results[started].text)

    def _hear(self, answer: str = "") -> None:
        """Store the reminders about files in `answer` and in the latest request, for the result of the next call."""
        self._heard += file_reminders(answer, self.conversation.notes)[1]

    def _clean_result(self, result: ToolResult, tool: str, *, last: bool = True) -> ToolResult:
        """Return a result as the base class does. If the scenario compares reminders, those that arrived before the
        call are included.
        """
        cleaned = super()._clean_result(result, tool, last=last)
        if not last or "reminders" not in self._workspace.needs:
            return cleaned
        heard, self._heard = self._heard, ()
        return replace(cleaned, reminders=(*heard, *cleaned.reminders))

    def close(self) -> None:
        """End the conversation, and delete its files."""
        if self._begun is not None:
            self._begun.close()
        self._kept.close()


class SubAgent:
    """A sub-agent. The calls of the session are its calls until it ends."""

    def __init__(self, session: ResumableConversation, started: str) -> None:
        self.call = session.call
        self.call_parallel = session.call_parallel
        self.call_during = session.call_during
        self._session = session
        self._started = started

    def close(self) -> None:
        """End the sub-agent, and with it the call that started it."""
        if self._session.conversation.usable:
            self._session.end_agent(self._started)


class BackgroundAgent:
    """A sub-agent in the background. It and the main agent make calls alternately."""

    def __init__(self, session: ResumableConversation, turn: Turn) -> None:
        self._session = session
        self._turn: Turn | None = turn

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Make one call as the sub-agent."""
        conversation = self._session.conversation
        waiting = conversation.let_speak(self._turn)
        try:
            return self._session.call(tool, arguments)
        finally:
            self._turn = conversation.let_speak(waiting)

    def close(self) -> None:
        """Stop using the sub-agent. It ends with the conversation."""
        if self._turn is not None:
            self._turn.abandon()

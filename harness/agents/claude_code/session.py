"""Sessions of Claude Code: one scenario in a shared conversation, or in one of its own with sub-agents."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from signal import SIGKILL
from typing import Literal

from readfirst.harness.adapter_api import (
    Arguments,
    BrokenAdapter,
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
"""What a version prints when a call, not its surroundings, made it end; every other end is a breakage."""


class ClaudeCodeSession:
    """One scenario in a conversation; closes the conversation afterwards where it is the scenario's own."""

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
        """The conversation that the scenario's calls are made in."""
        assert self._given is not None
        return self._given

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Let the model call one tool. A version that ends on what it is asked answers with its last words."""
        try:
            return self._cleaned(self.conversation.call(tool, arguments), tool)
        except BrokenAdapter as error:
            if error.details in _LAST_WORDS:
                return ToolResult(f"{error}: {error.details}", True)
            raise

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Let the model make several calls in one message."""
        answers = self.conversation.call_parallel(calls)
        results = [
            self._cleaned(answer, tool, last=number == len(answers))
            for number, (answer, (tool, _)) in enumerate(zip(answers, calls, strict=True), 1)
        ]
        if any(counts_tokens(answer.text) for answer in answers):
            # The count follows one answer, now this, now that, and cuts the whitespace at its end.
            results = [replace(result, text=result.text.rstrip()) for result in results]
        return results

    def call_during(self, tool: str, arguments: Arguments, interfere: Interfere) -> ToolResult:
        """Let the model call one tool; `interfere` runs in the product's PreToolUse hook.

        BrokenAdapter: the call was executed without the hook, which early versions do not have.
        """
        struck = False

        def striking() -> None:
            nonlocal struck
            struck = True
            interfere()

        result = self.conversation.call(tool, arguments, striking)
        if not (struck or result.is_error):
            raise BrokenAdapter("the product ran no PreToolUse hook", blame="environment")
        return self._cleaned(result, tool)

    def close(self) -> None:
        """End the conversation if nothing else uses it."""
        if self._owned:
            self.conversation.close()

    def _cleaned(self, result: ToolResult, tool: str, *, last: bool = True) -> ToolResult:
        """Return what would have been answered in a session of the scenario's own."""
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
            # What a version says of its working directory, it would say of the workspace.
            text = re.sub(rf"{re.escape(self._directory)}(?![\w/-])", root, text)
        if not self._owned:
            # A command's answer names files as they are seen from the working directory.
            text = text.replace(f" {self._workspace.root.relative_to(self._directory)}/", " ")
        return replace(result, text=text, reminders=reminders)


class ResumableConversation(ClaudeCodeSession):
    """One scenario in a conversation of its own, which may end and be resumed, be summarised, and delegate.

    Where its user may mention files it begins with the first call or mention.
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
        """The conversation, which begins now if it has not yet."""
        if self._begun is None:
            self._begun = Conversation(self._options)
        return self._begun

    def mention(self, path: str) -> None:
        """Let the user mention a file, at the beginning or once the model's turn has ended."""
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
        """Let the user give a call up while the product's hook waits, or let the model's message end in it.

        That hook runs before the call is executed, or after it for one that is to be `stopped`.
        """
        if isinstance(arguments, str):
            ends: Literal["cut", "limit"] = "limit" if how == "limit" else "cut"
            return self._cleaned(self.conversation.call_cut(tool, arguments, ends), tool)

        def give_up() -> None:
            interfere()
            interrupt(self.conversation, self._options.prompt)

        if how == "stopped":
            return self._cleaned(self.conversation.call(tool, arguments, give_up), tool)
        return self.call_during(tool, arguments, give_up)

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the product, or send it another signal."""
        return self.conversation.kill(number)

    def resume(self) -> None:
        """Let the product end, start it again, and let it go on with the conversation."""
        self._begun = resumed(self.conversation, self._options)
        self._hear()

    def compact(self) -> None:
        """Let the product have the conversation summarised."""
        summarise(self.conversation)

    def rewind(self) -> None:
        """Let the product bring files back, and its user say something."""
        rewind(self.conversation, self._options.prompt)
        self._hear()

    def sub_agent(self) -> Session:
        """Let the model start a sub-agent."""
        return SubAgent(self, start_agent(self.conversation))

    def background_agent(self) -> Session:
        """Let the model start a sub-agent, and go on."""
        return BackgroundAgent(self, start_beside(self.conversation))

    def end_agent(self, started: str) -> None:
        """Let a sub-agent end, and with it the call that started it."""
        end_agent(self.conversation, started)
        self._hear(self.conversation.results[started].text)

    def _hear(self, answer: str = "") -> None:
        """Keep the reminders of files that come now, before the next call."""
        self._heard += file_reminders(answer, self.conversation.notes)[1]

    def _cleaned(self, result: ToolResult, tool: str, *, last: bool = True) -> ToolResult:
        """Return an answer with the reminders that came before the call, too, if those count."""
        cleaned = super()._cleaned(result, tool, last=last)
        if not last or "reminders" not in self._workspace.needs:
            return cleaned
        heard, self._heard = self._heard, ()
        return replace(cleaned, reminders=(*heard, *cleaned.reminders))

    def close(self) -> None:
        """End the conversation, and forget it."""
        if self._begun is not None:
            self._begun.close()
        self._kept.close()


class SubAgent:
    """A sub-agent: the requests that come now are its own."""

    def __init__(self, session: ResumableConversation, started: str) -> None:
        self.call = session.call
        self.call_parallel = session.call_parallel
        self.call_during = session.call_during
        self._session = session
        self._started = started

    def close(self) -> None:
        """Let it end, and with it the call that started it."""
        if self._session.conversation.usable:
            self._session.end_agent(self._started)


class BackgroundAgent:
    """A sub-agent in the background, whose requests come beside those of the conversation."""

    def __init__(self, session: ResumableConversation, turn: Turn) -> None:
        self._session = session
        self._turn: Turn | None = turn

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Let its model call one tool."""
        conversation = self._session.conversation
        waiting = conversation.let_speak(self._turn)
        try:
            return self._session.call(tool, arguments)
        finally:
            self._turn = conversation.let_speak(waiting)

    def close(self) -> None:
        """Answer it no more; it ends with the conversation."""
        if self._turn is not None:
            self._turn.abandon()

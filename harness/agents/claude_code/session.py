"""Sessions of Claude Code, with a shared conversation or with a separate one that can have sub-agents."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from signal import SIGKILL
from typing import Any, Literal

from readfirst.harness.adapter_api import (
    AdapterError,
    Arguments,
    Ending,
    Interfere,
    Session,
    ToolResult,
    UnsupportedCall,
    Workspace,
)
from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.agents.claude_code.launch_options import Options, summarise
from readfirst.harness.agents.claude_code.reminders import (
    counts_tokens,
    extract_file_reminders,
    extract_hook_reminders,
    remove_conversation_reminders,
)
from readfirst.harness.agents.claude_code.stream_json import JsonDialogue
from readfirst.harness.agents.scripted_model.server import Turn
from readfirst.harness.processes.temp_dirs import Scratch

_EXIT_MESSAGES = frozenset({"Path contains null bytes"})
"""Texts that become the answer of a call if a version prints the text and exits. All other exits are errors."""
_AGENT_TOOLS = ("Agent", "Task")
"""Names that versions use for the tool that starts a sub-agent, the newest name first."""


class ClaudeCodeSession:
    """A session with the product. Scenarios may share its conversation. `close` ends an unshared conversation."""

    def __init__(
        self,
        conversation: Conversation | None,
        is_owned: bool,
        workspace: Workspace,
        directory: Path,
        on_reminder: Callable[[], None],
        *,
        pads_numbers: bool = False,
    ) -> None:
        self._conversation = conversation
        self._is_owned = is_owned
        self._workspace = workspace
        self._directory = str(directory)
        self._on_reminder = on_reminder
        self._pads_numbers = pads_numbers

    @property
    def conversation(self) -> Conversation:
        """The conversation that the calls of the scenario use."""
        assert self._conversation is not None
        return self._conversation

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Make one call. If the product exits because of the call, the last output of the product is the result."""
        try:
            return self._clean_result(self.conversation.call(tool, arguments), tool)
        except AdapterError as error:
            if error.details in _EXIT_MESSAGES:
                return ToolResult(f"{error}: {error.details}", True)
            raise

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Make several calls in one message of the model, and return their results."""
        answers = self.conversation.call_parallel(calls)
        results = [
            self._clean_result(answer, tool, last=number == len(answers))
            for number, (answer, (tool, _)) in enumerate(zip(answers, calls, strict=True), 1)
        ]
        if any(counts_tokens(answer.text) for answer in answers):
            # The reminder about tokens is added to one of the answers, and removes whitespace at its end.
            results = [replace(result, text=result.text.rstrip()) for result in results]
        return results

    def call_during(self, tool: str, arguments: Arguments, interfere: Interfere) -> ToolResult:
        """Make one call. `interfere` runs in the product's PreToolUse hook. Raises AdapterError if no hook ran."""
        has_interfered = False

        def interfere_once() -> None:
            nonlocal has_interfered
            has_interfered = True
            interfere()

        result = self.conversation.call(tool, arguments, interfere_once)
        if not (has_interfered or result.is_error):
            raise AdapterError("the product ran no PreToolUse hook", blame="environment")
        return self._clean_result(result, tool)

    def close(self) -> None:
        """End the conversation if this session does not share it with other sessions."""
        if self._is_owned:
            self.conversation.close()

    def _clean_result(self, result: ToolResult, tool: str, *, last: bool = True) -> ToolResult:
        """Return the result without reminders, and with the paths that a conversation for one workspace would show."""
        padded = self._pads_numbers and tool == "Read" and not result.is_error
        text, has_periodic = remove_conversation_reminders(result.text, padded=padded)
        if has_periodic:
            self._on_reminder()
        reminders: tuple[str, ...] = ()
        if "reminders" in self._workspace.needs:
            notes = self.conversation.notes if last else ()
            text, reminders = extract_file_reminders(text, notes)
            if self._workspace.hooks:
                text, by_hooks = extract_hook_reminders(text, notes)
                reminders += by_hooks
        root = str(self._workspace.root)
        if not self._is_owned and self._directory in text:
            # In a separate conversation, the workspace would be the working directory.
            text = re.sub(rf"{re.escape(self._directory)}(?![\w/-])", root, text)
        if not self._is_owned:
            # A command's answer names files as they are seen from the working directory.
            text = text.replace(f" {self._workspace.root.relative_to(self._directory)}/", " ")
        return replace(result, text=text, reminders=reminders)


class ResumableConversation(ClaudeCodeSession):
    """A session with a separate conversation, which can be resumed and summarised, and can start sub-agents."""

    def __init__(
        self, options: Options, workspace: Workspace, on_reminder: Callable[[], None], *, pads_numbers: bool
    ) -> None:
        self._configuration = Scratch()
        self._options = replace(options, configuration=self._configuration.path)
        self._started_conversation: Conversation | None = None
        self._early_reminders: tuple[str, ...] = ()
        """Reminders about files that the product sent after the last call. The next result contains them."""
        super().__init__(None, True, workspace, workspace.root, on_reminder, pads_numbers=pads_numbers)
        try:
            if "mentions" not in workspace.needs:
                self._started_conversation = Conversation(self._options)
        except BaseException:
            self._configuration.close()
            raise

    @property
    def conversation(self) -> Conversation:
        """The conversation, which is started at the first use."""
        if self._started_conversation is None:
            self._started_conversation = Conversation(self._options)
        return self._started_conversation

    @property
    def _dialogue(self) -> JsonDialogue:
        dialogue = self.conversation.dialogue
        assert isinstance(dialogue, JsonDialogue)
        return dialogue

    def mention(self, path: str) -> None:
        """Mention a file as the user, in the first message or after the model's turn."""
        if self._started_conversation is None:
            self._started_conversation = Conversation(replace(self._options, prompt=f"@{path}"))
        elif self._options.spoken:
            dialogue = self._dialogue
            self._started_conversation.end_turn(lambda: dialogue.say(f"@{path}"))
        else:
            self._restart(f"@{path}")
        self._store_reminders()

    def call_interrupted(
        self, tool: str, arguments: Arguments | str, how: Ending, interfere: Interfere
    ) -> ToolResult:
        """Cancel a call as the user: after its execution if `how` is `stopped`, otherwise before. If `how` is `cut` or
        `limit`, send a call with truncated `arguments` (a string).
        """
        if isinstance(arguments, str):
            ends: Literal["cut", "limit"] = "limit" if how == "limit" else "cut"
            return self._clean_result(self.conversation.call_cut(tool, arguments, ends), tool)

        def give_up() -> None:
            interfere()
            self._dialogue.interrupt(self._options.time_limit)
            self._dialogue.say(self._options.prompt)

        if how == "stopped":
            return self._clean_result(self.conversation.call(tool, arguments, give_up), tool)
        return self.call_during(tool, arguments, give_up)

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the product, or send it the signal `number`."""
        return self.conversation.kill(number)

    def resume(self) -> None:
        """End the process of the product, start a new process, and continue the conversation in it."""
        self._restart(self._options.prompt)
        self._store_reminders()

    def _restart(self, prompt: str) -> None:
        """Continue the conversation in a new process with the same configuration. `prompt` is the user's message."""
        conversation = self.conversation
        if conversation.is_usable:  # otherwise it was killed
            conversation.finish()
        conversation.close()
        resumed = find_latest_conversation(self._configuration.path)
        options = replace(self._options, prompt=prompt, resumed=resumed)
        self._started_conversation = Conversation(options, conversation.ids)

    def compact(self) -> None:
        """Make the product summarise the conversation."""
        summarise(self.conversation)

    def rewind(self) -> None:
        """Make the product restore the files to an earlier state, and send a message of the user."""
        dialogue = self._dialogue

        def rewind_and_say() -> None:
            dialogue.rewind(self._options.time_limit)
            dialogue.say(self._options.prompt)

        self.conversation.end_turn(rewind_and_say)
        self._store_reminders()

    def sub_agent(self) -> Session:
        """Start a sub-agent as the model, and return its session."""
        conversation = self.conversation
        call = conversation.start_call(*_agent_call(conversation))
        if call in conversation.results:
            problem = conversation.results[call].text
            raise AdapterError("the product did not start a sub-agent", blame="environment", details=problem)
        return SubAgent(self, call)

    def background_agent(self) -> Session:
        """Start a sub-agent in the background, and return its session. Raises UnsupportedCall in early versions."""
        tool, arguments = _agent_call(self.conversation, in_background=True)
        if "run_in_background" not in arguments:
            raise UnsupportedCall("the product's sub-agents do not work in the background")
        call, turn = self.conversation.start_background_agent(tool, arguments)
        if call not in self.conversation.results:
            raise AdapterError("the product did not continue while its sub-agent ran", blame="environment")
        return BackgroundAgent(self, turn)

    def end_agent(self, call_id: str) -> None:
        """End a sub-agent. The call that started it, with the id `call_id`, then returns."""
        self.conversation.say("Done.")
        if call_id not in self.conversation.results:
            raise AdapterError(
                "the product did not continue after the end of its sub-agent", blame="environment"
            )
        self._store_reminders(self.conversation.results[call_id].text)

    def _store_reminders(self, answer: str = "") -> None:
        """Store the reminders about files in `answer` and in the latest request, for the next call's result."""
        self._early_reminders += extract_file_reminders(answer, self.conversation.notes)[1]

    def _clean_result(self, result: ToolResult, tool: str, *, last: bool = True) -> ToolResult:
        """Clean a result as the base class does. If the scenario compares reminders, add the stored reminders."""
        cleaned = super()._clean_result(result, tool, last=last)
        if not last or "reminders" not in self._workspace.needs:
            return cleaned
        early, self._early_reminders = self._early_reminders, ()
        return replace(cleaned, reminders=(*early, *cleaned.reminders))

    def close(self) -> None:
        """End the conversation, and delete its files."""
        if self._started_conversation is not None:
            self._started_conversation.close()
        self._configuration.close()


def find_latest_conversation(configuration: Path) -> str:
    """Return the id of the main conversation that was changed last, so that it can be resumed."""
    files = [file for file in configuration.rglob("projects/*/*.jsonl") if not file.name.startswith("agent-")]
    if not files:
        raise AdapterError("the product stored no conversation that could be resumed", blame="environment")
    return max(files, key=lambda file: file.stat().st_mtime_ns).stem


def _agent_call(conversation: Conversation, *, in_background: bool = False) -> tuple[str, dict[str, Any]]:
    """Return the name and the arguments of the tool that starts a sub-agent. Raises AdapterError for a missing tool."""
    tool = next((name for name in _AGENT_TOOLS if name in conversation.offers), None)
    if tool is None:
        raise AdapterError("the product offers no tool that starts a sub-agent", blame="environment")
    arguments: dict[str, Any] = {
        "description": "Work on files",
        "prompt": "Read and change files.",
        "subagent_type": "general-purpose",
        "run_in_background": in_background,
    }
    properties = conversation.offers[tool].get("input_schema", {}).get("properties", {})
    return tool, {name: arguments[name] for name in arguments if name in properties}


class SubAgent:
    """The session of a sub-agent, which makes all calls. Its main session waits until the sub-agent ends."""

    def __init__(self, session: ResumableConversation, call_id: str) -> None:
        self.call = session.call
        self.call_parallel = session.call_parallel
        self.call_during = session.call_during
        self._session = session
        self._call_id = call_id

    def close(self) -> None:
        """End the sub-agent. The call that started it then returns."""
        if self._session.conversation.is_usable:
            self._session.end_agent(self._call_id)


class BackgroundAgent:
    """The session of a sub-agent in the background. The sub-agent and the main agent make calls alternately."""

    def __init__(self, session: ResumableConversation, turn: Turn) -> None:
        self._session = session
        self._turn: Turn | None = turn

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Make one call as the sub-agent."""
        conversation = self._session.conversation
        waiting = conversation.switch_agent(self._turn)
        try:
            return self._session.call(tool, arguments)
        finally:
            self._turn = conversation.switch_agent(waiting)

    def close(self) -> None:
        """Make no further calls as the sub-agent. The sub-agent itself ends with the conversation."""
        if self._turn is not None:
            self._turn.abandon()

"""Resume a conversation with the product, rewind it, interrupt it, and start sub-agents."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import AdapterError, UnsupportedCall
from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.agents.claude_code.launch_options import Options
from readfirst.harness.agents.claude_code.stream_json import JsonDialogue
from readfirst.harness.agents.scripted_model.server import Turn

_AGENT_TOOLS = ("Agent", "Task")
"""Names that versions use for the tool that starts a sub-agent, the newest name first."""
_SUB_AGENT_PROMPT = "Read and change files."


def resume_conversation(conversation: Conversation, options: Options) -> Conversation:
    """Resume a conversation in a new process that uses the same configuration. Raises AdapterError."""
    if conversation.is_usable:  # otherwise it was killed
        conversation.finish()
    conversation.close()
    assert options.configuration is not None
    return Conversation(
        replace(options, resumed=find_latest_conversation(options.configuration)), conversation.ids
    )


def rewind(conversation: Conversation, text: str) -> None:
    """End the turn, make the product restore the files, and send the user message `text`. Raises AdapterError."""
    dialogue = conversation.dialogue
    assert isinstance(dialogue, JsonDialogue)

    def rewind_and_say() -> None:
        dialogue.rewind(conversation.program.time_limit)
        dialogue.say(text)

    conversation.end_turn(rewind_and_say)


def say(conversation: Conversation, text: str) -> None:
    """End the model's turn, and send the text as a message of the user. Raises AdapterError."""
    dialogue = conversation.dialogue
    assert isinstance(dialogue, JsonDialogue)
    conversation.end_turn(lambda: dialogue.say(text))


def interrupt(conversation: Conversation, text: str) -> None:
    """As the user, interrupt the call that is being executed, and send the message `text`. Raises AdapterError."""
    dialogue = conversation.dialogue
    assert isinstance(dialogue, JsonDialogue)
    dialogue.interrupt(conversation.program.time_limit)
    dialogue.say(text)


def find_latest_conversation(configuration: Path) -> str:
    """Return the id of the latest conversation, to resume it: the name, without extension, of the file that was changed
    last. Files of sub-agents are ignored.
    """
    files = [file for file in configuration.rglob("projects/*/*.jsonl") if not file.name.startswith("agent-")]
    if not files:
        raise AdapterError("the product kept no conversation that could be resumed", blame="environment")
    return max(files, key=lambda file: file.stat().st_mtime_ns).stem


def start_agent(conversation: Conversation) -> str:
    """Start a sub-agent, which makes the next calls. Return the id of the call that started it. Raises AdapterError."""
    call = conversation.start_call(*_agent_call(conversation))
    if call in conversation.results:
        problem = conversation.results[call].text
        raise AdapterError("the product did not start a sub-agent", blame="environment", details=problem)
    return call


def start_background_agent(conversation: Conversation) -> Turn:
    """Start a sub-agent in the background. Return its first request to the model, which waits for an answer. Raises
    AdapterError, and UnsupportedCall if the version does not support background agents.
    """
    tool, arguments = _agent_call(conversation, in_background=True)
    if "run_in_background" not in arguments:
        raise UnsupportedCall("the product's sub-agents do not work in the background")
    call, turn = conversation.start_background_agent(tool, arguments)
    if call not in conversation.results:
        raise AdapterError("the product did not go on while its sub-agent ran", blame="environment")
    return turn


def _agent_call(conversation: Conversation, *, in_background: bool = False) -> tuple[str, dict[str, Any]]:
    """Return the tool that starts a sub-agent, and its arguments. Raises AdapterError if there is no such tool."""
    tool = next((name for name in _AGENT_TOOLS if name in conversation.offers), None)
    if tool is None:
        raise AdapterError("the product offers no tool that starts a sub-agent", blame="environment")
    arguments: dict[str, Any] = {
        "description": "Work on files",
        "prompt": _SUB_AGENT_PROMPT,
        "subagent_type": "general-purpose",
        "run_in_background": in_background,
    }
    properties = conversation.offers[tool].get("input_schema", {}).get("properties", {})
    return tool, {name: arguments[name] for name in arguments if name in properties}


def end_agent(conversation: Conversation, call: str) -> None:
    """End the sub-agent of the call with the id `call`. Raises AdapterError if the conversation does not continue."""
    conversation.say("Done.")
    if call not in conversation.results:
        raise AdapterError("the product did not go on after its sub-agent", blame="environment")

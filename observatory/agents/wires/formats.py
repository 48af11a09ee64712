"""All wire formats, by the names that mapping files use."""

from collections.abc import Mapping

from readfirst.harness.agents.scripted_model.anthropic_messages import AnthropicMessages
from readfirst.harness.agents.scripted_model.wire_format import Wire
from readfirst.observatory.agents.wires.gemini import Gemini
from readfirst.observatory.agents.wires.openai_chat import OpenAIChat
from readfirst.observatory.agents.wires.openai_responses import OpenAIResponses

WIRES: Mapping[str, Wire] = {
    wire.name: wire for wire in (AnthropicMessages(), OpenAIChat(), Gemini(), OpenAIResponses())
}
"""The formats of the calls from agents to their models, by the names that mapping files use."""

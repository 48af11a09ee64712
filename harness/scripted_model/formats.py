"""The wire formats there are, by the names that targets call them."""

from __future__ import annotations

from collections.abc import Mapping

from harness.scripted_model.anthropic_messages import AnthropicMessages
from harness.scripted_model.gemini import Gemini
from harness.scripted_model.openai_chat import OpenAIChat
from harness.scripted_model.wire import Wire

__all__ = ["WIRES"]

WIRES: Mapping[str, Wire] = {wire.name: wire for wire in (AnthropicMessages(), OpenAIChat(), Gemini())}
"""`anthropic`, `openai` and `gemini`."""

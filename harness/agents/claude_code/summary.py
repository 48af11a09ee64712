"""A conversation that grows so long that the product asks its model for a summary of it."""

from collections.abc import Sequence

from readfirst.harness.agents.conversation import Conversation
from readfirst.harness.agents.scripted_model.anthropic_messages import AnthropicMessages
from readfirst.harness.agents.scripted_model.wire import Block, ToolUse
from readfirst.harness.session import BrokenAdapter

WINDOW = 200_000
"""In tokens; the product fills what it takes for its model's window, which is larger for later models."""
_CROWDED = 185_000
"""Enough of the window for a summary, and not so much that the product refuses to go on."""
_NO_TOOL = "Nothing"
"""What the model calls when the conversation is to grow: no tool, so that no rule of a tool is touched."""


class CrowdedModel(AnthropicMessages):
    """Says that the conversation nearly fills the window once the model has called what is no tool."""

    def tokens(self, blocks: Sequence[Block]) -> int:
        """Return how long the conversation is said to be."""
        crowded = any(isinstance(block, ToolUse) and block.tool == _NO_TOOL for block in blocks)
        return _CROWDED if crowded else super().tokens(blocks)


def summarise(conversation: Conversation) -> None:
    """Let the product have the conversation summarised. BrokenAdapter: it did not.

    Some versions ask for the summary on the side, others as they ask for a next step, before or after they tell what
    was answered last.
    """
    call = conversation.start_call(_NO_TOOL, {})
    if asked := bool(conversation.results) and any("summary" in note for note in conversation.notes):
        conversation.say("<summary>Files were read and changed.</summary>")
    if call in conversation.results and not asked:
        raise BrokenAdapter("the product did not have its conversation summarised", blame="environment")

"""The product gets a summary if it requests one. A missing request is reported."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from readfirst.harness.adapter_api import AdapterError, ToolResult
from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.agents.claude_code.launch_options import summarise

ASKED = "Write a summary of the conversation."


class Talk:
    """A conversation with given requests of the product: the calls with results, and the texts of each."""

    def __init__(self, *requests: tuple[Sequence[str], Sequence[str]]) -> None:
        self.said: list[str] = []
        self._requests = list(requests)

    @property
    def results(self) -> Mapping[str, ToolResult]:
        return {call: ToolResult("", False) for call in self._requests[0][0]}

    @property
    def notes(self) -> Sequence[str]:
        return self._requests[0][1]

    def start_call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        return "call"

    def say(self, text: str) -> None:
        self.said.append(text)
        del self._requests[0]


@pytest.mark.parametrize(
    ("talk", "times"),
    [
        (Talk(((), ["This goes on from a summary."])), 0),
        (Talk((["call"], [ASKED]), ((), ["This goes on from a summary."])), 1),
        (Talk((["earlier"], [ASKED]), (["call"], ["What was read."])), 1),
    ],
    ids=["on the side", "as the next step", "before the last result"],
)
def test_a_summary_is_sent_on_request(talk: Talk, times: int) -> None:
    summarise(cast("Conversation", talk))
    assert len(talk.said) == times


def test_a_conversation_without_a_summary_is_reported() -> None:
    talk = Talk((["call"], ["What was read."]))
    with pytest.raises(AdapterError, match="did not have its conversation summarised"):
        summarise(cast("Conversation", talk))
    assert talk.said == []

"""Generated scenarios contain only calls that both implementations support."""

from collections.abc import Mapping
from typing import Any

from readfirst.harness.suite.scenario import Given, ParallelCalls, Scenario, Step, ToolCall, WorldEvent
from readfirst.observatory.fuzz.known_disagreements import only_supported
from tests.rows import rows

READ = ToolCall("Read", {"file_path": "$WS/a"})
EDIT = ToolCall("Edit", {"file_path": "$WS/a", "old_string": "a", "new_string": "b", "replace_all": True})
TOUCH = WorldEvent("touch", "a", mtime=2)
NOTEBOOK = ToolCall("NotebookEdit", {"notebook_path": "$WS/a.ipynb"})
RACE = ToolCall("Read", READ.arguments, during=(TOUCH,))


class Side:
    """An adapter that declares Read, Edit, Write and the capabilities `more`. Tests never open a session."""

    def __init__(self, *more: str) -> None:
        self.capabilities = frozenset({"Read", "Edit", "Write", *more})


class Picky(Side):
    def unsupported_reason(self, tool: str, arguments: Mapping[str, Any]) -> str:
        return "Edit with replace_all" if arguments.get("replace_all") else ""


def filter_supported(side: Side, *steps: Step, deny: tuple[str, ...] = ()) -> list[Scenario]:
    scenario = Scenario("fuzz/one", "Some steps", "observed", Given({}, deny), steps)
    everything = Side("NotebookEdit", "parallel", "during", "deny")
    return list(only_supported([scenario], [everything, side]))  # type: ignore[list-item]


@rows(
    ("side", "steps", "left"),
    [
        (Side(), (READ, NOTEBOOK), (READ,)),
        (Side(), (ParallelCalls((READ, NOTEBOOK, EDIT)),), (READ, EDIT)),
        (Side(), (RACE,), (TOUCH, READ)),
        (Picky("parallel"), (ParallelCalls((READ, EDIT, READ)), EDIT), (ParallelCalls((READ, READ)),)),
        (Picky("parallel"), (ParallelCalls((READ, EDIT)),), (READ,)),
        (Picky("during"), (RACE, TOUCH), (RACE, TOUCH)),
    ],
)
def test_what_a_side_lacks_is_left_out(side: Side, steps: tuple[Step, ...], left: tuple[Step, ...]) -> None:
    assert [scenario.steps for scenario in filter_supported(side, *steps)] == [left]


def test_permission_rules_go_where_a_side_has_none() -> None:
    assert [each.given.deny for each in filter_supported(Side("deny"), READ, deny=("Read(a)",))] == [
        ("Read(a)",)
    ]
    assert [each.given.deny for each in filter_supported(Side(), READ, deny=("Read(a)",))] == [()]


def test_a_scenario_without_a_call_is_left_out() -> None:
    assert filter_supported(Side(), TOUCH, NOTEBOOK) == []

"""What implementations that do nothing score: one always refuses, one always succeeds; neither touches a file.

    python3 tests/wrong_implementations/do_nothing.py

measures them on all scenarios and writes the table in docs/adapters.md anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.compare import compare, skipped
from harness.replay import replay
from harness.session import ToolResult, Workspace
from harness.suite import Suite
from harness.verdict import Verdict
from harness.workspace import Place

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adapters.md"
BEGIN, END = "<!-- measured by tests/wrong_implementations/do_nothing.py -->\n", "<!-- end -->\n"
LEVELS = ("effects", "reason", "text")


class DoesNothing:
    """Gives the same answer to every call."""

    capabilities = frozenset(
        {"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "parallel", "during", "deny"}
    )
    repeats_paths = True

    def __init__(self, answer: ToolResult) -> None:
        self.answer = answer

    def open(self, workspace: Workspace) -> DoesNothing:
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return self.answer

    def call_during(self, tool: str, arguments: Mapping[str, Any], strike: Callable[[], None]) -> ToolResult:
        if not self.answer.is_error:
            strike()
        return self.call(tool, arguments)

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        return [self.call(*call) for call in calls]


IMPLEMENTATIONS = {
    "always refuses, without a word": ToolResult("", is_error=True),
    "always succeeds, with an empty text": ToolResult(""),
}


def verdicts(answer: ToolResult) -> Iterator[Verdict]:
    """Judge the implementation with this answer on every scenario of the default contract."""
    suite = Suite(ROOT / "fixtures")
    contract = suite.contracts[suite.contracts.default]
    adapter = DoesNothing(answer)
    with Place() as place:
        for scenario_id in suite.ids():
            scenario = suite.scenario(scenario_id, contract)
            if skipped(scenario, contract, "text", adapter.capabilities) is None:
                outcome = replay(scenario, adapter, place)
                yield compare(scenario, outcome, contract, "text", suite.vocabulary)


def scores(found: Sequence[Verdict]) -> list[int]:
    """Return how many of 100 scenarios hold at each level, the nearest whole number."""
    return [round(100 * sum(verdict.levels[level] for verdict in found) / len(found)) for level in LEVELS]


def table(rows: Mapping[str, Sequence[int]]) -> str:
    """Return the table of the page."""
    lines = ["| an implementation that | effects | reason | text |", "|---|---|---|---|"]
    lines += [f"| {name} | " + " | ".join(f"{score} %" for score in row) + " |" for name, row in rows.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write the page anew."""
    made = table({name: scores(list(verdicts(answer))) for name, answer in IMPLEMENTATIONS.items()})
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + made + END + rest.partition(END)[2], "utf-8")
    print(made, end="")


if __name__ == "__main__":
    main()

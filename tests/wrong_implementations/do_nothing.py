"""The scores of two implementations that do nothing: one refuses every call, the other reports success for every call.

    python3 tests/wrong_implementations/do_nothing.py

This measures both on all scenarios and updates the table in docs/adapters.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Verdict, verdict_without_replay
from readfirst.harness.harm.judge import judge
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.rule_classes import CLASSES, RuleClass
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adapters.md"
BEGIN, END = "<!-- measured by tests/wrong_implementations/do_nothing.py -->\n", "<!-- end -->\n"
LEVELS = ("effects", "reason", "text")


class DoesNothing:
    """Gives the same answer to every call."""

    capabilities = frozenset(
        {"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "parallel", "during", "deny"}
    )
    reuses_paths = True

    def __init__(self, answer: ToolResult) -> None:
        self.answer = answer

    def open(self, workspace: Workspace) -> DoesNothing:
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return self.answer

    def call_during(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]
    ) -> ToolResult:
        if not self.answer.is_error:
            interfere()
        return self.call(tool, arguments)

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        return [self.call(*call) for call in calls]


IMPLEMENTATIONS = {
    "always refuses, without a word": ToolResult("", is_error=True),
    "always succeeds, with an empty text": ToolResult(""),
}


def verdicts(answer: ToolResult) -> Iterator[Verdict]:
    """Return the verdicts of the implementation with this answer on all scenarios of the default contract that can
    be replayed on this system.
    """
    suite = Suite(ROOT / "fixtures")
    contract = suite.contracts[suite.contracts.default]
    adapter = DoesNothing(answer)
    with WorkspacePool() as place:
        for scenario_id in suite.ids():
            scenario = suite.scenario(scenario_id, contract)
            if verdict_without_replay(scenario, contract, "text", traits_of(adapter).capabilities) is None:
                outcome = replay(scenario, adapter, place)
                judgement = judge(scenario, outcome)
                verdict = compare(
                    scenario, outcome, contract, "text", suite.vocabulary, None, judgement, suite.in_full
                )
                if verdict.status != "unsupported":  # such as Windows file names on other systems
                    yield verdict


def scores(found: Sequence[Verdict]) -> list[int]:
    """Return the percentage of scenarios that hold, by level, rounded."""
    return [round(100 * sum(verdict.levels[level] for verdict in found) / len(found)) for level in LEVELS]


def holding(found: Iterable[Verdict]) -> Mapping[RuleClass, list[str]]:
    """Return, by class, the rules that hold at the level `effects` in all their scenarios among these verdicts."""
    rules = Suite(ROOT / "fixtures").rules
    assert rules is not None
    judged: dict[str, list[bool]] = {}
    for verdict in found:
        judged.setdefault(verdict.rule, []).append(verdict.levels["effects"])
    return {
        class_: [rule.id for rule in rules.of(class_) if rule.id in judged and all(judged[rule.id])]
        for class_ in CLASSES
    }


def row(found: Sequence[Verdict]) -> list[str]:
    """Return the table row of one implementation: its scores, and the number of rules of each class that hold."""
    return [
        *(f"{score} %" for score in scores(found)),
        *(str(len(rules)) for rules in holding(found).values()),
    ]


def table(rows: Mapping[str, Sequence[str]]) -> str:
    """Return the table for docs/adapters.md in Markdown."""
    header = ["an implementation that", *LEVELS, *CLASSES]
    lines = [header, ["---" for _ in header], *([name, *cells] for name, cells in rows.items())]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Measure both implementations, and update docs/adapters.md."""
    made = table({name: row(list(verdicts(answer))) for name, answer in IMPLEMENTATIONS.items()})
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + made + END + rest.partition(END)[2], "utf-8")
    print(made, end="")


if __name__ == "__main__":
    main()

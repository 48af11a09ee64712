"""Measures two implementations that do nothing: one refuses every call, the other reports success for every call.

    python3 tests/wrong_implementations/do_nothing.py

This runs all scenarios and updates the table in docs/adapters.md.
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

Arguments = Mapping[str, Any]
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adapters.md"
BEGIN, END = "<!-- measured by tests/wrong_implementations/do_nothing.py -->\n", "<!-- end -->\n"
"""The lines around the measured table in docs/adapters.md."""
LEVELS = ("effects", "reason", "text")


class DoesNothing:
    capabilities = frozenset(
        {"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "parallel", "during", "deny"}
    )
    reuses_paths = True

    def __init__(self, answer: ToolResult) -> None:
        self.answer = answer

    def open(self, workspace: Workspace) -> DoesNothing:
        return self

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        return self.answer

    def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if not self.answer.is_error:
            interfere()
        return self.call(tool, arguments)

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        return [self.call(*call) for call in calls]


IMPLEMENTATIONS = {
    "always refuses, without a word": ToolResult("", is_error=True),
    "always succeeds, with an empty text": ToolResult(""),
}


def judge_all(answer: ToolResult) -> Iterator[Verdict]:
    """Yield the verdict in each supported scenario of the default contract."""
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
                    scenario,
                    outcome,
                    contract,
                    "text",
                    suite.vocabulary,
                    None,
                    judgement,
                    suite.with_full_contents,
                )
                if verdict.status != "unsupported":  # such as Windows file names on other systems
                    yield verdict


def percentages(verdicts: Sequence[Verdict]) -> list[int]:
    """Return the percentage of scenarios that hold at each level in `LEVELS`, rounded."""
    return [
        round(100 * sum(verdict.levels[level] for verdict in verdicts) / len(verdicts)) for level in LEVELS
    ]


def holding_rules(verdicts: Iterable[Verdict]) -> Mapping[RuleClass, list[str]]:
    """Return the rules that hold at the level `effects` in all their verdicts, by class."""
    rules = Suite(ROOT / "fixtures").rules
    assert rules is not None
    judged: dict[str, list[bool]] = {}
    for verdict in verdicts:
        judged.setdefault(verdict.rule, []).append(verdict.levels["effects"])
    return {
        class_: [rule.id for rule in rules.of(class_) if rule.id in judged and all(judged[rule.id])]
        for class_ in CLASSES
    }


def row(verdicts: Sequence[Verdict]) -> list[str]:
    """Return the cells of one implementation: the percentages, and the number of holding rules of each class."""
    return [
        *(f"{percentage} %" for percentage in percentages(verdicts)),
        *(str(len(rules)) for rules in holding_rules(verdicts).values()),
    ]


def main() -> None:
    header = ["an implementation that", *LEVELS, *CLASSES]
    rows = [[name, *row([*judge_all(answer)])] for name, answer in IMPLEMENTATIONS.items()]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in (header, ["---" for _ in header], *rows))
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + table + END + rest.partition(END)[2], "utf-8")
    print(table, end="")


if __name__ == "__main__":
    main()

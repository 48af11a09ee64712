import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import LEVELS, Difference, Level, Status, Verdict
from readfirst.harness.report import Commands, Report
from readfirst.harness.report.results import JudgedScenario, ReportSources, Run
from readfirst.harness.suite.rule_classes import CLASSES, RuleClass
from readfirst.harness.suite.rules import Rule, Rules
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Position

NOWHERE = Position(Path("rules.yaml"), 1, 1)


def verdict(
    scenario_id: str = "a/b",
    status: Status = "failed",
    *differences: Difference,
    fails: Level | None = None,
    contract: str = "2.1.7",
    level: Level = "text",
    **about: Any,
) -> Verdict:
    """Return a verdict that fails at `fails` (default: the lowest level of the differences, or `safe`) and beyond."""
    if fails is None and status != "passed":
        fails = min((each.level for each in differences), key=LEVELS.index, default="safe")
    holding = len(LEVELS) if fails is None else LEVELS.index(fails)
    levels = {each: index < holding for index, each in enumerate(LEVELS)}
    return Verdict(scenario_id, contract, level, status, levels, differences, **about)


def with_baseline_result(each: Verdict, accepted: str = "", stale: str = "") -> JudgedScenario:
    """Return a verdict with its `accepted` reason, or the reason why the baseline is out of date (`stale`)."""
    conformant = each.status not in ("failed", "error") or bool(accepted)
    return each, BaselineResult(conformant and not stale, accepted, stale)


def run(
    *every: Verdict | JudgedScenario, target: str = "reference", contract: str = "2.1.7", **about: Any
) -> Run:
    """Return a run. Its level is `text`, unless `about` contains a `level`."""
    level = about.pop("level", "text")
    pairs = tuple(with_baseline_result(each) if isinstance(each, Verdict) else each for each in every)
    return Run(target, contract, level, "1.0", pairs, **about)


def sources_of(suite: Suite, **others: Any) -> ReportSources:
    """Return the functions and data of a suite that pages use, without scenarios that do not exist."""
    known = frozenset(suite.ids())
    usual: dict[str, Any] = {
        "find": lambda scenario_id: suite.scenario(scenario_id) if scenario_id in known else None,
        "contracts": suite.contracts,
        "with_expectations_of": suite.with_expectations_of,
        "commands": lambda made: Commands(f"readfirst run {made.target}", "readfirst show"),
        "version": "1.0",
    }
    return ReportSources(**usual | others)


def rule(name: str, class_: RuleClass = "safety", **others: Any) -> Rule:
    usual: dict[str, Any] = {"requirement": "must", "tools": ("Edit",), "sources": (), "why": "Why."}
    return Rule(name, f"Rule {name} holds", class_, position=NOWHERE, **usual | others)


def rules_of(*every: Rule) -> Rules:
    return Rules(dict.fromkeys(CLASSES, "Meaning."), {each.id: each for each in every})


def write_report_of(
    make: Callable[[io.StringIO], Report], every: Sequence[JudgedScenario], *, interrupted: bool = False
) -> str:
    stream = io.StringIO()
    report, summary = make(stream), Summary()
    for each in every:
        summary.add(*each)
        report.verdict(*each)
    report.finish(summary, interrupted=interrupted)
    return stream.getvalue()

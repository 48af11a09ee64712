"""Stated contract: the one whose expectations a scenario file states, the default unless that lacks a tool of it."""

from collections.abc import Sequence

from readfirst.harness.session import BASH
from readfirst.harness.source.inspection import Fields
from readfirst.harness.suite.contracts import Contracts
from readfirst.harness.suite.scenario import Step, calls_of


def read_stated_contract(top: Fields, contracts: Contracts, steps: Sequence[Step]) -> str:
    """Return the contract whose expectations the file states: the suite's default, unless it lacks a tool."""
    default = contracts[contracts.default]
    tools = {call.tool for step in steps for call in calls_of(step)} - {BASH}
    lacking = sorted(tools - set(default.tools))
    if top.values.get("contract") is None:
        if lacking:
            having = ", ".join(each.name for each in contracts.recorded if tools <= set(each.tools))
            fix = f"Write contract: with one that has it: {having}." if having else "Use another tool."
            message = f"{default.name} has no {', '.join(lacking)}"
            top.node.note(message, fix, rule="contract-lacks-tool")
        return default.name
    node, name = top["contract"], top.string("contract")
    recorded = {each.name: each for each in contracts.recorded}
    if name is None:
        return default.name
    if name not in recorded:
        from readfirst.harness.suite.nearest import nearest  # here, because only who errs needs the reference

        node.note(f"there is no recorded contract {name!r}", nearest(name, contracts.recorded))
        return default.name
    if absent := sorted(tools - set(recorded[name].tools)):
        message = f"{name} has no {', '.join(absent)}"
        node.note(message, "Name a contract that has it.", rule="contract-lacks-tool")
    elif not lacking:
        message = f"the default contract, {default.name}, has all tools of this scenario"
        fix = "Remove contract: `readfirst product record --missing` asks the other contracts."
        node.note(message, fix, rule="contract-not-needed", key=True)
    return name

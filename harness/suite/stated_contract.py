"""Stated contract: the one whose expectations a scenario file states, the default unless that lacks a tool of it."""

from collections.abc import Collection, Sequence
from typing import Any

from readfirst.harness.session import BASH
from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath
from readfirst.harness.suite.contracts import Contract, Contracts
from readfirst.harness.suite.scenario import Step, calls_of


def read_stated_contract(look: Inspection, contracts: Contracts, value: Any, steps: Sequence[Step]) -> str:
    """Return the contract whose expectations the file states: the suite's default, unless it lacks a tool."""
    default = contracts[contracts.default]
    tools = {call.tool for step in steps for call in calls_of(step)} - {BASH}
    place = ("contract",)
    if value is None:
        absent = sorted(tools - set(default.tools))
        if absent:
            message = f"{default.name} has no {', '.join(absent)}"
            having = [each.name for each in contracts.recorded if tools <= set(each.tools)]
            fix = (
                f"Write contract: with one that has it: {', '.join(having)}."
                if having
                else "Use another tool."
            )
            look.note((), message, fix, rule="contract-lacks-tool")
        return default.name
    name = look.string(value, place, "contract")
    recorded = {each.name: each for each in contracts.recorded}
    if name is None:
        return default.name
    if name not in recorded:
        from readfirst.harness.suite.nearest import (
            nearest,  # here, because only who errs needs the reference
        )

        fix = nearest(name, contracts.recorded)
        look.note(place, f"there is no recorded contract {name!r}", fix)
        return default.name
    _check_chosen(look, recorded[name], default, tools, place)
    return name


def _check_chosen(
    look: Inspection, contract: Contract, default: Contract, tools: Collection[str], place: YamlPath
) -> None:
    """Check that the contract which a file names has its tools, and that the default has not."""
    absent = sorted(set(tools) - set(contract.tools))
    if absent:
        message = f"{contract.name} has no {', '.join(absent)}"
        look.note(place, message, "Name a contract that has it.", rule="contract-lacks-tool")
    elif set(tools) <= set(default.tools):
        message = f"the default contract, {default.name}, has all tools of this scenario"
        fix = "Remove contract: `readfirst product record --missing` asks the other contracts."
        look.note(place, message, fix, rule="contract-not-needed", key=True)

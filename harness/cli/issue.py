"""Issue: what `readfirst field implementations` does with --issue and --evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readfirst.harness.cli.exits import UsageError
from readfirst.harness.counted import counted
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say, stdout
from readfirst.harness.source.kept import reading

if TYPE_CHECKING:
    from readfirst.harness.suite.rules import Rule
    from readfirst.harness.suite.suite import Suite
    from readfirst.harness.survey.evidence import Evidence
    from readfirst.harness.targets.mapping import Release, Target


def write_evidence(
    chosen: Sequence[tuple[Target, Release]],
    suite: Suite,
    folder: Path,
    order: Sequence[str],
    time_limit: float,
) -> ExitCode:
    """Write what the targets answer where they break a rule that guards work; of others in `order` it is kept."""
    from readfirst.harness.session import BrokenAdapter
    from readfirst.harness.survey.evidence import keep_evidence

    broken = False
    for target, release in chosen:
        name = f"{target.name}@{release.version}"
        try:
            kept = keep_evidence(suite, folder, name, order, time_limit)
        except BrokenAdapter as error:
            broken = True
            say(f"{name}: {error}", err=True)
        else:
            say(f"{name}: evidence of {counted(len(kept), 'rule')}")
    return ExitCode.BROKEN if broken else ExitCode.CONFORMANT


def print_issue(name: str, rule_id: str, suite: Suite, folder: Path, time_limit: float) -> ExitCode:
    """Print a report for the maintainers of a target; nothing is sent.

    It is made of compatibility.json, implementations.json and evidence.json in `folder`, or where that has none in the
    documentation. A rule of which no evidence is kept is tried on the target, if that is installed. Raises UsageError,
    UnknownTargetError, UnknownRuleError, and what the target raises.
    """
    from readfirst.harness.cli.pages import pages
    from readfirst.harness.survey.issue import Report, issue_text
    from readfirst.harness.targets.catalogue import find

    target, release = find(name)
    name = f"{target.name}@{release.version}"
    if suite.rules is None:
        raise UsageError(f"{suite.root} has no rules.yaml, so there is nothing to report.")
    rule = suite.rules[rule_id]
    if not (folder / "compatibility.json").exists():
        folder = pages()["compatibility"].parent
    with reading(folder / "compatibility.json", "readfirst field compatibility --write") as table:
        rules = table["rules"].get(rule_id, {}).get("implementations", {})
        cell = rules.get(table.get("contract"), {}).get(name)
    with reading(folder / "implementations.json", "readfirst field implementations --write") as survey:
        result = next((each for each in survey["targets"] if each["target"] == name), None)
    if cell is None or result is None:
        again = f"readfirst field implementations --write {name} && readfirst field compatibility --write"
        raise UsageError(f"{folder} has no results of {name} for {rule_id}. Write them: {again}")
    if "shortest" not in cell:
        say(f"readfirst: {_nothing(name, rule_id, cell)}", err=True)
        return ExitCode.NOTHING
    evidence = _evidence(target, release, rule, result, suite, folder, time_limit)
    contract = suite.contracts[suite.contracts.default]
    scenario = suite.scenario(evidence.scenario, contract)
    stdout().write(issue_text(Report(target, release, rule, scenario, evidence, cell, result), suite))
    return ExitCode.CONFORMANT


def _evidence(
    target: Target,
    release: Release,
    rule: Rule,
    result: dict[str, Any],
    suite: Suite,
    folder: Path,
    time_limit: float,
) -> Evidence:
    """Return what was kept of the scenario as it is now, else what the installed target does."""
    from readfirst.harness.survey.compatibility import known_scenarios
    from readfirst.harness.survey.evidence import FILE, failing, gather, load_evidence
    from readfirst.harness.targets.install import is_installed

    name = f"{target.name}@{release.version}"
    kept = load_evidence(folder / FILE).get(name, {}).get(rule.id)
    if (
        kept is not None
        and kept.scenario in suite.ids()
        and suite.scenario(kept.scenario).inputs == kept.inputs
    ):
        return kept
    if not is_installed(target, release):
        raise UsageError(
            f"{folder / FILE} has no answers of {name} for {rule.id}, and {name} is not installed to be asked. "
            f"Install it, then try again: readfirst check-adapter target:{name}"
        )
    wanted = failing([rule], known_scenarios(suite), result)
    found = gather(suite, name, {rule.id: wanted.get(rule.id, [])}, time_limit)
    if rule.id not in found:
        again = f"readfirst field implementations --write {name} && readfirst field compatibility --write"
        raise UsageError(f"{name} keeps {rule.id} now. Its results are out of date: {again}")
    return found[rule.id]


def _nothing(name: str, rule_id: str, cell: dict[str, Any]) -> str:
    match cell["holds"]:
        case "yes":
            judged = f"all of the {cell['judged']} scenarios that were judged"
            return f"{rule_id} holds for {name} in {judged}: nothing to report."
        case "not claimed":
            return f"{name} does not claim what the scenarios of {rule_id} need: nothing to report."
        case _:
            return f"no scenario of {rule_id} was judged for {name}: nothing to report."

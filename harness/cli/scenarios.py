"""The commands `readfirst list`, `show`, `rules`, `contracts`, `new`, `lint` and `export`."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import typer

from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.cli.options import (
    ALL_SELECTION_OPTIONS,
    MOST_SELECTION_OPTIONS,
    Classes,
    ContractName,
    Fixtures,
    Ids,
    Output,
    Selected,
    Trust,
    open_own_suite,
    open_suite,
    selecting,
)
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.terminal import harmless_json, say, say_lines, say_rows, say_table, stdout

if TYPE_CHECKING:
    from readfirst.harness.suite.contracts import Contract
    from readfirst.harness.suite.suite import Suite


@selecting(MOST_SELECTION_OPTIONS)
def list_(ids: Ids = None, *, selection: Selected, fixtures: Fixtures = None) -> int:
    """List scenarios: id, requirement and title, separated by tabs."""
    from readfirst.harness.suite.selection import select

    suite = open_suite(fixtures)
    chosen = select(suite, replace(selection, ids=tuple(ids or ())))
    say_rows((heading.id, heading.requirement, heading.title) for heading in map(suite.heading, chosen))
    return ExitCode.CONFORMANT if chosen else ExitCode.NOTHING


def show(
    scenario_id: str | None = typer.Argument(
        None, metavar="ID", help="The scenario's id or file.", show_default=False
    ),
    contract: ContractName = None,
    tools: str | None = typer.Option(
        None, "--tools", metavar="CONTRACT", help="Show the tools that this contract offers to the model."
    ),
    results: str | None = typer.Option(
        None, "--results", metavar="CONTRACT", help="Show the fields of this contract's structured results."
    ),
    fixtures: Fixtures = None,
) -> int:
    """Show one scenario: its files, its steps, and the expectation of each contract.

    The contract of the scenario is shown in full. Other contracts follow in short, one row for each different answer.
    `--contract` shows only one contract. Instead of a scenario, `--tools CONTRACT` shows the schemas of the tools'
    arguments, and `--results CONTRACT` the structured results that a program gets with each answer.
    """
    if [scenario_id, tools, results].count(None) != 2:
        message = "name the ID of a scenario, or a contract with --tools or --results"
        raise UsageError(f"{message}: readfirst show --tools 2.1.7")
    if tools is not None:
        return _show_tools(open_suite(fixtures), tools)
    if results is not None:
        return _show_results(open_suite(fixtures), results)
    assert scenario_id is not None
    from readfirst.harness.report.scenario_text import OtherContracts, scenario_lines
    from readfirst.harness.suite.contract_expectations import is_by_hand
    from readfirst.harness.suite.selection import Selection, select

    suite = open_suite(fixtures)
    (scenario_id,) = select(suite, Selection(ids=(scenario_id,)))
    scenario, others = suite.scenario(scenario_id), None
    if contract is not None:
        chosen = suite.contracts[contract].for_scenario(scenario)
    else:
        chosen = suite.contracts[scenario.contract]
        others = OtherContracts(scenario, suite.recordings.of(scenario_id, scenario.inputs))
    by_hand = is_by_hand(suite, scenario, chosen)
    seen = suite.scenario(scenario_id, chosen)
    say_lines(scenario_lines(seen, chosen, others, by_hand=by_hand))
    return ExitCode.CONFORMANT


def _show_tools(suite: Suite, name: str) -> int:
    """Print the tools of a contract as JSON, so that an implementer can copy them. Return the exit code."""
    from readfirst.harness.suite.tool_schemas import load_tools

    contract = suite.contracts[name]
    tools = load_tools(suite.file("tools.json")).get(contract.name, {})
    value = {name: {"description": tool.facts, "input_schema": tool.schema} for name, tool in tools.items()}
    why = "nothing was recorded of its tools" if contract.recorded else "no product answers for it"
    return _print_json(contract, value, "" if tools else why)


def _show_results(suite: Suite, name: str) -> int:
    """Print a contract's structured results as JSON: the fields of each tool, and all results. Return the exit code."""
    from readfirst.harness.suite.tool_schemas import fields_by_tool, load_results

    contract = suite.contracts[name]
    results = load_results(suite.file("results.json")).get(contract.name, [])
    values = [{"tool": result.tool, "case": result.case, "result": result.value} for result in results]
    why = "its answers come without structured results" if results else "nothing was recorded of its results"
    is_missing = all(result.value is None for result in results)
    return _print_json(
        contract, {"fields": fields_by_tool(results), "results": values}, why if is_missing else ""
    )


def _print_json(contract: Contract, value: object, reason: str) -> int:
    """Print a value as JSON, or the `reason` for a missing value. Return the exit code."""
    if reason:
        say(f"readfirst: {contract.name}: {reason}.", err=True)
        return ExitCode.NOTHING
    stdout().write(f"{harmless_json(value, indent=2)}\n")
    return ExitCode.CONFORMANT


def new(
    scenario: str | None = typer.Argument(
        None,
        metavar="ID",
        help="The id of the new scenario, such as staleness/edit-after-change.",
        show_default=False,
    ),
    source: str | None = typer.Option(
        None,
        "--from",
        metavar="DIR",
        help="Copy the scenario ID, or the families of --family, from this suite (a directory, or `bundled`).",
        show_default=False,
    ),
    family: list[str] | None = typer.Option(None, help="A family to copy (repeatable)."),
    fixtures: Fixtures = None,
) -> None:
    """Write a commented scenario to start from; `readfirst docs contributing` explains the next steps.

    If the directory of --fixtures does not exist, a new suite is created there. `--from bundled --family F` copies the
    scenarios of a family, with their recordings. `ID --from bundled` copies a single scenario.
    """
    from readfirst.harness.suite.copy_families import copy_families, copy_scenario
    from readfirst.harness.suite.scenario_template import begin_suite, check_id, write_template

    if (scenario is None) == (not family) or (source is None and family):
        raise UsageError("name the ID of a scenario, or use --from DIR and --family F to copy a family.")
    try:
        if scenario is not None:
            check_id(scenario)
        if fixtures and len(fixtures) == 1 and fixtures[0] != "bundled" and begin_suite(Path(fixtures[0])):
            say(f"created a suite in {fixtures[0]}", err=True)
        suite = open_own_suite(fixtures)
        if scenario is not None and source is not None:
            say(str(copy_scenario(open_suite([source]), scenario, suite.root)))
        elif scenario is not None:
            say(str(write_template(suite, scenario)))
        elif source is not None:
            copied = copy_families(open_suite([source]), family or (), suite.root)
            say(f"copied {pluralize(len(copied), 'scenario')} to {suite.root}")
    except OSError as error:
        raise UsageError(f"cannot write to {', '.join(fixtures or ('the suite',))}: {error}") from error


def lint(ids: Ids = None, fixtures: Fixtures = None, trust: Trust = False) -> int:
    """Check scenario files and recordings; exit code 4 if a check fails. With ids, only these scenarios are read.

    `readfirst docs format` lists the checks.
    """
    from readfirst.harness.lint.check_recording import notes
    from readfirst.harness.lint.linter import lint_suite
    from readfirst.harness.run.job_count import processors
    from readfirst.harness.suite.selection import Selection, select

    suite = open_suite(fixtures, trust=trust)
    chosen = select(suite, Selection(ids=tuple(ids))) if ids else None
    result = lint_suite(suite, chosen, processors())
    for finding in result.findings:
        say_lines(str(finding).split("\n"))
    for note in notes(result.unrecorded):
        say_lines(note.split("\n"), err=True)
    count = len(result.findings)
    say(f"{pluralize(result.scenarios, 'scenario')}, {pluralize(count, 'finding')}", err=True)
    if count:
        return ExitCode.SUITE_INVALID
    return ExitCode.CONFORMANT if result.scenarios else ExitCode.NOTHING


@selecting(ALL_SELECTION_OPTIONS)
def export(
    ids: Ids = None,
    contract: ContractName = None,
    *,
    selection: Selected,
    output: Output = None,
    fixtures: Fixtures = None,
) -> int:
    """Write scenarios, expanded for one contract, as one JSON object per line, for runners in other languages."""
    from readfirst.harness.report.export import export as export_scenarios
    from readfirst.harness.suite.selection import select

    suite = open_suite(fixtures)
    chosen = suite.contracts[contract or suite.contracts.default]
    wanted = select(suite, replace(selection, ids=tuple(ids or ())))
    count = 0
    with _open_text_output(output) as stream:
        for value in export_scenarios(suite, chosen, wanted):
            stream.write(harmless_json(value) + "\n")
            count += value["type"] == "scenario"
    return ExitCode.CONFORMANT if count else ExitCode.NOTHING


@contextlib.contextmanager
def _open_text_output(output: Path | None) -> Iterator[IO[str]]:
    """Yield a text stream for --output: standard output, or a file (compressed if the file name ends in `.gz`)."""
    if output is None:
        yield stdout()
        return
    from readfirst.harness.report import output as open_output

    with open_output(output) as stream:
        if output.suffix != ".gz":
            yield stream
            return
        import gzip

        compressed = gzip.GzipFile("", "wb", fileobj=stream.buffer, mtime=0)
        with compressed, io.TextIOWrapper(compressed, encoding="ascii", newline="\n") as text:
            yield text


def rules(
    ids: list[str] | None = typer.Argument(
        None, metavar="RULE", help="Rules to show in full, with their scenarios."
    ),
    class_: Classes = None,
    fixtures: Fixtures = None,
) -> int:
    """List the rules, the worst class first: id, class, requirement, number of scenarios, title.

    Prints a table on a terminal, otherwise values separated by tabs. `readfirst rules RULE` shows one rule with its
    scenarios. `readfirst product claims RULE` also shows the claims of the documents, the behaviours of the
    reference, and the versions that differ.
    """
    suite = open_suite(fixtures)
    known = suite.rules
    if known is None:
        raise UsageError(f"{suite.root} has no rules, so its scenarios belong to no rule.")
    chosen = [known[rule_id] for rule_id in ids] if ids else list(known)
    if class_:
        chosen = [rule for rule in chosen if rule.class_ in class_]
    from readfirst.harness.report.rule_text import rule_lines, scenarios_by_rule

    if ids:
        for rule in chosen:
            say_lines(rule_lines(suite, known, rule))
    else:
        scenarios = scenarios_by_rule(suite)
        rows = [
            (rule.id, rule.class_, rule.requirement, str(len(scenarios.get(rule.id, []))), rule.title)
            for rule in chosen
        ]
        say_table(("rule", "class", "requirement", "scenarios", "what holds"), rows, numbers=("scenarios",))
    return ExitCode.CONFORMANT if chosen else ExitCode.NOTHING


def contracts(fixtures: Fixtures = None) -> None:
    """List the contracts, oldest first: name, a mark for the default and the latest one, read gate, and changes.

    The read gate states whether a file must be read before it is edited. Prints a table on a terminal, otherwise values
    separated by tabs. `readfirst diff 2.1.7 2.1.40` shows the differences between two contracts.
    """
    known = open_suite(fixtures).contracts
    marks = {"default": known.default, "latest": known.latest.name}
    rows = []
    for contract in known:
        mark = ", ".join(mark for mark, name in marks.items() if name == contract.name)
        rows.append((contract.name, mark, contract.read_gate or "", contract.summary))
    say_table(("contract", "", "read gate", "what it changed"), rows)

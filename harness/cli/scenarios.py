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
    ALL,
    MOST,
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


@selecting(MOST)
def list_(
    ids: Ids = None,
    *,
    selection: Selected,
    fixtures: Fixtures = None,
) -> int:
    """List scenarios: id, requirement and title, separated by tabs."""
    from readfirst.harness.suite.selection import select

    suite = open_suite(fixtures)
    chosen = select(suite, replace(selection, ids=tuple(ids or ())))
    say_rows((each.id, each.requirement, each.title) for each in map(suite.heading, chosen))
    return ExitCode.CONFORMANT if chosen else ExitCode.NOTHING


def show(
    scenario_id: str | None = typer.Argument(
        None, metavar="ID", help="The scenario's id or file.", show_default=False
    ),
    contract: ContractName = None,
    tools: str | None = typer.Option(
        None,
        "--tools",
        metavar="CONTRACT",
        help="Show the tool descriptions that the model of this contract gets.",
    ),
    results: str | None = typer.Option(
        None, "--results", metavar="CONTRACT", help="Show the fields of this contract's structured results."
    ),
    fixtures: Fixtures = None,
) -> int:
    """Show one scenario: its files, its steps, and the expectation of each contract.

    The scenario's own contract is shown in full; the others follow in short, one row for each distinct answer.
    `--contract` shows only one contract. `--tools CONTRACT` shows the schemas of the tools' arguments instead,
    `--results CONTRACT` the structured results that a program gets with each answer.
    """
    if [scenario_id, tools, results].count(None) != 2:
        raise UsageError(
            "name the ID of a scenario, or a contract with --tools: readfirst show --tools 2.1.7"
        )
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
    """Print the tools of a contract as JSON, which an implementer can copy."""
    from readfirst.harness.suite.tool_schemas import load_tools

    contract = suite.contracts[name]
    known = load_tools(suite.file("tools.json")).get(contract.name, {})
    shown = {tool: {"description": each.facts, "input_schema": each.schema} for tool, each in known.items()}
    why = "nothing was recorded of its tools" if contract.recorded else "no product answers for it"
    return _print_json(contract, shown, "" if known else why)


def _show_results(suite: Suite, name: str) -> int:
    """Print the fields of a contract's structured results, and the results that they were found in, as JSON."""
    from readfirst.harness.suite.tool_schemas import fields_of, load_results

    contract = suite.contracts[name]
    found = load_results(suite.file("results.json")).get(contract.name, [])
    seen = [{"tool": each.tool, "case": each.case, "result": each.value} for each in found]
    why = "its answers come without structured results" if found else "nothing was recorded of its results"
    nothing = all(each.value is None for each in found)
    return _print_json(contract, {"fields": fields_of(found), "results": seen}, why if nothing else "")


def _print_json(contract: Contract, value: object, nothing: str) -> int:
    """Print a value as JSON, or the reason why it is missing."""
    if nothing:
        say(f"readfirst: {contract.name}: {nothing}.", err=True)
        return ExitCode.NOTHING
    stdout().write(f"{harmless_json(value, indent=2)}\n")
    return ExitCode.CONFORMANT


def new(
    scenario: str | None = typer.Argument(
        None, metavar="ID", help="Family and slug of the new scenario.", show_default=False
    ),
    source: str | None = typer.Option(
        None,
        "--from",
        metavar="DIR",
        help="Copy the scenario ID, or families, from this suite or from `bundled`.",
        show_default=False,
    ),
    family: list[str] | None = typer.Option(None, help="A family to copy (repeatable)."),
    fixtures: Fixtures = None,
) -> None:
    """Write a commented scenario to start from; `readfirst docs contributing` explains the next steps.

    If there is nothing at --fixtures, a new suite is created there. `--from bundled --family F` copies the scenarios of
    a family instead, with their recordings, and `ID --from bundled` copies a single one.
    """
    from readfirst.harness.suite.copy_families import copy_families, copy_scenario
    from readfirst.harness.suite.scenario_template import begin_suite, check_id, write_skeleton

    if (scenario is None) == (not family) or (source is None and family):
        raise UsageError("give the ID of a scenario, or --from DIR and --family F to copy a family.")
    try:
        if scenario is not None:
            check_id(scenario)
        if fixtures and len(fixtures) == 1 and fixtures[0] != "bundled" and begin_suite(Path(fixtures[0])):
            say(f"created a suite in {fixtures[0]}", err=True)
        suite = open_own_suite(fixtures)
        if scenario is not None and source is not None:
            say(str(copy_scenario(open_suite([source]), scenario, suite.root)))
        elif scenario is not None:
            say(str(write_skeleton(suite, scenario)))
        elif source is not None:
            copied = copy_families(open_suite([source]), family or (), suite.root)
            say(f"copied {pluralize(len(copied), 'scenario')} to {suite.root}")
    except OSError as error:
        raise UsageError(f"cannot write to {', '.join(fixtures or ('the suite',))}: {error}") from error


def lint(ids: Ids = None, fixtures: Fixtures = None, trust: Trust = False) -> int:
    """Check scenario files and recordings; exit code 4 if anything is wrong. With ids, only these are read.

    `readfirst docs format` lists the checks.
    """
    from readfirst.harness.lint.check_recording import notes
    from readfirst.harness.lint.linter import walk
    from readfirst.harness.run.job_count import processors
    from readfirst.harness.suite.selection import Selection, select

    suite = open_suite(fixtures, trust=trust)
    chosen = select(suite, Selection(ids=tuple(ids))) if ids else None
    linted = walk(suite, chosen, processors())
    count = len(linted.findings)
    for finding in linted.findings:
        say_lines(str(finding).split("\n"))
    for note in notes(linted.unrecorded):
        say_lines(str(note).split("\n"), err=True)
    say(f"{pluralize(linted.scenarios, 'scenario')}, {pluralize(count, 'finding')}", err=True)
    if count:
        return ExitCode.SUITE_INVALID
    return ExitCode.CONFORMANT if linted.scenarios else ExitCode.NOTHING


@selecting(ALL)
def export(
    ids: Ids = None,
    contract: ContractName = None,
    *,
    selection: Selected,
    output: Output = None,
    fixtures: Fixtures = None,
) -> int:
    """Write scenarios expanded for one contract, one JSON object per line, for other languages to read."""
    from readfirst.harness.report.export import export as expanded
    from readfirst.harness.suite.selection import select

    suite = open_suite(fixtures)
    chosen = suite.contracts[contract or suite.contracts.default]
    wanted = select(suite, replace(selection, ids=tuple(ids or ())))
    count = 0
    with _open_output(output) as stream:
        for value in expanded(suite, chosen, wanted):
            stream.write(harmless_json(value) + "\n")
            count += value["type"] == "scenario"
    return ExitCode.CONFORMANT if count else ExitCode.NOTHING


@contextlib.contextmanager
def _open_output(output: Path | None) -> Iterator[IO[str]]:
    """Open the output: standard output, a file, or a compressed file if its name ends with `.gz`."""
    if output is None:
        yield stdout()
        return
    from readfirst.harness.report import output as opened

    with opened(output) as stream:
        if output.suffix != ".gz":
            yield stream
            return
        import gzip

        packed = gzip.GzipFile("", "wb", fileobj=stream.buffer, mtime=0)
        with packed, io.TextIOWrapper(packed, encoding="ascii", newline="\n") as text:
            yield text


def rules(
    ids: list[str] | None = typer.Argument(
        None, metavar="RULE", help="Rules to show in full, with their scenarios."
    ),
    class_: Classes = None,
    fixtures: Fixtures = None,
) -> int:
    """List the rules that scenarios show, worst first: id, class, requirement, scenarios, title.

    A table on a terminal, otherwise separated by tabs. `readfirst rules RULE` shows one rule with its
    scenarios, and `readfirst product claims RULE` also the claims of the documents, the behaviours of the
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
    """List the contracts, oldest first: name, which is default or latest, the read gate, and its changes.

    A table on a terminal, otherwise separated by tabs. `readfirst diff 2.1.7 2.1.40` shows the differences
    between two.
    """
    known = open_suite(fixtures).contracts
    marks = {"default": known.default, "latest": known.latest.name}
    rows = [
        (
            each.name,
            ", ".join(mark for mark, name in marks.items() if name == each.name),
            each.read_gate or "",
            each.summary,
        )
        for each in known
    ]
    say_table(("contract", "", "read gate", "what it changed"), rows)

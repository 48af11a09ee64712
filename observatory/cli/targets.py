"""Commands `list`, `new-mapping` and `implementations` of `readfirst targets`."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from readfirst.harness.adapter_api import TIME_LIMIT, AdapterError
from readfirst.harness.cli.docs import pages
from readfirst.harness.cli.error_handling import UsageError, version
from readfirst.harness.cli.options import (
    Fixtures,
    TimeLimit,
    in_installed_package,
    one_target,
    open_suite,
    running,
)
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.run.connect import mcp_command
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import harmless_json, say, say_rows, stdout
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.json_file import reading
from readfirst.observatory.survey.compatibility import known_scenarios
from readfirst.observatory.survey.failure_evidence import (
    FILE,
    failing_scenarios,
    gather_evidence,
    keep_evidence,
    load_evidence,
)
from readfirst.observatory.survey.issue_report import Report, issue_text
from readfirst.observatory.survey.survey import Survey
from readfirst.observatory.targets.catalogue import baseline_path, find
from readfirst.observatory.targets.catalogue import targets as every_target
from readfirst.observatory.targets.install import is_installed
from readfirst.observatory.targets.locks import renew_locks
from readfirst.observatory.targets.new_mapping import write_mapping
from readfirst.observatory.targets.outdated import add_version, outdated_targets


def targets(
    outdated_targets: bool = typer.Option(
        False,
        "--outdated",
        help="List only targets with a newer version on PyPI or npm; exit code 1 if there are any.",
    ),
    format_: Literal["text", "json"] = typer.Option("text", "--format", help="The format of --outdated."),
    pin: str | None = typer.Option(
        None,
        metavar="NAME@VERSION",
        help="Add a version to a mapping file, and write the lock files of its packages; requires uv and npm.",
    ),
) -> int:
    """List the published implementations: name, kind, whether installed, whether with a baseline, and a description."""
    if outdated_targets and pin is not None:
        raise UsageError("--outdated and --pin exclude each other.")
    if outdated_targets:
        return _print_outdated(as_json=format_ == "json")
    if format_ != "text":
        raise UsageError("--format can only be combined with --outdated.")
    if pin is not None:
        return _pin(pin)

    for target in every_target():
        installed = "installed" if is_installed(target) else "not installed"
        baseline = "with baseline" if baseline_path(target).exists() else "without baseline"
        say_rows([(f"target:{target.pinned}", target.kind, installed, baseline, target.title)])
    return ExitCode.CONFORMANT


def _print_outdated(*, as_json: bool) -> int:
    found = list(outdated_targets())
    if as_json:
        stdout().write(f"{harmless_json([asdict(each) for each in found])}\n")
    else:
        for each in found:
            say_rows([(f"target:{each.name}@{each.pinned}", each.kind, each.package, each.newest)])
        say(f"{pluralize(len(found), 'target') if found else 'no targets'} with a newer version", err=True)
    return ExitCode.NOT_CONFORMANT if found else ExitCode.CONFORMANT


def _pin(spec: str) -> int:
    """Add the version in `spec` (NAME@VERSION) to the mapping file, if missing, and write its lock files."""
    name, at, version = spec.partition("@")
    if not at or not version:
        raise UsageError(f"{spec!r}: write NAME@VERSION. VERSION is the version to add.")
    target = find(name)
    if in_installed_package(target.file):
        raise UsageError("--pin changes files of readfirst: use it in a checkout.")
    before, is_new = target.file.read_bytes(), version not in target.versions
    if is_new:
        add_version(target, version)
    try:
        locks = renew_locks(find(f"{name}@{version}"))
    except BaseException:
        write_all({target.file: before})  # without lock files, the version is not added
        raise
    if is_new:
        say(f"added {version} to {target.file.name}, as a copy of the line of {target.release.version}")
    for lock in locks:
        say(f"wrote locks/{lock.name}")
    return ExitCode.CONFORMANT


def new_mapping(
    words: list[str] = typer.Argument(..., metavar="mcp:COMMAND", help="The server, as for `readfirst run`."),
    output: Path | None = typer.Option(
        None, help="The file to write; it must not exist.", show_default="the server's name.yaml"
    ),
    time_limit: TimeLimit = TIME_LIMIT,
) -> None:
    """Write a first mapping file for an MCP server whose tools have other names than Read, Edit and Write."""
    server = one_target(words, "readfirst targets new-mapping", "mcp:")
    if not server.startswith("mcp:"):
        raise UsageError(f"{server!r} is not an MCP server. Write mcp:COMMAND: 'mcp:node server.mjs'.")
    file, calls = write_mapping(mcp_command(server), output, time_limit)
    say(f"wrote {file}")
    for tool, call in calls.items():
        say(f"  {tool:5}  {call or 'no matching tool; the file lists all tools of the server'}")
    target = shlex.quote(f"target:{file}")
    say(f"Check the file, then: readfirst check-adapter {target} && readfirst run {target} --level safe")


_Jobs = Annotated[
    int,
    typer.Option(
        "-j",
        "--jobs",
        min=1,
        max=256,
        help="Number of processes. With fewer targets than processes, the scenarios of a target run in parallel.",
    ),
]


@running("time_limit", jobs=(_Jobs, 1))
def implementations(
    names: list[str] | None = typer.Argument(
        None, metavar="NAME@VERSION", help="Run only these targets; the results of other targets are kept."
    ),
    write: bool = typer.Option(False, "--write", help="Write implementations.json and implementations.md."),
    folder: Path = typer.Option(Path("docs"), help="The directory to write to."),
    update_baselines: bool = typer.Option(
        False, "--update-baselines", help="Also write the baseline (the accepted failures) of each target."
    ),
    missing: bool = typer.Option(
        False,
        "--missing",
        help="Run only scenarios without a result, or with the result `error`. All scenarios are run if the "
        "target's design has changed.",
    ),
    sample: int | None = typer.Option(
        None,
        min=1,
        help="Run only this many scenarios, spread evenly over the suite. Each target runs the same scenarios.",
    ),
    streams: Path | None = typer.Option(
        None, help="Write the results of each target as JSON Lines to this directory, for `readfirst report`."
    ),
    *,
    options: RunOptions,
    fixtures: Fixtures = None,
    evidence: bool = typer.Option(
        False,
        "--evidence",
        help="Only write evidence.json: for each broken safety rule, the answers of one failing scenario.",
    ),
    issue: tuple[str, str] | None = typer.Option(
        None,
        metavar="NAME@VERSION RULE",
        help="Only print a report for the maintainers of a target about a rule that it breaks.",
    ),
) -> int:
    """Run every target on all scenarios, -j targets in parallel, and write the results. Installs the targets."""
    suite = open_suite(fixtures)
    runs = write or missing or update_baselines or (sample, streams) != (None, None)
    if issue is not None:
        if names or evidence or runs:
            raise UsageError("--issue NAME@VERSION RULE can only be combined with --folder and --fixtures.")
        return _print_issue(*issue, suite, folder, options)
    if evidence and runs:
        raise UsageError(
            "--evidence cannot be combined with --write, which also writes evidence.json, or with "
            "--missing, --update-baselines, --sample and --streams."
        )
    chosen = [find(name) for name in names] if names else list(every_target())
    order = [each.pinned for each in every_target()]
    broken = 0
    if evidence:
        for name in (target.pinned for target in chosen):
            try:
                kept = keep_evidence(suite, folder, name, order, options)
            except AdapterError as error:
                broken += 1
                say(f"{name}: {error}", err=True)
            else:
                say(f"{name}: evidence of {pluralize(len(kept), 'rule')}")
        return ExitCode.ERROR if broken else ExitCode.CONFORMANT
    if update_baselines and in_installed_package(baseline_path(chosen[0])):
        raise UsageError("--update-baselines changes files of readfirst: use it in a checkout.")
    survey = Survey(
        suite,
        folder,
        options=options,
        streams=streams,
        version=version(),
        only_missing=missing,
        sample=sample,
    )
    survey.load_stored_results()
    asked = {target.pinned: survey.scenarios_to_run(target) for target in chosen}
    for name in (name for name, ids in asked.items() if not ids):
        say(f"{name}: every scenario already has a result")
    chosen = [target for target in chosen if asked[target.pinned]]
    for name, result in survey.run_all(chosen, baseline=update_baselines):
        if isinstance(result, AdapterError):
            broken += 1
            say(f"{name}: {result}", err=True)
            continue
        judged, holds = result["judged"], result["holds"]
        counts = ", ".join(f"{level} {holds[level]}/{judged}" for level in ("effects", "reason", "text"))
        harm = result["harm"]
        harmed = ", ".join(f"{kind} {count}" for kind, count in harm["counts"].items() if count) or "nothing"
        say(f"{name}: harm in {harm['sessions']} sessions: {harmed}")
        say(f"{name}: {counts}, {result['unsupported']} unsupported")
        if write:  # after each target, so that an interruption loses the results of only one
            survey.write(order)
            again = frozenset(asked[name]) if missing or sample is not None else None
            keep_evidence(suite, folder, name, order, options, again)
    return ExitCode.ERROR if broken else ExitCode.CONFORMANT


def _print_issue(name: str, rule_id: str, suite: Suite, folder: Path, options: RunOptions) -> ExitCode:
    """Print a report for a target's maintainers about a broken rule. Replays failing scenarios if needed."""
    target = find(name)
    name = target.pinned
    if suite.rules is None:
        raise UsageError(f"{suite.root} has no rules, so there is nothing to report.")
    rule = suite.rules[rule_id]
    if not (folder / "compatibility.json").exists():
        folder = pages()["compatibility"].parent
    with reading(folder / "compatibility.json", "readfirst targets compatibility --write") as table:
        rules = table["rules"].get(rule_id, {}).get("implementations", {})
        cell = rules.get(table.get("contract"), {}).get(name)
    with reading(folder / "implementations.json", "readfirst targets implementations --write") as survey:
        result = next((each for each in survey["targets"] if each["target"] == name), None)
    again = f"readfirst targets implementations --write {name} && readfirst targets compatibility --write"
    if cell is None or result is None:
        raise UsageError(f"{folder} has no results of {name} for {rule_id}. Write them: {again}")
    if "shortest" not in cell:
        why = {
            "yes": f"{rule_id} holds for {name} in all {cell['judged']} judged scenarios",
            "not claimed": f"{name} does not claim the capabilities that the scenarios of {rule_id} need",
        }
        nothing = why.get(cell["holds"], f"no scenario of {rule_id} was judged for {name}")
        say(f"readfirst: {nothing}: nothing to report.", err=True)
        return ExitCode.NOTHING
    kept = load_evidence(folder / FILE).get(name, {}).get(rule_id)
    known = kept is not None and kept.scenario in suite.ids()
    if kept is None or not known or suite.scenario(kept.scenario).inputs != kept.inputs:
        if not is_installed(target):
            raise UsageError(
                f"{folder / FILE} has no answers of {name} for {rule_id}, and {name} is not installed. "
                f"Install it, then try again: readfirst check-adapter target:{name}"
            )
        wanted = failing_scenarios([rule], known_scenarios(suite), result)
        kept = gather_evidence(suite, name, {rule_id: wanted.get(rule_id, [])}, options).get(rule_id)
        if kept is None:
            raise UsageError(
                f"{name} now follows {rule_id}, so there is nothing to report. Update its results: {again}"
            )
    scenario = suite.scenario(kept.scenario, suite.contracts[suite.contracts.default])
    stdout().write(issue_text(Report(target, rule, scenario, kept, cell, result), suite))
    return ExitCode.CONFORMANT

"""Command `readfirst diagnose`."""

from pathlib import Path
from typing import Literal

import typer

from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.cli.options import Fixtures, Output, Trust, open_suite, running, write_output
from readfirst.harness.processes.sandbox import SandboxUnavailableError
from readfirst.harness.run.run_options import RunOptions
from readfirst.observatory.diagnosis.best_match import find_diagnosis
from readfirst.observatory.diagnosis.observation import (
    observe_run,
    read_observations,
    reference_contracts,
    search_sample,
    without_missing_capabilities,
)
from readfirst.observatory.diagnosis.replay_cache import ReplayCache
from readfirst.observatory.diagnosis.report import DiagnosisCase, as_json, as_markdown, as_text


@running("jobs", "time_limit", "confine")
def diagnose(
    targets: list[str] | None = typer.Argument(
        None, metavar="TARGET|FILE...", help="A target, or a file that `readfirst run --format jsonl` wrote."
    ),
    level: Literal["effects", "reason"] = typer.Option(
        "effects",
        help="`effects`: explain different files and refusals; `reason`: also different names of errors.",
    ),
    format_: Literal["text", "markdown", "json"] = typer.Option(
        "text", "--format", help="The format of the report; `markdown` prints one line per target."
    ),
    output: Output = None,
    all_: bool = typer.Option(False, "--all", help="List every rule with unexplained failures."),
    *,
    options: RunOptions,
    fixtures: Fixtures = None,
    trust: Trust = False,
) -> None:
    """Find the version of the reference that is most similar to an implementation, and the behaviours that differ.

    docs/diagnosis.md explains the output.
    """
    suite = open_suite(fixtures, trust=trust)
    if suite.needs_sandbox:
        raise SandboxUnavailableError(
            f"{suite.root} is not the bundled suite, and diagnose replays it without a sandbox. Add --trust to do so."
        )
    if not targets:
        raise UsageError("name a target, or the results of a run: readfirst diagnose mine.jsonl")
    if not (contracts := reference_contracts(suite)):
        raise UsageError(f"{suite.root} has no contract that the reference knows.")
    found = []
    for target in targets:
        if target.endswith(".jsonl") or (":" not in target and Path(target).is_file()):
            found.append(read_observations(suite, Path(target)))
        else:
            found.append((target, observe_run(suite, target, suite.ids(), options)))
    known, cases = suite.rules, []
    headings = [] if known is None else [*map(suite.heading, suite.ids())]
    rules = {each.id: known[each.rule] for each in headings if known and each.rule in known}
    with ReplayCache(suite) as replays:
        for name, observed in found:
            if not (seen := without_missing_capabilities(observed)):
                raise UsageError(
                    f"{name}: no scenario can be compared, because each needs a capability that {name} lacks."
                )
            diagnosis = find_diagnosis(replays, seen, contracts, search_sample(suite, seen), level)
            cases.append(DiagnosisCase(name, diagnosis, rules))
    match format_:
        case "json":
            write_output(as_json(cases), output)
        case "markdown":
            write_output(f"{as_markdown(cases)}\n", output)
        case _:
            texts = ("".join(f"{line}\n" for line in as_text(case, everything=all_)) for case in cases)
            write_output("\n".join(texts), output)

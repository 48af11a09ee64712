"""Write the lines at the end of a run that suggest the next command to the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.escape import visible, visible_command
from readfirst.harness.report.failure import short_path
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.suite import BUNDLED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from readfirst.harness.run.run_command import RunRequest

_MIN_GROUPED_FAILURES = 2
"""Minimum number of failures before a run suggests commands that group the failures."""
_MAX_NAMED_FAILURES = 10
"""Maximum number of failed scenarios that are listed after an interrupt."""


def suite_options(fixtures: Sequence[str]) -> list[str]:
    """Return the command-line options that name these suites (`--fixtures DIRECTORY`)."""
    paths = (path if path == BUNDLED else short_path(Path(path)) for path in fixtures)
    return [word for path in paths for word in ("--fixtures", path)]


def grouping_line(request: RunRequest, failing: Counter[str]) -> str:
    """Return a line with commands that group the failures of a run by cause or by rule. Empty for very few failures.
    `failing` contains the number of failures by contract.
    """
    contract = next(iter(failing), "")
    # A comparison accepts no ids, and a selection by ids is small.
    is_kept = request.format == "jsonl" and request.output is not None
    # `diff` compares effects and answers, which do not matter at `safe`.
    is_by_rule = bool(request.selection.ids) or request.level == "safe"
    if failing[contract] < _MIN_GROUPED_FAILURES or (is_by_rule and not is_kept):
        return ""
    side = str(request.output) if is_kept else request.target
    diff = ["readfirst", "diff", contract, side, *_selection_options(request)]
    if is_kept:
        report = ["readfirst", "report", side]
        commands = {"by rule": report} if is_by_rule else {"by cause": diff, "by rule": report}
    else:
        diff += RunOptions(time_limit=request.options.time_limit).words()
        diff += ["--trust"] if request.suite.trust else []
        commands = {"by cause, with another run (none with --format jsonl --output results.jsonl)": diff}
    fixtures = suite_options(request.fixtures)
    grouped = (f"{name}: {visible_command([*words, *fixtures])}" for name, words in commands.items())
    return f"{failing[contract]} failures on {contract}; grouped {'; '.join(grouped)}"


def interrupted_lines(
    request: RunRequest, scenarios: int, tested: Mapping[str, Mapping[str, bool]]
) -> list[str]:
    """Return lines for the end of an interrupted run: its failures, and the commands that continue it. `scenarios` is
    the number of scenarios in the run. `tested` states for each contract and tested scenario whether it failed.
    """
    done = {scenario_id for verdicts in tested.values() for scenario_id in verdicts}
    failed = sorted(_failed_ids(tested))
    named = ", ".join(map(visible, failed[:_MAX_NAMED_FAILURES]))
    more = f" and {len(failed) - _MAX_NAMED_FAILURES:,} more" if len(failed) > _MAX_NAMED_FAILURES else ""
    failures = f"{len(failed):,} failed: {named}{more}" if failed else "none failed"
    lines = [f"interrupted after {len(done):,} of {pluralize(scenarios, 'scenario')}; {failures}"]
    if failed:
        lines.append(f"run the failed scenarios again: {_run_command(request)} --last-failed")
    if len(done) < scenarios:
        lines.append(f"run the scenarios that were not reached: {_run_command(request)} --continue")
    return lines


def all_pass_line(request: RunRequest, tested: Mapping[str, Mapping[str, bool]]) -> str:
    """Return the command line for all scenarios if the run tested only earlier failures, and all pass. Else empty."""
    is_repetition = request.last_failed or request.failed_in is not None
    if not is_repetition or _failed_ids(tested):
        return ""
    return f"no scenario that failed before fails now; run all scenarios: {_run_command(request)}"


def _failed_ids(tested: Mapping[str, Mapping[str, bool]]) -> set[str]:
    return {each for verdicts in tested.values() for each, has_failed in verdicts.items() if has_failed}


def _run_command(request: RunRequest) -> str:
    """Return the command line that repeats the run, without the options that select failures or name a report."""
    words = request.run_words(request.contracts)
    for option, value in (("--name", request.name), ("--baseline", request.baseline)):
        words += [option, str(value)] if value is not None else []
    words += ["--no-baseline"] if request.no_baseline else []
    return visible_command([*words, *_selection_options(request), *request.selection.ids])


def _selection_options(request: RunRequest) -> list[str]:
    """Return the command-line options that select the same scenarios as the run."""
    chosen = request.selection
    words: list[str] = []
    for name, values in (
        ("--family", chosen.families),
        ("--tag", chosen.tags),
        ("--requirement", chosen.requirements),
        ("--rule", chosen.rules),
        ("--class", chosen.classes),
        ("-k", (chosen.expression,) if chosen.expression else ()),
        ("--shard", ("/".join(map(str, chosen.shard)),) if chosen.shard != (1, 1) else ()),
        ("-j", (str(request.options.jobs),) if request.options.jobs > 1 else ()),
    ):
        words += [word for value in values for word in (name, value)]
    return words

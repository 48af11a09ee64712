"""Write the failures of a run into its baseline, for the option `--update-baseline`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from readfirst.harness.compare.baseline import Baseline, BaselineChecker, load_baseline
from readfirst.harness.compare.baseline_file import baseline_text
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.errors import ExitCode
from readfirst.harness.report import output
from readfirst.harness.terminal import say

if TYPE_CHECKING:
    from readfirst.harness.run.run_command import RunRequest


def update_baseline(
    request: RunRequest, old: Baseline | None, seen: Sequence[Verdict], *, is_whole: bool
) -> ExitCode:
    """Write the failures into `request.baseline`, with the reasons of the `old` baseline. Return the new exit code.
    `is_whole` means that the run contained the whole suite.
    """
    suite, file = request.suite, request.baseline
    assert file is not None
    failing_rules = {verdict.rule for verdict in seen if verdict.failing}
    lucky = {
        verdict.scenario_id
        for verdict in seen
        if verdict.judged
        and verdict.rule in failing_rules
        and (scenario := suite.find_scenario(verdict.scenario_id)) is not None
        and scenario.is_nondeterministic
    }
    name = old.name if old else request.title
    text = baseline_text(
        name, seen, old, of_all=is_whole, suite=suite.title, lucky=lucky, level=request.level
    )
    file.parent.mkdir(exist_ok=True)
    with output(file) as stream:
        stream.write(text)
    written = load_baseline(file, suite.ids(), suite.contracts, suite.rule_ids, suite.title)
    checker, summary = BaselineChecker(written, request.claims or request.stated), Summary()
    for verdict in seen:
        summary.add(verdict, checker.apply_baseline(verdict))
    if not is_whole and old is None:
        say(
            f"{file} knows only the selected scenarios: other failures, and other missing capabilities, are not "
            "accepted. Write it from a run of the whole suite if you test the whole suite.",
            err=True,
        )
    entries = "1 entry" if len(written.accepted) == 1 else f"{len(written.accepted):,} entries"
    missing = summary.need_reasons
    needs = f"; {missing:,} {'needs' if missing == 1 else 'need'} a reason" if missing else ""
    removed = len(old.accepted.keys() - written.accepted.keys()) if old else 0
    removals = f"; removed {removed:,}, which no longer fail" if removed else ""
    say(f"wrote {entries} to {file}{removals}{needs}", err=True)
    return summary.exit_code

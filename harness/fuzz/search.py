"""Search: what `readfirst fuzz` does: generate, replay on both sides, write a file for each finding, sum up."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from harness.adapters.connect import ConnectError, connect
from harness.atomic import write_all
from harness.contracts import Contract
from harness.fuzz.campaign import Campaign, Duel, Finding, Group
from harness.fuzz.generate import scenarios
from harness.fuzz.known import Known, load_known
from harness.fuzz.scenario_file import scenario_yaml
from harness.report.progress import ProgressBar
from harness.session import Adapter
from harness.suite import Suite
from harness.summary import ExitCode
from harness.verdict import Level
from harness.visible import visible
from harness.workspace import Place

__all__ = ["Request", "perform"]

_SHOWN = 300
_TOLD = 1000
"""Steps after which a search that is not watched on a terminal tells how far it is."""


@dataclass(frozen=True, slots=True)
class Request:
    """The options of one search as they were given. `steps` are made on both sides; `output` gets the files."""

    suite: Suite
    against: str
    contract: str
    steps: int
    seed: int
    level: Level
    output: Path
    known: Path | None = None
    time_limit: float = 30.0
    fast: bool = False


def perform(request: Request) -> ExitCode:
    """Search and print what was found; return how `readfirst` ends.

    Raises ConnectError, BrokenAdapter or SuiteError. Whatever ends the search, no process of a target stays.
    """
    suite = request.suite
    contract = suite.contracts[request.contract]
    level: Level = "reason" if request.fast and request.level == "text" else request.level
    known = load_known(request.known, suite.contracts) if request.known is not None else ()
    with ExitStack() as stack:
        place = stack.enter_context(Place())
        reference, target = _sides(request, contract)
        stack.callback(getattr(target, "close", _nothing))
        duel = Duel(reference, target, place, level, suite.vocabulary)
        accepted, gone = _accepted(duel, known)
        generated = scenarios(request.seed, basic=request.fast)
        campaign = Campaign(duel, generated, steps=request.steps, accepted=frozenset(accepted))
        progress = stack.enter_context(_Progress(campaign, request.steps))
        written = 0
        try:
            for finding in campaign.perform(progress.made):
                written += 1
                print(_told(finding, _write(request, finding, written)), flush=True)
        finally:  # an interrupted search tells how far it came
            progress.stop()
            print(_summary(request, level, campaign, written), file=sys.stderr)
    for entry in gone:
        print(f"{entry.scenario.path}: no longer a disagreement; remove it from {request.known}")
    if written or gone:
        return ExitCode.NOT_CONFORMANT
    return ExitCode.CONFORMANT if campaign.steps else ExitCode.NOTHING


def _summary(request: Request, level: Level, campaign: Campaign, written: int) -> str:
    against = f"{request.against}{' (fast)' if request.fast else ''}"
    return (
        f"{campaign.steps} steps in {_times(campaign.scenarios, 'scenario')} on the reference and {against}, "
        f"level {level}, seed {request.seed}: {_times(campaign.disagreed, 'disagreement')}, "
        f"{campaign.explained} of them known, {_times(written, 'new cause')}"
    )


def _sides(request: Request, contract: Contract) -> tuple[Adapter, Adapter]:
    """Return the reference and the target. Raises ConnectError or BrokenAdapter."""
    if request.fast:
        from harness.fuzz.fast import FastProduct, FastReference

        kind, _, version = request.against.partition(":")
        if kind != "claude-code":
            raise ConnectError(f"{request.against!r}: only claude-code:VERSION has the fast mode.")
        return FastReference(contract.name), FastProduct(version, time_limit=request.time_limit)
    reference = connect("reference", request.suite, contract=contract, time_limit=request.time_limit)
    return reference, connect(
        request.against, request.suite, contract=contract, time_limit=request.time_limit
    )


def _nothing() -> None:
    """Stand in for the `close` of a target that has none."""


class _Progress(ProgressBar):
    """A bar on a terminal; elsewhere a line now and then."""

    def __init__(self, campaign: Campaign, steps: int) -> None:
        from rich.console import Console

        super().__init__(Console(stderr=True), steps)
        self._campaign = campaign
        self._steps = steps
        self._told = 0

    def made(self, steps: int) -> None:
        """Say how many steps were made."""
        self.at(min(steps, self._steps), self._steps)
        if not sys.stderr.isatty() and steps // _TOLD > self._told:
            self._told = steps // _TOLD
            told = f"{steps} steps, {_times(self._campaign.disagreed, 'disagreement')}"
            print(told, file=sys.stderr, flush=True)


def _accepted(duel: Duel, known: tuple[Known, ...]) -> tuple[dict[Group, Known], list[Known]]:
    """Return the groups that are known, and the entries on which both sides agree by now."""
    accepted: dict[Group, Known] = {}
    gone = []
    for entry in known:
        found = duel(entry.scenario)
        if found is None:
            gone.append(entry)
        else:
            accepted[Finding(entry.scenario, found).group] = entry
    duel.steps = 0
    return accepted, gone


def _write(request: Request, finding: Finding, number: int) -> Path:
    cause = finding.disagreement.cause
    words = re.sub(r"[^a-z0-9]+", "-", f"{cause.tool} {cause.reference} {cause.target}".lower()).strip("-")
    path = request.output / f"{words}-{number}.yaml"
    found = finding.disagreement
    scenario = replace(
        finding.scenario,
        id=f"fuzz/{path.stem}",
        title=f"Generated sequence of {_times(len(finding.scenario.steps), 'step')} about {cause.tool}",
        about=(
            f"Step {found.step + 1}, {found.what}. The reference: {_cut(found.reference)} "
            f"The target {request.against}: {_cut(found.target)}"
        ),
    )
    write_all({path: scenario_yaml(scenario).encode()})
    return path


def _told(finding: Finding, path: Path) -> str:
    found = finding.disagreement
    again = "" if finding.again else " (not seen a second time, so not shrunk)"
    return (
        f"{path}: {found.cause}{again}\n"
        f"  step {found.step + 1} of {len(finding.scenario.steps)}, {found.what}\n"
        f"    reference  {_cut(found.reference)}\n"
        f"    target     {_cut(found.target)}"
    )


def _cut(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}… ({len(text)} characters)"


def _times(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"

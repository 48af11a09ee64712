"""Search: what `readfirst fuzz` does: generate, replay on both sides, write a file for each finding, sum up.

One seed is searched here; several at once are searched by processes (`streams`), and written and summed up here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.adapters.connect import ConnectError, connect
from harness.atomic import write_all
from harness.contracts import Contract
from harness.fuzz.campaign import Campaign, Duel, Finding, Group
from harness.fuzz.generate import scenarios
from harness.fuzz.known import Known, load_known
from harness.fuzz.scenario_file import scenario_yaml
from harness.fuzz.streams import Streams, Tally, shares
from harness.report.progress import ProgressBar
from harness.session import Adapter
from harness.suite import Suite
from harness.summary import ExitCode
from harness.verdict import Level
from harness.visible import visible
from harness.workspace import Place

__all__ = ["Request", "Search", "perform", "search"]

_SHOWN = 300
_TOLD = 1000
"""Steps after which a search that is not watched on a terminal tells how far it is."""


@dataclass(frozen=True, slots=True)
class Request:
    """The options of one search as they were given. `steps` are made on both sides; `output` gets the files.

    More than one of `jobs` search as many seeds, from `seed` on, and divide the steps between them.
    """

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
    jobs: int = 1

    @property
    def judged(self) -> Level:
        """The level at which answers are compared."""
        return "reason" if self.fast and self.level == "text" else self.level


class Search:
    """The search of one seed, with both sides connected."""

    def __init__(self, campaign: Campaign, gone: tuple[int, ...]) -> None:
        self._campaign = campaign
        self._gone = gone

    @property
    def tally(self) -> Tally:
        """How far it came."""
        made = self._campaign
        return Tally(made.steps, made.scenarios, made.disagreed, made.explained, self._gone)

    def perform(self, progress: Callable[[], None]) -> Iterator[Finding]:
        """Yield what is found; `progress` is called after each scenario."""
        return self._campaign.perform(lambda _: progress())


@contextmanager
def search(request: Request) -> Iterator[Search]:
    """Connect both sides, and close them whatever happens. Raises ConnectError, BrokenAdapter or SuiteError."""
    suite = request.suite
    known = load_known(request.known, suite.contracts) if request.known is not None else ()
    with ExitStack() as stack:
        place = stack.enter_context(Place())
        reference, target = _sides(request, suite.contracts[request.contract])
        stack.callback(getattr(target, "close", _nothing))
        duel = Duel(reference, target, place, request.judged, suite.vocabulary)
        accepted, gone = _accepted(duel, known)
        generated = scenarios(request.seed, basic=request.fast)
        yield Search(Campaign(duel, generated, steps=request.steps, accepted=accepted), gone)


def perform(request: Request) -> ExitCode:
    """Search and print what was found; return how `readfirst` ends.

    Raises ConnectError, BrokenAdapter or SuiteError. Whatever ends the search, no process of a target stays.
    """
    known = load_known(request.known, request.suite.contracts) if request.known is not None else ()
    requests = shares(request)
    result = _Result(request, requests)
    try:
        if len(requests) == 1:
            _search_here(requests[0], result)
        else:
            _search_in_processes(requests, result)
    finally:  # an interrupted search tells how far it came
        result.progress.stop()
        print(result.summary, file=sys.stderr)
    for number in sorted({number for tally in result.tallies for number in tally.gone}):
        print(f"{known[number].scenario.path}: no longer a disagreement; remove it from {request.known}")
        result.all_well = False
    if not result.all_well:
        return ExitCode.NOT_CONFORMANT
    return ExitCode.CONFORMANT if result.steps else ExitCode.NOTHING


def _search_here(request: Request, result: _Result) -> None:
    with result.progress, search(request) as under_way:

        def told() -> None:
            result.at([under_way.tally])

        told()
        for finding in under_way.perform(told):
            result.take(finding)


def _search_in_processes(requests: tuple[Request, ...], result: _Result) -> None:
    """Search all at once. Findings are taken in the order of the seeds, whichever is quicker."""
    with result.progress:
        streams = Streams(requests)
        try:
            with streams:
                for _ in streams.perform():
                    result.at(streams.tallies)
        finally:
            result.at(streams.tallies)
            for found in streams.found:
                for finding in found:
                    result.take(finding)


class _Result:
    """What was found so far by all searches of a request: files, lines on the screen, and sums."""

    def __init__(self, request: Request, requests: tuple[Request, ...]) -> None:
        self._request = request
        self._seeds = [each.seed for each in requests]
        self._groups: set[Group] = set()
        self.tallies = [Tally()]
        self.all_well = True
        self.progress = _Progress(request.steps)

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return sum(tally.steps for tally in self.tallies)

    def at(self, tallies: list[Tally]) -> None:
        """Take note of how far each search is."""
        self.tallies = tallies
        self.progress.made(self.steps, sum(tally.disagreed for tally in tallies))

    def take(self, finding: Finding) -> None:
        """Write the file of a finding and tell it, unless another seed gave one of the same group."""
        if finding.group not in self._groups:
            self._groups.add(finding.group)
            self.all_well = False
            print(_told(finding, _write(self._request, finding, len(self._groups))), flush=True)

    @property
    def summary(self) -> str:
        """What all searches made, in one line."""
        request, total = self._request, self.tallies
        against = f"{request.against}{' (fast)' if request.fast else ''}"
        first, last = self._seeds[0], self._seeds[-1]
        return (
            f"{self.steps} steps in {_times(sum(tally.scenarios for tally in total), 'scenario')} "
            f"on the reference and {against}, level {request.judged}, "
            f"{f'seed {first}' if first == last else f'seeds {first} to {last}'}: "
            f"{_times(sum(tally.disagreed for tally in total), 'disagreement')}, "
            f"{sum(tally.explained for tally in total)} of them known, {_times(len(self._groups), 'new cause')}"
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

    def __init__(self, steps: int) -> None:
        from rich.console import Console

        super().__init__(Console(stderr=True), steps)
        self._steps = steps
        self._told = 0

    def made(self, steps: int, disagreed: int) -> None:
        """Say how many steps were made, and how often the sides disagreed."""
        self.at(min(steps, self._steps), self._steps)
        if not sys.stderr.isatty() and steps // _TOLD > self._told:
            self._told = steps // _TOLD
            print(f"{steps} steps, {_times(disagreed, 'disagreement')}", file=sys.stderr, flush=True)


def _accepted(duel: Duel, known: tuple[Known, ...]) -> tuple[frozenset[Group], tuple[int, ...]]:
    """Return the groups that are known, and the numbers of the entries on which both sides agree by now."""
    accepted: set[Group] = set()
    gone = []
    for number, entry in enumerate(known):
        found = duel(entry.scenario)
        if found is None:
            gone.append(number)
        else:
            accepted.add(Finding(entry.scenario, found).group)
    duel.steps = 0
    return frozenset(accepted), tuple(gone)


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

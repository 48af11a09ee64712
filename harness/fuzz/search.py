"""Search: generate scenarios of one seed, and replay them on the reference and a target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.compare.verdict import Level
from readfirst.harness.fuzz.campaign import Campaign, Duel, Finding, Group, Tally
from readfirst.harness.fuzz.generate import scenarios
from readfirst.harness.fuzz.known import KnownDisagreement, load_known
from readfirst.harness.run.connect import ConnectError, connect
from readfirst.harness.session import TIME_LIMIT, Adapter
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

__all__ = ["Search", "SearchRequest", "search"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
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
    time_limit: float = TIME_LIMIT
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
def search(request: SearchRequest) -> Iterator[Search]:
    """Connect both sides, and close them whatever happens. Raises ConnectError, BrokenAdapter or SuiteError."""
    suite = request.suite
    known = load_known(request.known, suite.contracts) if request.known is not None else ()
    with ExitStack() as stack:
        place = stack.enter_context(SitePool())
        reference, target = _sides(request, suite.contracts[request.contract])
        stack.callback(getattr(target, "close", _nothing))
        duel = Duel(reference, target, place, request.judged, suite.vocabulary)
        accepted, gone = _accepted(duel, known)
        generated = scenarios(request.seed, basic=request.fast)
        yield Search(Campaign(duel, generated, steps=request.steps, accepted=accepted), gone)


def _sides(request: SearchRequest, contract: Contract) -> tuple[Adapter, Adapter]:
    """Return the reference and the target. Raises ConnectError or BrokenAdapter."""
    if request.fast:
        from readfirst.harness.fuzz.fast import FastProduct, FastReference

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


def _accepted(duel: Duel, known: tuple[KnownDisagreement, ...]) -> tuple[frozenset[Group], tuple[int, ...]]:
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

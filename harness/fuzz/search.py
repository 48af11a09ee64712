"""Search: generate scenarios of one seed, and replay them on a target and the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.compare.verdict import Level
from readfirst.harness.fuzz.alone import Alone
from readfirst.harness.fuzz.campaign import Campaign, Duel, Finding, Group, Tally
from readfirst.harness.fuzz.claimed import claimed
from readfirst.harness.fuzz.generate import long_sessions, scenarios
from readfirst.harness.fuzz.known import KnownDisagreement, load_known
from readfirst.harness.fuzz.likely_rule import with_rule
from readfirst.harness.fuzz.portrait import portrait_of
from readfirst.harness.run.connect import ConnectError, connect
from readfirst.harness.session import TIME_LIMIT, Adapter, traits_of
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The options of one search as they were given: `target` is compared with `against`, the reference as a rule.

    It ends after so many `steps` on both sides or so many `minutes`, whichever comes first; None: without that limit.
    `output` gets the files. More than one of `jobs` search as many seeds, from `seed` on, and divide the steps
    between them. With `long` sessions are long, and about several files. What a scenario shows that `baseline` accepts
    is known as well, and where `classes` are given, rules of other classes may break.
    """

    suite: Suite
    target: str
    contract: str
    steps: int | None
    seed: int
    level: Level
    output: Path
    against: str = "reference"
    minutes: float | None = None
    known: Path | None = None
    baseline: Path | None = None
    classes: tuple[str, ...] = ()
    time_limit: float = TIME_LIMIT
    fast: bool = False
    long: bool = False
    jobs: int = 1

    @property
    def judged(self) -> Level:
        """The level at which answers are compared."""
        return "reason" if self.fast and self.level == "text" else self.level

    @property
    def beside(self) -> str:
        """What the target is compared with, in words; at the level `safe` it is judged alone."""
        if self.level == "safe":
            return "nothing beside it"
        return f"the {self.against}" if self.against == "reference" else self.against


class Search:
    """The search of one seed, with both sides connected."""

    def __init__(
        self, campaign: Campaign, gone: tuple[int, ...], named: Callable[[Finding], Finding]
    ) -> None:
        self._campaign = campaign
        self._gone = gone
        self._named = named

    @property
    def tally(self) -> Tally:
        """How far it came."""
        made = self._campaign
        duel = made.duel
        asked, answered = (duel.asked, duel.answered) if isinstance(duel, Alone) else (0, 0)
        return Tally(
            made.steps,
            made.scenarios,
            made.disagreed,
            made.explained,
            self._gone,
            asked,
            answered,
            made.calls,
            made.other_effects,
            made.other_texts,
        )

    def perform(self, progress: Callable[[], None]) -> Iterator[Finding]:
        """Yield what is found, with its rule; `progress` is called after each scenario."""
        return map(self._named, self._campaign.perform(lambda _: progress()))


@contextmanager
def search(request: SearchRequest) -> Iterator[Search]:
    """Connect both sides, and close them whatever happens. Raises ConnectError, BrokenAdapter or SuiteError."""
    suite = request.suite
    known = load_known(request.known, suite.contracts) if request.known is not None else ()
    with ExitStack() as stack:
        place = stack.enter_context(SitePool())
        reference, target = _sides(request, suite.contracts.find(request.contract))
        alone = reference is target
        for side in (target,) if alone else (reference, target):
            stack.callback(traits_of(side).close)
        duel = (
            Alone(target, place, suite.vocabulary)
            if alone
            else Duel(reference, target, place, request.judged, suite.vocabulary, request.beside)
        )
        accepted, gone = _accepted(duel, known)
        portrait = portrait_of(suite)
        drawn = (
            long_sessions(request.seed)
            if request.long
            else scenarios(request.seed, basic=request.fast, large=alone, seen=portrait.pairs)
        )
        generated = claimed(drawn, (reference, target))
        seconds = None if request.minutes is None else 60 * request.minutes
        campaign = Campaign(duel, generated, steps=request.steps, seconds=seconds, accepted=accepted)

        def named(finding: Finding) -> Finding:
            return finding if alone else with_rule(finding, suite, portrait, duel, campaign.is_late)

        yield Search(campaign, gone, named)


def _sides(request: SearchRequest, contract: Contract) -> tuple[Adapter, Adapter]:
    """Return what the target is compared with, at the level `safe` itself, and the target.

    Raises ConnectError or BrokenAdapter.
    """
    if request.fast:
        from readfirst.harness.fuzz.fast import FastProduct, FastReference

        kind, _, version = request.target.partition(":")
        if kind != "claude-code" or request.against != "reference":
            raise ConnectError(
                f"{request.target!r} against {request.against!r}: only claude-code:VERSION has the fast mode, "
                "against the reference."
            )
        return FastReference(contract.name), FastProduct(version, time_limit=request.time_limit)

    def connected(spec: str) -> Adapter:
        return connect(spec, request.suite, contract=contract, time_limit=request.time_limit)

    if request.level == "safe":
        target = connected(request.target)
        return target, target
    reference = connected(request.against)
    try:
        return reference, connected(request.target)
    except BaseException:
        traits_of(reference).close()
        raise


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

"""Record: let the real product fill in what scenarios expect, and keep what it answered.

Every scenario is taken twice, in two sessions and in opposite orders; what differs is not blessed. Scenario file
and recording are replaced together or not at all, and so that every contract recorded so far agrees.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.adapters.recording import OneTranscript
from harness.atomic import write_all
from harness.compare import compare
from harness.contracts import Contract, order
from harness.finding import SuiteError
from harness.load import load_scenario
from harness.outcome import Outcome
from harness.recordings import Recording, RecordingError, Recordings, Transcript, encode
from harness.replay import replay
from harness.rewrite import ClauseEdit, RewriteError, StepPath, rewrite_expectations
from harness.scenario import Expectation, ParallelCalls, Scenario, ToolCall
from harness.session import Adapter
from harness.settle import settle
from harness.suite import Suite
from harness.takes import NUMBERS, Take, TakeJob, Takes
from harness.transcribe import UnnamedError, observations
from harness.workers import work_in_processes
from harness.workspace import Place

__all__ = ["Mode", "RecordStatus", "Recorded", "bless", "record", "take"]

Mode = Literal["create", "fix", "check"]
RecordStatus = Literal[
    "unchanged", "created", "fixed", "differs", "unstable", "refused", "broken", "unsupported", "missing"
]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one scenario.

    `created`, `fixed`: files were written. `unchanged`: they say what the product does. `differs`: they say
    something else, and the mode does not allow to change them. `unstable`: two takes gave different transcripts.
    `refused`: the result cannot be blessed (`message` says why). `broken`: a replay ended early. `missing`: there
    are no two takes. `unsupported`: no contract asked for has what it needs.
    """

    scenario_id: str
    status: RecordStatus
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether files and product agree now."""
        return self.status in ("unchanged", "created", "fixed", "unsupported")


def record(
    suite: Suite,
    ids: Sequence[str],
    contracts: Sequence[Contract],
    mode: Mode,
    connect: Callable[[Contract], Callable[[], Adapter]],
    takes: Takes,
    *,
    jobs: int = 1,
    progress: Callable[[Take], None] = lambda _: None,
) -> Generator[Recorded]:
    """Yield what became of each scenario, in the order given, once all of them are taken on all contracts.

    `create` fills in what is missing, `fix` also replaces what the product contradicts, `check` writes nothing.
    `connect` says how the product of a contract is opened; with `jobs` above 1 that must survive pickling.
    `progress` is told of each take. What a person wrote as `documented` is never changed: the clause is split.
    Raises BrokenAdapter if the product cannot be started, SuiteError for a scenario that cannot be read (before
    anything is replayed).
    """
    broken: dict[tuple[str, str], str] = {}
    for each in take(suite, ids, contracts, connect, takes, jobs=jobs):
        progress(each)
        if each.status == "broken":
            broken[each.scenario_id, each.contract] = each.message
    yield from bless(suite, ids, contracts, mode, takes, broken)


def take(
    suite: Suite,
    ids: Sequence[str],
    contracts: Sequence[Contract],
    connect: Callable[[Contract], Callable[[], Adapter]],
    takes: Takes,
    *,
    jobs: int = 1,
) -> Generator[Take]:
    """Take every scenario twice on every contract and yield what came of it; what is taken already is kept."""
    for scenario_id in ids:
        suite.scenario(scenario_id, require_expect=False)
    for contract in contracts:
        for number in NUMBERS:
            job = TakeJob(suite.root, takes.root, contract.name, number, connect(contract))
            chosen = ids if number == NUMBERS[0] else ids[::-1]
            if jobs > 1 and len(chosen) > 1:
                with closing(work_in_processes(job, chosen, jobs)) as done:
                    yield from done
            else:
                with job.bench() as work:
                    yield from map(work, chosen)


def bless(
    suite: Suite,
    ids: Iterable[str],
    contracts: Sequence[Contract],
    mode: Mode,
    takes: Takes,
    broken: Mapping[tuple[str, str], str] | None = None,
) -> Iterator[Recorded]:
    """Yield what became of each scenario whose takes are there; takes that were judged are dropped.

    `broken` says of scenario and contract why there is no take.
    """
    with Place() as place:
        for scenario_id in ids:
            scenario = suite.scenario(scenario_id, require_expect=False)
            result = _Blessing(suite, scenario, contracts, mode, place).of(takes, broken or {})
            if result.status not in ("missing", "refused"):
                for contract in contracts:
                    takes.drop(scenario_id, contract.name)
            yield result


class _Blessing:
    """One scenario, about to be written."""

    def __init__(
        self, suite: Suite, scenario: Scenario, contracts: Sequence[Contract], mode: Mode, place: Place
    ) -> None:
        self.suite = suite
        self.scenario = scenario
        self.contracts = [contract for contract in contracts if scenario.needs <= contract.capabilities]
        self.mode = mode
        self.place = place
        self.recordings = Recordings(suite.recordings_root)

    def of(self, takes: Takes, broken: Mapping[tuple[str, str], str]) -> Recorded:
        """Judge the takes, and write what they say where the mode allows it."""
        if not self.contracts:
            needs = ", ".join(sorted(self.scenario.needs))
            return self._came_of("unsupported", f"no contract asked for has all of {needs}")
        new: dict[str, Transcript] = {}
        for contract in self.contracts:
            told = broken.get((self.scenario.id, contract.name))
            if told is not None:
                return self._came_of("broken", f"{contract.name}: {told}")
            first, second = (takes.get(self.scenario, contract, number) for number in NUMBERS)
            if first is None or second is None:
                return self._came_of("missing", f"{contract.name}: there are no two takes")
            if first != second:
                return self._came_of(
                    "unstable", f"{contract.name}: two takes gave different transcripts; nothing was written"
                )
            new[contract.name] = first
        try:
            return self._written(new)
        except (UnnamedError, RewriteError, RecordingError, SuiteError) as error:
            return self._came_of("refused", str(error))

    def _written(self, new: Mapping[str, Transcript]) -> Recorded:
        stored = self.recordings.recording(self.scenario.id)
        known = stored.transcripts
        whole = Recording({**known, **new})
        seen = self._outcomes(whole)
        edits, contradicted = self._edits(seen, frozenset(known))
        changed = [name for name in new if known.get(name) != new[name]]
        if not changed and not edits:
            return self._came_of("unchanged")
        contradicted = contradicted or any(name in known for name in changed)
        told = _told(edits, all(name not in known for name in changed))
        if self.mode == "check":
            return self._came_of("differs", told)
        if contradicted and self.mode == "create":
            return self._came_of("differs", f"{told}; run again with --fix to replace it")
        path = self.scenario.path
        assert path is not None
        source = path.read_bytes().decode("utf-8")
        written = rewrite_expectations(source, edits) if edits else source
        self._verify(written, seen)
        files = {self.recordings.path(self.scenario.id): encode(whole)}
        if edits:
            files[path] = written.encode("utf-8")
        write_all(files)
        return self._came_of("fixed" if contradicted else "created")

    def _outcomes(self, whole: Recording) -> list[tuple[Contract, Outcome]]:
        """Replay every transcript, so that what it did to the workspace is known again."""
        seen = []
        for name in sorted(whole.transcripts, key=order):
            outcome = replay(self.scenario, OneTranscript(whole.transcripts[name]), self.place)
            if outcome.broken is not None:
                raise RecordingError(
                    f"{name}: {outcome.broken.message}; record it on this contract again, too"
                )
            seen.append((self.suite.contracts.find(name), outcome))
        return seen

    def _edits(
        self, seen: Sequence[tuple[Contract, Outcome]], known: frozenset[str]
    ) -> tuple[dict[StepPath, Sequence[ClauseEdit]], bool]:
        """Return the clauses to write, and whether any of them replaces what was recorded."""
        noted = [
            (contract, observations(self.scenario, outcome, self.suite.vocabulary))
            for contract, outcome in seen
        ]
        edits: dict[StepPath, Sequence[ClauseEdit]] = {}
        contradicted = False
        for place, expect in _expectations(self.scenario):
            settled = settle(expect, [(contract, each[place]) for contract, each in noted], known)
            contradicted = contradicted or settled.contradicted
            if settled.edits is not None:
                edits[place] = settled.edits
        return edits, contradicted

    def _verify(self, written: str, seen: Sequence[tuple[Contract, Outcome]]) -> None:
        """Read the rewritten file back and judge every recording by it: what was written must hold."""
        with tempfile.TemporaryDirectory(prefix="readfirst-verify-") as folder:
            path = Path(folder) / f"{self.scenario.id}.yaml"
            path.parent.mkdir(parents=True)
            path.write_bytes(written.encode("utf-8"))
            rewritten = load_scenario(path, Path(folder), self.suite.contracts)
        for contract, outcome in seen:
            verdict = compare(rewritten, outcome, contract, "text", self.suite.vocabulary)
            if verdict.status != "passed":
                what = "; ".join(f"step {item.step + 1}: {item.what}" for item in verdict.differences)
                raise RewriteError(
                    f"what would be written does not hold for {contract.name} ({what or verdict.reason})"
                )

    def _came_of(self, status: RecordStatus, message: str = "") -> Recorded:
        return Recorded(self.scenario.id, status, message)


def _told(edits: Mapping[StepPath, Sequence[ClauseEdit]], unrecorded: bool) -> str:
    places = ", ".join(".".join(str(index + 1) for index in place) for place in sorted(edits))
    if places:
        return f"the product does something else at step {places}"
    return "it was not recorded yet" if unrecorded else "the product's transcript is another one"


def _expectations(scenario: Scenario) -> Iterator[tuple[StepPath, Expectation]]:
    for place, step in enumerate(scenario.steps):
        if isinstance(step, ToolCall):
            yield (place,), step.expect
        elif isinstance(step, ParallelCalls):
            yield (place,), step.expect
            for index, call in enumerate(step.calls):
                yield (place, index), call.expect

"""Record: let the real product fill in what scenarios expect, and keep what it answered.

Every scenario is replayed twice, in two sessions and in opposite orders; what differs is not blessed. Scenario
file and recording are replaced together or not at all.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.atomic import write_all
from harness.compare import compare
from harness.contracts import Contract, clause_for
from harness.finding import SuiteError
from harness.load import load_scenario
from harness.outcome import Outcome
from harness.recordings import RecordingError, Recordings, encode
from harness.replay import replay
from harness.rewrite import ClauseEdit, Keep, New, RewriteError, StepPath, Update, rewrite_expectations
from harness.scenario import Expectation, ParallelCalls, Scenario, ToolCall
from harness.session import Adapter, capabilities_of
from harness.suite import Suite
from harness.transcribe import Observation, UnnamedError, observations, transcribe
from harness.workspace import Place

__all__ = ["Mode", "RecordStatus", "Recorded", "record"]

Mode = Literal["create", "fix", "check"]
RecordStatus = Literal[
    "unchanged", "created", "fixed", "differs", "unstable", "refused", "broken", "unsupported"
]

_BATCH = 200
"""Scenarios that are replayed before any of them is written: what an interruption costs at most."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one scenario.

    `created`, `fixed`: files were written. `unchanged`: they say what the product does. `differs`: they say
    something else, and the mode does not allow to change them. `unstable`: two runs gave different transcripts.
    `refused`: the result cannot be blessed (`message` says why). `broken`: a replay ended early.
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
    contract: Contract,
    mode: Mode,
    connect: Callable[[], Adapter],
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Recorded]:
    """Yield what became of each scenario, in the order given.

    `create` fills in what is missing, `fix` also replaces what the product contradicts, `check` writes nothing.
    `connect` opens the product; it is called twice. `progress` is told replays done and to do. What a person
    wrote as `documented` is never changed: the clause is split. Raises BrokenAdapter if the product cannot be
    started, SuiteError for a scenario that cannot be read (before anything is replayed).
    """
    scenarios = [suite.scenario(scenario_id, require_expect=False) for scenario_id in ids]
    total = 2 * len(scenarios)
    with ExitStack() as stack:
        adapters = [_opened(connect, stack), _opened(connect, stack)]
        places = [stack.enter_context(Place()) for _ in adapters]
        for start in range(0, len(scenarios), _BATCH):
            batch = scenarios[start : start + _BATCH]
            possible = [scenario for scenario in batch if scenario.needs <= capabilities_of(adapters[0])]
            runs: list[dict[str, Outcome]] = []
            for adapter, place, order in zip(adapters, places, (possible, possible[::-1]), strict=True):
                outcomes = {}
                for scenario in order:
                    outcomes[scenario.id] = replay(scenario, adapter, place)
                    if progress is not None:
                        progress(2 * start + len(runs) * len(possible) + len(outcomes), total)
                runs.append(outcomes)
            for scenario in batch:
                if scenario not in possible:
                    yield Recorded(
                        scenario.id, "unsupported", f"{contract.name} lacks what the scenario needs"
                    )
                    continue
                first, second = (outcomes[scenario.id] for outcomes in runs)
                yield _blessed(suite, scenario, contract, mode, first, second)


def _opened(connect: Callable[[], Adapter], stack: ExitStack) -> Adapter:
    adapter = connect()
    close = getattr(adapter, "close", None)
    if close is not None:
        stack.callback(close)
    return adapter


def _blessed(
    suite: Suite, scenario: Scenario, contract: Contract, mode: Mode, first: Outcome, second: Outcome
) -> Recorded:
    for outcome in (first, second):
        if outcome.broken is not None:
            broken = outcome.broken
            return Recorded(
                scenario.id, "broken", f"step {broken.step + 1}: {broken.message} {broken.details}".strip()
            )
    transcript = transcribe(scenario, first)
    if transcript != transcribe(scenario, second):
        return Recorded(scenario.id, "unstable", "two runs gave different transcripts; nothing was written")
    recordings = Recordings(suite.recordings_root)
    assert scenario.path is not None
    try:
        stored = recordings.recording(scenario.id)
        seen = observations(scenario, first, suite.vocabulary)
        edits, contradicted = _edits(scenario, contract, seen)
        known = stored.transcripts.get(contract.name)
        if known == transcript and not edits:
            return Recorded(scenario.id, "unchanged")
        contradicted = contradicted or (known is not None and known != transcript)
        if mode == "check":
            return Recorded(scenario.id, "differs", _told(edits, known is None))
        if contradicted and mode == "create":
            return Recorded(
                scenario.id, "differs", f"{_told(edits, False)}; run again with --fix to replace it"
            )
        source = scenario.path.read_bytes().decode("utf-8")
        written = rewrite_expectations(source, edits) if edits else source
        _verify(suite, scenario, contract, first, written)
        new = {recordings.path(scenario.id): encode(stored.with_transcript(contract.name, transcript))}
        if edits:
            new[scenario.path] = written.encode("utf-8")
        write_all(new)
    except (UnnamedError, RewriteError, RecordingError, SuiteError) as error:
        return Recorded(scenario.id, "refused", str(error))
    return Recorded(scenario.id, "fixed" if contradicted else "created")


def _told(edits: Mapping[StepPath, Sequence[ClauseEdit]], unrecorded: bool) -> str:
    places = ", ".join(".".join(str(index + 1) for index in place) for place in sorted(edits))
    if places:
        return f"the product does something else at step {places}"
    return "it was not recorded yet" if unrecorded else "the product's transcript is another one"


def _edits(
    scenario: Scenario, contract: Contract, seen: Mapping[StepPath, Observation]
) -> tuple[dict[StepPath, list[ClauseEdit]], bool]:
    """Return the clauses to write, and whether any of them replaces what was recorded."""
    edits: dict[StepPath, list[ClauseEdit]] = {}
    contradicted = False
    for place, expect in _expectations(scenario):
        observation = seen[place]
        group = observation.text is None
        clause = clause_for(expect, contract)
        if clause is None:
            if not group or observation.effects.own():
                edits[place] = [*_kept(expect), New(observation.recorded())]
        elif observation.agrees(clause):
            continue
        elif clause.documented is not None and clause.when is None:
            # The documents keep their clause; the product gets one of its own.
            edits[place] = [*_kept(expect), New(observation.recorded())]
        elif clause.when is not None:
            raise RewriteError(
                f"step {place[0] + 1}: the clause also holds for other contracts; split its `when` by hand first"
            )
        else:
            at = expect.index(clause)
            edits[place] = [
                Update(at, observation.recorded()) if index == at else Keep(index)
                for index in range(len(expect))
            ]
            contradicted = True
    return edits, contradicted


def _kept(expect: Expectation) -> list[ClauseEdit]:
    return [Keep(index) for index in range(len(expect))]


def _expectations(scenario: Scenario) -> Iterator[tuple[StepPath, Expectation]]:
    for place, step in enumerate(scenario.steps):
        if isinstance(step, ToolCall):
            yield (place,), step.expect
        elif isinstance(step, ParallelCalls):
            yield (place,), step.expect
            for index, call in enumerate(step.calls):
                yield (place, index), call.expect


def _verify(suite: Suite, scenario: Scenario, contract: Contract, outcome: Outcome, written: str) -> None:
    """Read the rewritten file back and judge the recording by it: what was written must hold. Raises RewriteError."""
    with tempfile.TemporaryDirectory(prefix="readfirst-verify-") as folder:
        path = Path(folder) / f"{scenario.id}.yaml"
        path.parent.mkdir(parents=True)
        path.write_bytes(written.encode("utf-8"))
        rewritten = load_scenario(path, Path(folder), suite.contracts)
    verdict = compare(rewritten, outcome, contract, "text", suite.vocabulary)
    if verdict.status != "passed":
        what = (
            "; ".join(f"step {item.step + 1}: {item.what}" for item in verdict.differences) or verdict.reason
        )
        raise RewriteError(f"what would be written does not hold ({what})")

"""Record: let the real product fill in what scenarios expect, and keep what it answered.

An answer that no neighbouring contract gave is taken twice, in two sessions and in opposite orders; what differs is not
blessed. Of the contract
that a scenario states, its file and its recording are replaced together or not at all; of every other contract the
recording is all there is.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.compare.compare import compare
from readfirst.harness.record.clause_writer import expectation_of, states
from readfirst.harness.record.confirmation import Confirmation
from readfirst.harness.record.replay_samples import Take, TakeJob, Takes, unknown_words
from readfirst.harness.record.restore_whitespace import with_outer_whitespace
from readfirst.harness.record.rewrite_expectations import (
    RewriteError,
    StepPath,
    rewrite_case,
    rewrite_expectations,
    step_at,
)
from readfirst.harness.record.syrupy_extension import recording_files, same_transcript
from readfirst.harness.record.transcribe import named
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.run.process_pool import work_in_processes
from readfirst.harness.suite.case_table import expanded
from readfirst.harness.suite.contract_expectations import expand_digests, with_expectations_of
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import Clause, Expectation, ParallelCalls, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Recording, RecordingError, Transcript
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.harness.yaml_io.strict_yaml import load

Mode = Literal["create", "fix", "check"]
RecordStatus = Literal[
    "unchanged", "created", "fixed", "differs", "unstable", "refused", "broken", "unsupported", "missing"
]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result for one scenario.

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


def missing(suite: Suite, ids: Iterable[str], contracts: Sequence[Contract]) -> dict[str, list[str]]:
    """Return by contract the scenarios that have no recording of it, or one of other files or steps.

    Laws have none, contracts that lack what a scenario needs do not count, nor do those of which the recording says
    why. Raises SuiteError, RecordingError.
    """
    wanting: dict[str, list[str]] = {contract.name: [] for contract in contracts}
    for scenario_id in ids:
        scenario = suite.scenario(scenario_id, require_expect=False)
        if scenario.invariant:
            continue
        recording = suite.recordings.recording(scenario_id)
        fresh = recording.inputs == scenario.inputs
        known = {*recording.transcripts, *recording.unrecorded} if fresh else ()
        for contract in contracts:
            if scenario.needs <= contract.capabilities and contract.name not in known:
                wanting[contract.name].append(scenario_id)
    return {name: ids for name, ids in wanting.items() if ids}


def leave_out(suite: Suite, scenario_id: str, contract: str, why: str) -> dict[Path, bytes]:
    """Return the recording's file with a reason in the place of what one contract did. Raises RecordingError."""
    recording = suite.recordings.find(scenario_id).intact()
    inputs = suite.scenario(scenario_id, require_expect=False).inputs
    if recording.inputs != inputs:
        recording = Recording(inputs)
    return suite.recordings.written(scenario_id, recording.without(contract, why))


def record(
    suite: Suite,
    wanted: Mapping[str, Sequence[str]],
    mode: Mode,
    connect: Callable[[Contract], Callable[[], Adapter]],
    takes: Takes,
    *,
    jobs: int = 1,
    progress: Callable[[Take], None] = lambda _: None,
) -> Generator[Recorded]:
    """Yield the result for each scenario, once all of them are taken on the contracts that are wanted of them.

    `wanted` names the scenarios of each contract. `create` fills in what is missing, `fix` also replaces what the
    product contradicts, `check` writes nothing. `connect` says how the product of a contract is opened; with `jobs`
    above 1 that must survive pickling. `progress` is called for each take. What a person wrote as `documented` is
    never changed: the clause is split. Raises BrokenAdapter if the product cannot be started, SuiteError for a
    scenario that cannot be read (before anything is replayed).
    """
    broken: dict[tuple[str, str], str] = {}
    for each in take(suite, wanted, connect, takes, jobs=jobs):
        progress(each)
        if each.status == "broken":
            broken[each.scenario_id, each.contract] = each.message
    # Whoever saw at a take that words are unknown may have added them to errors.yaml since.
    yield from bless(suite.reopened(), wanted, mode, takes, broken)


def take(
    suite: Suite,
    wanted: Mapping[str, Sequence[str]],
    connect: Callable[[Contract], Callable[[], Adapter]],
    takes: Takes,
    *,
    jobs: int = 1,
) -> Generator[Take]:
    """Replay every scenario on the contracts it is wanted on, and yield the results; kept takes are not made again.

    A second replay, in another session and in the opposite order, is made of each scenario whose first replay no
    neighbouring contract confirms.
    """
    for scenario_id in dict.fromkeys(each for ids in wanted.values() for each in ids):
        suite.check_unique(scenario_id)
        suite.scenario(scenario_id, require_expect=False)
    confirmation = Confirmation(suite, takes)
    for name, ids in wanted.items():
        contract = suite.contracts.find(name)
        scenarios = [suite.scenario(each, require_expect=False) for each in ids]
        job = TakeJob(suite, takes.root, name, 1, connect(contract))
        yield from _replayed(
            job, [each.id for each in scenarios if takes.get(each, contract, 1) is None], jobs
        )
        unconfirmed = [each.id for each in reversed(scenarios) if confirmation.lacks_second(each, contract)]
        yield from _replayed(replace(job, number=2), unconfirmed, jobs)


def _replayed(job: TakeJob, ids: Sequence[str], jobs: int) -> Generator[Take]:
    if jobs > 1 and len(ids) > 1:
        with work_in_processes(job, ids, jobs) as done:
            yield from done
    elif ids:
        with job.open() as work:
            yield from map(work, ids)


def bless(
    suite: Suite,
    wanted: Mapping[str, Sequence[str]],
    mode: Mode,
    takes: Takes,
    broken: Mapping[tuple[str, str], str] | None = None,
    *,
    keep: bool = False,
) -> Iterator[Recorded]:
    """Yield the result for each scenario whose takes are there; takes that were judged are dropped.

    `broken` says of scenario and contract why there is no take. `keep` the takes that can be blessed, for who writes
    nothing before all are.
    """
    by_scenario: dict[str, list[Contract]] = {}
    for name, ids in wanted.items():
        for scenario_id in ids:
            by_scenario.setdefault(scenario_id, []).append(suite.contracts.find(name))
    for scenario_id, contracts in by_scenario.items():
        suite.check_unique(scenario_id)
        scenario = suite.scenario(scenario_id, require_expect=False)
        result = _PendingRecording(suite, scenario, contracts, mode).of(takes, broken or {})
        if result.status not in ("missing", "refused", "broken") and not (keep and result.ok):
            for contract in contracts:
                takes.drop(scenario_id, contract.name)
        yield result


class _PendingRecording:
    """One scenario, about to be written."""

    def __init__(self, suite: Suite, scenario: Scenario, contracts: Sequence[Contract], mode: Mode) -> None:
        self.suite = suite
        self.scenario = scenario
        self.contracts = [contract for contract in contracts if scenario.needs <= contract.capabilities]
        self.mode = mode

    def of(self, takes: Takes, broken: Mapping[tuple[str, str], str]) -> Recorded:
        """Judge the takes, and write what they say where the mode allows it."""
        if not self.contracts:
            needs = ", ".join(sorted(self.scenario.needs))
            return self._result("unsupported", f"no contract asked for has all of {needs}")
        new: dict[str, Transcript] = {}
        confirmation = Confirmation(self.suite, takes)
        for contract in self.contracts:
            why = broken.get((self.scenario.id, contract.name))
            if why is not None:
                return self._result("broken", f"{contract.name}: {why}")
            first, second = (takes.get(self.scenario, contract, number) for number in (1, 2))
            if first is None:
                return self._result("missing", f"{contract.name}: it was not replayed")
            if confirmation.lacks_second(self.scenario, contract):
                message = (
                    f"{contract.name}: no neighbouring contract answers the same, so two takes are needed"
                )
                return self._result("missing", message)
            first = named(first, self.suite.vocabulary)
            if second is not None and not same_transcript(first, named(second, self.suite.vocabulary)):
                return self._result(
                    "unstable", f"{contract.name}: two takes gave different transcripts; nothing was written"
                )
            if unnamed := unknown_words(first):
                words = f"words that errors.yaml does not know: {unnamed!r}; add them"
                return self._result("refused", f"{contract.name} refused with {words}")
            new[contract.name] = first
        try:
            return self._written(new)
        except (RewriteError, RecordingError, SuiteError) as error:
            return self._result("refused", str(error))

    def _written(self, new: Mapping[str, Transcript]) -> Recorded:
        found = self.suite.recordings.find(self.scenario.id)
        damage = found.damage
        stored = Recording() if damage else found.recording
        stale = bool(stored.transcripts) and stored.inputs != self.scenario.inputs
        known = {} if stale else stored.transcripts
        # What is known of outer whitespace may change what other contracts were recorded to give, too.
        restored = with_outer_whitespace({**known, **new}, self.suite.contracts)
        new = {name: each for name, each in restored.items() if name in new or each != known[name]}
        changed = [name for name in new if name not in known or not same_transcript(known[name], new[name])]
        own = new.get(self.scenario.contract)
        edits, contradicted = self._edits(own) if own is not None else ({}, False)
        if not changed and not edits:
            return self._result("unchanged")
        contradicted = contradicted or bool(damage) or any(name in known for name in changed)
        reason = damage or _reason(edits, changed, known)
        if self.mode == "check":
            return self._result("differs", reason)
        if contradicted and self.mode == "create":
            return self._result("differs", f"{reason}; run again with --fix to replace it")
        root, inputs = self.suite.recordings_root, self.scenario.inputs
        files = recording_files(root, self.scenario.id, inputs, new)
        if own is not None:
            files.update(self._rewritten(edits, own))
        write_all(files)
        dropped = ""
        if damage:
            dropped = f"{damage}, so what other contracts did"
        elif stale and (lost := [name for name in stored.transcripts if name not in new]):
            dropped = f"files or steps have changed, so what {len(lost)} other contracts did"
        message = (
            f"{dropped} is dropped; `readfirst product record --missing` asks them again" if dropped else ""
        )
        return self._result("fixed" if contradicted else "created", message)

    def _edits(self, own: Transcript) -> tuple[dict[StepPath, Any], bool]:
        """Return the expectations to write, and whether any of them replaces what the file states of the product."""
        edits: dict[StepPath, Any] = {}
        contradicted = False
        if self.scenario.composed:
            return {}, False
        steps = self.suite.document(self.scenario.id).value["steps"]
        seen = dict(_expectations(with_expectations_of(self.scenario, self.scenario.contract, own)))
        for path, (expect, is_group) in _expectations(expand_digests(self.scenario, own)):
            found, recorded = seen[path][0].recorded or Clause(), expect.recorded
            if recorded is None:
                differs = not is_group or bool(found.files or found.reminders)
            else:
                differs = not states(recorded, found)
            if differs:
                edits[path] = expectation_of(step_at(steps, path).get("expect"), found, group=is_group)
                contradicted = contradicted or (recorded is not None and recorded is not expect.documented)
        return edits, contradicted

    def _rewritten(self, edits: Mapping[StepPath, Any], own: Transcript) -> dict[Path, bytes]:
        """Return the scenario's file with the expectations that are new, having judged the transcript by it.

        What is written must hold: the file is read back, and the recording replayed and compared.
        """
        place = self.suite.place(self.scenario.id)
        source = place.file.read_bytes().decode("utf-8")
        if edits and place.case:
            source = rewrite_case(source, place.case, edits)
        elif edits:
            source = rewrite_expectations(source, edits)
        data = source.encode("utf-8")
        if place.composed:
            rewritten = with_expectations_of(self.scenario, self.scenario.contract, own)
        else:
            document = expanded(data, place.file, place.case) if place.case else load(data, place.file)
            assert document is not None
            rewritten = scenario_from(
                document,
                self.scenario.id,
                self.suite.contracts,
                trusted=self.suite.trust,
                words=lambda: self.suite.vocabulary.words,
            )
        outcome = recorded_outcome(rewritten, own)
        contract = self.suite.contracts[rewritten.contract]
        verdict = compare(rewritten, outcome, contract, "text", self.suite.vocabulary)
        if verdict.status != "passed":
            what = "; ".join(f"step {item.step + 1}: {item.what}" for item in verdict.differences)
            raise RewriteError(f"the result would not hold for {contract.name} ({what or verdict.reason})")
        return {place.file: data} if edits else {}

    def _result(self, status: RecordStatus, message: str = "") -> Recorded:
        return Recorded(self.scenario.id, status, message)


def _reason(edits: Mapping[StepPath, Any], changed: Sequence[str], known: Mapping[str, Transcript]) -> str:
    places = ", ".join(".".join(str(index + 1) for index in place) for place in sorted(edits))
    if places:
        return f"the product does something else at step {places}"
    if all(name not in known for name in changed):
        return "it was not recorded yet"
    return f"the product's transcript is another one on {', '.join(changed)}"


def _expectations(scenario: Scenario) -> Iterator[tuple[StepPath, tuple[Expectation, bool]]]:
    """Yield the expectation of each call, and of each group: by its place, and whether it is a group's."""
    for place, step in enumerate(scenario.steps):
        if isinstance(step, ToolCall):
            yield (place,), (step.expect, False)
        elif isinstance(step, ParallelCalls):
            yield (place,), (step.expect, True)
            for index, call in enumerate(step.calls):
                yield (place, index), (call.expect, False)

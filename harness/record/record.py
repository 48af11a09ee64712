"""Record the answers of the real product, and write them into the expectations of scenarios.

A replay that differs from the neighbouring contract is repeated in a second session and in the opposite
order. Two different replays are not accepted. The scenario file and its recording are replaced together.
Other contracts have only the recording.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.compare.compare import compare
from readfirst.harness.record.clause_writer import is_stated, updated_expectation
from readfirst.harness.record.confirmation import Confirmation
from readfirst.harness.record.replay_samples import (
    ProductReplayResult,
    ReplayJob,
    StoredReplays,
    unknown_words,
)
from readfirst.harness.record.restore_whitespace import with_outer_whitespace
from readfirst.harness.record.rewrite_expectations import (
    RewriteError,
    StepPath,
    rewrite_case,
    rewrite_expectations,
    step_at,
)
from readfirst.harness.record.syrupy_extension import recording_files, same_transcript
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.run.process_pool import work_in_processes
from readfirst.harness.suite.case_table import expand_case
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
    "unchanged", "created", "fixed", "differs", "unstable", "refused", "error", "unsupported", "missing"
]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result of recording one scenario. `message` contains the details."""

    scenario_id: str
    status: RecordStatus
    """The statuses:

    - `created`, `fixed`: files were written.
    - `unchanged`: the files already state the product's answers.
    - `differs`: the files state different answers, and the mode forbids changing them.
    - `unstable`: two replays gave different transcripts.
    - `refused`: the replays cannot be accepted.
    - `error`: a replay ended early.
    - `missing`: a required replay does not exist.
    - `unsupported`: no contract has the required capabilities.
    """
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether the files now agree with the product, or the product does not support the scenario."""
        return self.status in ("unchanged", "created", "fixed", "unsupported")


def find_unrecorded(suite: Suite, ids: Iterable[str], contracts: Sequence[Contract]) -> dict[str, list[str]]:
    """Return the scenarios without a valid recording, by contract. A contract is skipped if it lacks a capability that
    the scenario needs, or if the recording states why this contract has no answer. Raises SuiteError, RecordingError.
    """
    unrecorded: dict[str, list[str]] = {contract.name: [] for contract in contracts}
    for scenario_id in ids:
        scenario = suite.scenario(scenario_id, require_expect=False)
        if scenario.invariant:
            continue
        recording = suite.recordings.recording(scenario_id)
        is_valid = recording.inputs == scenario.inputs
        names = {*recording.transcripts, *recording.unrecorded} if is_valid else ()
        for contract in contracts:
            if scenario.needs <= contract.capabilities and contract.name not in names:
                unrecorded[contract.name].append(scenario_id)
    return {name: ids for name, ids in unrecorded.items() if ids}


def store_reason(suite: Suite, scenario_id: str, contract: str, reason: str) -> dict[Path, bytes]:
    """Return a recording file that states why `contract` has no transcript, as bytes by path. Raises RecordingError."""
    recording = suite.recordings.find(scenario_id).intact()
    inputs = suite.scenario(scenario_id, require_expect=False).inputs
    if recording.inputs != inputs:
        recording = Recording(inputs)
    return suite.recordings.written(scenario_id, recording.without(contract, reason))


def record(
    suite: Suite,
    wanted: Mapping[str, Sequence[str]],
    mode: Mode,
    connect: Callable[[Contract], Callable[[], Adapter]],
    takes: StoredReplays,
    *,
    jobs: int = 1,
    progress: Callable[[ProductReplayResult], None] = lambda _: None,
) -> Generator[Recorded]:
    """Replay all scenarios on the product, then write the answers, and yield the result for each scenario. `wanted`
    contains the ids of scenarios by contract. The mode `create` adds missing expectations, `fix` also replaces wrong
    expectations, and `check` writes nothing. An expectation with a key `documented` is never changed. `connect` returns
    the function that opens the product of a contract. `progress` is called after each replay. Raises AdapterError if
    the product cannot be started, and SuiteError if a scenario cannot be read.
    """
    errors: dict[tuple[str, str], str] = {}
    for replay in replay_scenarios(suite, wanted, connect, takes, jobs=jobs):
        progress(replay)
        if replay.status == "error":
            errors[replay.scenario_id, replay.contract] = replay.message
    # The user may have added names to errors.yaml while the replays were running.
    yield from accept_replays(suite.reopened(), wanted, mode, takes, errors)


def replay_scenarios(
    suite: Suite,
    wanted: Mapping[str, Sequence[str]],
    connect: Callable[[Contract], Callable[[], Adapter]],
    takes: StoredReplays,
    *,
    jobs: int = 1,
) -> Generator[ProductReplayResult]:
    """Replay every scenario on its contracts, store the transcripts, and yield the results. Stored replays are not
    repeated. A scenario is replayed a second time, in a different session, if no recording of a neighbouring version
    equals the first replay.
    """
    for scenario_id in dict.fromkeys(scenario_id for ids in wanted.values() for scenario_id in ids):
        suite.check_unique(scenario_id)
        suite.scenario(scenario_id, require_expect=False)
    confirmation = Confirmation(suite, takes)
    # A confirmed answer confirms that of a newer version, so only contracts of one version are replayed side by side.
    for _, same_version in groupby(map(suite.contracts.find, wanted), key=lambda contract: contract.version):
        contracts = list(same_version)
        job = ReplayJob(suite, takes.root, 1, {contract.name: connect(contract) for contract in contracts})
        items = [
            (suite.scenario(scenario_id, require_expect=False), contract)
            for contract in contracts
            for scenario_id in wanted[contract.name]
        ]
        first = [(s.id, contract.name) for s, contract in items if takes.get(s, contract, 1) is None]
        yield from _run_job(job, first, jobs)
        second = [(s.id, contract.name) for s, contract in items if confirmation.lacks_second(s, contract)]
        yield from _run_job(replace(job, number=2), second[::-1], jobs)


def _run_job(job: ReplayJob, items: Sequence[tuple[str, str]], jobs: int) -> Generator[ProductReplayResult]:
    if jobs > 1 and len(items) > 1:
        with work_in_processes(job, items, jobs, share_size=1) as replays:
            yield from replays
    elif items:
        with job.open() as work:
            yield from map(work, items)


def accept_replays(
    suite: Suite,
    wanted: Mapping[str, Sequence[str]],
    mode: Mode,
    takes: StoredReplays,
    errors: Mapping[tuple[str, str], str] | None = None,
    *,
    keep: bool = False,
) -> Iterator[Recorded]:
    """Write the stored replays into recordings and expectations, and yield the result for each scenario. `errors`
    contains the reasons for missing replays, by scenario and contract. Accepted replays are deleted unless `keep`.
    """
    by_scenario: dict[str, list[Contract]] = {}
    for name, ids in wanted.items():
        for scenario_id in ids:
            by_scenario.setdefault(scenario_id, []).append(suite.contracts.find(name))
    for scenario_id, contracts in by_scenario.items():
        suite.check_unique(scenario_id)
        scenario = suite.scenario(scenario_id, require_expect=False)
        result = _PendingRecording(suite, scenario, contracts, mode).accept(takes, errors or {})
        if result.status not in ("missing", "refused", "error") and not (keep and result.ok):
            for contract in contracts:
                takes.drop(scenario_id, contract.name)
        yield result


class _PendingRecording:
    """Creates the new recording of one scenario from its replays. Used by `accept_replays`."""

    def __init__(self, suite: Suite, scenario: Scenario, contracts: Sequence[Contract], mode: Mode) -> None:
        self.suite = suite
        self.scenario = scenario
        self.contracts = [contract for contract in contracts if scenario.needs <= contract.capabilities]
        self.mode = mode

    def accept(self, takes: StoredReplays, errors: Mapping[tuple[str, str], str]) -> Recorded:
        """Check the stored replays of the scenario. If the mode permits it, write the files. Return the result."""
        if not self.contracts:
            needs = ", ".join(sorted(self.scenario.needs))
            return self._make_result("unsupported", f"no contract asked for has all of {needs}")
        new: dict[str, Transcript] = {}
        confirmation = Confirmation(self.suite, takes)
        for contract in self.contracts:
            name = contract.name
            reason = errors.get((self.scenario.id, name))
            if reason is not None:
                return self._make_result("error", f"{name}: {reason}")
            if takes.get(self.scenario, contract, 1) is None:
                return self._make_result("missing", f"{name}: it was not replayed")
            if confirmation.lacks_second(self.scenario, contract):
                problem = "no neighbouring contract answers the same, so two takes are needed"
                return self._make_result("missing", f"{name}: {problem}")
            first = confirmation.accepted(self.scenario, contract)
            if first is None:
                problem = "two takes gave different transcripts; nothing was written"
                return self._make_result("unstable", f"{name}: {problem}")
            if unnamed := unknown_words(first):
                words = f"words that errors.yaml does not know: {unnamed!r}; add them"
                return self._make_result("refused", f"{name} refused with {words}")
            new[name] = first
        try:
            return self._write_recording(new)
        except (RewriteError, RecordingError, SuiteError) as error:
            return self._make_result("refused", str(error))

    def _write_recording(self, new: Mapping[str, Transcript]) -> Recorded:
        location = self.suite.recordings.find(self.scenario.id)
        damage = location.damage
        stored = Recording() if damage else location.recording
        stale = bool(stored.transcripts) and stored.inputs != self.scenario.inputs
        previous = {} if stale else stored.transcripts
        # New knowledge of outer whitespace may also change recordings of other contracts.
        restored = with_outer_whitespace({**previous, **new}, self.suite.contracts)
        new = {
            name: transcript
            for name, transcript in restored.items()
            if name in new or transcript != previous[name]
        }
        changed = [
            name for name in new if name not in previous or not same_transcript(previous[name], new[name])
        ]
        own = new.get(self.scenario.contract)
        edits, contradicted = self._changed_expectations(own) if own is not None else ({}, False)
        if not changed and not edits:
            return self._make_result("unchanged")
        contradicted = contradicted or bool(damage) or any(name in previous for name in changed)
        reason = damage or _describe_change(edits, changed, previous)
        if self.mode == "check":
            return self._make_result("differs", reason)
        if contradicted and self.mode == "create":
            return self._make_result("differs", f"{reason}; run again with --fix to replace it")
        root, inputs = self.suite.recordings_root, self.scenario.inputs
        files = recording_files(root, self.scenario.id, inputs, new)
        if own is not None:
            files.update(self._rewrite_scenario(edits, own))
        write_all(files)
        dropped = ""
        if damage:
            dropped = f"{damage}, so what other contracts did"
        elif stale and (lost := [name for name in stored.transcripts if name not in new]):
            dropped = f"files or steps have changed, so what {len(lost)} other contracts did"
        message = (
            f"{dropped} is dropped; `readfirst product record --missing` asks them again" if dropped else ""
        )
        return self._make_result("fixed" if contradicted else "created", message)

    def _changed_expectations(self, own: Transcript) -> tuple[dict[StepPath, Any], bool]:
        """Return the expectations that the transcript `own` changes, by step, and whether one of them was recorded."""
        edits: dict[StepPath, Any] = {}
        contradicted = False
        if self.scenario.composed:
            return {}, False
        steps = self.suite.document(self.scenario.id).value["steps"]
        seen = dict(_iter_expectations(with_expectations_of(self.scenario, self.scenario.contract, own)))
        for path, (expect, is_group) in _iter_expectations(expand_digests(self.scenario, own)):
            observed, recorded = seen[path][0].recorded or Clause(), expect.recorded
            if recorded is None:
                differs = not is_group or bool(observed.files or observed.reminders)
            else:
                differs = not is_stated(observed, recorded)
            if differs:
                previous = step_at(steps, path).get("expect")
                edits[path] = updated_expectation(previous, observed, is_group=is_group)
                contradicted = contradicted or (recorded is not None and recorded is not expect.documented)
        return edits, contradicted

    def _rewrite_scenario(self, edits: Mapping[StepPath, Any], own: Transcript) -> dict[Path, bytes]:
        """Return the scenario's file with the new expectations `edits`, as bytes by path. Raises RewriteError if the
        new expectations would not match the transcript `own`.
        """
        location = self.suite.location(self.scenario.id)
        source = location.file.read_bytes().decode("utf-8")
        if edits and location.case:
            source = rewrite_case(source, location.case, edits)
        elif edits:
            source = rewrite_expectations(source, edits)
        data = source.encode("utf-8")
        if location.composed:
            rewritten = with_expectations_of(self.scenario, self.scenario.contract, own)
        else:
            document = (
                expand_case(data, location.file, location.case)
                if location.case
                else load(data, location.file)
            )
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
            reasons = "; ".join(
                f"step {difference.step + 1}: {difference.what}" for difference in verdict.differences
            )
            raise RewriteError(
                f"the new expectations would not match {contract.name} ({reasons or verdict.reason})"
            )
        return {location.file: data} if edits else {}

    def _make_result(self, status: RecordStatus, message: str = "") -> Recorded:
        return Recorded(self.scenario.id, status, message)


def _describe_change(
    edits: Mapping[StepPath, Any], changed: Sequence[str], previous: Mapping[str, Transcript]
) -> str:
    places = ", ".join(".".join(str(index + 1) for index in path) for path in sorted(edits))
    if places:
        return f"the product does something else at step {places}"
    if all(name not in previous for name in changed):
        return "it was not recorded yet"
    return f"the product's transcript is another one on {', '.join(changed)}"


def _iter_expectations(scenario: Scenario) -> Iterator[tuple[StepPath, tuple[Expectation, bool]]]:
    """Yield the position and the expectation of each call and parallel group, and whether it is a group."""
    for position, step in enumerate(scenario.steps):
        if isinstance(step, ToolCall):
            yield (position,), (step.expect, False)
        elif isinstance(step, ParallelCalls):
            yield (position,), (step.expect, True)
            for index, call in enumerate(step.calls):
                yield (position, index), (call.expect, False)

"""Replay scenarios on one implementation, judge them, and yield the verdicts in the order of the ids."""

import logging
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Self

from readfirst.harness.adapter_traits import design_named, refusals_named, traits_of
from readfirst.harness.adapters.mask_tokens import mask_tokens
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.design import apply_design
from readfirst.harness.compare.refusals import apply_refusals
from readfirst.harness.compare.verdict import Level, Status, Verdict, verdict_without_replay
from readfirst.harness.harm.judge import Judgement, judge
from readfirst.harness.harm.overcautious import check_overcautious, refuses_as_expected
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.recording_adapter import RecordedAdapter
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.capabilities import supported_capabilities
from readfirst.harness.run.connect import CONTRACT_DEPENDENT_KINDS, connect, kind_of
from readfirst.harness.run.failed_workspaces import FailedWorkspaces
from readfirst.harness.run.job_count import jobs_for
from readfirst.harness.run.run_options import DEFAULT, RunOptions
from readfirst.harness.suite.contract_expectations import is_by_hand, with_expectations_of
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Recording, RecordingError, Transcript
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.finding import SuiteError

_LOG = logging.getLogger("readfirst")
_WRITING_TOOLS = {"Edit", "Write"}


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The settings of one run, picklable for worker processes. `connect` is the connect string. If the implementation
    does not depend on the contract, each replay is compared with `contract` and with all `further_contracts`.
    """

    suite: Suite
    connect: str
    contract: str
    level: Level = "text"
    options: RunOptions = DEFAULT
    further_contracts: tuple[str, ...] = ()

    @contextmanager
    def open(self) -> Iterator[Callable[[str], tuple[Verdict, ...]]]:
        """Connect to the implementation, and yield the function that replays and judges one scenario."""
        with Runner(self) as runner:
            yield runner.verdicts

    def result_for_crash(self, scenario_id: str, reason: str) -> tuple[Verdict, ...]:
        """Return `error` verdicts for a scenario whose worker process crashed. `reason` contains the exit status."""
        heading = self.suite.heading(scenario_id)
        return tuple(
            Verdict.without_replay(heading, contract, self.level, "error", reason, blame="environment")
            for contract in (self.contract, *self.further_contracts)
        )


@dataclass(frozen=True, slots=True)
class _View:
    """A scenario with the expectations of one contract. `name` is the contract that the user requested. `contract` is
    the contract with the expectations: the requested contract, or the recorded contract that it extends.
    """

    name: str
    contract: Contract
    scenario: Scenario
    transcript: Transcript | None

    @property
    def own(self) -> Scenario:
        """The scenario with the name of this contract. (Contracts with equal recordings share a Scenario object.)"""
        name = self.contract.name
        if not self.contract.recorded or self.scenario.contract == name:
            return self.scenario
        return replace(self.scenario, contract=name)


class Runner:
    """Replays and judges scenarios on one connected implementation, one after the other, in new workspaces."""

    def __init__(self, spec: RunSpec) -> None:
        self.spec = spec
        self.suite = spec.suite
        self.contracts = tuple(map(self.suite.contracts.find, (spec.contract, *spec.further_contracts)))
        self._adapter = connect(spec.connect, self.suite, spec.options, contract=self.contracts[0])
        self._traits = traits_of(self._adapter)
        design_named(self._traits.design)
        refusals_named(self._traits.refuses)
        self.claims = supported_capabilities(self._traits)
        """The capabilities that the adapter declares and supports."""
        is_confined = spec.options.confine or self.suite.needs_sandbox
        self._pool = WorkspacePool(confined=is_confined, memory=self._traits.in_memory)
        self._process_end_check = _ProcessEndCheck(self._traits.servers is None)
        self._failed_workspaces: FailedWorkspaces | None = None
        if spec.options.keep is not None:
            self._failed_workspaces = FailedWorkspaces(spec.options.keep)
            self._pool.keep = self._failed_workspaces.copy

    def judge(self, scenario_id: str) -> Verdict:
        """Replay a scenario, and compare it with the first contract. Raises the same exceptions as `verdicts`."""
        return self.verdicts(scenario_id)[0]

    def _read_scenario(self, scenario_id: str) -> Scenario:
        """Read a scenario. At the level `safe`, a scenario without expectations is an invariant."""
        try:
            return self.suite.scenario(scenario_id)
        except SuiteError as error:
            if {finding.rule for finding in error.findings} != {"missing-expect"}:
                raise
        scenario = self.suite.scenario(scenario_id, require_expect=False)
        return replace(scenario, invariant=True) if self.spec.level == "safe" else scenario

    def verdicts(self, scenario_id: str) -> tuple[Verdict, ...]:
        """Replay one scenario once, and compare the result with each contract, in order. Raises SuiteError or
        RecordingError for damaged files. Any other exception becomes a verdict `error`.
        """
        stated = self._read_scenario(scenario_id)
        views = self._make_views(stated)
        skips = []
        for view in views:
            contract, level = view.contract, self.spec.level
            skip = verdict_without_replay(
                view.own, contract, level, self.claims, self._traits.unsupported_reason
            )
            if skip is not None and not any(part.expect.clauses() for _, part in view.own.parts()):
                skip = replace(skip, reason=f"{skip.reason}; at the level `safe` it is judged by harm alone")
            if skip is None and level == "verbatim" and view.transcript is None:
                skip = self._verdict_without_replay(
                    view, "unspecified", f"there is no recording of {contract.name}"
                )
            skips.append(skip)
        views_to_judge = [view for view, skip in zip(views, skips, strict=True) if skip is None]
        replayed = self._judge_with_retry(scenario_id, views_to_judge) if views_to_judge else []
        is_failing = any(verdict.status in ("failed", "error") for verdict in replayed)
        if self._failed_workspaces is not None and not is_failing:
            self._failed_workspaces.remove(scenario_id)
        judged = iter(replayed)
        verdicts = (next(judged) if skip is None else skip for skip in skips)
        return tuple(
            replace(
                verdict,
                contract=view.name,
                by_hand=verdict.judged and is_by_hand(self.suite, stated, view.contract),
                suite=self.suite.suite_containing(scenario_id).name if self.suite.base is not None else "",
            )
            for view, verdict in zip(views, verdicts, strict=True)
        )

    def _make_views(self, stated: Scenario) -> list[_View]:
        """Return a view of the scenario for each contract. `stated` is the scenario as its file describes it."""
        recording = Recording()
        level = self.spec.level
        judging = [(contract.name, contract.for_scenario(stated)) for contract in self.contracts]
        if level == "verbatim" or any(
            contract.recorded and contract.name != stated.contract for _, contract in judging
        ):
            recording = self.suite.recordings.of(stated.id, stated.inputs)
        views = []
        shared: dict[int, Scenario] = {}
        for name, contract in judging:
            transcript, scenario = recording.transcripts.get(contract.name), stated
            if contract.recorded and contract.name != stated.contract:
                if id(transcript) not in shared:
                    shared[id(transcript)] = with_expectations_of(stated, contract.name, transcript)
                scenario = shared[id(transcript)]
            views.append(_View(name, contract, scenario, transcript))
        return views

    def _judge_with_retry(self, scenario_id: str, views: list[_View]) -> list[Verdict]:
        """Return a verdict per contract. If a shared server may have caused a failure, replay on a separate server."""
        verdicts = self._judge_views(views)
        servers = self._traits.servers
        if servers is None:
            return verdicts
        use = servers.use
        if any(servers.must_repeat(verdict.status) for verdict in verdicts):
            with servers.alone():
                separate = self._judge_views(views)
            if [*map(self._findings, separate)] != [*map(self._findings, verdicts)]:
                servers.note_difference(scenario_id)
            verdicts = separate
        return [replace(verdict, server=use) for verdict in verdicts]

    def _findings(self, verdict: Verdict) -> tuple[object, ...]:
        """Return the values of a verdict that sharing a server must not change. Tokens such as times are masked."""

        def mask(text: str) -> str:
            return mask_tokens(self._traits.mask(text))

        differences = [
            replace(difference, expected=mask(difference.expected), got=mask(difference.got))
            for difference in verdict.differences
        ]
        return verdict.status, verdict.levels, differences, verdict.blame

    def _judge_views(self, views: list[_View]) -> list[Verdict]:
        """Replay the scenario once, and return a verdict per contract. Equal expectations are compared only once."""
        level, vocabulary, with_full_contents = (
            self.spec.level,
            self.suite.vocabulary,
            self.suite.with_full_contents,
        )
        compared: dict[tuple[int, int], Verdict] = {}
        verdicts = []
        try:
            outcome = self._replay_scenario(views[0].scenario)
            judgement = self._judge_session(views[0].scenario, outcome)
            for view in views:
                # A contract with the same expectations gets the same verdict with its own name.
                key = (id(view.scenario), id(None if view.contract.recorded else view.contract))
                if key not in compared:
                    recorded = view.transcript if level == "verbatim" else None
                    compared[key] = compare(
                        view.own,
                        outcome,
                        view.contract,
                        level,
                        vocabulary,
                        recorded,
                        judgement,
                        with_full_contents,
                    )
                verdict = replace(compared[key], contract=view.contract.name)
                verdict = apply_refusals(verdict, view.own, view.contract, outcome, self._traits.refuses)
                verdicts.append(apply_design(verdict, view.own, view.contract, outcome, self._traits.design))
        except Exception as error:
            stack_trace = "".join(traceback.format_exception(error)[-3:]).strip()
            reason = f"{type(error).__name__} in the harness: {stack_trace}"
            return [self._verdict_without_replay(view, "error", reason) for view in views]
        return verdicts

    def _replay_scenario(self, scenario: Scenario) -> Outcome:
        adapter, settle = self._adapter, self.spec.options.settle
        if isinstance(adapter, RecordedAdapter):
            return adapter.outcome(scenario)
        ends_process = self._process_end_check.is_required(scenario)
        outcome = replay(scenario, adapter, self._pool, settle=settle, ends_process=ends_process)
        if ends_process:
            self._process_end_check.note_outcome(scenario, outcome)
        return outcome

    def _judge_session(self, scenario: Scenario, outcome: Outcome) -> Judgement:
        """Return the harms that the session did, and the calls that it refused although every contract answers them."""
        judgement = judge(scenario, outcome)
        if not any(result.is_error for step in outcome.steps for result in step.results):
            return judgement
        if refuses_as_expected(scenario, outcome):
            # The contract itself refuses these calls, so the recordings are not needed.
            return replace(judgement, harms=tuple(sorted(judgement.harms)))
        try:
            transcripts = self.suite.recordings.of(scenario.id, scenario.inputs).transcripts
        except RecordingError:
            return judgement  # lint reports the damage of the recording
        names = (contract.name for contract in self.suite.contracts)
        recorded = [transcripts[name] for name in names if name in transcripts]
        unnecessary_refusals = check_overcautious(scenario, outcome, recorded)
        return replace(judgement, harms=tuple(sorted((*judgement.harms, *unnecessary_refusals))))

    def _verdict_without_replay(self, view: _View, status: Status, reason: str) -> Verdict:
        return Verdict.without_replay(
            view.scenario,
            view.contract.name,
            self.spec.level,
            status,
            reason,
            blame="harness" if status == "error" else None,
        )

    def close(self) -> None:
        """Close the adapter and remove the workspaces. Errors are logged, and do not change a verdict."""
        try:
            self._traits.close()
        except Exception as error:
            _LOG.warning("the adapter could not be closed: %s: %s", type(error).__name__, error)
        finally:
            self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(slots=True)
class _ProcessEndCheck:
    """Decides when to end a shared process, to detect that it changes files when it exits. The process is ended after
    the first scenario with Edit and the first with Write. If it then changed files, it is ended after every later
    scenario. `enabled` is False for a pool of servers.
    """

    enabled: bool
    checked_tools: set[str] = field(default_factory=set)
    changed_files: bool = False

    def is_required(self, scenario: Scenario) -> bool:
        return self.enabled and (
            self.changed_files
            or (self.checked_tools != _WRITING_TOOLS and not _writing_tools(scenario) <= self.checked_tools)
        )

    def note_outcome(self, scenario: Scenario, outcome: Outcome) -> None:
        if outcome.error is None:
            self.checked_tools |= _writing_tools(scenario)
        self.changed_files |= bool(outcome.afterwards.changes or outcome.afterwards.traces)


def _writing_tools(scenario: Scenario) -> set[str]:
    return {call.tool for call in scenario.calls()} & _WRITING_TOOLS


def run(
    suite: Suite,
    connect_string: str,
    contracts: Sequence[str],
    level: Level = "text",
    ids: Sequence[str] | None = None,
    options: RunOptions = DEFAULT,
    *,
    apart: bool = False,
) -> Generator[Verdict]:
    """Replay and judge scenarios, and yield one verdict per contract and scenario, sorted by contract, then by id.
    `ids` are the selected scenarios (None: all). If the implementation does not depend on the contract, each scenario
    is replayed once for all contracts. Otherwise, `options.keep` gets a subdirectory for each contract. With `apart`, a
    single job uses a worker process, too, as a caller in a thread requires. Raises SuiteError, and the errors of
    `connect`.
    """
    chosen = sorted(suite.ids() if ids is None else ids)
    jobs, keep = jobs_for(options.jobs, connect_string, len(chosen)), options.keep
    is_dependent = kind_of(connect_string) in CONTRACT_DEPENDENT_KINDS
    groups = [(name,) for name in contracts] if is_dependent else [tuple(contracts)]
    for names in groups:
        folder = keep / names[0] if keep is not None and len(groups) > 1 else keep
        spec = RunSpec(suite, connect_string, names[0], level, replace(options, keep=folder), names[1:])
        later: list[list[Verdict]] = [[] for _ in names[1:]]
        with closing(_iter_verdicts(spec, chosen, jobs, apart=apart)) as judged:
            for first, *others in judged:
                yield first
                for verdicts, verdict in zip(later, others, strict=True):
                    verdicts.append(verdict)
        for verdicts in later:
            yield from verdicts


def _iter_verdicts(
    spec: RunSpec, chosen: Sequence[str], jobs: int, *, apart: bool
) -> Generator[tuple[Verdict, ...]]:
    """Yield, for each scenario, its verdicts: one for each contract of `spec`."""
    if apart or (jobs > 1 and len(chosen) > 1):
        # Imported here, because a run with one job does not need it.
        from readfirst.harness.run.process_pool import work_in_processes

        with work_in_processes(spec, chosen, jobs) as verdicts:
            yield from verdicts
        return
    with Runner(spec) as runner:
        for scenario_id in chosen:
            yield runner.verdicts(scenario_id)

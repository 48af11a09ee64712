"""Use the scenarios of the suite as test cases that judge mutants. Each scenario is used with several contracts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from alarm import TooLongError, time_limit
from circumstances import attend, of_scenario
from panel import Judge, Panel, module_at

from readfirst.harness.compare import compare  # noqa: F401 - read before the forks
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay import replay  # noqa: F401 - read before the forks
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.run.runner import Runner, RunSpec
from readfirst.harness.suite import (
    events,  # noqa: F401 - read before the forks
    file_entry,  # noqa: F401 - read before the forks
)
from readfirst.harness.suite.contract_expectations import with_expectations_of
from readfirst.harness.suite.contracts import DOCUMENTED
from readfirst.harness.suite.harm_kinds import HARMS, KINDS
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Recording
from readfirst.harness.workspace import (
    snapshot,  # noqa: F401 - read before the forks
    world_events,  # noqa: F401 - read before the forks
)

if TYPE_CHECKING:
    from readfirst.harness.compare.verdict import Level, Verdict
    from readfirst.harness.suite.contracts import Contract
    from readfirst.harness.suite.scenario import Clause, Scenario

_QUICK_CASE_TIMEOUT_S = 2.0
"""Time limit in seconds for a test case that is quick on the unchanged reference."""
_CASE_TIMEOUT_S = 30.0
"""Time limit in seconds for a test case that is not quick on the unchanged reference."""
_QUICK_CASE_S = 0.1
"""A test case is quick if it takes at most this many seconds on the unchanged reference."""

_MAX_CASES_FOR_HARM = 400
"""Maximum number of test cases that decide at the level `effects` whether a mutant does harm."""


class _LoadedSuite(Suite):
    """Reads everything at the start, so that later changes of files have no effect on the trials of mutants."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._loaded = {scenario.id: scenario for scenario in Suite(root).scenarios()}
        self.recordings = _LoadedRecordings(self.recordings_root, self._loaded)
        _ = self.contracts, self.vocabulary

    def ids(self) -> list[str]:
        return list(self._loaded)

    def scenario(
        self, scenario_id: str, contract: Contract | None = None, *, require_expect: bool = True
    ) -> Scenario:
        scenario = self._loaded[scenario_id]
        return scenario if contract is None else self.with_expectations_of(scenario, contract)


class _LoadedRecordings(Recordings):
    """The recordings of a `_LoadedSuite`, which are all read at the start."""

    def __init__(self, root: Path, ids: Iterable[str]) -> None:
        super().__init__(root)
        self._loaded = {
            scenario_id: super(_LoadedRecordings, self).recording(scenario_id) for scenario_id in ids
        }

    def recording(self, scenario_id: str) -> Recording:
        return self._loaded[scenario_id]


class _CaseJudge:
    """Runs a test case `CONTRACT SCENARIO` at a level, and returns the failure as a text. Empty if it passes."""

    def __init__(
        self,
        suite: Suite,
        seconds: Mapping[str, float],
        prepare: Callable[[Scenario], None],
        level: Level,
    ) -> None:
        self._level: Level = level
        self._suite = suite
        self._seconds = seconds
        self._prepare = prepare
        self._runners: dict[tuple[str, float], Runner] = {}

    def __call__(self, case: str) -> str:
        _require_error_names()
        contract, _, scenario_id = case.partition(" ")
        self._prepare(self._suite.scenario(scenario_id))
        limit = _QUICK_CASE_TIMEOUT_S if self._seconds.get(case, 1.0) <= _QUICK_CASE_S else _CASE_TIMEOUT_S
        if (contract, limit) not in self._runners:
            spec = RunSpec(self._suite, "reference", contract, self._level, RunOptions(time_limit=limit))
            self._runners[contract, limit] = Runner(spec)
        try:
            with time_limit(limit):
                verdict = self._runners[contract, limit].judge(scenario_id)
        except TooLongError as error:
            return f"error: {error}"
        if verdict.status in ("passed", "unsupported", "unspecified"):
            return ""
        if self._level == "effects" and (worst := self._new_harm(verdict)):
            return worst
        problem = verdict.differences[0].what if verdict.differences else verdict.reason
        return f"{verdict.status}: {problem}"

    def _new_harm(self, verdict: Verdict) -> str:
        """Return the worst harm in a verdict as one line, without harm in the recording. Empty if there is none."""
        scenario = self._suite.scenario(verdict.scenario_id)
        recording = self._suite.recordings.recording(scenario.id)
        transcript = recording.transcripts.get(verdict.contract)
        known = () if transcript is None else harms_of(scenario, recorded_outcome(scenario, transcript))
        left = [harm for harm in verdict.harms if harm.line not in {each.line for each in known}]
        return min(left, key=lambda harm: KINDS.index(harm.kind)).line if left else ""


def weight_of(how: str) -> float:
    """Return the weight of a failure: higher for worse consequences. Harm has weight 1, which ends a mutant's trial."""
    kind = how.partition(": ")[0]
    if kind in HARMS:
        return 1.0
    return 0.8 - KINDS.index(kind) / 100 if kind in KINDS else {"failed": 0.4}.get(kind, 0.2)


def _require_error_names() -> None:
    """Make the adapter use the error names that the reference states, instead of names from the texts of answers."""
    from readfirst.harness.adapter_api import ToolResult
    from readfirst.harness.adapters import reference
    from readfirst.reference_impl import Result

    def named(result: Result) -> ToolResult:
        error = result.error or ("unnamed" if result.is_error else None)
        return ToolResult(result.text, result.is_error, error, result.reminders)

    reference._result = named


def asked_under(scenario: Scenario, suite: Suite) -> Iterator[str]:
    """Yield the contracts to test a scenario on: the default contract, `documented`, each contract whose recorded
    answers differ from those of the contract before or after it, and each recorded version that is not a contract.
    """
    yield suite.contracts.default
    yield DOCUMENTED
    transcripts = suite.recordings.of(scenario.id, scenario.inputs).transcripts
    recorded = [contract for contract in suite.contracts.recorded if contract.name in transcripts]
    expected = [
        _clauses(with_expectations_of(scenario, each.name, transcripts[each.name])) for each in recorded
    ]
    for n, contract in enumerate(recorded):
        near = expected[max(0, n - 1) : n + 2]
        if contract.name != suite.contracts.default and any(each != expected[n] for each in near):
            yield contract.name
    listed = {contract.name for contract in suite.contracts.recorded}
    yield from sorted(transcripts.keys() - listed)


def _clauses(scenario: Scenario) -> list[Clause | None]:
    parts = [part for step in scenario.steps for part in (step, *getattr(step, "calls", ()))]
    return [part.expect.recorded for part in parts if hasattr(part, "expect")]


def scenario_panel(
    checkout: Path,
    witnesses: Mapping[str, str],
    *,
    exceptions: bool = False,
    level: Level = "text",
) -> Panel:
    """Return the panel of `run.py`: the reference and the scenarios. Raises SuiteError for an invalid scenario. With
    `exceptions`, or at a level other than `text`, only the scenarios of the classes `safety` and `design` are test
    cases, and only with the default contract.
    """
    suite = _LoadedSuite(checkout / "fixtures")
    folder = checkout / "reference_impl"
    sources = {module_at(path, folder): path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))}
    cases = [
        f"{contract} {scenario.id}"
        for scenario in suite.scenarios()
        for contract in asked_under(scenario, suite)
    ]

    circumstances: dict[str, frozenset[str]] = {}
    if exceptions or level != "text":
        cases = [
            f"{suite.contracts.default} {each.id}" for each in suite.scenarios() if _is_judged(each, suite)
        ]
    if exceptions:
        for scenario in suite.scenarios():
            circumstances[scenario.id] = frozenset().union(*of_scenario(scenario))

    def open_judge(seconds: Mapping[str, float]) -> Judge:
        return _CaseJudge(suite, seconds, attend if exceptions else lambda _: None, level)

    return Panel(
        f"readfirst.{folder.name}",
        folder,
        sources,
        cases,
        open_judge,
        unused={"server"},
        kind_of=lambda case: case.partition(" ")[0],
        witnesses=witnesses,
        circumstances=lambda case: circumstances.get(case.partition(" ")[2], ()),
        weight=weight_of if level == "effects" else lambda _: 1.0,
        most=_MAX_CASES_FOR_HARM if level == "effects" else sys.maxsize,
    )


def _is_judged(scenario: Scenario, suite: Suite) -> bool:
    """Whether a scenario's rule is in the class `safety` or `design`, or the suite has no rules."""
    rules = suite.rules
    return rules is None or rules[scenario.rule].class_ in ("safety", "design")

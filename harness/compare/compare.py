"""Compare the outcome of a replay with the results that one contract expects, level by level."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import get_args

from readfirst.harness.compare.file_comparison import (
    FileDifference,
    file_differences,
    name_differences,
    text_differences,
    trace_differences,
)
from readfirst.harness.compare.own_outcome import own_harms
from readfirst.harness.compare.showing import find_missing_lines
from readfirst.harness.compare.transcribe import transcribe_answers
from readfirst.harness.compare.verdict import LEVELS, Blame, Difference, Level, Status, Verdict, up_to
from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.judge import Judgement, judge
from readfirst.harness.harm.partial_write import check_partial_writes, is_nondeterministic
from readfirst.harness.replay.outcome import Outcome, StepOutcome
from readfirst.harness.suite.contracts import Contract, clause_for, effects_clause_for
from readfirst.harness.suite.error_names import Vocabulary
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.harm_kinds import HARMS
from readfirst.harness.suite.scenario import (
    EXECUTION_ERRORS,
    READERS,
    Clause,
    ParallelCalls,
    Scenario,
    SessionEvent,
    Step,
    ToolCall,
    WorldEvent,
    calls_of,
)
from readfirst.harness.suite.transcript import RecordedResult, Transcript
from readfirst.harness.suite.unwrap_host_text import answer_of, unwrapped, without_outer_whitespace
from readfirst.harness.workspace.snapshot import apply_changes
from readfirst.harness.yaml_io.finding import Position


def compare(
    scenario: Scenario,
    outcome: Outcome,
    contract: Contract,
    level: Level,
    vocabulary: Vocabulary,
    recorded: Transcript | None = None,
    judgement: Judgement | None = None,
    with_full_contents: Callable[[Scenario], Scenario] = lambda scenario: scenario,
) -> Verdict:
    """Compare the outcome of a scenario with a contract. The returned verdict contains the differences of all levels.

    Differences are in the order of the steps, and of the levels. `judgement` contains the harms of the same outcome.
    Without `judgement`, `safe` holds only if `effects` holds. `with_full_contents` returns a scenario with full
    contents instead of digests (`Suite.with_full_contents`). Raises ValueError for `verbatim` without `recorded`, an
    invariant without a judgement, or a scenario with the expected results of a different version.
    """
    if level == "verbatim" and recorded is None:
        raise ValueError(f"{scenario.id}: the level verbatim needs a recording of {contract.name}")
    if scenario.invariant and judgement is None:
        raise ValueError(
            f"{scenario.id} is an invariant, which is judged only by harm: pass the argument `judgement`"
        )
    comparison = _Comparison(scenario, outcome, contract, vocabulary, recorded)
    if comparison.differences or comparison.lacks_texts or scenario.invariant:
        # Otherwise the implementation did the same as the contract, so lines and harm are the same.
        if (full := with_full_contents(scenario)) is not scenario:
            comparison = _Comparison(full, outcome, contract, vocabulary, recorded)
        comparison.compare_harm(outcome, judgement)
    return comparison.verdict(outcome, level, judgement)


class _Comparison:
    """The state of comparing one outcome with the expected results of a contract, step by step."""

    def __init__(
        self,
        scenario: Scenario,
        outcome: Outcome,
        contract: Contract,
        vocabulary: Vocabulary,
        recorded: Transcript | None,
    ) -> None:
        self.scenario, self.contract = scenario, contract
        self.vocabulary, self.recorded = vocabulary, recorded
        self.state = dict(outcome.before)
        """The workspace after the compared steps."""
        self.differences: list[Difference] = []
        self.calls = self.messages = 0
        """The number of compared calls, and the index of the next step of the recording (only steps with calls)."""
        self.lacks_clause = self.lacks_texts = False
        """Whether the contract states no expected result for one of the calls, or no text for one of the answers."""
        self.justified: set[Harm] = set()
        """Overcautious refusals that do not count: the contract refuses the call, too, or does harm in it."""
        for index, (step, happened) in enumerate(zip(scenario.steps, outcome.steps, strict=False)):
            self._compare_step(index, step, happened)
        self._compare_late_changes(outcome)

    def _compare_step(self, index: int, step: Step, happened: StepOutcome) -> None:
        """Compare the outcome of one step with its expected result. Then apply the changes of the step to `state`."""
        if self.scenario.invariant:
            self.calls += len(happened.results)
            return
        files: Mapping[str, Entry | None] = {}
        clause: Clause | None = None
        position: Position | None = step.position
        for number, call in enumerate(calls_of(step)):
            clause = self._compare_call(index, number, call, happened)
        if isinstance(step, ParallelCalls):
            clause = self._clause(step)
        if clause is not None:
            files, position = clause.files, clause.position or position
        if isinstance(step, ToolCall) and is_nondeterministic(step, happened.results[0]):
            # The progress of the call is not deterministic, but no file may be written partially.
            for path, what in check_partial_writes(step, self.state, happened.changes, happened.results[0]):
                found = FileDifference(f"file {path}", "as it was, or as the call asks", what)
                self._add_difference(index, 0, "effects", found, position)
            happened = replace(happened, traces={}, names_before={}, names={})
        else:
            for found in file_differences(files, happened.expected_world, self.state, happened.changes):
                self._add_difference(index, 0, "effects", found, position)
        if not isinstance(step, WorldEvent | SessionEvent):
            if self.scenario.given.reminders and self.contract.recorded:
                self._compare_reminders(index, clause, happened, position)
            for found in self._trace_differences(step, files, happened):
                self._add_difference(index, 0, "effects", found, position)
            self._compare_verbatim(index, step, happened)
        if happened.changes:
            self.state = apply_changes(self.state, happened.changes)

    def _compare_late_changes(self, outcome: Outcome) -> None:
        happened = outcome.afterwards
        if self.scenario.invariant:
            return
        index = max(len(outcome.steps) - 1, 0) if outcome.error is None else outcome.error.step
        step = self.scenario.steps[index] if index < len(self.scenario.steps) else None
        for found in (
            *file_differences({}, {}, self.state, happened.changes),
            *trace_differences({}, (), self.state, happened.names, happened.traces),
            *name_differences({}, happened.names_before, happened.names, happened.changes),
        ):
            self._add_difference(
                index, 0, "effects", found, None if step is None else step.position, late=True
            )

    def compare_harm(self, outcome: Outcome, judgement: Judgement | None) -> None:
        """Add differences: harm that the contract does not do, and lines that only the contract's answers show."""
        known = judgement or judge(self.scenario, outcome)
        if not self.scenario.invariant:
            for index, number, missing_lines in find_missing_lines(
                self.scenario, self.contract, outcome, known
            ):
                call = calls_of(self.scenario.steps[index])[number]
                self._add_difference(index, number, "effects", missing_lines, call.position)
        harms = [harm for harm in known.harms if harm.kind in HARMS or harm.kind == "overcautious"]
        if judgement is None or not harms:
            return
        expected = set() if self.scenario.invariant else own_harms(self.scenario, self.contract, outcome)
        harmful_calls = {(step, call) for step, call, kind, _ in expected if kind in HARMS}
        for harm in harms:
            position = (harm.step, harm.call)
            if harm.kind == "overcautious" and (position in harmful_calls or self._is_refused(*position)):
                self.justified.add(harm)
            elif (*position, harm.kind, harm.path) not in expected:
                found = FileDifference(harm.line, harm.before, harm.after)
                self._add_difference(*position, "safe", found, self.scenario.steps[harm.step].position)

    def _is_refused(self, index: int, number: int) -> bool:
        """Whether the contract refuses the call `number` in step `index`."""
        clause = self._clause(calls_of(self.scenario.steps[index])[number])
        return clause is not None and clause.error is not None

    def verdict(self, outcome: Outcome, level: Level, judgement: Judgement | None) -> Verdict:
        """Return the verdict at `level` after all steps were compared. A level that was not judged does not hold."""
        breakage = outcome.error
        status, blame, reason = self._status(outcome)
        self.differences.sort(key=lambda difference: (difference.step, LEVELS.index(difference.level)))
        failing = {difference.level for difference in self.differences}
        if judgement is None and "effects" in failing:
            failing.add("safe")
        if self.recorded is None:
            failing.add("verbatim")
        holds = status not in ("error", "unspecified", "unsupported")
        levels = {each: holds and failing.isdisjoint(up_to(each)) for each in LEVELS}
        if status == "passed" and not levels[level]:
            status = "failed"
            judged = up_to(level)
            found = [difference for difference in self.differences if difference.level in judged]
            blame = found[0].blame if found else "implementation"
        return Verdict(
            self.scenario.id,
            self.contract.name,
            level,
            status,
            levels,
            tuple(self.differences),
            blame,
            reason,
            sum(step.milliseconds for step in outcome.steps),
            self.calls,
            sum(bool(step.results) for step in outcome.steps),
            self.scenario.requirement,
            self.scenario.rule,
            length=self.scenario.length,
            harms=tuple(harm for harm in judgement.harms if harm not in self.justified) if judgement else (),
            lacks=(breakage.message,)
            if status == "unsupported" and breakage is not None and breakage.blame == "unsupported"
            else (),
            answers=transcribe_answers(
                self.scenario, outcome, self.vocabulary, {each.step for each in self.differences}
            )
            if self.differences
            else {},
        )

    def _status(self, outcome: Outcome) -> tuple[Status, Blame | None, str]:
        """Return the status, the part of the system to blame, and the reason. `verdict` may change a passed status."""
        breakage = outcome.error
        if breakage is not None:
            deviated = any(difference.level == "effects" for difference in self.differences)
            if breakage.blame == "harness" and deviated:
                # The implementation had already spoiled the workspace.
                found = FileDifference("world event", "can be performed", breakage.message)
                self._add_difference(breakage.step, 0, "effects", found, None)
                return "passed", None, ""
            if breakage.blame in ("machine", "unsupported"):
                is_passed = deviated and breakage.blame == "unsupported"
                return "passed" if is_passed else "unsupported", None, f"the adapter lacks {breakage.message}"
            blame: Blame = next((each for each in get_args(Blame) if each == breakage.blame), "adapter")
            return "error", blame, "\n".join(filter(None, (breakage.message, breakage.details)))
        if len(outcome.steps) != len(self.scenario.steps):
            problem = f"{len(outcome.steps)} of {len(self.scenario.steps)} steps were replayed"
            return "error", "harness", problem
        if self.lacks_clause or self.calls == 0:
            return "unspecified", None, f"{self.contract.name} says nothing about it"
        return "passed", None, ""

    def _clause(self, part: ToolCall | ParallelCalls) -> Clause | None:
        """Return the expected result of a call or a group of calls. If the contract states no result, return the
        recorded result, so that at least the effects can be compared.
        """
        return effects_clause_for(self.scenario, part.expect, self.contract)

    def _compare_call(self, index: int, number: int, call: ToolCall, happened: StepOutcome) -> Clause | None:
        """Compare a call's result with the contract's expected result (clause). Return the clause. None if missing."""
        clause = self._clause(call)
        if clause is None:
            self.lacks_clause = True
            return None
        result = happened.results[number]
        position = clause.position or call.position
        refused = clause.error is not None
        if result.is_error != refused:
            got = "refused" if result.is_error else "not refused"
            wanted = f"refused: {clause.error}" if refused else "not refused"
            found = FileDifference("refused", wanted, f"{got}: {result.text}")
            # Whether a cancelled call is still made is not deterministic. A program may survive a signal.
            is_random = call.interrupted == "stopped" or call.signal not in (None, "SIGKILL")
            level: Level = "reason" if is_random else "effects"
            self._add_difference(index, number, level, found, position)
        answer = answer_of(result.text)
        name = (result.error or self.vocabulary.name_of(call.tool, answer)) if result.is_error else None
        as_expected = result.is_error == refused and name == clause.error
        reaches_execution = clause.error is None or clause.error in EXECUTION_ERRORS
        if call.during and not happened.interfered and as_expected and reaches_execution:
            problem = "was never run, though the call was not refused before"
            found = FileDifference("during", "is run before the execution", problem)
            self._add_difference(index, number, "effects", found, position, "adapter")
        is_specified = clause_for(self.scenario, call.expect, self.contract) is not None
        self.lacks_texts = self.lacks_texts or not is_specified or clause.text is None
        if not is_specified:
            return clause
        self.calls += 1
        if refused and result.is_error and name != clause.error:
            found = FileDifference("error", clause.error or "", name or f"no known error: {answer}")
            self._add_difference(index, number, "reason", found, position)
        ignored = self.contract.ignores_outer_whitespace
        for found in text_differences(clause.text, answer, result.text, ignores_outer_whitespace=ignored):
            self._add_difference(index, number, "text", found, position)
        return clause

    def _compare_reminders(
        self, index: int, clause: Clause | None, happened: StepOutcome, position: Position | None
    ) -> None:
        """Compare reminders about changed files: their number at level `effects`, their words at level `text`."""
        reminders = [reminder for result in happened.results for reminder in result.reminders]
        expected = () if clause is None else clause.reminders
        if len(reminders) != len(expected):
            found = FileDifference(
                "reminders", str(len(expected)), "\n\n".join([f"{len(reminders)}", *reminders])
            )
            self._add_difference(index, 0, "effects", found, position)
            return
        for wanted, got in zip(expected, reminders, strict=True):
            for each in text_differences(wanted, got, got):
                found = FileDifference(each.what.replace("text", "reminder"), each.expected, each.got)
                self._add_difference(index, 0, "text", found, position)

    def _trace_differences(
        self, step: ToolCall | ParallelCalls, files: Mapping[str, Entry | None], happened: StepOutcome
    ) -> Iterator[FileDifference]:
        if happened.traces:
            allowed = [call for call in calls_of(step) if self._may_write(call)]
            yield from trace_differences(files, allowed, self.state, happened.names, happened.traces)
        if happened.names_before or happened.names:
            yield from name_differences(files, happened.names_before, happened.names, happened.changes)

    def _may_write(self, call: ToolCall) -> bool:
        clause = self._clause(call)
        return call.tool not in READERS and clause is not None and clause.error is None

    def _compare_verbatim(self, index: int, step: ToolCall | ParallelCalls, happened: StepOutcome) -> None:
        if self.recorded is None:
            return
        rows = self.recorded.steps[self.messages : self.messages + 1]
        expected = rows[0].results if rows else ()
        self.messages += 1
        for number, (call, result) in enumerate(zip(calls_of(step), happened.results, strict=True)):
            raw = expected[number].raw if number < len(expected) else None
            if raw is None or not self._is_recorded(expected[number], result.text):
                found = FileDifference("raw text", "nothing recorded" if raw is None else raw, result.text)
                self._add_difference(index, number, "verbatim", found, call.position)

    def _is_recorded(self, expected: RecordedResult, text: str) -> bool:
        """Whether a text equals the recorded text, or begins with it if only its beginning is recorded."""
        if expected.cut is None and self.contract.ignores_outer_whitespace:
            return without_outer_whitespace(expected.raw) == without_outer_whitespace(text)
        if expected.cut is None:
            return expected.raw == text
        answer, is_wrapped, after = unwrapped(text)
        return answer.startswith(expected.text) and (is_wrapped, after) == (expected.wrapped, expected.after)

    def _add_difference(
        self,
        step: int,
        call: int,
        level: Level,
        found: FileDifference,
        position: Position | None,
        blame: Blame = "implementation",
        *,
        late: bool = False,
    ) -> None:
        self.differences.append(
            Difference(step, call, level, found.what, found.expected, found.got, blame, position, late)
        )

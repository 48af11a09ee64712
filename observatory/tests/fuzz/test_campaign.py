"""A fault that is planted in an implementation is found, reduced to a small scenario, and reported once."""

from itertools import count
from random import Random

import altered
import pytest
import wrong_answers
import wrong_files
import wrong_state
import wrong_text
from altered import Altered

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.compare.verdict import Level
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import Scenario, ToolCall, WorldEvent
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.differential import Campaign, DifferentialRunner, Finding
from readfirst.observatory.fuzz.disagreement import Cause
from readfirst.observatory.fuzz.generate import scenarios, single_file_scenario


def campaign(
    target: object,
    suite: Suite,
    place: WorkspacePool,
    *,
    level: Level = "text",
    steps: int = 3000,
) -> Campaign:
    runner = DifferentialRunner(ReferenceAdapter("2.1.7"), target, place, level, suite.vocabulary)  # type: ignore[arg-type]
    generated = (single_file_scenario(Random(f"0.{number}")) for number in count())
    return Campaign(runner, generated, steps=steps)


def first(target: type[Altered], suite: Suite, place: WorkspacePool) -> Finding:
    return next(campaign(target, suite, place).perform())


def kinds(scenario: Scenario) -> list[str]:
    return [
        step.tool if isinstance(step, ToolCall) else getattr(step, "kind", "parallel")
        for step in scenario.steps
    ]


@pytest.mark.slow
def test_a_fault_of_counting_is_shrunk_to_a_read_and_an_edit_of_two_letters(
    suite: Suite, place: WorkspacePool
) -> None:
    finding = first(wrong_text.ReplacesFirstOfSeveral, suite, place)
    assert finding.disagreement.cause == Cause("Edit", "effects", "multiple_matches", "done")
    assert kinds(finding.scenario) in (["Read", "Edit"], ["Write", "Edit"])
    edit = finding.scenario.steps[-1]
    assert isinstance(edit, ToolCall)
    made = [
        file.data.decode() for file in finding.scenario.given.files.values() if isinstance(file, RegularFile)
    ]
    made += [call.arguments["content"] for call in finding.scenario.calls() if call.tool == "Write"]
    assert made == [2 * edit.arguments["old_string"]]


@pytest.mark.slow
def test_a_fault_of_the_clock_is_shrunk_to_the_change_and_the_call(
    suite: Suite, place: WorkspacePool
) -> None:
    finding = first(wrong_state.NoStalenessCheck, suite, place)
    assert len(finding.scenario.steps) == 3
    assert any(isinstance(step, WorldEvent) for step in finding.scenario.steps)
    assert finding.disagreement.cause.reference == "modified_since_read"
    assert finding.again


def test_a_file_that_a_refused_call_replaces_by_its_copy_is_found(suite: Suite, place: WorkspacePool) -> None:
    finding = first(wrong_files.ReplacesWhenRefusing, suite, place)
    assert finding.disagreement.what.startswith("inode of ")
    assert finding.disagreement.cause.reference == finding.disagreement.cause.target != "done"
    assert len(finding.scenario.steps) <= 2


@pytest.mark.slow
def test_a_fault_of_words_is_found_at_level_text_only(suite: Suite, place: WorkspacePool) -> None:
    assert kinds(first(wrong_answers.TabAfterLineNumber, suite, place).scenario) == ["Read"]
    reason = campaign(wrong_answers.TabAfterLineNumber, suite, place, level="reason", steps=300)
    assert list(reason.perform()) == []
    assert reason.tally.steps >= 300


@pytest.mark.slow
def test_agreement_is_counted_in_steps(suite: Suite, place: WorkspacePool) -> None:
    agreed = campaign(altered.Altered, suite, place, steps=400)
    reported: list[int] = []
    assert list(agreed.perform(lambda: reported.append(agreed.tally.steps))) == []
    assert 400 <= agreed.tally.steps < 500
    assert (agreed.tally.disagreed, reported[-1]) == (0, agreed.tally.steps)
    assert agreed.tally.scenarios == len(reported) > 10


@pytest.mark.slow
def test_one_fault_is_reported_once_however_often_it_shows(suite: Suite, place: WorkspacePool) -> None:
    found = campaign(wrong_answers.TabAfterLineNumber, suite, place, steps=300)
    findings = list(found.perform())
    assert 300 <= found.tally.steps < 400, "replays for shrinking do not count"
    assert found.tally.disagreed > 10
    assert len(findings) <= 3
    assert len({finding.key for finding in findings}) == len(findings)


def test_the_time_ends_a_search_and_the_shrinking_of_what_it_found(
    suite: Suite, place: WorkspacePool
) -> None:
    clock = count(0, 10)  # each look at the clock takes ten seconds
    runner = DifferentialRunner(
        ReferenceAdapter("2.1.7"), wrong_answers.TabAfterLineNumber, place, "text", suite.vocabulary
    )  # type: ignore[arg-type]
    limited = Campaign(runner, scenarios(0), steps=None, seconds=35, clock=lambda: next(clock))
    assert any(finding.again for finding in limited.perform())
    assert limited.tally.scenarios <= 3


@pytest.mark.slow
def test_an_accepted_group_is_counted_and_not_reported(suite: Suite, place: WorkspacePool) -> None:
    groups = frozenset(
        finding.key
        for finding in campaign(wrong_answers.TabAfterLineNumber, suite, place, steps=30).perform()
    )
    again = campaign(wrong_answers.TabAfterLineNumber, suite, place, steps=30)
    again.accepted = groups
    assert list(again.perform()) == []
    assert again.tally.explained == again.tally.disagreed > 0


class Whimsical(Altered):
    """An implementation that answers only its 40th call wrongly, so a second replay does not show the fault again."""

    calls = 0

    def alter(self, tool, arguments, interfere):  # type: ignore[no-untyped-def]
        result = self.reference(tool, arguments, interfere)
        Whimsical.calls += 1
        return wrong_answers.replace(result, text="?") if Whimsical.calls == 40 else result


@pytest.mark.slow
def test_what_does_not_show_again_is_reported_unshrunk(suite: Suite, place: WorkspacePool) -> None:
    Whimsical.calls = 0
    (finding,) = campaign(Whimsical, suite, place, steps=300).perform()
    assert not finding.again
    assert finding.disagreement.target == "?"


class Cut(Altered):
    def alter(self, tool, arguments, interfere):  # type: ignore[no-untyped-def]
        result = self.reference(tool, arguments, interfere)
        return wrong_answers.replace(result, text=result.text.strip())


class Reminded:
    """An adapter whose sessions strip the whitespace around answers. With `says_so`, `was_contaminated` returns True:
    reminders were removed from answers, and possibly whitespace with the reminders.
    """

    capabilities = Cut.capabilities
    open = staticmethod(Cut.open)

    def __init__(self, says_so: bool) -> None:
        self.traits = AdapterTraits(was_contaminated=lambda: says_so)


@pytest.mark.parametrize("says_so", [True, False])
def test_whitespace_that_a_reminder_costs_an_answer_is_no_disagreement(
    suite: Suite, place: WorkspacePool, says_so: bool
) -> None:
    runner = DifferentialRunner(ReferenceAdapter("2.1.7"), Reminded(says_so), place, "text", suite.vocabulary)
    assert bool(runner(suite.scenario("line-endings/mixed-in-equal-numbers"))) != says_so


class Dead(Altered):
    def alter(self, tool, arguments, interfere):  # type: ignore[no-untyped-def]
        raise AdapterError("it is gone", details="last words")


def test_a_target_that_only_breaks_ends_the_search(suite: Suite, place: WorkspacePool) -> None:
    with pytest.raises(AdapterError, match="the target failed at step 1: it is gone"):
        list(campaign(Dead, suite, place).perform())

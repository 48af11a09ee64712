import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import BASIC_CAPABILITIES, ToolResult
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Level, Verdict, verdict_without_replay
from readfirst.harness.replay.outcome import Breakage, Outcome, StepOutcome
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import (
    Clause,
    Expectation,
    Given,
    Scenario,
    Step,
    TextDigest,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.suite.transcript import RecordedResult, Transcript, TranscriptStep
from readfirst.harness.yaml_io.finding import Position
from tests.judging import CONTRACT, SUITE

NOT_READ = "File has not been read yet. Read it first before writing to it."
OLD, NEW = RegularFile(b"old", 0o644), RegularFile(b"new", 0o644)
DOCUMENTED = Contract("documented")


def make_call(
    recorded: Clause | None = None,
    documented: Clause | None = None,
    *,
    tool: str = "Edit",
    during: tuple[WorldEvent, ...] = (),
) -> ToolCall:
    place = Position(Path("s.yaml"), 9, 5)
    return ToolCall(tool, {"file_path": "$WS/a"}, during, Expectation(recorded, documented), place)


def make_outcome(text: str, is_error: bool = False, error: str | None = None, **more: Any) -> StepOutcome:
    return StepOutcome((ToolResult(text, is_error, error),), **more)


def judge(
    steps: list[Step],
    outcomes: list[StepOutcome],
    *,
    level: Level = "text",
    error: Breakage | None = None,
    contract: Contract = CONTRACT,
    recorded: Transcript | None = None,
) -> Verdict:
    """Return the verdict on a scenario whose steps had these outcomes. The workspace contains the file `a`."""
    given = Given({"a": OLD})
    scenario = Scenario("family/slug", "title", "must", given, tuple(steps), contract=CONTRACT.name)
    outcome = Outcome(scenario.id, tuple(outcomes), error, {"a": OLD})
    return compare(scenario, outcome, contract, level, SUITE.vocabulary, recorded)


def summary(verdict: Verdict) -> list[tuple[str, str, str, str]]:
    return [(each.level, each.what, each.expected, each.got) for each in verdict.differences]


REFUSED = Clause(error="not_read", text=NOT_READ)
DONE = Clause(text="done", files={"a": RegularFile(b"new")})
DIGESTED = "one\ntwo\nthree"
"""An expectation contains only the digest of this text."""


@pytest.mark.parametrize(
    ("digest", "difference"),
    [
        (TextDigest(hashlib.sha256(DIGESTED.encode()).hexdigest(), 3, "one", "three"), None),
        (TextDigest(starts="On"), ("start of text", "On", "on")),
        (TextDigest(ends="Three"), ("end of text", "Three", "three")),
        (TextDigest(lines=4), ("lines of text", "4", "3")),
        (TextDigest(sha256="00"), ("sha256 of text", "00", hashlib.sha256(DIGESTED.encode()).hexdigest())),
    ],
)
def test_each_part_of_a_digest_is_compared(
    digest: TextDigest, difference: tuple[str, str, str] | None
) -> None:
    verdict = judge([make_call(Clause(text=digest))], [make_outcome(DIGESTED)])
    assert summary(verdict) == ([] if difference is None else [("text", *difference)])


RACE = (WorldEvent("modify", "a", RegularFile(b"raced"), mtime=2),)


def test_if_the_event_during_a_call_never_happened_the_failure_is_attributed_to_the_adapter() -> None:
    unexpectedly = Clause(error="unexpectedly_modified")
    for clause, outcome in (
        (DONE, make_outcome("done", changes={"a": NEW})),
        (unexpectedly, make_outcome("x", True, "unexpectedly_modified")),
    ):
        verdict = judge([make_call(clause, during=RACE)], [outcome])
        assert verdict.status == "failed"
        assert (verdict.differences[0].what, verdict.differences[0].blame) == ("during", "adapter")
        assert verdict.blame == "adapter"


def test_a_call_that_was_refused_before_its_event_could_happen_is_attributed_to_the_implementation() -> None:
    unexpectedly = Clause(error="unexpectedly_modified")
    verdict = judge([make_call(unexpectedly, during=RACE)], [make_outcome(NOT_READ, True)])
    assert [(level, what) for level, what, _, _ in summary(verdict)] == [("reason", "error")]
    assert verdict.blame == "implementation"


def test_the_level_verbatim_fails_if_the_recording_lacks_the_step() -> None:
    outcomes = [make_outcome(NOT_READ, True)]
    verdict = judge([make_call(REFUSED)], outcomes, level="verbatim", recorded=Transcript(()))
    assert summary(verdict) == [("verbatim", "raw text", "nothing recorded", NOT_READ)]


def test_the_level_verbatim_compares_the_start_of_a_truncated_answer_and_the_text_around_it() -> None:
    begins = Clause(error="not_read", text=TextDigest(starts="File has not"))
    answer = RecordedResult.of(f"<tool_use_error>{NOT_READ}</tool_use_error>", "not_read", "File has not")
    recorded = Transcript((TranscriptStep(("Edit",), (answer,)),))

    def levels(text: str) -> tuple[bool, bool]:
        verdict = judge([make_call(begins)], [make_outcome(text, True, "not_read")], recorded=recorded)
        return verdict.levels["text"], verdict.levels["verbatim"]

    assert levels("<tool_use_error>File has not, in other words.</tool_use_error>") == (True, True)
    assert levels("File has not, in other words.") == (True, False)
    assert levels("<tool_use_error>Files have not.</tool_use_error>") == (False, False)


def test_judging_at_the_level_verbatim_requires_a_recording() -> None:
    with pytest.raises(ValueError, match="needs a recording"):
        judge([make_call(REFUSED)], [make_outcome(NOT_READ, True)], level="verbatim")


SAYS = Clause(documented="a.txt, Rules", error="not_read")


def test_a_call_that_the_contract_does_not_cover_makes_the_scenario_unspecified() -> None:
    outcomes = [make_outcome("done", changes={"a": NEW}), make_outcome("x")]
    verdict = judge([make_call(DONE), make_call()], outcomes)
    assert verdict.status == "unspecified"
    assert not any(verdict.levels.values())


def test_a_replay_that_ended_early_has_the_status_error_and_states_the_responsible_part() -> None:
    for blame in ("adapter", "environment", "harness"):
        verdict = judge([make_call(DONE)], [], error=Breakage(blame, "it hung", 0, "tail"))
        assert (verdict.status, verdict.blame, verdict.reason) == ("error", blame, "it hung\ntail")
        assert not any(verdict.levels.values())


def test_a_scenario_in_which_no_call_was_judged_does_not_pass() -> None:
    touch = WorldEvent("touch", "a", mtime=2)
    assert judge([touch], [StepOutcome()]).status == "unspecified"
    assert judge([], []).status == "unspecified"
    outcomes = [make_outcome("x", changes={"a": NEW})]
    assert judge([make_call(DONE)], outcomes, contract=DOCUMENTED).status == "unspecified"


def test_a_scenario_with_a_missing_step_does_not_pass() -> None:
    verdict = judge([make_call(DONE), make_call(REFUSED)], [make_outcome("done", changes={"a": NEW})])
    assert (verdict.status, verdict.blame) == ("error", "harness")
    assert verdict.reason == "1 of 2 steps were replayed"


IMPOSSIBLE = Breakage("harness", "cannot delete a: No such file or directory", 1)


def test_an_impossible_event_is_attributed_to_the_implementation_only_if_it_changed_the_files_before() -> (
    None
):
    steps = [make_call(REFUSED), WorldEvent("delete", "a")]
    verdict = judge(steps, [make_outcome(NOT_READ, True, changes={"a": None})], error=IMPOSSIBLE)
    assert (verdict.status, verdict.blame) == ("failed", "implementation")
    assert [(each.step, each.what) for each in verdict.differences] == [(0, "path a"), (1, "world event")]
    verdict = judge(steps, [make_outcome("Read it!", True)], error=IMPOSSIBLE)
    assert (verdict.status, verdict.blame) == ("error", "harness")


@pytest.mark.parametrize(
    ("steps", "name", "found"),
    [
        ([make_call(DONE)], "2.1.7", None),
        ([make_call(DONE, during=RACE)], "2.1.7", ("unsupported", "the adapter lacks during")),
        ([make_call(DONE, tool="NotebookEdit")], "2.1.7", ("unsupported", "the adapter lacks NotebookEdit")),
        ([make_call(DONE), make_call()], "2.1.7", ("unspecified", "2.1.7 says nothing about it")),
        ([make_call(DONE)], "documented", ("unspecified", "documented says nothing about it")),
        ([make_call(DONE), make_call(SAYS, SAYS)], "documented", None),
        ([make_call(), make_call(documented=SAYS)], "documented", None),
        ([], "2.1.7", ("unspecified", "2.1.7 says nothing about it")),
    ],
)
def test_an_unsupported_or_unspecified_scenario_is_reported_before_the_replay(
    steps: list[Step], name: str, found: tuple[str, str] | None
) -> None:
    scenario = Scenario("a/b", "t", "must", Given(), tuple(steps), contract="2.1.7")
    contract = CONTRACT if name == "2.1.7" else DOCUMENTED
    verdict = verdict_without_replay(scenario, contract, "text", BASIC_CAPABILITIES)
    assert (verdict and (verdict.status, verdict.reason)) == found
    assert not (verdict and any(verdict.levels.values()))


@pytest.mark.parametrize("ignored", [True, False])
@pytest.mark.parametrize(("level", "recorded"), [("text", None), ("verbatim", "1\talpha\n2")])
def test_whitespace_at_the_ends_of_an_answer_is_ignored_if_the_contract_says_so(
    level: Level, recorded: str | None, ignored: bool
) -> None:
    contract = replace(CONTRACT, ignores_outer_whitespace=ignored)
    call = make_call(Clause(text="1\talpha\n2"))
    transcript = Transcript((TranscriptStep(("Edit",), (RecordedResult(recorded),)),) if recorded else ())

    def status(text: str) -> str:
        outcomes = [make_outcome(text)]
        return judge([call], outcomes, level=level, contract=contract, recorded=transcript).status

    assert status("1\talpha\n2\t") == ("passed" if ignored else "failed")
    assert status("1\talpha \n2") == "failed", "whitespace within the text always matters"

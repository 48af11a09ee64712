"""A scenario file states the expectations of one contract; complete recordings state those of the others."""

from dataclasses import replace

import pytest

from readfirst.harness.suite.contract_expectations import with_expectations_of
from readfirst.harness.suite.contracts import clause_for
from readfirst.harness.suite.file_entry import Directory, RegularFile
from readfirst.harness.suite.scenario import (
    Clause,
    Expectation,
    ForeignContractError,
    Given,
    ParallelCalls,
    Scenario,
    Step,
    TextDigest,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.suite.transcript import (
    RecordedResult,
    Transcript,
    TranscriptStep,
)

from .judging import SUITE

OWN, OTHER = SUITE.contracts["2.1.7"], SUITE.contracts["2.1.40"]
"""The contract of the scenario file, and one whose expectations come from a recording."""
DOCUMENTED = SUITE.contracts["documented"]
SAYS = Clause(documented="a.txt, Rules", error="not_read")
NEW = RegularFile(b"new")


def edit(recorded: Clause | None, documented: Clause | None = None) -> ToolCall:
    return ToolCall("Edit", {"file_path": "$WS/a"}, expect=Expectation(recorded, documented))


def scenario(*steps: Step) -> Scenario:
    return Scenario("a/b", "A title", "must", Given(), steps, OWN.name)


def make_step(*texts: str, error: str | None = None, **more: object) -> TranscriptStep:
    results = tuple(RecordedResult(text, error) for text in texts)
    return TranscriptStep(("Edit",) * len(texts), results, **more)  # type: ignore[arg-type]


def expected_clause(stated: Clause | None, step: TranscriptStep) -> Clause:
    """Return the expectation of 2.1.40 for a call that was recorded as `step`. The scenario file states `stated`."""
    (call,) = with_expectations_of(scenario(edit(stated)), OTHER.name, Transcript((step,))).calls()
    assert call.expect.recorded is not None
    return call.expect.recorded


def test_the_expectations_of_parallel_calls_are_an_answer_for_each_call_and_files_for_the_group() -> None:
    touch = WorldEvent("touch", "a", mtime=2)
    stated = Expectation(Clause(files={"a": RegularFile(b"old")}))
    group = ParallelCalls((edit(Clause(text="1")), edit(Clause(text="2"))), stated)
    whole = Transcript((make_step("one", "two", changes={"a": NEW}), make_step("last")))
    seen = with_expectations_of(scenario(touch, group, edit(Clause(text="3"))), OTHER.name, whole)
    texts = [call.expect.recorded.text for call in seen.calls() if call.expect.recorded]
    assert texts == ["one", "two", "last"]
    assert seen.steps[0] == touch
    assert isinstance(seen.steps[1], ParallelCalls)
    assert seen.steps[1].expect.recorded == Clause(files={"a": NEW})
    idle = with_expectations_of(scenario(group), OTHER.name, Transcript((make_step("one", "two"),)))
    assert isinstance(idle.steps[0], ParallelCalls)
    assert idle.steps[0].expect.recorded is None


def test_if_the_file_states_only_the_start_of_a_text_all_contracts_with_this_start_use_it() -> None:
    pinned = TextDigest(starts="File")
    stated = Clause(error="not_read", text=pinned)
    assert expected_clause(stated, make_step("File is not read.", error="not_read")).text == pinned
    for text, error in (("Read it.", "not_read"), ("File is gone.", "file_not_found"), ("File done.", None)):
        assert expected_clause(stated, make_step(text, error=error)).text == text
    for other in (TextDigest(sha256="0" * 64, starts="File"), replace(pinned, ends="."), TextDigest(lines=1)):
        unread = make_step("File is not read.", error="not_read")
        assert expected_clause(replace(stated, text=other), unread).text == "File is not read."


def test_modes_of_new_files_are_compared_only_if_the_scenario_file_states_modes() -> None:
    stated = Clause(text="Done.", files={"new/a": RegularFile(b"old", 0o644), "new": Directory(0o755)})
    modes = {"new": 0o700, "new/a": 0o600, "new/b": 0o600}
    step = make_step("Done.", changes={"new/a": NEW, "new/b": NEW}, created=modes)
    pinned = {"new": Directory(0o700), "new/a": RegularFile(b"new", 0o600), "new/b": NEW}
    assert expected_clause(stated, step).files == pinned
    for unpinned in ({"new/a": RegularFile(b"old")}, {"elsewhere": RegularFile(b"old", 0o644)}):
        files = expected_clause(Clause(text="Done.", files=unpinned), step).files
        assert files == {"new/a": NEW, "new/b": NEW}


def test_a_scenario_that_was_loaded_for_one_contract_cannot_judge_another_contract() -> None:
    clause = Clause(text="Done.")
    stated = scenario(edit(clause, SAYS))
    (call,) = stated.calls()
    assert clause_for(stated, call.expect, OWN) == clause
    assert clause_for(stated, call.expect, DOCUMENTED) == SAYS
    with pytest.raises(ForeignContractError, match=r"a/b was loaded for 2\.1\.7, not for 2\.1\.40"):
        clause_for(stated, call.expect, OTHER)
    seen = with_expectations_of(stated, OTHER.name, Transcript((make_step("Other."),)))
    with pytest.raises(ForeignContractError, match=r"a/b was loaded for 2\.1\.40, not for 2\.1\.7"):
        clause_for(seen, next(seen.calls()).expect, OWN)

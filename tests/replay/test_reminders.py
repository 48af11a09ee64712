from contextlib import closing
from typing import Any

import pytest

from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.agents.claude_code.reminders import extract_file_reminders
from readfirst.harness.compare.transcribe import transcribe
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.recording_file import format_recording, parse_recording
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.transcript import Recording, Transcript
from readfirst.harness.suite.unwrap_host_text import answer_of
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.finding import SuiteError
from tests.judging import SUITE, judge_scenario, load_scenario_text
from tests.replay import answering
from tests.rows import rows

CALL = "  - Read: {file_path: $WS/a.txt}\n    expect:\n      text: seen\n"
GROUP = (
    "  - parallel:\n"
    "      - Read: {file_path: $WS/a.txt}\n        expect: {text: seen, reminders: [changed]}\n"
    "      - Read: {file_path: $WS/b.txt}\n        expect: {text: seen}\n"
)
LONG = "It changed.\n" * 1000


def load_scenario(steps: str, given: str = "given: {reminders: true}\n") -> Scenario:
    return load_scenario_text(f"{given}steps:\n{steps}")


@rows(
    ("steps", "given", "message"),
    [
        (f"{CALL}      reminders: [changed]\n", "", "not compared"),
        (CALL, "given: {reminders: false}\n", "reminders must be true"),
        (GROUP, "given: {reminders: true}\n", "expect of the group"),
    ],
)
def test_a_wrong_expectation_of_reminders_is_an_error(steps: str, given: str, message: str) -> None:
    with pytest.raises(SuiteError, match=message):
        load_scenario(steps, given)


@rows(
    ("noted", "levels"),
    [
        (("$WS changed.",), (True, True)),
        (("$WS was changed.",), (True, False)),
        ((), (False, False)),
        (("$WS changed.", "$WS changed."), (False, False)),
    ],
)
def test_the_level_effects_counts_reminders_and_the_level_text_compares_their_words(
    noted: tuple[str, ...], levels: tuple[bool, bool]
) -> None:
    scenario = load_scenario(f"{CALL}      reminders: [$WS changed.]\n")
    verdict = judge_scenario(scenario, answering.Reminding(noted))
    assert (verdict.levels["effects"], verdict.levels["text"]) == levels


@rows("noted", ["changed", ["changed"], (1,)])
def test_reminders_that_are_not_a_tuple_of_strings_are_an_error(noted: Any) -> None:
    verdict = judge_scenario(load_scenario(CALL), answering.Reminding(noted))
    assert (verdict.status, verdict.blame) == ("error", "adapter")
    assert "not a tuple of strings" in verdict.reason


def test_the_reminders_of_an_implementation_in_a_separate_process_are_judged() -> None:
    scenario = load_scenario(f"{CALL}      reminders: [$WS changed.]\n")
    with closing(PythonAdapter(answering.__file__, "Reminding", time_limit=30)) as adapter:
        assert judge_scenario(scenario, adapter).status == "passed"


def test_the_expectation_of_a_long_reminder_may_contain_only_its_start_and_end() -> None:
    scenario = load_scenario(f"{CALL}      reminders: [{{lines: 1001, starts: It}}]\n")
    assert judge_scenario(scenario, answering.Reminding((LONG,))).status == "passed"
    [found] = judge_scenario(scenario, answering.Reminding((LONG[12:],))).differences
    assert found.what == "lines of reminder"


def test_a_recording_contains_the_reminders() -> None:
    scenario = load_scenario(CALL + CALL)
    with WorkspacePool() as place:
        outcome = replay(scenario, answering.Reminding(("one", LONG)), place)
        written = format_recording(Recording("x", {"2.1.7": transcribe(scenario, outcome, SUITE.vocabulary)}))
        transcript: Transcript = parse_recording(written).transcripts["2.1.7"]
    again = recorded_outcome(scenario, transcript)
    assert [step.reminders for step in transcript.steps] == [("one", LONG), ()]
    assert [step.results[0].reminders for step in again.steps] == [("one", LONG), ()]


def test_only_reminders_of_changed_files_are_removed_from_an_answer() -> None:
    note = "Note: /w/a.txt was modified, either by the user or by a linter. Lines:\n     1→one"
    other = "\n\n<system-reminder>\nThink of the tasks.\n</system-reminder>"
    merged = f"\n\n<system-reminder>\n{note}\n</system-reminder>"
    assert extract_file_reminders(f"answer{other}{merged}", ()) == (f"answer{other}\n", (note,))
    assert extract_file_reminders(merged.lstrip(), ()) == ("", (note,))


REMINDER = "\n\n<system-reminder>\nThink of it.\n</system-reminder>\n"
"""A reminder that is not about a changed file."""
SIMILAR = (
    "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
    "     1→<system-reminder>\n     2→x</system-reminder>",
    "     1→a <system-reminder>x</system-reminder>",
    "<tool_use_error>half",
    "half</tool_use_error>",
    "x</system-reminder>",
    "<system-reminder>x</system-reminder>\nfollowed by text",
    "<tool_use_error>",
)
"""Answers that contain similar text."""


@rows(
    ("raw", "answer"),
    [
        ("plain", "plain"),
        ("", ""),
        ("<tool_use_error>No.</tool_use_error>", "No."),
        ("<tool_use_error>two\nlines\n</tool_use_error>", "two\nlines\n"),
        ("     1→a\n     2→" + REMINDER, "     1→a\n     2→"),
        ("     1→a" + REMINDER + REMINDER, "     1→a"),
        ("<tool_use_error>No.</tool_use_error>" + REMINDER, "No."),
        ("a\n\n\n" + REMINDER.lstrip(), "a\n"),
        *((text, text) for text in SIMILAR),
    ],
)
def test_only_text_that_the_product_puts_around_an_answer_is_removed(raw: str, answer: str) -> None:
    assert answer_of(raw) == answer

from collections.abc import Mapping
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError, ToolResult, Workspace
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.recording_adapter import RecordedAdapter, recorded_outcome
from readfirst.harness.run.runner import Runner, RunSpec
from readfirst.harness.suite.file_entry import Directory, Entry, HardLink, RegularFile, Symlink
from readfirst.harness.suite.recording_file import format_recording
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import Given, ParallelCalls, Scenario, Step, ToolCall, WorldEvent
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript, TranscriptStep
from tests.rows import rows

READ = ToolCall("Read", {"file_path": "$WS/a"})
WRITE = ToolCall("Write", {"file_path": "$WS/a", "content": "new"})
RACE = ToolCall("Write", WRITE.arguments, (WorldEvent("modify", "a", RegularFile(b"raced"), mtime=2),))
OLD, NEW = RegularFile(b"old", 0o644), RegularFile(b"new", 0o644)


def make_step(
    *calls: ToolCall,
    text: str = "done",
    changes: Mapping[str, Entry | None] | None = None,
    created: Mapping[str, int] | None = None,
    struck: bool = False,
) -> TranscriptStep:
    """Return a recorded step with these calls. `created`: the modes of new files."""
    results = tuple(RecordedResult(text) for _ in calls)
    return TranscriptStep(tuple(call.tool for call in calls), results, changes or {}, created or {}, struck)


@pytest.fixture
def replay_steps(tmp_path: Path):
    def run(
        steps: list[Step], *transcript: TranscriptStep, contract: str = "2.1.7", inputs: str = "asked"
    ) -> Outcome:
        path = tmp_path / "family" / "slug.json"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(format_recording(Recording("asked", {"2.1.7": Transcript(transcript)}), "slug"))
        files: dict[str, Entry] = {"a": OLD, "d/b": OLD, "l": Symlink("a")}
        scenario = Scenario("family/slug", "t", "must", Given(files), tuple(steps), inputs=inputs)
        return RecordedAdapter(Recordings(tmp_path), contract).outcome(scenario)

    return run


@rows(
    ("changes", "names"),
    [
        ({}, ("a", "twin")),
        ({"a": OLD}, ()),
        ({"a": RegularFile(b"new")}, ()),
        ({"a": RegularFile(b"new"), "twin": RegularFile(b"new")}, ("a", "twin")),
        ({"a": RegularFile(b"new"), "twin": RegularFile(b"other")}, ()),
        ({"a": None, "twin": None}, ()),
    ],
)
def test_hard_links_are_kept_only_if_the_recording_contains_all_or_none_of_their_names(
    changes: Mapping[str, Entry | None], names: tuple[str, ...]
) -> None:
    files: dict[str, Entry] = {"a": OLD, "twin": HardLink("a")}
    scenario = Scenario("family/slug", "t", "must", Given(files), (WRITE,))
    done = recorded_outcome(scenario, Transcript((make_step(WRITE, changes=changes),))).steps[0]
    assert done.names_before["a"] == ("a", "twin")
    assert done.names.get("a", ()) == names


def test_the_texts_and_changed_files_of_a_recording_are_replayed(replay_steps) -> None:
    changes: dict[str, Entry | None] = {
        "a": RegularFile(b"new", 0o600),
        "d": None,
        "l": OLD,
        "s": Symlink("$WS/a"),
        "x": Directory(0o755),
        "x/y": NEW,
        "$HOME/x": Directory(0o755),
        "$HOME/x/y": NEW,
        "~": Directory(0o755),
    }
    outcome = replay_steps(
        [READ, WRITE], make_step(READ, text="read $WS/a"), make_step(WRITE, changes=changes)
    )
    assert outcome.error is None
    assert [step.results for step in outcome.steps] == [(ToolResult("read $WS/a"),), (ToolResult("done"),)]
    assert outcome.steps[1].changes == {**changes, "d/b": None}


def test_an_existing_file_keeps_its_mode_and_a_new_file_gets_the_recorded_mode(replay_steps) -> None:
    chmod = WorldEvent("chmod", "a", mode=0o600)
    bare = RegularFile(b"new")
    step = make_step(
        WRITE, changes={"a": bare, "x/y": bare, "z": bare}, created={"x": 0o700, "x/y": 0o640, "z": 0o644}
    )
    assert replay_steps([chmod, WRITE], step).steps[1].changes == {
        "a": RegularFile(b"new", 0o600),
        "x": Directory(0o700),
        "x/y": RegularFile(b"new", 0o640),
        "z": NEW,
    }


def test_a_recorded_refusal_includes_the_text_that_the_product_added_to_it(replay_steps) -> None:
    raw = "<tool_use_error>No.</tool_use_error>\n\n<system-reminder>\nMind.\n</system-reminder>\n"
    for text, error, name in (
        (RecordedResult.of(raw, "no_changes"), raw, None),
        (RecordedResult.of("No, for it.", "no_changes", "No, "), "No, \n[…]", "no_changes"),
        (
            RecordedResult.of("No, for it. Stop.", "no_changes", "No, ", " Stop."),
            "No, \n[…] Stop.",
            "no_changes",
        ),
    ):
        outcome = replay_steps([READ], TranscriptStep(("Read",), (text,)))
        assert outcome.steps[0].results == (ToolResult(error, True, name),)


def test_recorded_parallel_calls_and_events_during_a_call_are_replayed(replay_steps) -> None:
    group = ParallelCalls((READ, WRITE))
    outcome = replay_steps(
        [group, RACE], make_step(READ, WRITE, changes={"a": NEW}), make_step(RACE, struck=True)
    )
    assert outcome.error is None
    assert len(outcome.steps[0].results) == 2
    assert outcome.steps[1].interfered
    assert outcome.steps[1].changes == {"a": RegularFile(b"raced", 0o644)}


def test_the_event_during_a_call_does_not_happen_if_the_recorded_call_was_refused_before(
    replay_steps,
) -> None:
    assert not replay_steps([RACE], make_step(RACE)).steps[0].interfered


@rows(
    ("steps", "recorded", "step", "message"),
    [
        ([READ], [WRITE], 0, "the scenario again: call 1 was Write, now it is Read"),
        ([READ, WRITE], [READ], 1, "it ends before the call Write"),
        ([READ], [READ, WRITE], None, "1 recorded call was not made: Write"),
    ],
)
def test_a_recording_with_other_calls_is_reported_as_stale(
    replay_steps, steps: list[Step], recorded: list[ToolCall], step: int | None, message: str
) -> None:
    broken = replay_steps(steps, *map(make_step, recorded)).error
    assert broken.blame == "harness"
    assert step is None or broken.step == step
    assert broken.message.startswith("the recording is stale, record")
    assert broken.message.endswith(message)


def test_a_recorded_file_may_replace_a_symbolic_link_that_refers_to_itself(replay_steps) -> None:
    looping = WorldEvent("symlink", "loop", Symlink("loop"))
    outcome = replay_steps([looping, WRITE], make_step(WRITE, changes={"loop": NEW}))
    assert outcome.error is None
    assert outcome.steps[1].changes == {"loop": NEW}


def test_a_missing_recording_is_reported(replay_steps) -> None:
    broken = replay_steps([READ], make_step(READ), contract="9.9.9").error
    assert (broken.blame, broken.message) == ("harness", "family/slug was not recorded for 9.9.9: record it")


def test_a_damaged_recording_is_reported(tmp_path: Path) -> None:
    (tmp_path / "slug.json").write_text('{"slug": {}}')
    scenario = Scenario("slug", "t", "must", Given(), (READ,))
    broken = RecordedAdapter(Recordings(tmp_path), "2.1.7").outcome(scenario).error
    assert broken is not None
    assert broken.blame == "harness"
    assert "record the scenario again" in broken.message


def test_a_recording_cannot_be_opened_without_its_scenario(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="a recording cannot open a session"):
        RecordedAdapter(Recordings(tmp_path), "2.1.7").open(workspace)


def test_an_invariant_is_unsupported_if_the_target_is_a_recording() -> None:
    suite = Suite()
    with Runner(RunSpec(suite, "recording:2.1.7", suite.contracts.default)) as runner:
        verdict = runner.judge("platforms/names-in-two-cases")
    assert (verdict.status, verdict.reason) == (
        "unsupported",
        "the adapter lacks a recording, like every invariant",
    )

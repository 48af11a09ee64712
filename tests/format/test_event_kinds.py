import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.replay.session_router import SessionRouter
from readfirst.harness.report.export import expand_scenario
from readfirst.harness.report.step_text import describe_step
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.event_kinds import (
    SESSION_EVENTS,
    WORLD_EVENTS,
    SessionEvent,
    SessionEventName,
    WorldEvent,
    WorldEventName,
    apply_event,
)
from readfirst.harness.suite.file_entry import Directory, Entry, RegularFile, TextContent
from readfirst.harness.suite.scenario import Given, Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Transcript
from readfirst.harness.workspace.world_events import perform
from tests.rows import rows

SCHEMAS = Path(__file__).parents[2] / "fixtures" / "schema"
UNKNOWN: Any = "melt"


def file(text: str, mode: int | None = None) -> RegularFile:
    return RegularFile(TextContent(text), mode)


def scenario_of(event: WorldEvent | SessionEvent) -> Scenario:
    return Scenario("a/b", "A title", "must", Given({"a.txt": file("alpha")}), (event,), invariant=True)


def test_the_code_and_the_schema_contain_the_same_kinds_of_events() -> None:
    stated = json.loads((SCHEMAS / "scenario.schema.json").read_text())["$defs"]
    assert set(get_args(WorldEventName)) == set(WORLD_EVENTS) == set(stated["event"]["properties"])
    assert set(get_args(SessionEventName)) == set(SESSION_EVENTS)
    written = {name for name, kind in SESSION_EVENTS.items() if kind.written}
    assert set(stated["sessionEvent"]["properties"]) == written


OTHER_PROGRAM, CONVERSATION = WorldEvent(UNKNOWN, "a.txt"), SessionEvent(UNKNOWN)


@pytest.mark.parametrize(
    "read",
    [
        lambda: describe_step(OTHER_PROGRAM),
        lambda: apply_event(OTHER_PROGRAM, {}),
        lambda: recorded_outcome(scenario_of(OTHER_PROGRAM), Transcript(())),
        lambda: expand_scenario(scenario_of(OTHER_PROGRAM), Contract("2.1.7"), Suite().vocabulary),
        lambda: perform(OTHER_PROGRAM, "/nowhere"),
        lambda: describe_step(CONVERSATION),
        lambda: CONVERSATION.needs,
        lambda: SessionRouter(lambda: None).perform_event(CONVERSATION),
    ],
)
def test_an_unknown_event_is_an_error(read: Callable[[], object]) -> None:
    with pytest.raises((KeyError, AssertionError, ValueError)):
        read()


@rows(
    ("event", "after"),
    [
        (WorldEvent("modify", "d/a.txt", file("beta")), {"d": Directory(), "d/a.txt": file("beta", 0o600)}),
        (WorldEvent("delete", "d"), {"d": None, "d/a.txt": None}),
        (WorldEvent("rename", "d", to="e"), {"e": Directory(), "e/a.txt": file("alpha", 0o600)}),
        (WorldEvent("chmod", "d/a.txt", mode=0o400), {"d": Directory(), "d/a.txt": file("alpha", 0o400)}),
        (WorldEvent("touch", "d"), {"d": Directory(), "d/a.txt": file("alpha", 0o600)}),
    ],
)
def test_an_event_is_applied_to_the_known_files(event: WorldEvent, after: dict[str, Entry | None]) -> None:
    files: dict[str, Entry | None] = {"d": Directory(), "d/a.txt": file("alpha", 0o600)}
    assert apply_event(event, files)
    assert files == after
    assert not apply_event(WorldEvent("git", "commit"), files), "what git does is not computed"

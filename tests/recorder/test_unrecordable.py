"""Changes of files by the product that a recording cannot express are refused."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.compare.transcribe import transcribe
from readfirst.harness.record.replay_samples import unrecordable
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.file_entry import Entry, HardLink, RegularFile
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

Act = Callable[[Path], object]
GIVEN: dict[str, Entry] = {"a": RegularFile(b"old"), "twin": HardLink("a"), "other": RegularFile(b"other")}


@dataclass
class Product:
    """Calls `act` on the workspace in each call. Reports success, or a refusal if `is_refused`."""

    act: Act
    is_refused: bool
    root: Path = Path()

    def open(self, workspace: Workspace) -> "Product":
        self.root = workspace.root
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        self.act(self.root)
        return ToolResult("File has not been read yet." if self.is_refused else "done", self.is_refused)


def replaces(root: Path) -> None:
    """Replace `a` with a new file with the same bytes and time. Its hard link `twin` keeps the old file."""
    (root / "new").write_bytes(b"old")
    os.utime(root / "new", ns=((root / "a").stat().st_mtime_ns,) * 2)
    (root / "new").replace(root / "a")


def touches(root: Path) -> None:
    (root / "a").touch()


@rows(
    ("tool", "act", "refuses", "said"),
    [
        ("Write", replaces, False, ""),
        ("Write", touches, False, ""),
        ("Write", lambda root: (root / "other").touch(), False, "time of other"),
        ("Write", touches, True, "time of a"),
        ("Read", touches, False, "time of a"),
        ("Read", lambda root: list(root.iterdir()), False, ""),
    ],
)
def test_a_change_that_is_unrecordable_is_reported(
    place: WorkspacePool, tool: str, act: Act, refuses: bool, said: str
) -> None:
    scenario = Scenario("a/b", "t", "must", Given(GIVEN), (ToolCall(tool, {"file_path": "$WS/a"}),))
    outcome = replay(scenario, Product(act, refuses), place)
    message = f"step 1: the {said} changed, which a recording cannot say"
    assert unrecordable(scenario, outcome) == (message if said else "")


def test_a_file_that_lost_its_hard_link_is_recorded_as_changed(place: WorkspacePool) -> None:
    scenario = Scenario("a/b", "t", "must", Given(GIVEN), (ToolCall("Write", {"file_path": "$WS/a"}),))
    written = {act: replay(scenario, Product(act, is_refused=False), place) for act in (replaces, touches)}
    vocabulary = Suite().vocabulary
    assert transcribe(scenario, written[replaces], vocabulary).steps[0].changes == {"a": RegularFile(b"old")}
    assert transcribe(scenario, written[touches], vocabulary).steps[0].changes == {}

"""An invented product, whose answers each test specifies, and functions that record it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.record.record import Mode, Recorded, record
from readfirst.harness.record.replay_samples import StoredReplays
from readfirst.harness.suite.suite import Suite

GATE = """\
title: Edit refuses an unread file
requirement: must
given:
  files:
    notes.txt: "alpha\\n"
steps:
  # a comment
  - Read: {file_path: $WS/notes.txt}
  - Edit: {file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}
"""

NOT_READ = "File has not been read yet. Read it first before writing to it."


class Product:
    """A Read shows numbered lines; the function `edit` executes every Edit."""

    capabilities = frozenset({"Read", "Edit", "Write", "during"})

    def __init__(self, edit: Callable[[Path], ToolResult]) -> None:
        self.edit = edit

    def open(self, workspace: Workspace) -> "Product":
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        path = Path(arguments["file_path"])
        if tool == "Read":
            lines = path.read_text().splitlines()
            reminder = "\n\n<system-reminder>\nBe careful.\n</system-reminder>\n"
            return ToolResult("\n".join(f"{n:6}→{line}" for n, line in enumerate(lines, 1)) + reminder)
        return self.edit(path)

    def call_during(self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]) -> Any:
        interfere()
        return self.call(tool, arguments)


def replace_text(path: Path) -> ToolResult:
    path.write_text("gamma\n")
    return ToolResult(f"The file {path} has been updated.")


def refuse_edit(path: Path) -> ToolResult:
    return ToolResult(f"<tool_use_error>{NOT_READ}</tool_use_error>", True)


def write(root: Path, text: str) -> None:
    (root / "scenarios" / "gate" / "x.yaml").write_text(text)


def source(suite: Suite) -> str:
    return suite.path("gate/x").read_text()


def expectations(suite: Suite) -> list[Any]:
    return [step.get("expect") for step in yaml.safe_load(source(suite))["steps"]]


def record_scenario(suite: Suite, mode: Mode, edit: Callable[[Path], ToolResult]) -> Recorded:
    """Record `gate/x` on 2.1.7. `edit` executes each Edit."""
    return record_on(suite, mode, {"2.1.7": edit})


def record_on(suite: Suite, mode: Mode, edits: Mapping[str, Callable[[Path], ToolResult]]) -> Recorded:
    """Record `gate/x` on several contracts. `edits`: the function that executes each Edit, by contract."""
    wanted = {name: ["gate/x"] for name in edits}
    takes = StoredReplays(suite.root.parent / "takes")
    (result,) = record(suite, wanted, mode, lambda each: lambda: Product(edits[each.name]), takes)
    return result

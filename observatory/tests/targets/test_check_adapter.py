"""`readfirst check-adapter` finds errors of an adapter, without judging the rules of the contract."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.run.check_adapter import plan_checks, run_checks
from readfirst.harness.run.connect import connect
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool


class Plain:
    """An adapter that reads and writes files without any of the checks that the contract requires."""

    reuses_paths = True

    def open(self, workspace: Workspace) -> Any:
        self.root = workspace.root
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        path = Path(arguments["file_path"])
        if tool == "Write":
            path.write_text(arguments["content"])
            return ToolResult("done")
        return ToolResult(path.read_text()) if path.exists() else ToolResult("missing", True)


class RefusesAsSuccess(Plain):
    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        return ToolResult(super().call(tool, arguments).text)


class AnswersStrings(Plain):
    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        return super().call(tool, arguments).text


class WritesElsewhere(Plain):
    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        if tool == "Write":
            (self.root / "log").write_text("x")
        return super().call(tool, arguments)


class WritesNothing(Plain):
    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        return ToolResult("done") if tool == "Write" else super().call(tool, arguments)


class RemembersAcrossSessions(Plain):
    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        answer = super().call(tool, arguments)
        return self.kept.setdefault(arguments["file_path"], answer) if not answer.is_error else answer


class ManglesUnicode(Plain):
    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        answer = super().call(tool, arguments)
        return ToolResult(answer.text.encode("ascii", "replace").decode(), answer.is_error)


def declaring(*capabilities: str) -> type[Plain]:
    """Return an adapter that declares these capabilities in addition to Read and Write, but does not support them."""
    return type("Declaring", (Plain,), {"capabilities": frozenset({"Read", "Write", *capabilities})})


class CannotRewind(Plain):
    capabilities = frozenset({"Read", "Write", "rewind"})

    def rewind(self) -> None:
        """Do nothing. A correct adapter would undo the changes of files, so the declared capability does not work."""


class IsMuteAfterCompaction(Plain):
    capabilities = frozenset({"Read", "Write", "compact"})

    def compact(self) -> None:
        self.call = lambda *_: ToolResult("")  # type: ignore[method-assign]


class HasNoRealAgents(Plain):
    capabilities = frozenset({"Read", "Write", "agents"})

    def sub_agent(self) -> Any:
        return "agent"


class HasNoSecondSession(Plain):
    capabilities = frozenset({"Read", "Write", "at_once"})

    def open(self, workspace: Workspace) -> Any:
        if "at_once" in workspace.needs and getattr(self, "busy", False):
            return WritesNothing().open(workspace)
        self.busy = "at_once" in workspace.needs
        return super().open(workspace)


class Raises(Plain):
    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        raise ValueError("no program")


class DoesNotOpen(Plain):
    def open(self, workspace: Workspace) -> Any:
        raise OSError("no server")


def problems(adapter: Any, claims: frozenset[str] | None = None) -> dict[str, str]:
    with WorkspacePool() as place:
        checks = run_checks(plan_checks(adapter, place, claims=claims))
        return {check.name: check.problem for check in checks if check.problem}


def test_an_adapter_that_works_has_no_problem_whatever_it_implements() -> None:
    assert problems(Plain()) == {}


def test_an_adapter_that_works_through_an_editor_may_say_so() -> None:
    plain = Plain()
    plain.capabilities = frozenset({"Read", "Write", "buffers"})  # type: ignore[attr-defined]
    assert problems(plain, frozenset({"Read", "Write"})) == {}


def test_two_sessions_may_act_at_the_same_moment() -> None:
    plain = Plain()
    plain.capabilities = HasNoSecondSession.capabilities  # type: ignore[attr-defined]
    assert problems(plain, frozenset({"Read", "Write"})) == {}


def test_the_reference_has_no_problem() -> None:
    assert problems(connect("reference", Suite(Path(__file__).parents[3] / "fixtures"))) == {}


@pytest.mark.parametrize(
    ("adapter", "name", "message"),
    [
        (RefusesAsSuccess, "a missing file is refused, and the answer marked as an error", "Set is_error."),
        (AnswersStrings, "an existing file is read", "return a ToolResult"),
        (WritesElsewhere, "a new file is written, in the workspace and nowhere else", "also left log"),
        (
            WritesNothing,
            "a new file is written, in the workspace and nowhere else",
            "does not exist afterwards",
        ),
        (RemembersAcrossSessions, "a later session sees its own workspace", "Create a new state in open()"),
        (ManglesUnicode, "text that is not ASCII arrives unchanged", "Use UTF-8"),
        (declaring("parallel"), "it has what it declares", "no call_parallel"),
        (declaring("resume"), "a resumed conversation answers", "its session has no resume()"),
        (
            CannotRewind,
            "a rewind removes a file that was written before it",
            "new.txt, which Write created, is still",
        ),
        (IsMuteAfterCompaction, "a conversation answers after a summary took its place", "did not show"),
        (HasNoRealAgents, "a sub-agent answers, and the conversation after it", "which is not a session"),
        (
            declaring("reminders"),
            "a file that changed after it was written is reported",
            "ToolResult.reminders",
        ),
        (
            HasNoSecondSession,
            "two sessions write at the same moment, each a file of its own",
            "do not declare",
        ),
        (declaring("hooks"), "a hook that denies a call keeps it from being made", "Workspace.hooks"),
        (declaring("mentions"), "a conversation answers after its user mentioned a file", "has no mention()"),
        (declaring("Wrote"), "its capabilities are known", "`capabilities` contains the unknown Wrote"),
        (Raises, "an existing file is read", "the adapter raised ValueError: no program"),
        (DoesNotOpen, "a session opens and closes", "the adapter raised OSError: no server"),
    ],
)
def test_what_is_wrong_is_found_and_reported(adapter: type[Plain], name: str, message: str) -> None:
    assert message in problems(adapter())[name]


def test_nothing_is_tried_without_a_session() -> None:
    assert list(problems(DoesNotOpen())) == ["a session opens and closes"]


ONE_FOR_ALL = """
import sys

from readfirst import FileTools, ToolResult


class Tools:
    tools = None

    def open(self, workspace):
        if self.tools is None or IS_HONEST:
            self.tools = FileTools(root=workspace.root, home=workspace.home)
        return self

    def call(self, tool, arguments):
        result = self.tools.call(tool, arguments)
        return ToolResult(result.text, result.is_error)


if __name__ == "__main__":
    from readfirst.harness.adapters.json_lines_server import private_streams, serve_lines

    serve_lines(Tools, "one-for-all", "1", *private_streams())
"""
LATER = "a later session knows of no file that an earlier session read or wrote"


@pytest.mark.parametrize("connection", ["python:one_for_all:Tools", f"lines:{sys.executable} one_for_all.py"])
@pytest.mark.parametrize("is_honest", [False, True])
def test_one_instance_for_all_sessions_is_found(
    connection: str, is_honest: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one_for_all.py").write_text(ONE_FOR_ALL.replace("IS_HONEST", str(is_honest)))
    adapter = connect(connection, Suite(Path(__file__).parents[3] / "fixtures"))
    found = problems(adapter)
    traits_of(adapter).close()
    assert [*found] == ([] if is_honest else [LATER])
    if not is_honest:
        assert found[LATER].startswith(
            "Edit of read.txt is answered because an earlier session read this path; without the earlier session it "
            "was refused. Store the files that a session has read in the object that open() returns"
        )


def test_an_mcp_server_that_remembers_gets_a_process_per_session() -> None:
    server = Path(__file__).parents[3] / "tests" / "replay" / "leaky_servers.py"
    adapter = connect(
        f"mcp:{sys.executable} {server} remembers", Suite(Path(__file__).parents[3] / "fixtures")
    )
    found = problems(adapter)
    traits_of(adapter).close()
    assert LATER not in found

"""Cases that look like a serious harm and are a lesser harm or none. Each was found in a published implementation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import careful
import pytest
from played import Played

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.file_entry import Entry, RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows


class ReadsInTextMode(careful.Careful):
    """Reads a file with all line ends as LF, and writes these back. This spoils line ends, but loses no line."""

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        text = path.read_text()
        old, new = arguments["old_string"], arguments["new_string"]
        if text.count(old) != 1:
            raise careful.RefusedError("not one place")
        path.write_text(text.replace(old, new), newline="")
        return "done"

    def write(self, path: Path, arguments: Mapping[str, Any]) -> str:
        path.write_text(arguments["content"], newline="")
        return "done"


class InsertsAtTheTop(careful.Careful):
    """An Edit inserts its new text at the beginning of the file."""

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        path.write_bytes(arguments["new_string"].encode() + path.read_bytes())
        return "done"


class ReplacesTheWholeFile(careful.Careful):
    """An Edit replaces the whole file by its new text."""

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        path.write_bytes(arguments["new_string"].encode())
        return "done"


def harms(
    tool: type[careful.Careful], entry: Entry, place: WorkspacePool, name: str, **arguments: str
) -> list[str]:
    calls = (ToolCall(name, {"file_path": "$WS/notes.txt", **arguments}),)
    scenario = Scenario("harm/one", "One call", "observed", Given({"notes.txt": entry}), calls)
    outcome = replay(scenario, tool, place)
    assert not outcome.steps[0].results[0].is_error
    return [each.kind for each in harms_of(scenario, outcome) if each.kind != "blind"]


class CutsSpaces(careful.Careful):
    """An Edit without an old text inserts at the top. Any other Edit strips spaces at the end of the file."""

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        old, new = arguments["old_string"].encode(), arguments["new_string"].encode()
        data = path.read_bytes().replace(old, new, 1)
        path.write_bytes(data if not old else data.rstrip(b" "))
        return "done"


def test_text_of_the_session_is_not_work_of_others(place: WorkspacePool) -> None:
    edits = ({"old_string": "", "new_string": " "}, {"old_string": "\n", "new_string": ""})
    steps = tuple(ToolCall("Edit", {"file_path": "$WS/notes.txt", **each}) for each in edits)
    given = Given({"notes.txt": RegularFile(TextContent("\n"))})
    scenario = Scenario("harm/own", "Own changes", "observed", given, steps)
    found = harms_of(scenario, replay(scenario, CutsSpaces, place))
    assert [each.kind for each in found] == ["spoiled"]


class ReplacesLinks(careful.EditsUnread):
    """Replaces a file by a new one, also if its path is a symbolic link."""

    def write_file(self, path: Path, data: bytes) -> None:
        path.unlink()
        path.write_bytes(data)


def test_replacing_a_link_by_a_file_is_spoiled_and_not_misplaced(place: WorkspacePool) -> None:
    files = {"notes.txt": RegularFile(TextContent("alpha\nbeta\n")), "link.txt": Symlink("$WS/notes.txt")}
    edit = {"file_path": "$WS/link.txt", "old_string": "beta", "new_string": "gamma"}
    scenario = Scenario("harm/link", "A link", "observed", Given(files), (ToolCall("Edit", edit),))
    found = harms_of(scenario, replay(scenario, ReplacesLinks, place))
    assert [each.kind for each in found if each.kind != "blind"] == ["spoiled"]


class KeepsALog(careful.Careful):
    """Refuses every call, and writes a log into the workspace."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        Path(self.workspace.root, "log").write_text(tool)
        return ToolResult("no", is_error=True)


@pytest.mark.parametrize(("path", "kinds"), [(["$WS/a.txt", "$WS/b.txt"], ["stray"]), ("/x/$WS/a.txt", [])])
def test_an_unclear_path_may_lead_to_any_file(path: object, kinds: list[str], place: WorkspacePool) -> None:
    scenario = Scenario("harm/log", "A log", "observed", Given({}), (ToolCall("Write", {"file_path": path}),))
    found = harms_of(scenario, replay(scenario, KeepsALog, place))
    assert [each.kind for each in found] == kinds


MARKED = RegularFile(TextContent("alpha\n", bom=True, eol="crlf"))


def test_an_edit_may_remove_a_byte_order_mark(place: WorkspacePool) -> None:
    asked = {"old_string": "\ufeff", "new_string": ""}
    assert harms(ReadsInTextMode, MARKED, place, "Edit", **asked) == ["spoiled"]
    assert harms(careful.EditsUnread, MARKED, place, "Edit", **asked) == []


def test_a_line_with_a_different_end_is_not_lost(place: WorkspacePool) -> None:
    windows = RegularFile(TextContent("alpha\nbeta\n", eol="crlf"))
    changed = {"old_string": "beta", "new_string": "gamma"}
    assert harms(ReadsInTextMode, windows, place, "Edit", **changed) == ["spoiled"]
    joined = {"old_string": "\n", "new_string": "a\n"}
    assert "lost" not in harms(
        ReadsInTextMode, RegularFile(TextContent("a\n", eol="crlf")), place, "Edit", **joined
    )
    old_mac = RegularFile(TextContent("alpha\rbeta\r"))
    assert "lost" not in harms(ReadsInTextMode, old_mac, place, "Write", content="alpha\nbeta\n")
    assert harms(ReadsInTextMode, old_mac, place, "Write", content="alpha\n") == ["lost"]


@rows("new", ["", "top\n", "top"])
def test_an_edit_without_old_text_may_insert_at_the_top(new: str, place: WorkspacePool) -> None:
    notes = RegularFile(TextContent("alpha\nbeta\n"))
    asked = {"old_string": "", "new_string": new}
    assert harms(InsertsAtTheTop, notes, place, "Edit", **asked) == []
    assert harms(ReplacesTheWholeFile, notes, place, "Edit", **asked) == ["lost"]


BRANCH, CONTENT = b"alpha\nbranch\n", b"alpha\nbeta\n"


@rows(
    ("steps", "kinds"),
    [
        ("read branch content write", []),
        ("branch content write", ["lost"]),  # it was never shown
        ("read branch write", ["lost"]),
        ("read branch content branch write", ["lost"]),
        ("read edit content write", ["lost"]),  # the user undid the edit, and the session does not know this
        ("read branch read content write", ["lost"]),  # the session expects the branch
        ("read branch compact content write", ["lost"]),
    ],
)
def test_restored_content_that_was_read_is_not_lost(steps: str, kinds: list[str]) -> None:
    played = Played({"notes.txt": CONTENT})
    path = "$WS/notes.txt"
    for step in steps.split():
        match step:
            case "read":
                played.read(path)
            case "edit":
                edit = {"file_path": path, "old_string": "beta", "new_string": "own"}
                played.call("Edit", edit, changes={"notes.txt": b"alpha\nown\n"})
            case "write":
                content = {"file_path": path, "content": "gamma\n"}
                played.call("Write", content, changes={"notes.txt": b"gamma\n"})
            case "compact":
                played.event("compact")
            case _:
                played.others_change({"notes.txt": BRANCH if step == "branch" else CONTENT})
    assert [kind for kind, _ in played.kinds() if kind != "blind"] == kinds

"""Cases that look like a serious harm but are less. Each was found in a published implementation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import careful
import pytest
from played import SessionBuilder

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.file_entry import Entry, RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows


class ReadsInTextMode(careful.Careful):
    """Reads every line end as LF, and writes LF back. This spoils line ends, but loses no line."""

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
    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        path.write_bytes(arguments["new_string"].encode() + path.read_bytes())
        return "done"


class ReplacesTheWholeFile(careful.Careful):
    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        path.write_bytes(arguments["new_string"].encode())
        return "done"


def harms(
    tool: type[careful.Careful], entry: Entry, place: WorkspacePool, name: str, **arguments: str
) -> list[str]:
    """Return the kinds of harm, except `blind`, in a session with one call on a file."""
    calls = (ToolCall(name, {"file_path": "$WS/notes.txt", **arguments}),)
    scenario = Scenario("harm/one", "One call", "observed", Given({"notes.txt": entry}), calls)
    outcome = replay(scenario, tool, place)
    assert not outcome.steps[0].results[0].is_error
    return [each.kind for each in harms_of(scenario, outcome) if each.kind != "blind"]


class CutsSpaces(careful.Careful):
    """An Edit with an empty old text inserts at the top. Every other Edit strips the spaces at the end of the file."""

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        old, new = arguments["old_string"].encode(), arguments["new_string"].encode()
        data = path.read_bytes().replace(old, new, 1)
        path.write_bytes(data if not old else data.rstrip(b" "))
        return "done"


def test_text_that_the_session_itself_wrote_cannot_be_lost(place: WorkspacePool) -> None:
    edits = ({"old_string": "", "new_string": " "}, {"old_string": "\n", "new_string": ""})
    steps = tuple(ToolCall("Edit", {"file_path": "$WS/notes.txt", **each}) for each in edits)
    given = Given({"notes.txt": RegularFile(TextContent("\n"))})
    scenario = Scenario("harm/own", "Own changes", "observed", given, steps)
    found = harms_of(scenario, replay(scenario, CutsSpaces, place))
    assert [each.kind for each in found] == ["spoiled"]


class ReplacesLinks(careful.EditsUnread):
    def write_file(self, path: Path, data: bytes) -> None:
        path.unlink()
        path.write_bytes(data)


def test_replacing_a_symbolic_link_with_a_file_is_spoiled_and_not_misplaced(place: WorkspacePool) -> None:
    files = {"notes.txt": RegularFile(TextContent("alpha\nbeta\n")), "link.txt": Symlink("$WS/notes.txt")}
    edit = {"file_path": "$WS/link.txt", "old_string": "beta", "new_string": "gamma"}
    scenario = Scenario("harm/link", "A link", "observed", Given(files), (ToolCall("Edit", edit),))
    found = harms_of(scenario, replay(scenario, ReplacesLinks, place))
    assert [each.kind for each in found if each.kind != "blind"] == ["spoiled"]


class KeepsALog(careful.Careful):
    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        Path(self.workspace.root, "log").write_text(tool)
        return ToolResult("no", is_error=True)


@pytest.mark.parametrize(("path", "kinds"), [(["$WS/a.txt", "$WS/b.txt"], ["stray"]), ("/x/$WS/a.txt", [])])
def test_if_the_path_argument_is_not_a_path_any_changed_file_may_be_the_requested_one(
    path: object, kinds: list[str], place: WorkspacePool
) -> None:
    scenario = Scenario("harm/log", "A log", "observed", Given({}), (ToolCall("Write", {"file_path": path}),))
    found = harms_of(scenario, replay(scenario, KeepsALog, place))
    assert [each.kind for each in found] == kinds


MARKED = RegularFile(TextContent("alpha\n", bom=True, eol="crlf"))


def test_removing_a_byte_order_mark_is_harmless_if_the_edit_requests_it(place: WorkspacePool) -> None:
    asked = {"old_string": "\ufeff", "new_string": ""}
    assert harms(ReadsInTextMode, MARKED, place, "Edit", **asked) == ["spoiled"]
    assert harms(careful.EditsUnread, MARKED, place, "Edit", **asked) == []


def test_a_line_of_which_only_the_line_end_changed_is_not_lost(place: WorkspacePool) -> None:
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
def test_inserting_the_new_text_at_the_top_is_harmless_if_the_old_text_is_empty(
    new: str, place: WorkspacePool
) -> None:
    notes = RegularFile(TextContent("alpha\nbeta\n"))
    asked = {"old_string": "", "new_string": new}
    assert harms(InsertsAtTheTop, notes, place, "Edit", **asked) == []
    assert harms(ReplacesTheWholeFile, notes, place, "Edit", **asked) == ["lost"]


BRANCH, CONTENT = b"alpha\nbranch\n", b"alpha\nbeta\n"


@rows(
    ("steps", "kinds"),
    [
        ("read branch content write", []),
        ("branch content write", ["lost"]),  # the session was never shown this content
        ("read branch write", ["lost"]),
        ("read branch content branch write", ["lost"]),
        ("read edit content write", ["lost"]),  # the user undid the edit, and the session does not know this
        ("read branch read content write", ["lost"]),  # the session expects the branch
        ("read branch compact content write", ["lost"]),
    ],
)
def test_content_that_another_program_restored_is_not_lost_if_the_session_had_read_it(
    steps: str, kinds: list[str]
) -> None:
    played = SessionBuilder({"notes.txt": CONTENT})
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

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
    tool: type[careful.Careful], files: Mapping[str, Entry], place: WorkspacePool, *calls: ToolCall
) -> list[str]:
    """Return the kinds of harm, except `blind`, in a session."""
    scenario = Scenario("harm/one", "A session", "observed", Given(files), calls)
    outcome = replay(scenario, tool, place)
    assert outcome.steps[0].results[0].is_error == (tool is KeepsALog)
    return [each.kind for each in harms_of(scenario, outcome) if each.kind != "blind"]


def edit(old: str, new: str, file: str = "notes.txt") -> ToolCall:
    return ToolCall("Edit", {"file_path": f"$WS/{file}", "old_string": old, "new_string": new})


def write(content: str) -> ToolCall:
    return ToolCall("Write", {"file_path": "$WS/notes.txt", "content": content})


def notes(text: str, **form: Any) -> dict[str, Entry]:
    return {"notes.txt": RegularFile(TextContent(text, **form))}


class CutsSpaces(careful.Careful):
    """An Edit with an empty old text inserts at the top. Every other Edit strips the spaces at the end of the file."""

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        old, new = arguments["old_string"].encode(), arguments["new_string"].encode()
        data = path.read_bytes().replace(old, new, 1)
        path.write_bytes(data if not old else data.rstrip(b" "))
        return "done"


def test_text_that_the_session_itself_wrote_cannot_be_lost(place: WorkspacePool) -> None:
    assert harms(CutsSpaces, notes("\n"), place, edit("", " "), edit("\n", "")) == ["spoiled"]


class ReplacesLinks(careful.EditsUnread):
    def write_file(self, path: Path, data: bytes) -> None:
        path.unlink()
        path.write_bytes(data)


def test_replacing_a_symbolic_link_with_a_file_is_spoiled_and_not_misplaced(place: WorkspacePool) -> None:
    files = {**notes("alpha\nbeta\n"), "link.txt": Symlink("$WS/notes.txt")}
    assert harms(ReplacesLinks, files, place, edit("beta", "gamma", "link.txt")) == ["spoiled"]


class KeepsALog(careful.Careful):
    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        Path(self.workspace.root, "log").write_text(tool)
        return ToolResult("no", is_error=True)


@pytest.mark.parametrize(("path", "kinds"), [(["$WS/a.txt", "$WS/b.txt"], ["stray"]), ("/x/$WS/a.txt", [])])
def test_if_the_path_argument_is_not_a_path_any_changed_file_may_be_the_requested_one(
    path: object, kinds: list[str], place: WorkspacePool
) -> None:
    assert harms(KeepsALog, {}, place, ToolCall("Write", {"file_path": path})) == kinds


def test_removing_a_byte_order_mark_is_harmless_if_the_edit_requests_it(place: WorkspacePool) -> None:
    marked = notes("alpha\n", bom=True, eol="crlf")
    assert harms(ReadsInTextMode, marked, place, edit("\ufeff", "")) == ["spoiled"]
    assert harms(careful.EditsUnread, marked, place, edit("\ufeff", "")) == []


@rows(
    ("files", "call", "kinds"),
    [
        (notes("alpha\nbeta\n", eol="crlf"), edit("beta", "gamma"), ["spoiled"]),
        (notes("a\n", eol="crlf"), edit("\n", "a\n"), ["altered"]),
        (notes("alpha\rbeta\r"), write("alpha\nbeta\n"), []),
        (notes("alpha\rbeta\r"), write("alpha\n"), ["lost"]),
    ],
)
def test_a_line_of_which_only_the_line_end_changed_is_not_lost(
    files: dict[str, Entry], call: ToolCall, kinds: list[str], place: WorkspacePool
) -> None:
    assert harms(ReadsInTextMode, files, place, call) == kinds


@rows("new", ["", "top\n", "top"])
def test_inserting_the_new_text_at_the_top_is_harmless_if_the_old_text_is_empty(
    new: str, place: WorkspacePool
) -> None:
    assert harms(InsertsAtTheTop, notes("alpha\nbeta\n"), place, edit("", new)) == []
    assert harms(ReplacesTheWholeFile, notes("alpha\nbeta\n"), place, edit("", new)) == ["lost"]


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
                played.call("Edit", edit("beta", "own").arguments, changes={"notes.txt": b"alpha\nown\n"})
            case "write":
                played.call("Write", write("gamma\n").arguments, changes={"notes.txt": b"gamma\n"})
            case "compact":
                played.event("compact")
            case _:
                played.others_change({"notes.txt": BRANCH if step == "branch" else CONTENT})
    assert [kind for kind, _ in played.kinds() if kind != "blind"] == kinds

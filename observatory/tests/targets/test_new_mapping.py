"""`readfirst targets new-mapping` requests a server's tools, and writes a mapping that connects the server."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.cli import error_handling
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.targets.mapping import load_target
from readfirst.observatory.targets.new_mapping import REFUSAL_SCENARIOS, observe_messages
from tests import mcp_lines
from tests.command_line import Cli, exit_code
from tests.security.test_terminals import HOSTILE, complaints

STAND_IN = Path(__file__).with_name("stand_in.py")
STRING = {"type": "string"}


def tool(name: str, *arguments: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict.fromkeys(arguments, STRING), "required": list(arguments)}
    return {"name": name, "inputSchema": schema}


TOOLS = [
    tool("list_files", "path"),
    tool("read_file", "path"),
    tool("edit_file", "path", "old", "new"),
    tool("write_file", "path", "content"),
    {"name": "two\nlines", "inputSchema": {}},
]
Run = Cli


COMMAND = f"mcp:{sys.executable} -S server.py tools.json"


def make_server_folder(folder: Path) -> Path:
    """Create a directory that contains a server and the list of its tools (tools.json), and return its path."""
    folder.mkdir()
    for name, file in (("server.py", STAND_IN), ("mcp_lines.py", Path(mcp_lines.__file__))):
        (folder / name).write_bytes(file.read_bytes())
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    (folder / "python").symlink_to(sys.executable)
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of the current directory, which contains the server that COMMAND starts."""
    folder = make_server_folder(tmp_path / "my server")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def mapping_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The mapping that `new-mapping` writes, once for all tests: the command replays a dozen scenarios."""
    folder = make_server_folder(tmp_path_factory.mktemp("once") / "my server")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(error_handling.signal, "signal", lambda *_: None)
        patch.chdir(folder)
        assert exit_code("targets", "new-mapping", COMMAND) == 0
    return (folder / "My-files.yaml").read_text()


@pytest.fixture
def mapping(here: Path, mapping_text: str) -> Path:
    """The path of a mapping file for the server, in the current directory."""
    file = here / "My-files.yaml"
    file.write_text(mapping_text)
    return file


@pytest.mark.slow
def test_what_is_written_connects_the_server(here: Path, readfirst: Run) -> None:
    written = readfirst("targets", "new-mapping", COMMAND)
    assert (written.code, written.err) == (0, "")
    assert written.out == (
        "wrote My-files.yaml\n  Read   read_file\n  Edit   edit_file\n  Write  write_file\n"
        "Check the file, then: readfirst check-adapter target:My-files.yaml && "
        "readfirst run target:My-files.yaml --level safe\n"
    )
    assert readfirst("check-adapter", "target:My-files.yaml").code == 0
    ids = ["gate/edit-unread", "gate/edit-after-read", "gate/write-unread"]
    ran = readfirst("run", "target:My-files.yaml", *ids)
    assert "3 scenarios: 3 passed; conformant" in ran.out, ran.out + ran.err


@pytest.mark.usefixtures("in_process")
def test_a_server_that_wants_a_hash_of_its_answers_is_connected(here: Path, readfirst: Run) -> None:
    command = f"mcp:{sys.executable} -S server.py"
    assert readfirst("targets", "new-mapping", command, "--output", "mine.yaml").code == 0
    target = load_target(here / "mine.yaml")
    assert (target.release.design, target.refuses) == (
        "hash-checked",
        {
            *("not-utf-8", "empty-old-text", "line-feed-for-crlf", "inexact-old-text", "read-only-file"),
            *("half-surrogate", "changed-content"),
        },
    )
    ids = ("gate/edit-after-read", "gate/edit-unread", "staleness/edit-after-change", "state/edit-chain")
    ran = readfirst("run", "target:mine.yaml", *ids)
    assert "4 scenarios: 4 passed; conformant" in ran.out, ran.out + ran.err
    text = (here / "mine.yaml").read_text()
    (here / "mine.yaml").write_text(text.replace("hash: $hash", "hash: '0'"))
    assert "2 failed" in readfirst("run", "target:mine.yaml", *ids).out


def test_what_is_written_says_what_is_left_to_do(here: Path, readfirst: Run) -> None:
    tools = [TOOLS[0], tool("read_file", "path", "agent"), tool("delete_file", "path")]
    (here / "tools.json").write_text(json.dumps(tools))
    written = readfirst("targets", "new-mapping", COMMAND, "--output", "mine.yaml")
    assert "  Edit   no matching tool; the file lists all tools of the server\n" in written.out
    text = (here / "mine.yaml").read_text()
    assert "# The server requires agent, too: add a constant for it to `arguments`.\n" in text
    assert "# Nothing was found for Edit and Write. The server's other tools:\n" in text
    assert "  #   list_files(path)\n  #   delete_file(path)\n" in text
    assert load_target(here / "mine.yaml").capabilities == {"Read"}


def test_the_design_that_is_seen_is_written(mapping: Path) -> None:
    assert load_target(mapping).versions["dev"].design == "content-checked"


@pytest.mark.slow
def test_what_fits_no_design_is_reported(here: Path, readfirst: Run) -> None:
    server = (here / "server.py").read_text()
    refusing = server.replace(
        '    if name == "edit_file":\n', '    if name == "edit_file":\n        raise ValueError("no")\n'
    )
    (here / "server.py").write_text(refusing)
    assert readfirst("targets", "new-mapping", COMMAND, "--output", "other.yaml").code == 0
    text = (here / "other.yaml").read_text()
    assert "# The design could not be tested: the Edit of a file that was just read is refused" in text
    assert load_target(here / "other.yaml").versions["dev"].design is None


def test_what_the_server_says_when_it_refuses_is_proposed(mapping: Path, readfirst: Run) -> None:
    names = load_target(mapping).result.errors.names
    assert [form.text for form in names["not_read"].forms] == ["Read {path} first."]
    assert readfirst("run", "target:My-files.yaml", "gate/edit-unread", "--level", "reason").code == 0


class Refuses:
    """A server that refuses all calls but Read, with one message. If not `all_`, only until the first Read."""

    def __init__(self, *, all_: bool) -> None:
        self.all = all_
        self.has_read = False

    def open(self, workspace: Workspace) -> "Refuses":
        return Refuses(all_=self.all)

    def call(self, tool: str, arguments: dict[str, str]) -> ToolResult:
        self.has_read = self.has_read or tool == "Read"
        refuses = tool != "Read" and (self.all or not self.has_read)
        return ToolResult("It did not work." if refuses else "", is_error=refuses)


def test_one_wording_for_two_reasons_is_not_proposed() -> None:
    with WorkspacePool() as place:
        assert observe_messages(Refuses(all_=False), place) == {"not_read": ("It did not work.",)}
        assert observe_messages(Refuses(all_=True), place) == {}


class ViewsFirst:
    """A server that refuses every Edit and Write. Before the first Read, the message demands a Read, even of a missing
    file. Later, it states no reason.
    """

    def open(self, workspace: Workspace) -> "ViewsFirst":
        session = ViewsFirst()
        session.viewed = False
        return session

    viewed: bool

    def call(self, tool: str, arguments: dict[str, str]) -> ToolResult:
        if tool == "Read":
            self.viewed = True
            return ToolResult("")
        said = "It did not work." if self.viewed else f"View {arguments['file_path']} first."
        return ToolResult(said, is_error=True)


def test_what_is_said_of_a_missing_file_that_was_not_read_is_said_of_files_not_read() -> None:
    with WorkspacePool() as place:
        assert observe_messages(ViewsFirst(), place)["not_read"] == ("View {path} first.",)


def test_each_reason_that_is_asked_for_is_one_that_the_scenario_expects() -> None:
    suite = Suite(default_root())
    for scenario_id in REFUSAL_SCENARIOS:
        expected = [call.expect.recorded for call in suite.scenario(scenario_id).calls()]
        assert [clause.error for clause in expected if clause is not None].count(None) < len(expected)


def test_arguments_that_are_left_out_are_named(here: Path, readfirst: Run) -> None:
    reads = tool("read_file", "path", "count", "encoding", "colour")
    reads["inputSchema"]["required"] = ["path"]
    (here / "tools.json").write_text(json.dumps([reads]))
    assert readfirst("targets", "new-mapping", COMMAND, "--output", "mine.yaml").code == 0
    text = (here / "mine.yaml").read_text()
    assert "count: $limit" in text
    assert (
        "    # Omitted, because no argument of the contract seems to match them: encoding, colour.\n" in text
    )


@pytest.mark.slow
def test_files_are_named_as_they_are_beside_the_mapping(here: Path, readfirst: Run) -> None:
    (here / "tests").mkdir()
    assert readfirst("targets", "new-mapping", COMMAND, "--output", "tests/mine.yaml").code == 0
    release = load_target(here / "tests" / "mine.yaml").versions["dev"]
    assert release.command == (sys.executable, "-S", "../server.py", "../tools.json")
    os.chdir("/")
    assert readfirst("check-adapter", f"target:{here}/tests/mine.yaml").code == 0


def test_a_server_under_development_gets_ones_own_variables(
    here: Path, mapping: Path, readfirst: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLOUR", "of the user, not $HOME")
    text = (here / "server.py").read_text()
    said = "text = f\"{os.environ['COLOUR']}, {os.environ['SHAPE']}\"\nprint(text, file=sys.stderr)\nsys.exit(7)\n"
    (here / "server.py").write_text(f"import os\n{text.replace('seen = {}', said)}")
    with mapping.open("a") as file:
        file.write("environment: {SHAPE: round}\n")
    ended = readfirst("run", "target:My-files.yaml", "gate/edit-unread")
    assert ended.code == 3
    assert (
        "the server ended with exit status 7 during the start\nof the user, not $HOME, round\n" in ended.err
    )


def test_a_tool_that_the_server_does_not_offer_is_reported(mapping: Path, readfirst: Run) -> None:
    mapping.write_text(mapping.read_text().replace("call: read_file", "call: red_file"))
    ended = readfirst("run", "target:My-files.yaml", "gate/edit-unread")
    assert ended.code == 3
    assert "the server offers no tool called red_file (it offers: list_files, read_file, " in ended.err
    assert "Correct `call` in My-files.yaml." in ended.err


@pytest.mark.usefixtures("mapping")
def test_a_file_that_is_not_there_is_reported(here: Path, readfirst: Run) -> None:
    (here / "server.py").unlink()
    ended = readfirst("run", "target:My-files.yaml", "gate/edit-unread")
    assert (ended.code, f"There is no file 'server.py' in {here}." in ended.err) == (3, True)
    ended = readfirst("run", "target:none.yaml", "gate/edit-unread")
    assert ended.code == 2
    assert "none.yaml" in ended.err


@pytest.mark.slow
def test_an_isolation_that_was_asked_for_is_kept(here: Path, readfirst: Run) -> None:
    readfirst("targets", "new-mapping", COMMAND.replace("mcp:", "mcp:--isolation=process "))
    assert "mcp: {isolation: process}\n" in (here / "My-files.yaml").read_text()
    assert readfirst("check-adapter", "target:My-files.yaml").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["python:a:b"],
            2,
            "'python:a:b' is not an MCP server. Write mcp:COMMAND: 'mcp:node server.mjs'.",
        ),
        (["mcp:"], 2, "write mcp:COMMAND, for example mcp:node server.js"),
        (["mcp:no-such-program"], 2, "there is no program 'no-such-program' on the PATH."),
        ([COMMAND, "--output", "server.py"], 2, "server.py: the name of a mapping file must end with .yaml."),
        (
            [COMMAND, "--output", "there.yaml"],
            2,
            "there.yaml already exists. Name another file with --output",
        ),
        ([COMMAND, "--output", "none/mine.yaml"], 2, "there is no directory none."),
        ([COMMAND.replace("tools.json", "tool.json")], 3, "There is no file 'tool.json' in "),
        ([f"mcp:{sys.executable} -S server.py empty.json"], 3, "the server My / files offers no tools"),
    ],
)
def test_what_cannot_be_done_is_reported(
    here: Path, readfirst: Run, arguments: list[str], code: int, message: str
) -> None:
    (here / "there.yaml").write_text("mine\n")
    (here / "empty.json").write_text("[]")
    before = sorted(here.iterdir())
    ended = readfirst("targets", "new-mapping", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err
    assert "readfirst itself" not in ended.err
    assert (sorted(here.iterdir()), (here / "there.yaml").read_text()) == (before, "mine\n")


def test_a_file_that_came_meanwhile_is_not_replaced(
    here: Path, readfirst: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from readfirst.observatory.targets import new_mapping

    guess = new_mapping.guess_calls

    def slow(tools: Any) -> Any:
        (here / "My-files.yaml").write_text("of somebody else\n")
        return guess(tools)

    monkeypatch.setattr(new_mapping, "guess_calls", slow)
    ended = readfirst("targets", "new-mapping", COMMAND)
    assert (ended.code, (here / "My-files.yaml").read_text()) == (2, "of somebody else\n")
    assert "My-files.yaml already exists" in ended.err
    assert not list(here.glob(".*"))


def test_what_a_server_says_stays_text(here: Path, readfirst: Run) -> None:
    required = [*TOOLS[1]["inputSchema"]["required"], HOSTILE]
    schema = {"type": "object", "properties": dict.fromkeys(required, STRING), "required": required}
    tools = [{"name": "read_file", "inputSchema": schema}, TOOLS[3], {"name": HOSTILE, "inputSchema": schema}]
    (here / "tools.json").write_text(json.dumps(tools))
    written = readfirst("targets", "new-mapping", COMMAND, "--output", "mine.yaml")
    text = (here / "mine.yaml").read_text("utf-8")
    assert (written.code, complaints(text), "owned" in text) == (0, [], True)
    assert load_target(here / "mine.yaml").tools["Read"].call == "read_file"

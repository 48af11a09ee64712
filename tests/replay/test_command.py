"""Paths in a server's command are relative to the user's directory, wherever the server starts."""

import shlex
import shutil
import sys
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import BASIC_CAPABILITIES, AdapterError
from readfirst.harness.adapters.server_command import Command
from readfirst.harness.run.connect import connect
from tests.command_line import Cli
from tests.judging import SUITE, judge_target
from tests.rows import rows

MINIATURES = Path(__file__).with_name("mcp_miniatures.py")
SERVER = f"import runpy, sys; sys.argv = ['server', 'right']; runpy.run_path({str(MINIATURES)!r})\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a user's folder"
    (folder / "dist").mkdir(parents=True)
    for name in ("server.py", "dist/index.js", "run.sh", "-n", "serve"):
        (folder / name).write_text(SERVER)
    (folder / "run.sh").chmod(0o755)
    (folder / "link.py").symlink_to("server.py")
    monkeypatch.chdir(folder)
    return folder


@rows(
    ("command", "expected"),
    [
        ("sh server.py", "sh {here}/server.py"),
        ("sh ./server.py", "sh {here}/server.py"),
        ("sh dist/../server.py", "sh {here}/server.py"),
        ("sh link.py", "sh {here}/link.py"),
        ("./run.sh --config=server.py -c=server.py", "{here}/run.sh --config={here}/server.py -c={here}/server.py"),
        ("sh serve", "sh {here}/serve"),
        ("sh dist", "sh dist"),
        ("sh .", "sh ."),
        ("sh none.py", "sh none.py"),
        ("sh $WS/server.py @scope/package --config=none.json", "sh $WS/server.py @scope/package --config=none.json"),
        ("run.sh", "run.sh"),
        ("dist/index.js", "{here}/dist/index.js"),
        (f"sh {'x' * 5000}", f"sh {'x' * 5000}"),
    ],
)  # fmt: skip
def test_existing_files_in_a_command_become_absolute_paths(here: Path, command: str, expected: str) -> None:
    words = Command(tuple(command.split()), here).with_absolute_paths()
    assert [word.replace(shutil.which("sh") or "sh", "sh") for word in words] == [
        word.format(here=here) for word in expected.split()
    ]


def test_a_tilde_means_the_home_directory(
    here: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(here))
    command = Command(("sh", "~/server.py", "~/none.py"), tmp_path)
    assert command.with_absolute_paths()[1:] == [f"{here}/server.py", "~/none.py"]


def test_a_program_found_by_a_relative_entry_of_the_variable_path_becomes_absolute(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", ".")
    assert Command(("run.sh",), here).with_absolute_paths() == [str(here / "run.sh")]


def test_the_files_of_a_command_can_be_written_relative_to_another_directory(here: Path) -> None:
    command = Command(("./run.sh", "server.py", "--config=serve", "dist", "--port=1"), here)
    assert command.relative_to(here / "dist") == [
        "../run.sh",
        "../server.py",
        "--config=../serve",
        "dist",
        "--port=1",
    ]
    command = Command(("dist/index.js", f"{here}/serve"), here)
    assert command.relative_to(here / "dist") == ["./index.js", f"{here}/serve"]
    assert Command(("sh", "server.py"), here).relative_to(here) == ["sh", "server.py"]


@rows(
    ("command", "message"),
    [
        ("sh sever.py", "There is no file 'sever.py' in {here}."),
        ("sh --config=./none.json", "There is no file './none.json' in {here}."),
        ("sh dist", "'dist' is a directory in {here}; the server starts in another directory: write an absolute path."),
        ("sh -m server", "The server starts in another directory and does not find 'server'; name its file instead."),
        ("npx -y @scope/package@1.2.3 --port 8080 $WS/x.py", ""),
        ("sh server.py -m mcp", ""),
    ],
)  # fmt: skip
def test_the_likely_mistake_in_a_command_is_reported(here: Path, command: str, message: str) -> None:
    ended = AdapterError("It ended.", details="its words")
    error = Command(tuple(command.split()), here).explain_error(ended)
    assert (str(error), error.details) == (f"It ended.\n{message.format(here=here)}".strip(), "its words")


@pytest.mark.parametrize("command", ["server.py", "./dist/../server.py"])
def test_a_server_in_the_current_directory_starts(here: Path, command: str) -> None:
    adapter = connect(f"mcp:{shlex.quote(sys.executable)} -S {command}", SUITE)
    assert adapter.traits.capabilities == {*BASIC_CAPABILITIES, "parallel", "kill", "sessions", "stop"}
    adapter.close()


def test_paths_in_a_command_after_two_dashes_are_not_replaced(here: Path) -> None:
    with pytest.raises(AdapterError, match=r"during the start$"):
        connect(f"mcp:-- {shlex.quote(sys.executable)} -S server.py", SUITE)
    adapter = connect(f"mcp:-- {shlex.quote(sys.executable)} -S {shlex.quote(str(here))}/server.py", SUITE)
    adapter.close()


def test_a_misspelt_file_is_reported_with_its_directory_on_a_line_of_its_own(
    here: Path, readfirst: Cli
) -> None:
    ended = readfirst("check-adapter", f"mcp:{shlex.quote(sys.executable)} -S sever.py")
    first, second, *_ = ended.err.splitlines()
    assert (ended.code, first.endswith(" during the start")) == (3, True)
    assert second == f"There is no file 'sever.py' in {here}."


ADAPTER = """
from words import refusal
from readfirst.harness.adapter_api import ToolResult

class Tools:
    def open(self, workspace):
        return self

    def call(self, tool, arguments):
        return ToolResult(refusal, is_error=True, error="not_read")
"""


@pytest.mark.parametrize("module", ["mytools", "mytools.py", "./mytools.py", "folder/my-tools.py"])
def test_an_adapter_in_the_current_directory_can_import_modules_next_to_it(here: Path, module: str) -> None:
    (here / "folder").mkdir()
    for folder in (here, here / "folder"):
        (folder / "words.py").write_text("refusal = 'Read it first.'\n")
        (folder / ("mytools.py" if folder is here else "my-tools.py")).write_text(ADAPTER)
    assert judge_target(f"python:{module}:Tools", "gate/edit-unread", level="reason")[0].status == "passed"

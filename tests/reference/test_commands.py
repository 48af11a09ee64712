"""What the reference makes of commands: which show lines of a file, and what came of them. Observed with 2.1.328."""

import time
from pathlib import Path

import pytest

from readfirst.harness.adapters.shell import Shell
from readfirst.reference_impl import FileTools
from readfirst.reference_impl.contract import behaviours_of
from readfirst.reference_impl.shell.shown import Shown, shown_by

PROGRAMS = frozenset(behaviours_of("2.1.328").commands.commands_that_count_as_read.split())


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("cat f", Shown("f")),
        (" cat\tf", Shown("f")),
        ('cat "a b"', Shown("a b")),
        ("cat -n f", Shown("f")),
        ("nl f", Shown("f")),
        ("head f", Shown("f", 1, 10)),
        ("head -n 2 f", Shown("f", 1, 2)),
        ("head -n2 f", Shown("f", 1, 2)),
        ("head -2 f", Shown("f", 1, 2)),
        ("head --lines=2 f", Shown("f", 1, 2)),
        ("tail f", Shown("f", known=False)),
        ("tail -n 2 f", Shown("f", known=False)),
        ("sed -n 2,3p f", Shown("f", 2, 2)),
        ("sed -n 1p f", Shown("f", 1, 1)),
        ("sed -ne 1,2p f", Shown("f", 1, 2)),
        ("grep a f", Shown("f", known=False)),
        ("grep -in a f", Shown("f", known=False)),
        ("grep -A1 a f", Shown("f", known=False)),
        ("rg -n a f", Shown("f", known=False)),
        ("echo hi && cat f", Shown("f")),
        ("(cat f)", Shown("f")),
    ],
)
def test_a_simple_command_shows_lines_of_one_file(command: str, shown: Shown) -> None:
    assert shown_by(command, PROGRAMS) == [shown]


@pytest.mark.parametrize(
    "command",
    [
        "cat f g",
        "cat -A f",
        "cat -- f",
        "/bin/cat f",
        "cat < f",
        "cat f | head",
        "cat f > g",
        "cat f*",
        "cat ~/f",
        "cat f || true",
        "ls && cat f",
        "head -c 5 f",
        "head -n 0 f",
        "tail -n +1 f",
        "sed -n p f",
        "sed -n '$p' f",
        "sed 1d f",
        "sed -n -e 1,2p f",
        "grep -c a f",
        "grep -v a f",
        "grep a f g",
        "wc f",
    ],
)
def test_no_other_command_shows_anything(command: str) -> None:
    assert not shown_by(command, PROGRAMS)


def test_two_commands_show_two_files() -> None:
    assert shown_by("cat f; cat g", PROGRAMS) == [Shown("f"), Shown("g")]


def test_without_a_shell_there_is_no_bash(tmp_path: Path) -> None:
    result = FileTools(root=tmp_path).call("Bash", {"command": "true"})
    assert (result.is_error, result.text) == (True, "Error: No such tool available: Bash")


def test_a_command_starts_where_the_one_before_it_ended(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    tools = FileTools(root=tmp_path, shell=Shell(tmp_path, tmp_path, seconds=10))
    assert tools.call("Bash", {"command": "cd sub"}).text == ""
    assert tools.call("Bash", {"command": "pwd"}).text == str(tmp_path / "sub")


def test_a_command_sees_no_variable_of_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "told")
    assert Shell(tmp_path, tmp_path, seconds=10).run("echo [$SECRET]").output == "[]\n"


def test_a_command_that_does_not_end_is_ended(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError, match="sleep 60"):
        Shell(tmp_path, tmp_path, seconds=0.2).run("sleep 60")
    assert time.monotonic() - started < 30

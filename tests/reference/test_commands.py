import time
from pathlib import Path

import pytest

from readfirst.harness.adapters import shell
from readfirst.harness.adapters.shell import CommandLimits, Shell
from readfirst.reference_impl import FileTools


def test_the_tool_bash_is_offered_only_with_a_shell(tmp_path: Path) -> None:
    result = FileTools(root=tmp_path).call("Bash", {"command": "true"})
    assert (result.is_error, result.text) == (True, "Error: No such tool available: Bash")


def test_a_command_starts_in_the_directory_of_the_previous_one(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    tools = FileTools(root=tmp_path, shell=Shell(CommandLimits(tmp_path, tmp_path, seconds=10)))
    assert tools.call("Bash", {"command": "cd sub"}).text == ""
    assert tools.call("Bash", {"command": "pwd"}).text == str(tmp_path / "sub")


def test_what_a_command_prints_is_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is not taken for the shell's new directory, even if the shell is killed because the file is full."""
    monkeypatch.setattr(shell, "_MAX_OUTPUT_BYTES", 4096)
    outside = tmp_path / "outside"
    outside.mkdir()
    there = f"\0{outside}"
    (tmp_path / "full").write_text("x" * (4096 - len(there)) + there)
    session = Shell(CommandLimits(tmp_path, tmp_path, seconds=10))
    for command in ("cat full", f"printf '%c%s' '' {outside}"):
        assert session.run(command).output
        assert session.directory == str(tmp_path)


def test_a_command_does_not_inherit_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "told")
    assert Shell(CommandLimits(tmp_path, tmp_path, seconds=10)).run("echo [$SECRET]").output == "[]\n"


def test_a_command_is_ended_after_its_time_limit(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError, match="sleep 60"):
        Shell(CommandLimits(tmp_path, tmp_path, seconds=0.2)).run("sleep 60")
    assert time.monotonic() - started < 30


def test_a_file_that_a_command_writes_has_an_end(tmp_path: Path) -> None:
    """The size of a file that a command writes is limited."""
    (tmp_path / "f").write_bytes(b"x" * 700_000)
    Shell(CommandLimits(tmp_path, tmp_path, seconds=20)).run("cat f f f f | tee g h")
    assert all(700_000 < (tmp_path / name).stat().st_size <= 1 << 20 for name in "gh")

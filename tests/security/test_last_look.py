import sys
from collections.abc import Sequence

import pytest

from tests.command_line import Cli

from .conftest import HERE, slow

pytestmark = pytest.mark.usefixtures("attackers")

REFUSED = "gate/edit-unread"
SEVERAL = [
    f"gate/{name}"
    for name in ("edit-unread", "write-unread", "edit-after-read", "copy-not-read", "failed-read-then-write")
]
"""Only later scenarios than the first few of a run can share a server."""


def mcp(name: str) -> str:
    return f"mcp:{sys.executable} {HERE / 'spoilers.py'} {name}"


ATTACKS = (
    ("python:spoilers:Closes", ()),
    (mcp("Later"), ("--settle", "80")),
    slow("python:spoilers:Ends", ()),
    slow("python:spoilers:Touches", ()),
    slow("python:spoilers:Later", ("--settle", "80")),
    slow("python:spoilers:Detached", ("--settle", "80")),
    slow(mcp("Closes"), ()),
    slow(mcp("Later"), ("--isolation", "directory", "--settle", "80")),
)
"""Implementations that change files late, each with the options that detect it."""


@pytest.mark.parametrize(("target", "options"), ATTACKS)
def test_who_spoils_files_after_the_last_answer_fails(
    readfirst: Cli, target: str, options: Sequence[str]
) -> None:
    """An implementation that changes files after its last answer fails."""
    found = readfirst("run", target, REFUSED, "--failures", "1", *options)
    assert found.code == 1, found.out
    assert ", after the last step" in found.out


def test_nothing_is_taken_for_the_work_of_a_change_that_no_tool_made(readfirst: Cli) -> None:
    """A file that was written before the first event of a scenario is not attributed to this event."""
    found = readfirst("run", "python:spoilers:Opens", "staleness/change-before-read")
    assert found.code == 1, found.out
    assert "stray.txt" in found.out


@pytest.mark.parametrize("target", ["python:spoilers:Fine", slow(mcp("Fine"))])
def test_an_implementation_that_changes_no_files_late_passes(readfirst: Cli, target: str) -> None:
    assert readfirst("run", target, REFUSED, "--failures", "1", "--settle", "1").code == 0


@pytest.mark.slow
def test_a_server_that_spoils_files_at_the_end_of_its_input_is_not_shared(readfirst: Cli) -> None:
    """A server that changes files at the end of its input is not shared. A shared one ends too late to be detected."""
    found = readfirst("run", mcp("Closes"), *SEVERAL, "--level", "effects")
    assert found.code == 1
    assert f"{len(SEVERAL)} scenarios: 0 passed, {len(SEVERAL)} failed" in found.out


@pytest.mark.parametrize("name", ["Detached", slow("Ends"), slow("Touches")])
def test_check_adapter_waits_without_being_asked(readfirst: Cli, name: str) -> None:
    """`check-adapter` waits for late changes of files without an option."""
    found = readfirst("check-adapter", f"python:spoilers:{name}")
    assert found.code == 3
    wrong = [line for line in found.out.splitlines() if line.startswith("no ")]
    late = "no   files stay as they are after the answer, and when session and program have ended"
    assert wrong[-1] == late  # a slow machine may see an earlier check's file written late, too

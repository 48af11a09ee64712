"""What a caller or a folder of strangers does to a command: it ends with a documented code, and no traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence

import pytest

from readfirst.harness.exit_code import ExitCode

RUN = [sys.executable, "-m", "readfirst"]
ONE = ["run", "reference", "gate/edit-unread"]

SIGNALLED = """
import atexit, os, signal, sys
from importlib.abc import MetaPathFinder

class Struck(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Struck())
if {again}:
    atexit.register(os.kill, os.getpid(), {number})
sys.argv = ["readfirst", *{words!r}]
from readfirst.__main__ import main
main()
"""
"""Runs a command that is sent a signal when it imports a module, and perhaps again when the interpreter ends."""


def ended(words: Sequence[str], **options: object) -> tuple[int, str]:
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=False, **options)  # type: ignore[call-overload]
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", [["list", "--family", "gate"], ONE, ["rules"]], ids=lambda words: words[0])
@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_as_if_nobody_read_them(words: list[str], closed: str) -> None:
    code, told = ended(["sh", "-c", f'"$@" {closed}', "sh", *RUN, *words])
    assert (code, "Traceback" in told, "bug" in told) == (ExitCode.CONFORMANT, False, False)


def test_a_reader_that_stops_reading_ends_the_command_as_it_does_others() -> None:
    with subprocess.Popen(
        [*RUN, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        listing.stdout.readline()
        listing.stdout.close()
        assert (listing.wait(), listing.stderr.read()) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
@pytest.mark.parametrize("again", [False, True], ids=["once", "twice"])
@pytest.mark.parametrize(
    "module",
    ["readfirst.harness.cli.main", "readfirst.harness.cli.run", "readfirst.harness.run.command"],
    ids=["while it starts", "while it looks its command up", "while it runs"],
)
def test_a_signal_never_looks_like_a_verdict(number: signal.Signals, again: bool, module: str) -> None:
    program = SIGNALLED.format(module=module, number=int(number), words=ONE, again=again)
    assert ended([sys.executable, "-c", program], stdout=subprocess.DEVNULL) == (128 + number, "")


@pytest.mark.parametrize("mask", [0o777, 0o700, 0o077, 0])
def test_the_mask_of_modes_changes_no_verdict(mask: int) -> None:
    ids = ["gate/edit-unread", "links-and-modes/edit-of-hard-link", "staleness/edit-after-change"]
    command = [*RUN, "run", "reference", *ids]
    done = subprocess.run(command, capture_output=True, text=True, check=False, umask=mask)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "3 scenarios: 3 passed; conformant")

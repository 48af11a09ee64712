"""What tests of every folder share."""

from __future__ import annotations

import re

import pytest

from readfirst.harness.cli import exits
from tests.command_line import Cli, Ended, exit_code


@pytest.fixture
def readfirst(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command line in this process, on a terminal of 200 columns; no traceback is printed unasked."""
    monkeypatch.setattr(exits.signal, "signal", lambda *_: None)
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: object) -> Ended:
        code = exit_code(*arguments)
        captured = capsys.readouterr()
        own = re.search(r'Traceback.*File "[^"]*/harness/', captured.err, re.DOTALL)
        assert own is None or "--traceback" in arguments
        return Ended(code, captured.out, captured.err)

    return call

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.adapters import python_host
from readfirst.harness.cli import error_handling
from readfirst.harness.run import connect
from readfirst.harness.run.kinds import ConnectRequest
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.command_line import Cli, CliResult, exit_code

_NEEDS_SANDBOX = Suite.needs_sandbox


@pytest.fixture(autouse=True, scope="session")
def trusted_suites() -> Iterator[None]:
    """Trust the suites of tests: their programs run in this process without a sandbox, which is faster."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Suite, "needs_sandbox", False)
        yield


@pytest.fixture
def untrusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust only the bundled suite, as the commands do."""
    monkeypatch.setattr(Suite, "needs_sandbox", _NEEDS_SANDBOX)


@pytest.fixture
def readfirst(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command in this process, on a terminal of 200 columns. Fails on a traceback without `--traceback`."""
    monkeypatch.setattr(error_handling.signal, "signal", lambda *_: None)
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: object) -> CliResult:
        code = exit_code(*arguments)
        captured = capsys.readouterr()
        trace = re.search(r'Traceback.*File "[^"]*/harness/', captured.err, re.DOTALL)
        assert trace is None or "--traceback" in arguments
        return CliResult(code, captured.out, captured.err)

    return call


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run implementations `python:MODULE:FACTORY` in this process, which is faster."""

    def make_adapter(wanted: ConnectRequest) -> Adapter:
        module, _, factory = wanted.rest.rpartition(":")
        return python_host._make_adapter(module, factory)

    monkeypatch.setitem(connect.kinds(), "python", replace(connect.KINDS["python"], connect=make_adapter))


@pytest.fixture(scope="module")
def place() -> Iterator[WorkspacePool]:
    """Workspaces in memory, where a replay takes a quarter less time than on a disk."""
    with WorkspacePool(memory=True) as pool:
        yield pool


@pytest.fixture(scope="session")
def suite() -> Suite:
    """The bundled suite. Some directories override this fixture with a small suite."""
    return Suite()

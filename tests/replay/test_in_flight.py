"""The parallel calls of one message are sent before the first is answered.

A server that cannot handle this is detected.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite

pytestmark = pytest.mark.go
SUITE = Suite()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a server, and return the path of its program."""
    program = tmp_path_factory.mktemp("racing") / "racing"
    source = Path(__file__).with_name("servers") / "racing.go"
    subprocess.run([shutil.which("go") or "go", "build", "-o", program, source], check=True)
    return program


@pytest.mark.parametrize("protocol", ["mcp", "lines"])
def test_a_racing_map_is_caught(server: Path, protocol: str) -> None:
    ids = ["parallel/two-reads"]
    # The end of the output is quoted. Without stack traces, this is the reason.
    command = f"{protocol}:env GOTRACEBACK=none {server} {protocol}"
    (raced,) = run(SUITE, f"{command} bare", ["2.1.7"], "effects", ids)
    assert raced.status == "error"
    assert "concurrent map writes" in raced.reason
    (locked,) = run(SUITE, f"{command} locked", ["2.1.7"], "effects", ids)
    assert locked.status == "passed"

import sys
import tempfile
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from tests.small_suites import small_suite

HERE = Path(__file__).parent
CONNECTIONS = {
    "python": "python:vandals:{name}",
    "server": f"mcp:--isolation=process {sys.executable} {HERE}/vandals.py {{name}}",
    "shared server": f"mcp:--isolation=directory {sys.executable} {HERE}/vandals.py {{name}}",
}
CASE = """\
title: Edit changes a file that was read, number {number}
requirement: must
given: {{files: {{{name}: "alpha\\n"}}}}
steps:
  - Read: {{file_path: $WS/{name}}}
    expect: {{text: "     1→alpha\\n     2→"}}
  - Edit: {{file_path: $WS/{name}, old_string: alpha, new_string: beta}}
    expect:
      text: |2-
        The file $WS/{name} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:
             1→beta
             2→
      files: {{{name}: "beta\\n"}}
"""


def connect_string(kind: str, name: str) -> str:
    """Return the connect string of an implementation of vandals.py."""
    return CONNECTIONS[kind].format(name=name)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite with three scenarios. The implementations of vandals.py do damage at `victim.txt` in the second."""
    scenarios = {
        f"edit/{number}-{name}": CASE.format(number=number, name=f"{name}.txt")
        for number, name in enumerate(("first", "victim", "third"))
    }
    return small_suite(tmp_path / "suite", scenarios)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of temporary files that readfirst creates. Empty at the start of a test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder

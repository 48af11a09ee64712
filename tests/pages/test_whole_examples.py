"""The examples in docs/adapters.md run the bundled suite, and no scenario ends as an `error`."""

import json
from pathlib import Path

import pytest

from tests.pages.stage import Stage, copy_of_checkout, users_folder

ONCE_BROKEN = "--family arguments --family encodings --family media"
"""Families with special arguments, bytes that are not text, and long answers, which once caused errors."""

BUT_FOR_CROSSED = "-k 'not crossed'"
"""Many scenarios of `crossed` need a separate server."""


def list_broken(target: str, selection: str, tmp_path: Path, *, seconds: float = 120) -> list[str]:
    """Return the scenarios of an example that ended as an `error`, each with its reason."""
    folder = users_folder(tmp_path, "docs/adapters.md")
    checkout = copy_of_checkout(tmp_path, bundled=True)
    command = f"readfirst run {target} {selection} --level effects --format jsonl"
    ((exit_code, output),) = Stage(folder, checkout).run([command], seconds=seconds)
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    verdicts = [line for line in lines if line["type"] == "verdict"]
    assert exit_code in (1, 3), output[-2000:]
    assert len(verdicts) > 100
    return [f"{each['scenario']}: {each.get('reason')}" for each in verdicts if each["status"] == "error"]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["python:readfirst_adapter:Tools", "'mcp:python3 server.py'"])
def test_the_python_examples_run_the_scenarios_that_once_caused_errors(target: str, tmp_path: Path) -> None:
    assert list_broken(target, ONCE_BROKEN, tmp_path) == []


@pytest.mark.slow
def test_the_python_adapter_runs_the_suite_without_errors(tmp_path: Path) -> None:
    target = "python:readfirst_adapter:Tools"
    assert list_broken(target, f"-j 2 {BUT_FOR_CROSSED}", tmp_path, seconds=1800) == []


@pytest.mark.node
def test_the_javascript_server_runs_the_suite_without_errors(tmp_path: Path) -> None:
    assert list_broken("'mcp:node server.mjs'", f"-j 2 {BUT_FOR_CROSSED}", tmp_path, seconds=1800) == []


CARELESS = """
class Tools:
    def open(self, workspace):
        return self

    def call(self, tool, arguments):
        return open(arguments["file_path"]).read()
"""


@pytest.mark.slow
def test_an_implementation_that_causes_errors_is_detected(tmp_path: Path) -> None:
    (tmp_path / "careless.py").write_text(CARELESS)
    found = list_broken(f"python:{tmp_path}/careless.py:Tools", ONCE_BROKEN, tmp_path)
    assert any("it raised KeyError" in each for each in found)

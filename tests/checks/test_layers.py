"""`lint-imports` passes on the checkout, and fails if the suite imports the observatory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFIGURATION = Path(__file__).resolve().parents[2] / "pyproject.toml"


@pytest.mark.parametrize("planted", [False, True])
def test_an_import_of_the_observatory_in_the_suite_is_detected(planted: bool, tmp_path: Path) -> None:
    contracts = CONFIGURATION.read_text("utf-8").split("\n[[tool.importlinter.contracts]]\n")
    (own,) = [each.partition("\n\n")[0] for each in contracts if "The suite does not import" in each]
    lines = ["[tool.importlinter]", 'root_package = "readfirst"', "[[tool.importlinter.contracts]]", own, ""]
    (tmp_path / "pyproject.toml").write_text("\n".join(lines))
    for name in ("", "harness", "observatory", "reference_impl"):
        (tmp_path / "readfirst" / name).mkdir()
        (tmp_path / "readfirst" / name / "__init__.py").write_text("")
    if planted:
        module = tmp_path / "readfirst" / "harness" / "planted.py"
        module.write_text("from readfirst.observatory import fuzz\n")
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == planted, done.stdout + done.stderr
    assert ("readfirst.harness.planted -> readfirst.observatory" in done.stdout) == planted

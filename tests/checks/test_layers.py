"""`lint-imports` holds the packages to their order: it passes on the checkout and fails where one is out of place."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

CONFIGURATION = Path(__file__).resolve().parents[2] / "pyproject.toml"
FORBIDDEN = 'source_modules = ["readfirst.reference_impl"]\nforbidden_modules = ["readfirst.harness"]'
TURNED = 'source_modules = ["readfirst.harness"]\nforbidden_modules = ["readfirst.reference_impl"]'


@contextmanager
def loggers_kept() -> Iterator[None]:
    """Bring back what the linter switches off in this process: every logger that was there before."""
    silent = {
        name for name, logger in logging.root.manager.loggerDict.items() if getattr(logger, "disabled", False)
    }
    yield
    for name, logger in logging.root.manager.loggerDict.items():
        if isinstance(logger, logging.Logger):
            logger.disabled = name in silent


@pytest.fixture(autouse=True)
def _loggers() -> Iterator[None]:
    with loggers_kept():
        yield


@pytest.mark.parametrize(
    ("layer", "put"),
    [
        ('"harm",\n', '"harm",\n'),
        ('"suite",\n  "yaml_io"', '"yaml_io",\n  "suite"'),
        ('"harm",\n', ""),
        ('"file_tools",\n  "call_result",\n  "tools"', '"tools",\n  "call_result",\n  "file_tools"'),
        (FORBIDDEN, TURNED),
    ],
    ids=[
        "as it is",
        "an import from above",
        "a package without a place",
        "in the reference",
        "a forbidden one",
    ],
)
def test_the_packages_are_held_to_their_order(
    layer: str, put: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = CONFIGURATION.read_text("utf-8")
    assert layer in text
    changed = tmp_path / "layers.toml"
    changed.write_text(text.replace(layer, put))
    failed = lint_imports(str(changed), no_cache=True)
    assert failed == (layer != put), capsys.readouterr().out


@pytest.mark.parametrize("planted", [False, True])
def test_an_import_of_the_observatory_in_the_suite_is_noticed(planted: bool, tmp_path: Path) -> None:
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


def test_no_logger_stays_switched_off() -> None:
    """The linter of layers switches off what others log, and here it is brought back."""
    logger = logging.getLogger("readfirst")
    with loggers_kept():
        lint_imports(str(CONFIGURATION), no_cache=True)
        assert logger.disabled
    assert not logger.disabled

"""`lint-imports` holds the packages to their order: it passes on the checkout and fails where one is out of place."""

import logging
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
        ('"suite",\n  "source"', '"source",\n  "suite"'),
        ('"harm",\n', ""),
        ('"file_tools",\n  "tools"', '"tools",\n  "file_tools"'),
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


def test_no_logger_stays_switched_off() -> None:
    """The linter of layers switches off what others log, and here it is brought back."""
    logger = logging.getLogger("readfirst")
    with loggers_kept():
        lint_imports(str(CONFIGURATION), no_cache=True)
        assert logger.disabled
    assert not logger.disabled

"""`lint-imports` holds the packages to their order: it passes on the checkout and fails where one is out of place."""

from __future__ import annotations

from pathlib import Path

import pytest
from importlinter.cli import lint_imports

CONFIGURATION = Path(__file__).resolve().parents[2] / "pyproject.toml"
FORBIDDEN = 'source_modules = ["readfirst.reference_impl"]\nforbidden_modules = ["readfirst.harness"]'
TURNED = 'source_modules = ["readfirst.harness"]\nforbidden_modules = ["readfirst.reference_impl"]'


@pytest.mark.parametrize(
    ("layer", "put"),
    [
        ('"crossing"', '"crossing"'),
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

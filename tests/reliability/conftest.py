"""What the tests of reliability share: a small suite with a victim in it, and a folder for temporary files."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite, default_root

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


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Three scenarios; the workspace of the second holds `victim.txt`."""
    root = tmp_path / "suite"
    family = root / "scenarios" / "edit"
    family.mkdir(parents=True)
    for name in ("contracts.yaml", "errors.yaml"):
        shutil.copyfile(default_root() / name, root / name)
    for number, name in enumerate(("first.txt", "victim.txt", "third.txt")):
        (family / f"{number}-{name.removesuffix('.txt')}.yaml").write_text(
            CASE.format(number=number, name=name)
        )
    return Suite(root)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, with nothing else in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder

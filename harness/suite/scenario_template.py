"""Skeleton: a commented scenario file to begin with, which can be recorded as it is."""

import re
import shutil
from pathlib import Path

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.suite import Suite

SCENARIO_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*")

_SKELETON = """\
# yaml-language-server: $schema=../../schema/scenario.schema.json
# One sentence that claims what happens, up to 100 characters, no full stop.
title: TODO
# must: the contract. should: good conduct. observed: a quirk or a bug of the product.
requirement: must
{rule}# From tags.yaml, in alphabetical order.
tags: []
# Where it was reported or is documented: a URL, or `document.txt, Section`.
sources: []
given:
  files:
    # Exact content. CR, NUL, BOM and trailing spaces as escapes; `readfirst docs format` has more forms.
    notes.txt: "alpha\\nbeta\\n"
steps:
  # Calls begin with a capital letter and are what the model sends; $WS is the workspace.
  - Read: {{file_path: $WS/notes.txt}}
    expect: shown
  # Changes that no tool makes: modify, touch, delete, rename, chmod, symlink, mkdir.
  - modify: {{notes.txt: "alpha\\nBETA\\n"}}
  - Edit: {{file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}}
# Leave the expectations to the real product: readfirst product record {id}
"""
_RULE = """\
# The one rule that the title shows: an id of rules.yaml; `readfirst rules` lists them.
rule: TODO
"""
_OF_A_SUITE = ("contracts.yaml", "errors.yaml", "tags.yaml", "schema")
"""What a suite of one's own begins with; rules it has none, because each must have a scenario."""


class SkeletonError(ReadfirstError):
    """The skeleton cannot be written; the message says why and what to do."""


def check_id(scenario_id: str) -> None:
    """Raise SkeletonError for what cannot be the id of a scenario."""
    if not SCENARIO_ID.fullmatch(scenario_id):
        raise SkeletonError(
            f"{scenario_id!r} is not an id: write family/slug in lower-case letters, digits and hyphens, "
            "for example staleness/edit-after-change"
        )


def begin_suite(root: Path, model: Suite) -> bool:
    """Begin a suite with the contracts, error names and tags of another, unless there is something at `root`.

    Returns whether it was begun. Raises OSError.
    """
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        return False
    (root / "scenarios").mkdir(parents=True)
    for name in _OF_A_SUITE:
        source = model.root / name
        if source.is_dir():
            shutil.copytree(source, root / name)
        elif source.exists():
            shutil.copyfile(source, root / name)
    return True


def write_skeleton(suite: Suite, scenario_id: str) -> Path:
    """Write a new scenario file and return its path. Raises SkeletonError; nothing is ever replaced."""
    check_id(scenario_id)
    path = suite.scenarios_root / f"{scenario_id}.yaml"
    path.parent.mkdir(exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_SKELETON.format(id=scenario_id, rule=_RULE if suite.rules else ""))
    except FileExistsError:
        raise SkeletonError(f"{path} already exists; choose another slug") from None
    return path

"""Scenarios without expectations can be run. At the level `safe`, only harm is judged."""

from pathlib import Path

import pytest

from readfirst.harness.compare.verdict import Level
from readfirst.harness.run.runner import run
from tests.replay import answering
from tests.small_suites import lint, small_suite

UNRECORDED = """\
title: Write of an unread file is refused
requirement: must
given:
  files: {notes.txt: "alpha\\n"}
steps:
  - Write: {file_path: $WS/notes.txt, content: "beta\\n"}
  - Read: {file_path: $WS/notes.txt}
"""

OVERWRITES = f"python:{answering.__file__}:Overwrites"


@pytest.mark.parametrize(
    ("target", "level", "status"),
    [
        ("reference", "safe", "passed"),
        (OVERWRITES, "safe", "failed"),
        (OVERWRITES, "effects", "unspecified"),
    ],
)
def test_without_expectations_only_safe_is_judged(
    tmp_path: Path, target: str, level: Level, status: str
) -> None:
    suite = small_suite(tmp_path / "suite", {"gate/new-case": UNRECORDED})
    suite.trust = True
    (verdict,) = run(suite, target, ["2.1.7"], level)
    assert verdict.status == status, verdict
    assert bool(verdict.harms) == (status == "failed")


def test_lint_reports_all_calls_without_expectations_in_one_finding_per_scenario(tmp_path: Path) -> None:
    suite = small_suite(tmp_path, {"gate/new-case": UNRECORDED})
    found = [finding for finding in lint(suite) if finding.rule == "missing-expect"]
    assert [finding.message for finding in found] == [
        "the call of Write has no expect, nor have 1 later call"
    ]

"""If an expectation has only a digest, a failure shows the content, which is read from the recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.report import Commands
from readfirst.harness.report.failure import failure_text
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from tests.small_suites import small_suite

FILE = "sizes/edit-after-2000-lines"
"""A scenario whose expected file is a digest."""
TEXT = "sizes/2500-lines"
"""A scenario whose expected text is a digest."""
SUITE = Suite()


Spoil = Callable[[str, ToolResult, Path], ToolResult]


@dataclass(frozen=True)
class Spoilt:
    """The reference, but `spoil` changes its answers and files."""

    spoil: Spoil
    workspace: Any = None
    session: Any = None
    capabilities = ReferenceAdapter("2.1.7").traits.capabilities

    def open(self, workspace: Any) -> Spoilt:
        return Spoilt(self.spoil, workspace, ReferenceAdapter("2.1.7").open(workspace))

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return self.spoil(tool, self.session.call(tool, arguments), Path(self.workspace.root))


@pytest.fixture
def spoilt(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Verdict]:
    """A function that judges the reference in one scenario, which it fails because of `spoil`."""

    def judge(scenario_id: str, spoil: Spoil, suite: Suite = SUITE) -> Verdict:
        monkeypatch.setattr("readfirst.harness.run.runner.connect", lambda *_, **__: Spoilt(spoil))
        (verdict,) = run(suite, "reference", ["2.1.7"], "text", [scenario_id])
        return verdict

    return judge


def spoil_file(tool: str, result: ToolResult, root: Path) -> ToolResult:
    if tool == "Edit":
        (file,) = (each for each in root.iterdir() if each.stat().st_size > 4096)
        file.write_bytes(file.read_bytes().replace(b"1234", b"4321"))
    return result


def spoil_text(tool: str, result: ToolResult, root: Path) -> ToolResult:
    return replace(result, text=result.text.replace("1234", "4321")) if tool == "Read" else result


def test_a_failure_of_a_large_file_shows_the_first_different_line(spoilt: Callable[..., Verdict]) -> None:
    verdict = spoilt(FILE, spoil_file)
    (found,) = (each for each in verdict.differences if each.what.startswith("file "))
    assert "1234" in found.expected
    assert "4321" in found.got
    assert len(found.expected) < 5000
    shown = failure_text(verdict, SUITE.scenario(FILE), Commands("readfirst run", "readfirst show"))
    assert "sha256" not in shown
    effects = shown[shown.index("file ") :]
    changed = [line.strip() for line in effects.splitlines() if "1234" in line or "4321" in line]
    assert [line[0] for line in changed] == ["-", "+"]


def test_a_failure_of_a_long_text_shows_the_difference(spoilt: Callable[..., Verdict]) -> None:
    verdict = spoilt(TEXT, spoil_text)
    differences = {each.what: each for each in verdict.differences if each.level == "text"}
    assert set(differences) == {"text"}
    shown = failure_text(verdict, SUITE.scenario(TEXT), Commands("readfirst run", "readfirst show"))
    changed = [line.strip() for line in shown.splitlines() if "1234→" in line or "4321→" in line]
    assert [line[0] for line in changed] == ["-", "+"], shown
    assert "sha256" not in shown
    assert len(shown.splitlines()) < 60


def copy_scenario(tmp_path: Path, scenario_id: str, recording: str | None) -> Suite:
    """Write a suite with one bundled scenario. `recording` replaces its recording; None removes it."""
    suite = small_suite(tmp_path / "suite", {scenario_id: SUITE.path(scenario_id).read_bytes()})
    if recording is not None:
        file = suite.recordings.path(scenario_id)
        file.parent.mkdir(parents=True)
        file.write_text(recording)
    return suite


@pytest.mark.parametrize("recording", [None, "inputs: changed\ncontracts: []\nsteps: []\n", "no recording"])
def test_without_a_valid_recording_a_failure_shows_the_digest(
    spoilt: Callable[..., Verdict], tmp_path: Path, recording: str | None
) -> None:
    verdict = spoilt(FILE, spoil_file, copy_scenario(tmp_path, FILE, recording))
    (found,) = (each for each in verdict.differences if each.what.startswith("file "))
    assert "sha256" in found.expected
    assert (verdict.status, verdict.levels["effects"]) == ("failed", False)

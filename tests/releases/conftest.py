import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite, default_root

from .fake_registry import FakeNpm, make_packages

SCENARIO = """\
# yaml-language-server: $schema=../../schema/scenario.schema.json
title: Edit answers what it has done
requirement: must
given:
  files:
    notes.txt: "alpha\\n"
steps:
  - Edit: {file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}
    expect:
      text: Done
      files: {notes.txt: "gamma\\n"}
"""

CONTRACT = """\
  {name}:
    package: "@anthropic-ai/claude-code"
    version: {version}
    model: {model}
    read_gate: {gate}
    tools: [Read, Edit, Write, NotebookEdit]
    summary: Made up.
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    root = tmp_path / "fixtures"
    (root / "scenarios" / "gate").mkdir(parents=True)
    (root / "recordings").mkdir()
    shutil.copy(default_root() / "errors.yaml", root)
    contracts = "default: 1.0.1\ncontracts:\n" + "".join(
        CONTRACT.format(name=name, version="1.0.1", model=model, gate=gate)
        for name, model, gate in (("1.0.1", "new", "relaxed"), ("1.0.1+gated", "old", "enforced"))
    )
    (root / "contracts.yaml").write_text(contracts)
    (root / "scenarios" / "gate" / "x.yaml").write_text(SCENARIO)
    return Suite(root)


def expected_answers(suite: Suite, scenario_id: str = "gate/x") -> dict[str, object]:
    """Return the expected text of the only call, or the name of its error, by recorded version."""
    found: dict[str, object] = {}
    for name in suite.recordings.recording(scenario_id).transcripts:
        (call,) = suite.scenario(scenario_id, suite.contracts.find(name)).calls()
        assert call.expect.recorded is not None
        found[name] = call.expect.recorded.error or call.expect.recorded.text
    return found


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeNpm]:
    """Puts a substitute for npm on the path. The argument maps published versions to behaviours. The cache is empty."""

    def publish(versions: Mapping[str, str]) -> FakeNpm:
        folder = tmp_path / "bin"
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        return FakeNpm(folder, make_packages(versions))

    return publish

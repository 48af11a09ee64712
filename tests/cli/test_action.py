import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from readfirst.harness.suite.suite import Suite
from tests.pages.page import code
from tests.pages.stage import users_folder

from .conftest import PASSES

CHECKOUT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((CHECKOUT / "action.yml").read_text(encoding="utf-8"))
INSTALL, _BUBBLEWRAP, RUN = ACTION["runs"]["steps"]

FAKE_PYTHON = f"""\
#!/bin/sh
if [ "$3" = venv ]; then
  mkdir -p "$4/bin"
  cp "$0" "$4/bin/python"
  printf '#!/bin/sh\\necho "$@" >> "$RUNNER_TEMP/words"\\nexec {sys.executable} -m readfirst "$@"\\n' \\
    > "$4/bin/readfirst"
  chmod +x "$4/bin/readfirst"
else
  echo "$@" >> "$RUNNER_TEMP/installed"
fi
"""
"""A script in place of Python. It creates an environment whose `pip` only writes the requested packages to a file."""


class ActionRun:
    def __init__(self, folder: Path, code: int, log: str) -> None:
        self.code = code
        self.log = log
        self.summary, outputs, self.installed = (
            (folder / name).read_text(encoding="utf-8") for name in ("summary", "outputs", "installed")
        )
        self.outputs = dict(line.split("=", 1) for line in outputs.splitlines())


def values(step: dict[str, Any], given: dict[str, str]) -> dict[str, str]:
    found = {}
    for name, expression in step["env"].items():
        match = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", expression)
        assert match is not None, expression
        found[name] = given.get(match[1], ACTION["inputs"][match[1]].get("default", ""))
    return found


Act = Callable[..., ActionRun]


@pytest.fixture
def act(tmp_path: Path) -> Act:
    """A function that runs the steps with `FAKE_PYTHON` in place of Python, so that no package is installed."""
    python = tmp_path / "fake-python"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    for name in ("summary", "outputs"):
        (tmp_path / name).touch()

    def run(folder: Path = tmp_path, **inputs: str) -> ActionRun:
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(CHECKOUT), *sys.path]),
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ACTION_PATH": str(CHECKOUT),
            "GITHUB_RUN_NUMBER": "1",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_OUTPUT": str(tmp_path / "outputs"),
        }
        log = ""
        for step in (INSTALL, RUN):
            assert step["shell"] == "bash"
            ran = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                env={**environment, **values(step, {"python": str(python), **given})},
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            log += ran.stdout
            if ran.returncode:
                break
        return ActionRun(tmp_path, ran.returncode, log)

    return run


@pytest.mark.slow
def test_the_action_writes_a_green_badge_for_a_passing_run(act: Act, holding: Suite, tmp_path: Path) -> None:
    ran = act(target="reference", fixtures=str(holding.root), jobs="1", output="made here")
    assert ran.code == 0, ran.log
    assert "| reference | 2.1.7 | text | conformant | 2/2 | 2/2 | 2/2 |" in ran.summary
    assert ran.outputs == {
        "exit-code": "0",
        "results": "made here/results.jsonl",
        "report": "made here/report.html",
        "badge": "made here/badge.json",
    }
    badge = json.loads((tmp_path / ran.outputs["badge"]).read_text())
    assert (badge["schemaVersion"], badge["message"], badge["color"]) == (1, "2/2 text", "brightgreen")
    assert (tmp_path / ran.outputs["report"]).read_text().startswith("<!DOCTYPE html>")
    assert ran.installed.split()[-1] == str(CHECKOUT)


@pytest.mark.slow
def test_all_inputs_of_the_action_reach_the_command_run(act: Act, mixed: Suite, tmp_path: Path) -> None:
    conduct = PASSES.replace("requirement: must", "requirement: should")
    (mixed.scenarios_root / "reading" / "conduct.yaml").write_text(conduct)
    accepted = tmp_path / "accepted failures.yaml"
    accepted.write_text("name: mine\naccepted: [{scenario: wrong/effects, level: effects, reason: known}]\n")
    ran = act(
        target="reference",
        fixtures=str(mixed.root),
        name="mine",
        contract="2.1.7 documented",
        level="reason",
        requirement="must observed",
        baseline=str(accepted),
        jobs="2",
        arguments="-k\nnot (lines or races)\n--time-limit\n5\n",
    )
    assert ran.code == 0, ran.log
    row = "| mine | 2.1.7 | reason | conformant, 1 accepted | 3/3 | 2/3 | 2/3 | 1/3 | 0 | 0 | 0 |"
    assert row in ran.summary
    assert "| mine | documented | reason | nothing judged |" in ran.summary


FUZZED = "python:wrong_answers:TabAfterLineNumber"
WRONG_IMPLEMENTATIONS = CHECKOUT / "tests" / "wrong_implementations"


@pytest.mark.slow
def test_a_disagreement_found_by_fuzzing_fails_the_step(act: Act, holding: Suite, tmp_path: Path) -> None:
    given = {"target": FUZZED, "fixtures": str(holding.root), "arguments": "gate/not-read", "jobs": "1"}
    assert act(WRONG_IMPLEMENTATIONS, **given, output=str(tmp_path / "without")).code == 0
    assert not (tmp_path / "without" / "fuzz-findings").exists()
    output = tmp_path / "with fuzzing"
    ran = act(WRONG_IMPLEMENTATIONS, **given, output=str(output), fuzz_minutes="0.08")
    assert (ran.code, ran.outputs["exit-code"]) == (1, "0"), ran.log
    assert f"{output}/fuzz-findings/read-done-done-1.yaml: Read: done by the target" in ran.summary
    assert any(" steps in " in line for line in ran.summary.splitlines())
    assert list((output / "fuzz-findings").glob("*.yaml"))


def test_shell_commands_in_an_input_are_not_executed(act: Act, holding: Suite, tmp_path: Path) -> None:
    evil = "$(touch made) `touch made` ; touch made"
    ran = act(target=evil, contract="*", arguments=evil, fixtures=str(holding.root))
    assert ran.code == 2
    assert not (tmp_path / "made").exists()
    for step in (INSTALL, RUN):
        assert "${{" not in step["run"]


@pytest.mark.node
def test_the_workflow_in_the_guide_runs_the_action(act: Act, mixed: Suite, tmp_path: Path) -> None:
    (example,) = [each for each in code("docs/running.md", "yaml") if "uses: OWNER/readfirst" in each]
    workflow = yaml.safe_load(example.replace("on:", "events:"))
    assert workflow["events"] == ["push", "pull_request"]
    given = workflow["jobs"]["conformance"]["steps"][-1]["with"]
    folder = users_folder(tmp_path, "docs/adapters.md")
    mapping, server = code("docs/targets.md", "yaml own mapping")[0], CHECKOUT / "tests/pages/renamed.mjs"
    (folder / "mine.yaml").write_text(mapping, encoding="utf-8")
    (folder / "renamed.mjs").write_bytes(server.read_bytes())
    ran = act(folder, **given, fixtures=str(mixed.root))
    assert ran.code == 1, ran.log
    row = re.escape("| target:mine.yaml@dev | 2.1.7 | effects | **not conformant** |")
    assert re.search(rf"^{row} \d/4 \| ", ran.summary, re.MULTILINE), ran.summary


def test_the_guide_lists_the_inputs_and_outputs_of_the_action() -> None:
    guide = (CHECKOUT / "docs" / "running.md").read_text(encoding="utf-8")
    section = guide.partition("## In GitHub Actions")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE) == list(ACTION["inputs"])
    for name in ACTION["outputs"]:
        assert f"`{name}`" in section
    example = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)[0])
    given = example["jobs"]["conformance"]["steps"][-1]["with"]
    assert given.keys() <= ACTION["inputs"].keys()
    required = {name for name, about in ACTION["inputs"].items() if about.get("required")}
    assert required <= given.keys()


@pytest.mark.parametrize(
    ("trust", "is_trusted"),
    [
        ("true", True),
        ("false", False),
        ("", False),
        *((word, None) for word in ("True", "1", "no", "true\nfalse")),
    ],
)
def test_only_the_input_true_trusts_a_suite(
    act: Act, tmp_path: Path, trust: str, is_trusted: bool | None
) -> None:
    ran = act(target="reference", fixtures="nowhere", trust=trust, install=".\nmy tools>=2\n")
    assert ran.installed.endswith(f"{CHECKOUT} . my tools>=2\n")
    assert ran.code == (2 if is_trusted is None else 4)
    if is_trusted is None:
        assert "the input trust must be true or false" in ran.log
        assert ran.outputs == {}
    else:
        assert ("--trust" in (tmp_path / "words").read_text()) == is_trusted
    assert "inputs.trust != 'true'" in _BUBBLEWRAP["if"]

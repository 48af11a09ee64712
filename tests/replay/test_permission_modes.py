import json
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import Permissions, Workspace
from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.agents.agent_process import Launch
from readfirst.harness.agents.claude_code.launch_options import Options
from readfirst.harness.agents.claude_code.reminders import remove_conversation_reminders
from readfirst.harness.report.scenario_text import scenario_lines
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.reference_impl import FileTools
from tests.judging import SUITE, load_scenario_text
from tests.replay import answering
from tests.rows import rows

STEPS = "steps:\n  - Read: {file_path: $WS/a.txt}\n    expect: {text: seen}\n"
GIVEN = """
  mode: acceptEdits
  allow: [Read, Edit($WS/docs/**)]
  working_directory: project
  additional_directories: [shared, lib/common]
"""


def load_scenario(given: str) -> Scenario:
    return load_scenario_text(f"given: {given}\n{STEPS}")


def workspace(given: str) -> Workspace:
    with WorkspacePool() as place, place.site() as site:
        return site.workspace(load_scenario(given))


def test_an_adapter_receives_the_directories_of_permissions_as_absolute_paths() -> None:
    there = workspace(GIVEN)
    root, directories = there.root, (there.root / "shared", there.root / "lib/common")
    rules = ("Read", f"Edit({root}/docs/**)")
    assert there.permissions == Permissions("acceptEdits", root / "project", rules, directories)


@rows(
    ("given", "problem"),
    [
        ("{mode: dontAsk}", "mode"),
        ("{allow: [Edit]}", "allow means nothing without mode"),
        ("{working_directory: project}", "working_directory means nothing without mode"),
        ("{mode: plan, allow: [edit]}", "Write a tool and, in parentheses, a pattern"),
        ("{mode: plan, working_directory: ../elsewhere}", "leaves the workspace"),
        ("{mode: plan, additional_directories: [/etc]}", "is absolute"),
        ("{mode: plan, additional_directories: shared}", "additional_directories"),
    ],
)
def test_wrong_permissions_in_a_scenario_are_reported(given: str, problem: str) -> None:
    with pytest.raises(SuiteError, match=problem):
        load_scenario(given)


def test_a_python_adapter_in_a_process_receives_the_permissions() -> None:
    with closing(PythonAdapter(answering.__file__, "ShowsPermissions")) as adapter:
        for given in (GIVEN, "{mode: default}", "{deny: [Edit(a)]}"):
            there = workspace(given)
            assert adapter.open(there).call("Read", {}).text == repr(there.permissions)


def test_a_report_shows_the_permissions_of_a_scenario() -> None:
    lines = list(scenario_lines(load_scenario(GIVEN), SUITE.contracts["2.1.7"]))
    assert "  mode: acceptEdits" in lines
    assert "  allow: Edit($WS/docs/**)" in lines
    assert "  working directory: project" in lines
    assert "  additional directory: shared" in lines


def prepare_launch(tmp_path: Path, permissions: Permissions | None, mode: str = "") -> Launch:
    options = Options(
        ("/bin/product",), None, ("Read", "Edit"), tmp_path, ("Edit(a)",), permissions=permissions, mode=mode
    )
    return options.prepare(tmp_path / "run", None)


def read_launch(
    tmp_path: Path, permissions: Permissions | None, mode: str = ""
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the words after the options of the command, and the rules in the settings."""
    command = prepare_launch(tmp_path, permissions, mode).command
    settings = json.loads((tmp_path / "run/home/.claude/settings.json").read_text())
    return dict(pairwise(command)), settings["permissions"]


def test_the_product_is_started_with_mode_rules_and_directories(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    words, rules = read_launch(tmp_path, Permissions("acceptEdits", tmp_path, ("Read",), (shared,)))
    assert words["--permission-mode"] == "acceptEdits"
    assert "--allowedTools" not in words
    assert rules == {"deny": ["Edit(a)"], "allow": ["Read"], "additionalDirectories": [str(shared)]}


@pytest.mark.parametrize("mode", ["", "default"])
def test_without_permissions_the_product_may_use_every_tool(tmp_path: Path, mode: str) -> None:
    """A version whose default mode would ask a model is started with an explicit mode."""
    words, rules = read_launch(tmp_path, None, mode)
    assert words["--allowedTools"] == "Read,Edit"
    assert words.get("--permission-mode", "") == mode
    assert rules == {"deny": ["Edit(a)"]}


@pytest.mark.parametrize(("user", "starter"), [(0, ["unshare"]), (1000, [])])
def test_in_the_mode_that_bypasses_permissions_the_product_does_not_run_as_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, starter: list[str]
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: user)
    launch = prepare_launch(tmp_path, Permissions("bypassPermissions", tmp_path))
    assert list(launch.starter[:1]) == starter
    assert launch.command[0] == "/bin/product"


@pytest.mark.parametrize(
    "reminder",
    [
        "<system-reminder>Plan mode is active. Change nothing.</system-reminder>",
        "<system-reminder>\nPlan mode still active (see above).\n</system-reminder>",
    ],
)
def test_a_reminder_of_plan_mode_is_not_part_of_an_answer(reminder: str) -> None:
    answer = f"1→alpha\n     2→beta\n\n{reminder}"
    assert remove_conversation_reminders(answer) == ("     1→alpha\n     2→beta", False)


def test_an_unknown_mode_is_reported_with_the_known_modes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown mode 'dontAsk'; there are default, plan"):
        FileTools(root=tmp_path, mode="dontAsk")

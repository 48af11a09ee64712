"""The MCP servers in docs/adapters.md are complete, run unchanged, and get the verdicts that the page states."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.judging import judged_by

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "adapters.md").read_text()
GATE = ["gate/edit-unread", "staleness/edit-after-touch-of-own-edit"]


def example(language: str) -> str:
    (found,) = re.findall(rf"```{language} server\n(.*?)```", TEXT, re.DOTALL)
    return str(found)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("servers")
    (folder / "server.mjs").write_text(example("js"))
    (folder / "server.py").write_text(example("python"))
    node = shutil.which("node") or "node"
    return {"js": f"{node} {folder}/server.mjs", "python": f"{sys.executable} {folder}/server.py"}


@pytest.mark.node
@pytest.mark.parametrize("isolation", ["", "--isolation=directory "])
def test_the_server_in_javascript_gets_the_main_rule_right(commands: dict[str, str], isolation: str) -> None:
    verdicts = judged_by(f"mcp:{isolation}{commands['js']}", *GATE, level="effects")
    assert [verdict.status for verdict in verdicts] == ["passed", "passed"]


@pytest.mark.node
def test_the_server_in_javascript_is_not_said_to_be_right_where_it_is_wrong(commands: dict[str, str]) -> None:
    ids = ["gate/edit-unread", "staleness/edit-after-touch-full-read", "race/chmod-during-call"]
    verdicts = judged_by(f"mcp:--isolation=directory {commands['js']}", *ids, level="text")
    assert [verdict.status for verdict in verdicts] == ["passed", "failed", "unsupported"]


@pytest.mark.slow
def test_the_server_in_python_gets_the_main_rule_right(commands: dict[str, str]) -> None:
    verdicts = judged_by(f"mcp:--isolation=directory {commands['python']}", *GATE, level="effects")
    assert [verdict.status for verdict in verdicts] == ["passed", "passed"]

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import Workspace
from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.processes.sandbox import Sandbox, find_sandbox
from readfirst.harness.suite.suite import default_root
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.security import cheat


def search_for_answers(
    monkeypatch: pytest.MonkeyPatch, folder: Path, sandbox: Sandbox | None = None
) -> dict[str, Any]:
    monkeypatch.chdir(folder)
    with (
        closing(PythonAdapter(cheat.__file__, "Cheat", sandbox=sandbox)) as adapter,
        WorkspacePool(confined=sandbox is not None) as place,
        place.site() as site,
    ):
        session = adapter.open(Workspace(Path(site.root), Path(site.home)))
        return dict(json.loads(session.call("Read", {"fixtures": str(default_root())}).text))


@pytest.mark.parametrize(
    "folder", [Path(__file__).parents[2], Path(__file__).parent], ids=["checkout", "own"]
)
def test_it_has_the_names_of_an_adapter_and_no_suite(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """An implementation can import the names that an adapter needs, but not the suite."""
    found = search_for_answers(monkeypatch, folder)
    assert (found["modules"], found["names"], found["beside the package"]) == ([], [], [])
    assert found["tools"] == "FileTools"


def test_it_does_not_learn_which_test_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment variables of an implementation do not contain the name of the running test."""
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "fixtures/scenarios/gate/edit-unread.yaml::2.1.7 (call)")
    assert search_for_answers(monkeypatch, Path(__file__).parent)["variables"] == []


@pytest.mark.slow
def test_confined_it_finds_no_fixtures_by_their_path_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--confine`, an implementation cannot even read the suite by its path."""
    assert search_for_answers(monkeypatch, Path(__file__).parent)["by its path"], "unconfined it finds them"
    found = search_for_answers(monkeypatch, Path(__file__).parent, find_sandbox())
    assert (found["by its path"], found["in the history"], found["along the path"]) == ([], False, [])

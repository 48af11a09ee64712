"""Damage to its workspace affects only the verdict of one scenario, and no files remain."""

from pathlib import Path

import pytest

from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
ERRORS = {
    "removes_the_base": "removed or replaced the directory two levels above its workspace",
    "removes_the_site": "removed or replaced the directory two levels above its workspace",
    "removes_what_it_is_in": "removed or replaced the directory above its workspace",
    "removes_home": "removed or replaced its home",
    "links_the_base": "removed or replaced the directory two levels above its workspace",
    "links_the_site": "removed or replaced the directory two levels above its workspace",
    "links_what_it_is_in": "removed or replaced the directory above its workspace",
    "links_home": "removed or replaced its home",
    "puts_a_file_in_its_place": "removed or replaced the directory two levels above its workspace",
    "digs": "cannot read the workspace: its directories are nested too deeply",
    "makes_a_file_immutable": "cannot clear the workspace: [Errno 1] Operation not permitted: 'victim.txt'",
    "makes_a_directory_immutable": "cannot clear the workspace: [Errno 1] Operation not permitted: 'er'",
    "makes_a_directory_append_only": "cannot clear the workspace: [Errno 1] Operation not permitted: 'entry'",
}
"""The expected error messages, by the name in vandals.py."""
FAILING = {"links_the_root", "removes_the_root", "leaves_odd_files", "mounts"}
"""Damage that is visible in the compared files, so that the scenario fails and is not an error."""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory outside the workspace, whose file must not change."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "precious.txt").write_text("precious")
    monkeypatch.setenv("READFIRST_TEST_OUTSIDE", str(folder))
    monkeypatch.chdir(HERE)
    return folder


@pytest.mark.parametrize("name", [*ERRORS, *sorted(FAILING)])
def test_damage_to_a_workspace_affects_only_the_verdict_of_its_scenario(
    suite: Suite, temporary: Path, outside: Path, name: str
) -> None:
    found = run(suite, f"python:vandals:{name}", ["2.1.7"], "text", options=RunOptions(time_limit=10))
    first, victim, third = found
    assert first.status == third.status == "passed"
    if name in ERRORS:
        assert (victim.status, victim.blame) == ("error", "implementation")
        assert ERRORS[name] in victim.reason
    else:
        assert victim.status == "failed"
        assert not victim.levels["effects"]
    assert (outside / "precious.txt").read_text() == "precious"
    assert list(temporary.iterdir()) == []

"""`readfirst new` writes a skeleton of a scenario: it can be loaded, has findings until it is filled in, and
replaces no existing file.
"""

import shutil
from pathlib import Path

import pytest

from readfirst.harness.lint.linter import lint
from readfirst.harness.suite.scenario_template import SkeletonError, write_skeleton
from readfirst.harness.suite.suite import Suite, default_root
from tests.command_line import exit_code
from tests.rows import rows


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    root = tmp_path / "fixtures"
    (root / "scenarios").mkdir(parents=True)
    for path in default_root().glob("*.yaml"):
        shutil.copy(path, root / path.name)
    return Suite(root)


def test_a_skeleton_can_be_read_and_replayed_as_it_is(suite: Suite) -> None:
    path = write_skeleton(suite, "staleness/a-new-case")
    assert path == suite.path("staleness/a-new-case")
    scenario = suite.scenario("staleness/a-new-case", require_expect=False)
    assert [call.tool for call in scenario.calls()] == ["Read", "Edit"]


def test_a_case_of_a_table_is_not_written_a_second_time(suite: Suite) -> None:
    read = "title: Read answers\ngiven: {files: {a.txt: x}}\nsteps: [{Read: {file_path: $WS/a.txt}}]\n"
    table = suite.scenarios_root / "gate" / "several.cases.yaml"
    table.parent.mkdir()
    table.write_text(f"{read}cases: {{a-case: {{title: Read answers}}, other: {{title: Read shows}}}}\n")
    with pytest.raises(SkeletonError, match=rf"gate/a-case already exists, in {table}"):
        write_skeleton(suite, "gate/a-case")
    assert [*table.parent.iterdir()] == [table]


@rows("scenario_id", ["", "slug", "Family/slug", "a/b/c", "../a/b", "a/b.yaml", "a/B", "/a/b", "a/-b"])
def test_what_is_not_an_id_is_refused_and_nothing_is_written(suite: Suite, scenario_id: str) -> None:
    with pytest.raises(SkeletonError, match="write family/slug"):
        write_skeleton(suite, scenario_id)
    assert list(suite.scenarios_root.iterdir()) == []


def test_the_command_shows_the_file_and_refuses_with_exit_code_2(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("new", "gate/new-case", "--fixtures", str(suite.root)) == 0
    assert capsys.readouterr().out == f"{suite.path('gate/new-case')}\n"
    assert exit_code("new", "gate/new-case", "--fixtures", str(suite.root)) == 2
    assert "already exists" in capsys.readouterr().err


def test_a_suite_of_ones_own_is_begun_where_there_is_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "my own" / "suite"
    assert exit_code("new", "gate/new-case", "--fixtures", str(mine)) == 0
    shown = capsys.readouterr()
    assert shown.out == f"{mine / 'scenarios/gate/new-case.yaml'}\n"
    assert shown.err == f"created a suite in {mine}\n"
    begun = Suite(mine)
    assert begun.scenario("gate/new-case", require_expect=False).contract == "2.1.7"
    assert (begun.name, begun.version) == ("suite", "0.1")
    assert {finding.rule for finding in lint(begun)} == {"title-style"}
    assert exit_code("new", "gate/other", "--fixtures", str(mine)) == 0
    assert begun.ids() == ["gate/new-case", "gate/other"]


def test_no_suite_is_begun_for_what_is_not_an_id_or_beside_something_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("new", "NO", "--fixtures", str(tmp_path / "mine")) == 2
    assert not (tmp_path / "mine").exists()
    (tmp_path / "notes.txt").write_text("mine")
    assert exit_code("new", "gate/x", "--fixtures", str(tmp_path)) == 4
    assert "there is no directory `scenarios` here" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    "command",
    [
        ["new", "gate/new-case"],
        ["product", "record", "gate/edit-unread"],
        ["product", "merge", "."],
        ["product", "bisect", "gate/edit-unread", "--record"],
        ["product", "snapshot", "latest"],
        ["product", "history", "--published"],
        ["product", "history", "--write"],
    ],
)
def test_nothing_is_written_to_the_installed_suite(
    suite: Suite, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed = suite.root.rename(suite.root.parent / "fixtures")
    monkeypatch.setattr("readfirst.__file__", str(installed.parent / "__init__.py"))
    before = sorted(installed.rglob("*"))
    assert exit_code(*command) == 2
    assert "--fixtures" in capsys.readouterr().err
    assert exit_code(*command, "--fixtures", str(installed)) == 2
    assert sorted(installed.rglob("*")) == before


def test_a_scenario_that_is_there_is_not_replaced(suite: Suite) -> None:
    path = write_skeleton(suite, "staleness/a-new-case")
    path.write_text("mine")
    with pytest.raises(SkeletonError, match="already exists"):
        write_skeleton(suite, "staleness/a-new-case")
    assert path.read_text() == "mine"

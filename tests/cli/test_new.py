from pathlib import Path

import pytest

from readfirst.harness.suite.scenario_template import TemplateError, write_template
from readfirst.harness.suite.suite import Suite, default_root
from tests.command_line import Cli
from tests.rows import rows
from tests.small_suites import lint, small_suite


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return small_suite(tmp_path / "fixtures", shared=[path.name for path in default_root().glob("*.yaml")])


def test_no_template_is_written_for_an_id_that_a_case_table_already_defines(suite: Suite) -> None:
    read = "title: Read answers\ngiven: {files: {a.txt: x}}\nsteps: [{Read: {file_path: $WS/a.txt}}]\n"
    table = suite.scenarios_root / "gate" / "several.cases.yaml"
    table.parent.mkdir()
    table.write_text(f"{read}cases: {{a-case: {{title: Read answers}}, other: {{title: Read shows}}}}\n")
    with pytest.raises(TemplateError, match=rf"gate/a-case already exists, in {table}"):
        write_template(suite, "gate/a-case")
    assert [*table.parent.iterdir()] == [table]


@rows("scenario_id", ["", "slug", "Family/slug", "a/b/c", "../a/b", "a/b.yaml", "a/B", "/a/b", "a/-b"])
def test_the_command_new_refuses_an_invalid_id_and_writes_no_file(suite: Suite, scenario_id: str) -> None:
    with pytest.raises(TemplateError, match="write family/slug"):
        write_template(suite, scenario_id)
    assert list(suite.scenarios_root.iterdir()) == []


def test_the_command_new_prints_the_path_of_its_file_and_replaces_none(readfirst: Cli, suite: Suite) -> None:
    path = suite.scenarios_root / "gate" / "new-case.yaml"
    assert readfirst("new", "gate/new-case", "--fixtures", suite.root)[:2] == (0, f"{path}\n")
    path.write_text("mine")
    ran = readfirst("new", "gate/new-case", "--fixtures", suite.root)
    assert (ran.code, "already exists" in ran.err) == (2, True)
    assert path.read_text() == "mine"


def test_the_command_new_creates_a_suite_in_a_missing_directory(readfirst: Cli, tmp_path: Path) -> None:
    mine = tmp_path / "my own" / "suite"
    created = (0, f"{mine / 'scenarios/gate/new-case.yaml'}\n", f"created a suite in {mine}\n")
    assert readfirst("new", "gate/new-case", "--fixtures", mine) == created
    begun = Suite(mine)
    scenario = begun.scenario("gate/new-case", require_expect=False)
    assert (scenario.contract, [call.tool for call in scenario.calls()]) == ("2.1.7", ["Read", "Edit"])
    assert (begun.name, begun.version) == ("suite", "0.1")
    assert readfirst("new", "gate/other", "--fixtures", mine).code == 0
    assert begun.ids() == ["gate/new-case", "gate/other"]
    assert {finding.rule for finding in lint(begun)} == {"title-style", "duplicate-title"}


def test_no_suite_is_created_for_a_wrong_id_or_among_other_files(readfirst: Cli, tmp_path: Path) -> None:
    assert readfirst("new", "NO", "--fixtures", tmp_path / "mine").code == 2
    assert not (tmp_path / "mine").exists()
    (tmp_path / "notes.txt").write_text("mine")
    ran = readfirst("new", "gate/x", "--fixtures", tmp_path)
    assert (ran.code, "there is no directory `scenarios` here" in ran.err) == (4, True)
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
def test_the_installed_suite_is_not_written(
    readfirst: Cli, suite: Suite, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = suite.root.rename(suite.root.parent / "fixtures")
    monkeypatch.setattr("readfirst.__file__", str(installed.parent / "__init__.py"))
    before = sorted(installed.rglob("*"))
    ran = readfirst(*command)
    assert (ran.code, "--fixtures" in ran.err) == (2, True)
    assert readfirst(*command, "--fixtures", installed).code == 2
    assert sorted(installed.rglob("*")) == before

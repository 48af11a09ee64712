"""The version of a suite, its division into parts for parallel runs, and disputed scenarios."""

import shutil
from pathlib import Path

import pytest

from readfirst.harness.report.export import export
from readfirst.harness.run.runner import run
from readfirst.harness.suite.selection import Selection, select
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from tests.rows import rows

BUNDLED = Suite()


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    left_out = {"scenarios", "recordings", "corpus"}
    shutil.copytree(BUNDLED.root, tmp_path / "f", ignore=lambda _folder, names: left_out & {*names})
    (tmp_path / "f/scenarios/gate").mkdir(parents=True)
    shutil.copy(BUNDLED.path("gate/edit-unread"), tmp_path / "f/scenarios/gate")
    (tmp_path / "f/suite.yaml").write_text('version: "1.1"\n')
    return Suite(tmp_path / "f")


def test_the_parts_for_parallel_runs_contain_every_scenario_exactly_once() -> None:
    shards = [select(BUNDLED, Selection(shard=(part, 4))) for part in (1, 2, 3, 4)]
    assert sorted(name for shard in shards for name in shard) == sorted(BUNDLED.ids())
    assert [select(Suite(BUNDLED.root), Selection(shard=(part, 4))) for part in (1, 2, 3, 4)] == shards
    both = [select(BUNDLED, Selection(families=("gate",), shard=(part, 2))) for part in (1, 2)]
    assert sorted([*both[0], *both[1]]) == select(BUNDLED, Selection(families=("gate",)))


def test_a_disputed_scenario_is_unspecified(suite: Suite) -> None:
    file = suite.path("gate/edit-unread")
    file.write_text(file.read_text().replace("given:", "disputed: https://example.org/1\ngiven:", 1))
    (verdict,) = run(suite, "reference", ["2.1.7"], ids=["gate/edit-unread"])
    assert (verdict.status, verdict.reason) == ("unspecified", "it is disputed: https://example.org/1")
    header, scenario, _ = export(suite, suite.contracts["2.1.7"], ["gate/edit-unread"])
    assert (header["suite"], scenario["disputed"]) == (suite.title, "https://example.org/1")


@rows(
    ("text", "problem"),
    [
        ("version: one\n", "version cannot be 'one'"),
        ('version: "1.0"\nreleases: []\n', "has no key 'releases'"),
        ("{}\n", "the file is empty"),
        ("name: ''\n", "name is empty"),
    ],
)
def test_an_invalid_suite_file_is_refused(suite: Suite, text: str, problem: str) -> None:
    (suite.root / "suite.yaml").write_text(text)
    with pytest.raises(SuiteError, match=problem):
        _ = Suite(suite.root).version

from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from tests.small_suites import small_suite

SCENARIO = """\
title: Read number {n}
requirement: should
tags: [read]
steps:
  - Read: {{file_path: $WS/{n}.txt}}
    expect: {{error: file_not_found, text: File does not exist.}}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    shared = ("contracts.yaml", "errors.yaml", "tags.yaml")
    return small_suite(tmp_path, {f"many/s{n}": SCENARIO.format(n=n) for n in range(5)}, shared=shared)


def test_the_ids_are_the_sorted_paths_of_scenario_files_but_not_below_symbolic_links(suite: Suite) -> None:
    (suite.scenarios_root / "a/b").mkdir(parents=True)
    (suite.scenarios_root / "a/b/c.yaml").touch()
    (suite.scenarios_root / "a/.hidden.yaml").touch()
    (suite.scenarios_root / "a/notes.txt").touch()
    (suite.scenarios_root / "loop").symlink_to(".")
    assert suite.ids() == ["a/b/c", *(f"many/s{number}" for number in range(5))]


def test_a_scenario_is_read_only_when_it_is_used(suite: Suite) -> None:
    (suite.scenarios_root / "many/s1.yaml").write_text("title: [\n")
    assert suite.scenario("many/s0").title == "Read number 0"
    with pytest.raises(SuiteError, match=r"s1\.yaml:2:1"):
        suite.scenario("many/s1")

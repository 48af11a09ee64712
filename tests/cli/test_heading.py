"""The metadata of scenarios that a list shows equal those of the complete file, in any order of keys, also for a
case of a table.
"""

from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from tests.rows import rows
from tests.small_suites import small_suite


@rows(
    "text",
    [
        "title: A\nrequirement: must\nrule: r\ntags: [a, b-c]\nsteps: x\n",
        "steps: x\nrule: r\ntags:\n  - a\n  - 'b-c'\nrequirement: must\ntitle: A\n",
        '# A comment\ntitle: "\\x41"\nabout: B\nrequirement: must\nrule: r\ntags: [a, b-c]\ngiven: [\n',
    ],
)
def test_what_follows_the_heading_is_not_checked(tmp_path: Path, text: str) -> None:
    heading = small_suite(tmp_path, {"a/b": text}).heading("a/b")
    assert (heading.title, heading.requirement, heading.tags, heading.rule) == (
        "A",
        "must",
        ("a", "b-c"),
        "r",
    )


def test_a_case_has_the_heading_of_its_file_with_its_own_values(tmp_path: Path) -> None:
    cases = "cases:\n  b: {what: here, tags: [c]}\n  d: {what: there}\n"
    table = f"title: It is <what>\nrequirement: must\ntags: [a]\nsteps: x\n{cases}"
    suite = small_suite(tmp_path, {"a/x.cases": table})
    assert suite.ids() == ["a/b", "a/d"]
    assert [(each.title, each.tags) for each in map(suite.heading, suite.ids())] == [
        ("It is here", ("c",)),
        ("It is there", ("a",)),
    ]


@rows("text", ["title: [A]\nrequirement: must\nsteps: []\n", "title: A\nrequirement: maybe\nsteps: []\n"])
def test_a_damaged_heading_is_reported(tmp_path: Path, text: str) -> None:
    suite = small_suite(tmp_path, {"a/b": text})
    with pytest.raises(SuiteError, match=r"b\.yaml:(1:8|2:14): "):
        suite.heading("a/b")


@pytest.mark.slow
def test_the_headings_of_the_whole_suite_are_what_its_files_say() -> None:
    suite = Suite()
    for scenario_id in suite.ids():
        heading, scenario = suite.heading(scenario_id), suite.scenario(scenario_id, require_expect=False)
        whole = (scenario.title, scenario.requirement, scenario.tags, scenario.rule)
        assert (heading.title, heading.requirement, heading.tags, heading.rule) == whole

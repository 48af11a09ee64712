"""Only listed scenarios of the bundled suite may name paths outside the workspace, and no file can claim to be one."""

import shutil
from pathlib import Path

import pytest

from readfirst.harness.source.finding import SuiteError
from readfirst.harness.suite.confinement import OUTSIDE
from readfirst.harness.suite.scenario import calls_of
from readfirst.harness.suite.suite import Suite, default_root
from tests.rows import rows

BUNDLED = Suite()
PARTS = 8
"""The scenarios are divided: the quick tests read one part."""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    root = tmp_path_factory.mktemp("copied") / "fixtures"
    ignored = shutil.ignore_patterns("recordings", "crossed")
    shutil.copytree(default_root(), root, ignore=ignored)
    return Suite(root)


@rows("scenario_id", OUTSIDE)
def test_a_listed_scenario_is_read_from_the_bundled_suite_alone(scenario_id: str, copied: Suite) -> None:
    assert BUNDLED.scenario(scenario_id)
    with pytest.raises(SuiteError, match="call-outside-workspace"):
        copied.scenario(scenario_id)


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))]
)
def test_all_others_are_read_from_a_copy_as_well(part: int, copied: Suite) -> None:
    for scenario_id in sorted({*copied.ids()} - {*OUTSIDE})[part::PARTS]:
        assert copied.scenario(scenario_id)


def test_a_suite_is_bundled_by_its_place_and_nothing_in_it(copied: Suite, tmp_path: Path) -> None:
    assert BUNDLED.bundled
    assert Suite(default_root()).bundled
    assert not copied.bundled
    pointing = tmp_path / "fixtures"
    pointing.mkdir()
    (pointing / "scenarios").symlink_to(default_root() / "scenarios")
    assert not Suite(pointing).bundled


def test_no_listed_scenario_has_anything_made_beside_the_root_of_this_machine() -> None:
    """Who makes a file that is missing would leave it there, and the next run would find it."""
    asked = [
        (scenario.id, str(value))
        for scenario in map(BUNDLED.scenario, OUTSIDE)
        if scenario.platform != "windows"
        for step in scenario.steps
        for call in calls_of(step)
        if call.tool != "Read"
        for value in call.arguments.values()
    ]
    assert "paths/tilde-user-write" in dict(asked)
    assert [each for each in asked if each[1].startswith("/")] == []

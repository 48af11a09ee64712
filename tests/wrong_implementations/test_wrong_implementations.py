import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType

import altered
import pytest
import test_in_processes
import wrong_owners
import wrong_sizes
from new_harms import judge_with_harms

from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import SUITE, judge_scenario
from tests.rows import rows
from tests.small_disks import may_mount

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
CLASSES = {
    module: [
        each for _, each in inspect.getmembers(module, inspect.isclass) if each.__module__ == module.__name__
    ]
    for module in (import_module(file.stem) for file in sorted(FOLDER.glob("wrong_*.py")))
}
MODULES = [module for module, kinds in CLASSES.items() if any(map(altered.detection_of, kinds))]
"""Their decorators state which scenarios detect the implementations. The others have tables: test_tables.py."""
EVERY = {each: altered.detection_of(each) for module in MODULES for each in CLASSES[module]}
DETECTIONS = {each: detection for each, detection in EVERY.items() if detection is not None}
CASES = [(each, scenario_id) for each, detection in DETECTIONS.items() for scenario_id in detection.by]
ON_A_SMALL_DISK = [case for case in CASES if case[1].startswith("full-disk/")]
OF_MEGABYTES = [
    case for case in CASES if case[0] in (wrong_sizes.TakesFourMebibytes, wrong_sizes.ReplacesTenThousand)
]
"""Only the slow tests check pairs that take as long as fifty others."""
IN_PROCESSES = {name for name, *_ in (*test_in_processes.ENDED, *test_in_processes.AT_ONCE)}
"""test_in_processes.py tests these."""
RIGHT = {"Survives", "WritesInPlace", "WritesACopy", "Outlasts", "Locks"}
"""Correct, although they look wrong."""
PARTS = {"_Knowing", "TakesAnyMatch", "OverlooksDenyRules"}
"""Base classes. Their implementations are in these modules or in test_exceptions.py."""


@pytest.mark.parametrize("module", MODULES, ids=lambda each: each.__name__)
def test_each_wrong_implementation_is_detected_by_the_scenarios_of_its_decorator(
    module: ModuleType, place: WorkspacePool
) -> None:
    others = [*ON_A_SMALL_DISK, *OF_MEGABYTES]
    cases = [case for case in CASES if case[0].__module__ == module.__name__ and case not in others]
    rows(("implementation", "scenario_id"), cases)(is_caught)(place=place)


@pytest.mark.slow
@pytest.mark.parametrize(("implementation", "scenario_id"), OF_MEGABYTES)
def test_mistakes_with_texts_of_megabytes_are_detected_by_their_scenarios(
    implementation: type[altered.Altered], scenario_id: str, place: WorkspacePool
) -> None:
    is_caught(implementation, scenario_id, place)


def test_mistakes_on_a_full_disk_are_detected_by_their_scenarios(place: WorkspacePool) -> None:
    if not may_mount():
        pytest.skip("no disk can be mounted here")
    rows(("implementation", "scenario_id"), ON_A_SMALL_DISK)(is_caught)(place=place)


def is_caught(implementation: type[altered.Altered], scenario_id: str, place: WorkspacePool) -> None:
    """Assert that the scenario detects the implementation, and harm unless the mistake is stated to be harmless."""
    detection = DETECTIONS[implementation]
    if detection.after:
        assert judge_scenario(SUITE.scenario(detection.after), implementation, place=place).status == "passed"
    verdict, found = judge_with_harms(implementation, scenario_id, place)
    assert (verdict.status, verdict.blame) == ("failed", detection.blame), verdict.reason
    assert not verdict.levels[detection.level]
    if detection.what and scenario_id == detection.by[0]:
        first = verdict.differences[0]
        assert (first.level, first.what, first.blame) == (detection.level, detection.what, detection.blame)
    if any(each.kind == "lost" for each in found):
        rule = SUITE.heading(scenario_id).rule
        assert SUITE.rules is not None
        assert SUITE.rules[rule].class_ == "safety", f"{rule} loses work, and --class safety leaves it out"
    if detection.level == "effects":
        harmless = detection.harmless and scenario_id not in detection.harmful
        assert bool(found) != bool(harmless), [each.line for each in found]


def test_every_scenario_of_the_families_reported_and_moved_world_detects_an_implementation() -> None:
    families = {each for each in SUITE.ids() if each.startswith(("reported/", "moved-world/"))}
    assert families <= {scenario_id for detection in DETECTIONS.values() for scenario_id in detection.by}


def test_every_wrong_implementation_is_tested_and_has_a_docstring() -> None:
    unmarked = [each for each in EVERY.keys() - DETECTIONS.keys() if not each.__subclasses__()]
    assert {each.__name__ for each in unmarked} <= IN_PROCESSES | RIGHT | PARTS
    assert len(DETECTIONS) >= 190
    assert all(each.__doc__ and each.__doc__ != altered.Altered.__doc__ for each in EVERY)


def test_harm_md_states_how_many_wrong_implementations_do_harm() -> None:
    differ = [each for each in DETECTIONS.values() if each.level == "effects"]
    named = [(each, by) for each in differ for by in each.by]
    harmful = sum(not each.harmless or by in each.harmful for each, by in named)
    page = " ".join((ROOT / "docs/harm.md").read_text("utf-8").split())
    assert f"Of the {len(DETECTIONS)} wrong implementations of" in page
    assert (
        f"{len(differ)} differ in effects from a correct implementation. The tests list {len(named)} scenarios"
        in page
    )
    assert f"In {harmful} of the {len(named)} scenarios the judge" in page
    assert f"In {len(named) - harmful} of the {len(named)} scenarios the mistake" in page


@pytest.mark.parametrize(
    "scenario_id",
    [each for each in SUITE.ids() if each.startswith(("ownership/edit-of-", "ownership/write-over-"))],
)
def test_a_write_in_place_keeps_the_owner_and_a_write_of_a_copy_spoils_the_file(scenario_id: str) -> None:
    in_place, copy = (
        judge_scenario(scenario_id, kind, "effects", harm=True)
        for kind in (wrong_owners.WritesInPlace, wrong_owners.WritesACopy)
    )
    if in_place.status == "unsupported":
        pytest.skip(in_place.reason)
    assert in_place.levels["effects"], in_place.differences
    assert not in_place.harms
    assert [harm.kind for harm in copy.harms] == ["spoiled"]

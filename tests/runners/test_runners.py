"""The three runners agree. `observatory/tools/opinions.py` compares them with more implementations."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.runners.verdicts import (
    JUDGING_RUNNERS,
    REFERENCE,
    SERVE_WRONG,
    SUITE,
    WRONG,
    disagreements,
    go_verdicts,
    harness_verdicts,
    node_verdicts,
    skeleton,
    write_export,
)

Runner = Callable[[Sequence[str], Path, Path], dict]
_SAMPLE = sorted({*SUITE.ids()[::40], "two-sessions/turn-by-turn"})


def compare_runners(command: Sequence[str], ids: Sequence[str], folder: Path, *runners: Runner) -> int:
    """Assert that runners have the same verdicts on a program as the harness. Return the number of verdicts."""
    suite = write_export(folder / "suite.jsonl.gz", ids)
    ours = harness_verdicts(command, ids)
    for number, runner in enumerate(runners):
        theirs = runner(command, suite, folder / f"verdicts-{number}.jsonl")
        assert disagreements(ours, theirs) == {}
        assert theirs.keys() == ours.keys()
    return len(ours)


@pytest.mark.parametrize(
    ("language", "runner"),
    [
        pytest.param("go", go_verdicts, marks=pytest.mark.go),
        pytest.param("typescript", node_verdicts, marks=pytest.mark.node),
    ],
)
def test_a_runner_has_the_same_verdicts_on_a_skeleton_as_the_harness(
    language: str, runner: Runner, tmp_path: Path
) -> None:
    assert compare_runners(skeleton(language, tmp_path), _SAMPLE, tmp_path, runner) >= 40


@JUDGING_RUNNERS
def test_a_runner_passes_no_scenario_for_another_operating_system(runner: Runner, tmp_path: Path) -> None:
    ids = [each for each in SUITE.ids() if each.startswith(("platforms/", "ownership/"))]
    verdicts = runner(REFERENCE, write_export(tmp_path / "suite.jsonl.gz", ids), tmp_path / "verdicts.jsonl")
    assert verdicts.pop("platforms/names-in-two-cases") == ("judged", "safe", "effects", "reason", "text")
    assert set(verdicts.values()) == {("unsupported",)}
    assert len(verdicts) == len(ids) - 1 >= 38


@pytest.mark.runners
def test_all_three_runners_have_the_same_verdicts_on_the_reference(tmp_path: Path) -> None:
    sample, interrupted = SUITE.ids()[::8], [each for each in SUITE.ids() if each.startswith("interrupted/")]
    ids = sorted({*sample, *interrupted})
    assert compare_runners(REFERENCE, ids, tmp_path, go_verdicts, node_verdicts) >= 200


SHOWING = [each for each in WRONG if each.startswith("wrong_showing:")]
TRIED = [*WRONG[::4], *(each for each in SHOWING if each not in WRONG[::4])]


@pytest.mark.runners
@pytest.mark.parametrize("name", TRIED)
def test_the_three_runners_have_the_same_verdicts_on_a_wrong_implementation(
    name: str, tmp_path: Path
) -> None:
    """Each implementation is compared in a different part of the scenarios."""
    ids = SUITE.ids()[WRONG.index(name) :: len(WRONG)]
    assert compare_runners([*SERVE_WRONG, name], ids, tmp_path, go_verdicts, node_verdicts) >= 20


def test_a_verdict_of_a_runner_that_differs_from_the_harness_is_detected() -> None:
    one, two, three = _SAMPLE[:3]
    ours = {one: ("judged", "safe", "effects"), two: ("judged", "safe"), three: ("error",)}
    theirs = {one: ("judged", "safe", "effects"), two: ("judged",), three: ("judged", "safe")}
    assert disagreements(ours, theirs).keys() == {two, three}

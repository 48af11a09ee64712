"""Surveys with several jobs: several targets at the same time, or the scenarios of one target in parallel."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.survey import survey as surveys
from readfirst.observatory.survey.survey import Survey
from readfirst.observatory.targets.catalogue import find
from tests.judging import SUITE

from .made_verdicts import verdicts


class Meeting:
    """A substitute for `run`: each call waits until `expected` calls are active at the same time."""

    def __init__(self, expected: int) -> None:
        self.barrier = threading.Barrier(expected, timeout=10)
        self.asked: list[dict[str, Any]] = []

    def __call__(self, _suite: Suite, connect_string: str, *given: Any, apart: bool) -> Iterator[Verdict]:
        self.asked.append({"target": connect_string, "jobs": given[-1].jobs, "apart": apart})
        self.barrier.wait()
        if connect_string == "target:agno-gated@3.1.10":
            raise AdapterError("the target cannot be installed")
        yield from verdicts()


def test_targets_are_run_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = Meeting(2)
    monkeypatch.setattr(surveys, "run", meeting)
    survey = Survey(SUITE, tmp_path, options=RunOptions(jobs=5))
    results = dict(survey.run_all([find("agno"), find("agno-gated")]))
    assert results.keys() == {"agno@3.1.10", "agno-gated@3.1.10"}
    assert isinstance(results["agno-gated@3.1.10"], AdapterError)
    assert [(each["jobs"], each["apart"]) for each in meeting.asked] == [(2, True), (2, True)]
    survey.write(["agno-gated@3.1.10", "agno@3.1.10"])
    data = json.loads((tmp_path / "implementations.json").read_text())
    assert [each["target"] for each in data["targets"]] == ["agno@3.1.10"]


def test_jobs_of_one_target_replay_its_scenarios(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = Meeting(1)
    monkeypatch.setattr(surveys, "run", meeting)
    ((name, _),) = Survey(SUITE, tmp_path, options=RunOptions(jobs=3)).run_all([find("agno")])
    assert name == "agno@3.1.10"
    assert [(each["jobs"], each["apart"]) for each in meeting.asked] == [(3, False)]


def test_what_else_goes_wrong_in_a_target_ends_the_survey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2, timeout=10)
    """Without it one of the two threads would still install its target when the test is over."""

    def fails(*_: Any, **__: Any) -> Iterator[Verdict]:
        both.wait()
        raise ZeroDivisionError
        yield

    monkeypatch.setattr(surveys, "run", fails)
    with pytest.raises(ZeroDivisionError):
        list(Survey(SUITE, tmp_path, options=RunOptions(jobs=2)).run_all([find("agno"), find("agno-gated")]))


@pytest.mark.slow
def test_a_run_apart_gives_the_same_verdicts() -> None:
    ids = ["gate/edit-unread", "matching/unique-match"]

    def statuses(*, apart: bool) -> list[tuple[str, str]]:
        found = run(SUITE, "reference", ["2.1.7"], ids=ids, apart=apart)
        return [(each.scenario_id, each.status) for each in found]

    assert statuses(apart=True) == statuses(apart=False) == [(each, "passed") for each in ids]

import json
from pathlib import Path
from typing import Any

import pytest

from tests.rows import rows
from tools import verdicts

HELD = {"effects": True, "reason": True, "text": False, "verbatim": False}
FAILED: dict[str, Any] = {
    "type": "verdict",
    "scenario": "gate/edit-unread",
    "contract": "2.1.7",
    "status": "failed",
    "levels": HELD,
    "milliseconds": 1.5,
    "differences": [{"step": 2, "level": "text", "what": "text"}],
}


def line_of(**changed: Any) -> str:
    (line,) = verdicts.verdict_lines(json.dumps({"type": "header"}) + "\n" + json.dumps(FAILED | changed))
    return line


@rows(
    "changed",
    [
        {"status": "passed"},
        {"scenario": "gate/write-unread"},
        {"contract": "2.1.40"},
        {"levels": HELD | {"reason": False}},
        {"differences": [{"step": 3, "level": "text", "what": "text"}]},
        {"blame": "adapter"},
    ],
)
def test_the_line_of_a_verdict_changes_if_more_than_its_duration_changes(changed: dict[str, Any]) -> None:
    assert line_of() == "failed ER 2.1.7 gate/edit-unread step 2: text text" == line_of(milliseconds=7)
    assert line_of(**changed) != line_of()


def test_the_list_of_an_output_does_not_depend_on_directory_and_time() -> None:
    for folder, seconds in (("/one", "1.2"), ("/two", "17")):
        output = f"{folder}/run.jsonl, {seconds} s: 3 passed"
        lines = verdicts.printed(output, Path(folder), Path("/checkout"))
        assert [*lines] == ["FOLDER/run.jsonl, TIME: 3 passed"]


def test_whether_an_id_is_in_a_sample_does_not_depend_on_other_ids() -> None:
    ids = [f"family/{number}" for number in range(400)]
    chosen = verdicts.share(ids, 8)
    assert 20 <= len(chosen) <= 80
    more = verdicts.share([*ids[:200], "family/new", *ids[200:]], 8)
    assert [each for each in more if each != "family/new"] == chosen


FORMER = {
    "groups": [{"fails": ["effects", "reason"], "because": "x", "scenarios": {"gate": ["edit-unread"]}}],
    "accepted": [{"scenario": "state/a", "contract": "2.1.40", "fails": ["text"], "because": "varies"}],
}
TODAY = {
    "accepted": [
        {"scenario": "gate/edit-unread", "level": "effects", "reason": "r"},
        {"scenario": "state/a", "contract": "2.1.40", "level": "text", "varies": True, "reason": "r"},
    ]
}


def test_the_former_and_the_current_form_of_a_baseline_give_the_same_lines() -> None:
    lines = ["gate/edit-unread 2.1.7 effects", "state/a 2.1.40 text varies"]
    assert [*verdicts.accepted_lines(FORMER)] == [*verdicts.accepted_lines(TODAY)] == lines


@pytest.mark.slow
def test_the_baselines_of_the_checkout_are_listed(tmp_path: Path) -> None:
    tasks = [*verdicts.baselines(verdicts.Checkout(Path(verdicts.__file__).parents[1]))]
    assert len(tasks) > 30
    assert all([*task.lines(tmp_path)] for task in tasks)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("wrong_state.NoReadCheck", "failed S 2.1.7 gate/edit-unread step 1: effects refused"),
        ("verdict_cases.gate_open_for_no_extension", "failed - 2.1.7 "),
    ],
)
def test_failures_of_a_wrong_implementation_are_listed(tmp_path: Path, name: str, line: str) -> None:
    verdicts.main([str(tmp_path / "verdicts"), "--quick", "--only", f"wrong/{name}"])
    lines = (tmp_path / "verdicts" / "wrong" / f"{name}.txt").read_text("utf-8").splitlines()
    assert any(each.startswith(line) for each in lines)

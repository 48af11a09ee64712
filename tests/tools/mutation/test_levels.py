"""Mutants can be judged by harm alone, or by effects, and by the scenarios of some families alone."""

from dataclasses import replace
from pathlib import Path

import pytest
from scenarios import scenario_panel
from test_mutants_of_exceptions import small_checkout

from readfirst.harness.adapters import reference
from readfirst.reference_impl import FileTools, Result

pytestmark = pytest.mark.mutation

CASE = "2.1.7 gate/edit-unread"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reference, "_result", reference._result)
    return small_checkout(tmp_path, hidden=True)


def test_other_words_are_noticed_at_the_level_text_alone(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = FileTools._answer

    def otherwise(tools: FileTools, *arguments: object) -> Result:
        result = answer(tools, *arguments)  # type: ignore[arg-type]
        return replace(result, text=f"{result.text} Really.")

    monkeypatch.setattr(FileTools, "_answer", otherwise)
    found = {
        level: scenario_panel(checkout, {}, level=level).open_judge({})(CASE)
        for level in ("safe", "effects", "text")
    }
    assert (found["safe"], found["effects"], found["text"] != "") == ("", "", True)


def test_only_what_is_asked_for_judges(checkout: Path) -> None:
    every = scenario_panel(checkout, {}).cases
    default = scenario_panel(checkout, {}, level="safe").cases
    assert set(default) == {each for each in every if each.startswith("2.1.7 ")} < set(every)
    assert scenario_panel(checkout, {}, families=["gate"]).cases == every
    assert scenario_panel(checkout, {}, families=["deletion"], level="safe").cases == []

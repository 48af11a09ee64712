"""Mutants can be judged at the level of effects, or only by harm."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from confinement import Confined
from page import by_harm, confidence_interval
from scenarios import _require_error_names, scenario_panel, weight_of
from test_mutants_of_exceptions import small_checkout
from tiny_package import WRONG, panel, reaching
from trial import trials

from readfirst.harness.adapters import reference
from readfirst.reference_impl import FileTools, Result
from readfirst.reference_impl.tools import edit

pytestmark = pytest.mark.mutation

CASE = "2.1.7 gate/edit-unread"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reference, "_result", reference._result)
    return small_checkout(tmp_path, hidden=True)


def test_other_words_are_noticed_at_the_level_text_alone(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = FileTools._answer_call

    def otherwise(tools: FileTools, *arguments: object) -> Result:
        result = answer(tools, *arguments)  # type: ignore[arg-type]
        return replace(result, text=f"{result.text} Really.")

    monkeypatch.setattr(FileTools, "_answer_call", otherwise)
    found = {
        level: scenario_panel(checkout, {}, level=level).open_judge({})(CASE) for level in ("effects", "text")
    }
    assert (found["effects"], found["text"] != "") == ("", True)


def test_an_edit_without_a_read_is_a_harm_that_the_recording_does_not_have(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = scenario_panel(checkout, {}, level="effects").open_judge({})
    assert judge(CASE) == ""
    monkeypatch.setattr(edit, "refuse_unread", lambda *_, **__: None)
    monkeypatch.setattr(edit, "refuse_stale", lambda *_, **__: None)
    assert judge(CASE).startswith("blind: ")


def test_a_trial_goes_on_until_a_case_shows_harm() -> None:
    assert (
        1
        == weight_of("lost: line 1")
        > weight_of("overcautious: x")
        > weight_of("failed: x")
        > weight_of("error: x")
    )
    found = {"small": "failed: 3, not 1", "large": "lost: line 1"}
    looking = replace(
        panel({name: lambda level=level: level for name, level in found.items()}), weight=weight_of
    )
    (fate,) = trials(looking, reaching(found), [WRONG], jobs=1)
    assert (fate.by, fate.how, fate.worst) == ("small", found["small"], found["large"])
    assert "| harm (1 lost) | 1 | 100 % | 21 to 100 % |" in by_harm([fate])
    assert "bounds.clipped" not in by_harm([fate])
    assert "- bounds.clipped: if number > LIMIT" in by_harm([replace(fate, worst=fate.how)])


def test_what_a_trial_needs_for_commands_and_reminders_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "_result", reference._result)
    _require_error_names()
    result = reference._result(Result("done", False, None, None, ("a.txt was changed",)))
    assert (result.error, result.reminders) == (None, ("a.txt was changed",))
    assert reference._result(Result("no", True, None, None)).error == "unnamed"

    def writes() -> int:
        with TemporaryFile() as file:
            return file.write(b"said")

    assert Confined(writes).result() == 4


def test_the_interval_of_a_share_is_that_of_wilson() -> None:
    assert [round(each) for each in confidence_interval(11, 24)] == [28, 65]
    assert confidence_interval(0, 0) == (0.0, 100.0)


def test_only_what_is_asked_for_judges(checkout: Path) -> None:
    every = scenario_panel(checkout, {}).cases
    default = scenario_panel(checkout, {}, level="effects").cases
    assert set(default) == {each for each in every if each.startswith("2.1.7 ")} < set(every)

import re
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise
from pathlib import Path

import pytest

import readfirst.reference_impl
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.suite import Suite
from readfirst.reference_impl import DEFAULT_CONTRACT, FileTools, behaviours_of
from readfirst.reference_impl.behaviours.calls import CallBehaviours
from readfirst.reference_impl.behaviours.versioned import RECORDED, ByModel, History, behaviour
from readfirst.reference_impl.behaviours_by_version import behaviour_histories, group_of, history_of
from tests.rows import rows

CODE = Path(readfirst.reference_impl.__file__).parent
SOURCES = {path.relative_to(CODE).as_posix(): path.read_text(encoding="utf-8") for path in CODE.rglob("*.py")}
NAMES = list(behaviour_histories())
SUITE = Suite()
RECORDINGS = Recordings(SUITE.recordings_root)


def test_every_behaviour_in_the_table_is_used_by_the_code():
    asked = set(re.findall(r"behaviours\.(\w+\.\w+)", "\n".join(SOURCES.values())))
    assert [name for name in NAMES if f"{group_of(name)}.{name}" not in asked] == []


SENTENCE = re.compile(
    r"(?!(?:And|But|It|Its|This|These|Such|What|Which|When|How|None)\b)[A-Z`.].+ .+[^ .]\.", re.DOTALL
)
"""A sentence that is complete and does not refer to an earlier sentence."""


def test_every_behaviour_differs_between_contracts_and_has_a_meaning():
    for name in NAMES:
        history = history_of(name)
        values = [history.first, *history.changes.values()]
        assert all(before != after for before, after in pairwise(values)), name
        assert history.changes or history.documented != history.first, name
        assert SENTENCE.fullmatch(history.meaning), name


def test_only_the_table_of_behaviours_uses_names_of_contracts():
    for file, text in SOURCES.items():
        if file not in ("behaviours_by_version.py", "__init__.py") and not file.startswith("behaviours/"):
            assert not re.search(r"contract\s*(==|!=|in\b|<|>)", text), file
            assert '"2.1.7"' not in text, file


def test_every_behaviour_has_a_source_and_scenarios() -> None:
    """The source of a behaviour is a section of a published document, or the recordings of its scenarios."""
    documents = SUITE.contracts["documented"].documents
    for name in NAMES:
        history = history_of(name)
        assert history.shown_by, name
        assert all(SUITE.path(each).is_file() for each in history.shown_by), name
        if history.source == RECORDED:
            assert all(RECORDINGS.path(each).is_file() for each in history.shown_by), name
            continue
        for each in history.source.split("; "):
            document, _, section = each.partition(", ")
            assert document in documents, name
            assert section, name


def test_a_group_of_behaviours_has_all_its_values_and_cannot_be_changed() -> None:
    group = behaviours_of(DEFAULT_CONTRACT).calls
    same, other = replace(group), replace(group, multi_edit_exists=not group.multi_edit_exists)
    assert (same, hash(same), repr(same)) == (group, hash(group), repr(group))
    assert other != group
    assert repr(other) != repr(group)
    for wrong in ({}, {**vars(group), "no_such_behaviour": True}):
        with pytest.raises(TypeError, match="CallBehaviours lacks or does not know: "):
            CallBehaviours(**wrong)
    with pytest.raises(FrozenInstanceError, match="multi_edit_exists"):
        group.multi_edit_exists = False
    with pytest.raises(FrozenInstanceError, match="multi_edit_exists"):
        del group.multi_edit_exists
    assert same == group


@rows("name", ["9.9.9", "2.1", "2.1.7+gated", "0.2.125", "2.1.328+", "", "default"])
def test_an_unknown_contract_is_refused(tmp_path, name):
    message = r"unknown contract .*; the reference knows documented, the versions 0\.2"
    with pytest.raises(ValueError, match=message):
        FileTools(name, root=tmp_path)


def test_a_version_has_the_value_of_the_latest_change_before_it():
    changes = {(1, 0, 21): "new", (2, 1, 208): ByModel("asks", "does not ask")}
    history = History("old", changes, "told", (), "Something is so.", "recorded")
    values = [history.at(version, relaxed=False) for version in ((1, 0, 20), (1, 0, 21), (2, 1, 300))]
    assert values == ["old", "new", "asks"]
    assert history.at((2, 1, 208), relaxed=True) == "does not ask"


def test_the_example_on_the_page_about_the_reference_works(tmp_path, monkeypatch, capsys):
    page = (CODE.resolve().parent / "docs" / "reference.md").read_text(encoding="utf-8")
    example = page.partition("```python\n")[2].partition("```")[0]
    (tmp_path / "project").mkdir()
    (tmp_path / "project/notes.txt").write_text("beta\n")
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/reference.md", "exec"), {})
    assert capsys.readouterr().out == (
        "     1→beta\n     2→ False None None\n"
        "string_not_found 8 String to replace not found in file.\nString: alpha\n"
    )


@rows(
    ("first", "changes"),
    [
        (False, {"2.1.7": True, "1.0.60": False}),
        (False, {"2.1.7": False}),
        ("any", {"2.1.7": "strict", "2.1.40": "strict"}),
        (None, {"2.1.7": True}),
        (True, {"2.1.7": ByModel(enforced=False, relaxed=None)}),
    ],
)
def test_a_behaviour_whose_history_is_inconsistent_is_refused(first, changes):
    with pytest.raises(AssertionError):
        behaviour(first, changes, meaning="Something is so.")

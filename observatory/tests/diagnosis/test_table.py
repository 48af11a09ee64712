"""The table that diagnoses start from: made on first use, kept in the user's cache, and made anew where it is stale."""

from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.json_file import KeptError
from readfirst.observatory.diagnosis import lookup_table as module
from readfirst.observatory.diagnosis.fingerprint import AS_EXPECTED, BROKEN, Fingerprint
from readfirst.observatory.diagnosis.lookup_table import (
    Row,
    Table,
    sample,
    table_file,
    up_to_date,
)
from readfirst.observatory.diagnosis.observation import comparable
from readfirst.reference_impl.behaviours_by_version import behaviour_histories
from tests.rows import rows
from tests.small_suites import small_suite

ID = "gate/edit-unread"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A suite of one scenario, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return small_suite(tmp_path / "suite", {ID: Suite().path(ID).read_bytes()})


def made_now(suite: Suite) -> tuple[Table, list[int]]:
    """Return the table, and how many scenarios were replayed for it: what was begun, then each step."""
    seen: list[int] = []
    return up_to_date(suite, 1, seen.append, lambda: seen.append(1)), seen


def test_a_table_is_made_once_and_again_for_what_changed(small: Suite) -> None:
    table, replayed = made_now(small)
    assert replayed == [1, 1]
    assert table.rows[ID].changed["edit_needs_read=false"] != AS_EXPECTED
    assert made_now(small) == (table, [])
    file = small.path(ID)
    file.write_bytes(file.read_bytes() + b"\n")
    assert made_now(Suite(small.root))[1] == [1, 1]


def test_a_table_of_another_reference_or_a_damaged_one_is_made_anew(
    small: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, _ = made_now(small)
    table_file().write_text("{")
    assert made_now(small) == (table, [1, 1])
    monkeypatch.setattr(module, "reference_digest", lambda: "another")
    assert made_now(small)[1] == [1, 1]


def test_the_sample_shows_every_behaviour_and_every_rule() -> None:
    suite = Suite()
    chosen = set(sample(suite))
    known = set(suite.ids())
    assert all(
        chosen & {*history.shown_by}
        for history in behaviour_histories().values()
        if known & {*history.shown_by}
    )
    assert {suite.heading(each).rule for each in chosen} == {suite.heading(each).rule for each in known}
    assert len(chosen) <= module.MOST_ROWS


def test_what_needs_a_process_of_its_own_and_what_is_lacking_is_left_out() -> None:
    table = Table("x", {"a/b": Row("1", {"2.1.7": BROKEN}, {}), "a/c": Row("1", {"2.1.7": AS_EXPECTED}, {})})
    observed = {"a/b": AS_EXPECTED, "a/c": AS_EXPECTED, "a/d": AS_EXPECTED, "a/e": Fingerprint("lacks Write")}
    assert [*comparable(table, observed)] == ["a/c", "a/d"]


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    row = Row(
        "123", {"2.1.7": Fingerprint("ab", "cd"), "2.1.40": Fingerprint()}, {"a=1": Fingerprint("", "ef")}
    )
    table = Table("456", {"gate/b": row, "gate/a": Row("7", {}, {})})
    file = tmp_path / "table.json"
    table.write(file)
    assert Table.read(file) == table
    names = ["2.1.6", "2.1.7", "2.1.8", "2.1.40"]
    assert [*row.in_contracts(names).values()] == [("", ""), ("ab", "cd"), ("ab", "cd"), ("", "")]


@rows("text", ["", "{}", "[]", '{"format": 3}', '{"format": 2, "reference": "", "scenarios": []}'])
def test_what_is_not_a_table_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "table.json"
    file.write_text(text)
    with pytest.raises(KeptError, match=r"format.*readfirst diagnose"):
        Table.read(file)

"""The table that diagnoses start from is fresh, and says what the reference does."""

import ast
from pathlib import Path

import pytest

from readfirst.harness.cli import exits
from readfirst.harness.source.kept import KeptError
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis import table as module
from readfirst.observatory.diagnosis.fingerprint import AS_EXPECTED, Fingerprint
from readfirst.observatory.diagnosis.observation import comparable
from readfirst.observatory.diagnosis.replays import Replays
from readfirst.observatory.diagnosis.table import Row, Table, made, reference_digest, row_of, scenario_digest
from tests.command_line import exit_code
from tests.rows import rows
from tests.small_suites import small_suite

SAMPLE = ("gate/edit-unread", "staleness/edit-after-touch-offset-only")


@pytest.mark.slow
def test_the_table_is_up_to_date() -> None:
    stale = Table.read().stale(Suite())
    assert not stale, f"run `readfirst renew`: it is out of date for {len(stale)}: {stale[:3]}"
    assert sorted(Table.read().rows) == Suite().ids()


def test_a_sample_of_its_rows_is_up_to_date() -> None:
    suite, known = Suite(), Table.read().rows
    sample = suite.ids()[::20]
    assert [each for each in sample if suite.place(each).composed]
    assert [each for each in sample if known[each].digest != scenario_digest(suite, each)] == []


@pytest.mark.parametrize("scenario_id", SAMPLE)
def test_the_table_says_what_the_reference_does(scenario_id: str) -> None:
    suite = Suite()
    with Replays(suite) as replays:
        row = row_of(suite, replays, scenario_id)
    assert row == Table.read().rows[scenario_id]
    assert row.changed


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_a_part_of_the_table_is_what_the_reference_does(part: int) -> None:
    suite, table = Suite(), Table.read()
    ids = suite.ids()[part::64]
    assert {name for name, row in made(suite, ids) if row != table.rows[name]} == set()


@pytest.mark.slow
def test_writing_replays_what_changed_and_gives_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = module.TABLE.read_bytes()
    table = Table.read()
    file = tmp_path / "table.json"
    monkeypatch.setattr(module, "TABLE", file)
    monkeypatch.setattr(exits.signal, "signal", lambda *_: None)
    rows = {name: row for name, row in table.rows.items() if name != SAMPLE[0]}
    Table(table.reference, {**rows, "gone/away": Row("1", {}, {})}).write()
    assert exit_code("diagnose", "--write-table") == 0
    assert capsys.readouterr().out.endswith(f"1 of {len(table.rows)} scenarios replayed\n")
    assert file.read_bytes() == whole


def test_few_scenarios_are_left_out_because_nothing_of_them_could_be_replayed() -> None:
    table = Table.read()
    behaviour = dict.fromkeys(table.rows, AS_EXPECTED)
    left_out = table.rows.keys() - comparable(table, behaviour).keys()
    assert "interrupted/edit-killed" in left_out
    assert len(left_out) < 0.02 * len(table.rows)


def test_a_row_is_stale_when_its_scenario_changed(tmp_path: Path) -> None:
    root = tmp_path / "suite"
    suite = small_suite(root, {"gate/edit-unread": Suite().path("gate/edit-unread").read_bytes()})
    file = suite.path("gate/edit-unread")
    table = Table.read()
    assert table.stale(suite) == []
    file.write_bytes(file.read_bytes() + b"\n")
    assert table.stale(Suite(root)) == ["gate/edit-unread"]
    assert Table("another reference", table.rows).stale(Suite(root)) == ["gate/edit-unread"]


def test_remarks_in_the_reference_make_no_table_stale() -> None:
    tree = ast.parse('"""What it does."""\nimport os\nx = 1\ndef f():\n    """And how."""\n    return 2\n')
    assert [type(each) for each in tree.body if not module._is_idle(each)] == [ast.Assign, ast.FunctionDef]
    assert len(reference_digest()) == 12


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    row = Row(
        "123", {"2.1.7": Fingerprint("ab", "cd"), "2.1.40": Fingerprint()}, {"a=1": Fingerprint("", "ef")}
    )
    table = Table("456", {"gate/b": row, "gate/a": Row("7", {}, {})})
    file = tmp_path / "table.json"
    table.write(file)
    assert Table.read(file) == table
    names = ["2.1.6", "2.1.7", "2.1.8", "2.1.40"]
    assert [str(each) for each in row.in_contracts(names).values()] == ["", "ab.cd", "ab.cd", ""]


@rows("text", ["", "{}", "[]", '{"format": 2}', '{"format": 1, "reference": "", "scenarios": []}'])
def test_what_is_not_a_table_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "table.json"
    file.write_text(text)
    with pytest.raises(KeptError, match=r"format.*readfirst diagnose --write-table"):
        Table.read(file)

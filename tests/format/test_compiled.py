"""Scenarios that were read before are taken from the cache, and never when anything that they are read from changed."""

import os
import pickle
from pathlib import Path

import pytest

from readfirst.harness.suite import compiled
from readfirst.harness.suite.compiled import Compiled
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite, default_root
from tests.small_suites import small_suite

IDS = ("gate/edit-unread", "interrupted/new-file-stopped", "staleness/edit-after-change")


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A copy of some scenarios of the bundled suite, of which each is worth keeping."""
    monkeypatch.setattr(compiled, "_WORTH_WRITING", 1)
    small_suite(tmp_path / "fixtures", {each: Suite().path(each).read_bytes() for each in IDS})
    return Suite(tmp_path / "fixtures", copies_bundled=True)


def read(suite: Suite, folder: Path) -> list[Scenario]:
    """Read all scenarios as a run does."""
    scenarios = Compiled(suite, folder)
    found = [scenarios.scenario(each) for each in IDS]
    scenarios.close()
    return found


def test_what_is_kept_is_what_was_read(
    bundled: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(bundled, tmp_path / "cache")
    monkeypatch.setattr(Suite, "scenario", lambda *_: pytest.fail("it is read again"))
    assert read(bundled, tmp_path / "cache") == first
    assert first[0].path == bundled.path(IDS[0])


def test_a_changed_file_is_read_anew_though_its_time_is_as_it_was(bundled: Suite, tmp_path: Path) -> None:
    read(bundled, tmp_path / "cache")
    file = bundled.path(IDS[0])
    status = file.stat()
    file.write_bytes(file.read_bytes().replace(b"title: Edit", b"title: EDIT"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert read(bundled, tmp_path / "cache")[0].title.startswith("EDIT")


def test_a_changed_vocabulary_makes_all_be_read_anew(
    bundled: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(bundled, tmp_path / "cache")
    with (bundled.root / "errors.yaml").open("ab") as file:
        file.write(b"\n")
    again: list[str] = []
    monkeypatch.setattr(Suite, "scenario", lambda self, each: again.append(each) or Suite(self.root))
    monkeypatch.setattr(compiled, "_dumped", lambda *_: b"")
    read(bundled, tmp_path / "cache")
    assert again == list(IDS)


def test_another_program_keeps_its_own_and_the_last_few_stay(
    bundled: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        monkeypatch.setattr(compiled, "program", lambda number=number: f"program-{number}")
        read(bundled, tmp_path / "cache")
        os.utime(tmp_path / "cache" / f"program-{number}", (number, number))
    assert sorted(file.name for file in (tmp_path / "cache").iterdir()) == [
        f"program-{n}" for n in (2, 3, 4, 5)
    ]


@pytest.mark.parametrize("damage", [b"", b"\x80", b"not a pickle", pickle.dumps(("x", 1))])
def test_a_damaged_file_is_as_good_as_none(bundled: Suite, tmp_path: Path, damage: bytes) -> None:
    first = read(bundled, tmp_path / "cache")
    (tmp_path / "cache" / compiled.program()).write_bytes(damage)
    assert read(bundled, tmp_path / "cache") == first


def kept_in(folder: Path) -> list[bytes]:
    """Return the keys of what is kept in a folder."""
    return [*pickle.loads((folder / compiled.program()).read_bytes())]


class _Evil:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> object:
        return os.mkdir, (str(self.file),)


def test_nothing_but_values_of_scenarios_comes_out_of_the_file(bundled: Suite, tmp_path: Path) -> None:
    first = read(bundled, tmp_path / "cache")
    made = tmp_path / "made"
    (tmp_path / "cache" / compiled.program()).write_bytes(pickle.dumps(_Evil(made)))
    assert read(bundled, tmp_path / "cache") == first
    evil = dict.fromkeys(kept_in(tmp_path / "cache"), pickle.dumps(_Evil(made)))
    (tmp_path / "cache" / compiled.program()).write_bytes(pickle.dumps(evil))
    assert read(bundled, tmp_path / "cache") == first
    assert not made.exists()


def test_another_recording_makes_a_composed_scenario_be_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    suite = Suite()
    composed = next(each for each in suite.ids() if suite.place(each).composed)
    file = suite.path(composed)
    key = Compiled(suite)._key(composed, file, composed=True)
    assert Compiled(suite)._key(composed, file, composed=True) == key
    monkeypatch.setattr(type(suite.recordings), "data", lambda *_: b"another")
    assert Compiled(suite)._key(composed, file, composed=True) != key


def test_every_bundled_scenario_comes_back_as_it_is() -> None:
    suite = Suite()
    for each in [*suite.ids()[::40], "crossed/sizes-8"]:
        scenario = suite.scenario(each)
        assert (
            compiled._loaded(compiled._dumped(scenario, suite.root), compiled._Paths(default_root()))
            == scenario
        )

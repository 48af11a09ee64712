"""What was read before is taken from the cache, and never when anything that it is read from changed."""

import fcntl
import os
import pickle
from contextlib import ExitStack
from pathlib import Path

import pytest

from readfirst.harness.source.finding import Position
from readfirst.harness.suite import compiled
from readfirst.harness.suite.compiled import Compiled, program
from readfirst.harness.suite.recordings import Found
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Recording, RecordingError
from tests.small_suites import small_suite

IDS = ("gate/edit-unread", "interrupted/new-file-stopped", "staleness/edit-after-change")


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A copy of some scenarios of the bundled suite with their recordings, of which each is worth keeping."""
    monkeypatch.setattr(compiled, "_WORTH_WRITING", 1)
    small_suite(tmp_path / "fixtures", {each: Suite().path(each).read_bytes() for each in IDS})
    for each in IDS:
        file = tmp_path / "fixtures" / "recordings" / f"{each}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(Suite().recordings.data(each))
    return Suite(tmp_path / "fixtures", copies_bundled=True)


def read(suite: Suite, folder: Path) -> tuple[list[Scenario], list[Recording]]:
    """Read all scenarios and recordings as a run does."""
    with suite.compiled(folder):
        return [suite.scenario(each) for each in IDS], [suite.recordings.recording(each) for each in IDS]


def read_again(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which scenarios and recordings are read from their files from now on."""
    again: list[str] = []

    read_scenario, read_recording = Suite._scenario, Found.recording.func

    def scenario(self: Suite, scenario_id: str, *rest: object, **named: object) -> Scenario:
        again.append(scenario_id)
        return read_scenario(self, scenario_id, *rest, **named)  # type: ignore[arg-type]

    def recording(self: Found) -> Recording:
        again.append(self.scenario_id)
        return read_recording(self)

    monkeypatch.setattr(Suite, "_scenario", scenario)
    monkeypatch.setattr(Found, "recording", property(recording))
    return again


def test_what_is_kept_is_what_was_read(
    bundled: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(bundled, tmp_path / "cache")
    again = read_again(monkeypatch)
    assert read(bundled, tmp_path / "cache") == first
    assert not again
    assert first[0][0].path == bundled.path(IDS[0])
    assert [*first[1][0].transcripts]


def test_what_is_worked_out_of_a_scenario_is_kept_with_it(bundled: Suite, tmp_path: Path) -> None:
    needs = [each.needs for each in read(bundled, tmp_path / "cache")[0]]
    assert [vars(each)["needs"] for each in read(bundled, tmp_path / "cache")[0]] == needs


def test_contracts_that_gave_the_same_share_it_as_they_did(bundled: Suite, tmp_path: Path) -> None:
    def shared(recordings: list[Recording]) -> list[int]:
        return [len({*map(id, each.transcripts.values())}) for each in recordings]

    first = shared(read(bundled, tmp_path / "cache")[1])
    assert shared(read(bundled, tmp_path / "cache")[1]) == first != [len(Suite().contracts.recorded)] * 3


def test_a_changed_file_is_read_anew_though_its_time_is_as_it_was(bundled: Suite, tmp_path: Path) -> None:
    read(bundled, tmp_path / "cache")
    file = bundled.path(IDS[0])
    status = file.stat()
    file.write_bytes(file.read_bytes().replace(b"title: Edit", b"title: EDIT"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert read(bundled, tmp_path / "cache")[0][0].title.startswith("EDIT")


def test_a_changed_recording_is_read_anew(bundled: Suite, tmp_path: Path) -> None:
    before = read(bundled, tmp_path / "cache")[1]
    file = bundled.recordings.path(IDS[0])
    file.write_bytes(file.read_bytes().replace(b"inputs: ", b"inputs: x"))
    first, *others = read(bundled, tmp_path / "cache")[1]
    assert first.inputs == f"x{before[0].inputs}"
    assert others == before[1:]


def test_a_recording_that_is_a_link_is_refused_as_ever(bundled: Suite, tmp_path: Path) -> None:
    file = bundled.recordings.path(IDS[0])
    file.rename(tmp_path / "elsewhere.yaml")
    file.symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(RecordingError) as plain:
        bundled.recordings.recording(IDS[0])
    with bundled.compiled(tmp_path / "cache"), pytest.raises(RecordingError) as compiled_:
        bundled.recordings.recording(IDS[0])
    assert str(compiled_.value) == str(plain.value)
    assert compiled_.value.file == file


def test_a_changed_vocabulary_makes_all_be_read_anew(
    bundled: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(bundled, tmp_path / "cache")
    with (bundled.root / "errors.yaml").open("ab") as file:
        file.write(b"\n")
    again = read_again(monkeypatch)
    read(bundled, tmp_path / "cache")
    assert again == [*IDS]


def test_of_other_suites_nothing_is_kept(bundled: Suite, tmp_path: Path) -> None:
    read(Suite(bundled.root), tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_another_program_keeps_its_own_and_the_last_few_stay(
    bundled: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        monkeypatch.setattr(compiled, "program", lambda *_, number=number: f"program-{number}")
        read(bundled, tmp_path / "cache")
        for kind in ("scenarios", "recordings"):
            os.utime(tmp_path / "cache" / kind / f"program-{number}", (number, number))
    for kind in ("scenarios", "recordings"):
        names = sorted(file.name for file in (tmp_path / "cache" / kind).iterdir())
        assert names == [f"program-{n}" for n in (2, 3, 4, 5)]


def test_what_two_processes_read_at_the_same_time_is_kept(
    bundled: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (Suite(bundled.root, copies_bundled=True) for _ in range(2))
    slower = ExitStack()
    slower.enter_context(first.compiled(tmp_path / "cache"))
    first.scenario(IDS[0])

    def locked(_handle: int, how: int) -> None:
        """Give the lock when another process, which had it, has written."""
        assert how == fcntl.LOCK_EX
        monkeypatch.undo()
        monkeypatch.setattr(compiled, "_WORTH_WRITING", 1)
        slower.close()

    with second.compiled(tmp_path / "cache"):
        second.scenario(IDS[1])
        monkeypatch.setattr("fcntl.flock", locked)
    assert len(kept_in(tmp_path / "cache")) == 2


@pytest.mark.parametrize("damage", [b"", b"\x80", b"not a pickle", pickle.dumps(("x", 1))])
def test_a_damaged_file_is_as_good_as_none(bundled: Suite, tmp_path: Path, damage: bytes) -> None:
    first = read(bundled, tmp_path / "cache")
    for kind in ("scenarios", "recordings"):
        (tmp_path / "cache" / kind / program("source", "suite")).write_bytes(damage)
    assert read(bundled, tmp_path / "cache") == first


def kept_in(folder: Path) -> list[bytes]:
    """Return the keys of the scenarios that are kept in a folder."""
    return [*pickle.loads((folder / "scenarios" / program("source", "suite")).read_bytes())]


class _Evil:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> object:
        return os.mkdir, (str(self.file),)


def test_nothing_but_values_of_the_suite_comes_out_of_the_file(bundled: Suite, tmp_path: Path) -> None:
    first = read(bundled, tmp_path / "cache")
    made = tmp_path / "made"
    file = tmp_path / "cache" / "scenarios" / program("source", "suite")
    file.write_bytes(pickle.dumps(_Evil(made)))
    assert read(bundled, tmp_path / "cache") == first
    for evil in (_Evil(made), Position(made, 1, 1), Suite, first[1][0]):
        file.write_bytes(pickle.dumps(dict.fromkeys(kept_in(tmp_path / "cache"), pickle.dumps(evil))))
        assert read(bundled, tmp_path / "cache") == first
    assert not made.exists()


def test_another_recording_makes_a_composed_scenario_be_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    suite = Suite()
    composed = next(each for each in suite.ids() if suite.place(each).composed)
    state = suite._state(composed)
    assert Suite()._state(composed) == state
    monkeypatch.setattr(type(suite.recordings), "_read", lambda *_: b"another")
    assert Suite()._state(composed) != state


def test_every_bundled_scenario_and_recording_comes_back_as_it_is(tmp_path: Path) -> None:
    suite = Suite()
    scenarios = Compiled("scenarios", Scenario, ("source", "suite"), suite.root, tmp_path)
    recordings = Compiled("recordings", dict, ("source", "suite"), suite.root, tmp_path)
    for each in [*suite.ids()[::40], "crossed/sizes-8"]:
        for kept, value in (
            (scenarios, suite.scenario(each)),
            (recordings, suite.recordings.find(each).value or {}),
        ):
            assert kept._loaded(kept._dumped(value)) == value

"""Small disks and removed drives: which processes see them, their content, and the message on systems without them."""

import errno
import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

from readfirst.harness.adapters.json_lines import LinesAdapter
from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.processes.sandbox import find_sandbox
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.workspace import mounts
from readfirst.harness.workspace.mounts import Mounts, small_disk
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.finding import SuiteError
from tests.judging import SUITE, as_written, judge_scenario
from tests.replay import answering
from tests.rows import rows

FULL = "full-disk/edit-that-grows"
DRIVE = "moved-world/drive-goes-away"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    from tests.small_disks import (
        may_mount,
    )  # the tests are not importable where the adapters of this file run

    if not may_mount():
        pytest.skip("nobody but root can make a small disk")
    return tmp_path


def load_scenario(disk: str, text: str = "seen") -> Scenario:
    return as_written(
        f"given:\n  disk: {disk}\n  files: {{a.txt: alpha}}\n"
        f"steps:\n  - Read: {{file_path: $WS/a.txt}}\n    expect: {{text: {text}}}\n"
    )


def with_a_drive(steps: str) -> Scenario:
    given = "given:\n  files: {a.txt: alpha, drive: {directory: true}}\n"
    return as_written(f"{given}steps:\n{steps}  - Read: {{file_path: $WS/a.txt}}\n", expect=False)


def test_a_disk_has_room_for_so_much_and_no_more(folder: Path) -> None:
    with small_disk(str(folder), 8192):
        (folder / "a").write_bytes(b"x" * 8192)
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            (folder / "b").write_bytes(b"x")


def test_it_is_gone_afterwards_even_after_an_error(folder: Path) -> None:
    (folder / "kept").touch()
    with pytest.raises(FileNotFoundError), small_disk(str(folder), 8192):
        (folder / "kept").unlink()
    assert [each.name for each in folder.iterdir()] == ["kept"]


def test_a_disk_is_a_need_and_takes_a_session_of_its_own() -> None:
    scenario = load_scenario("16384")
    assert "full_disk" in scenario.needs
    assert needs_own_session(scenario)


@rows("disk", ["4096", "10000", "2097152", "true", "16K"])
def test_a_disk_is_of_some_pages(disk: str) -> None:
    with pytest.raises(SuiteError, match="The size in bytes of a file system"):
        load_scenario(disk)


def test_a_process_that_runs_already_is_started_again_to_see_it(folder: Path) -> None:
    with closing(PythonAdapter(answering.__file__, "Filling")) as adapter:
        adapter.start()
        assert judge_scenario(load_scenario("16384", "12288 of 16384"), adapter).status == "passed"
        assert judge_scenario(load_scenario("8192", "4096 of 8192"), adapter).status == "passed"


def test_a_machine_that_makes_none_passes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sysconf", lambda _name: 65536)
    verdict = judge_scenario(SUITE.scenario(FULL), ReferenceAdapter("2.1.7"))
    assert verdict.status == "unsupported"
    assert verdict.reason == "the adapter lacks a small file system with pages of 4096 bytes"


def test_a_drive_covers_a_folder_and_keeps_what_it_holds_while_it_is_away(folder: Path) -> None:
    drive = folder / "drive"
    drive.mkdir()
    (drive / "below").touch()
    with closing(Mounts()) as there:
        there.mount(str(drive))
        assert list(drive.iterdir()) == []
        (drive / "on-it").touch()
        with pytest.raises(OSError, match="it is mounted there"):
            there.mount(str(drive))
        there.unmount(str(drive))
        assert [each.name for each in drive.iterdir()] == ["below"]
        with pytest.raises(OSError, match="no mount"):
            there.unmount(str(drive))
        there.mount(str(drive))
        assert [each.name for each in drive.iterdir()] == ["on-it"]
    assert [each.name for each in drive.iterdir()] == ["below"]


@pytest.mark.usefixtures("folder")
def test_a_program_that_runs_loses_the_drive_as_well() -> None:
    with closing(
        LinesAdapter([sys.executable, "-m", "readfirst", "serve", "--protocol", "lines"])
    ) as adapter:
        assert judge_scenario(DRIVE, adapter).status == "passed"


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_confined_program_loses_the_drive_as_well() -> None:
    command = [sys.executable, "-m", "readfirst", "serve", "--protocol", "lines"]
    with (
        closing(LinesAdapter(command, sandbox=find_sandbox())) as adapter,
        WorkspacePool(confined=True) as place,
    ):
        assert judge_scenario(DRIVE, adapter, place=place).status == "passed"


@pytest.mark.usefixtures("folder")
def test_an_event_that_does_not_fit_is_the_scenarios_own_fault() -> None:
    scenario = with_a_drive("  - mount: drive\n  - mount: drive\n")
    with WorkspacePool() as place:
        broken = replay(scenario, ReferenceAdapter("2.1.7"), place).error
    assert broken is not None
    assert (broken.blame, broken.message) == ("harness", "cannot mount drive: it is mounted there")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "step",
    ["unmount: drive", "Read: {file_path: $WS/a.txt}\n    during: [{unmount: drive}]"],
)
def test_a_drive_that_is_not_there_is_not_the_adapter_s_fault(step: str) -> None:
    scenario = with_a_drive(f"  - {step}\n")
    assert "full_disk" in scenario.needs
    with WorkspacePool() as place:
        broken = replay(scenario, ReferenceAdapter("2.1.7"), place).error
    assert broken is not None
    assert (broken.blame, broken.message) == ("harness", "cannot unmount drive: no mount")


def test_a_machine_that_mounts_nothing_passes_no_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts.ctypes, "CDLL", lambda *_, **__: object())
    verdict = judge_scenario(SUITE.scenario(DRIVE), ReferenceAdapter("2.1.7"))
    assert verdict.status == "unsupported"
    assert (
        verdict.reason == "the adapter lacks a file system of its own, which only Linux makes for a process"
    )

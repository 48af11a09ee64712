import errno
import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

from readfirst.harness.adapters.json_lines import LinesAdapter
from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.processes.sandbox import find_sandbox
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.workspace import mounts
from readfirst.harness.workspace.mounts import Mounts, small_disk
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.finding import SuiteError
from tests.judging import SUITE, judge_scenario, load_scenario_text
from tests.replay import answering
from tests.rows import rows
from tests.small_disks import may_mount

FULL = "full-disk/edit-that-grows"
DRIVE = "moved-world/drive-goes-away"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A temporary directory. The test is skipped if this user cannot mount file systems."""
    if not may_mount():
        pytest.skip("nobody but root can make a small disk")
    return tmp_path


def load_scenario(disk: str, text: str = "seen") -> Scenario:
    return load_scenario_text(
        f"given:\n  disk: {disk}\n  files: {{a.txt: alpha}}\n"
        f"steps:\n  - Read: {{file_path: $WS/a.txt}}\n    expect: {{text: {text}}}\n"
    )


def test_a_small_disk_has_exactly_the_size_that_the_scenario_states(folder: Path) -> None:
    with small_disk(str(folder), 8192):
        (folder / "a").write_bytes(b"x" * 8192)
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            (folder / "b").write_bytes(b"x")


def test_a_small_disk_is_unmounted_even_after_an_error(folder: Path) -> None:
    (folder / "kept").touch()
    with pytest.raises(FileNotFoundError), small_disk(str(folder), 8192):
        (folder / "kept").unlink()
    assert [each.name for each in folder.iterdir()] == ["kept"]


@rows("disk", ["4096", "10000", "2097152", "true", "16K"])
def test_a_disk_size_that_is_not_a_small_number_of_memory_pages_is_refused(disk: str) -> None:
    with pytest.raises(SuiteError, match="The size in bytes of a file system"):
        load_scenario(disk)


def test_a_running_implementation_is_restarted_so_that_it_sees_the_disk(folder: Path) -> None:
    with closing(PythonAdapter(answering.__file__, "FreeSpace")) as adapter:
        adapter.start()
        assert judge_scenario(load_scenario("16384", "12288 of 16384"), adapter).status == "passed"
        assert judge_scenario(load_scenario("8192", "4096 of 8192"), adapter).status == "passed"


def test_a_system_with_large_memory_pages_does_not_support_small_disks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.sysconf", lambda _name: 65536)
    verdict = judge_scenario(SUITE.scenario(FULL), ReferenceAdapter("2.1.7"))
    assert verdict.status == "unsupported"
    assert verdict.reason == "the adapter lacks a small file system with pages of 4096 bytes"


def test_a_mounted_drive_hides_its_directory_and_keeps_its_files_while_it_is_unmounted(folder: Path) -> None:
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
@pytest.mark.parametrize("confined", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_running_program_no_longer_sees_a_drive_that_was_unmounted(confined: bool) -> None:
    command = [sys.executable, "-m", "readfirst", "serve", "--protocol", "lines"]
    sandbox = find_sandbox() if confined else None
    with (
        closing(LinesAdapter(command, sandbox=sandbox)) as adapter,
        WorkspacePool(confined=confined) as place,
    ):
        assert judge_scenario(DRIVE, adapter, place=place).status == "passed"


@pytest.mark.usefixtures("folder")
@rows(
    ("steps", "message"),
    [
        ("  - mount: drive\n  - mount: drive\n", "cannot mount drive: it is mounted there"),
        ("  - unmount: drive\n", "cannot unmount drive: no mount"),
        (
            "  - Read: {file_path: $WS/a.txt}\n    during: [{unmount: drive}]\n",
            "cannot unmount drive: no mount",
        ),
    ],
)
def test_an_impossible_mount_or_unmount_is_an_error_of_the_harness(steps: str, message: str) -> None:
    given = "given:\n  files: {a.txt: alpha, drive: {directory: true}}\n"
    read = "  - Read: {file_path: $WS/a.txt}\n"
    scenario = load_scenario_text(f"{given}steps:\n{steps}{read}", expect=False)
    assert "full_disk" in scenario.needs
    with WorkspacePool() as place:
        broken = replay(scenario, ReferenceAdapter("2.1.7"), place).error
    assert broken is not None
    assert (broken.blame, broken.message) == ("harness", message)


def test_a_system_without_mounts_does_not_support_drives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts.ctypes, "CDLL", lambda *_, **__: object())
    verdict = judge_scenario(SUITE.scenario(DRIVE), ReferenceAdapter("2.1.7"))
    assert verdict.status == "unsupported"
    reason = "the adapter lacks a separate file system for one process, which only Linux supports"
    assert verdict.reason == reason

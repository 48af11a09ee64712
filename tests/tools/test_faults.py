import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.faults import kills as module
from tools.faults.kills import Kills, kills
from tools.faults.stage import COMMANDS, Command, TrialDirectory
from tools.faults.surroundings import MACHINE_KINDS, Machine, MachineKind, OrdinaryMachine

RUN = Path(__file__).parents[2] / "tools" / "faults" / "run.py"
PAGE = RUN.parents[2] / "docs" / "reliability.md"


def run_faults(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(RUN), *arguments], capture_output=True, text=True, check=False)


def test_the_page_has_a_row_for_every_command_and_machine() -> None:
    rows = re.findall(r"^\| (.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    wanted = [f"`{command.name}`" for command in COMMANDS] + [each.name for each in MACHINE_KINDS]
    assert [row for row in rows if row not in ("command", "machine", "---")] == wanted


def test_of_the_files_that_remain_only_probe_files_of_python_are_ignored(stage: TrialDirectory) -> None:
    files = {"abcdefg_": "", "bcdefgh_": "blat", "cdefghi_": "another", "defghij_/a": "", "report.txt": ""}
    for name, content in files.items():
        (stage.folder / "tmp" / name).parent.mkdir(exist_ok=True)
        (stage.folder / "tmp" / name).write_text(content)
    assert [*filter(stage.left().__contains__, [f"tmp/{name}" for name in files])] == [
        *("tmp/cdefghi_", "tmp/defghij_/a", "tmp/report.txt")
    ]


@pytest.mark.slow
def test_a_killed_command_leaves_no_half_written_file() -> None:
    done = run_faults("--kills", "10", "--only", "run --update-baseline")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\| `run --update-baseline` \| .* s \| [012] \|", done.stdout, re.MULTILINE)


@pytest.fixture(scope="module")
def usual() -> Iterator[OrdinaryMachine]:
    """A machine without faults, with whose results those of unusual machines are compared."""
    # Other users cannot access pytest's directory.
    with tempfile.TemporaryDirectory(prefix="faults-") as base:
        yield OrdinaryMachine(Path(base))


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINE_KINDS, ids=lambda each: each.name)
def test_a_command_on_an_unusual_machine_gives_its_result_or_reason(
    usual: OrdinaryMachine, machine: MachineKind
) -> None:
    if missing := machine.only():
        pytest.skip(missing)
    run, record = usual.outcomes(machine)
    assert (run.problem, record.problem) == ("", "")
    if machine.name == "4 KiB left for results":
        assert "cannot be written: No space left on device" in run.error


def test_writing_the_page_requires_the_results_of_all_parts() -> None:
    done = run_faults("--only", "umask", "--write", "page.md")
    assert done.returncode == 2
    assert "--write requires all parts" in done.stderr
    assert run_faults("--only", "nothing of this name").returncode == 2


@pytest.fixture
def stage(tmp_path: Path) -> TrialDirectory:
    stage = TrialDirectory(tmp_path)
    stage.fresh()
    return stage


def test_a_half_written_file_after_a_killed_run_is_detected(stage: TrialDirectory) -> None:
    given = stage.state()
    expected = {**given, "out/report.xml": b"new", "out/accepted.yaml": b"new"}
    report, accepted = stage.folder / "out" / "report.xml", stage.folder / "out" / "accepted.yaml"

    def look() -> tuple[list[str], Kills]:
        found = Kills("made up", 1.0)
        return list(module._check_files(stage, given, expected, found)), found

    unfinished = report.with_name(".report.xml-abcdefgh.unfinished")
    for file, count in ((None, "before"), (report, "between"), (accepted, "after"), (unfinished, "swept")):
        if file:
            file.write_bytes(b"new")
        problems, found = look()
        assert (problems, getattr(found, count)) == ([], 1)
    report.write_bytes(b"ne")
    assert look()[0] == ["out/report.xml is neither as it was nor as it was to be: b'ne'"]
    report.unlink()
    assert look()[0] == ["out/report.xml is gone"]


def test_a_process_that_remains_is_detected(stage: TrialDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ends_soon_by_command", lambda words: False)
    given = stage.state()
    assert list(module._check_files(stage, given, given, Kills("made up", 1.0))) == ["a process goes on"]


def test_a_command_that_fails_without_a_fault_is_refused(tmp_path: Path) -> None:
    command = Command("broken", ("record", "--fixtures", "{folder}/nowhere"))
    with pytest.raises(module.FaultError, match="nowhere"):
        kills(command, tmp_path, 1, 1)


@pytest.mark.slow
def test_an_error_of_readfirst_on_an_unusual_machine_is_detected(usual: OrdinaryMachine) -> None:
    def breaks(machine: Machine) -> None:
        folder = machine.stage.base / "broken"
        folder.mkdir(exist_ok=True)
        (folder / "sitecustomize.py").write_text("import tempfile\ntempfile.mkdtemp = None\n")
        machine.environment["PYTHONPATH"] = f"{folder}{os.pathsep}{machine.environment['PYTHONPATH']}"

    for outcome in usual.outcomes(MachineKind("a Python that is broken", breaks, alike=False)):
        assert "'NoneType' object is not callable" in outcome.problem

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from readfirst.harness.compare.failure_signature import _TRAILING_WHITESPACE_PATTERN, MAX_REFUSAL_CHARS, kind
from readfirst.harness.compare.verdict import Difference
from readfirst.harness.errors import ExitCode
from readfirst.harness.harm.allowed_results import _SPACES_AT_ENDS
from readfirst.harness.processes.install_lock import installing, sweep
from readfirst.harness.processes.rmtree import destroy
from readfirst.harness.report.jsonl import StreamError, UnreadableStreamError, read_stream
from readfirst.harness.run.failed_workspaces import FailedWorkspaces
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.workspace.contained_file import ScriptedEditor
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.atomic_write import StagedFile, write_all
from readfirst.observatory.agents.acp import AcpClient
from readfirst.observatory.site.site import write_site
from readfirst.observatory.site.site_data import SiteError
from tests.command_line import Cli
from tests.rows import rows
from tests.small_suites import lint, small_suite

from .conftest import slow
from .stranger import project

RUN = [sys.executable, "-m", "readfirst"]
ONE = ["run", "reference", "gate/edit-unread"]

SIGNALLED = """
import atexit, os, signal, sys
from importlib.abc import MetaPathFinder

class Struck(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Struck())
if {again}:
    atexit.register(os.kill, os.getpid(), {number})
sys.argv = ["readfirst", *{words!r}]
from readfirst.__main__ import main
main()
"""
"""Runs a command and sends itself a signal at an import. With `again`, it repeats the signal at its end."""


@pytest.fixture(params=["", slow("1")], ids=["buffered", "unbuffered"])
def buffering(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a test twice: Python buffers its output until the end, or does not buffer it."""
    monkeypatch.setenv("PYTHONUNBUFFERED", request.param)


def run_to_end(words: Sequence[str], **options: object) -> tuple[int, str]:
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=False, **options)  # type: ignore[call-overload]
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("words", "closed"),
    [
        (ONE, "<&- >&- 2>&-"),
        slow(ONE, "</dev/null 1</dev/null 2</dev/null"),
        slow(["list", "--family", "gate"], ">&-"),
    ],
)
def test_closed_streams_are_as_if_nobody_read_them(words: list[str], closed: str) -> None:
    """If standard streams are closed at the start, a command runs as if its output were discarded."""
    code, printed = run_to_end(["sh", "-c", f'"$@" {closed}', "sh", *RUN, *words])
    assert (code, "Traceback" in printed, "bug" in printed) == (ExitCode.CONFORMANT, False, False)


@pytest.mark.usefixtures("buffering")
@pytest.mark.parametrize("words", [ONE, ["--version"], slow(["list"]), slow(["-h"])])
def test_a_reader_that_stops_reading_ends_the_command_as_it_does_others(words: list[str]) -> None:
    """If the reader of its output has ended, a command ends with SIGPIPE, like other programs."""
    reads, writes = os.pipe()
    os.close(reads)
    code, printed = run_to_end([*RUN, *words], stdout=writes)
    os.close(writes)
    assert (code, "Traceback" in printed) == (128 + signal.SIGPIPE, False)


@pytest.mark.usefixtures("buffering")
@pytest.mark.parametrize("words", [["--version"], slow(ONE), slow(["-h"])])
def test_a_full_disk_behind_standard_output_is_what_broke(words: list[str]) -> None:
    """If standard output cannot be written because a disk is full, the command reports this error."""
    code, printed = run_to_end(["sh", "-c", '"$@" >/dev/full', "sh", *RUN, *words])
    assert (code, "No space left" in printed, "Traceback" in printed) == (ExitCode.ERROR, True, False)


@pytest.mark.usefixtures("buffering")
def test_a_full_disk_behind_standard_error_changes_no_verdict() -> None:
    """If standard error cannot be written because a disk is full, the verdicts do not change."""
    words = ["sh", "-c", '"$@" 2>/dev/full', "sh", *RUN, *ONE]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, b"conformant" in done.stdout) == (ExitCode.CONFORMANT, True)


JSONL = [*ONE, "--format", "jsonl", "--output"]


def test_what_is_no_file_is_not_replaced_by_a_report(readfirst: Cli, tmp_path: Path) -> None:
    """A report is written into a pipe or through a link. Root could otherwise replace a device with a file."""
    pipe, link, kept = tmp_path / "pipe", tmp_path / "link", tmp_path / "kept.jsonl"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        assert readfirst(*JSONL, pipe).code == ExitCode.CONFORMANT
        read = reader.communicate(timeout=60)[0]
    assert '"gate/edit-unread"' in read
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    link.symlink_to(kept)
    for there in (False, True):
        assert (readfirst(*JSONL, link).code, kept.exists(), link.is_symlink()) == (0, True, True), there
    for write in (StagedFile, lambda path: write_all({path: b"x"})):
        with pytest.raises(OSError, match="not a regular file"):
            write(pipe)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could replace a device")
def test_a_device_stays_one(readfirst: Cli, tmp_path: Path) -> None:
    """A report that is written to a device does not replace the device with a file."""
    full = tmp_path / "full"
    try:
        os.mknod(full, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        full.open("wb").close()
    except OSError:
        pytest.skip("no devices can be made here")
    found = readfirst(*JSONL, full)
    assert (found.code, "No space left" in found.err) == (ExitCode.USAGE, True)
    assert stat.S_ISCHR(full.lstat().st_mode)


def test_a_stream_without_an_end_is_read_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON lines from an endless source are read only up to a maximum size."""
    monkeypatch.setattr("readfirst.harness.report.jsonl._MAX_STREAM_BYTES", 1000)
    with pytest.raises(UnreadableStreamError, match="more than 1,000 bytes"):
        read_stream(Path("/dev/zero"))


def test_results_with_numbers_beyond_reckoning_are_refused(readfirst: Cli, tmp_path: Path) -> None:
    """JSON lines of a run that contain enormous numbers are refused."""
    done = readfirst(*ONE, "--format", "jsonl").out.encode()
    results = tmp_path / "results.jsonl"
    results.write_bytes(done)
    assert read_stream(results)
    for field in (b'"steps":', b'"verdicts":'):
        assert field in done
        results.write_bytes(done.replace(field, field + b"1" * 30, 1))
        with pytest.raises(StreamError, match="damaged"):
            read_stream(results)


@pytest.mark.usefixtures("attackers")
def test_who_asks_twice_to_be_interfered_with_answers_no_result(readfirst: Cli) -> None:
    """An implementation that requests the event during a call a second time, instead of answering, is an error."""
    words = (
        "python:spoilers:Asks",
        "race/target-doubled-during-call",
        "--time-limit",
        "1",
        "--failures",
        "1",
    )
    found = readfirst("run", *words)
    assert found.code == ExitCode.ERROR
    assert "the adapter answered Edit with {'id': 4, 'validated': True}" in found.out


def test_what_an_agent_says_that_is_no_message_is_passed_over(tmp_path: Path) -> None:
    """Output of an agent that is not a message of the protocol is ignored."""
    client = AcpClient(tmp_path, tmp_path, "go", ScriptedEditor(lambda: str(tmp_path)))
    for said in ("[" * 100_000, "9" * 5000, '{"id": 2, "result": null}', '{"id": 2, "result": {}}'):
        client.hear(said.encode() + b"\n")
    for options in (None, "x", [1], [None], [{"kind": "allow"}]):
        message = {"id": 5, "method": "session/request_permission", "params": {"options": options}}
        client.hear(json.dumps(message).encode() + b"\n")
    client.hang_up()


def test_a_line_of_spaces_is_read_once() -> None:
    """A line with very many spaces is searched in linear time."""
    spaces = " " * 200_000 + "x"
    for pattern in (_TRAILING_WHITESPACE_PATTERN, _SPACES_AT_ENDS):
        assert pattern.sub("", f"{spaces} \ny\ufeff \n ") == f"{spaces}\ny\n"


@rows("part", ["x", "\x1b", "a-", "-.txt", "a.txt", "/a", "$WS/", "'", '"x', "0"])
def test_a_long_word_of_a_refusal_is_read_once(part: str) -> None:
    """A long word in a refusal is searched in linear time. Starting again at each character would take minutes."""
    began = time.process_time()
    said = kind(Difference(0, 0, "effects", "refused", "not refused", f"refused: {part * 200_000}"))
    assert len(said) <= len("effects: refused: ") + MAX_REFUSAL_CHARS
    assert time.process_time() - began < 1


def test_the_description_of_a_mistake_contains_placeholders_instead_of_file_names() -> None:
    text = "refused: no src/a-b.txt.md, (x.py) or --.txt, see $WS/d 'a b' a.tsx"
    said = kind(Difference(0, 0, "effects", "refused", "not refused", text))
    assert said == "effects: refused: no PATH, (PATH) or --.txt, see PATH '...' a.tsx"


def test_a_site_where_nothing_can_be_made_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the directory for a web site cannot be created, the error suggests to name a different one."""
    monkeypatch.setattr("readfirst.observatory.site.site.require_mkdocs", lambda: None)
    (tmp_path / "file").touch()
    with pytest.raises(SiteError, match="Name a different directory"):
        write_site(project(tmp_path / "theirs", "plain"), tmp_path / "theirs", tmp_path / "file" / "site")


def test_a_current_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    """If the current directory was removed, the error suggests to change to a different one."""
    words = ["sh", "-c", 'mkdir gone; cd gone; rmdir ../gone; exec "$@"', "sh", sys.executable, "-P", "-m"]
    code, printed = run_to_end([*words, "readfirst", *ONE], cwd=tmp_path)
    assert (code, "Change to another one" in printed, "bug" in printed) == (ExitCode.ERROR, True, False)


@pytest.mark.parametrize(
    ("number", "again"),
    [
        (signal.SIGTERM, True),
        *(slow(signal.SIGTERM, False), slow(signal.SIGINT, False), slow(signal.SIGINT, True)),
    ],
)
@pytest.mark.parametrize(
    "module",
    ["readfirst.harness.cli.main", "readfirst.harness.cli.run", "readfirst.harness.run.run_command"],
    ids=["while it starts", "while it looks its command up", "while it runs"],
)
def test_a_signal_never_looks_like_a_verdict(number: signal.Signals, again: bool, module: str) -> None:
    """A command that a signal ends at any moment has the exit code of the signal, never that of a verdict."""
    program = SIGNALLED.format(module=module, number=int(number), words=ONE, again=again)
    assert run_to_end([sys.executable, "-c", program], stdout=subprocess.DEVNULL) == (128 + number, "")


@pytest.mark.parametrize("mask", [0o777, slow(0o700), slow(0o077), slow(0)])
def test_the_mask_of_modes_changes_no_verdict(mask: int) -> None:
    """The umask of the user does not change verdicts."""
    ids = ["gate/edit-unread", "links-and-modes/edit-of-hard-link", "staleness/edit-after-change"]
    command = [*RUN, "run", "reference", *ids]
    done = subprocess.run(command, capture_output=True, text=True, check=False, umask=mask)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "3 scenarios: 3 passed; conformant")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """The fixture removes the directory itself, because it may become too deep for pytest."""
    yield tmp_path / "fixtures"
    destroy(str(tmp_path / "fixtures"))


def test_a_scenario_is_linted_without_a_look_at_its_neighbours(root: Path) -> None:
    """`lint` of one scenario does not read other files in its directory, which may be hostile."""
    text = (default_root() / "scenarios/gate/edit-unread.yaml").read_bytes()
    shared = ("contracts.yaml", "errors.yaml", "suite.yaml", "tags.yaml", "rules.yaml")
    small_suite(root, {"gate/edit-unread": text}, shared=shared)
    add_hostile_files(root / "scenarios" / "gate")
    assert {each.rule for each in lint(Suite(root), ["gate/edit-unread"])} == {"missing-recording"}
    (root / "recordings" / "gate").mkdir(parents=True)
    os.mkfifo(root / "recordings" / "gate" / "edit-unread.json")
    assert {each.rule for each in lint(Suite(root), ["gate/edit-unread"])} == {"broken-recording"}
    everything = {each.rule for each in lint(Suite(root))}
    assert everything >= {"file-too-large", "too-deep", "unreadable", "misplaced-file"}


def add_hostile_files(family: Path) -> None:
    """Fill a directory with a pipe, huge and endless files, links to itself, and a deep tree."""
    os.mkfifo(family / "pipe.yaml")
    with (family / "huge.yaml").open("wb") as file:
        file.truncate(1 << 40)
    (family / "endless.yaml").symlink_to("/dev/zero")
    (family / "itself.yaml").symlink_to("itself.yaml")
    (family / "above").symlink_to("..")
    (family / "nested.yaml").write_text("a: " + "[" * 100_000)
    descriptor = os.open(family, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=descriptor)
        below = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)


def test_a_kept_workspace_lends_nobody_s_rights(tmp_path: Path) -> None:
    """With `--keep`, programs in a copied workspace lose their setuid and setgid bits."""
    with WorkspacePool() as place, place.site() as site:
        program = Path(site.root, "program")
        program.write_text("#!/bin/sh\n")
        program.chmod(0o6755)
        os.mkfifo(Path(site.root, "pipe"))
        FailedWorkspaces(tmp_path).copy("gate/edit-unread", site)
    kept = tmp_path / "gate" / "edit-unread" / "workspace"
    assert [each.name for each in kept.iterdir()] == ["program"]
    assert stat.S_IMODE((kept / "program").stat().st_mode) == 0o755


def test_what_a_killed_installation_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """The next installation removes the directories that a killed installation left."""
    for name in ("whole", "left", ".1.0.0-abcdefgh", "making"):
        (tmp_path / name).mkdir()
    with installing(tmp_path / "making"):
        sweep(tmp_path, lambda folder: folder.name == "whole")
        assert {each.name for each in tmp_path.iterdir() if each.is_dir()} == {"whole", "making"}


@rows(
    "words",
    [
        *(["run", option, "nan"] for option in ("--time-limit", "--settle")),
        *(["run", "--time-limit", each] for each in ("inf", "1e308", "-inf")),
        ["fuzz", "--minutes", "nan"],
    ],
)
def test_no_number_is_beyond_the_clock(words: list[str], readfirst: Cli) -> None:
    """A time limit that is not a number, infinite or too large is refused."""
    ran = readfirst(*words)
    assert (ran.code, "Invalid value for" in ran.err) == (2, True)

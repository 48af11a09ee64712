import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import NO_ANSWER, AdapterError, ToolResult, Workspace
from readfirst.harness.harm.partial_write import check_partial_writes
from readfirst.harness.replay import interrupt_on_write
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.check_adapter import plan_checks, run_checks
from readfirst.harness.suite.file_entry import RegularFile, SpecialFile
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.finding import SuiteError
from tests.judging import load_scenario_text
from tests.rows import rows

WRITE = {"file_path": "$WS/a.txt", "content": "alpha"}


@pytest.mark.parametrize("hangs", [True, False])
def test_a_program_is_killed_if_it_neither_ends_after_a_signal_nor_answers(
    hangs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupt_on_write, "ANSWER_TIMEOUT_S", 0.05 if hangs else 60)
    sent: list[int] = []
    signalled, killed = threading.Event(), threading.Event()

    def kill(by: int = signal.SIGINT) -> bool:
        sent.append(by)
        (killed if by == signal.SIGKILL else signalled).set()
        return killed.is_set()

    def call() -> ToolResult:
        (tmp_path / "a.txt").write_text("alpha")
        assert (killed if hangs else signalled).wait(60)
        if hangs:
            raise AdapterError("it has ended")
        return ToolResult("written")

    answer = interrupt_on_write.kill_when_writing(str(tmp_path), call, kill)
    assert answer == (NO_ANSWER if hangs else ToolResult("written"))
    assert sent == ([signal.SIGINT, signal.SIGKILL] if hangs else [signal.SIGINT])


WROTE = "Write: {file_path: $WS/a.txt, content: %s}\n    %s"
READS = "parallel:\n      - Read: {file_path: $WS/a.txt}\n      - Read: {file_path: $WS/b.txt}\n"


@rows(
    ("step", "message"),
    [
        (WROTE % ("alpha", "interrupted: soon"), "interrupted"),
        ("Read: {file_path: $WS/a.txt, limit: 3}\n    interrupted: cut", "not a text of several characters"),
        (WROTE % ("a", "interrupted: limit"), "not a text of several characters"),
        (WROTE % ("alpha", "interrupted: cut\n    during: [{touch: a.txt}]"), "`during` cannot be used with"),
        (READS + "        interrupted: cancelled", "interrupted"),
    ],
)
def test_a_wrong_interruption_is_refused(step: str, message: str) -> None:
    with pytest.raises(SuiteError, match=message):
        load_scenario_text(f"steps:\n  - {step}\n", expect=False)


def test_the_json_of_a_cut_call_ends_in_the_middle_of_its_last_argument() -> None:
    begun = ToolCall("Write", {"file_path": "$WS/a.txt", "content": 'al"pha'}).truncated_arguments
    assert begun == '{"file_path": "$WS/a.txt", "content": "al\\"'


class Noting:
    capabilities = frozenset({"Write", "during", "cancel", "cut", "kill"})

    def __init__(self) -> None:
        self.entries: list[Any] = []

    def open(self, _workspace: Workspace) -> Any:
        return self

    def call_interrupted(
        self, _tool: str, arguments: Mapping[str, Any] | str, how: str, interfere: Callable[[], None]
    ) -> ToolResult:
        interfere()
        self.entries.append((how, arguments if isinstance(arguments, str) else arguments["content"]))
        return NO_ANSWER

    def call(self, _tool: str, _arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("done")


def test_a_session_gets_a_complete_cancelled_call_and_the_beginning_of_a_cut_call(
    place: WorkspacePool,
) -> None:
    session = Noting()
    steps = [ToolCall("Write", WRITE, interrupted="cancelled"), ToolCall("Write", WRITE, interrupted="limit")]
    outcome = replay(Scenario("family/slug", "title", "must", Given(), tuple(steps)), session, place)
    assert outcome.error is None
    cancelled, (how, begun) = session.entries
    assert (cancelled, how) == (("cancelled", "alpha"), "limit")
    assert begun.endswith('"content": "al')


@rows(
    ("after", "is_torn"),
    [
        (RegularFile(b"alp"), True),
        (RegularFile(b""), True),
        (None, True),
        (SpecialFile("fifo"), True),
        (RegularFile(b"alpha"), False),
        (RegularFile(b"alpha "), False),
    ],
)
def test_a_file_counts_as_partially_written_unless_it_has_its_old_or_the_requested_content(
    after: RegularFile | SpecialFile | None, is_torn: bool
) -> None:
    call = ToolCall("Write", WRITE, interrupted="killed-writing")
    before = {"a.txt": RegularFile(b"old"), "b.txt": RegularFile(b"other")}
    assert bool(list(check_partial_writes(call, before, {"a.txt": after}))) == is_torn
    assert not list(check_partial_writes(call, before, {}))
    assert not list(check_partial_writes(call, before, {"a.txt.tmp": RegularFile(b"al")}))
    assert [path for path, _ in check_partial_writes(call, before, {"b.txt": None})] == ["b.txt"]


@pytest.mark.parametrize(
    ("capability", "check", "problem"),
    [
        ("cancel", "a Write that is given up makes no file, and the next one does", "and write nothing"),
        ("stop", "a Write that is given up while it writes leaves a complete file or none", "contains only a part"),
        ("cut", "a truncated Write creates no file", "and write nothing"),
    ],
)  # fmt: skip
def test_check_adapter_reports_an_interrupted_write(capability: str, check: str, problem: str) -> None:
    class Writing(Noting):
        capabilities = frozenset({"Read", "Edit", "Write", capability})

        def open(self, workspace: Workspace) -> Any:
            self.root = workspace.root
            return self

        def call_interrupted(self, *_: object) -> ToolResult:
            (self.root / "new.txt").write_text("new\n")
            return NO_ANSWER

    with WorkspacePool() as place:
        problems = {each.name: each.problem for each in run_checks(plan_checks(Writing(), place))}
    assert problem in problems[check]


def test_a_program_of_the_reference_does_not_catch_signals(tmp_path: Path) -> None:
    command = (sys.executable, "-P", "-m", "readfirst.harness.adapters.reference", "2.1.7", str(tmp_path))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as served:
        assert served.stdin is not None
        assert served.stdout is not None
        served.stdin.write(b'{"id": 1, "do": "hello", "protocol": 1}\n')
        served.stdin.flush()
        assert json.loads(served.stdout.readline())["id"] == 1
        caught = re.search(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{served.pid}/status").read_text(), re.MULTILINE)
        served.stdin.close()
    assert caught is not None
    assert not int(caught[1], 16) & (1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1)

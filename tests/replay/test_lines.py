import io
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.adapter_api import AdapterError, Workspace
from readfirst.harness.adapters.json_lines import LinesAdapter
from readfirst.harness.adapters.json_lines_server import serve_lines
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.cli.error_handling import version
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.processes import json_lines_process
from readfirst.harness.run.check_adapter import plan_checks, run_checks
from readfirst.harness.run.connect import connect
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.command_line import Cli
from tests.judging import SUITE
from tests.rows import rows
from tests.runners.verdicts import skeleton

ROOT = Path(__file__).parents[2]
MINIATURES = Path(__file__).with_name("line_miniatures.py")
PAGE = (ROOT / "docs" / "protocol.md").read_text("utf-8")
SCHEMA = json.loads((ROOT / "fixtures/schema/lines.schema.json").read_text())
SERVED = f"{shlex.quote(sys.executable)} -m readfirst.harness.cli.main serve --protocol lines"
READ: tuple[str, dict[str, Any]] = ("Read", {})
Open = Callable[[str], LinesAdapter]


@pytest.fixture
def open_adapter() -> Iterator[Open]:
    with ExitStack() as opened:

        def start(wrong: str, seconds: float = 5) -> LinesAdapter:
            command = [sys.executable, "-S", str(MINIATURES), wrong]
            adapter = LinesAdapter(command, time_limit=seconds, cancel_timeout=0.2)
            opened.enter_context(closing(adapter)).start()
            return adapter

        yield start


def message(name: str) -> Draft202012Validator:
    return Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{name}"}]})


def serve(requests: bytes, version: str = "1", contract: str = "2.1.7", **more: bool) -> list[str]:
    """Return the lines that the reference answers to these requests."""
    answers = io.BytesIO()
    make = partial(ReferenceAdapter, contract)
    serve_lines(make, "readfirst reference", version, io.BytesIO(requests), answers, **more)
    return answers.getvalue().decode().splitlines()


def to_lines(*requests: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in requests)


def transcript() -> list[tuple[str, dict]]:
    """Return the messages of the example on the page, with `>` for a request and `<` for an answer."""
    found = re.search(r"```transcript\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return [(line[0], json.loads(line[2:])) for line in found[1].splitlines()]


def test_the_reference_answers_the_requests_on_the_page_as_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("alpha\n")
    asked = to_lines(*(sent for side, sent in transcript() if side == ">"))
    got = serve(asked.replace(b"/ws", str(tmp_path).encode()), version())
    wanted = [sent for side, sent in transcript() if side == "<"]
    assert [json.loads(line.replace(str(tmp_path), "/ws")) for line in got] == wanted
    assert not (tmp_path / "new.txt").exists()


def test_every_message_on_the_page_matches_the_schema() -> None:
    for side, sent in transcript():
        message("request" if side == ">" else "answer").validate(sent)


@rows(
    ("name", "wrong"),
    [
        ("request", {"id": 1, "do": "stop"}),
        ("request", {"do": "hello", "protocol": 1}),
        ("request", {"id": 3, "do": "call", "session": 1, "tool": "Read"}),
        ("answer", {"id": 1, "text": "fine"}),
        ("answer", {"text": "fine", "refused": False}),
        ("answer", {"id": 1, "problem": ""}),
    ],
)
def test_the_schema_of_the_protocol_refuses_a_wrong_message(name: str, wrong: dict) -> None:
    assert not message(name).is_valid(wrong)


def test_every_request_of_the_schema_is_on_the_page() -> None:
    names = [each["$ref"].rpartition("/")[2] for each in SCHEMA["$defs"]["request"]["oneOf"]]
    assert [name for name in names if f"`{name}`" not in PAGE] == []


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("another-protocol", r"the program's answer to hello names protocol 2; this harness speaks 1"),
        ("no-capabilities", r"the program's answer to hello has no list of capabilities"),
        ("dying", r"the program ended with exit status 7 during Read"),
        ("chatty", r"not a JSON object: Reading the file"),
        ("list", r"not a JSON object: \[\]"),
        ("late-answer", r"the program answered request 2, not 3"),
        ("flooding", r"more than 100000 bytes without a line end"),
        ("problem", r"the program has a problem with Read: the disk is gone"),
        ("no-text", r"which is not \{\"text\": a string, \"refused\": true or false\}"),
        ("no-results", "has no list `results`"),
    ],
)
def test_a_wrong_answer_of_a_program_is_reported_as_an_error(
    open_adapter: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str, problem: str
) -> None:
    monkeypatch.setattr(json_lines_process, "MAX_LINE_BYTES", 100_000)

    def use() -> object:
        session = open_adapter(wrong).open(Workspace(tmp_path, tmp_path))
        return session.call_parallel([READ, READ]) if wrong == "no-results" else session.call(*READ)

    with pytest.raises(AdapterError, match=problem) as caught:
        use()
    assert caught.value.blame == "adapter"
    assert ("I cannot go on" in caught.value.details) == (wrong == "dying")


def test_the_output_of_a_program_that_does_not_read_is_limited(
    open_adapter: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines_process, "MAX_LINE_BYTES", 100_000)
    session = open_adapter("flooding-unasked", 0.3).open(Workspace(tmp_path, tmp_path))
    # The program could not write all of its 4 MiB.
    with pytest.raises(AdapterError, match=r"Write took longer than 0\.3 s"):
        session.call("Write", {"content": "x" * 1_000_000})


@pytest.mark.parametrize(("wrong", "lives"), [("silent", False), ("deaf", False), ("patient", True)])
def test_a_call_beyond_the_time_limit_is_cancelled_and_a_program_that_ignores_this_is_ended(
    open_adapter: Open, tmp_path: Path, wrong: str, lives: bool
) -> None:
    adapter = open_adapter(wrong, 0.2)
    session = adapter.open(Workspace(tmp_path, tmp_path))
    with pytest.raises(AdapterError, match=r"Read took longer than 0\.2 s"):
        session.call("Read", {})
    assert (adapter.pid is not None) == lives
    assert adapter.open(Workspace(tmp_path, tmp_path)) is not None


def test_a_call_is_cancelled_if_the_event_during_it_fails(tmp_path: Path) -> None:
    adapter = LinesAdapter(shlex.split(SERVED))

    def interfere() -> None:
        raise KeyboardInterrupt

    session = adapter.open(Workspace(tmp_path, tmp_path, needs=frozenset({"Write", "during"})))
    with pytest.raises(KeyboardInterrupt):
        session.call_during("Write", {"file_path": str(tmp_path / "new.txt"), "content": "x"}, interfere)
    assert not (tmp_path / "new.txt").exists()
    adapter.close()


def test_the_server_of_the_protocol_answers_a_wrong_request_with_an_error_message() -> None:
    asked = b'no JSON\n[]\n{"id": 1, "do": "call", "session": 4}\n{"id": 2, "do": "open"}\n'
    got = [*map(json.loads, serve(asked))]
    assert [each["id"] for each in got] == [None, None, 1, 2]
    assert all(each["problem"] for each in got)
    for each in got:
        message("problem").validate(each)


def test_a_call_without_a_received_answer_is_not_part_of_the_resumed_conversation(tmp_path: Path) -> None:
    """The program may be killed after it has executed a call, but before the answer has arrived."""
    (tmp_path / "ws").mkdir()
    file = tmp_path / "ws/notes.txt"
    file.write_text("alpha\n")
    place = {
        "root": str(tmp_path / "ws"),
        "home": str(tmp_path),
        "needs": ["Read", "Write", "kill", "resume"],
    }
    place |= {"deny": [], "hooks": [], "permissions": None}
    write = {"do": "call", "tool": "Write", "arguments": {"file_path": str(file), "content": "beta\n"}}
    read = {"do": "call", "tool": "Read", "arguments": {"file_path": str(file)}}

    def answers_to(session: int, *requests: dict[str, Any]) -> list[dict[str, Any]]:
        numbered = [{"id": number, "session": session, **each} for number, each in enumerate(requests, 1)]
        return [*map(json.loads, serve(to_lines(*numbered), contract="2.1.160", saves_sessions=True))]

    begun = answers_to(1, {"do": "open", **place}, read, write)
    assert [each.get("refused") for each in begun] == [None, False, False]
    os.utime(file, (4_000_000_000, 4_000_000_000))
    resumed = answers_to(2, {"do": "open", **place}, {"do": "resume", "killed": 1}, write)
    assert "modified since read" in resumed[-1]["text"]


@pytest.fixture
def conversations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the saved conversations, which is empty."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    folder = tmp_path / f"readfirst-conversations-{os.getuid()}"
    folder.mkdir(mode=0o700)
    return folder


def judge_resumption() -> Verdict:
    (verdict,) = run(SUITE, f"lines:{SERVED}", ["2.1.7"], "text", ["interrupted/killed-and-resumed"])
    return verdict


def test_the_reference_remembers_the_reads_of_a_killed_process(conversations: Path) -> None:
    old = conversations / "left.1"
    old.touch()
    os.utime(old, (0, 0))
    verdict = judge_resumption()
    assert (verdict.status, verdict.differences) == ("passed", ())
    assert not conversations.exists(), "what is old or was closed is kept no more"


def test_a_conversation_is_not_resumed_from_a_directory_that_others_can_write(conversations: Path) -> None:
    conversations.chmod(0o777)
    verdict = judge_resumption()
    assert verdict.status == "error"
    assert f"another user may write to {conversations}: remove this directory" in verdict.reason


def test_serve_with_the_protocol_lines_refuses_root(readfirst: Cli) -> None:
    done = readfirst("serve", "--protocol", "lines", "--root", ".")
    assert done.code == 2
    assert "--root and --settings are for --protocol mcp" in done.err


@pytest.mark.parametrize(
    "language", [pytest.param("go", marks=pytest.mark.go), pytest.param("typescript", marks=pytest.mark.node)]
)
def test_a_skeleton_passes_check_adapter_and_the_main_rule(language: str, tmp_path: Path) -> None:
    command = f"lines:{shlex.join(skeleton(language, tmp_path))}"
    with WorkspacePool() as place, closing(connect(command, SUITE)) as adapter:
        assert [check.problem for check in run_checks(plan_checks(adapter, place)) if check.problem] == []
    ids = ["gate/edit-unread", "race/edit-changed-during-call", "staleness/edit-after-change"]
    assert [each.status for each in run(SUITE, command, ["2.1.7"], "effects", ids)] == ["passed"] * 3


def test_each_skeleton_of_a_program_has_less_than_150_lines() -> None:
    files = ("go/skeleton/main.go", "typescript/skeleton/tools.mjs")
    assert all(len((ROOT / "runners" / file).read_text().splitlines()) < 150 for file in files)


@pytest.mark.slow
def test_the_reference_has_the_same_verdicts_with_the_protocol_lines_as_in_this_process() -> None:
    here = run(SUITE, "reference", ["2.1.7"], "verbatim", options=RunOptions(jobs=2))
    there = run(SUITE, f"lines:{SERVED}", ["2.1.7"], "verbatim", options=RunOptions(jobs=2))
    for one, other in zip(here, there, strict=True):
        assert (one.scenario_id, one.status, one.levels) == (other.scenario_id, other.status, other.levels)

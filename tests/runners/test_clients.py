"""The MCP clients of both runners, scenarios that run in parallel, and the summary at the end."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from tests.runners.verdicts import (
    PRINTING_RUNNERS,
    REFERENCE,
    SERVE_WRONG,
    SUITE,
    harness_verdicts,
    read_verdicts,
    write_export,
)

IDS = sorted({*[each for each in SUITE.ids() if each.startswith(("gate/", "parallel/"))][::9]})
SERVED = f"{sys.executable} -m readfirst.harness.cli.main serve --contract 2.1.7"
Runner = Callable[..., str]


@PRINTING_RUNNERS
def test_an_mcp_server_has_the_same_verdicts_as_a_program_with_the_protocol_lines(
    runner: Runner, tmp_path: Path
) -> None:
    suite, verdicts = write_export(tmp_path / "suite.jsonl.gz", IDS), tmp_path / "verdicts.jsonl"
    printed = runner((), suite, verdicts, MCP=SERVED, JOBS="2")
    judged = {name: each for name, each in read_verdicts(verdicts, printed).items() if each[0] == "judged"}
    right = harness_verdicts(REFERENCE, IDS)
    assert judged == {name: right[name] for name in judged}
    assert any(name.startswith("parallel/") for name in judged)
    assert len(judged) >= 10


@PRINTING_RUNNERS
def test_scenarios_that_run_in_parallel_have_the_same_verdicts(runner: Runner, tmp_path: Path) -> None:
    suite, verdicts = write_export(tmp_path / "suite.jsonl.gz", IDS), tmp_path / "verdicts.jsonl"
    printed = runner(REFERENCE, suite, verdicts, JOBS="3")
    assert read_verdicts(verdicts, printed) == harness_verdicts(REFERENCE, IDS)


@PRINTING_RUNNERS
def test_the_summary_starts_with_harm_and_counts_rules_by_class(runner: Runner, tmp_path: Path) -> None:
    ids = [each for each in SUITE.ids() if each.startswith("staleness/")][::20]
    suite = write_export(tmp_path / "suite.jsonl.gz", [*ids, "gate/edit-unread"])
    wrong = [*SERVE_WRONG, "wrong_state:NoStalenessCheck"]
    lines = [line for line in runner(wrong, suite, tmp_path / "v", LEVEL="effects").splitlines() if line]
    at = next(number for number, line in enumerate(lines) if "harm, by failing scenarios: " in line)
    assert "safety: " in lines[at + 1]
    assert " rules hold at the level effects" in lines[at + 1]
    failing = [line for line in lines[at:] if " fail: " in line]
    assert failing
    harm = ["harm)" in line for line in failing]
    assert harm == sorted(harm, reverse=True)
    assert "write-refuses-changed-file (safety, harm)" in "".join(failing)


@PRINTING_RUNNERS
def test_a_server_without_the_required_tools_is_refused_with_advice(runner: Runner, tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
    server.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        f"    answer = {json.dumps(hello)} if asked['method'] == 'initialize' else {{'tools': [{{'name': 'x'}}]}}\n"
        "    if 'id' in asked: print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': answer}), flush=True)\n"
    )
    suite = write_export(tmp_path / "suite.jsonl.gz", IDS[:1])
    printed = runner((), suite, tmp_path / "v", MCP=f"{sys.executable} {server}")
    assert "the server offers no tool called Read" in printed
    assert "wrap it in an Implementation" in printed

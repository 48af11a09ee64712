"""The MCP clients of both runners, and the summary at the end."""

import sys
from collections.abc import Callable
from pathlib import Path

from tests.runners.verdicts import (
    PRINTING_RUNNERS,
    REFERENCE,
    ROOT,
    SERVE_WRONG,
    SUITE,
    harness_verdicts,
    read_verdicts,
    write_export,
)

IDS = sorted({*[each for each in SUITE.ids() if each.startswith(("gate/", "parallel/"))][::9]})
SERVED = f"{sys.executable} -m readfirst.harness.cli.main serve --contract 2.1.7"
Runner = Callable[..., str]
OTHER_TOOLS = "from tests import mcp_lines; mcp_lines.serve(print, tools=[{'name': 'x'}])"


@PRINTING_RUNNERS
def test_an_mcp_server_has_the_same_verdicts_as_a_program_with_lines(runner: Runner, tmp_path: Path) -> None:
    """Two scenarios run in parallel."""
    suite, verdicts = write_export(tmp_path / "suite.jsonl.gz", IDS), tmp_path / "verdicts.jsonl"
    printed = runner((), suite, verdicts, MCP=SERVED, JOBS="2")
    judged = {name: each for name, each in read_verdicts(verdicts, printed).items() if each[0] == "judged"}
    right = harness_verdicts(REFERENCE, IDS)
    assert judged == {name: right[name] for name in judged}
    assert any(name.startswith("parallel/") for name in judged)
    assert len(judged) >= 10


@PRINTING_RUNNERS
def test_the_summary_starts_with_harm_and_counts_rules_by_class(runner: Runner, tmp_path: Path) -> None:
    ids = [each for each in SUITE.ids() if each.startswith("staleness/")][::20]
    suite = write_export(
        tmp_path / "suite.jsonl.gz", [*ids, "gate/edit-unread", "staleness/write-after-change"]
    )
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
    server.write_text(f"import sys; sys.path.append({str(ROOT)!r})\n{OTHER_TOOLS}")
    suite = write_export(tmp_path / "suite.jsonl.gz", IDS[:1])
    printed = runner((), suite, tmp_path / "v", MCP=f"{sys.executable} {server}")
    assert "the server offers no tool called Read" in printed
    assert "wrap it in an Implementation" in printed

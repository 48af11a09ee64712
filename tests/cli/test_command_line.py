import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.compare.baseline import BaselineError
from readfirst.harness.processes.temp_dirs import ScratchError
from readfirst.harness.run.connect import ConnectError
from readfirst.harness.suite.contracts import contract_sort_key
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError
from readfirst.harness.yaml_io.finding import SuiteError
from tests.command_line import Cli
from tests.newest import NEWEST
from tests.rows import rows

from .conftest import PASSES, MakeSuite, record_alike


def test_a_passing_run_exits_0_with_a_table_and_a_summary(readfirst: Cli, holding: Suite) -> None:
    ran = readfirst("run", "--fixtures", holding.root)
    assert ran.code == 0
    rows = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert {"gate 1 1/1 1/1 1/1 1/1 0 0 0", "all 2 2/2 2/2 2/2 2/2 0 0 0"} <= {*rows}
    assert ran.out.splitlines()[-1] == "2 scenarios: 2 passed; conformant"
    cost = r"cost: start-up S ms, S ms per scenario, S ms per step; S ms in all\n"
    assert re.fullmatch(cost.replace("S m", r"\S+ m?"), ran.err)


def test_contracts_are_listed_in_release_order_with_the_changes_of_each(readfirst: Cli) -> None:
    ran = readfirst("contracts")
    rows = [line.split("\t") for line in ran.out.splitlines()]
    names = [row[0] for row in rows]
    assert (ran.code, names[0], names[-1]) == (0, "documented", f"{NEWEST}+gated")
    assert names[1:] == sorted(names[1:], key=contract_sort_key)
    by_name = {row[0]: row[1:] for row in rows}
    assert by_name["2.1.7"][:2] == ["default", "enforced"]
    assert by_name[NEWEST][:2] == ["latest", "relaxed"]
    assert by_name["2.1.40"][2] == "The answer of Edit contains no snippet. Read expands ~."
    assert all(row[-1] for row in rows)


def test_every_command_uses_the_newest_contract_for_latest(readfirst: Cli, holding: Suite) -> None:
    record_alike(holding, NEWEST)
    ran = readfirst("run", "--contract", "latest", "--fixtures", holding.root)
    assert f"reference on {NEWEST}, level text" in ran.out
    for words in (["show", "gate/not-read"], ["export"]):
        latest, newest = (
            readfirst(*words, "--contract", contract, "--fixtures", holding.root)
            for contract in ("latest", NEWEST)
        )
        assert (latest.code, latest.out) == (0, newest.out)
    assert readfirst("diff", NEWEST, "latest", "--fixtures", holding.root).code == 0


def test_an_adapter_error_exits_3(readfirst: Cli, holding: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    class Raises:
        def open(self, workspace: object) -> Any:
            raise AdapterError("it hung", blame="adapter")

    monkeypatch.setattr("readfirst.harness.run.runner.connect", lambda *_, **__: Raises())
    ran = readfirst("run", "--fixtures", holding.root)
    assert ran.code == 3
    assert "ERROR gate/not-read" in ran.out
    assert "blame: adapter" in ran.out


@pytest.mark.parametrize("command", ["run", "list"])
def test_an_invalid_suite_exits_4_with_a_position(
    readfirst: Cli, make_suite: MakeSuite, command: str
) -> None:
    suite = make_suite({"reading/broken": PASSES.replace("must", "may")})
    ran = readfirst(command, "--fixtures", suite.root)
    assert ran.code == 4
    assert f"{suite.scenarios_root}/reading/broken.yaml:2:14: requirement cannot be 'may'" in ran.err


@rows(
    ("words", "message"),
    [
        (["run", "refrence", "--format", "jsonl"], "there is no kind 'refrence'. Did you mean reference?"),
        (["run", "python:no_such_module:Tools"], "there is no module no_such_module"),
        (["run", "--contract", "2.1.7x"], "there is no contract '2.1.7x'. Did you mean 2.1.7?"),
        (["run", "--contract", "2.1.8"], "the tools behave as those of 2.1.7. Write 2.1.7."),
        (["diff", "2.1.8", "2.1.7"], "the tools behave as those of 2.1.7. Write 2.1.7."),
        (["run", "--contract", "documented", "--level", "verbatim"], "documented has none"),
        (["run", "--family", "gat"], "Did you mean gate?"),
        (["run", "-k", "a b"], "`and` or `or` is expected"),
        (["run", "--failures", "many"], "neither a number nor `all`"),
        (["run", "--update-baseline"], "needs --baseline"),
        (["run", "--baseline-update"], "needs --baseline"),
        (["run", "--baseline", "/nowhere/x.yaml"], "the file cannot be read"),
        (["run", "--baseline", "/dev/null"], "is not a file. To run without a baseline, use --no-baseline."),
        (["run", "--baseline", "x.yaml", "--no-baseline"], "--no-baseline cannot be combined with"),
        (["run", "--name", " "], "--name is empty"),
        (["run", "--output", "/nowhere/x", "--format", "junit"], "Name a file in an existing directory"),
        (["show", "gate/not-read", "--contract", "9"], "there is no contract '9'"),
        (["product", "record", "--contract", "documented"], "documented has no product to record"),
        (["product", "record", "--fix", "--check"], "exclude each other"),
    ],
)
def test_wrong_usage_exits_2_with_help(
    readfirst: Cli, holding: Suite, words: list[str], message: str
) -> None:
    ran = readfirst(*words, "--fixtures", holding.root)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_a_baseline_contains_the_name_but_no_path_or_option_of_the_command(
    readfirst: Cli, mixed: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def connect(target: str, *_: Any, **__: Any) -> Any:
        opened.append(target)
        return ReferenceAdapter("2.1.7")

    monkeypatch.setattr("readfirst.harness.run.runner.connect", connect)
    file = tmp_path / "accepted.yaml"
    one, two = "mcp:node /home/one/server.mjs", "mcp:node /srv/two/server.mjs"

    def run_exits(*words: str) -> int:
        return readfirst("run", *words, "--fixtures", mixed.root, "--baseline", file).code

    assert run_exits(one, "--isolation", "directory", "--name", "mine", "--update-baseline") == 0
    text = file.read_text()
    assert 'name: "mine"' in text
    assert not {"/home", "mcp:", "isolation"} & set(re.split(r"[ /\n]", text))
    assert run_exits(two, "--name", "mine") == 0
    assert opened == ["mcp:--isolation=directory node /home/one/server.mjs", two]
    # Without `--name`, the baseline names the target as in the command, without the option for isolation.
    file.unlink()
    assert run_exits(one, "--isolation", "directory", "--update-baseline") == 0
    assert f"name: {json.dumps(one)}" in file.read_text()
    assert run_exits(one) == 0
    # A later run may pass `--name`. The baseline keeps its name.
    assert run_exits(one, "--name", "mine", "--update-baseline") == 0
    assert f"name: {json.dumps(one)}" in file.read_text()
    assert run_exits("mcp:node other.mjs", "--name", "mine") == 2


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ConnectError("write something else"), 2, "write something else"),
        (BaselineError(()), 2, ""),
        (AdapterError("it hung", details="its last words"), 3, "it hung"),
        (ScratchError("no space"), 3, "no space"),
        (SuiteError(()), 4, ""),
        (RecordingError("record it again"), 4, "record it again"),
        (ZeroDivisionError("of\nours"), 70, "unexpected ZeroDivisionError: of ours"),
    ],
)
def test_an_error_ends_a_command_with_its_exit_code(
    readfirst: Cli, holding: Suite, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, said: str
) -> None:
    def perform(_: object) -> int:
        raise error

    monkeypatch.setattr("readfirst.harness.cli.run.perform", perform)
    ran = readfirst("run", "--fixtures", holding.root)
    assert (ran.code, ran.err.split("\n", 1)[0]) == (code, f"readfirst: {said}")
    assert getattr(error, "details", "") in ran.err
    if code == 70:
        shown = readfirst("run", "--fixtures", holding.root, "--traceback")
        assert (shown.code, "Traceback" in shown.err) == (70, True)


def run_python(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python in a new process, because this process has already imported most modules."""
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)


def test_the_command_list_imports_no_module_that_only_the_command_run_uses(holding: Suite) -> None:
    code = (
        "import sys\nfrom readfirst.harness.cli.main import main\n"
        "try:\n    main(['list', '--fixtures', sys.argv[1]])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'rich.console', 'rich.table', 'jsonschema', 'mcp', 'pytest', 'reference_impl', 'ruamel', 'asyncio'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert run_python("-c", code, holding.root).stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("format_", ["markdown", "html", "badge", "junit"])
def test_truncated_json_lines_exit_3(readfirst: Cli, mixed: Suite, tmp_path: Path, format_: str) -> None:
    stream, page = tmp_path / "cut.jsonl", tmp_path / "page"
    readfirst("run", "--format", "jsonl", "--output", stream, "--fixtures", mixed.root)
    stream.write_text("".join(stream.read_text().splitlines(keepends=True)[:-1]))
    ran = readfirst("report", stream, "--format", format_, "--output", page, "--fixtures", mixed.root)
    assert (ran.code, ran.out) == (3, "")
    assert "cut.jsonl:5: the stream ends without its footer: the run was cut off. Run it again." in ran.err
    assert not page.exists()


def test_a_former_name_of_a_command_runs_it_with_a_warning(readfirst: Cli) -> None:
    for words, message in (
        (["field", "targets"], "`field targets` is now `targets list`"),
        (["field", "new-mapping", "--help"], "`field` is now `targets`"),
    ):
        ran = readfirst(*words)
        assert ran.code == 0
        assert f"readfirst: {message}; the next release removes the old name." in ran.err
        assert ("target:agno@" in ran.out) == (words[1] == "targets")


def test_a_baseline_of_another_target_exits_2(readfirst: Cli, holding: Suite, tmp_path: Path) -> None:
    file = tmp_path / "accepted.yaml"
    file.write_text("name: python:m:T\naccepted: []\n")
    ran = readfirst("run", "--fixtures", holding.root, "--baseline", file)
    assert ran.code == 2
    assert f"{file}:1:7: " in ran.err
    assert "to 'python:m:T', but the run is called 'reference'" in ran.err
    assert "If they are the same, add --name python:m:T." in ran.err
    assert readfirst("run", "--fixtures", holding.root, "--baseline", file, "--name", "python:m:T").code == 0


def test_a_character_that_the_terminal_cannot_show_is_escaped(mixed: Suite) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = run_python("-m", "readfirst", "run", "--failures", "9", "--fixtures", mixed.root, env=environment)
    assert ran.returncode == 1
    assert "\\u2192" in ran.stdout

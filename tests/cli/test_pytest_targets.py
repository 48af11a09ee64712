import re
import sys
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite

from .conftest import HOLDING, RACES, MakeSuite
from .pytest_runs import Run, alone_and_with

CARELESS = r"""
from pathlib import Path
from readfirst.harness.adapter_api import ToolResult

class Tools:
    def open(self, workspace):
        return self

    def call(self, tool, arguments):
        if tool == "Read":
            return ToolResult("     1→alpha\n     2→beta\n     3→")
        path = Path(arguments["file_path"])
        path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"]))
        return ToolResult("done")
"""
"""A module with an implementation that edits files which were not read."""


@pytest.mark.slow
def test_an_implementation_in_the_current_directory_is_tested(
    run: Run, pytester: pytest.Pytester, bundled: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    pytester.makepyfile(careless=CARELESS)
    result = run("--adapter", "python:careless:Tools")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*expected refused: *", "*got      not refused: done"])
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text("utf-8")
    (shown,) = re.findall(r"^FAILED scenarios/gate/edit-unread.yaml::2.1.7 - .*", page, re.MULTILINE)
    result.stdout.fnmatch_lines([shown.replace("edit-unread", "not-read")])


@pytest.mark.parametrize("parallel", alone_and_with(2))
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--adapter", "refrence"), "there is no kind 'refrence'. Did you mean reference?"),
        (("--adapter", "python:no_such_module:Tools"), "there is no module no_such_module"),
        (("--adapter", "reference", "--contract", "2.1.7x"), "there is no contract '2.1.7x'"),
        (("--readfirst-contract", "2.1.7x"), "there is no contract '2.1.7x'. Did you mean 2.1.7?"),
        (("--readfirst-baseline", "/nowhere/x.yaml"), "the file cannot be read"),
        (("--adapter", "agno"), "'agno' is not a target. Did you mean: --adapter target:agno"),
    ],
)
def test_an_invalid_option_is_reported_once_before_pytest_collects_scenarios(
    run: Run, holding: Suite, words: tuple[str, ...], message: str, parallel: tuple[str, ...]
) -> None:
    result = run(*words, *parallel, holding.scenarios_root)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stdout.str() == ""
    assert result.stderr.str().count("ERROR: readfirst: ") == 1
    assert message in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


COUNTED = """
with open("starts.txt", "a") as starts:
    starts.write("started\\n")

class Tools:
    def __init__(self):
        raise RuntimeError("it never starts")
"""
"""A module that counts its starts in a file. Its implementation raises an exception when it is created."""


@pytest.mark.parametrize("parallel", alone_and_with(2))
def test_a_target_that_does_not_start_is_started_once_and_reported_with_its_output(
    run: Run, pytester: pytest.Pytester, bundled: Suite, parallel: tuple[str, ...]
) -> None:
    pytester.makepyfile(counted=COUNTED)
    result = run("--adapter", "python:counted:Tools", *parallel)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stdout.str() == ""
    assert result.stderr.str().count("ERROR: ") == result.stderr.str().count("Traceback") == 1
    assert (pytester.path / "starts.txt").read_text() == "started\n"


def test_the_output_of_a_failed_server_is_printed(
    run: Run, pytester: pytest.Pytester, bundled: Suite
) -> None:
    server = pytester.makepyfile(server="raise SystemExit('the port is taken')")
    result = run("--adapter", target := f"mcp:{sys.executable} {server}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    first, *rest = filter(None, result.stderr.str().splitlines())
    assert first.startswith(f"ERROR: readfirst: '{target}' cannot be connected: ")
    assert rest == ["the port is taken"]


def test_help_and_collect_only_start_no_target(run: Run, pytester: pytest.Pytester, holding: Suite) -> None:
    pytester.makepyfile(counted=COUNTED)
    for words in (["--help"], ["--markers"], ["--collect-only", holding.scenarios_root]):
        assert run("--adapter", "python:counted:Tools", *words).ret == 0
    assert not (pytester.path / "starts.txt").exists()


@pytest.mark.slow
def test_a_scenario_with_a_missing_capability_is_skipped_with_the_reason(
    run: Run, make_suite: MakeSuite, pytester: pytest.Pytester
) -> None:
    suite = make_suite({**HOLDING, "races/edit": RACES})
    pytester.makepyfile(careless=CARELESS)
    result = run("-rs", "--adapter", "python:careless:Tools", suite.scenarios_root)
    result.assert_outcomes(skipped=1, passed=1, failed=1)
    result.stdout.fnmatch_lines(["*unsupported: the adapter lacks during"])

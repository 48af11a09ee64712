from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import harness.suite
from harness.pytest_plugin import LEVELS
from harness.suite import Suite
from harness.verdict import LEVELS as ALL_LEVELS

from .conftest import HOLDING, PASSES, RACES

INSTALLED = any(entry.name == "readfirst" for entry in entry_points(group="pytest11"))
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run pytest in this process, in a directory of its own, as a user would."""
    plugin = () if INSTALLED else ("-p", "harness.pytest_plugin")

    def run_pytest(*arguments: object) -> pytest.RunResult:
        return pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", *map(str, arguments))

    return run_pytest


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch, holding: Suite) -> Suite:
    """A small suite in place of the bundled one."""
    monkeypatch.setattr(harness.suite, "default_root", lambda: holding.root)
    return holding


def test_the_levels_are_those_of_a_verdict() -> None:
    assert LEVELS == ALL_LEVELS


def test_scenario_files_become_items_with_readable_ids(run: Run, holding: Suite) -> None:
    result = run("-v", holding.scenarios_root)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["*scenarios/gate/not-read.yaml::2.1.7 PASSED*", "*reading/lines.yaml::2.1.7 PASSED*"]
    )
    assert result.ret == 0


def test_a_failure_shows_what_the_command_line_shows(run: Run, mixed: Suite) -> None:
    result = run("--readfirst-adapter", "reference", mixed.scenarios_root)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "FAILED wrong/text (2.1.7, level text)",
            f"  {mixed.scenarios_root}/wrong/text.yaml:7:7",
            "      +      1→alpha",
            "  blame: implementation",
            f"  reproduce: readfirst run reference --contract 2.1.7 --level text --fixtures {mixed.root} wrong/text",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    assert result.ret == 1


def test_the_level_and_contract_of_the_command_line_hold(run: Run, mixed: Suite) -> None:
    run(
        "--adapter=reference", "--level", "reason", mixed.scenarios_root / "wrong" / "text.yaml"
    ).assert_outcomes(passed=1)
    result = run(
        "-v",
        "--adapter",
        "reference",
        "--contract",
        "documented",
        "--contract",
        "2.1.7",
        mixed.scenarios_root,
    )
    result.assert_outcomes(passed=2, failed=2, skipped=4)
    result.stdout.fnmatch_lines(["*not-read.yaml::documented SKIPPED*"])


def test_other_yaml_files_are_left_alone(run: Run, pytester: pytest.Pytester) -> None:
    (pytester.mkdir("scenarios") / "shop.yaml").write_text("title: not ours\n")
    pytester.makefile(".yaml", config="a: 1")
    pytester.makepyfile("def test_own(): pass")
    result = run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_with_an_adapter_the_bundled_suite_is_collected_anywhere(
    run: Run, pytester: pytest.Pytester, bundled: Suite
) -> None:
    pytester.makepyfile("def test_own(): pass")
    run().assert_outcomes(passed=1)
    run("--adapter", "reference").assert_outcomes(passed=3)
    run(
        "--adapter", "reference", "test_with_an_adapter_the_bundled_suite_is_collected_anywhere.py"
    ).assert_outcomes(passed=3)


def test_a_named_scenario_is_collected_alone(run: Run, bundled: Suite) -> None:
    run("--adapter", "reference", bundled.scenarios_root / "gate").assert_outcomes(passed=1)
    run("--adapter", "reference", f"{bundled.path('gate/not-read')}::2.1.7").assert_outcomes(passed=1)


def test_ones_own_implementation_is_tested_by_its_name(
    run: Run, pytester: pytest.Pytester, bundled: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(
        careless="""
        from pathlib import Path
        from harness.session import ToolResult

        class Tools:
            def open(self, workspace):
                return self

            def call(self, tool, arguments):
                if tool == "Read":
                    return ToolResult("     1→alpha\\n     2→beta\\n     3→")
                path = Path(arguments["file_path"])
                path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"]))
                return ToolResult("done")
        """
    )
    result = run("--adapter", "python:careless:Tools")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*expected refused: *", "*got      not refused: done"])


@pytest.mark.parametrize("parallel", [(), ("-n", "2", "-p", "xdist")], ids=["alone", "xdist"])
def test_a_run_that_judges_nothing_exits_5(
    run: Run,
    make_suite: Callable[[dict[str, str]], Suite],
    pytester: pytest.Pytester,
    parallel: tuple[str, ...],
) -> None:
    suite = make_suite(HOLDING)
    pytester.makepyfile("def test_own(): pass")
    result = run("--readfirst-contract", "documented", suite.scenarios_root, pytester.path, *parallel)
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["readfirst: none of 2 scenarios was judged, so this is not a pass"])
    assert result.ret == 5


def test_an_adapter_with_everything_deselected_exits_5(
    run: Run, pytester: pytest.Pytester, bundled: Suite
) -> None:
    pytester.makepyfile("def test_own(): pass")
    assert run("--adapter", "reference", "-k", "test_own").ret == 5
    assert run("--adapter", "reference", "--collect-only").ret == 0


def test_what_an_adapter_lacks_is_skipped_with_the_reason(
    run: Run, make_suite: Callable[[dict[str, str]], Suite], pytester: pytest.Pytester
) -> None:
    suite = make_suite({**HOLDING, "races/edit": RACES})
    pytester.makepyfile(
        fixed="""
        from harness.session import ToolResult

        class Tools:
            def open(self, workspace):
                return self

            def call(self, tool, arguments):
                return ToolResult("?")
        """
    )
    result = run("-rs", "--adapter", "python:fixed:Tools", suite.scenarios_root)
    result.assert_outcomes(skipped=1, failed=2)
    result.stdout.fnmatch_lines(["*unsupported: the adapter lacks during"])


def test_xdist_gives_the_same_outcomes(run: Run, mixed: Suite) -> None:
    result = run("-n", "2", "-p", "xdist", mixed.scenarios_root)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["FAILED wrong/text (2.1.7, level text)"])


def test_accepted_failures_are_expected_and_stale_entries_fail(
    run: Run, mixed: Suite, tmp_path: Path
) -> None:
    file = tmp_path / "accepted.yaml"
    file.write_text(
        "target: reference\naccepted:\n"
        "- {scenario: wrong/text, fails: [text], reason: worded differently}\n"
        "- {scenario: gate/not-read, fails: [text], reason: no longer true}\n"
    )
    result = run("-rx", "--readfirst-baseline", file, mixed.scenarios_root)
    result.assert_outcomes(passed=1, xfailed=1, failed=2)
    result.stdout.fnmatch_lines([f"{file}:4:3: gate/not-read (2.1.7) passes now*", "*worded differently*"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--readfirst-contract", "2.1.7x"), "there is no contract '2.1.7x'. Did you mean 2.1.7?"),
        (("--readfirst-baseline", "/nowhere/x.yaml"), "the file cannot be read"),
    ],
)
def test_wrong_options_are_refused_without_a_traceback(
    run: Run, holding: Suite, words: tuple[str, str], told: str
) -> None:
    result = run(*words, holding.scenarios_root)
    assert result.ret in (2, 4)
    assert told in result.stdout.str() + result.stderr.str()
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize("target", ["refrence", "python:no_such_module:Tools"])
def test_a_target_that_cannot_be_connected_fails_without_a_traceback(
    run: Run, holding: Suite, target: str
) -> None:
    result = run("--adapter", target, holding.scenarios_root)
    assert result.ret in (1, 2, 4)
    output = result.stdout.str() + result.stderr.str()
    assert "there is no" in output
    assert "Traceback" not in output


def test_an_invalid_scenario_fails_with_its_place(
    run: Run, make_suite: Callable[[dict[str, str]], Suite]
) -> None:
    suite = make_suite({"reading/broken": PASSES.replace("must", "may")})
    result = run(suite.scenarios_root)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [f"{suite.scenarios_root}/reading/broken.yaml:2:14: requirement cannot be 'may'*"]
    )


def test_options_of_the_same_name_elsewhere_are_not_disturbed(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        def pytest_addoption(parser):
            parser.addoption("--level", type=int)
            parser.addoption("--contract")
            parser.addoption("--adapter-name")
        """
    )
    pytester.makepyfile("def test_own(request): assert request.config.getoption('--level') == 3")
    run("--level", "3", "--contract=x").assert_outcomes(passed=1)


def test_an_unrelated_run_imports_nothing_of_the_harness(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(): pass")
    code = (
        "import sys, pytest\n"
        "ended = pytest.main(sys.argv[1:])\n"
        "print(sorted(name for name in sys.modules if name.startswith('harness')))\n"
    )
    plugin = [] if INSTALLED else ["-p", "harness.pytest_plugin"]
    ran = subprocess.run(
        [sys.executable, "-c", code, "-q", "-p", "no:cacheprovider", *plugin, str(pytester.path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert ran.stdout.splitlines()[-1] == "['harness', 'harness.pytest_plugin']", ran.stdout + ran.stderr

import re
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from readfirst.harness.compare.verdict import LEVELS as ALL_LEVELS
from readfirst.harness.pytest_plugin import CLASSES, LEVELS, REQUIREMENTS
from readfirst.harness.report.failure import short_path
from readfirst.harness.suite.rules import CLASSES as ALL_CLASSES
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS as ALL_REQUIREMENTS
from readfirst.harness.suite.suite import Suite
from tests.small_suites import small_suite

from .conftest import HOLDING, PASSES, RACES, MakeSuite, Run, alone_and_parallel
from .test_command_line import run_python


def write_scenario(root: Path, scenario_id: str, text: str) -> None:
    path = root / "scenarios" / f"{scenario_id}.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text)


INSTALLED = any(entry.name == "readfirst" for entry in entry_points(group="pytest11"))


def test_the_plugin_has_the_same_levels_requirements_and_classes_as_the_suite() -> None:
    assert (LEVELS, REQUIREMENTS, CLASSES) == (ALL_LEVELS, ALL_REQUIREMENTS, ALL_CLASSES)


@pytest.mark.slow
def test_the_options_for_rules_and_classes_select_scenarios(run: Run, ruled: Suite) -> None:
    for word in ("--readfirst-rule=numbers", "--readfirst-class=wording"):
        result = run("-v", word, ruled.scenarios_root)
        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines([f"*reading/{name}.yaml::2.1.7 PASSED*" for name in ("again", "lines")])
    assert run("--readfirst-rule=numbers", "--readfirst-class=safety", ruled.scenarios_root).ret == 5


def test_pytest_prints_the_same_text_about_a_failure_as_the_command_run(run: Run, mixed: Suite) -> None:
    result = run("--readfirst-adapter", "reference", mixed.scenarios_root)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "FAILED wrong/text (2.1.7, must, level text, expected by hand)",
            f"  {short_path(mixed.scenarios_root)}/wrong/text.yaml:7:7",
            "      +      1→alpha",
            "  blame: implementation, or the expectation, which was written by hand",
            "  reproduce: readfirst run reference --contract 2.1.7 --level text"
            f" --fixtures {short_path(mixed.root)} wrong/text",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    assert result.ret == 1


def test_a_named_file_is_collected_without_the_suite_unless_the_command_line_names_the_adapter(
    run: Run, pytester: pytest.Pytester, bundled: Suite
) -> None:
    name = pytester.makepyfile("def test_own(): pass").name
    run().assert_outcomes(passed=1)
    for words in ([], ["."], [name]):
        run("--adapter", "reference", *words).assert_outcomes(passed=3)
    assert run("--adapter", "python:missing:Tools", name).ret == 4
    pytester.makeini("[pytest]\naddopts = --adapter reference")
    for path in (name, f"{name}::test_own"):
        result = run(path)
        result.assert_outcomes(passed=1)
        result.stdout.fnmatch_lines(["readfirst: the command line names only files without scenarios*"])
    run().assert_outcomes(passed=3)


@alone_and_parallel
def test_paths_of_the_configuration_file_are_relative_to_it(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, parallel: tuple[str, ...]
) -> None:
    suite = small_suite(pytester.path / "suite", HOLDING)
    pytester.makepyfile(
        named="from readfirst import ToolResult\nclass Session:\n    def call(self, tool, arguments):\n"
        "        return ToolResult('     1→alpha\\n     2→beta\\n     3→')\nclass Tools:\n    capabilities = {'Read'}\n"
        "    def open(self, workspace): return Session()\n"
    )
    text = "name: mine\nunclaimed: [Edit, Write]\naccepted: []\n"
    pytester.path.joinpath("accepted.yaml").write_text(text)
    (folder := pytester.path / "tests").mkdir()
    options = "--readfirst-baseline accepted.yaml --readfirst-name mine --readfirst-fixtures suite --readfirst-trust"
    monkeypatch.chdir(folder)
    for target in ("python:named:Tools", "python:named.py:Tools"):
        pytester.makeini(f"[pytest]\naddopts = --adapter {target} {options}")
        run(*parallel).assert_outcomes(passed=1, skipped=1)
    pytester.makeini("[pytest]")
    assert run("--adapter", "python:named:Tools").ret == 4
    folder.joinpath("accepted.yaml").write_text(text.replace("mine", "reference"))
    run("--readfirst-baseline", "accepted.yaml", suite.scenarios_root).assert_outcomes(passed=2)


def test_pytest_warns_if_a_run_is_stricter_than_its_baseline(run: Run, mixed: Suite, tmp_path: Path) -> None:
    file = tmp_path / "accepted.yaml"
    file.write_text("name: reference\nlevel: safe\naccepted: []\n")
    result = run("--readfirst-baseline", file, mixed.scenarios_root)
    result.stdout.fnmatch_lines(["*was written at the level safe, and this run judges the level text.*"])
    result = run("--readfirst-baseline", file, "--readfirst-level=safe", mixed.scenarios_root)
    result.assert_outcomes(passed=4)
    result.stdout.no_fnmatch_line("*was written at the level*")


def test_only_a_named_private_suite_is_collected(run: Run, pytester: pytest.Pytester, bundled: Suite) -> None:
    private = small_suite(pytester.path / "private", {"reading/mine": PASSES})
    pytester.makepyfile("def test_own(): pass")
    run(".").assert_outcomes(passed=1)
    other = run("--adapter", "reference")
    other.assert_outcomes(passed=3)
    other.stdout.fnmatch_lines(["*the suite private is not collected; --readfirst-fixtures private adds it"])
    both = run("--adapter", "reference", "--readfirst-fixtures", "bundled", "--readfirst-fixtures", "private")
    both.assert_outcomes(passed=4)
    both.stdout.no_fnmatch_line("*is not collected*")
    for path in (private.root, private.scenarios_root):
        run(path).assert_outcomes(passed=1)
        run("--adapter", "reference", path).assert_outcomes(passed=1)
    pytester.makeini("[pytest]\ntestpaths = private")
    run().assert_outcomes(passed=1)


def test_a_directory_with_scenarios_may_be_a_suite(
    run: Run, pytester: pytest.Pytester, bundled: Suite
) -> None:
    write_scenario(pytester.path / "bare", "reading/mine", PASSES)
    write_scenario(pytester.path / "other", "reading/mine", "steps: [open, close]\n")
    for path in ("bare", "bare/scenarios", "bare/scenarios/reading/mine.yaml"):
        run("--adapter", "reference", path).assert_outcomes(passed=1)
    run("--adapter", "reference", "other").assert_outcomes(passed=2)


def test_later_suites_override_earlier_suites(run: Run, pytester: pytest.Pytester, bundled: Suite) -> None:
    ours = pytester.path / "ours"
    for scenario_id, text in {"drafts/mine": PASSES, "gate/not-read": HOLDING["gate/not-read"]}.items():
        write_scenario(ours, scenario_id, text)
    pytester.makepyfile("def test_own(): pass")
    run("--adapter", "reference", "--readfirst-fixtures", "ours").assert_outcomes(passed=3)
    result = run("--readfirst-fixtures", "bundled", "--readfirst-fixtures", "ours", "-v", ours)
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["ours/scenarios/gate/not-read.yaml::2.1.7 PASSED*"])
    assert f"{bundled.path('reading/lines').name}::2.1.7 PASSED" in result.stdout.str()
    refused = run("--readfirst-fixtures", "ours/scenarios")
    refused.stderr.fnmatch_lines(["*there is no directory `scenarios` here*"])


def test_collected_scenarios_have_the_attributes_of_test_functions_that_other_plugins_use(
    run: Run, pytester: pytest.Pytester, bundled: Suite
) -> None:
    pytester.makeconftest("""
        import inspect

        def pytest_collection_modifyitems(items):
            for item in items:
                assert callable(item.function) and inspect.getsource(item.obj)
                assert item.cls is item.instance is None and inspect.ismodule(item.module)
                assert item.originalname == item.name and not [*item.fixturenames, *item.funcargs]
        """)
    run("--adapter", "reference").assert_outcomes(passed=2)


@alone_and_parallel
def test_pytest_exits_5_if_no_scenario_was_judged(
    run: Run, holding: Suite, pytester: pytest.Pytester, parallel: tuple[str, ...]
) -> None:
    pytester.makepyfile("def test_own(): pass")
    result = run("--readfirst-contract", "documented", holding.scenarios_root, pytester.path, *parallel)
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["readfirst: none of 2 scenarios was judged, so this is not a pass"])
    assert result.ret == 5


@pytest.mark.usefixtures("bundled")
def test_pytest_exits_5_if_every_scenario_is_deselected(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(): pass")
    assert run("--adapter", "reference", "-k", "test_own").ret == 5
    assert run("--adapter", "reference", "--collect-only").ret == 0


@pytest.mark.slow
def test_accepted_failures_are_xfail_and_stale_entries_fail(run: Run, mixed: Suite, tmp_path: Path) -> None:
    file = tmp_path / "accepted.yaml"
    file.write_text(
        "name: reference\naccepted:\n"
        "- {scenario: wrong/text, level: text, reason: worded differently}\n"
        "- {scenario: gate/not-read, level: text, reason: no longer true}\n"
    )
    result = run("-rx", "--readfirst-baseline", file, mixed.scenarios_root)
    result.assert_outcomes(passed=1, xfailed=1, failed=2)
    result.stdout.fnmatch_lines([f"{file}:4:3: gate/not-read (2.1.7) passes now*", "*worded differently*"])


@alone_and_parallel
def test_the_summary_of_pytest_contains_the_first_difference_of_each_failure(
    run: Run, mixed: Suite, parallel: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    result = run(*parallel, mixed.scenarios_root)
    effects = "step 1: expected not refused, got refused: File has not been read yet. *…"
    text = 'step 1: text: expected "     1→alpha\\r", got "     1→alpha"'
    for name, words in (("effects", effects), ("text", text)):
        result.stdout.fnmatch_lines([f"FAILED *scenarios/wrong/{name}.yaml::2.1.7 - {words}"])


def test_an_invalid_scenario_fails_in_pytest_with_its_position(run: Run, make_suite: MakeSuite) -> None:
    suite = make_suite({"reading/broken": PASSES.replace("must", "may")})
    result = run(suite.scenarios_root)
    assert result.ret == 1
    place = f"{suite.scenarios_root}/reading/broken.yaml:2:14"
    result.stdout.fnmatch_lines([f"{place}: requirement cannot be 'may'*"])


def test_another_plugin_may_define_options_with_the_same_names(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        def pytest_addoption(parser):
            parser.addoption("--level", type=int)
            parser.addoption("--contract")
            parser.addoption("--adapter-name")
        """)
    pytester.makepyfile("def test_own(request): assert request.config.getoption('--level') == 3")
    run("--level", "3", "--contract=x").assert_outcomes(passed=1)


@pytest.mark.slow
def test_a_run_without_scenarios_imports_almost_nothing_of_the_harness(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(): pass")
    code = (
        "import sys, pytest\n"
        "ended = pytest.main(sys.argv[1:])\n"
        "print(*sorted(name for name in sys.modules if name.startswith('readfirst')))\n"
    )
    plugin = [] if INSTALLED else ["-p", "readfirst.harness.pytest_plugin"]
    ran = run_python(
        *("-c", code, "-q", "-p", "no:cacheprovider", *plugin, pytester.path),
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert ran.stdout.splitlines()[-1].replace("readfirst.harness", "_").split() == [
        *(
            "readfirst",
            "_",
            "_.errors",
            "_.pytest_plugin",
            "_.run",
            "_.run.pytest_items",
            "_.run.pytest_target",
        ),
        *("_.suite", "_.suite.rule_classes", "_.terminal"),
    ], ran.stdout + ran.stderr


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


@alone_and_parallel
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


@alone_and_parallel
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
def test_a_missing_capability_skips_a_scenario(
    run: Run, make_suite: MakeSuite, pytester: pytest.Pytester
) -> None:
    suite = make_suite({**HOLDING, "races/edit": RACES})
    pytester.makepyfile(careless=CARELESS)
    result = run("-rs", "--adapter", "python:careless:Tools", suite.scenarios_root)
    result.assert_outcomes(skipped=1, passed=1, failed=1)
    result.stdout.fnmatch_lines(["*unsupported: the adapter lacks during"])

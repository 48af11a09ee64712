import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tests.rows import rows

CHECKOUT = Path(__file__).resolve().parents[2]
SCRIPT = CHECKOUT / ".ci" / "run"
OPTIONS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
MARKS = [marker.partition(":")[0] for marker in OPTIONS["markers"]]


def parts() -> dict[str, str]:
    """Return the lines of each part of the script `.ci/run`, by the name of the part."""
    return dict(re.findall(r"^check_(\w+)\(\) \{\n(.*?)^\}", SCRIPT.read_text(), re.MULTILINE | re.DOTALL))


def marks_that_are_run(lines: str) -> list[str]:
    return re.findall(r"^ *pytest -m (\w+)$", lines, re.MULTILINE)


def test_pytest_without_options_excludes_the_tests_with_any_mark() -> None:
    options = OPTIONS["addopts"]
    assert options[options.index("-m") + 1] == " and ".join(f"not {mark}" for mark in MARKS)


def test_the_checks_run_the_tests_with_each_mark() -> None:
    assert sorted(marks_that_are_run("".join(parts().values()))) == sorted(MARKS)


def test_a_mark_that_no_check_runs_is_detected() -> None:
    without = "".join(parts().values()).replace("pytest -m slow\n", "# pytest -m slow\n")
    assert sorted(set(MARKS) - set(marks_that_are_run(without))) == ["slow"]


@pytest.mark.parametrize("mark", MARKS)
def test_every_defined_mark_is_used_by_a_test(mark: str) -> None:
    files = (file for name in ("tests", "observatory/tests") for file in (CHECKOUT / name).rglob("test_*.py"))
    assert any(
        re.search(rf"(^pytestmark = |^@|marks=)pytest\.mark\.{mark}\b", file.read_text("utf-8"), re.M)
        for file in files
    )


@rows("mark", MARKS)
def test_contributing_md_states_the_duration_of_the_tests_with_each_mark(mark: str) -> None:
    text = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
    assert re.search(rf"^\$ pytest -m {mark} +# .*\d+ (s|min)\b", text, re.MULTILINE)


def test_the_readme_states_the_duration_of_the_tests_and_of_the_slow_tests() -> None:
    text = (CHECKOUT / "README.md").read_text("utf-8").partition("pip install '.[test]' && pytest")[2][:600]
    assert re.search(r"about \w+ (seconds|minutes?)", text)
    assert "`pytest -m slow`" in text


@rows("part", parts())
def test_every_part_of_the_checks_is_a_job_in_ci(part: str) -> None:
    workflow = yaml.safe_load((CHECKOUT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    steps = [step.get("run", "") for step in workflow["jobs"][part]["steps"]]
    assert f".ci/run {part}" in steps


def test_ci_tests_the_runners_on_windows_and_macos() -> None:
    jobs = yaml.safe_load((CHECKOUT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))["jobs"]
    native, suite = jobs["native"], jobs["native-suite"]
    assert native["strategy"]["matrix"]["system"] == ["windows-latest", "macos-latest"]
    assert (native["runs-on"], native["needs"]) == ("${{ matrix.system }}", "native-suite")
    ran = [(step["run"], step.get("shell")) for step in native["steps"] if "run" in step]
    assert ran == [(".ci/native run exported 1400", "bash")]
    ran = [(step["run"], step.get("shell")) for step in suite["steps"] if "run" in step]
    assert ran == [("pip install .", None), (".ci/native prepare exported", None)]
    steps = [*suite["steps"], *native["steps"]]
    handed = [step["with"]["path"] for step in steps if "artifact" in step.get("uses", "")]
    assert handed == ["exported", "exported"]
    assert os.access(CHECKOUT / ".ci" / "native", os.X_OK)
    # Without this attribute, git would check out the script with CRLF on Windows, and no shell could run it.
    assert "* -text" in (CHECKOUT / ".gitattributes").read_text("utf-8").splitlines()


@pytest.mark.parametrize("words", ["tests", "lint nothing"])
def test_an_unknown_part_of_the_checks_is_refused(words: str) -> None:
    ran = subprocess.run([SCRIPT, *words.split()], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == f"{words.split()[-1]} is no part of the checks; there are {', '.join(parts())}\n"


@pytest.fixture(scope="module")
def root_conftest() -> ModuleType:
    spec = importlib.util.spec_from_file_location("choice_of_processes", CHECKOUT / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("words", "processors", "started"),
    [
        ("", 2, 3),
        ("-m slow", 2, 3),
        ("", 1, 0),
        ("", 64, 8),
        ("test_one.py", 2, 0),
        ("-k one", 2, 0),
        ("--lf", 2, 0),
        ("-s", 2, 0),
        ("-n auto test_one.py", 2, None),
    ],
)
def test_pytest_starts_several_processes_only_for_a_run_of_all_tests(
    root_conftest: ModuleType,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    processors: int,
    started: int | None,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(processors), raising=False)
    pytester.makeini("[pytest]\ntestpaths = .\naddopts = -n logical\nmarkers = slow")
    pytester.makepyfile(test_one="def test_one(): pass")
    assert root_conftest.pytest_xdist_auto_num_workers(pytester.parseconfig(*shlex.split(words))) == started


@pytest.mark.parametrize("planted", [False, True])
def test_lint_imports_detects_an_import_of_the_observatory_by_the_suite(
    planted: bool, tmp_path: Path
) -> None:
    contracts = (CHECKOUT / "pyproject.toml").read_text("utf-8").split("\n[[tool.importlinter.contracts]]\n")
    (own,) = [each.partition("\n\n")[0] for each in contracts if "The suite does not import" in each]
    lines = ["[tool.importlinter]", 'root_package = "readfirst"', "[[tool.importlinter.contracts]]", own, ""]
    (tmp_path / "pyproject.toml").write_text("\n".join(lines))
    for name in ("", "harness", "observatory", "reference_impl"):
        (tmp_path / "readfirst" / name).mkdir()
        (tmp_path / "readfirst" / name / "__init__.py").write_text("")
    if planted:
        module = tmp_path / "readfirst" / "harness" / "planted.py"
        module.write_text("from readfirst.observatory import fuzz\n")
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == planted, done.stdout + done.stderr
    assert ("readfirst.harness.planted -> readfirst.observatory" in done.stdout) == planted

import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
    lines = "".join(parts().values())
    assert sorted(marks_that_are_run(lines)) == sorted(MARKS)
    without = lines.replace("pytest -m slow\n", "# pytest -m slow\n")
    assert {*MARKS} - {*marks_that_are_run(without)} == {"slow"}, "a missing mark is detected"


@rows("mark", MARKS)
def test_every_mark_is_used_by_a_test_and_contributing_md_states_its_duration(mark: str) -> None:
    files = (file for name in ("tests", "observatory/tests") for file in (CHECKOUT / name).rglob("test_*.py"))
    pattern = rf"(^pytestmark = |^@|marks=)pytest\.mark\.{mark}\b"
    assert any(re.search(pattern, file.read_text("utf-8"), re.M) for file in files)
    text = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
    assert re.search(rf"^\$ pytest -m {mark} +# .*\d+ (s|min)\b", text, re.MULTILINE)


def test_the_readme_states_the_duration_of_the_tests_and_of_the_slow_tests() -> None:
    text = (CHECKOUT / "README.md").read_text("utf-8").partition("pip install '.[test]' && pytest")[2][:600]
    assert re.search(r"about \w+ (seconds|minutes?)", text)
    assert "`pytest -m slow`" in text


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    return yaml.safe_load((CHECKOUT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]  # type: ignore[no-any-return]


@rows("part", parts())
def test_every_part_of_the_checks_is_a_job_in_ci(jobs: dict[str, Any], part: str) -> None:
    assert f".ci/run {part}" in [step.get("run") for step in jobs[part]["steps"]]


def test_ci_tests_the_runners_on_windows_and_macos(jobs: dict[str, Any]) -> None:
    native, suite = jobs["native"], jobs["native-suite"]
    assert native["strategy"]["matrix"]["system"] == ["windows-latest", "macos-latest"]
    assert (native["runs-on"], native["needs"]) == ("${{ matrix.system }}", "native-suite")
    steps = [*suite["steps"], *native["steps"]]
    commands = ["pip install .", ".ci/native prepare exported", ".ci/native run exported 1400"]
    assert [step["run"] for step in steps if "run" in step] == commands
    assert [step["shell"] for step in native["steps"] if "run" in step] == ["bash"]
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
def root_conftest() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(CHECKOUT / "conftest.py")))


@rows(
    ("words", "processors", "started"),
    [
        *(("", 2, 3), ("-m slow", 2, 3), ("", 1, 0), ("", 64, 8), ("-n auto test_one.py", 2, None)),
        *((words, 2, 0) for words in ("test_one.py", "-k one", "--lf", "-s")),
    ],
)
def test_pytest_starts_several_processes_only_for_a_run_of_all_tests(
    root_conftest: SimpleNamespace,
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
def test_lint_imports_detects_an_import_of_the_observatory(planted: bool, tmp_path: Path) -> None:
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
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports; exit(lint_imports())"]
    variables = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == planted, done.stdout + done.stderr
    assert ("readfirst.harness.planted -> readfirst.observatory" in done.stdout) == planted

"""readfirst in an environment of its own, in a project that has packages called as our folders are."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.pages.stage import copy_of_checkout

pytestmark = pytest.mark.slow

FILES = {
    "harness/__init__.py": "NAME = 'their harness'\n",
    "reference_impl/__init__.py": "NAME = 'their reference_impl'\n",
    "fixtures/__init__.py": "NAME = 'their fixtures'\n",
    "tests/__init__.py": "",
    "tests/test_theirs.py": (
        "import fixtures, harness, reference_impl\n\n"
        "def test_theirs():\n"
        "    names = [each.NAME for each in (fixtures, harness, reference_impl)]\n"
        "    assert names == ['their fixtures', 'their harness', 'their reference_impl']\n"
    ),
    "mytools.py": (
        "import harness, reference_impl\n"
        "from readfirst import FileTools, ToolResult\n\n"
        "assert (harness.NAME, reference_impl.NAME) == ('their harness', 'their reference_impl')\n\n\n"
        "class Tools:\n"
        "    def open(self, workspace):\n"
        "        return Session(FileTools('2.1.7', root=workspace.root, home=workspace.home))\n\n\n"
        "class Session:\n"
        "    def __init__(self, tools):\n"
        "        self.tools = tools\n\n"
        "    def call(self, tool, arguments):\n"
        "        result = self.tools.call(tool, arguments)\n"
        "        return ToolResult(result.text, result.is_error)\n"
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("other") / "a project"
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


@pytest.fixture(scope="module", params=["installed", "editable"])
def python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a fresh environment that has readfirst and pytest."""
    folder = tmp_path_factory.mktemp(request.param)
    checkout = copy_of_checkout(folder, bundled=True)
    venv.create(folder / "environment", with_pip=True)
    interpreter = folder / "environment" / "bin" / "python"
    how = ["-e"] if request.param == "editable" else []
    run([str(interpreter), "-m", "pip", "install", "-q", *how, f"{checkout}[test]"], folder)
    if request.param == "installed":
        shutil.rmtree(checkout)
    return interpreter


def run(command: list[str], folder: Path) -> str:
    """Run a command in a folder as a user would, outside of this test run; return what it printed."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))
    }
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_their_packages_and_ours_do_not_meet(python: Path, project: Path) -> None:
    readfirst = str(python.with_name("readfirst"))
    chosen = ["--family", "gate"]
    assert "1 passed" in run([str(python), "-m", "pytest"], project)
    assert "1 passed" in run([str(python.with_name("pytest"))], project)
    adapter = ["--adapter", "python:mytools:Tools", "-k", "gate or theirs"]
    assert " passed" in run([str(python), "-m", "pytest", *adapter], project)
    assert "conformant" in run([readfirst, "run", "python:mytools:Tools", *chosen], project)
    assert "conformant" in run(
        [str(python), "-m", "readfirst", "run", "python:mytools:Tools", *chosen], project
    )
    run([readfirst, "check-adapter", "python:mytools:Tools"], project)


def test_one_name_is_installed(python: Path) -> None:
    where = run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], python.parent
    ).strip()
    names = {path.name for path in Path(where).iterdir()}
    assert not names & {"harness", "reference_impl", "fixtures", "tests", "conftest.py"}, sys.version


def test_the_bundled_suite_is_found(python: Path, project: Path) -> None:
    assert len(run([str(python.with_name("readfirst")), "list"], project).splitlines()) > 1_000

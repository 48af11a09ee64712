"""What README and docs/running.md show is executed, and stays as it is shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from harness.suite import Suite
from harness.summary import ExitCode

PLUGIN_INSTALLED = any(entry.name == "readfirst" for entry in entry_points(group="pytest11"))
CHECKOUT = Path(__file__).resolve().parents[2]

MY_TOOLS = f"""\
#!{sys.executable}
import json, sys
sys.path[:] = {sys.path!r}
from reference_impl import FileTools
tools = FileTools("2.1.7", root=sys.argv[1], home=sys.argv[1])
for line in sys.stdin:
    result = tools.call(**json.loads(line))
    print(json.dumps({{"text": result.text, "is_error": result.is_error}}), flush=True)
"""


def blocks(file: str, language: str) -> list[str]:
    return re.findall(
        rf"^ *```{language}\n(.*?)^ *```", (CHECKOUT / file).read_text(), re.MULTILINE | re.DOTALL
    )


def commands(file: str) -> list[str]:
    lines = "".join(blocks(file, "console")).splitlines()
    return [line.strip()[2:].split("  #")[0].strip() for line in lines if line.strip().startswith("$ ")]


RUN_BY_CI = [command for command in commands("README.md") if "pip install" in command]
RUN_HERE = [
    command for file in ("README.md", "docs/running.md") for command in commands(file) if "pip" not in command
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the README's adapter, a program for it, and a small suite in place of the bundled one."""
    folder = tmp_path_factory.mktemp("documentation")
    (folder / "mytools.py").write_text(blocks("README.md", "python")[0])
    program = folder / "my-tools"
    program.write_text(MY_TOOLS)
    program.chmod(0o755)
    bundled = Suite()
    suite = folder / "suite"
    (suite / "scenarios").mkdir(parents=True)
    for name in ("contracts.yaml", "errors.yaml"):
        (suite / name).write_bytes((bundled.root / name).read_bytes())
    wanted = ["staleness/edit-after-change", "gate/edit-unread", "gate/partial-read-edit-inside"]
    wanted += [name for name in bundled.ids() if name.startswith("staleness/edit-after-touch")][:2]
    for name in wanted:
        target = suite / "scenarios" / f"{name}.yaml"
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(bundled.path(name).read_bytes())
    (folder / "bin").mkdir()
    for name, module in (("readfirst", "harness.cli"), ("pytest", "pytest")):
        script = folder / "bin" / name
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
        script.chmod(0o755)
    return folder


@pytest.mark.parametrize("command", dict.fromkeys(RUN_HERE))
def test_a_command_that_is_shown_works_as_it_stands(folder: Path, command: str) -> None:
    if command.startswith("readfirst") and "serve" not in command:
        first, redirected, file = command.partition(" > ")
        command = f"{first} --fixtures suite{redirected}{file}"
    elif command.startswith("pytest"):
        plugin = "" if PLUGIN_INSTALLED else "-p harness.pytest_plugin "
        command = command.replace("pytest ", f"pytest {plugin}-p no:cacheprovider ") + " suite/scenarios"
    if "--baseline accepted.yaml" in command or "--readfirst-baseline" in command:
        (folder / "accepted.yaml").write_text("target: python:mytools:Tools\naccepted: []\n")
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    ran = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_commands_that_install_are_what_ci_runs() -> None:
    assert RUN_BY_CI == [
        "python3 -m pip install . && readfirst run",
        "python3 -m pip install '.[test]' && pytest",
    ]
    script = (CHECKOUT / ".ci" / "run").read_text()
    assert RUN_BY_CI[1] in script.splitlines()
    assert "  readfirst run" in script.splitlines()


def test_the_scenario_of_the_readme_is_the_file() -> None:
    (shown,) = blocks("README.md", "yaml")
    file = Suite().path("staleness/edit-after-change").read_text(encoding="utf-8")
    assert file.endswith(shown)
    assert file.removesuffix(shown).startswith("# yaml-language-server")


def test_the_output_of_the_readme_is_what_a_run_prints(folder: Path) -> None:
    shown = blocks("README.md", "console")[0].splitlines()
    ran = subprocess.run(
        [sys.executable, "-m", "harness.cli", "run", "--fixtures", str(folder / "suite")],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    printed = ran.stdout.splitlines()
    assert shown[1] == printed[0].rstrip()
    assert shown[2].split() == printed[1].split()
    assert shape(shown[-3]) == shape(printed[-3])
    for line in (shown[-1], printed[-1]):
        assert re.fullmatch(r"\d+ scenarios: \d+ passed(, \d+ (unsupported|unspecified))*; conformant", line)


def shape(line: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\d+", "N", line))


def test_every_exit_code_is_documented() -> None:
    table = (CHECKOUT / "docs" / "running.md").read_text().partition("## Exit codes")[2].partition("\n## ")[0]
    documented = {
        int(code) for row in re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE) for code in row.split(",")
    }
    assert documented == {int(code) for code in ExitCode} | {143, 141}


def test_every_link_leads_somewhere() -> None:
    for file in (CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *(CHECKOUT / "docs").glob("*.md")):
        prose = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            if not target.startswith("http"):
                assert (file.parent / target).exists(), f"{file.name}: {target}"


def test_the_failure_that_is_shown_is_what_a_run_prints(folder: Path) -> None:
    adapter = re.findall(r"```python\n(.*?)```", (CHECKOUT / "docs" / "adapters.md").read_text(), re.DOTALL)[
        0
    ]
    (folder / "wordless.py").write_text(adapter)
    ran = subprocess.run(
        [str(folder / "bin" / "readfirst"), "run", "python:wordless:Tools", "staleness/edit-after-change"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    printed = ran.stdout.replace(f"{Suite().scenarios_root}/", "fixtures/scenarios/")
    (shown,) = blocks("docs/running.md", "text")
    assert shown.replace("mytools", "wordless") in printed

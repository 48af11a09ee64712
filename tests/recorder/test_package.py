import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.agents.claude_code.install import install
from readfirst.harness.agents.npm import npm
from tests.rows import rows

NPM = """#!{python}
import pathlib, sys
arguments = sys.argv[1:]
log = pathlib.Path({log!r})
with log.open("a") as file:
    file.write(" ".join(arguments) + "\\n")
home = pathlib.Path(arguments[arguments.index("--prefix") + 1], "node_modules", "@anthropic-ai", "claude-code")
home.mkdir(parents=True)
if {fails!r}:
    sys.exit("no such version")
(home / "cli.js").write_text("program")
"""
"""Writes its arguments to a log, and creates the package or fails."""


@pytest.fixture
def fake_npm(tmp_path: Path, monkeypatch):
    """A function that puts the substitute for npm on the path and returns the log of its calls. The cache is empty."""
    folder = tmp_path / "bin"
    folder.mkdir()
    log = tmp_path / "npm.log"

    def make(fails: bool = False) -> Path:
        script = folder / "npm"
        script.write_text(NPM.format(python=sys.executable, log=str(log), fails=fails))
        script.chmod(0o755)
        return log

    shutil.copy("/bin/true", folder / "node")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("readfirst.harness.agents.claude_code.install.cache_root", lambda: tmp_path / "cache")
    make()
    return make


def test_an_exact_version_is_installed_once_and_without_install_scripts(tmp_path: Path, fake_npm) -> None:
    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(install, ["2.1.7"] * 4)
    (asked,) = fake_npm().read_text().splitlines()
    assert asked.endswith("@anthropic-ai/claude-code@2.1.7")
    assert "--ignore-scripts" in asked
    assert {*others, install("2.1.7")} == {first}
    assert first[1].startswith(str(tmp_path / "cache" / "2.1.7"))


def test_a_failed_install_leaves_nothing_and_shows_npms_message(tmp_path: Path, fake_npm) -> None:
    fake_npm(fails=True)
    with pytest.raises(AdapterError, match="could not install") as caught:
        install("9.9.9")
    assert caught.value.blame == "environment"
    assert "no such version" in caught.value.details
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["9.9.9.lock"]


@rows(
    ("version", "message"),
    [
        ("2.1.88", r"2\.1\.88 is never installed"),
        *((each, "not an exact version") for each in ("latest", "^2.1.0", "2.1", "", "2.1.7 && true")),
        *((each, "not an exact version") for each in ("../2.1.7", "02.1.7")),
    ],
)
def test_excluded_or_inexact_versions_are_refused(tmp_path: Path, fake_npm, version, message) -> None:
    with pytest.raises(AdapterError, match=message):
        install(version)
    assert not (tmp_path / "cache").exists()


@pytest.fixture
def run_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """A function that runs npm for at most `seconds`. A shell script (None: nothing) replaces it."""

    def run(script: str | None, seconds: int = 20):
        program = tmp_path / "npm"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(shutil, "which", lambda _: script and str(program))
        return npm(["view", "a b"], about="a package", needed="it is asked", seconds=seconds)

    return run


def test_output_and_exit_code_of_npm_are_returned(run_npm) -> None:
    done = run_npm('printf "%s|" "$@"; echo "last words" >&2; exit 3')
    assert (done.stdout, done.stderr, done.returncode) == ("view|a b|", "last words\n", 3)


SLOW = "npm took more than 0 s for a package"


@rows(("script", "message"), [(None, "npm is not installed; it is asked"), ("exec sleep 600", SLOW)])
def test_a_missing_or_slow_npm_is_reported(run_npm, script: str | None, message: str) -> None:
    with pytest.raises(AdapterError, match=f"^{message}$") as caught:
        run_npm(script, seconds=0)
    assert caught.value.blame == "environment"

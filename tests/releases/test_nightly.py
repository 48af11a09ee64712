"""The nightly job: its commands as the runner gives them to a shell, in a repository with one scenario."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from readfirst.harness.cli.main import main
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.suite.suite import Suite

from .fake_registry import FakeNpm, saying

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[2]
JOB: dict[str, Any] = yaml.safe_load((CHECKOUT / ".github/workflows/nightly.yml").read_text("utf-8"))["jobs"][
    "snapshot"
]
SNAPSHOT = next(step for step in JOB["steps"] if step.get("id") == "snapshot")
PROPOSE = JOB["steps"][-1]
OLD, NEW = saying('"Done"'), saying('"Done, and said otherwise"')
Npm = Callable[..., FakeNpm]

# The pages are made of the bundled suite's scenarios, and the made-up product has no tools to tell of.
READFIRST = f"""\
#!/bin/sh
case "$1" in
  history | behaviour | compatibility | record) echo "$@" >>docs/made ;;
  *) exec "{sys.executable}" -m readfirst "$@" ;;
esac
"""
GH = '#!/bin/sh\nprintf "%s\\n" "$@" >"$ASKED"\n'


@dataclass(frozen=True)
class Night:
    """A repository with a remote, and a runner."""

    repository: Path
    remote: Path

    def run(self, step: dict[str, Any], expected: int = 0, **outputs: str) -> str:
        """Run a step and return the outputs that it wrote; `outputs` are what the step before it wrote."""
        written = self.repository.parent / "outputs"
        written.write_text("")
        given = {
            "${{ github.token }}": "",
            "${{ steps.snapshot.outputs.version }}": outputs.get("version", ""),
        }
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-c", step["run"]],
            cwd=self.repository,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(CHECKOUT), *sys.path]),
                "GITHUB_OUTPUT": str(written),
                "ASKED": str(self.asked),
                **{name: given[expression] for name, expression in step.get("env", {}).items()},
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == expected, ran.stdout + ran.stderr
        return written.read_text()

    @property
    def asked(self) -> Path:
        """Where the arguments of the request to pull are."""
        return self.repository.parent / "asked"

    def git(self, *arguments: str) -> str:
        """Run git in the repository."""
        identity = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.com")
        return subprocess.run(
            ["git", *identity, *arguments], cwd=self.repository, capture_output=True, text=True, check=True
        ).stdout


@pytest.fixture
def night(suite: Suite, npm: Npm, tmp_path: Path) -> Callable[[str], Night]:
    """Return what begins a night in which the newest version, 1.0.2, does something."""

    def begin(newest: str) -> Night:
        npm({"1.0.1": OLD})
        with pytest.raises(SystemExit) as ended:
            main(
                [
                    "record",
                    "--contract",
                    "all",
                    "--fix",
                    "--fixtures",
                    str(suite.root),
                    "--takes",
                    str(tmp_path / "t"),
                ]
            )
        assert ended.value.code == ExitCode.CONFORMANT
        npm({"1.0.1": OLD, "1.0.2": newest})
        for name, text in (("readfirst", READFIRST), ("gh", GH)):
            program = tmp_path / "bin" / name
            program.write_text(text)
            program.chmod(0o755)
        repository, remote = tmp_path / "repository", tmp_path / "remote.git"
        (repository / "docs").mkdir(parents=True)
        suite.root.rename(repository / "fixtures")
        begun = Night(repository, remote)
        begun.git("init", "--quiet", "--initial-branch=main")
        begun.git("add", "fixtures")
        begun.git("commit", "--quiet", "--message", "Begin")
        begun.git("init", "--quiet", "--bare", str(remote))
        begun.git("remote", "add", "origin", str(remote))
        return begun

    return begin


def test_a_version_that_differs_is_proposed_with_its_differences(night: Callable[[str], Night]) -> None:
    begun = night(NEW)
    assert begun.run(SNAPSHOT) == "version=1.0.2\ncode=1\n"
    assert PROPOSE["if"] == "steps.snapshot.outputs.code == '1'"
    begun.run(PROPOSE, version="1.0.2")

    changed = begun.git("show", "--name-only", "--format=%s", "snapshot-1.0.2").split("\n\n")
    assert changed[0] == "Record 1.0.2 as a contract"
    assert set(changed[1].split()) == {
        "docs/made",
        "fixtures/contracts.yaml",
        "fixtures/recordings/gate/x.yaml",
    }
    assert begun.git("ls-remote", "--heads", "origin").endswith("\trefs/heads/snapshot-1.0.2\n")
    asked = begun.asked.read_text().split("\n")
    assert asked[asked.index("--title") + 1] == "Claude Code 1.0.2 changes the file tools"
    told = (begun.repository / asked[asked.index("--body-file") + 1]).read_text()
    assert "1.0.1 → 1.0.2" in told
    assert "and said otherwise" in told


def test_a_version_that_does_the_same_is_not_proposed(night: Callable[[str], Night]) -> None:
    begun = night(OLD)
    assert begun.run(SNAPSHOT) == "version=1.0.2\ncode=0\n"


def test_a_version_is_proposed_once(night: Callable[[str], Night]) -> None:
    begun = night(NEW)
    begun.git("push", "--quiet", "origin", "HEAD:refs/heads/snapshot-1.0.2")
    assert begun.run(SNAPSHOT) == "version=1.0.2\ncode=0\n"
    assert begun.git("status", "--porcelain", "fixtures") == ""


def test_a_version_that_cannot_be_recorded_fails_and_keeps_its_takes(night: Callable[[str], Night]) -> None:
    begun = night('return {"content": "Out of cheese", "is_error": True}')
    assert begun.run(SNAPSHOT, expected=1) == "version=1.0.2\ncode=4\n"
    assert begun.git("status", "--porcelain", "fixtures") == ""
    kept = {step["uses"].partition("@")[0]: step for step in JOB["steps"] if "cache" in step.get("uses", "")}
    assert set(kept) == {"actions/cache/restore", "actions/cache/save"}
    assert kept["actions/cache/save"]["if"].startswith("always()")
    for step in kept.values():
        assert list((begun.repository / step["with"]["path"]).rglob("*.yaml"))

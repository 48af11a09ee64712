import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.suite import Suite
from tests.command_line import exit_code

from .fake_registry import FakeNpm, saying
from .job import GH, Job

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[2]
JOBS: dict[str, Any] = yaml.safe_load((CHECKOUT / ".github/workflows/nightly.yml").read_text("utf-8"))["jobs"]
JOB = JOBS["adopt"]
ADOPT = next(step for step in JOB["steps"] if step.get("id") == "adopt")
UPLOAD = JOB["steps"][-1]
PROPOSE = JOBS["propose"]["steps"][-1]
OLD, NEW = saying('"Done"'), saying('"Done, and said otherwise"')
Npm = Callable[..., FakeNpm]

READFIRST = f'#!/bin/sh\nexec "{sys.executable}" -m readfirst "$@"\n'


class Night(Job):
    def run(self, step: Mapping[str, Any], expected: int = 0, **outputs: str) -> str:
        """Run a step and return its outputs. `outputs` are those of the previous step."""
        given = {"${{ github.token }}": "", "${{ needs.adopt.outputs.version }}": outputs.get("version", "")}
        variables = {name: given[expression] for name, expression in step.get("env", {}).items()}
        path = os.pathsep.join([str(CHECKOUT), *sys.path])
        return super().run(step, expected, PYTHONPATH=path, **variables)


Begin = Callable[[str], Night]


@pytest.fixture
def night(suite: Suite, npm: Npm, tmp_path: Path) -> Begin:
    """A function that prepares a nightly job. The argument is the behaviour of the newest version, 1.0.2."""

    def begin(newest: str) -> Night:
        npm({"1.0.1": OLD})
        words = ("--contract", "all", "--fix", "--fixtures", suite.root, "--takes", tmp_path / "t")
        assert exit_code("product", "record", *words) == ExitCode.CONFORMANT
        npm({"1.0.1": OLD, "1.0.2": newest})
        begun = Night(tmp_path)
        begun.install({"readfirst": READFIRST, "gh": GH})
        for name in ("docs", ".ci"):
            (begun.repository / name).mkdir(parents=True)
        (begun.repository / "docs/page.md").write_text("A page.\n")
        shutil.copy(CHECKOUT / ".ci/nightly", begun.repository / ".ci")
        suite.root.rename(begun.repository / "fixtures")
        begun.begin("fixtures", "docs", ".ci")
        return begun

    return begin


def test_for_a_version_that_answers_differently_a_pull_request_is_opened(night: Begin) -> None:
    begun = night(NEW)
    assert begun.run(ADOPT) == "version=1.0.2\ncode=1\n"
    assert UPLOAD["if"] == "steps.adopt.outputs.code == '1'"
    assert JOBS["propose"]["if"] == "needs.adopt.outputs.code == '1'"
    begun.git("reset", "--quiet", "--hard")  # the job that proposes has a separate checkout
    begun.run(PROPOSE, version="1.0.2")

    changed = begun.git("show", "--name-only", "--format=%s", "adopt-1.0.2").split("\n\n")
    assert changed[0] == "fixtures: adopt 1.0.2 as the newest contract"
    files = {"contracts.yaml", "recordings/gate/x.json", "releases.yaml"}
    assert set(changed[1].split()) == {f"fixtures/{file}" for file in files}
    assert begun.git("ls-remote", "--heads", "origin").endswith("\trefs/heads/adopt-1.0.2\n")
    asked = begun.asked.read_text().split("\n")
    assert asked[asked.index("--title") + 1] == "Claude Code 1.0.2 changes the file tools"
    body = (begun.repository / asked[asked.index("--body-file") + 1]).read_text()
    for part in ("1.0.1 → 1.0.2", "and said otherwise", "gate/x", "Left for a person"):
        assert part in body


def test_for_a_version_that_answers_as_before_no_pull_request_is_opened(night: Begin) -> None:
    begun = night(OLD)
    assert begun.run(ADOPT) == "version=1.0.2\ncode=0\n"


def test_a_version_is_proposed_once(night: Begin) -> None:
    begun = night(NEW)
    begun.git("push", "--quiet", "origin", "HEAD:refs/heads/adopt-1.0.2")
    assert begun.run(ADOPT) == "version=1.0.2\ncode=0\n"
    assert begun.git("status", "--porcelain", "fixtures") == ""


def test_replays_of_a_version_that_cannot_be_recorded_are_kept_for_the_next_night(night: Begin) -> None:
    begun = night('return {"content": "Out of cheese", "is_error": True}')
    assert begun.run(ADOPT, expected=1) == ""
    assert begun.git("status", "--porcelain", "fixtures") == ""
    kept = {step["uses"].partition("@")[0]: step for step in JOB["steps"] if "cache" in step.get("uses", "")}
    assert set(kept) == {"actions/cache/restore", "actions/cache/save"}
    assert kept["actions/cache/save"]["if"].startswith("always()")
    for step in kept.values():
        assert list((begun.repository / step["with"]["path"]).rglob("*.json"))

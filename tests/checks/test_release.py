"""What a release publishes is built, and used from empty folders as by somebody who downloads it."""

import gzip
import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.release


def run(*words: object, cwd: Path, **variables: str) -> str:
    """Run a command; its output is the message where it fails."""
    environment = {**os.environ, **variables}
    environment.pop("PYTHONPATH", None)
    command = [*map(str, words)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a release: that of READFIRST_RELEASE, else one that is built for a contract."""
    if given := os.environ.get("READFIRST_RELEASE"):
        return Path(given)
    out = tmp_path_factory.mktemp("release") / "dist"
    run(
        sys.executable,
        ROOT / "tools/release.py",
        "--output",
        out,
        "--contract",
        "2.1.7",
        cwd=ROOT,
        PYTHONPATH="",
    )
    return out


@pytest.fixture(scope="module")
def installed(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into an environment that has nothing but what it depends on; return `readfirst`."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    (wheel,) = release.glob("*.whl")
    run(folder / "venv/bin/pip", "install", "--quiet", wheel, cwd=folder)
    return folder / "venv/bin/readfirst"


def suite(release: Path) -> Path:
    (file,) = release.glob("readfirst-suite-*-2.1.7.jsonl.gz")
    return file


def test_checksums_are_those_of_all_files(release: Path) -> None:
    sums = dict(reversed(line.split("  ")) for line in (release / "SHA256SUMS").read_text().splitlines())
    assert sums.keys() == {file.name for file in release.iterdir()} - {"SHA256SUMS"}
    assert all(
        hashlib.sha256((release / name).read_bytes()).hexdigest() == digest for name, digest in sums.items()
    )


def test_the_suite_is_whole_and_names_its_version(release: Path) -> None:
    with gzip.open(suite(release), "rt") as stream:
        lines = [*map(json.loads, stream)]
    assert lines[0]["suite"] in suite(release).name
    assert lines[-1] == {"type": "end", "scenarios": len(lines) - 2}


def test_the_wheel_runs_where_nothing_else_is(installed: Path, tmp_path: Path) -> None:
    assert "conformant" in run(installed, "run", "--family", "gate", cwd=tmp_path)


def small(release: Path, folder: Path) -> Path:
    """Write the scenarios of one family."""
    with gzip.open(suite(release), "rt") as stream:
        header, *scenarios, _ = stream
    taken = [line for line in scenarios if json.loads(line)["id"].startswith("gate/")]
    end = json.dumps({"type": "end", "scenarios": len(taken)})
    (folder / "gate.jsonl").write_text("".join([header, *taken, end, "\n"]))
    return folder / "gate.jsonl"


def test_the_package_for_node_runs_the_suite(release: Path, installed: Path, tmp_path: Path) -> None:
    (tarball,) = release.glob("readfirst-runner-*.tgz")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    run("npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", tarball, cwd=tmp_path)
    served = f"{installed} serve --protocol lines"
    test = tmp_path / "node_modules/readfirst-runner/test/suite.test.mjs"
    variables = {"READFIRST_SUITE": str(small(release, tmp_path)), "READFIRST_LINES": served}
    assert "# fail 0" in run("node", "--test", "--test-reporter=tap", test, cwd=tmp_path, **variables)


def test_the_runner_in_go_runs_the_suite(release: Path, installed: Path, tmp_path: Path) -> None:
    (archive,) = release.glob("readfirst-runner-go-*.zip")
    zipfile.ZipFile(archive).extractall(tmp_path / "go")
    served = f"{installed} serve --protocol lines"
    variables = {"READFIRST_SUITE": str(small(release, tmp_path)), "READFIRST_LINES": served}
    said = run("go", "test", ".", "-count=1", "-v", "-run", "TestSuite", cwd=tmp_path / "go", **variables)
    assert "--- PASS: TestSuite/gate/edit-unread" in said


def test_a_tag_that_is_not_the_version_is_refused(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(ROOT / "tools/release.py"),
        "--output",
        str(tmp_path / "x"),
        "--tag",
        "v99",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the tag is v99, but pyproject.toml says" in done.stderr

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.newest import NEWEST
from tests.pages.page import CHECKOUT

Run = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def package_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as `pip install` writes it, with the dependencies of the current environment."""
    folder = tmp_path_factory.mktemp("installed") / "site packages"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command = [*pip, "--target", str(folder), str(CHECKOUT)]
    variables = {**os.environ, "GITHUB_REPOSITORY": "somebody/their-readfirst"}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def run(package_folder: Path, tmp_path: Path) -> Run:
    """A function that runs a command of the installed package. The current directory has spaces in its name."""
    here = tmp_path / "a user's folder"
    here.mkdir()

    def ran(*arguments: str) -> tuple[int, str, str]:
        command = [sys.executable, "-P", "-m", "readfirst", *arguments]
        variables = {**os.environ, "PYTHONPATH": str(package_folder)}
        options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 120, "check": False}
        done = subprocess.run(command, cwd=here, env=variables, **options)
        return done.returncode, done.stdout, done.stderr

    return ran


def test_the_installed_package_contains_the_pages_and_the_suite(run: Run, package_folder: Path) -> None:
    code, out, _ = run("docs")
    assert (code, len(out.splitlines())) == (0, len(list((CHECKOUT / "docs").glob("*.md"))) + 2)
    assert run("docs", "adapters")[1] == (CHECKOUT / "docs/adapters.md").read_text("utf-8")
    assert run("run", "reference", "gate/edit-unread")[0] == 0


def test_the_package_contains_only_generated_files_that_commands_use(run: Run, package_folder: Path) -> None:
    kept = {file.name for file in (package_folder / "readfirst" / "docs").iterdir() if file.suffix != ".md"}
    assert kept == {"compatibility.json", "implementations.json", "evidence.json"}
    code, out, _ = run("targets", "implementations", "--issue", "agno@3.1.10", "edit-refuses-changed-file")
    assert code == 0
    assert "## Evidence" in out


def test_the_installed_package_contains_the_recordings(run: Run) -> None:
    code, out, _ = run("run", f"recording:{NEWEST}", "gate/edit-unread", "crossed/allowed-08")
    assert (code, "2 scenarios: 2 passed; conformant" in out) == (0, True)
    assert run("lint", "gate/edit-unread")[0] == 0


def test_the_metadata_of_the_package_link_to_the_source_repository(package_folder: Path) -> None:
    (metadata,) = package_folder.glob("readfirst-*.dist-info/METADATA")
    page = "https://github.com/somebody/their-readfirst"
    links = re.findall(r"^Project-URL: (\w+), (.*)$", metadata.read_text("utf-8"), re.MULTILINE)
    assert dict(links) == {
        "Source": page,
        "Documentation": f"{page}/blob/HEAD/docs/README.md",
        "Changelog": f"{page}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{page}/issues",
    }
    assert all((CHECKOUT / link.partition("/HEAD/")[2]).exists() for _, link in links)


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("git@host.example:owner/name.git\n", "https://host.example/owner/name"),
        ("ssh://git@host.example:22/owner/name", "https://host.example/owner/name"),
        ("https://user:secret@host.example/owner/name.git", "https://host.example/owner/name"),
        ("https://host.example/owner/na.me/", "https://host.example/owner/na.me"),
        ("/somebody/readfirst", None),
        ("file:///somebody/readfirst", None),
        ("http://localhost/owner/name", None),
        ("", None),
    ],
)
def test_the_web_address_of_a_repository_is_that_of_its_remote(remote: str, page: str | None) -> None:
    assert runpy.run_path(str(CHECKOUT / ".ci/project_urls.py"))["page_of"](remote) == page


def test_the_command_new_does_not_write_to_the_package(run: Run, package_folder: Path) -> None:
    before = sorted(path for path in package_folder.rglob("*") if path.suffix == ".yaml")
    code, _, err = run("new", "gate/my-case")
    assert (code, "--fixtures" in err) == (2, True)
    code, out, _ = run("new", "gate/my-case", "--fixtures", "my suite")
    assert (code, out) == (0, "my suite/scenarios/gate/my-case.yaml\n")
    assert run("list", "--fixtures", "my suite")[1] == "gate/my-case\tmust\tTODO\n"
    assert sorted(path for path in package_folder.rglob("*") if path.suffix == ".yaml") == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "target:agno@3.1.10", "gate/edit-unread", "--update-baseline"], "--baseline FILE"),
        (["targets", "implementations", "agno", "--update-baselines"], "in a checkout"),
    ],
)
def test_writing_a_bundled_baseline_is_refused(run: Run, words: list[str], message: str) -> None:
    code, _, err = run(*words)
    assert (code, message in err) == (2, True), err

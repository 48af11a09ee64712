import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import UnsupportedCall
from readfirst.harness.suite.events import GIT_COMMANDS, is_git_command
from readfirst.harness.suite.file_entry import RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import WorldEvent
from readfirst.harness.workspace.git import Repository
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool
from readfirst.harness.workspace.world_events import WorldEventError
from tests.rows import rows

pytestmark = pytest.mark.skipif(shutil.which("git", path=os.defpath) is None, reason="there is no git")

Git = Callable[..., None]


@pytest.fixture
def site() -> Iterator[WorkspaceDir]:
    with WorkspacePool() as pool, pool.site() as site:
        site.lay_out({"notes.txt": RegularFile(TextContent("alpha\nbeta\n"))})
        yield site


@pytest.fixture
def git(site: WorkspaceDir) -> Git:
    def run(*commands: str) -> None:
        for command in commands:
            site.perform(WorldEvent("git", command))

    return run


def file(site: WorkspaceDir) -> Path:
    return Path(site.root, "notes.txt")


def test_a_checkout_writes_only_files_that_differ(site: WorkspaceDir, git: Git) -> None:
    other = Path(site.root, "other.txt")
    other.write_text("same\n")
    git("commit", "branch topic")
    file(site).write_text("alpha\nBETA\n")
    git("commit", "checkout main")
    assert file(site).read_text() == "alpha\nbeta\n"
    before, same = file(site).stat(), other.stat()
    git("checkout topic")
    after = file(site).stat()
    assert file(site).read_text() == "alpha\nBETA\n"
    assert after.st_mtime_ns - before.st_mtime_ns == 2_000_000_000
    assert (other.stat().st_mtime_ns, other.stat().st_ino) == (same.st_mtime_ns, same.st_ino)


def test_a_checkout_also_changes_modes_links_and_directories(site: WorkspaceDir, git: Git) -> None:
    git("commit", "branch topic")
    file(site).chmod(0o755)
    Path(site.root, "sub").mkdir()
    Path(site.root, "sub/new.txt").write_text("new\n")
    Path(site.root, "link").symlink_to("notes.txt")
    git("commit", "checkout main")
    assert sorted(each.name for each in Path(site.root).iterdir()) == ["notes.txt"]
    assert file(site).stat().st_mode & 0o777 == 0o644
    git("checkout topic")
    assert file(site).stat().st_mode & 0o777 == 0o755
    assert Path(site.root, "link").readlink() == Path("notes.txt")
    assert Path(site.root, "sub/new.txt").read_text() == "new\n"


@pytest.mark.parametrize("name", [".git", ".GIT", "sub/.git"])
def test_a_repository_within_the_workspace_is_refused(site: WorkspaceDir, git: Git, name: str) -> None:
    """The settings of such a repository could contain programs, which git would run."""
    made = Path(site.root, "made")
    Path(site.root, name).mkdir(parents=True)
    Path(site.root, name, "config").write_text(f"[core]\n\tfsmonitor = touch {made}\n")
    with pytest.raises(WorldEventError, match="git steps do not support a repository inside the workspace"):
        git("commit")
    assert not made.exists()


def test_what_lies_in_the_workspace_and_at_home_starts_nothing(
    site: WorkspaceDir, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git runs no program that a file in the workspace or in the home directory names."""
    made = tmp_path / "made"
    setting = (
        f'[filter "x"]\n\tclean = touch {made}\n\tsmudge = touch {made}\n[core]\n\tfsmonitor = touch {made}\n'
    )
    (tmp_path / ".gitconfig").write_text(setting)
    (tmp_path / "git").write_text(f"#!/bin/sh\ntouch {made}\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / ".gitconfig"))
    monkeypatch.chdir(tmp_path)
    Path(site.root, ".gitattributes").write_text("* filter=x\n")
    Path(site.root, ".gitconfig").write_text(setting)
    Path(site.root, ".gitmodules").write_text('[submodule "x"]\n\tpath = x\n\turl = ext::touch made\n')
    git("commit", "branch topic")
    file(site).write_text("gamma\n")
    git("commit", "checkout main", "stash")
    assert not made.exists()


def test_a_link_in_the_place_of_a_folder_leads_nothing_out(
    site: WorkspaceDir, git: Git, tmp_path: Path
) -> None:
    """Git writes nothing through a symbolic link that replaced a directory of the workspace."""
    sub = Path(site.root, "sub")
    sub.mkdir()
    (sub / "new.txt").write_text("new\n")
    git("commit", "branch topic")
    (sub / "new.txt").write_text("other\n")
    git("commit")
    shutil.rmtree(sub)
    sub.symlink_to(tmp_path)
    (tmp_path / "new.txt").write_text("outside\n")
    git("reset")
    assert (tmp_path / "new.txt").read_text() == "outside\n"
    assert (sub.is_symlink(), (sub / "new.txt").read_text()) == (False, "other\n")


def test_an_error_of_git_is_reported_with_its_own_message(git: Git) -> None:
    git("commit")
    with pytest.raises(
        WorldEventError, match="cannot run git checkout --quiet nowhere: error: pathspec 'nowhere'"
    ):
        git("checkout nowhere")


def test_without_git_a_scenario_with_its_event_is_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_args, **_more: None)
    repository = Repository()
    with pytest.raises(UnsupportedCall, match="git"):
        repository.run("commit", {"a": RegularFile(TextContent("a\n")), "b": Symlink("a")})
    repository.close()


@rows(
    ("text", "known"),
    [
        *((name, True) for name in GIT_COMMANDS if name not in ("branch", "checkout", "rebase")),
        ("checkout topic", True),
        ("checkout", False),
        ("checkout -f", False),
        ("checkout --detach", False),
        ("commit topic", False),
        ("push", False),
        ("stash pop ", False),
        ("rebase a b", False),
        ("branch a\n", False),
        ("config core.fsmonitor x", False),
    ],
)
def test_a_scenario_may_name_these_commands_alone(text: str, known: bool) -> None:
    """The event `git` accepts only the listed commands of git."""
    assert is_git_command(text) is known

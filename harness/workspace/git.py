"""Run git commands in a copy of a workspace, and return the changes of files. Used for the event `git`."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping

from readfirst.harness.adapter_api import UnsupportedCall
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.suite.events import git_lines
from readfirst.harness.suite.file_entry import NANOSECONDS, OLD_TIME, Directory, Entry, RegularFile, Symlink
from readfirst.harness.workspace.snapshot import changes, snapshot
from readfirst.harness.workspace.world_events import WorldEventError, create

_TIMEOUT_S = 60
_TIME_STEP_NS = 2 * NANOSECONDS
_NOT_IN_WORKSPACE_PATTERN = re.compile(r"\.\./|\$")
_REPOSITORY_PATTERN = re.compile(r"\.git", re.IGNORECASE)
_MAY_FAIL = ("rebase", "stash")
"""Git commands that may fail with a conflict, which they write into files. Their exit code is ignored."""
_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.autocrlf=false"),
    *("maintenance.auto=false", "gc.auto=0"),  # git before 2.29 supports only the second
)


class Repository:
    """A git repository for the `git` events of a scenario, with the branch `main`, empty at first. Git runs in a copy
    of the workspace, so that it executes no hook of the workspace and follows no link. Git uses only its default
    settings.
    """

    def __init__(self) -> None:
        self._scratch: Scratch | None = None
        self.time = OLD_TIME * NANOSECONDS
        """Time of the latest command in nanoseconds since 1970: 2 seconds after all file times before the command."""

    def close(self) -> None:
        """Delete the repository and the copy of the workspace. The next repository uses the same commit times again."""
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None
        self.time = OLD_TIME * NANOSECONDS

    def run(self, command: str, files: Mapping[str, Entry]) -> dict[str, Entry | None]:
        """Run a git event, such as `checkout main`. Return the changes. Raises WorldEventError, UnsupportedCall."""
        root = self._create_copy()
        tree = f"{root}/tree"
        shutil.rmtree(tree, ignore_errors=True)
        os.mkdir(tree)  # noqa: PTH102 - as everywhere where entries are made
        for path, entry in _entries_to_copy(files):
            create(tree, path, entry)
        stamps = (entry.stamp for entry in files.values() if isinstance(entry, RegularFile))
        self.time = max(self.time, *(stamp.mtime_ns for stamp in stamps if stamp), 0) + _TIME_STEP_NS
        before = snapshot(tree)
        for arguments in git_lines(command):
            self._run_git(arguments, may_fail=arguments[0] in _MAY_FAIL)
        return changes(before, snapshot(tree))

    def _create_copy(self) -> str:
        if self._scratch is None:
            self._scratch = Scratch(memory=True)
            os.mkdir(f"{self._scratch.path}/tree")  # noqa: PTH102
            self._run_git(["init", "--quiet", "--template=", "--initial-branch", "main"])
        return str(self._scratch.path)

    def _run_git(self, arguments: list[str], *, may_fail: bool = False) -> None:
        assert self._scratch is not None
        root = self._scratch.path
        program = shutil.which("git", path=os.defpath)
        if program is None:
            raise UnsupportedCall("git")
        settings = [part for each in _SETTINGS for part in ("-c", each)]
        variables = {
            "PATH": os.defpath,
            "HOME": str(root),
            "LANG": "C",
            "GIT_DIR": f"{root}/repository",
            "GIT_WORK_TREE": f"{root}/tree",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
            "GIT_TERMINAL_PROMPT": "0",
        }
        for role in ("AUTHOR", "COMMITTER"):
            variables |= {
                f"GIT_{role}_NAME": "x",
                f"GIT_{role}_EMAIL": "x",
                f"GIT_{role}_DATE": "2020-01-01T00:00:00Z",
            }
        try:
            done = subprocess.run(
                [program, *settings, *arguments],
                env=variables,
                cwd=root / "tree",
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise WorldEventError(f"cannot run git {' '.join(arguments)}: {error}") from error
        if done.returncode != 0 and not may_fail:
            output = done.stderr.decode(errors="replace").strip()
            raise WorldEventError(f"cannot run git {' '.join(arguments)}: {output[:500]}")


def _entries_to_copy(files: Mapping[str, Entry]) -> Iterator[tuple[str, Entry]]:
    """Yield the files that git needs in its working directory, directories first. Raises WorldEventError."""
    for path, entry in sorted(files.items()):
        if _NOT_IN_WORKSPACE_PATTERN.match(path):
            continue
        if any(_REPOSITORY_PATTERN.fullmatch(part) for part in path.split("/")):
            raise WorldEventError(
                f"git steps do not support a repository inside the workspace, such as {path}"
            )
        if isinstance(entry, RegularFile | Directory | Symlink):
            yield path, entry

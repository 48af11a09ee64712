"""Run git commands on a private copy of a workspace, and return their changes."""

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

_SECONDS = 60
_BETWEEN = 2 * NANOSECONDS
_OF_THE_HARNESS = re.compile(r"\.\./|\$")
_OWN = re.compile(r"\.git", re.IGNORECASE)
_MAY_FAIL = ("rebase", "stash")
"""Commands that may fail with a conflict: they leave conflict markers in files, and their exit code is not an error."""
_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.autocrlf=false"),
    *("maintenance.auto=false", "gc.auto=0"),  # git before 2.29 supports only the second
)


class Repository:
    """A repository that is empty at first, with a branch `main`.

    Git never sees the workspace: before each command the current files are copied, and the changes of the
    command are returned. Therefore nothing in the workspace is executed or followed. Git uses only its default
    settings.
    """

    def __init__(self) -> None:
        self._scratch: Scratch | None = None
        self.time = OLD_TIME * NANOSECONDS
        """Time of the latest command: 2 seconds after all earlier times, in nanoseconds since 1970."""

    def close(self) -> None:
        """Delete the copy of the workspace with its repository, and reset the time, for an empty repository."""
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None
        self.time = OLD_TIME * NANOSECONDS

    def changed_by(self, command: str, files: Mapping[str, Entry]) -> dict[str, Entry | None]:
        """Return the changes of a command of `GIT_COMMANDS`: the new state of each changed path. None if it is
        gone.

        Raises WorldEventError, and UnsupportedCall if git is missing.
        """
        top = self._top()
        tree = f"{top}/tree"
        shutil.rmtree(tree, ignore_errors=True)
        os.mkdir(tree)  # noqa: PTH102 - as everywhere where entries are made
        for path, entry in _own(files):
            create(tree, path, entry)
        stamps = (entry.stamp for entry in files.values() if isinstance(entry, RegularFile))
        self.time = max(self.time, *(stamp.mtime_ns for stamp in stamps if stamp), 0) + _BETWEEN
        before = snapshot(tree)
        for words in git_lines(command):
            self._run_git(words, may_fail=words[0] in _MAY_FAIL)
        return changes(before, snapshot(tree))

    def _top(self) -> str:
        if self._scratch is None:
            self._scratch = Scratch(memory=True)
            os.mkdir(f"{self._scratch.path}/tree")  # noqa: PTH102
            self._run_git(["init", "--quiet", "--template=", "--initial-branch", "main"])
        return str(self._scratch.path)

    def _run_git(self, words: list[str], *, may_fail: bool = False) -> None:
        assert self._scratch is not None
        top = self._scratch.path
        program = shutil.which("git", path=os.defpath)
        if program is None:
            raise UnsupportedCall("git")
        settings = [part for each in _SETTINGS for part in ("-c", each)]
        variables = {
            "PATH": os.defpath,
            "HOME": str(top),
            "LANG": "C",
            "GIT_DIR": f"{top}/repository",
            "GIT_WORK_TREE": f"{top}/tree",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
            "GIT_TERMINAL_PROMPT": "0",
        }
        for who in ("AUTHOR", "COMMITTER"):
            variables |= {
                f"GIT_{who}_NAME": "x",
                f"GIT_{who}_EMAIL": "x",
                f"GIT_{who}_DATE": "2020-01-01T00:00:00Z",
            }
        try:
            done = subprocess.run(
                [program, *settings, *words],
                env=variables,
                cwd=top / "tree",
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise WorldEventError(f"cannot git {' '.join(words)}: {error}") from error
        if done.returncode != 0 and not may_fail:
            said = done.stderr.decode(errors="replace").strip()
            raise WorldEventError(f"cannot git {' '.join(words)}: {said[:500]}")


def _own(files: Mapping[str, Entry]) -> Iterator[tuple[str, Entry]]:
    """Yield the workspace's entries to copy, directories first. Raises WorldEventError if it contains a repository."""
    for path, entry in sorted(files.items()):
        if _OF_THE_HARNESS.match(path):
            continue
        if any(_OWN.fullmatch(part) for part in path.split("/")):
            raise WorldEventError(
                f"git steps do not support a repository inside the workspace, such as {path}"
            )
        if isinstance(entry, RegularFile | Directory | Symlink):
            yield path, entry

"""Runs the steps of a GitHub workflow in a repository with a remote, as GitHub's runner does."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["GH", "Job"]

GH = '#!/bin/sh\nprintf "%s\\n" "$@" >"$ASKED"\n'
"""A substitute for the program `gh` that only writes its arguments to a file."""


@dataclass(frozen=True)
class Job:
    """A repository with a remote. Steps run in it, with the programs in `bin` first on the path."""

    folder: Path

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    @property
    def asked(self) -> Path:
        """The file with the arguments of `gh`, which opens a pull request."""
        return self.folder / "asked"

    def begin(self, *paths: str) -> None:
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", *paths)
        self.git("commit", "--quiet", "--message", "Begin")
        remote = str(self.folder / "remote.git")
        self.git("init", "--quiet", "--bare", remote)
        self.git("remote", "add", "origin", remote)

    def install(self, programs: Mapping[str, str]) -> None:
        (self.folder / "bin").mkdir(exist_ok=True)
        for name, text in programs.items():
            (self.folder / "bin" / name).write_text(text)
            (self.folder / "bin" / name).chmod(0o755)

    def run(self, step: Mapping[str, Any], expected: int = 0, **variables: str) -> str:
        """Run a step with additional `variables`. Assert its exit code, and return the outputs that it wrote."""
        written = self.folder / "outputs"
        written.write_text("")
        path = os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]])
        own = {"PATH": path, "GITHUB_OUTPUT": str(written), "ASKED": str(self.asked)}
        command = ["bash", "--noprofile", "--norc", "-e", "-c", step["run"]]
        env, cwd = {**os.environ, **own, **variables}, self.repository
        ran = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
        assert ran.returncode == expected, ran.stdout + ran.stderr
        return written.read_text()

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.com")
        return subprocess.run(
            ["git", *identity, *arguments], cwd=self.repository, capture_output=True, text=True, check=True
        ).stdout

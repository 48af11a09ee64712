"""Prepare a directory with suites, a substitute for the product, home, cache and temporary files for each trial."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.releases.fake_registry import FakeNpm, make_packages, saying

CHECKOUT = Path(__file__).resolve().parents[2]
SERVER = Path(__file__).with_name("server.py")
UNFINISHED = re.compile(r"\..+-[a-z0-9_]{8}\.unfinished")
"""Matches the name of a temporary file that readfirst writes, and then renames to replace a file."""
_PROBE = re.compile(r"[a-z0-9_]{8}")
"""Matches the name of the test file that Python's `tempfile` writes to find out whether a directory is writable."""
_PROBED = (b"", b"blat")
"""The content that the test file of Python's `tempfile` can have: it is first empty."""
_TIMES = re.compile(rb'(time="|"milliseconds": )[0-9.]+')
"""Matches the times in a file, which are removed before files are compared, because they differ between two runs."""

_CONTRACT = """\
  {name}:
    package: "@anthropic-ai/claude-code"
    version: 1.0.1
    model: {model}
    read_gate: {gate}
    tools: [Read, Edit, Write, NotebookEdit]
    summary: Made up.
"""
_RECORDED = """\
# yaml-language-server: $schema=../../schema/scenario.schema.json
title: Edit answers what it has done, number {number}
requirement: must
given:
  files:
    notes-{number}.txt: "alpha\\n"
steps:
  - Edit: {{file_path: $WS/notes-{number}.txt, old_string: alpha, new_string: gamma}}
"""
_JUDGED = """\
title: Edit changes a file, größer als {number}
requirement: must
given: {{files: {{ä{number}.txt: "alpha\\n"}}}}
steps:
  - Read: {{file_path: $WS/ä{number}.txt}}
    expect: {{text: "     1→alpha\\n     2→"}}
  - Edit: {{file_path: $WS/ä{number}.txt, old_string: alpha, new_string: beta}}
    expect: {{text: done, files: {{ä{number}.txt: "beta\\n"}}}}
"""
_ACCEPTED = """\
name: mcp
accepted:
  - scenario: edit/number-0
    fails: [text]
    reason: It numbers no lines.
"""


@dataclass(frozen=True)
class Command:
    """A command that writes files (`words`, with `{folder}` for the stage), and the commands that must run before."""

    name: str
    words: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()


_RUN = (
    "run",
    f"mcp:{sys.executable} -S -E {{folder}}/server.py",
    "--name",
    "mcp",
    "--fixtures",
    "{folder}/judged",
)
_RECORD = ("product", "record", "--fixtures", "{folder}/suite")
COMMANDS = (
    Command("run --output", (*_RUN, "--format", "junit", "--output", "{folder}/out/report.xml")),
    Command(
        "run --update-baseline", (*_RUN, "--baseline", "{folder}/out/accepted.yaml", "--update-baseline")
    ),
    Command("record", _RECORD),
    Command("record --missing", (*_RECORD, "--missing"), (_RECORD,)),
    Command(
        "snapshot",
        ("product", "snapshot", "1.0.2", "--fixtures", "{folder}/suite"),
        (_RECORD, (*_RECORD, "--missing")),
    ),
)
STREAM = Command("run --output", (*_RUN, "--format", "jsonl", "--output", "{folder}/out/run.jsonl"))
"""A run of the suite. Its verdicts on an unusual machine are compared with those on an ordinary machine."""


def _is_new(path: Path) -> bool:
    return path.name.startswith("readfirst-") and path.is_dir() and not list(path.iterdir())


def _is_probe(path: Path, temporary: Path) -> bool:
    return (
        path.parent == temporary
        and _PROBE.fullmatch(path.name) is not None
        and path.is_file()
        and path.read_bytes() in _PROBED
    )


class TrialDirectory:
    """The directory of a test of commands, with suites, a substitute for the product, and directories for home,
    cache and temporary files. Before each trial, `template` is copied to `folder`, whose path is always the same.
    """

    def __init__(self, base: Path, scenarios: int = 2) -> None:
        self.base = base
        self.folder = base / "stage"
        self.template = base / "template"
        self._npm = base / "bin"
        base.chmod(0o755)
        self._packages = make_packages({version: saying('"Done"') for version in ("1.0.1", "1.0.2")})
        for name in ("suite", "judged", "out", "home", "cache", "tmp"):
            (self.template / name).mkdir(parents=True)
        shutil.copy(SERVER, self.template)
        (self.template / "out" / "report.xml").write_text("an older report\n")
        (self.template / "out" / "accepted.yaml").write_text(_ACCEPTED)
        self._suites(scenarios)

    def _suites(self, scenarios: int) -> None:
        errors = CHECKOUT / "fixtures" / "errors.yaml"
        suite, judged = self.template / "suite", self.template / "judged"
        for folder in (suite, judged):
            shutil.copy(errors, folder)
        (suite / "contracts.yaml").write_text(
            "default: 1.0.1\ncontracts:\n"
            + _CONTRACT.format(name="1.0.1", model="new", gate="relaxed")
            + _CONTRACT.format(name="1.0.1+gated", model="old", gate="enforced")
        )
        shutil.copy(CHECKOUT / "fixtures" / "contracts.yaml", judged)
        for number in range(scenarios):
            for folder, family, text in ((suite, "gate", _RECORDED), (judged, "edit", _JUDGED)):
                file = folder / "scenarios" / family / f"number-{number}.yaml"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text.format(number=number), "utf-8")

    def fresh(self) -> None:
        """Restore `folder` from the template, and npm's substitute, whose owner a trial may have changed."""
        for folder in (self.folder, self._npm):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.template, self.folder, symlinks=True)
        FakeNpm(self._npm, self._packages)

    def keep(self) -> None:
        """Use the current content of `folder` as the new template, so that later trials start with it."""
        shutil.rmtree(self.template)
        shutil.copytree(self.folder, self.template, symlinks=True)

    def words(self, command: Sequence[str]) -> list[str]:
        """Return the arguments of a command after replacing `{folder}` by the directory of the stage."""
        return [word.replace("{folder}", str(self.folder)) for word in command]

    def environment(self) -> dict[str, str]:
        """Return the environment variables that commands get. Only PATH is inherited."""
        return {
            "PATH": f"{self._npm}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(CHECKOUT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LANG": "C.UTF-8",
            "HOME": str(self.folder / "home"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "TMPDIR": str(self.folder / "tmp"),
        }

    def state(self) -> Mapping[str, bytes]:
        """Return the files below `suite`, `judged` and `out`, by path, with times replaced for comparisons."""
        return {
            str(path.relative_to(self.folder)): _TIMES.sub(rb"\g<1>0", path.read_bytes())
            for name in ("suite", "judged", "out")
            for path in sorted((self.folder / name).rglob("*"))
            if path.is_file()
        }

    def left(self) -> list[str]:
        """Return the temporary files that a command left, next to its results and in the directory `tmp`. An empty
        directory without a lock does not count: its process may be about to create the lock, and readfirst removes such
        a directory after an hour. Nor does a test file of Python's `tempfile`, which a kill leaves.
        """
        temporary = self.folder / "tmp"
        return [
            str(path.relative_to(self.folder))
            for name in ("suite", "judged", "out", "tmp")
            for path in (self.folder / name).rglob("*")
            if UNFINISHED.fullmatch(path.name)
            or (name == "tmp" and not _is_new(path) and not _is_probe(path, temporary))
        ]

    def start(self, command: Sequence[str]) -> int:
        """Start a command in a fork of this process, which has imported the modules. Return the process id."""
        child = os.fork()
        if child:
            return child
        code = 70
        try:
            environment = self.environment()
            os.environ.clear()
            os.environ.update(environment)
            tempfile.tempdir = None
            os.chdir(self.folder)
            log = os.open(self.base / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for descriptor in (1, 2):
                os.dup2(log, descriptor)
            from readfirst.harness.cli import main as cli

            cli.main(self.words(command))
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 70
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            used = (name for name in sys.modules if name.startswith("readfirst."))
            (self.base / "modules").write_text("\n".join(used))
            os._exit(code)

    def ended(self, command: Sequence[str]) -> int:
        """Run a command of readfirst, wait until it ends, and return its exit code."""
        return os.waitstatus_to_exitcode(os.waitpid(self.start(command), 0)[1])

    def preload(self) -> None:
        """Import the last command's modules, so that a kill of the next one interrupts work, not imports."""
        for name in (self.base / "modules").read_text().split():
            importlib.import_module(name)

    @property
    def log(self) -> str:
        return (self.base / "log").read_text("utf-8", "replace")

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import indent
from typing import Any

import yaml

from readfirst.harness.compare.refusals import REFUSAL_SCENARIOS
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.targets import new_mapping
from tests.pages.page import CHECKOUT, code
from tests.small_suites import keep_recording

SCENARIOS = {
    "arguments/read-unknown",
    "gate/edit-after-read",
    "gate/partial-read-edit-inside",
    "staleness/edit-after-touch-full-read",
    "staleness/edit-after-touch-of-own-edit",
    "line-endings/converted-on-disk",
    *new_mapping.REFUSAL_SCENARIOS,
    *REFUSAL_SCENARIOS.values(),
}
"""Replaces the bundled suite, which takes minutes with a slow adapter."""

MY_TOOLS = f"""\
#!{sys.executable}
import json, sys
sys.path[:] = {sys.path!r}
from readfirst.reference_impl import FileTools
tools = FileTools("2.1.7", root=sys.argv[1], home=sys.argv[1])
for line in sys.stdin:
    result = tools.call(**json.loads(line))
    print(json.dumps({{"text": result.text, "is_error": result.is_error}}), flush=True)
"""


@dataclass(frozen=True)
class Stage:
    """A working directory of commands. `addopts`: options for every run of pytest."""

    folder: Path
    checkout: Path
    addopts: str = ""

    def run(self, commands: Iterable[str], *, before: str = "", seconds: int = 120) -> list[tuple[int, str]]:
        """Run commands in one shell, after the shell commands `before`. Return the exit code and the output of each."""
        variables = {
            **os.environ,
            "PATH": os.pathsep.join([str(self.checkout.parent / "bin"), os.environ["PATH"]]),
            "PYTHONPATH": str(self.checkout),
            "PYTEST_ADDOPTS": self.addopts,
        }
        # A shared cache of bytecode. Without it, each command would compile hundreds of modules.
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        with tempfile.TemporaryDirectory() as shown:
            script = [f"{before or ':'} || exit 9"]
            script += [_command_lines(number, command, shown) for number, command in enumerate(commands)]
            options: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
            options |= {"cwd": self.folder, "env": variables, "timeout": seconds, "check": False}
            done = subprocess.run(["sh", "-c", "\n".join(script)], **options)
            assert done.returncode == 0, done.stdout + done.stderr
            codes = sorted(Path(shown).glob("*.code"))
            return [(int(code.read_text()), code.with_suffix(".txt").read_text()) for code in codes]


def _command_lines(number: int, command: str, folder: str) -> str:
    file = f"{folder}/{number:02}"
    return f"exec 3>&1 4>&2 >'{file}.txt' 2>&1\n{command}\necho $? > '{file}.code'\nexec >&3 2>&4"


def copy_of_checkout(folder: Path, *, bundled: bool = False, contracts: Collection[str] = ()) -> Path:
    """Copy the project and its commands, with the bundled suite or a small one, and only these contracts if given."""
    checkout = folder / "a copy of the checkout"
    checkout.mkdir(parents=True)
    ignored = shutil.ignore_patterns(".git", ".venv", ".*_cache", "fixtures")
    shutil.copytree(CHECKOUT, checkout, ignore=ignored, dirs_exist_ok=True, symlinks=True)
    if bundled:
        shutil.copytree(CHECKOUT / "fixtures", checkout / "fixtures")
    else:
        _small_suite(checkout / "fixtures", contracts)
        for baseline in (checkout / "harness" / "targets" / "baselines").glob("*.yaml"):
            baseline.unlink()  # it names scenarios that the copy lacks
    binaries = folder / "bin"
    binaries.mkdir()
    for name, module in (("readfirst", "readfirst.harness.cli.main"), ("pytest", "pytest")):
        script = binaries / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        script.chmod(0o755)
    return checkout


def _small_suite(root: Path, contracts: Collection[str]) -> None:
    bundled = CHECKOUT / "fixtures"
    (root / "scenarios").mkdir(parents=True)
    shutil.copytree(bundled / "schema", root / "schema")
    for file in (*bundled.glob("*.yaml"), bundled / "tools.json", bundled / "results.json"):
        if file.name != "claims.yaml":  # it names scenarios
            shutil.copy2(file, root)
    if contracts:
        value = yaml.safe_load((root / "contracts.yaml").read_bytes())
        value["contracts"] = {name: value["contracts"][name] for name in contracts}
        (root / "contracts.yaml").write_text(yaml.safe_dump(value, sort_keys=False), "utf-8")
    suite = Suite(bundled)
    for scenario in SCENARIOS:
        kind, text = "scenarios", suite.text(scenario)
        if suite.scenario(scenario).composed:
            kind, text = "corpus", f"cases:\n  {Path(scenario).name}:\n{indent(text, '    ')}"
        for folder in (kind, "recordings"):
            (root / folder / scenario).parent.mkdir(parents=True, exist_ok=True)
        (root / f"{kind}/{scenario}.yaml").write_text(text, "utf-8")
        recording = suite.recordings.recording(scenario)
        if contracts:
            of_these = {name: each for name, each in recording.transcripts.items() if name in contracts}
            recording = replace(recording, transcripts=of_these)
        keep_recording(Suite(root), scenario, recording)


def users_folder(folder: Path, page: str) -> Path:
    """Create the directory of a user who has written the files that a page shows."""
    own = folder / "a user's folder"
    own.mkdir()
    shown = "docs/adapters.md" if page == "docs/adapters.md" else "README.md"
    (own / "readfirst_adapter.py").write_text(code(shown, "python")[0])
    for language, name in (("js", "server.mjs"), ("python", "server.py")):
        (own / name).write_text(code("docs/adapters.md", f"{language} server")[0])
    program = own / "my-tools"
    program.write_text(MY_TOOLS)
    program.chmod(0o755)
    return own

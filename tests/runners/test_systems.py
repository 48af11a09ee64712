from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.runners.verdicts import (
    ROOT,
    SUITE,
    WITHOUT_RIGHTS_OF_ROOT,
    plain_export,
    read_verdicts,
    write_export,
    write_lines,
)

WINDOWS = {"system": "windows", "folds": True, "composes": False, "opensAll": True}
MACOS = {"system": "macos", "folds": True, "composes": True, "opensAll": False}
CASES_ARE_TWO = {**MACOS, "folds": False, "composes": False}
"""A machine with macOS and a file system that distinguishes case."""
LINUX = {"system": "linux", "folds": False, "composes": False, "opensAll": False}
ROOT_S = {**LINUX, "opensAll": True}
PLATFORMS = ("linux", "macos", "windows", "case-insensitive", "composing")

MODES = "modes of files"
"""Reasons why a scenario cannot run on a machine."""
LINKS = "symbolic links that anybody may make"
TIMES = "times finer than a microsecond"
NAMES = "names that Windows has not"
LONG = "paths longer than 260 characters"
OPEN = "a user to whom a mode closes files"
BITS = "a user whose writes clear setuid and setgid bits"
CASE = "a directory that distinguishes the case of names"
FORMS = "a directory that distinguishes the forms of \u00e9"

Reasons = Mapping[str, str]
"""The missing requirement of each scenario. Empty if it can run."""
Machine = Mapping[str, object]


@cache
def capabilities() -> list[str]:
    return sorted({need for each in SUITE.ids() for need in SUITE.scenario(each).needs} - {*PLATFORMS})


def by_go(machine: Machine, suite: Path, folder: Path) -> Reasons:
    words = ["go", "test", ".", "-count=1", "-run", "TestMachine"]
    return _reasons(words, ROOT / "runners/go", machine, suite, folder / "verdicts.jsonl")


IN_JAVASCRIPT = """
import { writeFileSync } from "node:fs";
import { load } from "./suite.mjs";
import { lacking } from "./system.mjs";
const { READFIRST_SUITE: suite, READFIRST_MACHINE: described, READFIRST_VERDICTS: file } = process.env;
const { capabilities, ...machine } = JSON.parse(described);
const lines = load(suite).scenarios.map((each) => [each.id, lacking(machine, each, capabilities).join(", ")]);
writeFileSync(file, lines.map((each) => JSON.stringify(each)).join("\\n"));
"""


def by_node(machine: Machine, suite: Path, folder: Path) -> Reasons:
    words = ["node", "--input-type=module", "-e", IN_JAVASCRIPT]
    return _reasons(words, ROOT / "runners/typescript", machine, suite, folder / "verdicts.jsonl")


def _reasons(words: Sequence[str], folder: Path, machine: Machine, suite: Path, file: Path) -> Reasons:
    """Return the missing requirement of each scenario. The implementation supports every capability."""
    described = json.dumps({**machine, "capabilities": capabilities()})
    named = {"SUITE": str(suite), "MACHINE": described, "VERDICTS": str(file)}
    variables = {**os.environ, **{f"READFIRST_{name}": value for name, value in named.items()}}
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(map(json.loads, file.read_text("utf-8").splitlines()))


RUNNERS = pytest.mark.parametrize(
    "runner", [pytest.param(by_go, marks=pytest.mark.go), pytest.param(by_node, marks=pytest.mark.node)]
)
FILE = {"type": "file", "utf8": "x", "mode": "0644", "mtime_ns": 1577836800000000000}
LINK = {"type": "symlink", "target": "b"}
CLOSED = {"event": "chmod", "path": "a", "mode": "0200"}
CASES: dict[str, tuple[dict[str, Any], Machine, str]] = {
    "a plain file": ({"given": {"a.txt": FILE}}, WINDOWS, ""),
    "a program": ({"given": {"a.txt": {**FILE, "mode": "0755"}}}, WINDOWS, MODES),
    "a program on macOS": ({"given": {"a.txt": {**FILE, "mode": "0755"}}}, MACOS, ""),
    "setuid": ({"given": {"a.txt": {**FILE, "mode": "4755"}}}, MACOS, "modes above 0777"),
    "another mode later": ({"event": {"event": "chmod", "path": "a.txt", "mode": "0644"}}, WINDOWS, MODES),
    "a link": ({"given": {"a": LINK}}, WINDOWS, LINKS),
    "a link on macOS": ({"given": {"a": LINK}}, MACOS, ""),
    "a link later": ({"event": {"event": "symlink", "path": "a", "entry": LINK}}, WINDOWS, LINKS),
    "a nanosecond": ({"event": {"event": "touch", "path": "a", "mtime_shift_ns": 1}}, WINDOWS, TIMES),
    "a nanosecond on macOS": ({"event": {"event": "touch", "path": "a", "mtime_shift_ns": 1}}, MACOS, ""),
    "a closed file of root": ({"given": {"a.txt": {**FILE, "mode": "0444"}}}, ROOT_S, OPEN),
    "a closed file of a user": ({"given": {"b.txt": {**FILE, "mode": "0444"}}}, LINUX, ""),
    "a setgid file of root": ({"given": {"a.txt": {**FILE, "mode": "2755"}}}, ROOT_S, BITS),
    "a setgid file of a user": ({"given": {"b.txt": {**FILE, "mode": "2755"}}}, LINUX, ""),
    "a sticky file of root": ({"given": {"a.txt": {**FILE, "mode": "1755"}}}, ROOT_S, ""),
    "a program of root": ({"given": {"a.txt": {**FILE, "mode": "0711"}}}, ROOT_S, ""),
    "a closed folder of root": ({"given": {"a": {"type": "directory", "mode": "0644"}}}, ROOT_S, OPEN),
    "a file of root that is closed later": ({"event": CLOSED}, ROOT_S, OPEN),
    "a question mark": ({"given": {"a?b": FILE}}, WINDOWS, NAMES),
    "a question mark on macOS": ({"given": {"a?b": FILE}}, MACOS, ""),
    "a dot at the end": ({"given": {"a./b.txt": FILE}}, WINDOWS, NAMES),
    "a device": ({"given": {"docs/CON.txt": FILE}}, WINDOWS, NAMES),
    "no device": ({"given": {"docs/console.txt": FILE}}, WINDOWS, ""),
    "renamed to a device": ({"event": {"event": "rename", "path": "a", "to": "nul"}}, WINDOWS, NAMES),
    "a space at the end, in a call": ({"call": "$WS/a.txt "}, WINDOWS, NAMES),
    "a way up in a call": ({"call": "$WS/docs/../a.txt"}, WINDOWS, ""),
    "a backslash in a call": ({"call": "$WS/docs\\a.txt"}, WINDOWS, NAMES),
    "a backslash in a call of Windows": ({"call": "$WS\\a.txt", "needs": ["windows"]}, WINDOWS, ""),
    "from the root in a call": ({"call": "/etc/hosts"}, WINDOWS, NAMES),
    "a drive after something": ({"call": " $WS/a.txt"}, WINDOWS, NAMES),
    "a long path": ({"call": "$WS/" + "long/" * 40}, WINDOWS, LONG),
    "a long path on macOS": ({"call": "$WS/" + "long/" * 40}, MACOS, ""),
    "two cases": ({"given": {"a.txt": FILE}, "call": "$WS/A.txt"}, WINDOWS, CASE),
    "two cases of a folder": ({"given": {"a/b.txt": FILE, "A/c.txt": FILE}}, MACOS, CASE),
    "two cases where they are two": ({"given": {"a.txt": FILE, "A.txt": FILE}}, CASES_ARE_TWO, ""),
    "two cases of one name": (
        {"given": {"a": FILE}, "call": "$WS/A", "needs": ["case-insensitive"]},
        MACOS,
        "",
    ),
    "a mark of its own": ({"given": {"cafe\u0301": FILE}}, MACOS, FORMS),
    "a mark of its own on Windows": ({"given": {"cafe\u0301": FILE}}, WINDOWS, ""),
    "rules": ({"needs": ["deny"]}, WINDOWS, "rules and commands as POSIX writes paths"),
    "rules on macOS": ({"needs": ["deny"]}, MACOS, ""),
    "a command": ({"needs": ["Bash"]}, MACOS, "the commands of Linux"),
    "what holds on Windows": ({"needs": ["windows"]}, MACOS, "windows"),
    "what holds on macOS": ({"needs": ["macos"]}, MACOS, ""),
    "what holds on macOS, on Windows": ({"needs": ["macos"]}, WINDOWS, "macos"),
    "what holds on Linux": ({"needs": ["linux"]}, WINDOWS, "linux"),
    "what holds where case makes no difference": ({"needs": ["case-insensitive"]}, LINUX, "case-insensitive"),
    "what a runner cannot do": ({"needs": ["kill"]}, MACOS, "kill"),
}
"""Each with the changed parts of a scenario, the machine, and the missing requirement."""


def scenarios(machine: Machine) -> Iterator[dict[str, Any]]:
    """Yield the lines of an export with the cases for a machine."""
    header, plain, end = plain_export()
    call = plain["steps"][-1]
    cases = {name: each for name, (each, on, _) in CASES.items() if on == machine}
    yield header
    for name, each in cases.items():
        events = [{"kind": "event", "line": 1, **each["event"]}] if "event" in each else []
        calls = [{**call, "arguments": {"file_path": each["call"]}}] if "call" in each else []
        given = {**plain["given"], "files": each.get("given", {})}
        steps = [*events, *calls]
        yield {**plain, "id": f"here/{name}", "given": given, "needs": each.get("needs", []), "steps": steps}
    yield {**end, "scenarios": len(cases)}


@RUNNERS
def test_each_scenario_that_cannot_run_on_a_machine_has_a_reason(
    runner: Callable[[Machine, Path, Path], Reasons], tmp_path: Path
) -> None:
    suite, reasons = tmp_path / "suite.jsonl", {}
    for machine in (WINDOWS, MACOS, CASES_ARE_TWO, LINUX, ROOT_S):
        write_lines(suite, scenarios(machine))
        reasons.update(runner(machine, suite, tmp_path))
    assert reasons == {f"here/{name}": wanted for name, (_, _, wanted) in CASES.items()}


@pytest.mark.runners
@pytest.mark.parametrize("machine", [WINDOWS, MACOS], ids=["windows", "macos"])
def test_both_runners_select_the_same_scenarios_on_a_machine(machine: Machine, tmp_path: Path) -> None:
    suite = write_export(tmp_path / "suite.jsonl.gz")
    reasons = by_go(machine, suite, tmp_path)
    assert reasons == by_node(machine, suite, tmp_path)
    asked = [each for each, lacks in reasons.items() if not lacks]
    assert len(asked) > 1400
    here = {each for each in asked if each.startswith("platforms/")}
    wanted = {"case-insensitive", "composing" if machine is MACOS else "windows"}
    assert here == {each for each in SUITE.ids() if SUITE.scenario(each).platform in wanted}


def printed_by_node(script: str, *words: str) -> str:
    """Return the output of a script that imports modules of the runner."""
    command = ["node", "--input-type=module", "-e", script, *words]
    variables = {"TEMP": tempfile.gettempdir(), **os.environ}  # Windows uses TEMP
    options: Any = {"cwd": ROOT / "runners/typescript", "env": variables, "check": True}
    return subprocess.run(command, capture_output=True, text=True, **options).stdout


@pytest.mark.node
@pytest.mark.parametrize(
    ("platform", "system"), [("win32", "windows"), ("darwin", "macos"), ("linux", "linux")]
)
def test_the_runner_in_javascript_knows_the_names_of_systems_in_node(platform: str, system: str) -> None:
    script = f"""
        Object.defineProperty(process, "platform", {{ value: "{platform}" }});
        const {{ here }} = await import("./system.mjs");
        console.log(here().system);
    """
    assert printed_by_node(script) == f"{system}\n"


@pytest.mark.go
@pytest.mark.parametrize("system", ["windows", "darwin"])
def test_the_runner_in_go_is_built_for_other_systems(system: str, tmp_path: Path) -> None:
    options: Any = {"cwd": ROOT / "runners/go", "env": {**os.environ, "GOOS": system}, "check": False}
    for words in (["vet", "./..."], ["test", "-c", "-o", str(tmp_path / "suite"), "."]):
        done = subprocess.run(["go", *words], capture_output=True, text=True, **options)
        assert done.returncode == 0, done.stderr


@pytest.mark.go
def test_windows_paths_become_scenario_paths_in_go() -> None:
    words = ["go", "test", ".", "-count=1", "-run", "TestPathsOfWindows", "-v"]
    done = subprocess.run(words, cwd=ROOT / "runners/go", capture_output=True, text=True, check=False)
    assert "--- PASS: TestPathsOfWindowsAreWrittenAsInScenarios" in done.stdout


@pytest.mark.node
def test_windows_paths_become_scenario_paths_in_javascript() -> None:
    texts = {
        r"C:\a\s\w\docs\notes.txt is there": "$WS/docs/notes.txt is there",
        r"C:\a\s\w/docs/notes.txt": "$WS/docs/notes.txt",
        "C:/a/s/w/docs": "$WS/docs",
        r'{"path": "C:\\a\\s\\w\\docs\\n.txt"}': '{"path": "$WS/docs/n.txt"}',
        r"C:\a\s\other and a\b": r"C:\a\s\other and a\b",
    }
    script = """
        import { neutral } from "./system.mjs";
        const texts = JSON.parse(process.argv[1]);
        console.log(JSON.stringify(texts.map((each) => neutral(each, "C:\\\\a\\\\s\\\\w", "$WS"))));
    """
    assert json.loads(printed_by_node(script, json.dumps([*texts]))) == [*texts.values()]


def status_of_a_closed_file(folder: Path) -> str:
    """Return the status of a scenario with a file that its mode closes."""
    verdicts = read_verdicts(folder / "node.jsonl", "")
    return verdicts["links-and-modes/edit-link-to-read-only-file"][0]


@pytest.mark.runners
def test_the_check_on_other_systems_fails_if_verdicts_differ_or_are_too_few(tmp_path: Path) -> None:
    native = ROOT / ".ci/native"
    folder = tmp_path / "exported"

    def code(*words: str, before: Sequence[str] = ()) -> int:
        return subprocess.run([*before, native, *words], capture_output=True, check=False).returncode

    assert code("prepare", str(folder), "--family", "gate", "--family", "links-and-modes") == 0
    assert code("run", str(folder), "40") == 0
    assert code("run", str(folder), "400") == 1
    as_whoever_runs_this = status_of_a_closed_file(folder)
    assert code("run", str(folder), "40", before=WITHOUT_RIGHTS_OF_ROOT) == 0
    assert status_of_a_closed_file(folder) == "judged"
    assert as_whoever_runs_this == ("unsupported" if os.geteuid() == 0 else "judged")
    known = folder / "node.yaml"
    known.write_text(known.read_text("utf-8").replace("gate/image-read-then-write", "gate/edit-unread"))
    assert code("run", str(folder), "40") == 1
    assert code("walk", str(folder)) == 2

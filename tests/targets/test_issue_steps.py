"""The steps in the texts of issues: shell, Python and JSON-RPC that do what the scenario says, without readfirst."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from readfirst.harness.suite.entry import Directory, Entry, HardLink, RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import Given, Scenario, WorldEvent
from readfirst.harness.survey import shell_steps
from readfirst.harness.survey.evidence import (
    Evidence,
    Found,
)
from readfirst.harness.survey.issue import Report, issue_text
from readfirst.harness.targets import install
from readfirst.harness.targets.catalogue import find
from readfirst.harness.targets.mapping import load_target
from readfirst.harness.workspace.site import lay_out
from readfirst.harness.workspace.snapshot import snapshot
from readfirst.harness.workspace.world import perform

from .issues import (
    EVIDENCE,
    RULES,
    STAND_IN,
    SUITE,
    broken_rules,
    fences,
    scenario_of,
    text_of,
)


@pytest.mark.slow
def test_every_script_is_one_for_bash() -> None:
    scripts = [
        script
        for name, rule in broken_rules()
        if rule in EVIDENCE[name]
        for script in fences(text_of(name, rule), "bash")
    ]
    checked = subprocess.run(
        ["bash", "-n"], input="\n".join(scripts), capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def replayable() -> Iterator[tuple[Scenario, list[WorldEvent]]]:
    """Yield the scenarios of the texts with those of their events that can be done without the calls."""
    for scenario_id in sorted({each.scenario for rules in EVIDENCE.values() for each in rules.values()}):
        scenario = scenario_of(scenario_id)
        events = [step for step in scenario.steps if isinstance(step, WorldEvent)]
        if any(each.kind == "git" for each in events):
            continue  # whose folder has a repository then
        yield (
            scenario,
            [
                each
                for each in events
                if each.kind not in ("touch", "delete") or each.path in scenario.given.files
            ],
        )


def expected_states(folder: Path) -> dict[str, dict[str, Entry]]:
    found = {}
    for number, (scenario, events) in enumerate(replayable()):
        root = folder / str(number)
        root.mkdir()
        lay_out(scenario.given.files, root)
        for event in events:
            perform(event, root)
        found[scenario.id] = snapshot(root)
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Entry]]:
    return expected_states(tmp_path_factory.mktemp("expected"))


def run_script(command: list[str], lines: list[str], file: Path) -> None:
    """Run the lines from a file: all scenarios in one are too long for an argument."""
    file.write_text("\n".join(lines), "utf-8", "surrogateescape")
    subprocess.run([*command, str(file)], check=True, timeout=30)


_GIVE = (
    "import os, sys; _, _, name, _, value, file = sys.argv; os.setxattr(file, name, bytes.fromhex(value[2:]))"
)
SETFATTR = f'command -v setfattr >/dev/null || setfattr() {{ {sys.executable} -c "{_GIVE}" "$@"; }}'
"""The program of this name, which not every system has."""


@pytest.mark.slow
def test_the_steps_in_a_shell_do_what_the_scenario_says(
    expected: dict[str, dict[str, Entry]], tmp_path: Path
) -> None:
    lines = ["set -e", "umask 022", SETFATTR]
    for number, (scenario, events) in enumerate(replayable()):
        lines += [
            f'WS="{tmp_path}/{number}"',
            'mkdir "$WS"',
            'cd "$WS"',
            *shell_steps.given_lines(scenario.given),
        ]
        lines += [line for event in events for line in shell_steps.event_lines(event)]
    run_script(["sh"], lines, tmp_path / "steps.sh")
    for number, scenario_id in enumerate(expected):
        assert snapshot(tmp_path / str(number)) == expected[scenario_id], scenario_id


@pytest.mark.parametrize("mtime", ["-10s", "+1ms", "same", "+2s"])
def test_times_move_as_the_scenario_says(mtime: str, tmp_path: Path) -> None:
    shift = {"-10s": -10, "+1ms": Fraction(1, 1000), "same": None, "+2s": 2}[mtime]
    event = WorldEvent("modify", "a.txt", RegularFile(TextContent("new\n")), mtime=shift)
    file = tmp_path / "a.txt"
    file.write_text("old\n")
    os.utime(file, ns=(1_600_000_000_123_456_789,) * 2)
    subprocess.run(["sh", "-c", "\n".join(shell_steps.event_lines(event))], cwd=tmp_path, check=True)
    assert file.read_text() == "new\n"
    moved = file.stat().st_mtime_ns - 1_600_000_000_123_456_789
    if mtime == "+2s":
        assert moved > 2_000_000_000  # it is simply saved, later
    else:
        assert moved == int((shift or 0) * 1_000_000_000)


def test_branches_are_changed_in_a_shell(tmp_path: Path) -> None:
    text = {"main": "alpha\n", "other": "beta\n"}
    commands = ["commit", "branch other", "modify", "commit", "checkout main"]
    lines = shell_steps.given_lines(Given({"a.txt": RegularFile(TextContent(text["main"]))}))
    saved = WorldEvent("modify", "a.txt", RegularFile(TextContent(text["other"])))
    events = [saved if each == "modify" else WorldEvent("git", each) for each in commands]
    script = [*lines, *(line for event in events for line in shell_steps.event_lines(event))]
    subprocess.run(["sh", "-ec", "\n".join(script)], cwd=tmp_path, check=True)
    assert (tmp_path / "a.txt").read_text() == text["main"]
    subprocess.run(["git", "checkout", "--quiet", "other"], cwd=tmp_path, check=True)
    assert (tmp_path / "a.txt").read_text() == text["other"]


def test_other_events_are_done_in_a_shell(tmp_path: Path) -> None:
    given = Given(
        {
            "-x 'y'.txt": RegularFile(TextContent("100% \\n 'quoted'\n")),
            "run.sh": RegularFile(TextContent("a\n"), mode=0o755),
            "b.bin": RegularFile(b"\x00\xff7\r\t"),
            "many.txt": RegularFile(TextContent("{n}: it's -{n}\n", times=3)),
            "deep/er": Directory(0o700),
            "deep/a.txt": RegularFile(TextContent("\ufeffé 日本\n", encoding="utf-16-le", bom=True)),
            "again.txt": HardLink("run.sh"),
            "gone": Directory(),
        }
    )
    events = [
        WorldEvent("rename", "b.bin", to="c.bin"),
        WorldEvent("delete", "gone"),
        WorldEvent("chmod", "run.sh", mode=0o600),
        WorldEvent("symlink", "many.txt", Symlink("$WS/run.sh")),
        WorldEvent("mkdir", "new/folder", Directory(0o711)),
        WorldEvent("touch", "run.sh", mtime=1),
        WorldEvent("modify", "more/d.txt", RegularFile(TextContent("-d"))),
    ]
    folders = {name: tmp_path / name for name in ("given", "sh")}
    for folder in folders.values():
        folder.mkdir()
    lay_out(given.files, folders["given"])
    for event in events:
        perform(event, folders["given"])
    lines = [
        f"set -e; umask 022; WS={folders['sh']}; cd $WS",
        *shell_steps.given_lines(given),
        *(line for event in events for line in shell_steps.event_lines(event)),
    ]
    subprocess.run(["sh", "-c", "\n".join(lines)], check=True)
    assert snapshot(folders["sh"]) == snapshot(folders["given"])


LIBRARY = """
from pathlib import Path


class Tools:
    def __init__(self, root):
        self.root = Path(root)

    def read_text(self, path):
        return self.root.joinpath(path).read_text()

    def edit(self, path, edits, **options):
        file = self.root / path
        old = edits[0]["oldText"]
        if old not in file.read_text():
            raise ValueError("there is no " + old)
        file.write_text(file.read_text().replace(old, edits[0]["newText"], 1))
        return "edited"

    def write(self, path, content):
        self.root.joinpath(path).write_text(content)
        return "written"
"""
MAPPING = """
title: Tools of nobody
kind: {kind}
versions: {{"1.0": {{pip: ["nobody==1.0"]}}}}
{launch}
paths: {paths}
tools:
  Read: {{call: {read}, arguments: {{path: $file_path}}}}
  Edit: {{call: {edit}, arguments: {arguments}}}
  Write: {{call: {write}, arguments: {{path: $file_path, content: $content}}}}
result: {{error: {{flag: true}}}}
"""


def report_on(file: Path, scenario_id: str, step: int) -> Report:
    """Return a report of a target that nobody has published, on a scenario of the suite."""
    target = load_target(file)
    scenario = scenario_of(scenario_id)
    evidence = Evidence(scenario.id, scenario.inputs, step, (), (Found("file notes.txt", "x", "y"),))
    return Report(target, RULES[scenario.rule], scenario, evidence, CELL, RESULT)


CELL = {"holds": "no", "scenarios": 1, "judged": 1, "holding": 0}
RESULT = {"harm": {"scenarios": {}}, "about": "", "title": "Tools of nobody", "date": "2026-01-01"}


CALLS = """\
import nobody
tools = nobody.Tools(root=workspace)
def call(tool, **arguments):
    return getattr(tools, tool)(**arguments)
"""


def test_the_program_for_a_library_runs_and_shows_what_happens(tmp_path: Path) -> None:
    (tmp_path / "nobody.py").write_text(LIBRARY)
    mapping = MAPPING.format(
        kind="python",
        launch=f"python: {{code: {json.dumps(CALLS)}}}",
        paths="relative",
        read="read_text",
        edit="edit",
        write="write",
        arguments="{path: $file_path, edits: [{oldText: $old_string, newText: $new_string}]}",
    )
    (tmp_path / "nobody.yaml").write_text(mapping)
    report = report_on(tmp_path / "nobody.yaml", "staleness/edit-after-change-of-own-write", 3)
    (program,) = fences(issue_text(report, SUITE), "python")
    shown = ran([sys.executable, "-c", program], PYTHONPATH=str(tmp_path))
    assert shown.splitlines()[:2] == ["write: written", "edit: edited"]
    assert shown.splitlines()[2].startswith("-rw-r--r--")
    assert "a   l   p   h   a   ;  \\n   d   e   l   t   a   ;  \\n" in shown


def test_the_script_for_a_server_runs_and_shows_what_happens(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text("[]")
    mapping = MAPPING.format(
        kind="mcp",
        launch=f"mcp: {{command: [{sys.executable}, {STAND_IN}, $INSTALL/tools.json]}}",
        paths="absolute",
        read="read_file",
        edit="edit_file",
        write="write_file",
        arguments="{path: $file_path, old: $old_string, new: $new_string}",
    )
    (tmp_path / "nobody.yaml").write_text(mapping)
    report = report_on(tmp_path / "nobody.yaml", "staleness/edit-after-change", 3)
    (script,) = fences(issue_text(report, SUITE), "bash")
    shown = ran(["bash", "-c", script], INSTALL=str(tmp_path))
    answers = [json.loads(line) for line in shown.splitlines()[:2]]
    assert [each["result"]["content"][0]["text"] for each in answers] == ["alpha\nbeta\n", "done"]
    assert "B   E   T   A" in shown


def ran(command: list[str], **variables: str) -> str:
    done = subprocess.run(
        command,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


INSTALLABLE = {
    target.release.pip or target.release.npm: name
    for name, target in {name: find(name) for name, rules in EVIDENCE.items() if rules}.items()
    if target.kind != "agent" and name != "deepagents@0.6.12"
}
"""One target of each package; a program takes seconds to import some of them."""


def may_be_written(scenario_id: str) -> bool:
    """Whether all files of a scenario let their owner write."""
    modes = [getattr(entry, "mode", None) for entry in SUITE.scenario(scenario_id).given.files.values()]
    return all(mode is None or mode & 0o200 for mode in modes)


@pytest.mark.agents
@pytest.mark.parametrize("name", INSTALLABLE.values())
def test_the_program_of_a_published_target_shows_the_evidence(name: str) -> None:
    target = find(name)
    installed = install.install(target)
    rules = [rule for rule in ("edit-refuses-changed-file", *EVIDENCE[name]) if rule in EVIDENCE[name]]
    # The programs keep the rights of this process, which is no hindrance to root.
    rule = next(rule for rule in rules if os.geteuid() or may_be_written(EVIDENCE[name][rule].scenario))
    text, evidence = text_of(name, rule), EVIDENCE[name][rule]
    if target.kind == "python":
        shown = ran([installed.python, "-c", fences(text, "python")[0]])
    else:
        folder = Path(installed.node).parent
        path = os.pathsep.join([str(folder), os.environ["PATH"]])
        shown = ran(["bash", "-c", fences(text, "bash")[0]], INSTALL=str(installed.directory), PATH=path)
    file = next(each.got for each in evidence.found if each.what.startswith("file "))
    octal = subprocess.run(["od", "-c"], input=file, capture_output=True, text=True, check=True)
    assert octal.stdout in shown

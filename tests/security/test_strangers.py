"""Attacks that a stranger's scenario makes: each does harm without the loader, which refuses it before anything runs.

The folder of the test is the machine: workspaces lie four levels below it, and nothing of theirs may change it.
"""

import io
import shutil
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.cli import main as cli
from readfirst.harness.processes.sandbox import find_sandbox
from readfirst.harness.replay.replay import replay
from readfirst.harness.session import BrokenAdapter
from readfirst.harness.suite.reach import Reach
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.workspace.site import SitePool

GIVEN = "given: {files: {f.txt: x, sub/f.txt: x}}"
DEEP = "given: {files: {a/b/c/d/link.txt: {symlink: ../../../../made.txt}}}"


@dataclass(frozen=True)
class Attack:
    """`OUT` means the folder outside. `place` is where the finding is. `lands`: it does harm to the reference.

    `runs`: the harm is a command's or a hook's, which the walls around the shell keep it from.
    """

    steps: str
    rule: str = "call-outside-workspace"
    place: str = "6:"
    given: str = GIVEN
    lands: bool = True
    runs: bool = False


def bash(command: str, given: str = GIVEN, *, lands: bool = True) -> Attack:
    return Attack(f"  - Bash: {{command: {command!r}}}", "unsafe-command", "6:", given, lands, runs=True)


ATTACKS = {
    "a program after a parenthesis": bash("(echo touch OUT/made.txt)|sh"),
    "a program after a glued semicolon": bash("(true);touch OUT/made.txt"),
    "a target directory": bash("cp --target-directory=OUT f.txt"),
    "an output file": bash("sort --output=OUT/made.txt f.txt"),
    "a preprocessor": bash("rg --pre=OUT/program x f.txt", lands=shutil.which("rg") is not None),
    "a compressor": bash("sort --compress-program=OUT/program f.txt", lands=False),
    "a glob that climbs": bash("tee .[.]/.[.]/.[.]/.[.]/keep.txt"),
    "a moved link": bash("mv a/b/c/d/link.txt link.txt; echo hello > link.txt", DEEP),
    "a copied link": bash("cp -P a/b/c/d/link.txt link.txt; echo hello > link.txt", DEEP),
    "a moved folder of links": bash(
        "mv a/b/c/d e; echo hello > e/link.txt", DEEP.replace("../m", "../../m"), lands=False
    ),
    "a script of sed": bash("sed -n 'w OUT/made.txt' f.txt"),
    "a program that sed starts": bash("sed '1e touch OUT/made.txt' f.txt"),
    "an assignment before a program": bash("PATH=OUT program", lands=False),
    "a copied link, and a call": Attack(
        '  - Bash: {command: "cp -P a/b/c/d/link.txt link.txt"}\n  - Read: {file_path: $WS/link.txt}\n'
        "  - Write: {file_path: $WS/link.txt, content: x}",
        "unsafe-command",
        given=DEEP.replace("made.txt", "keep.txt"),
    ),
    "a hook that gives a command": Attack(
        '  - Bash: {command: "true"}',
        "unsafe-command",
        "4:",
        "given: {hooks: [{PreToolUse: Bash, input: {command: touch OUT/made.txt}}]}",
        runs=True,
    ),
    "a hook that gives a path": Attack(
        "  - Write: {file_path: $WS/f.txt, content: x}",
        place="4:",
        given="given: {hooks: [{PreToolUse: Write, input: {file_path: OUT/made.txt, content: x}}]}",
    ),
    "an absolute path": Attack("  - Write: {file_path: OUT/made.txt, content: x}"),
    "a path above home": Attack("  - Write: {file_path: ~/../../../made.txt, content: x}"),
    "a path above the workspace": Attack("  - Write: {file_path: $WS/../../../../made.txt, content: x}"),
    "a path that is trimmed": Attack('  - Write: {file_path: " OUT/made.txt", content: x}'),
    "several edits": Attack(
        "  - MultiEdit: {file_path: OUT/keep.txt, edits: [{old_string: kept, new_string: lost}]}", lands=False
    ),
    "a notebook": Attack("  - NotebookEdit: {notebook_path: OUT/keep.ipynb, new_source: x}", lands=False),
    "a path in an edit": Attack(
        "  - MultiEdit: {file_path: $WS/f.txt, edits: [{path: OUT/keep.txt, old_string: x, new_string: y}]}",
        lands=False,
    ),
    "a path by another name": Attack(
        "  - Write: {path: OUT/made.txt, file_path: $WS/a, content: x}", lands=False
    ),
    "a path as a name": Attack(
        "  - Write: {file_path: $WS/a, content: x, files: {OUT/made.txt: x}}", lands=False
    ),
    "a path in a group": Attack(
        "  - parallel:\n    - Write: {file_path: OUT/made.txt, content: x}\n    - Read: {file_path: $WS/f.txt}",
        place="7:",
    ),
    "a path of a sub-agent": Attack(
        "  - agent: {steps: [{Write: {file_path: OUT/made.txt, content: x}}]}", place="6:"
    ),
    "a link that an event makes through a link": Attack(
        "  - symlink: {a/b/c/d/l/x: ../../../..}\n  - Write: {file_path: $WS/x/made.txt, content: x}",
        "symlink-escapes",
        given="given: {files: {a/b/c/d/l: {symlink: $WS}}}",
    ),
    "a link that an event moves": Attack(
        "  - rename: {a/b/c/d: e}\n  - Write: {file_path: $WS/e/link.txt, content: x}",
        "symlink-escapes",
        place="4:",
        given="given: {files: {a/b/c/d/link.txt: {symlink: ../../../../made.txt}}}",
        lands=False,
    ),
    "a link in a folder whose name is like a way up": Attack(
        "  - Write: {file_path: $WS/m/made.txt, content: x}",
        "symlink-escapes",
        place="4:",
        given="given: {files: {a/\u2025/l: {symlink: OUT}, m: {symlink: a/\u2025/l}}}",
    ),
    "a link past which a path climbs": Attack(
        "  - Write: {file_path: $WS/d/up/../made.txt, content: x}",
        given="given: {files: {d/up: {symlink: $WS}}}",
        lands=False,
    ),
    "a hook for all tools that gives a command other words": Attack(
        '  - Bash: {command: "true"}',
        "unsafe-command",
        "4:",
        "given: {hooks: [{PreToolUse: '*', input: {cmd: touch made}}]}",
        lands=False,
    ),
    "a command as a list": Attack(
        "  - Bash: {command: [touch, OUT/made.txt]}", "unsafe-command", lands=False
    ),
    "a command with more arguments": Attack(
        "  - Bash: {command: 'true', cwd: OUT, run_in_background: true}", "unsafe-command", lands=False
    ),
    "settings of a shell at home": Attack(
        "  - Write: {file_path: ~/.bashrc, content: touch OUT/made.txt}\n  - Bash: {command: 'true'}",
        "unsafe-command",
        lands=False,
    ),
    "edits as text": Attack(
        '  - MultiEdit: {file_path: $WS/a, edits: "[{\\"path\\": \\"OUT/keep.txt\\"}]"}', lands=False
    ),
    "a mention of two files": Attack("  - mention: f.txt @OUT/keep.txt", "unsafe-path", lands=False),
    "a given file through a link": Attack(
        "  - Read: {file_path: $WS/f.txt}",
        "path-conflict",
        "4:",
        "given: {files: {a/L: {symlink: $WS}, a/l/x: {symlink: ../..}}}",
        lands=False,
    ),
    "a rule that allows more": Attack(
        "  - Write: {file_path: $WS/a, content: x}",
        place="4:",
        given="given: {mode: default, allow: [Edit(/OUT/**)]}",
        lands=False,
    ),
}


def suite_of(attack: Attack, folder: Path, scenario_id: str = "family/attack") -> Suite:
    root = folder / "suite"
    path = root / "scenarios" / f"{scenario_id}.yaml"
    path.parent.mkdir(parents=True)
    for name in ("contracts.yaml", "errors.yaml"):
        shutil.copyfile(default_root() / name, root / name)
    outside = folder / "outside"
    outside.mkdir()
    (outside / "program").write_text(f"#!/bin/sh\ntouch {outside}/made.txt\n")
    (outside / "program").chmod(0o755)
    for kept in (outside / "keep.txt", folder / "keep.txt"):
        kept.write_text("kept\n")
    head = "title: A stranger sends this\nrequirement: must\ntags: [a]\n"
    text = f"{head}{attack.given}\nsteps:\n{attack.steps}\n"
    path.write_text(text.replace("OUT", str(outside)), "utf-8")
    return Suite(root)


def harmed(folder: Path) -> bool:
    kept = [(folder / name).read_text() == "kept\n" for name in ("keep.txt", "outside/keep.txt")]
    return not all(kept) or any(
        (folder / name).exists() for name in ("made.txt", "outside/made.txt", "outside/f.txt")
    )


def unchecked(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Scenario:
    """Read the scenario with a loader that does not ask where it reaches."""
    with monkeypatch.context() as patch:
        for name in ("call", "arguments", "hook_input", "event", "rules", "finish"):
            patch.setattr(Reach, name, lambda *_, **__: None)
        return suite.scenario("family/attack", require_expect=False)


def play(scenario: Scenario, folder: Path, *, confined: bool) -> None:
    adapter = ReferenceAdapter("2.1.7", seconds=10, confined=confined)
    with SitePool(folder / "pool") as place:
        replay(scenario, adapter, place)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_loader_refuses_it_before_anything_runs(name: str, tmp_path: Path) -> None:
    attack = ATTACKS[name]
    suite = suite_of(attack, tmp_path)
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), pytest.raises(SystemExit) as ended:
        cli.main(["run", "reference", "--fixtures", str(suite.root)])
    file = suite.path("family/attack")
    assert ended.value.code == 4
    assert f"{file}:{attack.place}" in printed.getvalue()
    assert f"[{attack.rule}]" in printed.getvalue()
    assert not harmed(tmp_path)


@pytest.mark.parametrize("name", [name for name, attack in ATTACKS.items() if attack.lands])
def test_it_does_harm_where_nobody_refuses_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(unchecked(suite_of(ATTACKS[name], tmp_path), monkeypatch), tmp_path, confined=False)
    assert harmed(tmp_path)


@pytest.mark.parametrize("name", [name for name, attack in ATTACKS.items() if attack.lands and attack.runs])
def test_walls_keep_commands_from_it_where_the_system_has_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        find_sandbox()
    except BrokenAdapter:
        pytest.skip("this system cannot confine")
    play(unchecked(suite_of(ATTACKS[name], tmp_path), monkeypatch), tmp_path, confined=True)
    assert not harmed(tmp_path)

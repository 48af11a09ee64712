"""Each attack of an untrusted suite does harm with --trust, and none without it. tmp_path is the whole machine."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite, default_root
from tests.command_line import Cli, exit_code
from tests.small_suites import small_suite
from tests.supervision import without_bubblewrap

from .conftest import slow

pytestmark = pytest.mark.usefixtures("untrusted")
GIVEN = "given: {files: {f.txt: x, sub/f.txt: x}}"
LINKED = "given: {files: {f.txt: x, out: {symlink: OUT}, kept.txt: {symlink: OUT/keep.txt}}}"
"""OUT is replaced by a directory outside the workspace."""
WRITE = "Write: {{file_path: {}, content: x}}"


@dataclass(frozen=True)
class Attack:
    """Steps and files of a scenario. `OUT`: a directory outside. `checked`: the loader already refuses it."""

    steps: str
    given: str = GIVEN
    checked: bool = False


def bash(command: str, given: str = GIVEN, *, checked: bool = False) -> Attack:
    return Attack(f"  - Bash: {{command: {command!r}}}", given, checked)


ATTACKS = {
    "a program that is not listed": bash("python3 -c 1; sh OUT/program", checked=True),
    "a program that a listed one starts": bash("sed '1e OUT/program' f.txt"),
    "a file that a script of sed writes": bash("sed -n 'w OUT/made.txt' f.txt"),
    "an output file": bash("sort --output=OUT/made.txt f.txt"),
    "a target directory": bash("cp --target-directory=OUT f.txt"),
    "a redirection": bash("echo hello > OUT/made.txt"),
    "a program in the place of a text": bash('echo "$(sh OUT/program)"'),
    "a removed file": bash("rm OUT/keep.txt"),
    "a given link, and a command": bash("echo hello > out/made.txt", LINKED),
    "a given link, and a call": Attack(f"  - {WRITE.format('$WS/out/made.txt')}", LINKED),
    "a link to a file, and calls": Attack(
        f"  - Read: {{file_path: $WS/kept.txt}}\n  - {WRITE.format('$WS/kept.txt')}", LINKED
    ),
    "a link that an event makes": Attack(
        f"  - symlink: {{late: OUT}}\n  - {WRITE.format('$WS/late/made.txt')}"
    ),
    "a hook that gives a command": Attack(
        '  - Bash: {command: "true"}',
        "given: {hooks: [{PreToolUse: Bash, input: {command: echo x > OUT/made.txt}}]}",
    ),
    "a hook that gives a path": Attack(
        f"  - {WRITE.format('$WS/f.txt')}",
        "given: {hooks: [{PreToolUse: Write, input: {file_path: OUT/made.txt, content: x}}]}",
        checked=True,
    ),
    "a hook that writes through a link": Attack(
        "  - Read: {file_path: $WS/f.txt}",
        "given: {files: {f.txt: x, out: {symlink: OUT}},\n"
        "  hooks: [{PreToolUse: Read, modify: {out/made.txt: x}}]}",
    ),
    "an absolute path": Attack(f"  - {WRITE.format('OUT/made.txt')}", checked=True),
    "a sub-agent": Attack(f"  - agent: {{steps: [{{{WRITE.format('$WS/out/made.txt')}}}]}}", LINKED),
    "a group of calls": Attack(
        f"  - parallel:\n    - {WRITE.format('$WS/out/made.txt')}\n    - Read: {{file_path: $WS/f.txt}}",
        LINKED,
    ),
}
SANDBOXED_ATTACKS = [name for name, attack in ATTACKS.items() if not attack.checked]


def suite_of(attack: Attack, folder: Path) -> Path:
    """Write a suite with an attack, and return its directory."""
    outside = folder / "outside"
    outside.mkdir()
    (outside / "program").write_text(f"#!/bin/sh\necho >{outside}/made.txt\n")
    (outside / "program").chmod(0o755)
    (outside / "keep.txt").write_text("kept\n")
    head = "title: A stranger sends this\nrequirement: must\ntags: [a]\ninvariant: true\n"
    text = f"{head}{attack.given}\nsteps:\n{attack.steps}\n".replace("OUT", str(outside))
    return small_suite(folder / "suite", {"family/attack": text}).root


def is_harmed(folder: Path) -> bool:
    outside = folder / "outside"
    kept = outside / "keep.txt"
    return not kept.exists() or kept.read_text() != "kept\n" or len(list(outside.iterdir())) != 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_with_trust_it_does_harm(name: str, tmp_path: Path) -> None:
    """With --trust, each attack changes files outside the workspace. This shows that the attacks work."""
    root = suite_of(ATTACKS[name], tmp_path)
    assert exit_code("run", "reference", "--fixtures", root, "--trust") != 4
    assert is_harmed(tmp_path)


@pytest.mark.parametrize(
    "name", [slow(name) if at % 3 else name for at, name in enumerate(SANDBOXED_ATTACKS)]
)
def test_behind_the_wall_it_does_none(name: str, tmp_path: Path) -> None:
    """In the sandbox, no attack changes files outside the workspace."""
    root = suite_of(ATTACKS[name], tmp_path)
    assert exit_code("run", "reference", "--fixtures", root) != 4
    assert not is_harmed(tmp_path)


@pytest.mark.parametrize("name", sorted({*ATTACKS} - {*SANDBOXED_ATTACKS}))
def test_a_plain_mistake_is_refused(name: str, tmp_path: Path, readfirst: Cli) -> None:
    """An attack that the loader can recognize is refused before the run."""
    root = suite_of(ATTACKS[name], tmp_path)
    ended = readfirst("run", "reference", "--fixtures", root)
    assert ended.code == 4
    assert "[unsafe-command]" in ended.err or "[call-outside-workspace]" in ended.err
    assert readfirst("lint", "--fixtures", root, "family/attack").code == 4
    assert "outside" not in readfirst("lint", "--fixtures", root, "family/attack", "--trust").out
    assert not is_harmed(tmp_path)


@pytest.mark.parametrize("command", [("run",), ("fuzz", "reference", "--steps", "1"), ("run", "lines:true")])
def test_without_a_wall_a_suite_is_refused_with_the_two_ways_out(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readfirst: Cli
) -> None:
    """Without a sandbox, an untrusted suite is refused with two remedies: install bubblewrap, or add --trust."""
    root = suite_of(ATTACKS["a redirection"], tmp_path)
    without_bubblewrap(monkeypatch)
    ended = readfirst(*command, "--fixtures", root)
    assert ended.code == 4
    for words in ("bubblewrap is not installed", "apt-get install bubblewrap", "--trust"):
        assert words in ended.err
    assert not is_harmed(tmp_path)


def test_what_plays_a_suite_in_its_own_process_asks_for_trust(tmp_path: Path, readfirst: Cli) -> None:
    """A command that would run an untrusted suite in its own process requires --trust."""
    ended = readfirst("diagnose", "reference", "--fixtures", suite_of(ATTACKS["a redirection"], tmp_path))
    assert (ended.code, "Add --trust" in ended.err) == (4, True)


def test_listing_scenarios_and_running_a_recording_require_no_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readfirst: Cli
) -> None:
    root = suite_of(ATTACKS["a redirection"], tmp_path)
    without_bubblewrap(monkeypatch)
    assert readfirst("list", "--fixtures", root).code == 0
    assert "bubblewrap" not in readfirst("run", "recording:2.1.7", "--fixtures", root).err


PYTEST = """
import pytest, sys
sys.exit(pytest.main(["-p", "no:cacheprovider", "-p", "no:xdist", "-q", "-c", "/dev/null", *sys.argv[1:]]))
"""


@pytest.mark.slow
def test_pytest_has_the_same_option(tmp_path: Path) -> None:
    """The pytest plugin also has an option to trust a suite."""
    root = suite_of(ATTACKS["a redirection"], tmp_path)
    command = [sys.executable, "-P", "-c", PYTEST, str(root / "scenarios"), f"--rootdir={tmp_path}"]
    subprocess.run(command, capture_output=True, check=False, cwd=tmp_path)
    assert not is_harmed(tmp_path)
    subprocess.run([*command, "--readfirst-trust"], capture_output=True, check=False, cwd=tmp_path)
    assert is_harmed(tmp_path)


@pytest.mark.slow
def test_a_copy_of_the_bundled_suite_can_be_read(tmp_path: Path) -> None:
    """Also the scenarios about paths outside the workspace."""
    root = tmp_path / "fixtures"
    shutil.copytree(default_root(), root, ignore=shutil.ignore_patterns("recordings", "crossed"))
    suite = Suite(root)
    assert suite.needs_sandbox
    for family in ("paths", "permissions", "platforms", "gate", "commands"):
        for scenario_id in (each for each in suite.ids() if each.startswith(f"{family}/")):
            assert suite.scenario(scenario_id)
    for chosen in (("--family", "paths"), ("interrupted/killed-and-resumed", "interrupted/edit-killed")):
        assert exit_code("run", "reference", "--fixtures", root, *chosen, "-j", "1") == 0

"""Programs that run files of an untrusted suite, as some agents and servers do, start in the sandbox."""

import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import Adapter, Workspace
from readfirst.harness.agents.claude_code import adapter as claude_code
from readfirst.harness.processes.sandbox import SandboxUnavailableError
from readfirst.harness.run.connect import connect
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.targets import adapter as targets
from readfirst.observatory.targets import kind
from readfirst.observatory.targets.install import TargetEnvironment
from readfirst.observatory.targets.mapping import load_target
from tests.small_suites import small_suite
from tests.supervision import without_bubblewrap

pytestmark = pytest.mark.usefixtures("untrusted")

HERE = Path(__file__).parent
TESTS = HERE.parent
OBEDIENT = str(HERE / "obedient.py")
HEAD = """
title: A stand-in
home: https://example.org/
versions: {"1.0.0": {npm: ["stand-in@1.0.0"]}}
"""
AGENT = f"""{HEAD}
kind: agent
agent:
  wire: anthropic
  command: [$PYTHON, {OBEDIENT}, {TESTS}/agent/fake_agent.py, anthropic, $URL, $PROMPT]
  isolation: process
tools:
  Read: {{call: look, arguments: {{file_path: $file_path}}}}
  Write: {{call: look, arguments: {{file_path: $file_path}}}}
result:
  error: {{flag: true}}
  errors: {{not_read: ["{{any}}"]}}
capabilities: [Read, Write]
"""
SERVER = f"""{HEAD}
kind: mcp
mcp: {{command: [$PYTHON, {OBEDIENT}, -m, readfirst, serve, --root, $WS], isolation: directory}}
tools:
  Read: {{call: Read, arguments: {{file_path: $file_path}}}}
result:
  error: {{flag: true}}
capabilities: [Read]
"""


def product(suite: Suite, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Adapter:
    """Open the adapter of the real product, with a substitute in its place."""
    words = (sys.executable, OBEDIENT, str(TESTS / "agent" / "fake_agent.py"), "product")
    monkeypatch.setattr(claude_code, "install", lambda _: words)
    return connect("claude-code:2.1.7", suite)


def install_stand_in(mapping: str, suite: Suite, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Adapter:
    """Open the adapter of a target with this mapping. The program obedient.py takes the place of the target."""
    (folder / "stand-in.yaml").write_text(mapping)
    target = load_target(folder / "stand-in.yaml")
    monkeypatch.setattr(kind, "find_target", lambda _: target)
    monkeypatch.setattr(targets, "install", lambda *_: TargetEnvironment(HERE, sys.executable))
    return connect("target:stand-in@1.0.0", suite)


def mine(suite: Suite, _folder: Path, _monkeypatch: pytest.MonkeyPatch) -> Adapter:
    return connect(f"mcp:{sys.executable} {OBEDIENT} -m readfirst serve --root $WS", suite)


OPENED = [product, partial(install_stand_in, AGENT), partial(install_stand_in, SERVER), mine]


def start(opened: Callable[..., Adapter], suite: Suite, folder: Path, patch: pytest.MonkeyPatch) -> bool:
    """Start a program whose file `settings` writes outside its directory. Return whether it was written."""
    root, made = folder / "site" / "s" / "w", folder / "made.txt"
    for path in (root, folder / "site" / "h"):
        path.mkdir(parents=True)
    (root / "settings").write_text(f"echo here >here.txt; echo made >{made}")
    adapter = opened(suite, folder, patch)
    with closing(adapter.traits):
        adapter.open(Workspace(root, folder / "site" / "h", isolated=True, relative=True)).close()
    assert (root / "here.txt").is_file()
    return made.exists()


@pytest.mark.parametrize("opened", OPENED, ids=["product", "agent", "server", "mine"])
def test_what_is_in_a_stranger_s_files_reaches_nothing_outside(
    opened: Callable[..., Adapter], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that runs files of an untrusted suite cannot write outside its directory."""
    assert not start(opened, small_suite(tmp_path / "suite"), tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("opened", OPENED, ids=["product", "agent", "server", "mine"])
@pytest.mark.parametrize("way", ["bundled", "trusted"])
def test_a_program_that_runs_files_of_a_trusted_suite_can_write_outside_its_directory(
    opened: Callable[..., Adapter], way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = Suite() if way == "bundled" else Suite(small_suite(tmp_path / "suite").root, trust=True)
    assert start(opened, suite, tmp_path, monkeypatch)


@pytest.mark.parametrize("opened", OPENED, ids=["product", "agent", "server", "mine"])
def test_without_a_sandbox_no_program_is_started_for_an_untrusted_suite(
    opened: Callable[..., Adapter], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_bubblewrap(monkeypatch)
    with pytest.raises(
        SandboxUnavailableError, match=r"bubblewrap is not installed.*apt-get install.*add --trust"
    ):
        opened(small_suite(tmp_path / "suite"), tmp_path, monkeypatch)

"""Programs that start among the files of a stranger's suite, and run what is in them, are shut in."""

import shutil
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from readfirst.harness.adapters.command import Command
from readfirst.harness.agents.claude_code import adapter as claude_code
from readfirst.harness.agents.claude_code.package import InstalledPackage
from readfirst.harness.processes import sandbox
from readfirst.harness.processes.sandbox import find_sandbox
from readfirst.harness.run.connect import ConnectError, connect
from readfirst.harness.session import Adapter, BrokenAdapter, Workspace
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.observatory.targets import adapter as targets
from readfirst.observatory.targets import kind
from readfirst.observatory.targets.install import Installed
from readfirst.observatory.targets.mapping import load_target
from tests.command_line import exit_code
from tests.rows import rows

HERE = Path(__file__).parent
TESTS = HERE.parent
OBEDIENT = str(HERE / "obedient.py")
AGENT = f"""
title: A stand-in
home: https://example.org/
kind: agent
versions: {{"1.0.0": {{npm: ["stand-in@1.0.0"]}}}}
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
SERVER = f"""
title: A stand-in
home: https://example.org/
kind: mcp
versions: {{"1.0.0": {{npm: ["stand-in@1.0.0"]}}}}
mcp: {{command: [$PYTHON, {OBEDIENT}, -m, readfirst, serve, --root, $WS], isolation: directory}}
tools:
  Read: {{call: Read, arguments: {{file_path: $file_path}}}}
result:
  error: {{flag: true}}
capabilities: [Read]
"""


def product(suite: Suite, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Adapter:
    words = (sys.executable, OBEDIENT, str(TESTS / "agent" / "fake_agent.py"), "product")
    monkeypatch.setattr(claude_code, "install", lambda *_: InstalledPackage("2.1.7", folder, words))
    return connect("claude-code:2.1.7", suite)


def agent(suite: Suite, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Adapter:
    return installed(AGENT, suite, folder, monkeypatch)


def server(suite: Suite, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Adapter:
    return installed(SERVER, suite, folder, monkeypatch)


def installed(mapping: str, suite: Suite, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Adapter:
    (folder / "stand-in.yaml").write_text(mapping)
    target = load_target(folder / "stand-in.yaml")
    monkeypatch.setattr(kind, "find_target", lambda _: target)
    monkeypatch.setattr(targets, "install", lambda *_: Installed(HERE, sys.executable))
    return connect("target:stand-in@1.0.0", suite)


def start(
    opened: Callable[..., Adapter], folder: Path, monkeypatch: pytest.MonkeyPatch, *, ours: bool
) -> bool:
    """Start the program where the files tell it to do harm; return whether it has done so."""
    suite = Suite(copies_bundled=ours)
    suite.bundled = ours
    root, made = folder / "site" / "s" / "w", folder / "made.txt"
    for path in (root, folder / "site" / "h"):
        path.mkdir(parents=True)
    (root / "settings").write_text(f"echo here >here.txt; echo made >{made}")
    adapter = opened(suite, folder, monkeypatch)
    with closing(adapter.traits):
        adapter.open(Workspace(root, folder / "site" / "h", isolated=True, relative=True)).close()
    assert (root / "here.txt").is_file()
    return made.exists()


@pytest.mark.parametrize("opened", [product, agent, server])
def test_what_is_in_a_stranger_s_files_reaches_nothing_outside(
    opened: Callable[..., Adapter], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        find_sandbox(quiet=True)
    except BrokenAdapter:
        pytest.skip("this system cannot confine")
    assert not start(opened, tmp_path, monkeypatch, ours=False)


@pytest.mark.parametrize("opened", [product, agent, server])
def test_of_the_bundled_suite_it_would_reach_it(
    opened: Callable[..., Adapter], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert start(opened, tmp_path, monkeypatch, ours=True)


def test_where_the_system_cannot_confine_a_warning_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sandbox, "_problem", lambda: "no namespaces")
    assert start(agent, tmp_path, monkeypatch, ours=False)
    assert "what runs among the files of this suite is unconfined" in caplog.text


SCENARIO = """title: A stranger sends this
requirement: must
tags: [a]
given: {files: {json.py: "open('/tmp/../MADE', 'w')"}}
steps:
  - Read: {file_path: $WS/json.py}
    expect: {text: z}
"""


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A suite whose scenario gives a module that a server imports, if it looks where it starts."""
    root = tmp_path / "suite"
    (root / "scenarios" / "a").mkdir(parents=True)
    for name in ("contracts.yaml", "errors.yaml"):
        shutil.copyfile(default_root() / name, root / name)
    text = SCENARIO.replace("/tmp/../MADE", f"{tmp_path}/made.txt")
    (root / "scenarios" / "a" / "b.yaml").write_text(text)
    return root


@pytest.mark.parametrize("is_recognised", [True, False])
def test_a_server_that_is_a_module_imports_nothing_from_a_stranger_s_files(
    is_recognised: bool, stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_recognised:
        monkeypatch.setattr(Command, "is_a_module", False)
    exit_code("run", f"mcp:{sys.executable} -m readfirst serve --root $WS", "--fixtures", stranger)
    assert (tmp_path / "made.txt").exists() is not is_recognised


@pytest.mark.parametrize("words", ["npx -y server", "env A=1 npx server", "uv run server.py", "bun x.ts"])
def test_no_server_is_started_by_what_runs_the_files_of_a_folder(
    words: str, stranger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, **_: f"/usr/bin/{name}")
    with pytest.raises(ConnectError, match=r"runs what is in the folder where it starts.*add --confine"):
        connect(f"mcp:{words}", Suite(stranger))


@rows(
    ("words", "expected"),
    [
        ("python3 -m x", True),
        ("env A=1 /usr/bin/python3.12 -um x", True),
        ("uv run python -c x", True),
        ("python3 server.py", False),
        ("node -m x", False),
    ],
)
def test_a_module_that_python_runs_is_recognised(words: str, expected: bool) -> None:
    assert Command(tuple(words.split()), Path()).is_a_module is expected

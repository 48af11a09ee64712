"""npm runs with a time limit, and its failures are reported."""

import shutil
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.agents.npm import npm


def put_npm(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    program = folder / "npm"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(program))


def test_output_and_exit_code_of_npm_are_returned(monkeypatch, tmp_path: Path) -> None:
    put_npm(monkeypatch, tmp_path, 'printf "%s|" "$@"; echo "last words" >&2; exit 3')
    done = npm(["view", "a b"], about="a", needed="it is asked", seconds=20)
    assert (done.stdout, done.stderr, done.returncode) == ("view|a b|", "last words\n", 3)


def test_a_missing_npm_is_reported_with_its_purpose(monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(AdapterError, match=r"^npm is not installed; it is asked$") as caught:
        npm(["view"], about="a", needed="it is asked", seconds=20)
    assert caught.value.blame == "environment"


def test_a_slow_npm_is_ended(monkeypatch, tmp_path: Path) -> None:
    put_npm(monkeypatch, tmp_path, "exec sleep 600")
    with pytest.raises(AdapterError, match=r"^npm took more than 0 s for a package$") as caught:
        npm(["view"], about="a package", needed="it is asked", seconds=0)
    assert caught.value.blame == "environment"

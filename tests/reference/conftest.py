import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from readfirst.reference_impl import FileTools


class MakeTools(Protocol):
    def __call__(self, contract: str = "2.1.7", *, deny: tuple[str, ...] = ()) -> FileTools: ...


@pytest.fixture
def make_tools(tmp_path: Path) -> MakeTools:
    """Opens a session in `tmp_path/project`. The home directory is `tmp_path/home`."""
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    home.mkdir()

    def make(contract: str = "2.1.7", *, deny: tuple[str, ...] = ()) -> FileTools:
        return FileTools(contract, root=root, home=home, deny=deny)

    return make


@pytest.fixture
def root(tmp_path: Path, make_tools: MakeTools) -> Path:
    return tmp_path / "project"


@pytest.fixture
def tools(make_tools: MakeTools) -> FileTools:
    return make_tools()


@pytest.fixture
def put(root: Path) -> Callable[..., Path]:
    """A function that writes a file with a time in the past, plus `later` seconds."""

    def write(name: str, content: str | bytes = "alpha\nbeta\n", *, later: float = 0) -> Path:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        time = 1_000_000_000 + later
        os.utime(path, (time, time))
        return path

    return write

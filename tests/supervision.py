"""A supervisor on a system that lacks something: copies of its program with a few words changed."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from readfirst.harness.processes import child, confine, footing, supervisor

__all__ = ["AS_A_USER", "NO_NAMESPACES", "NO_SUBREAPER", "NO_WAY_INTO_A_NAMESPACE", "altered_supervisor"]

NO_NAMESPACES = {'if not hasattr(libc, "unshare"):': "if True:"}
AS_A_USER = {"if not as_a_user and libc.unshare(flags) == 0:": "if False:"}
"""What needs the rights of root is not tried."""
NO_WAY_INTO_A_NAMESPACE = AS_A_USER | {'open(f"/proc/self/{name}"': 'open(f"/proc/self/no-{name}"'}
NO_SUBREAPER = {'return hasattr(libc, "prctl") and': "return False and"}


def altered_supervisor(folder: Path, monkeypatch: pytest.MonkeyPatch, changes: Mapping[str, str]) -> None:
    """Let every program that is started from now on have a supervisor with these changes."""
    for original in (Path(str(each.__file__)) for each in (supervisor, confine, footing)):
        copy = folder / "readfirst" / "harness" / original.parent.name / original.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        for package in copy.parents[:3]:
            (package / "__init__.py").touch()
        source = original.read_text()
        if original.name == "supervisor.py":
            for old, new in changes.items():
                assert old in source
                source = source.replace(old, new)
        copy.write_text(source)
    monkeypatch.setattr(child, "SUPERVISOR", folder / "readfirst" / "harness" / "processes" / "supervisor.py")
    monkeypatch.setattr(child, "_warned", set())

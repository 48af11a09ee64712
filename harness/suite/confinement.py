"""Confinement: the paths that a scenario gives, changes and expects are relative, plain and inside the workspace."""

from collections.abc import Mapping
from types import MappingProxyType

from readfirst.harness.source.inspection import Node

_MOST_COMPONENT_BYTES = 255
_MOST_PATH_BYTES = 1024


def path_problem(path: str) -> str | None:
    """Say why `path` cannot be a path of a workspace; None if it can.

    A path is relative, separated by `/`, without empty, `.` and `..` parts, not too long.
    """
    if not path:
        return "is empty"
    if path.startswith("/"):
        return "is absolute"
    if path.startswith("$WS"):
        return "begins with $WS, which is for arguments and texts"
    if "\\" in path:
        return "holds a backslash"
    if "\0" in path:
        return "contains a NUL character"
    if not path.isascii() and any("\ud800" <= character <= "\udfff" for character in path):
        return "contains half a character (an unpaired surrogate)"
    parts = path.split("/")
    if ".." in parts:
        return "leaves the workspace with '..'"
    if "" in parts or "." in parts:
        return "has an empty or '.' part"
    size = len(path.encode())
    if size > _MOST_COMPONENT_BYTES:
        if size > _MOST_PATH_BYTES:
            return f"is longer than {_MOST_PATH_BYTES} bytes"
        if any(len(part.encode()) > _MOST_COMPONENT_BYTES for part in parts):
            return f"has a part longer than {_MOST_COMPONENT_BYTES} bytes"
    return None


def is_safe(node: Node, path: object, *, key: bool = False) -> bool:
    """Whether `path`, the value or its key, is a path of the workspace; if not, a finding says why."""
    if not isinstance(path, str):
        node.called("a path").string()
        return False
    problem = path_problem(path)
    if problem is None:
        return True
    fix = "Write it relative to the workspace, with / between the parts: src/notes.txt."
    node.note(f"the path {path[:80]!r} {problem}", fix, rule="unsafe-path", key=key)
    return False


OUTSIDE: Mapping[str, str] = MappingProxyType(
    {
        "gate/unread-under-suspicious-names": "a name of three dots, which is no way up",
        "paths/device-path": "a drive that Linux does not have, and a file that no machine has",
        "paths/drive-letter": "a drive that Linux does not have, and a file that no machine has",
        "paths/drive-letter-alone": "a drive that Linux does not have, and a file that no machine has",
        "paths/drive-letter-and-slash": "a drive that Linux does not have, and a file that no machine has",
        "paths/drive-letter-write": "a drive that Linux does not have, on Linux alone",
        "paths/environment-variable": "a variable in a path is not expanded",
        "paths/file-uri": "an address is no path",
        "paths/longer-than-the-system-takes-absolute": "a path that no machine has, being too long",
        "paths/missing-absolute-root": "a file that no machine has, beside the root",
        "paths/network-path": "a machine that nobody has",
        "paths/root-of-the-drive": "a file that no machine has, beside the root",
        "paths/tilde-user-read": "the home of another user, where no machine has this file",
        "paths/tilde-user-write": "the home of another user, which nobody has",
        "paths/workspace-with-a-backslash": "a file that no machine has, beside the workspace",
        "permissions/root-as-a-whole-edit": "a rule for the whole file system, and a folder that no machine has",
        "permissions/root-as-a-whole-read": "a rule for the whole file system, and a folder that no machine has",
        "permissions/root-rule-for-one-file": "a rule that is anchored at the root",
        "permissions/root-rule-for-one-name": "a rule that is anchored at the root, and a folder that no machine has",
        "permissions/rule-for-everything-and-what-is-outside": "a folder that no machine has",
        "platforms/windows-device-path-and-change": "a device path of Windows that leads into the workspace",
        "platforms/windows-device-path-with-a-dot-and-change": "a device path of Windows that leads into the workspace",
        "platforms/windows-device-path-with-slashes-and-change": "the same with slashes",
        "platforms/windows-device-path-of-a-machine": "a machine that nobody has",
        "platforms/windows-drive-and-change": "the workspace with a backslash after it, on Windows alone",
        "platforms/windows-network-path": "a machine that nobody has",
        "platforms/windows-network-path-with-slashes": "a machine that nobody has",
        "platforms/windows-stream-and-change": "a name that Windows gives a file's own content",
        "platforms/windows-stream-of-the-file": "a name that Windows gives a file's own content",
        "platforms/windows-way-up": "a way up with backslashes, on Windows alone",
    }
)
"""Their ids, each with what it names. No other suite has any, whatever ids it uses."""

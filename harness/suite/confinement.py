"""Confinement: no path of a scenario, and no symbolic link in it, may lead out of the workspace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath

__all__ = ["Links", "call_leaves", "is_safe", "note_escaping", "path_problem"]

_MOST_COMPONENT_BYTES = 255
_MOST_PATH_BYTES = 1024
_MOST_HOPS = 40


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


def call_leaves(path: str) -> bool:
    """Whether a path argument of a call names a place outside the workspace, taken literally.

    `~` is inside: the session's home belongs to the harness.
    """
    if path.startswith("$WS"):
        rest = path[3:]
        if rest and not rest.startswith("/"):
            return True
        path = rest.lstrip("/")
    elif path.startswith("/"):
        return True
    depth = 0
    for part in path.split("/"):
        if part == "..":
            depth -= 1
        elif part not in ("", "."):
            depth += 1
        if depth < 0:
            return True
    return False


class Links:
    """The symbolic links that a scenario has made so far, to see where they lead."""

    def __init__(self) -> None:
        self._targets: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._targets)

    def add(self, path: str, target: str) -> None:
        """Take note of a link."""
        self._targets[path] = target

    def delete(self, path: str) -> None:
        """Forget the link at `path` and all below it."""
        for link in list(self._at_or_below(path)):
            del self._targets[link]

    def rename(self, old: str, new: str) -> None:
        """Move the link at `old` and all below it."""
        moved = {new + link[len(old) :]: self._targets[link] for link in self._at_or_below(old)}
        self.delete(new)
        self.delete(old)
        self._targets.update(moved)

    def target(self, path: str) -> str | None:
        """Return the target of the link at `path`."""
        return self._targets.get(path)

    def escaping(self) -> Iterator[str]:
        """Yield every link that leads out of the workspace, directly or by way of another link."""
        for path in self._targets:
            if self._leaves(path):
                yield path

    def through(self, path: str) -> str | None:
        """Return the link that `path` passes on its way, None if its folders are real."""
        parts = path.split("/")
        for end in range(1, len(parts)):
            above = "/".join(parts[:end])
            if above in self._targets:
                return above
        return None

    def _at_or_below(self, path: str) -> Iterator[str]:
        below = path + "/"
        return (link for link in self._targets if link == path or link.startswith(below))

    def _leaves(self, path: str) -> bool:
        """Walk as the system does: one part after the other, from where each link stands."""
        place: list[str] = []
        pending = path.split("/")[::-1]
        hops = 0
        while pending:
            part = pending.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not place:
                    return True
                place.pop()
                continue
            place.append(part)
            target = self._targets.get("/".join(place))
            if target is None:
                continue
            hops += 1
            if hops > _MOST_HOPS:
                continue  # a loop: the system refuses it; what follows must stay inside all the same
            if target == "$WS" or target.startswith("$WS/"):
                place = []
                target = target[3:]
            elif target.startswith(("/", "$WS")):
                return True
            else:
                place.pop()
            pending.extend(target.split("/")[::-1])
        return False


def is_safe(look: Inspection, path: object, place: YamlPath, *, key: bool = False) -> bool:
    """Whether `path` is a path of the workspace; if not, a finding says why."""
    if not isinstance(path, str):
        look.string(path, place, "a path")
        return False
    problem = path_problem(path)
    if problem is None:
        return True
    fix = "Write it relative to the workspace, with / between the parts: src/notes.txt."
    look.note(place, f"the path {path[:80]!r} {problem}", fix, rule="unsafe-path", key=key)
    return False


def note_escaping(
    look: Inspection, links: Links, places: Mapping[str, YamlPath], otherwise: YamlPath
) -> None:
    """Note every link that leads out as things stand, and forget it, so that it is noted once."""
    if not links:
        return
    for link in list(links.escaping()):
        message = f"the symbolic link {link!r} leads out of the workspace"
        fix = "Let its target begin with $WS/, or be relative and stay inside."
        look.note(places.get(link, otherwise), message, fix, rule="symlink-escapes")
        links.delete(link)

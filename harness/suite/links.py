"""Links: every symbolic link that a scenario makes at any time, and where paths may lead by way of them."""

import unicodedata
from collections.abc import Iterator

from readfirst.harness.suite.spelling import is_passed_over

_MOST_STEPS = 500
_MOST_LINKS = 1000


class Links:
    """No link is ever forgotten, and each may or may not be there: what is found to stay inside does so at any time.

    Names that a file system may take for the same, in other letter case, another Unicode form or with what nobody
    sees, are the same here.
    """

    def __init__(self) -> None:
        self._targets: dict[tuple[str, ...], set[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._targets)

    def add(self, path: str, target: str) -> None:
        """Take note of a link."""
        self._targets.setdefault(_parts(path), set()).add(target)

    def rename(self, old: str, new: str) -> None:
        """Take note that the link at `old`, and all below it, may be at `new` now."""
        was, becomes = _parts(old), _parts(new)
        if len(self._targets) > _MOST_LINKS:  # each rename may double them; where they are is not known then
            self.add(new, "/")
            return
        for place, targets in list(self._targets.items()):
            if place[: len(was)] == was:
                self._targets.setdefault((*becomes, *place[len(was) :]), set()).update(targets)

    def escaping(self) -> Iterator[str]:
        """Yield every link that may lead out of the workspace, directly or by way of another link."""
        for place in self._targets:
            path = "/".join(place)
            if self.leaves(path):
                yield path

    def passed_by(self, path: str) -> bool:
        """Whether a folder of `path` may be a link."""
        parts = _parts(path)
        return any(parts[:end] in self._targets for end in range(1, len(parts)))

    def leaves(self, path: str, directory: str = "") -> bool:
        """Whether `path`, relative to a folder of the workspace, may lead out of it.

        Walks as the system does, one part after the other, and where a link may be, both by it and past it.
        """
        parts = tuple(_fold(part) for part in (*directory.split("/"), *path.split("/")))
        pending: list[tuple[tuple[str, ...], tuple[str, ...]]] = [((), parts)]
        seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        while pending:
            state = pending.pop()
            if state in seen:
                continue
            seen.add(state)
            if len(seen) > _MOST_STEPS:
                return True
            place, parts = state
            if not parts:
                continue
            part, rest = parts[0], parts[1:]
            if part in ("", "."):
                pending.append((place, rest))
            elif part == "..":
                if not place:
                    return True
                pending.append((place[:-1], rest))
            else:
                there = (*place, part)
                pending.append((there, rest))
                for target in self._targets.get(there, ()):
                    if target != "$WS" and not target.startswith("$WS/"):
                        if target.startswith("/") or "$WS" in target:
                            return True
                        pending.append((place, (*map(_fold, target.split("/")), *rest)))
                    elif "$WS" in target[3:]:
                        return True
                    else:
                        pending.append(((), (*map(_fold, target[3:].split("/")), *rest)))
        return False


def _parts(path: str) -> tuple[str, ...]:
    return tuple(_fold(part) for part in path.split("/"))


def _fold(part: str) -> str:
    """Return what is equal for names that may be the same; nothing is made of it that is several, or no name."""
    if part.isascii():
        return part.lower()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", part).casefold())
    folded = "".join(each for each in folded if not is_passed_over(each))
    return part if "/" in folded or folded in ("", ".", "..") else folded

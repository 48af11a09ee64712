"""Published: which versions npm has of the product, and which of those that a search installs stay installed."""

import json
import re
from pathlib import Path

from packaging.version import Version

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.agents.claude_code.install import PACKAGE, REFUSED_VERSIONS, installed, uninstall
from readfirst.harness.agents.npm import npm

_EXACT = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_SECONDS = 60


def published(package: str = PACKAGE) -> tuple[str, ...]:
    """Return every version that can be installed, oldest first; pre-releases and refused versions are left out.

    Raises BrokenAdapter (blame environment) where npm or its registry cannot be reached.
    """
    versions = _asked(package, "versions")
    # npm shortens a list of one.
    found = versions if isinstance(versions, list) else [versions]
    exact = {str(version) for version in found if _EXACT.fullmatch(str(version))} - REFUSED_VERSIONS
    return tuple(sorted(exact, key=Version))


def newest(package: str = PACKAGE) -> str:
    """Return the version with the npm tag `latest`. Raises BrokenAdapter."""
    return str(_asked(package, "dist-tags.latest"))


def _asked(package: str, field: str) -> object:
    arguments = ["view", "--json", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", package, field]
    done = npm(arguments, about=package, needed="it lists what is published", seconds=_SECONDS)
    try:
        if done.returncode == 0:
            answer: object = json.loads(done.stdout)
            return answer
    except ValueError:
        pass
    raise BrokenAdapter(
        f"npm does not report the {field} of {package}", blame="environment", details=done.stderr[-2000:]
    )


class KeptVersions:
    """Keeps at most `most` of the versions used, the latest; None: all. What was there before is never removed."""

    def __init__(self, most: int | None = None, cache: Path | None = None) -> None:
        self._most = most
        self._cache = cache
        self._there = installed(cache)
        self._ours: list[str] = []

    def make_room(self, version: str) -> None:
        """Uninstall the oldest versions until there is room for this one."""
        if version in self._there:
            return
        if version in self._ours:
            self._ours.remove(version)
        while self._most is not None and len(self._ours) >= self._most:
            uninstall(self._ours.pop(0), self._cache)
        self._ours.append(version)

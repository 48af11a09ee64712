"""List the published versions of the product, and limit the number of installed versions."""

import re
import shutil

from packaging.version import Version

from readfirst.harness.agents.claude_code.install import PACKAGE, REFUSED_VERSIONS, cache_root
from readfirst.harness.agents.npm import query_npm
from readfirst.harness.processes.install_lock import installing

_RELEASE_PATTERN = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")


def published_versions(package: str = PACKAGE) -> tuple[str, ...]:
    """Return the published versions that readfirst accepts, oldest first. Raises AdapterError (blame `environment`)."""
    answer = query_npm(package, "versions")
    # npm returns a single version as a string, not as a list.
    versions = {*map(str, answer if isinstance(answer, list) else [answer])}
    releases = filter(_RELEASE_PATTERN.fullmatch, versions - REFUSED_VERSIONS)
    return tuple(sorted(releases, key=Version))


def installed_versions() -> frozenset[str]:
    """Return the versions of the product that are installed in the cache."""
    root = cache_root()
    return frozenset(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else frozenset()


class InstalledVersions:
    """Uninstalls the least recently used version if this process has installed more than `maximum` (None: no limit)."""

    def __init__(self, maximum: int | None = None) -> None:
        self._maximum = maximum
        self._installed_before = installed_versions()
        self._installed_here: list[str] = []

    def make_room(self, version: str) -> None:
        """Uninstall versions until `version` can be installed without exceeding the limit."""
        if version in self._installed_before:
            return
        if version in self._installed_here:
            self._installed_here.remove(version)
        while self._maximum is not None and len(self._installed_here) >= self._maximum:
            removed = cache_root() / self._installed_here.pop(0)
            with installing(removed):
                shutil.rmtree(removed, ignore_errors=True)
        self._installed_here.append(version)

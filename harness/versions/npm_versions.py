"""Ask npm for the published versions of the product, and limit the number of installed versions."""

import json
import re

from packaging.version import Version

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.agents.claude_code.install import (
    PACKAGE,
    REFUSED_VERSIONS,
    installed_versions,
    uninstall,
)
from readfirst.harness.agents.npm import npm

_RELEASE_PATTERN = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_NPM_TIMEOUT_S = 60


def published_versions(package: str = PACKAGE) -> tuple[str, ...]:
    """Return all published versions, oldest first, without pre-releases and versions that readfirst refuses. Raises
    AdapterError (blame `environment`) if npm or its registry cannot be reached.
    """
    answer = _query_npm(package, "versions")
    # npm returns a single version as a string, not as a list.
    versions = {*map(str, answer if isinstance(answer, list) else [answer])}
    releases = filter(_RELEASE_PATTERN.fullmatch, versions - REFUSED_VERSIONS)
    return tuple(sorted(releases, key=Version))


def newest(package: str = PACKAGE) -> str:
    """Return the version that npm marks as `latest`. Raises AdapterError."""
    return str(_query_npm(package, "dist-tags.latest"))


def _query_npm(package: str, field: str) -> object:
    arguments = ["view", "--json", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", package, field]
    done = npm(arguments, about=package, needed="it lists what is published", seconds=_NPM_TIMEOUT_S)
    try:
        if done.returncode == 0:
            answer: object = json.loads(done.stdout)
            return answer
    except ValueError:
        pass
    raise AdapterError(
        f"npm does not report the {field} of {package}", blame="environment", details=done.stderr[-2000:]
    )


class InstalledVersions:
    """Limits the number of versions that are installed at the same time to `maximum` (None: no limit). If there are
    more, the least recently used version is uninstalled. Versions that were installed before are never uninstalled.
    """

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
            uninstall(self._installed_here.pop(0))
        self._installed_here.append(version)

"""Registry: which versions of a package are published, according to npm."""

from __future__ import annotations

import json
import re

from packaging.version import Version

from readfirst.harness.agents.claude_code.package import PACKAGE, REFUSED_VERSIONS
from readfirst.harness.agents.npm import npm
from readfirst.harness.session import BrokenAdapter

__all__ = ["newest", "published"]

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
    """Return the version that the tag `latest` stands for. Raises BrokenAdapter."""
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

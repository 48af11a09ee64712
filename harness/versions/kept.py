"""Kept versions: which of the versions that a search installs stay installed."""

from __future__ import annotations

from pathlib import Path

from readfirst.harness.agents.claude_code.package import installed, uninstall

__all__ = ["KeptVersions"]


class KeptVersions:
    """Keeps at most `most` of the versions used, the latest; None: all. What was there before is never removed."""

    def __init__(self, most: int | None = None, cache: Path | None = None) -> None:
        self._most = most
        self._cache = cache
        self._there = installed(cache)
        self._ours: list[str] = []

    def make_room(self, version: str) -> None:
        """Free what is too much before this version is installed."""
        if version in self._there:
            return
        if version in self._ours:
            self._ours.remove(version)
        while self._most is not None and len(self._ours) >= self._most:
            uninstall(self._ours.pop(0), self._cache)
        self._ours.append(version)

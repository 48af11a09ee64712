"""Find extensions: objects that other packages add to readfirst by entry points. The groups are `readfirst.kinds`
(`harness.run.kinds.Kind`), `readfirst.checks` (`harness.lint.check.Check`), `readfirst.commands`
(`harness.cli.commands.Commands`) and `readfirst.caches` (a function that returns a directory).
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any


@cache
def _entry_points() -> Mapping[str, Mapping[str, EntryPoint]]:
    """Return the entry points by group and name. Cached, because the search is slow."""
    installed = entry_points()
    return {
        group: {entry_point.name: entry_point for entry_point in installed.select(group=f"readfirst.{group}")}
        for group in ("kinds", "checks", "commands", "caches")
    }


def names(group: str) -> tuple[str, ...]:
    """Return the names of all extensions in a group, sorted. No extension is imported."""
    return tuple(sorted(_entry_points()[group]))


@cache
def extension(group: str, name: str) -> Any:
    """Import an extension of a group, and return its object. Raises KeyError for an unknown name."""
    return _entry_points()[group][name].load()


def extensions(group: str) -> dict[str, Any]:
    """Import all extensions of a group, and return their objects. The keys are the names of the extensions."""
    return {name: extension(group, name) for name in names(group)}

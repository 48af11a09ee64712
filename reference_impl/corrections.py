"""Corrections: arguments under the names of another editor, which a tool takes for its own, and tells so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Corrections"]


@dataclass(frozen=True, slots=True)
class Corrections:
    """What becomes of arguments that the tool has none of.

    `names` are other names of its parameters. `dropped` are names that mean nothing to it, each with the only value
    that may be dropped, or None for any. `repeated`: another name may stand beside the parameter's own, with its value.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, str | None] = field(default_factory=dict)
    repeated: bool = False

    def applied(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments as they were meant; what contradicts another one stays as it is."""
        meant: dict[str, Any] = {}
        for given, value in arguments.items():
            name = self.names.get(given, given)
            if name != given and name in arguments and not (self.repeated and arguments[name] == value):
                name = given
            if not self._is_dropped(given, value):
                meant[name] = value
        return meant

    def remarks(self, arguments: Mapping[str, Any]) -> list[str]:
        """Return what there is to tell of arguments that were corrected."""
        renamed = [
            f"`{other}` repeated `{name}` and was ignored."
            if name in arguments
            else f"`{other}` was read as `{name}`."
            for other, name in self.names.items()
            if other in arguments
        ]
        return renamed + [f"`{name}` was ignored." for name in self.dropped if name in arguments]

    def _is_dropped(self, name: str, value: Any) -> bool:
        return name in self.dropped and self.dropped[name] in (None, value)

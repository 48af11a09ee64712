"""All values that a behaviour of the reference had in any version, or has in the documents."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from readfirst.harness.suite.contracts import DOCUMENTED
from readfirst.reference_impl import Behaviours, behaviours_of
from readfirst.reference_impl.behaviours.versioned import ByModel
from readfirst.reference_impl.behaviours_by_version import FIRST_VERSION, behaviour_histories

_RELAXED_SINCE = (2, 1, 208)
_GATED = "+gated"


@dataclass(frozen=True, slots=True)
class BehaviourChange:
    """A behaviour of the reference with a value that differs from its value in the version to be changed."""

    behaviour: str
    value: Any

    @property
    def name(self) -> str:
        """The behaviour with its new value as JSON, for example `edit_needs_read=false`."""
        return f"{self.behaviour}={json.dumps(self.value, ensure_ascii=False)}"


@cache
def values_of(behaviour: str) -> tuple[Any, ...]:
    """Return all values that a behaviour has in any version or in the documents, each once, the oldest first."""
    history = behaviour_histories()[behaviour]
    found: list[Any] = []
    for value in (history.first, *history.changes.values(), history.documented):
        for one in (value.enforced, value.relaxed) if isinstance(value, ByModel) else (value,):
            if one not in found:
                found.append(one)
    return tuple(found)


def with_changes(behaviours: Behaviours, changes: Iterable[BehaviourChange]) -> Behaviours:
    """Return a copy of the behaviours with the new value of each changed behaviour."""
    return behaviours.changed(**{each.behaviour: each.value for each in changes})


@cache
def versions() -> Mapping[str, Behaviours]:
    """Return the behaviours of `documented` and of each version that changed a behaviour, by name. Versions are sorted,
    oldest first; those with an older model (`+gated`) are last.

    Each version represents all versions up to the next one.
    """
    changed = {version for history in behaviour_histories().values() for version in history.changes}
    plain = [FIRST_VERSION, *map(_text, sorted(changed))]
    gated = [f"{_text(each)}{_GATED}" for each in sorted(changed) if each >= _RELAXED_SINCE]
    return {name: behaviours_of(name) for name in (DOCUMENTED, *plain, *gated)}


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))

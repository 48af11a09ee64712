"""List all values that a behaviour of the reference has in any version or in the documents."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from readfirst.harness.suite.contracts import DOCUMENTED
from readfirst.reference_impl import Behaviours, behaviours_of
from readfirst.reference_impl.behaviours.versioned import ByModel
from readfirst.reference_impl.behaviours_by_version import FIRST_VERSION, behaviour_histories

_FIRST_RELAXED_VERSION = (2, 1, 208)
_GATED = "+gated"


@dataclass(frozen=True, slots=True)
class BehaviourChange:
    """A changed behaviour of the reference: its name, and its new `value`."""

    behaviour: str
    value: Any

    @property
    def name(self) -> str:
        """The name of the behaviour and its new value in JSON, for example `edit_needs_read=false`."""
        return f"{self.behaviour}={json.dumps(self.value, ensure_ascii=False)}"


@cache
def all_values(behaviour: str) -> tuple[Any, ...]:
    """Return all values that a behaviour has in any version or in the documents, each once, the oldest first."""
    history = behaviour_histories()[behaviour]
    found: list[Any] = []
    for value in (history.first, *history.changes.values(), history.documented):
        for one in (value.enforced, value.relaxed) if isinstance(value, ByModel) else (value,):
            if one not in found:
                found.append(one)
    return tuple(found)


def change_behaviours(behaviours: Behaviours, changes: Iterable[BehaviourChange]) -> Behaviours:
    """Return a copy of `behaviours` that uses the new value of each changed behaviour."""
    return behaviours.changed(**{each.behaviour: each.value for each in changes})


@cache
def versions() -> Mapping[str, Behaviours]:
    """Return the behaviours of `documented` and of versions that changed a behaviour, oldest first, `+gated` last."""
    changed = {version for history in behaviour_histories().values() for version in history.changes}
    plain = [FIRST_VERSION, *map(_version_text, sorted(changed))]
    gated = [f"{_version_text(each)}{_GATED}" for each in sorted(changed) if each >= _FIRST_RELAXED_VERSION]
    return {name: behaviours_of(name) for name in (DOCUMENTED, *plain, *gated)}


def _version_text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))

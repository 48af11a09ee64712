"""The base class of all groups of behaviours.

Frozen dataclasses compile code for each class, which took a quarter of the import time for twenty groups. The
groups of behaviours therefore share the methods of this base class.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, fields
from typing import Any, dataclass_transform

from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["Group"]


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(behaviour,))
class Group:
    """The base class of groups of behaviours. A subclass declares behaviours; an instance has their values and is
    immutable.
    """

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, **values: Any) -> None:
        """Set the value of every behaviour, by name. Raises TypeError for a missing or unknown name."""
        names = [each.name for each in fields(self)]  # type: ignore[arg-type] # every class below this one is one
        if values.keys() != set(names):
            wrong = ", ".join(sorted(values.keys() ^ set(names)))
            raise TypeError(f"{type(self).__name__} lacks or does not know: {wrong}")
        vars(self).update((name, values[name]) for name in names)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
        )

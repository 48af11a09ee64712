"""Behaviours: what one version of the file tools does, as the reference declares it, and what differs between two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.suite.contracts import DOCUMENTED, LATEST
from readfirst.reference_impl.behaviours.history import ByModel, History, version_of
from readfirst.reference_impl.contract import (
    FIRST_VERSION,
    LAST_VERSION,
    behaviours_of,
    groups,
    history_of,
)

__all__ = ["Difference", "Standing", "Subject", "UnknownVersionError", "differences", "standings", "subjects"]

_GATED = "+gated"


class UnknownVersionError(ReadfirstError, LookupError):
    """The reference knows no such version; the message says which ones it knows."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What some behaviours are about: a word, a sentence, and the names of the behaviours."""

    name: str
    about: str
    behaviours: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a behaviour is in one version, and the version from which on it is that, at least.

    `since` is None for `documented`, which is no version.
    """

    name: str
    value: Any
    since: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A behaviour that is not the same in two versions."""

    before: Standing
    after: Standing

    @property
    def name(self) -> str:
        """The name of the behaviour."""
        return self.before.name


@cache
def subjects() -> tuple[Subject, ...]:
    """Return the subjects with their behaviours, in the order of the reference."""
    return tuple(
        Subject(group, kind.__doc__ or "", tuple(each.name for each in fields(kind)))
        for group, kind in groups().items()
    )


def standings(version: str) -> Mapping[str, Standing]:
    """Return what every behaviour is in a version, by name. Raises UnknownVersionError.

    A version is three numbers, perhaps with `+gated`; or `latest`, or `documented`, what the documents state.
    """
    name = LAST_VERSION if version == LATEST else version
    try:
        known = behaviours_of(name)
    except ValueError as error:
        raise UnknownVersionError(
            f"{error}. `readfirst contracts` lists the versions of the suite."
        ) from error
    return {
        each: Standing(each, known.value(each), _since(history_of(each), name))
        for subject in subjects()
        for each in subject.behaviours
    }


def _since(history: History, name: str) -> str | None:
    """Return the version from which on a behaviour is what it is in this one."""
    if name == DOCUMENTED:
        return None
    version, gated = version_of(name.removesuffix(_GATED)), name.endswith(_GATED)
    since, value = FIRST_VERSION, history.first
    for changed, later in history.changes.items():
        # Both classes of models share the versions before the first in which they differ.
        if changed <= version and _for(later, gated=gated) != _for(value, gated=gated):
            since, value = ".".join(map(str, changed)), later
    return since


def _for(value: Any, *, gated: bool) -> Any:
    if isinstance(value, ByModel):
        return value.enforced if gated else value.relaxed
    return value


def differences(before: str, after: str) -> list[Difference]:
    """Return the behaviours that differ between two versions, in the order of the reference.

    Raises UnknownVersionError.
    """
    one, other = standings(before), standings(after)
    return [Difference(one[name], other[name]) for name in one if one[name].value != other[name].value]

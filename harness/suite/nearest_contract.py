"""For a version that is not a contract, find the contract with the same behaviour, if there is one."""

import re
from collections.abc import Sequence

from readfirst.harness.suite.contracts import LATEST, Contract, order
from readfirst.harness.yaml_io.yaml_validation import did_you_mean

_EXACT = re.compile(r"\d+\.\d+\.\d+(?:\+gated)?")
_MOST_CHANGES = 4
"""Versions with changes that are named before the rest is counted instead."""


def nearest(name: str, contracts: Sequence[Contract]) -> str:
    """Return sentences that name the contract to use instead of a name that is not a contract.

    The reference knows the changes between two contracts: `readfirst product history`.
    """
    if name == LATEST:
        return f"Write {contracts[-1].name.partition('+')[0]}: what is the latest changes."
    if not _EXACT.fullmatch(name):
        names = [LATEST, *(contract.name for contract in contracts)]
        return did_you_mean(name, names, "`readfirst contracts` lists them, with the same --fixtures.")
    version, _, variant = name.partition("+")
    alike = [each.name for each in contracts if each.recorded and each.name.partition("+")[2] == variant]
    older = [each for each in alike if order(each) < order(name)]
    newer = [each for each in alike if order(each) > order(name)]
    if not alike:
        return "`readfirst contracts` lists them."
    if not newer:
        recorded = f"readfirst product snapshot {version}"
        return f"{name} is newer than {alike[-1]}, the newest of its kind. Record it: {recorded}."
    if not older:
        return f"{name} is older than {alike[0]}, the oldest of its kind. Write {alike[0]}."
    before, after = older[-1], newer[0]
    try:
        advice = _between(before, name, after)
    except ValueError:  # a suite of one's own may have versions that the reference does not know
        advice = "write one of the two."
    return f"{name} is between {before} and {after}: {advice}"


def _between(older: str, name: str, newer: str) -> str:
    since, until = _changes(older, name), _changes(name, newer)
    if not since:
        return f"nothing changed {_span(older, name)}. Write {older}."
    if not until:
        return f"nothing changed {_span(name, newer)}. Write {newer}."
    return f"the tools changed {_describe(since)}, and again {_describe(until)}. Write {older} or {newer}."


def _span(one: str, other: str) -> str:
    """Return `at 2.1.8` for neighbouring versions, else `from 2.1.7 to 2.1.15`."""
    former, later = (order(name)[0].release for name in (one, other))
    neighbours = former[:-1] == later[:-1] and former[-1] + 1 == later[-1]
    return f"at {other}" if neighbours else f"from {one} to {other}"


def _describe(versions: Sequence[str]) -> str:
    if len(versions) > _MOST_CHANGES + 1:
        shown = ", ".join(versions[:_MOST_CHANGES])
        return f"at {shown} and {len(versions) - _MOST_CHANGES} more versions"
    *first, last = versions
    return f"at {', '.join(first)} and {last}" if first else f"at {last}"


def _changes(older: str, newer: str) -> list[str]:
    """Return the versions after one and up to another that changed the behaviour of the reference."""
    from readfirst.reference_impl import (
        behaviours_by_version as reference,  # which is slow to load, and seldom asked
    )

    variant = f"+{newer.partition('+')[2]}" if "+" in newer else ""
    versions = sorted(
        {version for each in reference.behaviour_histories().values() for version in each.changes}
    )
    inside = [".".join(map(str, version)) + variant for version in versions]
    inside = [name for name in inside if order(older) < order(name) <= order(newer)]
    found, before = [], reference.behaviours_of(older)
    for name in inside:
        after = reference.behaviours_of(name)
        if after != before:
            found.append(name.partition("+")[0])
        before = after
    if reference.behaviours_of(newer) != before:
        found.append(newer.partition("+")[0])
    return found

"""For a version that is not a contract, find the contract with the same behaviour, if there is one."""

import re
from collections.abc import Sequence

from readfirst.harness.suite.contracts import LATEST, Contract, order
from readfirst.harness.yaml_io.yaml_validation import did_you_mean

_EXACT = re.compile(r"\d+\.\d+\.\d+(?:\+gated)?")


def nearest(name: str, contracts: Sequence[Contract]) -> str:
    """Return advice for a name that is not a contract: the contract to use instead.

    For a version between two contracts, the reference knows which of the two behaves in the same way.
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
    from readfirst.reference_impl.behaviours_by_version import (
        behaviours_of,  # which is slow to load, and seldom asked
    )

    own = behaviours_of(name)
    alike = [each for each in (older, newer) if behaviours_of(each) == own]
    if alike:
        return f"the tools behave as those of {alike[0]}. Write {alike[0]}."
    return f"the tools changed before it and after it. Write {older} or {newer}."

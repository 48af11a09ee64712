"""Coverage: whether the `when` of several clauses overlap, or leave a contract without a clause."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from harness.contracts import READ_GATES, Contract, selects
from harness.scenario import ReadGate, When

__all__ = ["gap", "overlap"]


def overlap(whens: Sequence[When | None]) -> tuple[int, int, str] | None:
    """Return the first two clauses that hold for one contract, and its name; None if they are disjoint.

    Not only known contracts count: every version that a specifier mentions, and its neighbours, is tried.
    """
    return None if len(whens) < 2 else _overlap(tuple(whens))


def gap(whens: Sequence[When | None], contracts: Sequence[Contract]) -> str | None:
    """Return the name of a contract that no clause holds for; None if there is none.

    Known contracts must be covered, and so must the versions between two that are.
    """
    if len(whens) == 1 and whens[0] is None:
        return None
    for contract in contracts:
        if not any(selects(when, contract) for when in whens):
            return contract.name
    return _hole(tuple(whens))


@lru_cache(maxsize=1024)
def _overlap(whens: tuple[When | None, ...]) -> tuple[int, int, str] | None:
    for contract in _candidates(whens):
        holding = [number for number, when in enumerate(whens) if selects(when, contract)]
        if len(holding) > 1:
            return holding[0], holding[1], contract.name
    return None


@lru_cache(maxsize=1024)
def _hole(whens: tuple[When | None, ...]) -> str | None:
    for gate in READ_GATES:
        row = [contract for contract in _candidates(whens) if contract.read_gate == gate]
        covered = [any(selects(when, contract) for when in whens) for contract in row]
        if True not in covered:
            continue
        first, last = covered.index(True), len(covered) - 1 - covered[::-1].index(True)
        for number in range(first, last):
            if not covered[number]:
                return row[number].name
    return None


def _candidates(whens: tuple[When | None, ...]) -> list[Contract]:
    """Return contracts, known or not, at and beside every version that is mentioned, in ascending order."""
    versions = {Version("2.1.7")}
    for when in whens:
        for specifier in when.claude_code if when and when.claude_code else SpecifierSet():
            release = Version(specifier.version.removesuffix(".*")).release
            for last in (release[-1] - 1, release[-1], release[-1] + 1):
                if last >= 0:
                    versions.add(Version(".".join(map(str, (*release[:-1], last)))))
    gates: tuple[ReadGate, ...] = ("enforced", "relaxed")
    return [
        Contract(f"{version} ({gate})", version=str(version), read_gate=gate)
        for version in sorted(versions)
        for gate in gates
    ]

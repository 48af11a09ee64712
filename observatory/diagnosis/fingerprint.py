"""Short texts that represent the result of an implementation in a scenario: equal results have equal texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from readfirst.harness.compare.verdict import Difference, Verdict

_LENGTH = 8
"""Number of hexadecimal digits of a digest. Few are enough, because only the results of one scenario are compared."""
_MODEST = {"world event"}
"""Kinds of differences whose details depend on the machine: only that they differ is part of the fingerprint."""
_OF_SOME_VERSIONS = {"MultiEdit", "NotebookRead"}
"""Tools that only some versions have."""
_UNRECORDED = ("time of ", "inode of ", "shown ")
"""Beginnings of differences that recordings cannot show (times, inodes), or that concern the form of an answer. They
are not part of the fingerprint.
"""


class Fingerprint(NamedTuple):
    """Digests of the differences between the result of a scenario and its expectation.

    `effects` is the digest of the differences at the level effects, `reason` that of different names of errors. The
    digest of zero differences is empty. If the scenario is unsupported, `effects` is the reason. A scenario holds at
    the level reason if both are empty.
    """

    effects: str = ""
    reason: str = ""


AS_EXPECTED = Fingerprint()
BROKEN = Fingerprint("error")
"""The result if the reference cannot replay the scenario in this process, or the result depends on timing."""


def fingerprint_of(verdict: Verdict) -> Fingerprint | None:
    """Return the fingerprint of a verdict. None if the verdict contains no result of the implementation.

    A refusal is represented by the name of its error, not by its text. A refusal without a known name is not part of
    `reason`.
    """
    match verdict.status:
        case "unsupported":
            return Fingerprint(verdict.reason.removeprefix("the adapter "))
        case "passed" | "failed":
            effects = (
                each
                for each in verdict.differences
                if each.level == "effects" and not each.what.startswith(_UNRECORDED)
            )
            reason = (
                (each.step, each.call, each.got)
                for each in verdict.differences
                if each.level == "reason" and not each.got.startswith("no known error: ")
            )
            return Fingerprint(_digest(map(_effect, effects)), _digest(reason))
        case _:
            return None


def is_lacking(found: Fingerprint) -> bool:
    """Whether the implementation lacks a capability of the scenario, and the capability is not one of the tools that
    only some versions have.
    """
    lacks, _, tools = found.effects.partition(" ")
    return lacks == "lacks" and not {*tools.split(", ")} <= _OF_SOME_VERSIONS


def _effect(difference: Difference) -> tuple[object, ...]:
    got = difference.got
    if difference.what == "refused":
        got = got.partition(":")[0]
    elif difference.what == "reminders":
        got = got.partition("\n")[0]
    elif difference.what in _MODEST:
        got = ""
    return difference.step, difference.call, difference.what, got


def _digest(facts: Iterable[tuple[object, ...]]) -> str:
    text = "\n".join(sorted(map(repr, facts)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH] if text else ""

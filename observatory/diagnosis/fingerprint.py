"""Short texts that are equal if an implementation did the same in a scenario."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from readfirst.harness.compare.verdict import Difference, Verdict

_LENGTH = 8
"""Hexadecimal digits of a digest: a scenario knows a handful of them."""
_MODEST = {"world event"}
"""Details that depend on the machine, so only their difference counts."""
_OF_SOME_VERSIONS = {"MultiEdit", "NotebookRead"}
"""Tools that not every version has."""
_UNRECORDED = ("time of ", "inode of ", "shown ")
"""Details that recordings do not contain, and the form of answers: a recorded version cannot be recognised by them."""


class Fingerprint(NamedTuple):
    """Digests of the differences of a scenario from its expectation. An attribute is empty if it has no differences.

    `effects` covers the differences at the level effects, `reason` only different names of errors. To hold at the level
    reason, a scenario must have neither.
    """

    effects: str = ""
    reason: str = ""


AS_EXPECTED = Fingerprint()
BROKEN = Fingerprint("broken")
"""The result of a replay that requires a separate process."""


def fingerprint_of(verdict: Verdict) -> Fingerprint | None:
    """Return the fingerprint of a verdict. None if the verdict says nothing about the implementation.

    Of a refusal only the name counts, not the text. If the name is unknown, it does not count either.
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
    """Whether the implementation lacks something for the scenario that every version of the reference has."""
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

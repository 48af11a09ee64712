"""Short texts that are equal if an implementation did the same in a scenario."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from readfirst.harness.compare.verdict import Difference, Verdict

_LENGTH = 8
"""Hexadecimal digits of a digest: a scenario knows a handful of them."""
_MODEST = {"world event"}
"""What these say depends on the machine, so only that they differ counts."""
_OF_SOME_VERSIONS = {"MultiEdit", "NotebookRead"}
"""Tools that not every version has."""
_UNRECORDED = ("time of ", "inode of ", "shown ")
"""What recordings do not tell, so that a recorded version could not be recognised by it, and the form of answers."""


class Fingerprint(NamedTuple):
    """How a scenario differed from what it expects, at the level effects and at the level reason; empty: not at all.

    `reason` counts the names of errors alone, so that both together are the level reason.
    """

    effects: str = ""
    reason: str = ""


AS_EXPECTED = Fingerprint()
BROKEN = Fingerprint("broken")
"""What a replay comes to that cannot be made without a process of its own."""


def fingerprint_of(verdict: Verdict) -> Fingerprint | None:
    """Return what a verdict says of the implementation; None where it says nothing.

    The words of a refusal do not count, its name does; where that is unknown, it does not count either.
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

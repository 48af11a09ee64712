"""Fingerprints of results, used to compare results quickly: two results with the same fingerprint count as equal."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from readfirst.harness.compare.verdict import Difference, Verdict

_DIGEST_CHARS = 8
"""Number of hexadecimal digits. A few suffice, because only results of the same scenario are compared."""
_MACHINE_DEPENDENT = {"world event"}
"""Kinds of differences whose details depend on the machine. A fingerprint only contains that they occurred."""
_IGNORED_DIFFERENCES = ("time of ", "inode of ", "shown ")
"""A fingerprint omits the differences whose description begins with one of these words."""


class Fingerprint(NamedTuple):
    """Two digests: of the differences from the expected result at the level `effects`, and of unexpected error names
    (`reason`). Empty if nothing differs. For an unsupported scenario, `effects` is the reason.
    """

    effects: str = ""
    reason: str = ""


AS_EXPECTED = Fingerprint()
NO_RESULT = Fingerprint("error")
"""The result if the reference cannot replay the scenario in this process, or if the result depends on timing."""


def fingerprint_of(verdict: Verdict) -> Fingerprint | None:
    """Return the fingerprint of a verdict that passed, failed or is unsupported, otherwise None."""
    match verdict.status:
        case "unsupported":
            return Fingerprint(verdict.reason.removeprefix("the adapter "))
        case "passed" | "failed":
            effects = (
                each
                for each in verdict.differences
                if each.level == "effects" and not each.what.startswith(_IGNORED_DIFFERENCES)
            )
            reason = (
                (each.step, each.call, each.got)
                for each in verdict.differences
                if each.level == "reason" and not each.got.startswith("no known error: ")
            )
            return Fingerprint(_digest(map(_effect_key, effects)), _digest(reason))
        case _:
            return None


def _effect_key(difference: Difference) -> tuple[object, ...]:
    got = difference.got
    if difference.what == "refused":
        got = got.partition(":")[0]
    elif difference.what == "reminders":
        got = got.partition("\n")[0]
    elif difference.what in _MACHINE_DEPENDENT:
        got = ""
    return difference.step, difference.call, difference.what, got


def _digest(facts: Iterable[tuple[object, ...]]) -> str:
    text = "\n".join(sorted(map(repr, facts)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS] if text else ""

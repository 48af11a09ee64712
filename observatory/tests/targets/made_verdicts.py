"""Verdicts of a made-up run of a target: one failed with a harm, one passed, one unsupported, one broken."""

from collections.abc import Iterator

from readfirst.harness.compare.verdict import LEVELS, Difference, Verdict
from readfirst.harness.harm.harm import Harm


def verdict(
    scenario_id: str, status: str, *differences: Difference, reason: str = "", harms: tuple[Harm, ...] = ()
) -> Verdict:
    fine = dict.fromkeys(LEVELS, status == "passed")
    return Verdict(scenario_id, "2.1.7", "reason", status, fine, differences, None, reason, harms=harms)  # type: ignore[arg-type]


def verdicts() -> Iterator[Verdict]:
    refused = Difference(1, 0, "effects", "refused", "refused: multiple_matches", "not refused: done")
    file = Difference(1, 0, "effects", "file notes.txt", "alpha\nalpha\n", "gamma\nalpha\n")
    harm = Harm(1, 0, "misplaced", "notes.txt", "the first of several places in notes.txt")
    yield verdict("matching/two-matches", "failed", refused, file, harms=(harm,))
    yield verdict("matching/unique-match", "passed")
    yield verdict("parallel/write-then-edit", "unsupported", reason="the adapter lacks parallel")
    yield verdict("gate/edit-unread", "error", reason="it hung")

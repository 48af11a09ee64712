"""Ruler: what verdicts mean for the exit code, by a baseline and by what an implementation has to claim."""

from collections import Counter
from dataclasses import replace

from readfirst.harness.compare.baseline import Baseline, Ruling, rule
from readfirst.harness.compare.lacking import in_a_call
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.session import BASIC_CAPABILITIES


class Ruler:
    """Rules verdicts by a baseline; what is not judged has to be allowed, by the baseline or by `claims`.

    Without a baseline that says what was not judged when it was written, the capabilities of `claims` (default: Read,
    Edit, Write) must be claimed. With one, nothing else may be left out than it says, and what is given as `claims`
    must be claimed as well; at the level `safe` also Read, Edit and Write, unless `claims` says otherwise. What the
    machine lacks is nobody's fault.
    """

    def __init__(self, baseline: Baseline | None = None, claims: frozenset[str] | None = None) -> None:
        self._baseline = baseline
        self._given = claims or frozenset()
        self._claimed = claims is not None
        self._required = BASIC_CAPABILITIES if claims is None else claims
        self._counts: dict[str, Counter[str]] = {}

    @property
    def required(self) -> frozenset[str]:
        """The capabilities that must be claimed, as far as they are named."""
        former = None if self._baseline is None else self._baseline.lacking
        return self._required if former is None else self._given | (BASIC_CAPABILITIES - former.unclaimed)

    def rule(self, verdict: Verdict) -> Ruling:
        """Judge one verdict; each is shown once."""
        ruling = rule(verdict, self._baseline)
        if not verdict.lacks or not ruling.conformant:
            return ruling
        unclaimed = ", ".join(self._unclaimed(verdict))
        return replace(ruling, conformant=False, unclaimed=unclaimed) if unclaimed else ruling

    def _unclaimed(self, verdict: Verdict) -> list[str]:
        """Return what is lacking that must not be."""
        former = None if self._baseline is None else self._baseline.lacking
        if in_a_call(verdict):
            counts = self._counts.setdefault(verdict.contract, Counter())
            counts.update(verdict.lacks)
            if former is None:
                return []
            known = any(counts[name] <= former.unsupported.get(name, 0) for name in verdict.lacks)
            return [] if known else sorted(verdict.lacks)
        lacks = frozenset(verdict.lacks)
        if former is None:
            return sorted(lacks & self._required)
        if verdict.level == "safe" and not self._claimed:
            # Whoever cannot edit harms nobody, and is of no use: no baseline calls that safe.
            lacks -= former.unclaimed - BASIC_CAPABILITIES
            return sorted(lacks)
        return sorted(lacks & self._given) if lacks & former.unclaimed else sorted(lacks)

"""Scenarios that were skipped because the implementation does not support a required capability."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import wrap

from readfirst.harness.compare.verdict import Verdict

_WIDTH = 118


@dataclass(frozen=True, slots=True)
class MissingCapabilities:
    """Missing capabilities of verdicts (`unclaimed`), and missing features of calls (`unsupported`).

    `unsupported` counts, for each feature, the scenarios of a contract with such a call.
    """

    unclaimed: frozenset[str] = frozenset()
    unsupported: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> MissingCapabilities:
        """Return the missing capabilities of verdicts. With several contracts, the larger count is used."""
        unclaimed: set[str] = set()
        counts: dict[str, Counter[str]] = {}
        for verdict in verdicts:
            if in_a_call(verdict):
                counts.setdefault(verdict.contract, Counter()).update(verdict.lacks)
            else:
                unclaimed.update(verdict.lacks)
        return cls(frozenset(unclaimed), _larger(*counts.values()))

    def with_former(self, other: MissingCapabilities, *, of_others: bool) -> MissingCapabilities:
        """Return the union with an earlier run. `of_others`: that run tested other scenarios."""
        counts = dict(Counter(self.unsupported) + Counter(other.unsupported))
        if not of_others:
            counts = _larger(self.unsupported, other.unsupported)
        return MissingCapabilities(self.unclaimed | other.unclaimed, counts)

    def lines(self) -> Iterator[str]:
        """Yield the lines of a baseline that list the missing capabilities."""
        listed = f"unclaimed: [{', '.join(sorted(self.unclaimed))}]"
        # A line break inside a word would be read as a space.
        yield from wrap(
            listed, _WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
        )
        yield "unsupported:" if self.unsupported else "unsupported: {}"
        for name, count in sorted(self.unsupported.items()):
            yield f"  {json.dumps(name)}: {count}"


def in_a_call(verdict: Verdict) -> bool:
    """Whether a feature of a call (`Read with pages`: a tool comes first) is missing, and not a capability."""
    return any(" " in name for name in verdict.lacks)


def _larger(*counts: Mapping[str, int]) -> dict[str, int]:
    names = {name for each in counts for name in each}
    return {name: max(each.get(name, 0) for each in counts) for name in sorted(names)}

"""The list of capabilities and call features that an implementation does not support, as part of a baseline."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import wrap

from readfirst.harness.compare.verdict import Verdict

_MAX_LINE_CHARS = 118


@dataclass(frozen=True, slots=True)
class MissingCapabilities:
    """The capabilities (`unclaimed`) and the features of calls (`unsupported`) that an implementation lacks. Each
    feature, such as `Read with pages`, has the number of scenarios that need the feature.
    """

    unclaimed: frozenset[str] = frozenset()
    unsupported: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> MissingCapabilities:
        """Collect missing capabilities, and features with counts (with several contracts, the largest count)."""
        unclaimed: set[str] = set()
        counts: dict[str, Counter[str]] = {}
        for verdict in verdicts:
            if lacks_call_feature(verdict):
                counts.setdefault(verdict.contract, Counter()).update(verdict.lacks)
            else:
                unclaimed.update(verdict.lacks)
        return cls(frozenset(unclaimed), _maximum_counts(*counts.values()))

    def merge(self, earlier: MissingCapabilities, *, are_disjoint: bool) -> MissingCapabilities:
        """Merge the results of this and an `earlier` run. Add the counts if `are_disjoint`: no common scenarios."""
        counts = _maximum_counts(self.unsupported, earlier.unsupported)
        if are_disjoint:
            counts = dict(Counter(self.unsupported) + Counter(earlier.unsupported))
        return MissingCapabilities(self.unclaimed | earlier.unclaimed, counts)

    def lines(self) -> Iterator[str]:
        """Yield the lines of a baseline file that list the missing capabilities and features."""
        listed = f"unclaimed: [{', '.join(sorted(self.unclaimed))}]"
        # A line break inside a word would be read as a space.
        yield from wrap(
            listed, _MAX_LINE_CHARS, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
        )
        yield "unsupported:" if self.unsupported else "unsupported: {}"
        for name, count in sorted(self.unsupported.items()):
            yield f"  {json.dumps(name)}: {count}"


def lacks_call_feature(verdict: Verdict) -> bool:
    """Whether the implementation has the scenario's capabilities, but lacks a feature of a call: `Read with pages`."""
    return any(" " in name for name in verdict.lacks)


def _maximum_counts(*counts: Mapping[str, int]) -> dict[str, int]:
    names = {name for each in counts for name in each}
    return {name: max(each.get(name, 0) for each in counts) for name in sorted(names)}

"""Lacking: what of a run was not judged, because the implementation does not claim it."""

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
    """What verdicts lack: capabilities (`unclaimed`), and what calls need beside these (`unsupported`).

    The latter with the number of scenarios of a contract that have such a call.
    """

    unclaimed: frozenset[str] = frozenset()
    unsupported: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> MissingCapabilities:
        """Return what these lack; of several contracts the larger numbers."""
        unclaimed: set[str] = set()
        counts: dict[str, Counter[str]] = {}
        for verdict in verdicts:
            if in_a_call(verdict):
                counts.setdefault(verdict.contract, Counter()).update(verdict.lacks)
            else:
                unclaimed.update(verdict.lacks)
        return cls(frozenset(unclaimed), _larger(*counts.values()))

    def with_former(self, other: MissingCapabilities, *, of_others: bool) -> MissingCapabilities:
        """Return what either lacks: the same scenarios earlier, or others, which were not among them."""
        counts = dict(Counter(self.unsupported) + Counter(other.unsupported))
        if not of_others:
            counts = _larger(self.unsupported, other.unsupported)
        return MissingCapabilities(self.unclaimed | other.unclaimed, counts)

    def lines(self) -> Iterator[str]:
        """Yield the lines of a baseline that say it."""
        yield from wrap(f"unclaimed: [{', '.join(sorted(self.unclaimed))}]", _WIDTH, subsequent_indent="  ")
        yield "unsupported:" if self.unsupported else "unsupported: {}"
        for name, count in sorted(self.unsupported.items()):
            yield f"  {json.dumps(name)}: {count}"


def in_a_call(verdict: Verdict) -> bool:
    """Whether calls lack something, not the scenario: such names begin with a tool's, and go on."""
    return any(" " in name for name in verdict.lacks)


def _larger(*counts: Mapping[str, int]) -> dict[str, int]:
    names = {name for each in counts for name in each}
    return {name: max(each.get(name, 0) for each in counts) for name in sorted(names)}

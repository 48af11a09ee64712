"""Cause: differences that belong together, because one change of the product explains them all."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from readfirst.harness.diff.difference import Occurrence
from readfirst.harness.diff.normalize_text import ChangeLevel, Kind

SAFETY = frozenset(
    {
        "not_read",
        "modified_since_read",
        "unexpectedly_modified",
        "permission_denied",
        "multiple_matches",
        "file_exists",
    }
)
"""Refusals that keep a file from harm."""

_LEVELS: tuple[ChangeLevel, ...] = ("effects", "reason", "text")
_MANY = 20
"""Fewer scenarios hide nothing."""
_BY_TOOL = frozenset({"refusal", "reason", "file", "path", "mode", "content"})
"""Kinds for which each tool has causes of its own."""


@dataclass(frozen=True, slots=True, order=True)
class Signature:
    """What all occurrences of a cause have in common. `tool` is empty where it does not matter.

    Of a refusal `subject` is `not_read gone` or `is_link new`.
    """

    level: ChangeLevel
    kind: Kind
    tool: str
    subject: str


@dataclass(frozen=True)
class Cause:
    """Differences that have one signature. `since`: versions that brought it, `2.1.208` or `2.1.87 to 2.1.112`."""

    signature: Signature
    occurrences: tuple[Occurrence, ...]
    since: tuple[str, ...] = ()

    @cached_property
    def level(self) -> ChangeLevel:
        """The lowest level that differs."""
        return min((each.change.level for each in self.occurrences), key=_LEVELS.index)

    @cached_property
    def scenario_ids(self) -> tuple[str, ...]:
        """The scenarios that show it, sorted."""
        return tuple(sorted({each.scenario_id for each in self.occurrences}))

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it was seen at, the most frequent first."""
        return tuple(name for name, _ in Counter(each.tool for each in self.occurrences).most_common())

    @cached_property
    def variants(self) -> tuple[tuple[str, str, int], ...]:
        """What was and what is in general terms, with the number of occurrences, the most frequent first."""
        pairs = Counter((each.change.before, each.change.after) for each in self.occurrences)
        ordered = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
        return tuple((before, after, count) for (before, after), count in ordered)

    @property
    def safety(self) -> bool:
        """Whether a file is at stake: what protected it is gone or new, or other bytes are written."""
        if self.level != "effects" or self.signature.tool == "Read":
            return False
        if self.signature.kind == "refusal":
            return self.signature.subject.partition(" ")[0] in SAFETY
        return self.signature.kind in ("file", "path")

    @property
    def example(self) -> Occurrence:
        """The example of all occurrences: of the most frequent kind the one with the fewest words."""
        before, after, _ = self.variants[0]
        return min(
            (each for each in self.occurrences if (each.change.before, each.change.after) == (before, after)),
            key=lambda each: (
                len(each.change.words_before) + len(each.change.words_after),
                each.scenario_id,
                each.place[0],
            ),
        )


def grouped(found: Sequence[Occurrence]) -> tuple[list[Cause], list[Occurrence]]:
    """Return the causes, the gravest first, and the occurrences that only follow from others.

    What differs once something went another way before it, in what was done or why it was refused, is a
    consequence; other words are one, unless the same change is also seen by itself.
    """
    own = [each for each in found if not each.follows]
    members: dict[Signature, list[Occurrence]] = {}
    others = ((_signature(each), each) for each in own if each.change.kind not in ("refusal", "reason"))
    for signature, occurrence in (*_refusals(own), *others):
        members.setdefault(signature, []).append(occurrence)
    consequences = []
    for each in found:
        if each.follows:
            signature = _signature(each)
            if each.change.level == "text" and signature in members:
                members[signature].append(each)
            else:
                consequences.append(each)
    causes = [Cause(signature, tuple(occurrences)) for signature, occurrences in members.items()]
    merged = sorted(_merged(causes), key=_rank)
    differing = len({each.scenario_id for each in own if each.change.level == "effects"})

    def place(cause: Cause) -> int:
        """Put one that hides the others before them, whatever it is about."""
        if cause.level != "effects":
            return 2
        return 0 if len(cause.scenario_ids) >= max(_MANY, differing // 3 + 1) else 1

    return sorted(merged, key=place), consequences


def _merged(causes: Sequence[Cause]) -> Iterator[Cause]:
    """Yield the causes; one that several tools have alike is one.

    What keeps a file from harm stays apart for each tool, and so does content, of which no more is known.
    """
    left = sorted(causes, key=_rank)
    while left:
        first, *left = left
        alike = [each for each in left if _alike(first, each)]
        left = [each for each in left if each not in alike]
        occurrences = [occurrence for cause in (first, *alike) for occurrence in cause.occurrences]
        yield Cause(first.signature, tuple(occurrences))


def _alike(one: Cause, other: Cause) -> bool:
    kind, subject = one.signature.kind, one.signature.subject
    if (kind, subject) != (other.signature.kind, other.signature.subject) or subject == "content":
        return False
    if kind == "refusal":
        return subject.partition(" ")[0] not in SAFETY
    return any(variant[:2] in {each[:2] for each in other.variants} for variant in one.variants)


def _signature(occurrence: Occurrence) -> Signature:
    change = occurrence.change
    tool = occurrence.tool if change.kind in _BY_TOOL else ""
    return Signature(change.level, change.kind, tool, change.subject)


def _refusals(found: Sequence[Occurrence]) -> Iterator[tuple[Signature, Occurrence]]:
    """Explain all changes of refusals by as few refusals as possible that are gone or new, one tool each.

    The refusal that explains most scenarios comes first, and takes them.
    """
    left = [(each, [*_explanations(each)]) for each in found if each.change.kind in ("refusal", "reason")]
    while left:
        explained: dict[Signature, set[str]] = {}
        for each, signatures in left:
            for signature in signatures:
                explained.setdefault(signature, set()).add(each.scenario_id)
        best = min(explained, key=lambda signature: (-len(explained[signature]), signature))
        yield from ((best, each) for each, signatures in left if best in signatures)
        left = [(each, signatures) for each, signatures in left if best not in signatures]


def _explanations(occurrence: Occurrence) -> Iterator[Signature]:
    change = occurrence.change
    for came, fate in ((change.before, "gone"), (change.after, "new")):
        if came.startswith("refused"):
            name = came.removeprefix("refused (").removesuffix(")")
            yield Signature("effects", "refusal", occurrence.tool, f"{name} {fate}")


def _rank(cause: Cause) -> tuple[int, bool, int, Signature]:
    return _LEVELS.index(cause.level), not cause.safety, -len(cause.scenario_ids), cause.signature

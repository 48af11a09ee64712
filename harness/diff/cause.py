"""Group the differences between two sides by cause, because one change of the product may explain many differences."""

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
"""Names of the errors that protect a file. A changed refusal with one of these names is marked as a risk."""

_LEVELS: tuple[ChangeLevel, ...] = ("effects", "reason", "text")
_MIN_DOMINANT_SCENARIOS = 20
"""Minimum number of scenarios of a dominant cause, which is listed before all other causes."""
_KINDS_BY_TOOL = frozenset({"refusal", "reason", "file", "path", "mode", "content"})
"""Kinds of changes that are grouped separately for each tool."""


@dataclass(frozen=True, slots=True, order=True)
class Signature:
    """The key of a difference: differences with the same key form one cause. `tool` is empty if the tool does not
    matter. The `subject` of a changed refusal is, for example, `not_read gone` or `is_link new`.
    """

    level: ChangeLevel
    kind: Kind
    tool: str
    subject: str


@dataclass(frozen=True)
class Cause:
    """All differences between two sides (contracts or runs) with the same signature. `since` contains the versions that
    introduced these differences, such as `2.1.208` or `2.1.87 to 2.1.112`.
    """

    signature: Signature
    occurrences: tuple[Occurrence, ...]
    since: tuple[str, ...] = ()

    @cached_property
    def level(self) -> ChangeLevel:
        """The lowest level of the differences: `effects` is lower than `reason`, `reason` lower than `text`."""
        return min((occurrence.change.level for occurrence in self.occurrences), key=_LEVELS.index)

    @cached_property
    def scenario_ids(self) -> tuple[str, ...]:
        """The ids of the scenarios that contain a difference of this cause, sorted."""
        return tuple(sorted({occurrence.scenario_id for occurrence in self.occurrences}))

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools whose calls have differences of this cause, the most frequent first."""
        counts = Counter(occurrence.tool for occurrence in self.occurrences)
        return tuple(name for name, _ in counts.most_common())

    @cached_property
    def variants(self) -> tuple[tuple[str, str, int], ...]:
        """The distinct changes: value before, value after, number of occurrences. The most frequent is first."""
        changes = (occurrence.change for occurrence in self.occurrences)
        pairs = Counter((change.before, change.after) for change in changes)
        ordered = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
        return tuple((before, after, count) for (before, after), count in ordered)

    @property
    def safety(self) -> bool:
        """Whether files are at risk: a refusal that protects files is gone or new, or other bytes are written."""
        if self.level != "effects" or self.signature.tool == "Read":
            return False
        if self.signature.kind == "refusal":
            return self.signature.subject.partition(" ")[0] in SAFETY
        return self.signature.kind in ("file", "path")

    @property
    def example(self) -> Occurrence:
        """The occurrence that reports show: the shortest occurrence of the most frequent of the `variants`."""
        before, after, _ = self.variants[0]

        def sort_key(occurrence: Occurrence) -> tuple[int, str, int]:
            change = occurrence.change
            length = len(change.words_before) + len(change.words_after)
            return length, occurrence.scenario_id, occurrence.place[0]

        changes = [item for item in self.occurrences if item.change.before == before]
        return min((item for item in changes if item.change.after == after), key=sort_key)


def group_by_cause(differences: Sequence[Occurrence]) -> tuple[list[Cause], list[Occurrence]]:
    """Group differences by cause. Return the causes, the most serious first, and the differences that are only
    consequences of a different effect at the same call or earlier in the scenario. A changed text is not a consequence
    if it also occurs without a different effect.
    """
    independent = [occurrence for occurrence in differences if not occurrence.follows]
    members: dict[Signature, list[Occurrence]] = {}
    others = (
        (_signature_of(occurrence), occurrence)
        for occurrence in independent
        if occurrence.change.kind not in ("refusal", "reason")
    )
    for signature, occurrence in (*_group_refusals(independent), *others):
        members.setdefault(signature, []).append(occurrence)
    consequences = []
    for item in differences:
        if item.follows:
            signature = _signature_of(item)
            if item.change.level == "text" and signature in members:
                members[signature].append(item)
            else:
                consequences.append(item)
    causes = [Cause(signature, tuple(occurrences)) for signature, occurrences in members.items()]
    with_effects = {item.scenario_id for item in independent if item.change.level == "effects"}
    min_dominant = max(_MIN_DOMINANT_SCENARIOS, len(with_effects) // 3 + 1)

    def is_dominant(cause: Cause) -> bool:
        return cause.level == "effects" and len(cause.scenario_ids) >= min_dominant

    merged = sorted(_merge_causes(causes), key=lambda cause: (not is_dominant(cause), *_sort_key(cause)))
    return merged, consequences


def _merge_causes(causes: Sequence[Cause]) -> Iterator[Cause]:
    """Yield the causes. Merge the causes of several tools that changed in the same way, except changed refusals that
    protect a file, and changed contents of files.
    """
    remaining = sorted(causes, key=_sort_key)
    while remaining:
        first, *remaining = remaining
        similar = [cause for cause in remaining if _is_same_cause(first, cause)]
        remaining = [cause for cause in remaining if cause not in similar]
        occurrences = [occurrence for cause in (first, *similar) for occurrence in cause.occurrences]
        yield Cause(first.signature, tuple(occurrences))


def _is_same_cause(left: Cause, right: Cause) -> bool:
    kind, subject = left.signature.kind, left.signature.subject
    if (kind, subject) != (right.signature.kind, right.signature.subject) or subject == "content":
        return False
    if kind == "refusal":
        return subject.partition(" ")[0] not in SAFETY
    return any(variant[:2] in {pair[:2] for pair in right.variants} for variant in left.variants)


def _signature_of(occurrence: Occurrence) -> Signature:
    change = occurrence.change
    tool = occurrence.tool if change.kind in _KINDS_BY_TOOL else ""
    return Signature(change.level, change.kind, tool, change.subject)


def _group_refusals(differences: Sequence[Occurrence]) -> Iterator[tuple[Signature, Occurrence]]:
    """Yield each changed refusal with its signature: a tool, and the name of an error that is new or gone."""
    remaining = [
        (occurrence, [*_possible_explanations(occurrence)])
        for occurrence in differences
        if occurrence.change.kind in ("refusal", "reason")
    ]
    while remaining:
        explained: dict[Signature, set[str]] = {}
        for occurrence, signatures in remaining:
            for signature in signatures:
                explained.setdefault(signature, set()).add(occurrence.scenario_id)
        best = min(explained, key=lambda signature: (-len(explained[signature]), signature))
        yield from ((best, occurrence) for occurrence, signatures in remaining if best in signatures)
        remaining = [item for item in remaining if best not in item[1]]


def _possible_explanations(occurrence: Occurrence) -> Iterator[Signature]:
    change = occurrence.change
    for result, fate in ((change.before, "gone"), (change.after, "new")):
        if result.startswith("refused"):
            name = result.removeprefix("refused (").removesuffix(")")
            yield Signature("effects", "refusal", occurrence.tool, f"{name} {fate}")


def _sort_key(cause: Cause) -> tuple[int, bool, int, Signature]:
    return _LEVELS.index(cause.level), not cause.safety, -len(cause.scenario_ids), cause.signature

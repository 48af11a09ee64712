"""The harm map: a table of implementations and kinds of harm, whose colours show how often each harm occurs.

The map is created as data and as a picture. A *session* in this module is one tested scenario.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from readfirst.harness.report.escape import visible
from readfirst.harness.report.html import safe, styles
from readfirst.harness.suite.harm_kinds import HARMS, KINDS, NON_HARM_KINDS, Kind
from readfirst.observatory.template import macro, template

COLUMN_TITLES: Mapping[Kind, str] = {
    "lost": "others’ text gone",
    "misplaced": "wrong place edited",
    "spoiled": "bytes beside it changed",
    "altered": "not what was asked",
    "stray": "other files touched",
    "untrue": "the answer is not so",
    "trespass": "closed files touched",
    "blind": "edited unseen",
    "overcautious": "refused without need",
}
"""The titles that the harm map uses for the column of each kind of harm."""
SAMPLE_NOTE = (
    "* Asked only a sample of the sessions, spread evenly, because each takes long: in brackets, where the share of all"
    " lies in 95 of 100 such samples."
)
_COLOUR_LIMITS = (0.005, 0.02, 0.05, 0.1)
"""Limits between the five colours that a cell can have. The colour depends on the share of sessions with this harm."""


@dataclass(frozen=True, slots=True)
class MapCell:
    """The number of sessions with one kind of harm (None if unknown), and the shortest scenario that shows it."""

    kind: Kind
    count: int | None
    tone: str
    """The CSS class of the cell's colour: `harm-1` to `harm-5`, `wording-1` to `wording-5`, or `none` for zero."""
    scenario: str = ""


@dataclass(frozen=True, slots=True)
class MapRow:
    """An implementation or, if `product`, a version of Claude Code: in `harmed` of its `sessions`, harm occurred."""

    name: str
    product: bool
    sessions: int
    harmed: int
    cells: tuple[MapCell, ...]
    sampled: bool = False
    """Whether only a sample of the scenarios was run."""

    @property
    def label(self) -> str:
        """The name that the map shows for the row, for example `Claude Code 2.1.7`."""
        return f"Claude Code {self.name}" if self.product else self.name

    @property
    def share(self) -> float:
        """The share of sessions with any harm, from 0 to 1."""
        return self.harmed / self.sessions

    @property
    def share_text(self) -> str:
        """The share of sessions with any harm: `7.5%`. For a sample, with the confidence interval: `7.5%* (6–9)`."""
        return f"{self.starred_share} {self.bounds}".strip()

    @property
    def starred_share(self) -> str:
        """The share of sessions with any harm: `7.5%`, or with a star if only a sample was run, `7.5%*`."""
        return percent(self.harmed, self.sessions) + "*" * self.sampled

    @property
    def bounds(self) -> str:
        """The 95 % confidence interval of the share in percent: `(6–9)`. Empty if all scenarios were run."""
        if not self.sampled:
            return ""
        low, high = confidence_interval(self.harmed, self.sessions)
        return f"({low:.0f}–{high:.0f})"


def map_rows(data: Mapping[str, Any]) -> list[MapRow]:
    """Return the rows of the harm map, the most harmful first. `data` is the result of `compatibility_data`."""
    rows = []
    for of in ("implementations", "versions"):
        for name, each in data[of].items():
            harm = each.get("harm", {"sessions": 0})
            if sessions := harm["sessions"]:
                counts = {kind: harm["counts"].get(kind) for kind in KINDS}
                cells = [
                    MapCell(
                        kind, count, _colour_class(kind, count or 0, sessions), harm["shortest"].get(kind, "")
                    )
                    for kind, count in counts.items()
                ]
                facts = of == "versions", sessions, harm["any"]
                rows.append(MapRow(name, *facts, tuple(cells), "sampled" in harm))
    return sorted(rows, key=lambda row: (-row.share, row.product, row.name))


def star_meaning(rows: Iterable[MapRow]) -> str:
    """Return the sentence that explains the star in a row of the harm map. Empty if no row has a star."""
    return SAMPLE_NOTE if any(row.sampled for row in rows) else ""


def untested_implementations(data: Mapping[str, Any]) -> list[str]:
    """Return the names of the implementations that were not tested for harm."""
    return [name for name, each in data["implementations"].items() if not each["harm"]["sessions"]]


def percent(part: int, total: int) -> str:
    """Return a share as a text in percent, such as `7.5%`. A share above zero is at least `0.1%`."""
    return f"{max(100 * part / total, 0.1) if part else 0:.1f}%"


def confidence_interval(count: int, of: int) -> tuple[float, float]:
    """Return the bounds, in percent, of the 95 % confidence interval (Wilson) for a share of `count` in `of`."""
    if not of:
        return 0.0, 100.0
    z, share = 1.96, count / of
    middle, spread = share + z * z / (2 * of), z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low, high = ((middle + side * spread) / (1 + z * z / of) for side in (-1, 1))
    return 100 * max(0.0, low), 100 * min(1.0, high)


def _colour_class(kind: Kind, count: int, sessions: int) -> str:
    if not count:
        return "none"
    step = next(
        (at for at, limit in enumerate(_COLOUR_LIMITS, 1) if count <= limit * sessions),
        len(_COLOUR_LIMITS) + 1,
    )
    return f"{'harm' if kind in HARMS else 'wording'}-{step}"


_FOOT_HEIGHT = 18
"""Height of the line of text below the rows of the picture, in pixels."""
_COLUMN_GAP = 8
"""Space, in pixels, before the columns for blind edits and needless refusals (`overcautious`), which are not harm."""


@dataclass(frozen=True, slots=True)
class MapLayout:
    """Sizes of the harm map in pixels. Names with more than `letters` characters are shown without their version."""

    width: int
    names: int
    letters: int
    share: int
    sessions: int
    """Width of the column with the number of sessions. 0: no such column."""
    head: int
    row: int = 21
    size: float = 12.5
    margin: int = 14


WIDE_MAP = MapLayout(width=1120, names=236, letters=40, share=64, sessions=64, head=52)
NARROW_MAP = MapLayout(width=520, names=198, letters=25, share=44, sessions=0, head=92, size=12)


def harm_picture(rows: Sequence[MapRow], layout: MapLayout = WIDE_MAP) -> str:
    """Return the harm map as an SVG picture. The same rows produce the same text."""
    height = layout.margin * 2 + layout.head + layout.row * len(rows) + 4 + _FOOT_HEIGHT
    label = "In how many of the sessions that were tried each implementation and version did which harm"
    named = [
        (row, name if len(name) <= layout.letters else name.partition("@")[0])
        for row, name in ((row, visible(row.label)) for row in rows)
    ]
    kinds = _column_layout(
        layout.margin + layout.names + layout.sessions + layout.share, layout.width - layout.margin
    )
    colours = safe(styles(":root", "@media (prefers-color-scheme: dark) {{ :root {{ {} }} }}", []))
    return macro(template("harm.svg.j2"), "picture", named, kinds, layout, height, label, colours)


def _column_layout(left: float, right: float) -> list[dict[str, Any]]:
    """Return position, width and title of the column of each kind of harm. The columns fill `left` to `right`."""
    width = (right - left - _COLUMN_GAP) / len(KINDS)
    return [
        {
            "name": kind,
            "x": left + number * width + _COLUMN_GAP * (kind in NON_HARM_KINDS),
            "width": width,
            "lines": _split_title(COLUMN_TITLES[kind]),
        }
        for number, kind in enumerate(KINDS)
    ]


def _split_title(words: str) -> list[str]:
    """Split the title of a column into at most two lines of similar length."""
    if len(words) <= 13:
        return [words]
    parts = words.split(" ")
    at = min(
        range(1, len(parts)), key=lambda cut: max(len(" ".join(parts[:cut])), len(" ".join(parts[cut:])))
    )
    return [" ".join(parts[:at]), " ".join(parts[at:])]

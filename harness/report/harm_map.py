"""Map: who harms whom, a row for each implementation and version; as pictures, and a card of one row."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import sqrt
from typing import Any

from readfirst.harness.report.html import styles
from readfirst.harness.report.visible import visible
from readfirst.harness.suite.harm_kinds import BESIDE, HARMS, KINDS, Kind

BRIEFLY: Mapping[Kind, str] = {
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
"""Each kind in the few words that fit above a column."""
SAMPLED = (
    "* Asked a part of the sessions alone, spread evenly, because each takes long: in brackets, where the share of all"
    " lies in 95 of 100 such samples."
)
_STEPS = (0.005, 0.02, 0.05, 0.1)
"""The shares of sessions up to which the first four of five colours go."""


@dataclass(frozen=True, slots=True)
class MapCell:
    """In how many sessions a kind of harm was done, None where that cannot be told, and the shortest that shows it."""

    kind: Kind
    count: int | None
    tone: str
    """Its CSS class: `harm-1` to `harm-5`, `wording-1` to `wording-5` for what is counted beside harm, or `none`."""
    scenario: str = ""


@dataclass(frozen=True, slots=True)
class MapRow:
    """An implementation, `NAME@VERSION`, or a version of the `product`; `harmed` are sessions with any harm."""

    name: str
    product: bool
    sessions: int
    harmed: int
    cells: tuple[MapCell, ...]
    sampled: bool = False
    """Whether only a part of the sessions was tried, spread evenly."""

    @property
    def label(self) -> str:
        """The name as a row shows it."""
        return f"Claude Code {self.name}" if self.product else self.name

    @property
    def share(self) -> float:
        """The share of sessions in which anything was harmed."""
        return self.harmed / self.sessions

    @property
    def shown(self) -> str:
        """The share in percent, for a sample with a star and how certain it is."""
        return f"{self.starred_share} {self.bounds}".strip()

    @property
    def starred_share(self) -> str:
        """The share alone."""
        return percent(self.harmed, self.sessions) + "*" * self.sampled

    @property
    def bounds(self) -> str:
        """How certain the share of a sample is, in percent; empty where it is one of all sessions."""
        if not self.sampled:
            return ""
        low, high = interval(self.harmed, self.sessions)
        return f"({low:.0f}–{high:.0f})"


def map_rows(data: Mapping[str, Any]) -> list[MapRow]:
    """Return the rows of what `compatibility_data` gives, the most harmful first; nothing of who was not tried."""
    rows = [
        _counted(name, of == "versions", each["harm"])
        for of in ("implementations", "versions")
        for name, each in data[of].items()
        if "harm" in each and each["harm"]["sessions"]
    ]
    return sorted(rows, key=lambda row: (-row.share, row.product, row.name))


def starred(rows: Iterable[MapRow]) -> str:
    """Return what the star of a row means, empty where none has one."""
    return SAMPLED if any(row.sampled for row in rows) else ""


def untried(data: Mapping[str, Any]) -> list[str]:
    """Return the implementations in which nobody looked for harm."""
    return [name for name, each in data["implementations"].items() if not each["harm"]["sessions"]]


def percent(part: int, whole: int) -> str:
    """Return a share in percent with one digit behind the point; what is there never shows as nothing."""
    return f"{max(100 * part / whole, 0.1) if part else 0:.1f}%"


def interval(count: int, of: int) -> tuple[float, float]:
    """Return the bounds, in percent, within which a share lies in 95 of 100 samples of this size (Wilson)."""
    if not of:
        return 0.0, 100.0
    z, share = 1.96, count / of
    middle, spread = share + z * z / (2 * of), z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low, high = ((middle + side * spread) / (1 + z * z / of) for side in (-1, 1))
    return 100 * max(0.0, low), 100 * min(1.0, high)


def _counted(name: str, product: bool, harm: Mapping[str, Any]) -> MapRow:
    cells = []
    for kind in KINDS:
        count = harm["counts"].get(kind)
        tone = "none" if count is None else _tone(kind, count, harm["sessions"])
        cells.append(MapCell(kind, count, tone, harm["shortest"].get(kind, "")))
    return MapRow(name, product, harm["sessions"], harm["any"], tuple(cells), "sampled" in harm)


def _tone(kind: Kind, count: int, sessions: int) -> str:
    if not count:
        return "none"
    step = next((at for at, limit in enumerate(_STEPS, 1) if count <= limit * sessions), len(_STEPS) + 1)
    return f"{'harm' if kind in HARMS else 'wording'}-{step}"


_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'
_CSS = f"""text {{ font-family: {_FONT}; fill: var(--ink); font-variant-numeric: tabular-nums; }}
.paper {{ fill: var(--paper); }} text.quiet {{ fill: var(--quiet); }} .bold {{ font-weight: 650; }}
.none {{ fill: none; }} text.none {{ fill: var(--quiet); }}
"""
_TONES = "".join(
    f".{tone} {{ fill: var(--{tone}); }} text.{tone} {{ fill: var(--{tone}-ink); }}\n"
    for tone in (f"{of}-{step}" for of in ("harm", "wording") for step in range(1, 6))
)
_GAP = 8
"""Pixels between harm and what is counted beside it."""


@dataclass(frozen=True, slots=True)
class MapLayout:
    """Positions, in pixels; `letters` are those of a name before its version is left out."""

    width: int
    names: int
    letters: int
    share: int
    sessions: int
    """The width of that column, 0: it is left out."""
    head: int
    row: int = 21
    size: float = 12.5
    margin: int = 14


WIDE_MAP = MapLayout(width=1120, names=236, letters=40, share=64, sessions=64, head=52)
NARROW_MAP = MapLayout(width=520, names=198, letters=25, share=44, sessions=0, head=92, size=12)


def harm_picture(rows: Sequence[MapRow], layout: MapLayout = WIDE_MAP) -> str:
    """Return the map as a picture. The same rows give the same text."""
    height = layout.margin * 2 + layout.head + layout.row * len(rows) + 4
    label = "In how many of the sessions that were tried each implementation and version did which harm"
    drawn = [*_opened(layout.width, height, label), *_head(layout)]
    for number, row in enumerate(rows):
        drawn += _row(row, layout.margin + layout.head + number * layout.row, layout)
    return "\n".join([*drawn, "</svg>"]) + "\n"


def harm_card(row: MapRow, title: str) -> str:
    """Return a picture of one row for sharing, 1200 by 630 pixels."""
    drawn = _opened(1200, 630, f"{row.label}: whose work it loses")
    drawn += [
        _words(72, 110, visible(row.label), 54 if len(row.label) < 30 else 40, "bold"),
        _words(72, 156, visible(title), 26, "quiet"),
        _words(68, 282, row.shown, 110, "bold"),
        _words(72, 330, f"of {row.sessions:,} sessions made to provoke harm ended with harm", 28, "quiet"),
    ]
    width = (1200 - 2 * 72 - _GAP) / len(KINDS)
    for number, cell in enumerate(row.cells):
        x = 72 + number * width + _GAP * (cell.kind in BESIDE)
        drawn += [
            _words(x + width / 2, 400, cell.kind, 18, "bold", "middle"),
            *_cell(cell, x + 3, 416, width - 6, 84, 38),
        ]
    drawn += [_words(72, 576, "readfirst: whose work does a coding agent lose?", 26, "bold"), "</svg>"]
    return "\n".join(drawn) + "\n"


def _opened(width: int, height: int, label: str) -> list[str]:
    colours = styles(":root", "@media (prefers-color-scheme: dark) {{ :root {{ {} }} }}", [])
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(visible(label))}"'
        f' viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<style>\n{colours}{_CSS}{_TONES}</style>",
        f'<rect class="paper" width="{width}" height="{height}" rx="8"/>',
    ]


def _places(layout: MapLayout) -> tuple[list[float], float]:
    """Return where the cells of a row begin, and how wide each is."""
    first = layout.margin + layout.names + layout.sessions + layout.share
    width = (layout.width - layout.margin - first - _GAP) / len(KINDS)
    return [first + number * width + _GAP * (kind in BESIDE) for number, kind in enumerate(KINDS)], width


def _head(layout: MapLayout) -> Iterator[str]:
    places, width = _places(layout)
    bottom = layout.margin + layout.head - 8
    share = layout.margin + layout.names + layout.sessions + layout.share
    if layout.sessions:
        yield _words(share - layout.share - 10, bottom, "sessions", 11, "quiet", "end")
        yield _words(share - 8, bottom, "harmed", layout.size, "bold", "end")
    else:
        yield _upright(share - 16, bottom, "harmed")
    for kind, x in zip(KINDS, places, strict=True):
        if not layout.sessions:
            yield _upright(x + width / 2 + 4, bottom, kind)
            continue
        lines = _two_lines(BRIEFLY[kind])
        yield _words(x + width / 2, bottom - 26, kind, layout.size, "bold", "middle")
        for number, line in enumerate(lines):
            yield _words(x + width / 2, bottom - 12 + 11 * number, line, 10, "quiet", "middle")


def _two_lines(words: str) -> list[str]:
    """Return words on one or two lines, the first not much longer than the second."""
    if len(words) <= 13:
        return [words]
    parts = words.split(" ")
    at = min(
        range(1, len(parts)), key=lambda cut: max(len(" ".join(parts[:cut])), len(" ".join(parts[cut:])))
    )
    return [" ".join(parts[:at]), " ".join(parts[at:])]


def _row(row: MapRow, top: float, layout: MapLayout) -> Iterator[str]:
    places, width = _places(layout)
    middle = top + layout.row / 2 + layout.size * 0.36
    share = layout.margin + layout.names + layout.sessions + layout.share
    name = visible(row.label)
    if len(name) > layout.letters:
        name = name.partition("@")[0]
    yield _words(layout.margin, middle, name, layout.size, "bold" if row.product else "")
    if layout.sessions:
        yield _words(share - layout.share - 10, middle, f"{row.sessions:,}", layout.size - 1, "quiet", "end")
    yield _words(share - 8, middle, row.shown, layout.size, "bold", "end")
    for cell, x in zip(row.cells, places, strict=True):
        yield from _cell(cell, x + 1, top + 1, width - 2, layout.row - 2, layout.size)


def _cell(cell: MapCell, x: float, y: float, width: float, height: float, size: float) -> Iterator[str]:
    shown = "–" if cell.count is None else str(cell.count)
    if cell.tone != "none":
        yield f'<rect class="{cell.tone}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="3"/>'
    yield _words(x + width / 2, y + height / 2 + size * 0.36, shown, size, cell.tone, "middle")


def _words(x: float, y: float, text: str, size: float, kind: str = "", anchor: str = "start") -> str:
    of_class = f' class="{kind}"' if kind else ""
    anchored = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text{of_class} x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{anchored}>{escape(text, quote=False)}</text>'


def _upright(x: float, y: float, text: str) -> str:
    return (
        f'<text class="bold" font-size="11.5" transform="translate({x:.1f} {y:.1f}) rotate(-90)">'
        f"{escape(text, quote=False)}</text>"
    )

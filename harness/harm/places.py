"""Places: where a text is found in another, as it is and as conventions allow."""

from collections.abc import Iterator

Place = tuple[int, int]
"""Where a text begins and ends, in characters."""

_CURLY = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def folded(text: str) -> str:
    """Return the text with straight quotes for curly ones; its length stays."""
    return text.translate(_CURLY)


def places(text: str, old: str) -> list[Place]:
    """Return where `old` is found in a text, from the left, none overlapping another."""
    found: list[Place] = []
    if old:
        at = text.find(old)
        while at >= 0:
            found.append((at, at + len(old)))
            at = text.find(old, at + len(old))
    return found


def readings(text: str, old: str) -> Iterator[tuple[list[Place], bool]]:
    """Yield where `old` is found by each reading, and whether quotes were folded; as it is first, none without a place.

    The conventions `line-ends` and `quotes`: an LF stands for a CRLF as well, a straight quote for a curly one.
    """
    seen: list[list[Place]] = []
    for fold in (False, True):
        for bare in (False, True):
            found = _reading(text, old, fold=fold, bare=bare)
            if found and found not in seen:
                seen.append(found)
                yield found, fold


def _reading(text: str, old: str, *, fold: bool, bare: bool) -> list[Place]:
    if fold:
        text, old = folded(text), folded(old)
    if not bare or "\n" not in old:
        return places(text, old)
    found = places(text.replace("\r\n", "\n"), old.replace("\r\n", "\n"))
    return _placed_back(text, found)


def _placed_back(text: str, found: list[Place]) -> list[Place]:
    """Return places in a text whose CRLFs were LFs when they were found."""
    wanted = sorted({end for place in found for end in place})
    where: dict[int, int] = {}
    at = 0
    shift = 0
    for end in wanted:
        while (next_end := text.find("\r\n", at)) >= 0 and next_end - shift < end:
            shift += 1
            at = next_end + 2
        where[end] = end + shift
    return [(where[start], where[end]) for start, end in found]

"""Changed lines: what the model is shown of a text that changed."""

from __future__ import annotations

from difflib import SequenceMatcher

from readfirst.reference_impl.text.content import numbered_lines

__all__ = ["changed_lines"]

_AROUND = 8
"""How many unchanged lines are shown before and after those that changed."""


def changed_lines(before: str, after: str, prefix: str) -> str:
    """Return the changed places of a text, with the numbers that the lines have now; empty where nothing is left.

    `prefix` is the format of what stands before each line. Where only the last line's end differs, that line changed.
    """
    old, new = _with_ends(before), _with_ends(after)
    places = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND):
        first, last = group[0][3], group[-1][4]
        shown = [line.removesuffix("\n") for line in new[first:last]]
        places.append(numbered_lines(shown, prefix, first + 1))
    return "\n...\n".join(places)


def _with_ends(text: str) -> list[str]:
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]

"""Asked: what one call asks of one file, as far as the judge needs it, whatever tool makes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Replacement:
    """Put `new` where `old` is: at one place, at every place, or at as many as `count` says."""

    old: str
    new: str
    every: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """Let the file hold this text. `inserts`: it may also come before or after what the file holds."""

    text: str
    inserts: bool = False


def asked(tool: str, arguments: Mapping[str, Any]) -> tuple[Replacement, ...] | Written | None:
    """Return the replacements of an Edit or MultiEdit in their order, or what a Write writes.

    An Edit without old text writes the file, or puts the text before or after what it holds. None: a call of another
    tool, or one whose arguments say no such thing.
    """
    match tool:
        case "Write":
            content = arguments.get("content")
            return Written(content) if isinstance(content, str) else None
        case "Edit":
            one = _replacement(arguments)
            return None if one is None else _or_written((one,))
        case "MultiEdit":
            edits = arguments.get("edits")
            if not isinstance(edits, list) or not edits:
                return None
            several = [_replacement(each) for each in edits if isinstance(each, Mapping)]
            known = tuple(each for each in several if each is not None)
            return _or_written(known) if len(known) == len(edits) else None
        case _:
            return None


def _or_written(edits: tuple[Replacement, ...]) -> tuple[Replacement, ...] | Written:
    return Written(edits[0].new, inserts=True) if len(edits) == 1 and not edits[0].old else edits


def _replacement(arguments: Mapping[str, Any]) -> Replacement | None:
    old, new = arguments.get("old_string"), arguments.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    every, count = arguments.get("replace_all"), arguments.get("expected_replacements")
    return Replacement(old, new, every in (True, "true"), count if isinstance(count, int) else None)

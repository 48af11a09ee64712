"""The edit that a call requests, in a form that does not depend on the tool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Replacement:
    """A requested replacement of `old` by `new`: at the only place, at every place, or at exactly `count` places."""

    old: str
    new: str
    every: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True)
class NewText:
    """A request to write a text to a file. If `inserts`, the text may also be added before or after the old content."""

    text: str
    inserts: bool = False


RequestedEdit = Sequence[Replacement] | NewText
"""The edit that a call requests: the replacements of an Edit or MultiEdit, or the text of a Write."""


def parse_requested_edit(tool: str, arguments: Mapping[str, Any]) -> RequestedEdit | None:
    """Return the edit that a call requests. None if the tool does not edit files, or if its arguments are invalid."""
    match tool:
        case "Write":
            content = arguments.get("content")
            return NewText(content) if isinstance(content, str) else None
        case "Edit":
            replacement = _parse_replacement(arguments)
            return None if replacement is None else _insertion_or_edits((replacement,))
        case "MultiEdit":
            edits = arguments.get("edits")
            if not isinstance(edits, list) or not edits:
                return None
            replacements = [_parse_replacement(edit) for edit in edits if isinstance(edit, Mapping)]
            valid = [replacement for replacement in replacements if replacement is not None]
            return _insertion_or_edits(valid) if len(valid) == len(edits) else None
        case _:
            return None


def _insertion_or_edits(edits: Sequence[Replacement]) -> RequestedEdit:
    return NewText(edits[0].new, inserts=True) if len(edits) == 1 and not edits[0].old else edits


def _parse_replacement(arguments: Mapping[str, Any]) -> Replacement | None:
    old, new = arguments.get("old_string"), arguments.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    every, count = arguments.get("replace_all"), arguments.get("expected_replacements")
    return Replacement(old, new, every in (True, "true"), count if isinstance(count, int) else None)

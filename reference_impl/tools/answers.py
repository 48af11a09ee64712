"""Answers: what Edit and Write tell the model after they changed a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readfirst.reference_impl.contract import Behaviours
from readfirst.reference_impl.text.numbering import numbered
from readfirst.reference_impl.text.replacement import snippet

__all__ = ["CHANGED_ELSEWHERE", "created", "edited", "edited_several", "known", "overwritten"]

CHANGED_ELSEWHERE = (
    " (note: the file had been modified on disk since you last read it — the edit applied cleanly, but the file "
    "contains other changes not in your context. Read it before edits that depend on surrounding content.)"
)
_SHOWN = "Here's the result of running `cat -n` on a snippet of the edited file:\n"
_KNOWN = " (file state is current in your context — no need to Read it back)"

_LONGEST_QUOTE = 50


def known(behaviours: Behaviours) -> str:
    """Return the remark that the model knows all of the file now."""
    return _KNOWN if behaviours.state_is_told else ""


def created(behaviours: Behaviours, given: str) -> str:
    """Answer a Write that made a file, or filled an empty one. `given` is the path as the model wrote it."""
    return f"File created successfully at: {given}{known(behaviours)}"


def overwritten(behaviours: Behaviours, given: str, content: str) -> str:
    """Answer a Write over a file with content."""
    if behaviours.writes_are_shown:
        return f"The file {given} has been updated. {_SHOWN}{numbered(content, behaviours.line_prefix)}"
    return f"The file {given} has been updated successfully.{known(behaviours)}"


def edited(
    behaviours: Behaviours, given: str, content: str, found: str, new: str, *, everywhere: bool, remark: str
) -> str:
    """Answer an Edit. `content` is the file's text before it, `remark` what to tell about its state."""
    if everywhere:
        of, by = (f" of '{found}'", f" with '{new}'") if behaviours.replacements_are_quoted else ("", "")
        return (
            f"The file {given} has been updated. All occurrences{of} were successfully replaced{by}.{remark}"
        )
    if behaviours.edits_are_shown:
        lines = snippet(
            content, found, new, behaviours.line_prefix, everywhere=behaviours.every_match_is_replaced
        )
        return f"The file {given} has been updated. {_SHOWN}{lines}"
    return f"The file {given} has been updated successfully.{remark}"


def edited_several(given: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """Answer a MultiEdit."""
    lines = [
        f'{number}. Replaced "{_quoted(edit["old_string"])}" with "{_quoted(edit["new_string"])}"'
        for number, edit in enumerate(edits, start=1)
    ]
    count = "1 edit" if len(edits) == 1 else f"{len(edits)} edits"
    return "\n".join([f"Applied {count} to {given}:", *lines])


def _quoted(text: str) -> str:
    return f"{text[:_LONGEST_QUOTE]}..." if len(text) > _LONGEST_QUOTE else text

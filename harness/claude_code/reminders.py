"""Reminders that a version merges into results, and that tell of the conversation instead of the call."""

from __future__ import annotations

import re

__all__ = ["without_reminders_of_the_conversation"]

_BEGINNINGS = (
    r"<total_tokens>[0-9]+ tokens left</total_tokens>",
    r"The task tools haven't been used recently\.",
    r"The TodoWrite tool hasn't been used recently\.",
)
_REMINDER = re.compile(
    rf"\n{{1,2}}<system-reminder>\n(?:{'|'.join(_BEGINNINGS)})(?:(?!</system-reminder>).)*</system-reminder>",
    re.DOTALL,
)


def without_reminders_of_the_conversation(text: str) -> str:
    """Return a result without what depends on how many calls came before: tokens that are left, unused task lists.

    Scenarios share conversations, so such a reminder says nothing about the call that it is put behind.
    """
    return _REMINDER.sub("", text)

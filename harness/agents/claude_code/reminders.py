"""Reminders that a version merges into results, and that tell of the conversation instead of the call."""

from __future__ import annotations

import re

__all__ = ["counts_tokens", "without_reminders_of_the_conversation"]


def _reminder(beginning: str) -> re.Pattern[str]:
    return re.compile(
        rf"\n{{1,2}}<system-reminder>\n{beginning}(?:(?!</system-reminder>).)*</system-reminder>", re.DOTALL
    )


_ALWAYS = _reminder(r"<total_tokens>[0-9]+ tokens left</total_tokens>")
_NOW_AND_THEN = _reminder(r"The (?:task tools haven't|TodoWrite tool hasn't) been used recently\.")

_FOR_SUB_AGENTS = _reminder(
    r"(?:Available agent types for the Agent tool|The following skills are available for use with the Skill tool):"
)
"""What later versions tell a sub-agent behind its first result: always, so that a second try brings it again."""

_FIRST_NUMBER = re.compile(r"\A[0-9]{1,5}→")
_NUMBER_WIDTH = 7
_LAST_NUMBER = re.compile(r"\A[0-9]+\t(?:.*\n)?[0-9]+\Z", re.DOTALL)


def counts_tokens(text: str) -> bool:
    """Whether a result carries the reminder that comes with every message: how many tokens are left."""
    return _ALWAYS.search(text) is not None


def without_reminders_of_the_conversation(text: str) -> tuple[str, bool]:
    """Return a result without them, and whether one was there that comes only every so many calls.

    Scenarios share conversations, so such a reminder says nothing about the call that it is put behind. The
    version may have cut the blanks at both ends of the answer to put it there.
    """
    text, counted = _ALWAYS.subn("", text)
    text, listed = _FOR_SUB_AGENTS.subn("", text)
    text, disturbed = _NOW_AND_THEN.subn("", text)
    if (disturbed or listed) and not counted and _LAST_NUMBER.search(text):
        text += "\t"  # as behind every number
    if (disturbed or listed) and text.endswith("\n</system-reminder>"):
        text += "\n"  # as the version's own reminder about the file always ends
    # The first number of a file stands as wide as the others.
    text = _FIRST_NUMBER.sub(lambda match: match[0].rjust(_NUMBER_WIDTH), text)
    return text, disturbed > 0

"""Find and remove the reminders in results (about the conversation, changed files, hooks), to compare the results."""

import re
from collections.abc import Sequence


def _reminder_pattern(beginning: str, before: str = r"(?:\A|\n{1,2})") -> re.Pattern[str]:
    return re.compile(
        rf"{before}<system-reminder>\n?{beginning}(?:(?!</system-reminder>).)*</system-reminder>", re.DOTALL
    )


_TOKENS_LEFT_PATTERN = _reminder_pattern(r"<total_tokens>[0-9]+ tokens left</total_tokens>")
_UNUSED_TOOLS_PATTERN = _reminder_pattern(
    r"The (?:task tools haven't|TodoWrite tool hasn't) been used recently\."
)

_SUB_AGENT_PATTERN = _reminder_pattern(
    r"(?:(?:Available agent types for the Agent tool|The following skills are available for use with the Skill tool):"
    r"|Agent [0-9a-f]+ progress: )"
)
"""Matches later versions' reminders about sub-agents and skills. Removed, because they occur in every replay."""

_PLAN_MODE_PATTERN = _reminder_pattern(r"Plan mode (?:is|still) active")
"""Matches the reminder of plan mode. Some versions add the reminder to every result, other versions to some results."""

_FILE_CHANGE = r"Note: [^\n]+? (?:was modified, either by|changed on disk since) "
_MERGED_FILE_PATTERN = _reminder_pattern(_FILE_CHANGE, before=r"\n*")
_SEPARATE_FILE_PATTERN = re.compile(rf"(?:\A|\n\n){_FILE_CHANGE}.*?(?=\n\n[A-Z]|\Z)", re.DOTALL)

_REMINDER_TAG_PATTERN = re.compile(r"</?system-reminder>")

_MERGED_HOOK_PATTERN = re.compile(
    r"\n*<system-reminder>\n(?:\w+ \(\w+\) <post-tool-use-hook>(?P<element>.*?)</post-tool-use-hook>.*?"
    r"|(?P<bare>(?:Pre|Post)ToolUse:\w+ hook .*?))</system-reminder>",
    re.DOTALL,
)
_SEPARATE_HOOK_PATTERN = re.compile(
    r"(?:\A|\n\n)((?:(?:Pre|Post)ToolUse:\w+ hook |\w+ operation feedback:\n).*?)(?=\n\n[A-Z]|\Z)", re.DOTALL
)

_FIRST_NUMBER_PATTERN = re.compile(
    r"\A-?[0-9]{1,5}(?:→|\t(?=[^\n]*\n +-?[0-9]+(?:\t|\Z|\n\n<system-reminder>)))"
)
_FIRST_OF_LINES_PATTERN = re.compile(r"\A-?[0-9]{1,5}(?=[→\t]|\n\n<system-reminder>)")
_NUMBER_WIDTH_CHARS = 7
_LAST_NUMBER_PATTERN = re.compile(r"\A[0-9]+\t(?:.*\n)?[0-9]+\Z", re.DOTALL)


def counts_tokens(text: str) -> bool:
    """Whether a result has the reminder about remaining tokens, which some versions add to every message."""
    return _TOKENS_LEFT_PATTERN.search(text) is not None


def extract_file_reminders(text: str, notes: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Remove reminders about changed files from a result's `text`. Return the rest, and all reminders."""
    merged = [match[0] for match in _MERGED_FILE_PATTERN.finditer(text)]
    apart = [match[0] for note in _split_notes(notes) for match in _SEPARATE_FILE_PATTERN.finditer(note)]
    unwrapped = [
        reminder.strip("\n").removeprefix("<system-reminder>").removesuffix("</system-reminder>")
        for reminder in merged
    ]
    if merged:
        text = _MERGED_FILE_PATTERN.sub("", text).rstrip("\n")
        if text.endswith("\n</system-reminder>"):
            text += "\n"  # the version's own reminder about the file always ends with a newline
    return text, tuple(reminder.strip("\n") for reminder in (*unwrapped, *apart))


def extract_hook_reminders(text: str, notes: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Remove messages of hooks from a result's `text`. Return the rest, and the messages from `text` and `notes`."""
    merged = [match["element"] or match["bare"] for match in _MERGED_HOOK_PATTERN.finditer(text)]
    apart = [match[1] for note in _split_notes(notes) for match in _SEPARATE_HOOK_PATTERN.finditer(note)]
    return _MERGED_HOOK_PATTERN.sub("", text), tuple(reminder.strip("\n") for reminder in (*merged, *apart))


def _split_notes(notes: Sequence[str]) -> list[str]:
    """Return the texts of the reminders in `notes`, without reminder tags. A reminder that was split at a blank line
    into several notes is joined.
    """
    joined: list[str] = []
    for note in notes:
        if joined and joined[-1].count("<system-reminder>") > joined[-1].count("</system-reminder>"):
            joined[-1] += f"\n\n{note}"
        else:
            joined.append(note)
    return [part.strip("\n") for note in joined for part in _REMINDER_TAG_PATTERN.split(note)]


def remove_conversation_reminders(text: str, *, padded: bool = False) -> tuple[str, bool]:
    """Remove the reminders about the conversation from the text of a result. Return the remaining text, and whether a
    periodic reminder, such as one about an unused tool, was removed. Removed spaces before the first line number are
    restored. `padded` means that the text is surely a Read's result with padded line numbers.
    """
    text, token_reminders = _TOKENS_LEFT_PATTERN.subn("", text)
    text, constant_reminders = _SUB_AGENT_PATTERN.subn("", text)
    text, plan_reminders = _PLAN_MODE_PATTERN.subn("", text)
    constant_reminders += plan_reminders
    text, periodic_reminders = _UNUSED_TOOLS_PATTERN.subn("", text)
    if (
        (periodic_reminders or constant_reminders)
        and not token_reminders
        and _LAST_NUMBER_PATTERN.search(text)
    ):
        text += "\t"  # the separator after a line number
    if (periodic_reminders or constant_reminders) and text.endswith("\n</system-reminder>"):
        text += "\n"  # the version's own reminder about the file always ends with a newline
    # All line numbers of a file have the same width.
    if padded:
        text = _FIRST_OF_LINES_PATTERN.sub(lambda match: match[0].rjust(_NUMBER_WIDTH_CHARS - 1), text)
    text = _FIRST_NUMBER_PATTERN.sub(lambda match: match[0].rjust(_NUMBER_WIDTH_CHARS), text)
    return text, periodic_reminders > 0

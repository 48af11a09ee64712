"""Reminders that a version puts into or beside results: of the conversation, of files that changed, and by hooks."""

import re
from collections.abc import Sequence


def _reminder(beginning: str, before: str = r"(?:\A|\n{1,2})") -> re.Pattern[str]:
    return re.compile(
        rf"{before}<system-reminder>\n?{beginning}(?:(?!</system-reminder>).)*</system-reminder>",
        re.DOTALL,
    )


_ALWAYS = _reminder(r"<total_tokens>[0-9]+ tokens left</total_tokens>")
_NOW_AND_THEN = _reminder(r"The (?:task tools haven't|TodoWrite tool hasn't) been used recently\.")

_FOR_SUB_AGENTS = _reminder(
    r"(?:(?:Available agent types for the Agent tool|The following skills are available for use with the Skill tool):"
    r"|Agent [0-9a-f]+ progress: )"
)
"""What later versions say to a sub-agent after its first result, and others of one in the background: always, so that
a second try brings it again."""

_WHILE_PLANNING = _reminder(r"Plan mode (?:is|still) active")
"""What a version says after every result, or after some, while it may only plan."""

_OF_A_FILE = r"Note: [^\n]+? (?:was modified, either by|changed on disk since) "
_MERGED = _reminder(_OF_A_FILE, before=r"\n*")
_APART = re.compile(rf"(?:\A|\n\n){_OF_A_FILE}.*?(?=\n\n[A-Z]|\Z)", re.DOTALL)

_AROUND = re.compile(r"</?system-reminder>")

_MERGED_OF_A_HOOK = re.compile(
    r"\n*<system-reminder>\n(?:\w+ \(\w+\) <post-tool-use-hook>(?P<element>.*?)</post-tool-use-hook>.*?"
    r"|(?P<bare>(?:Pre|Post)ToolUse:\w+ hook .*?))</system-reminder>",
    re.DOTALL,
)
_OF_A_HOOK = re.compile(
    r"(?:\A|\n\n)((?:(?:Pre|Post)ToolUse:\w+ hook |\w+ operation feedback:\n).*?)(?=\n\n[A-Z]|\Z)", re.DOTALL
)

_FIRST_NUMBER = re.compile(r"\A-?[0-9]{1,5}(?:→|\t(?=[^\n]*\n +-?[0-9]+(?:\t|\Z|\n\n<system-reminder>)))")
_FIRST_OF_LINES = re.compile(r"\A-?[0-9]{1,5}(?=[→\t]|\n\n<system-reminder>)")
_NUMBER_WIDTH = 7
_LAST_NUMBER = re.compile(r"\A[0-9]+\t(?:.*\n)?[0-9]+\Z", re.DOTALL)


def counts_tokens(text: str) -> bool:
    """Whether a result carries the reminder that comes with every message: how many tokens are left."""
    return _ALWAYS.search(text) is not None


def file_reminders(text: str, notes: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a result without what it says of other files that changed, and what it and the notes beside it say.

    A version may have cut the whitespace at the end of the answer to put a reminder there.
    """
    merged = [found[0] for found in _MERGED.finditer(text)]
    apart = [found[0] for note in _bare(notes) for found in _APART.finditer(note)]
    unwrapped = [
        each.strip("\n").removeprefix("<system-reminder>").removesuffix("</system-reminder>")
        for each in merged
    ]
    if merged:
        text = _MERGED.sub("", text).rstrip("\n")
        if text.endswith("\n</system-reminder>"):
            text += "\n"  # as the version's own reminder about the file always ends
    return text, tuple(each.strip("\n") for each in (*unwrapped, *apart))


def hook_reminders(text: str, notes: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a result without what hooks have to say in it, and what they say there and in the notes beside it."""
    merged = [found["element"] or found["bare"] for found in _MERGED_OF_A_HOOK.finditer(text)]
    apart = [found[1] for note in _bare(notes) for found in _OF_A_HOOK.finditer(note)]
    return _MERGED_OF_A_HOOK.sub("", text), tuple(each.strip("\n") for each in (*merged, *apart))


def _bare(notes: Sequence[str]) -> list[str]:
    """Return notes without the elements that may be around their parts.

    After what a sub-agent answered, a version sends a reminder in several notes, cut at its blank lines.
    """
    joined: list[str] = []
    for note in notes:
        if joined and joined[-1].count("<system-reminder>") > joined[-1].count("</system-reminder>"):
            joined[-1] += f"\n\n{note}"
        else:
            joined.append(note)
    return [part.strip("\n") for note in joined for part in _AROUND.split(note)]


def without_reminders_of_the_conversation(text: str, *, padded: bool = False) -> tuple[str, bool]:
    """Return a result without them, and whether one was there that comes only every so many calls.

    `padded`: it is one of Read in a version that pads numbers with spaces, so that its first one lost them where it has
    none; otherwise that is only clear where it has an arrow, or a second line. Scenarios share conversations, so such
    a reminder says nothing about the call that it follows. The version may have cut the whitespace at both ends of the
    answer to put it there.
    """
    text, counted = _ALWAYS.subn("", text)
    text, listed = _FOR_SUB_AGENTS.subn("", text)
    text, planned = _WHILE_PLANNING.subn("", text)
    listed += planned
    text, disturbed = _NOW_AND_THEN.subn("", text)
    if (disturbed or listed) and not counted and _LAST_NUMBER.search(text):
        text += "\t"  # as after every number
    if (disturbed or listed) and text.endswith("\n</system-reminder>"):
        text += "\n"  # as the version's own reminder about the file always ends
    # The first number of a file is as wide as the others.
    if padded:
        text = _FIRST_OF_LINES.sub(lambda match: match[0].rjust(_NUMBER_WIDTH - 1), text)
    text = _FIRST_NUMBER.sub(lambda match: match[0].rjust(_NUMBER_WIDTH), text)
    return text, disturbed > 0

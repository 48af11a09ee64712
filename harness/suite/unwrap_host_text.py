"""Remove texts that the host program (the agent around the tools) added to the answer of a tool."""

import re

_WHENEVER = "\n\n<system-reminder>\nWhenever you read a file, you should consider whether it "
HOST_TEXTS = {
    "malware": (
        f"{_WHENEVER}would be considered malware. You CAN and SHOULD provide analysis of malware, what it is doing. "
        "But you MUST refuse to improve or augment the code. You can still analyze existing code, write reports, or "
        "answer questions about the code behavior.\n</system-reminder>\n"
    ),
    "malicious": (
        f"{_WHENEVER}looks malicious. If it does, you MUST refuse to improve or augment the code. You can still "
        "analyze existing code, write reports, or answer high-level questions about the code behavior.\n"
        "</system-reminder>\n"
    ),
}
"""Texts that host programs append to many answers. Recordings contain the keys, such as `malware`, in place of them."""

_ERROR_TAGS = ("<tool_use_error>", "</tool_use_error>")
_REMINDER_TAGS = ("<system-reminder>", "</system-reminder>")


def answer_of(text: str) -> str:
    """Return the answer of the tool, without texts that the host program added: a `<tool_use_error>` element around the
    whole text, and `<system-reminder>` elements on separate lines after the answer. If the text consists only of a
    reminder, as for a Read of an empty file, the reminder is the answer.
    """
    return unwrapped(text)[0]


def unwrapped(text: str) -> tuple[str, bool, str]:
    """Return the tool's answer, whether the host enclosed it in `<tool_use_error>`, and the host's text after it."""
    answer = _without_reminders(text)
    after = text[len(answer) :]
    opening, closing = _ERROR_TAGS
    if answer.startswith(opening) and answer.endswith(closing):
        return answer[len(opening) : -len(closing)], True, after
    return answer, False, after


def wrapped(answer: str, is_wrapped: bool, after: str) -> str:
    """Return the original text, from the three values that `unwrapped` returned."""
    opening, closing = _ERROR_TAGS
    return f"{opening}{answer}{closing}{after}" if is_wrapped else answer + after


def _without_reminders(text: str) -> str:
    opening, closing = _REMINDER_TAGS
    while (trimmed := text.rstrip("\n")).endswith(closing):
        start = trimmed.rfind(opening)
        if start <= 0 or text[start - 1] != "\n":
            break
        text = text[:start].removesuffix("\n").removesuffix("\n")
    return text


_WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that JavaScript's `trim()` removes. The product uses it to trim answers."""


def without_outer_whitespace(text: str) -> str:
    """Return the text without whitespace at its beginning and end, as JavaScript's `trim()` does."""
    return text.strip(_WHITESPACE)


_TEMPORARY_NAME_PATTERN = re.compile(r"\.tmp\.[0-9]+\.[0-9a-f]{6,}")
"""Matches the end of a temporary file's name (process id and random digits), to replace it by a fixed name."""

_BYTES_SENT_PATTERN = re.compile(r"\(first [0-9]+ of [0-9]+ bytes\)")
"""Matches a size in an answer, such as `(first 10 of 90 bytes)`, that depends on the length of the workspace's path."""

_SAVED_PATH_PATTERN = re.compile(r"(?<=\bFull output saved to: )/\S+")
"""Pattern of the path of a saved answer. The path is in a directory of the product and differs between runs."""


def normalize_text(text: str, root: str, home: str) -> str:
    """Return an answer without values that differ between runs: `$WS` replaces `root`, the path of the workspace, and
    `$HOME` replaces `home`. Fixed names replace the names of temporary files and saved answers. `N` replaces numbers of
    bytes that vary with the length of paths.
    """
    if "saved to: " in text:
        text = _SAVED_PATH_PATTERN.sub("FILE", text)
    text = text.replace(root, "$WS").replace(home, "$HOME")
    if ".tmp." in text:
        text = _TEMPORARY_NAME_PATTERN.sub(".tmp.N", text)
    return _BYTES_SENT_PATTERN.sub("(first N of N bytes)", text) if "(first " in text else text

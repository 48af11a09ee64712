"""Check the limits of Read, and refuse content that is too large."""

from __future__ import annotations

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.text.content import numbered_lines
from readfirst.reference_impl.text.js_number import size_text

__all__ = [
    "advice_on_lines",
    "first_page",
    "is_too_long",
    "refuse_too_large",
    "refuse_too_long",
    "size_advice",
]

_MAX_SIZE = 262_144
_MAX_TOKENS = 25_000
_CHARACTERS_PER_TOKEN = 4
_PAGE_SHARE = 0.85
_ADVICE = {
    "GrepTool": "Please use offset and limit parameters to read specific portions of the file, or use the GrepTool to "
    "search for specific content.",
    "search": "Use offset and limit parameters to read specific portions of the file, or search for specific content "
    "instead of reading the whole file.",
}
_ALLOW_LARGE_ADVICE = (
    " To read it anyway, up to what still fits in your context, call Read again with allow_large: true — only if you "
    "genuinely need all of it or the user asked for the whole file."
)


def advice_on_lines(behaviours: Behaviours) -> str:
    """Return the advice in the refusal of a large text file. Some versions recommend `allow_large: true`."""
    return size_advice(behaviours) + (
        _ALLOW_LARGE_ADVICE if behaviours.reading.size_refusal_offers_allow_large else ""
    )


def size_advice(behaviours: Behaviours) -> str:
    """Return the advice in the refusal of any too large content, such as to read a part of the content."""
    return _ADVICE[behaviours.reading.size_refusal_advice]


def refuse_too_large(size: int, behaviours: Behaviours) -> None:
    """Raise Refusal if a size, in bytes of a file or UTF-16 code units of a text, is more than 262,144."""
    if size > _MAX_SIZE:
        shown = f"{size / 1024:.0f}KB" if behaviours.reading.size_refusals_use_kilobytes else size_text(size)
        raise Refusal(
            "too_large",
            f"File content ({shown}) exceeds maximum allowed size ({size_text(_MAX_SIZE)}). "
            f"{advice_on_lines(behaviours)}",
        )


def _count_tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def is_too_long(text: str) -> bool:
    """Whether a text has more than 25,000 tokens. Four characters are counted as one token."""
    return _count_tokens(text) > _MAX_TOKENS


def first_page(text: str, prefix: str) -> tuple[str, str]:
    """Return the first lines of a text with too many tokens, about 85 % of the allowed tokens, and a notice. If these
    lines have too many characters, return the first characters instead.
    """
    tokens = _count_tokens(text)
    lines, share = text.split("\n"), _PAGE_SHARE * _MAX_TOKENS / tokens
    count = int(len(lines) * share)
    page = lines[:count]
    if page and len(numbered_lines(page, prefix, 1)) <= _MAX_SIZE:
        return "\n".join(page), (
            f"[Truncated: PARTIAL view — showing lines 1-{count} of {len(lines)} total ({tokens} tokens, cap "
            f"{_MAX_TOKENS}). Call Read with offset={count + 1} limit={count} for the next page, or Grep to find a "
            "specific section. Do NOT answer from this page alone if the answer may be further in the file.]"
        )
    count = int(len(text) * share)
    return text[:count], (
        f"[Truncated: PARTIAL view — showing the first {count} of {len(text)} characters ({tokens} tokens, cap "
        f"{_MAX_TOKENS}); this file has very long lines and cannot be paginated by line. Use Grep to find a specific "
        "section, or Read with offset/limit to page through it. Do NOT answer from this excerpt alone if the answer "
        "may be elsewhere in the file.]"
    )


def refuse_too_long(text: str, advice: str) -> None:
    """Raise Refusal if a text has more than 25,000 tokens. `advice` is the end of the message."""
    if is_too_long(text):
        raise Refusal(
            "too_many_tokens",
            f"File content ({_count_tokens(text)} tokens) exceeds maximum allowed tokens ({_MAX_TOKENS}). {advice}",
        )

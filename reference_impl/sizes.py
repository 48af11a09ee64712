"""Sizes: how much Read shows at once, and how it names what is too much."""

from __future__ import annotations

from reference_impl.refusal import Refusal

__all__ = ["refuse_too_large", "refuse_too_long", "rounded"]

_MAX_SIZE = 262_144
_MAX_TOKENS = 25_000
_CHARACTERS_PER_TOKEN = 4
_ADVICE = (
    "Please use offset and limit parameters to read specific portions of the file, or use the GrepTool to search "
    "for specific content."
)


def rounded(size: int) -> str:
    """Return a number of bytes for people: `189 bytes`, `256KB`, `4.8MB`."""
    if size < 1024:
        return f"{size} bytes"
    amount, unit = (size / 1024, "KB") if size < 1024 * 1024 else (size / 1024 / 1024, "MB")
    return f"{amount:.1f}".removesuffix(".0") + unit


def refuse_too_large(size: int) -> None:
    """Refuse more than 262,144 bytes of a file, or UTF-16 units of a text."""
    if size > _MAX_SIZE:
        raise Refusal(
            "too_large",
            f"File content ({rounded(size)}) exceeds maximum allowed size ({rounded(_MAX_SIZE)}). {_ADVICE}",
        )


def refuse_too_long(text: str) -> None:
    """Refuse more than 25,000 tokens; four characters are taken for one token."""
    tokens = -(-len(text) // _CHARACTERS_PER_TOKEN)
    if tokens > _MAX_TOKENS:
        raise Refusal(
            "too_many_tokens",
            f"File content ({tokens} tokens) exceeds maximum allowed tokens ({_MAX_TOKENS}). {_ADVICE}",
        )

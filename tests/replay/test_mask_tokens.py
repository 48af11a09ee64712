"""Tokens that differ in each call are masked. Values that could come from another session are not."""

import pytest

from readfirst.harness.adapters.mask_tokens import mask_tokens


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("id 6f1c4d2e-94f1-4a3e-8e0c-0d5b9d1f2a3b", "id …"),
        ("etag 9f86d081884c", "etag …"),
        ("at 2026-11-29T06:15:41.123Z", "at …"),
        ("at 2026-11-29 06:15, or 06:15:41", "at …, or …"),
        ("mtime 1795932941.25", "mtime …"),
        ("read in 12.5 ms", "read in …"),
    ],
)
def test_tokens_are_masked(text: str, masked: str) -> None:
    assert mask_tokens(text) == masked


@pytest.mark.parametrize(
    "text", ["     3→three", "version 4", "deadbeef", "12345678 bytes", "/s/12/notes.txt"]
)
def test_line_numbers_counts_and_words_stay(text: str) -> None:
    assert mask_tokens(text) == text

"""Behaviours of texts before any rule is applied."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["PreparationBehaviours"]


class PreparationBehaviours(Group):
    """Conversion of new text before any rule is applied."""

    unicode_escapes_are_decoded: bool = behaviour(
        False,
        {"2.1.116": True},
        meaning="Before any rule is applied, `\\uXXXX` in the arguments of Edit and Write becomes the character with "
        "this code.",
        shown_by=("literal-text/unicode-escape", "literal-text/write-special-text"),
    )
    control_character_escapes_are_kept: bool = behaviour(
        False,
        {"2.1.277": True},
        meaning="In the arguments of Edit and Write, the `\\uXXXX` escape of a control character is not replaced by "
        "the character.",
        shown_by=("literal-text/unicode-escapes-of-every-kind",),
    )
    windows_paths_keep_escapes: bool = behaviour(
        False,
        {"2.1.218": True},
        meaning="In the arguments of Edit and Write, a text that contains a Windows path keeps its `\\uXXXX` escapes.",
        shown_by=("literal-text/windows-path",),
    )
    trailing_whitespace_is_stripped: bool = behaviour(
        False,
        {"1.0.113": True},
        documented=False,
        meaning="Write, and Edit of an existing file, strip the whitespace at the line ends of the inserted text.",
        source="2.1.7-read-before-edit.txt, Core Replacement",
        shown_by=("whitespace/trailing-whitespace-is-the-whole-change",),
    )
    markdown_keeps_trailing_whitespace: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="Text that is inserted into a Markdown file keeps its trailing whitespace.",
        shown_by=("whitespace/trailing-whitespace-in-markdown", "write/trailing-whitespace-markdown"),
    )

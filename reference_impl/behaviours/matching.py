"""Behaviours of matching and replacing text."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["MatchingBehaviours"]


class MatchingBehaviours(Group):
    """How Edit finds text in a file, and replaces it."""

    curly_quotes_match_straight: bool = behaviour(
        False,
        {"1.0.45": True},
        meaning="Straight quotes in `old_string` of Edit match curly quotes in the file, and vice versa.",
        source="2.1.7-read-before-edit.txt, String Matching Algorithm",
        shown_by=("quotes/straight-finds-curly-double",),
    )
    new_text_takes_curly_quotes: bool = behaviour(
        False,
        {"2.1.47": True},
        meaning="If straight quotes in `old_string` of Edit matched curly quotes in the file, straight quotes in "
        "`new_string` become curly, too.",
        shown_by=("quotes/straight-quotes-inserted-where-curly-matched",),
    )
    unicode_escapes_match_characters: bool = behaviour(
        False,
        {"2.1.118": True},
        meaning="In `old_string` of Edit, an escape `\\uXXXX` also matches its character, and a character its escape; "
        "if the file contains neither form, the refusal says that both were tried.",
        shown_by=("literal-text/character-for-escape", "literal-text/composed-and-decomposed"),
    )
    missing_texts_keep_half_characters: bool = behaviour(
        True,
        {"2.1.191": False},
        meaning="If `old_string` is not in the file, the refusal of Edit quotes half of a surrogate pair unchanged "
        "instead of as U+FFFD.",
        shown_by=("crossings/half-a-pair-sought",),
    )
    execution_rechecks_matches: bool = behaviour(
        False,
        {"2.1.321": True},
        meaning="Right before writing, Edit checks again that the text occurs only once, and that a file to be "
        "created has no content.",
        shown_by=("race/target-doubled-during-call", "race/edit-new-created-during-call"),
    )
    counted_matches_are_all_replaced: bool = behaviour(
        True,
        {"1.0.8": False},
        meaning="After counting the occurrences of a text, Edit and MultiEdit replace every occurrence. In its "
        "answer, Edit shows the lines as if every occurrence of an empty text were replaced.",
        shown_by=("creation/edit-replaces-newlines", "creation/edit-replaces-blank-file"),
    )

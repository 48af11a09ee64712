"""Matching: what Edit finds, and what it puts there."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import behaviour

__all__ = ["MatchingBehaviours"]


@dataclass(frozen=True, kw_only=True)
class MatchingBehaviours:
    """What Edit finds in a file, and what it replaces."""

    curly_quotes_match_straight: bool = behaviour(
        False,
        {"1.0.45": True},
        meaning="Edit finds curly quotes by straight ones, and the other way round.",
        source="2.1.7-read-before-edit.txt, String Matching Algorithm",
        shown_by=("quotes/straight-finds-curly-double",),
    )
    new_text_takes_curly_quotes: bool = behaviour(
        False,
        {"2.1.47": True},
        meaning="Where Edit found curly quotes by straight ones, straight quotes of the new text become "
        "curly as well.",
        shown_by=("quotes/straight-quotes-inserted-where-curly-matched",),
    )
    unicode_escapes_match_characters: bool = behaviour(
        False,
        {"2.1.118": True},
        meaning="Edit finds `\\uXXXX` by its character, and the other way round, and says so if neither "
        "is in the file.",
        shown_by=("literal-text/character-for-escape", "literal-text/composed-and-decomposed"),
    )
    execution_rechecks_matches: bool = behaviour(
        False,
        {"2.1.321": True},
        meaning="Right before writing, Edit refuses several matches and a creation over content once more.",
        shown_by=("race/target-doubled-during-call", "race/edit-new-created-during-call"),
    )
    counted_matches_are_all_replaced: bool = behaviour(
        True,
        {"1.0.8": False},
        meaning="Edit and MultiEdit replace every occurrence of a text that was counted in the file "
        "before, and the lines that Edit shows have every occurrence of an empty text replaced.",
        shown_by=("creation/edit-replaces-newlines", "creation/edit-replaces-blank-file"),
    )

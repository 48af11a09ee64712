"""Both kinds of search generate every kind of content and name that a tool may treat specially."""

import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest

from readfirst.harness.suite.repeated_text import RepeatedText
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall, calls_of
from readfirst.observatory.fuzz.generate import scenarios
from readfirst.observatory.fuzz.text_generators import (
    FORMATS,
    MAX_LITERAL_ARGUMENT_CHARS,
    SIZES,
    argument_text,
    file_content,
    large_content,
    large_text,
)
from tests.rows import rows

SCENARIOS = 500
LARGER_THAN_ANY_OTHER = 25_000
"""A size in bytes that only contents from `large_content` reach. Even six of the longest random lines are smaller."""
CATEGORIES = sorted({unicodedata.category(chr(point)) for point in range(0x10000)} - {"Cs", "Cn"})
"""All Unicode categories except surrogates and unassigned characters. Each has a character up to U+FFFF."""
CONTROLS = [chr(point) for point in (0x1B, 0x07, 0x08)]
OTHER_FORMATS = {
    "a fence": "```",
    "JSON": '{"alpha"',
    "XML": "<?xml",
    "a script": "#!/bin/sh",
    "a variable": "${HOME}",
    "line numbers": "     1\talpha",
    "a patch": "--- a/notes.txt\n+++ b/notes.txt",
    "an edit in blocks": "<<<<<<< SEARCH",
    "words of the harness": "<system-reminder>",
    "a pattern": "(?P<a>",
    "escapes": "\\u0041",
    "a table": "a,b,",
}
ENDINGS = ("", ".md", ".py", ".json", ".yaml", ".xml", ".html", ".sh", ".csv", ".env", ".tsx", ".bak", "~")
STEMS = ("a b", "na\u00efve", "e\u0301", "-rf", "CON", "#tag", "'q'", "a%20b")


@cache
def draw_texts_and_names(*, alone: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts in the arguments of calls, and the names of files, in 500 generated scenarios.

    `alone`: generate the scenarios as for a search at the level `safe`, which looks only for harm.
    """
    texts: list[str] = []
    names: list[str] = []
    for scenario in islice(scenarios(3, large=alone), SCENARIOS):
        names += scenario.given.files
        texts += (text[:2000] for text in _texts(scenario))
    return tuple(texts), tuple(names)


@cache
def reached_sizes() -> tuple[frozenset[int], frozenset[int]]:
    """Return the SIZES that large generated texts are close to: the sizes of arguments, and the sizes of files."""
    arguments: set[int] = set()
    files: set[int] = set()
    random = Random(3)
    for _ in range(500):
        made = large_content(random)
        files |= sizes_near(len(made.text.encode()) * made.times)
    for _ in range(600):
        arguments |= sizes_near(len(large_text(random).encode()))
    return frozenset(arguments), frozenset(files)


def sizes_near(size: int) -> set[int]:
    """Return the buffer sizes in SIZES that differ from `size` by at most 32 bytes."""
    return {each for each in SIZES if abs(size - each) <= 32}


def _texts(scenario: Scenario) -> Iterator[str]:
    for step in scenario.steps:
        for call in step.calls if isinstance(step, ParallelCalls) else (step,):
            if isinstance(call, ToolCall):
                yield from (text for name, text in _strings(call.arguments) if name != "file_path")


def _strings(arguments: Any) -> Iterator[tuple[str, str]]:
    return ((name, value) for name, value in arguments.items() if isinstance(value, str))


def holds(wanted: str) -> Callable[[bool], bool]:
    return lambda alone: any(wanted in text for text in draw_texts_and_names(alone=alone)[0])


@pytest.mark.parametrize("alone", [True, False], ids=["by harm", "beside another"])
class TestDrawn:
    def test_a_character_of_every_category(self, alone: bool) -> None:
        there = set(map(unicodedata.category, set().union(*draw_texts_and_names(alone=alone)[0])))
        assert there.issuperset(CATEGORIES)

    @rows("look", [*CONTROLS, *OTHER_FORMATS.values()])
    def test_a_text_that_looks_like_another_format(self, alone: bool, look: str) -> None:
        assert any(look in each for each in FORMATS)
        assert holds(look)(alone)

    @rows("ending", ENDINGS)
    def test_a_name_with_every_ending(self, alone: bool, ending: str) -> None:
        names = [each.rpartition("/")[2] for each in draw_texts_and_names(alone=alone)[1]]
        assert any(each.endswith(ending) if ending else "." not in each for each in names)

    @rows("stem", STEMS)
    def test_a_name_of_every_kind(self, alone: bool, stem: str) -> None:
        assert any(stem in each for each in draw_texts_and_names(alone=alone)[1])


@rows("size", SIZES)
def test_arguments_and_files_around_the_size_of_every_buffer(size: int) -> None:
    arguments, files = reached_sizes()
    assert size in files
    assert size in arguments


def test_one_of_many_texts_and_files_is_as_large() -> None:
    random = Random(3)
    assert any(len(argument_text(random).encode()) > LARGER_THAN_ANY_OTHER for _ in range(4_000))
    assert any(len(file_content(random).data) > LARGER_THAN_ANY_OTHER for _ in range(4_000))


def test_an_argument_that_is_too_long_for_a_file_is_a_repeated_text() -> None:
    arguments = (
        value
        for scenario in scenarios(11, large=True)
        for step in scenario.steps
        for call in calls_of(step)
        for value in call.arguments.values()
    )
    long = (
        value for value in arguments if isinstance(value, str) and len(value) > MAX_LITERAL_ARGUMENT_CHARS
    )
    assert {type(value) for value in islice(long, 3)} == {RepeatedText}


def test_a_missing_kind_of_value_is_noticed() -> None:
    assert not holds("no text holds this")(True)

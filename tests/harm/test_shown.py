from collections.abc import Sequence

import pytest
from ways_to_show import NUMBERED, UNNUMBERED

from readfirst.harness.harm.text_codec import Content
from readfirst.harness.harm.visible_lines import shown_lines
from tests.rows import rows

CONTENTS = {
    "plain": "alpha\nbeta\ngamma\n",
    "one line": "alpha = 1\n",
    "indented": "def run():\n    if ready:\n        return 1\n    return 0\n",
    "indented by tabs": "all: one\n\tmake one\n\t\tmake two\n\tmake three\n",
    "tabs within": "a\tb\tc\n10\t2\t300\n",
    "trailing blanks": "alpha  \nbeta\t\ngamma \n",
    "quotes": 'say "it\'s"\n\'one\' and "two"\n"three"\nback\\slash\\n\n',
    "not ASCII": "caf\u00e9\n\u65e5\u672c\u8a9e \U0001f600\nna\u00efve \u2192 \u201cquoted\u201d\n",
    "blank lines": "\nalpha\n\n\nbeta\n   \ngamma\n\n",
    "CRLF": "alpha\r\nbeta\r\n\r\ngamma\r\n",
    "no final newline": "alpha\nbeta",
    "markup": '<p class="x">a &amp; b</p>\nif a < b && c > d:\n&lt;\n',
    "table": "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "numbers in front": "12: foo\n13: bar\n1\t2\n7|x\n",
    "numbers alone": "3\n2\n1\n10\n",
    "twelve lines": "".join(f"line number {number};\n}}\n" for number in range(6)),
    "carets": "[^A-Z]^I$\ncost: 5$\nM-x\n^M\n",
    "differences": "+added\n-removed\n kept\n> mail\n",
    "same lines": "x\nx\ny\nx\nx\n",
}


def lines_of(text: str) -> list[str]:
    return Content.of(text.encode()).lines


def show(form: str, lines: Sequence[str], first: int = 1) -> str:
    """Return an answer in a form of `NUMBERED` or `UNNUMBERED`. `first`: the number of the first line."""
    if form in UNNUMBERED_FORMS:
        return UNNUMBERED_FORMS[form](lines)
    return NUMBERED[form](lines, lambda index: str(index + first))


UNNUMBERED_FORMS = {f"{name}, without numbers": form for name, form in UNNUMBERED.items()}
ALL_FORMS = [*NUMBERED, *UNNUMBERED_FORMS]
INDENTED = "all indented, without numbers"


@rows(("form", "content"), [(form, content) for form in ALL_FORMS for content in CONTENTS])
def test_all_lines_are_detected_in_every_form_of_an_answer(form: str, content: str) -> None:
    lines = lines_of(CONTENTS[content])
    if (form, content) != (INDENTED, "one line"):  # the line itself might be indented
        for first in (1, 0):
            assert shown_lines(lines, show(form, lines, first)) == [True] * len(lines)


def not_blank(lines: Sequence[str], shown: Sequence[bool]) -> list[str]:
    return [line for line, each in zip(lines, shown, strict=True) if each and line.strip()]


@rows(("form", "content"), [(form, content) for form in NUMBERED for content in CONTENTS])
def test_lines_with_wrong_numbers_do_not_count_as_shown(form: str, content: str) -> None:
    lines = lines_of(CONTENTS[content])
    if form not in ("JSON objects", "JSON pairs") or content != "one line":  # it might be a size
        for first in (2, 3, 7):
            assert not_blank(lines, shown_lines(lines, show(form, lines, first))) == []


@rows("form", NUMBERED)
def test_a_part_of_a_file_may_be_numbered_from_its_own_first_line(form: str) -> None:
    lines = [f"text {chr(97 + index)}" for index in range(12)]
    part = [False] * 5 + [True] * 4 + [False] * 3
    for first in (6, 5, 1, 0):
        assert shown_lines(lines, show(form, lines[5:9], first)) == part
    for first in (7, 4, 2, 9):
        assert not any(shown_lines(lines, show(form, lines[5:9], first))), first


def test_all_lines_of_an_answer_must_have_the_same_offset_between_number_and_line() -> None:
    lines = ["alpha", "beta", "gamma", "delta", "omega"]
    answer = "1\talpha\n2\tbeta\n4\tgamma\n5\tdelta\n6\tomega"
    assert shown_lines(lines, answer) == [True, True, False, False, False]


LINES = ["def run(self):", "    first = 1", "    second = call(First)", "", "    return second"]
NEARLY_EQUAL_LINES = {
    "cut short": (2, "    second = call(Fi…"),
    "cut": (2, "    second = call("),
    "one character": (2, "    second = coll(First)"),
    "indentation dropped": (2, "second = call(First)"),
    "indentation halved": (2, "  second = call(First)"),
    "indentation doubled": (2, "        second = call(First)"),
    "case": (2, "    second = call(first)"),
    "end of line more": (2, "    second = call(First) # x"),
    "word in front": (2, "    a second = call(First)"),
    "nothing": (2, ""),
}
"""Slightly different lines: the index of the line, and the text that the answer shows instead."""


@rows(("form", "wrong"), [(form, wrong) for form in ALL_FORMS for wrong in NEARLY_EQUAL_LINES])
def test_a_line_that_differs_slightly_from_the_file_does_not_count_as_shown(form: str, wrong: str) -> None:
    index, text = NEARLY_EQUAL_LINES[wrong]
    told = [*LINES]
    told[index] = text
    shown = shown_lines(LINES, show(form, told))
    assert shown == [True, True, False, True, True]


@rows("form", ALL_FORMS)
def test_lines_of_another_file_or_of_an_older_text_do_not_count_as_shown(form: str) -> None:
    other = ["class Other:", "    def stop(self):", "        pass"]
    assert not_blank(LINES, shown_lines(LINES, show(form, other))) == []
    older = [LINES[0], *LINES[2:]]
    assert not shown_lines(LINES, show(form, older))[1]


@rows(
    "answer",
    [
        "",
        "Read.",
        "Done. 5 lines.",
        "File unchanged since last read. The content from the earlier Read is still current.",
        "notes.txt: 5 lines, 92 bytes",
        "1\n2\n3\n4\n5\n",
        "1\t\n2\t\n3\t\n4\t\n5\t\n",
        "1→def run(self):…",
        '{"lines": 5, "content": ""}',
        "def run(self): first = 1 second = call(First) return second",
    ],
)
def test_an_answer_without_file_content_shows_no_lines(answer: str) -> None:
    assert not_blank(LINES, shown_lines(LINES, answer)) == []


def test_digits_at_the_start_of_a_line_are_not_taken_for_its_number() -> None:
    lines = ["foo", "12: foo", "1: foo", "bar"]
    assert shown_lines(lines, "1: foo") == [False, False, True, False]
    assert shown_lines(lines, "1: foo\n2: 12: foo\n3: 1: foo\n4: bar") == [True] * 4
    assert shown_lines(lines, "12: foo\n1: foo") == [False, True, True, False]


def test_an_answer_with_a_diff_shows_the_new_lines() -> None:
    lines = ["alpha", "beta", "gamma"]
    assert shown_lines(lines, "@@ -1,2 +1,3 @@\n alpha\n-delta\n+beta\n gamma") == [True] * 3
    assert shown_lines(lines, "-beta") == [False] * 3


@pytest.mark.parametrize("digits", ["7" * 18, "7" * 5000])
def test_a_long_line_of_digits_is_not_taken_for_a_number(digits: str) -> None:
    assert shown_lines(["alpha", digits], digits) == [False, True]
    assert shown_lines([digits], f"     1→{digits}") == [True]


TWO, SIX = ["alpha", "beta"], ["alpha", "beta", "", "gamma", "alpha", "\x1b[31mred"]


@rows(
    ("lines", "answer", "shown"),
    [
        (TWO, "<content>1: alpha\n2: beta\n</content>", [0, 1]),
        (TWO, "Displayed.\nContent: alpha\nbeta", [0, 1]),
        (TWO, "<content>2: alpha\n", []),
        (TWO, "Content: beta", [1]),
        (TWO, "Content: beta\nother", [1]),
        (TWO, "The file has the words: alpha, beta", []),
        (SIX, "Displayed.\nContent: beta\n\ngamma", [1, 2, 3]),
        (SIX, "<content>4: gamma\n5: alpha\n", [2, 3, 4]),
        (SIX, "Content: gamma", [2, 3]),
        (SIX, "Content: gamma\nbeta", [1, 2, 3]),
        (SIX, "<content>3: gamma\n5: alpha\n", [2, 4]),
        (SIX, "Content: alpha", [0, 2]),
        (SIX, "Content: \x1b[31mred\ngamma", [2, 3, 5]),
    ],
)
def test_the_first_line_is_detected_after_a_heading_on_the_same_line(
    lines: list[str], answer: str, shown: list[int]
) -> None:
    assert [index for index, each in enumerate(shown_lines(lines, answer)) if each] == shown

from collections import Counter
from pathlib import Path

import pytest

from tools.plain_language import (
    count_habits,
    draw,
    is_participle,
    items_of_code,
    items_of_messages,
    items_of_pages,
    measure_names,
    prose_of_page,
    prose_of_python,
)

SOURCE = '''"""What a module has."""

_MOST = 3
"""Nobody needs more."""


def shown(x: int) -> int:  # in which nothing happens
    """Use it if you must."""
    return x


def parse_baseline() -> str:
    return "what a string says is not prose"
'''


def test_only_docstrings_comments_and_the_text_of_a_page_are_counted_as_prose() -> None:
    words, counts = count_habits([prose_of_python(SOURCE)])
    assert words == 16  # a module, its constant, its function and a comment: 4 + 3 + 5 + 4
    assert {habit for habit, count in counts.items() if count} == {
        *("what-clause instead of a noun", "preposition + which or whom"),
        *("nobody, somebody, anybody, everybody", "use", "if", "must, should, can"),
    }
    assert counts["use"] == pytest.approx(10_000 / words)
    assert "whatever" not in prose_of_page("A page.\n\n```console\n$ whatever\n```\n\nIts end.\n")


def test_one_word_names_and_participles_are_counted() -> None:
    names = measure_names([SOURCE, "def shown(): ...\ndef __init__(): ..."])
    assert (names.functions, names.common[0]) == (3, ("shown", 2))
    assert names.one_word == names.bare_participle == pytest.approx(200 / 3)
    words = ("shown", "judged", "put", "need", "red", "is_shown")
    assert [name for name in words if is_participle(name)] == ["shown", "judged", "put"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path
    (root / "harness").mkdir()
    functions = [f'def count_{n}() -> int:\n    """Return the number {n}."""\n' for n in range(60)]
    refuse = 'def refuse_{0}() -> None:\n    raise ValueError("the number {0} is not allowed")\n'
    raising = [refuse.format(n) for n in range(15)]
    (root / "harness" / "numbers.py").write_text('"""Numbers."""\n\n' + "\n".join(functions + raising))
    (root / "CHANGELOG.md").write_text("".join(f"- Command {n} counts.\n" for n in range(15)))
    sentences = [f"The page has sentence number {n}, which is long enough.\n" for n in range(30)]
    (root / "README.md").write_text("\n".join(sentences))
    return root


def test_a_draw_has_four_kinds_and_depends_on_its_seed(checkout: Path) -> None:
    items = draw(checkout, 7)
    assert Counter(item.kind for item in items) == {"code": 40, "docs": 20, "changelog": 10, "message": 10}
    assert items == draw(checkout, 7)
    assert items != draw(checkout, 8)
    assert len(set(items)) == 80
    messages = {item.text for item in items_of_messages(checkout)}
    assert messages == {f"'the number {n} is not allowed'" for n in range(15)}


def test_the_signature_of_a_method_contains_its_class_and_its_result(tmp_path: Path) -> None:
    (tmp_path / "harness").mkdir()
    method = '    def total(self) -> int:\n        """Return the total."""\n'
    (tmp_path / "harness/counter.py").write_text(f'class Counter:\n    """Counts."""\n\n{method}')
    texts = [item.text for item in items_of_code(tmp_path)]
    assert texts == ["class Counter\nCounts.", "def Counter.total(self) -> int\nReturn the total."]


def test_a_sentence_is_shown_with_the_sentence_before_it(tmp_path: Path) -> None:
    first, second = (
        "This is a sentence which is certainly long enough.",
        "That is another sentence which is long enough.",
    )
    (tmp_path / "README.md").write_text(f"# Page\n\n{first} {second}\n\n## Part\n\n{first}\n")
    assert [item.text for item in items_of_pages(tmp_path)] == [first, f"[{first}] {second}", first]


def test_list_items_are_separate_sentences_and_indented_code_is_skipped(tmp_path: Path) -> None:
    first, second = "an item of the list that is long enough here", "a second item that is long enough, too"
    (tmp_path / "README.md").write_text(
        f"# Page\n\n- {first}\n\n## Part\n\n- {second}\n\n    code = 'long enough to be a sentence'\n"
    )
    assert [(item.location, item.text) for item in items_of_pages(tmp_path)] == [
        ("README.md, Page", f"- {first}"),
        ("README.md, Part", f"- {second}"),
    ]

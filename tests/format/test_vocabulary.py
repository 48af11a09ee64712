"""The file errors.yaml names errors. The name of an error is found by its message."""

from pathlib import Path

import pytest

from readfirst.harness.suite.error_names import MessageForm, Vocabulary, load_vocabulary
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from tests.rows import rows

GOOD = """\
errors:
  not_read:
    summary: Not read.
    codes: {Edit: 6}
    forms:
      - File has not been read yet.
      - "No {what} (yet)."
  tool_words:
    summary: One tool's words.
    forms:
      - {text: "Denied", tools: [Write]}
  any_denial:
    summary: Anything denied.
    forms: ["Denied{rest}", "No cake (yet)."]
"""


def vocabulary(tmp_path: Path, text: str = GOOD) -> Vocabulary:
    path = tmp_path / "errors.yaml"
    path.write_text(text)
    return load_vocabulary(path)


@rows(
    ("old", "new", "message"),
    [
        ("not_read:", "not-read:", "2:3: 'not-read' cannot be a name here"),
        ("    summary: Not read.\n", "", "not_read lacks the key 'summary'"),
        ("Edit: 6", "Edti: 6", "codes has no key 'Edti'"),
        ("Edit: 6", "Edit: six", "Edit must be a whole number"),
        ("- File has not been read yet.", "- 7", "forms cannot be '7'"),
        ('"No {what} (yet)."', '"{what}"', "a form needs literal characters"),
        ('"No {what} (yet)."', '" a "', "without whitespace around it"),
        ('"No cake (yet)."', "File has not been read yet.", "not_read and any_denial have the same form"),
        ("codes: {Edit: 6}", "words: Unread.", "no form matches these words"),
        ("errors:", "names:", "has no key 'names'"),
    ],
)
def test_an_error_in_errors_yaml_has_its_position(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(SuiteError, match=message):
        vocabulary(tmp_path, GOOD.replace(old, new, 1))


@rows(
    ("form", "matching", "others"),
    [
        ("gone", ["gone"], ["gone "]),
        ("{a} is gone", ["a.txt is gone", " is gone"], ["a.txt is gone."]),
        ("no {a} in {b}!", ["no a in b in c!"], ["no a in"]),
        ("no {a} of {b} in {c}", [], ["no a in b of c"]),
        ("ab{x}ba", ["abba"], ["aba"]),
        ("a{x}b{y}b", ["abb"], ["ab"]),
        ("a {x}", ["a line\nand another"], []),
    ],
)
def test_a_form_must_match_the_whole_message(form: str, matching: list[str], others: list[str]) -> None:
    assert [each for each in (*matching, *others) if MessageForm(form).matches(each)] == matching


def test_variable_data_in_a_message_is_separated_from_its_fixed_text() -> None:
    vocabulary = Suite().vocabulary
    before, data, after = "Wrong.\n\nFull schema:", "\n{}\nIMPORTANT: x\n{}", "\nIMPORTANT: Do not."
    whole = before + data + after
    assert vocabulary.text_before_data("invalid_settings", whole) == before
    assert vocabulary.text_after_data("invalid_settings", whole) == after
    assert vocabulary.text_after_data("invalid_settings", before + "\n{}") == ""
    assert vocabulary.text_before_data("not_read", whole) is None

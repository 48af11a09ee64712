from pathlib import Path

import pytest

from readfirst.harness.suite.rules import Rules, load_rules
from readfirst.harness.yaml_io.finding import SuiteError
from tests.rows import rows

GOOD = """\
classes:
  safety: Nothing is lost.
  design: What may be relied on.
  wording: How answers look.
  quirk: Habits.
rules:
  stale-edit:
    title: Edit refuses a file that changed since it was read
    class: safety
    guards: [lost, blind]
    requirement: must
    tools: [Edit]
    sources: [https://example.org/1]
    why: The change would be lost.
  order:
    title: Wrong arguments are refused before the file is looked at
    class: design
    guards: none
    requirement: should
    tools: [Edit, Write]
    sources: [https://example.org/2]
    why: No call is spent on them.
    always_refused: There are two reasons to refuse.
"""


def rules(tmp_path: Path, text: str = GOOD) -> Rules:
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    return load_rules(path)


def test_rules_with_a_similar_title_are_suggested(tmp_path: Path) -> None:
    hint = rules(tmp_path).suggest("TODO", "Equal arguments are refused where two are wrong")
    assert "order: Wrong arguments are refused before the file is looked at." in hint
    assert "stale-edit" not in hint
    assert "readfirst rules" in rules(tmp_path).suggest("TODO", "Nothing in common")


@rows(
    ("old", "new", "line", "message"),
    [
        ("  quirk: Habits.\n", "", 1, "classes lacks the key 'quirk'"),
        ("  quirk: Habits.\n", "  quirk: Habits.\n  oddity: Odd.\n", 6, "classes has no key 'oddity'"),
        ("  stale-edit:", "  Stale:", 7, "'Stale' cannot be a name here"),
        ("    class: safety\n", "    class: harm\n", 9, "class cannot be 'harm'"),
        ("guards: [lost, blind]", "guards: [lost, slow]", 10, "guards cannot be 'slow'"),
        ("guards: [lost, blind]", "guards: [overcautious]", 10, "guards cannot be 'overcautious'"),
        ("    guards: none\n", "", 16, "order lacks the key 'guards'"),
        ("guards: [lost, blind]", "guards: none", 10, "guards must be a list, not a string"),
        ("requirement: must", "requirement: may", 11, "requirement cannot be 'may'"),
        ("tools: [Edit]", "tools: [Edt]", 12, "tools cannot be 'Edt'"),
        ("sources: [https://example.org/1]", "sources: []", 13, "sources is empty"),
        ("    why: The change would be lost.\n", "", 8, "stale-edit lacks the key 'why'"),
        ("why: The change would be lost.", 'why: ""', 14, "why is empty"),
        ("always_refused: There", "always_refuse: There", 23, "order has no key 'always_refuse'"),
    ],
)
def test_an_error_in_rules_yaml_has_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    with pytest.raises(SuiteError) as caught:
        rules(tmp_path, GOOD.replace(old, new, 1))
    first = caught.value.findings[0]
    assert (first.position.line, first.message) == (line, message)
    assert first.fix


@rows("text", ["rules: []\n", "[]\n", "classes: {}\nrules: {a: b}\n", ""])
def test_an_invalid_rules_yaml_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SuiteError):
        rules(tmp_path, text)

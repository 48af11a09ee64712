"""The heading that a list shows is what the whole file says, however it is read."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.suite.heading import Heading, plain_heading
from readfirst.harness.suite.suite import Suite
from tests.rows import rows
from tests.small_suites import small_suite

HEAD = "title: {title}\nrequirement: must\ntags: [a, b-c]\nsteps:\n  - delete: a\n"


def read(text: str) -> Heading | None:
    return plain_heading("a/b", text.encode())


@pytest.mark.slow
def test_the_headings_of_the_whole_suite_are_what_its_files_say() -> None:
    suite = Suite()
    for scenario_id in suite.ids():
        heading, scenario = suite.heading(scenario_id), suite.scenario(scenario_id, require_expect=False)
        whole = (scenario.title, scenario.requirement, scenario.tags, scenario.rule)
        assert (heading.title, heading.requirement, heading.tags, heading.rule) == whole


@settings(deadline=None, derandomize=True, database=None, max_examples=50)
@given(st.text(st.characters(min_codepoint=9, max_codepoint=0x100), max_size=20))
def test_a_title_is_read_as_yaml_reads_it_or_left_to_the_parser(title: str) -> None:
    text = HEAD.format(title="A" + title)
    heading = read(text)
    if heading is None:
        return
    value = strict_yaml.load(text.encode(), Path("x"), until=("steps",)).value
    assert value["title"] == heading.title


def test_a_title_in_quotes_is_what_is_between_them() -> None:
    heading = read(HEAD.format(title='"A: #b \'c"'))
    assert heading is not None
    assert heading.title == "A: #b 'c"


TITLES = (
    *(
        "a: b",
        "a #b",
        "a:",
        "'a'",
        '"a\\\\n"',
        '""',
        '"é"',
        '"a" b',
        "null",
        "true",
        "- a",
        "é",
        "a ",
        "a\n  b",
    ),
    *(">-\n  a", "1", "[a]"),
)


@rows(
    "text",
    [
        *(HEAD.format(title=title) for title in TITLES),
        "requirement: must\ntitle: A\nsteps:\n",
        "title: A\nrequirement: maybe\nsteps:\n",
        "title: A\nrequirement: must\ntags: [a, 'b']\nsteps:\n",
        "title: A\nrequirement: must\nother: x\nsteps:\n",
    ],
)
def test_another_form_and_what_may_mean_something_else_are_left_to_the_parser(text: str) -> None:
    assert read(text) is None


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    suite = small_suite(tmp_path, {"a/b": "title: [A]\nrequirement: must\nsteps: []\n"})
    with pytest.raises(SuiteError, match=r"b\.yaml:1:8: "):
        suite.heading("a/b")


def test_a_list_of_the_suite_parses_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written as files are is read without a parser, which takes longer to import than all headings to read."""
    parsed: list[Path] = []
    load = strict_yaml.load

    def noted(data: bytes, file: Path, **options: Any) -> Any:
        parsed.append(file)
        return load(data, file, **options)

    monkeypatch.setattr(strict_yaml, "load", noted)
    suite = Suite()
    assert len([suite.heading(each) for each in suite.ids()]) > 2_000
    assert len(parsed) < 10, (
        "write `title`, `about`, `requirement`, `rule` and `tags` in this order, in plain words"
    )

"""`readfirst docs`: it shows the pages that messages refer to, also where only the package is installed."""

import re
from pathlib import Path

import pytest

from readfirst.harness.cli.docs import pages
from tests.command_line import Cli

CHECKOUT = Path(__file__).parents[2]


NAMED = {
    name
    for folder in ("harness", "observatory")
    for file in (CHECKOUT / folder).rglob("*.py")
    for name in re.findall(r"`readfirst docs ([a-z]+)`", file.read_text("utf-8"))
}


def test_every_page_is_listed_with_its_title(readfirst: Cli) -> None:
    ran = readfirst("docs")
    rows = dict(line.split("\t") for line in ran.out.splitlines())
    assert (ran.code, list(rows)[:3]) == (0, ["readme", "contributing", "index"])
    assert rows["recording"] == "Recording the real product"
    assert all(rows.values())


@pytest.mark.parametrize("word", ["recording", "docs/recording.md", "RECORDING.md"])
def test_a_page_is_printed_as_it_is(readfirst: Cli, word: str) -> None:
    ran = readfirst("docs", word)
    assert (ran.code, ran.out) == (0, (CHECKOUT / "docs/recording.md").read_text("utf-8"))


def test_a_page_that_does_not_exist_is_reported_with_the_closest(readfirst: Cli) -> None:
    ran = readfirst("docs", "adapter")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no page 'adapter'. Did you mean adapters?" in ran.err


def test_every_page_that_a_message_names_exists() -> None:
    assert {"adapters", "contributing", "format", "recording", "running", "targets"} <= NAMED
    assert sorted(NAMED - pages().keys()) == []

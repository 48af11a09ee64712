"""Committed generated files equal the current output of the commands, and their links work."""

import re
from pathlib import Path

import pytest

from readfirst.observatory.claims.page import behaviour_page
from readfirst.observatory.versions.history import history_page
from tests.command_line import Cli
from tests.judging import SUITE

CHECKOUT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "command",
    [
        "product behaviours",
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in ("product claims", "product history", "targets compatibility")
        ),
    ],
)
def test_what_is_committed_is_fresh(readfirst: Cli, command: str) -> None:
    ended = readfirst(*command.split(), "--check", "--fixtures", SUITE.root)
    assert ended.code == 0, f"run `readfirst renew`: {ended.err}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", [lambda: behaviour_page(SUITE), lambda: history_page(SUITE)], ids=["claims", "history"]
)
def test_every_row_of_a_whole_page_is_as_wide_as_its_head_and_every_link_leads_somewhere(make) -> None:
    page, width = make(), 0
    for line in page.splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line))
        if re.fullmatch(r"\|(---\|)+", line):
            width = cells
        elif line.startswith("|") and width:
            assert cells == width, line
        else:
            width = 0
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
    assert {*re.findall(r"\]\(#([^)]+)\)", page)} <= anchors | {*re.findall(r'<a id="([^"]+)">', page)}
    files = {*re.findall(r"\]\((\.\./[^)]+)\)", page)}
    assert files
    assert [file for file in files if not (CHECKOUT / "docs" / file).is_file()] == []
    assert str(CHECKOUT) not in page

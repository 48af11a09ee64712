"""A generated search that judges by harm alone: a careful tool passes, and special treatment of any content is met."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import careful
import pytest

from readfirst.harness.fuzz.alone import Alone
from readfirst.harness.fuzz.campaign import Campaign, Finding
from readfirst.harness.fuzz.claimed import claimed
from readfirst.harness.fuzz.generate import scenarios
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool


class SpoilsFences(careful.Careful):
    """Takes what stands between fences for an answer's form."""

    def put(self, path: Path, data: bytes) -> None:
        super().put(path, data.replace(b"```", b""))


class CutsAtABuffer(careful.Careful):
    """Writes 64 KiB, and not what follows."""

    def put(self, path: Path, data: bytes) -> None:
        super().put(path, data[:65536])


class DropsFormatCharacters(careful.Careful):
    """Leaves out what cannot be seen."""

    def put(self, path: Path, data: bytes) -> None:
        super().put(
            path, "".join(each for each in data.decode() if each.isprintable() or each.isspace()).encode()
        )


class KnowsMarkdown(careful.Careful):
    """Ends every Markdown file with a newline."""

    def put(self, path: Path, data: bytes) -> None:
        super().put(path, data.rstrip(b"\n") + b"\n" if path.suffix == ".md" else data)


class ExpandsVariables(careful.Careful):
    """Takes a variable for what it holds."""

    def put(self, path: Path, data: bytes) -> None:
        super().put(path, data.replace(b"$HOME", b"/home/a").replace(b"${HOME}", b"/home/a"))


class StripsLineNumbers(careful.Careful):
    """Takes numbers in front of lines for those that a Read shows."""

    def put(self, path: Path, data: bytes) -> None:
        super().put(path, re.sub(rb"(?m)^ +[0-9]+\t", b"", data))


class CutsControlCharacters(careful.Careful):
    """Keeps what a terminal obeys out of files."""

    def put(self, path: Path, data: bytes) -> None:
        super().put(path, data.replace(b"\x1b", b"").replace(b"\x07", b""))


class FormatsData(careful.Careful):
    """Leaves no blanks at the ends of lines of data."""

    def put(self, path: Path, data: bytes) -> None:
        super().put(path, re.sub(rb"(?m) +$", b"", data) + b"\n" if path.suffix == ".json" else data)


class ShortensArguments(careful.Careful):
    """Takes 16 KiB of what it is asked to write."""

    def write(self, path: Path, arguments: Mapping[str, Any]) -> str:
        content = arguments["content"]
        return super().write(path, {**arguments, "content": content[:16384]} if content else arguments)


@pytest.fixture
def place() -> Iterator[SitePool]:
    with SitePool() as pool:
        yield pool


def searched(
    tool: type[careful.Careful], place: SitePool, steps: int, *, first: bool = False
) -> list[Finding]:
    alone = Alone(tool, place, Suite().vocabulary)
    campaign = Campaign(alone, claimed(scenarios(1, large=True), (tool, tool)), steps=steps)
    found = campaign.perform()
    return [next(found)] if first else list(found)


def test_a_careful_tool_harms_nobody(place: SitePool) -> None:
    found = searched(careful.Careful, place, 600)
    assert [(each.disagreement.what, each.scenario.steps) for each in found] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "kinds"),
    [
        (SpoilsFences, {"altered", "spoiled", "lost"}),
        (CutsAtABuffer, {"altered", "lost", "spoiled"}),
        (DropsFormatCharacters, {"altered", "spoiled", "lost"}),
        (KnowsMarkdown, {"altered", "spoiled"}),
        (ExpandsVariables, {"altered", "spoiled", "lost"}),
        (StripsLineNumbers, {"altered", "spoiled", "lost"}),
        (CutsControlCharacters, {"altered", "spoiled", "lost"}),
        (FormatsData, {"altered", "spoiled"}),
        (ShortensArguments, {"altered", "lost"}),
    ],
)
def test_special_treatment_of_a_content_is_met(
    place: SitePool, tool: type[careful.Careful], kinds: set[str]
) -> None:
    (found,) = searched(tool, place, 10_000, first=True)
    assert found.disagreement.cause.target in kinds


def test_who_refuses_everything_has_answered_nothing(place: SitePool) -> None:
    alone = Alone(careful.RefusesEverything, place, Suite().vocabulary)
    assert list(Campaign(alone, scenarios(1), steps=60).perform()) == []
    assert (alone.asked > 10, alone.answered) == (True, 0)

"""The search that judges only by harm finds each tool that treats some content specially, and no careful tool."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import careful
import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.differential import Campaign, Finding
from readfirst.observatory.fuzz.generate import scenarios
from readfirst.observatory.fuzz.known_disagreements import only_supported
from readfirst.observatory.fuzz.search import SingleRunner
from readfirst.observatory.survey.packed_results import in_families, unpack_results
from tests.judging import SUITE


class SpoilsFences(careful.Careful):
    """An implementation that removes Markdown fences from written texts, as if a model had added these fences."""

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(path, data.replace(b"```", b""))


class CutsAtABuffer(careful.Careful):
    """An implementation that writes only the first 64 KiB of each file."""

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(path, data[:65536])


class DropsFormatCharacters(careful.Careful):
    """An implementation that removes invisible characters from the files that it writes."""

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(
            path, "".join(each for each in data.decode() if each.isprintable() or each.isspace()).encode()
        )


class KnowsMarkdown(careful.Careful):
    """An implementation that adds a newline at the end of Markdown files that it writes."""

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(path, data.rstrip(b"\n") + b"\n" if path.suffix == ".md" else data)


class ExpandsVariables(careful.Careful):
    """An implementation that replaces `$HOME` and `${HOME}` in written texts by a directory."""

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(path, data.replace(b"$HOME", b"/home/a").replace(b"${HOME}", b"/home/a"))


class StripsLineNumbers(careful.Careful):
    """An implementation that removes numbers at the start of written lines, as if Read had added these numbers."""

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(path, re.sub(rb"(?m)^ +[0-9]+\t", b"", data))


class CutsControlCharacters(careful.Careful):
    """An implementation that removes the control characters ESC and BEL from the files that it writes."""

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(path, data.replace(b"\x1b", b"").replace(b"\x07", b""))


class FormatsData(careful.Careful):
    """An implementation that strips spaces at line ends of JSON files, and adds a newline at the end of these files."""

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(path, re.sub(rb"(?m) +$", b"", data) + b"\n" if path.suffix == ".json" else data)


class ShortensArguments(careful.Careful):
    """An implementation that writes only the first 16,384 characters of the argument `content` of a Write."""

    def write(self, path: Path, arguments: Mapping[str, Any]) -> str:
        content = arguments["content"]
        return super().write(path, {**arguments, "content": content[:16384]} if content else arguments)


def search_with(
    tool: type[careful.Careful], place: WorkspacePool, steps: int, *, first: bool = False
) -> list[Finding]:
    alone = SingleRunner(tool, place, Suite().vocabulary)
    campaign = Campaign(alone, only_supported(scenarios(1, large=True), (tool, tool)), steps=steps)
    found = campaign.perform()
    return [next(found)] if first else list(found)


def test_a_careful_tool_harms_nobody(place: WorkspacePool) -> None:
    found = search_with(careful.Careful, place, 600)
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
    place: WorkspacePool, tool: type[careful.Careful], kinds: set[str]
) -> None:
    (found,) = search_with(tool, place, 10_000, first=True)
    assert found.disagreement.cause.target in kinds


def test_who_refuses_everything_has_answered_nothing(place: WorkspacePool) -> None:
    alone = SingleRunner(careful.RefusesEverything, place, Suite().vocabulary)
    campaign = Campaign(alone, scenarios(1), steps=60)
    assert list(campaign.perform()) == []
    assert (campaign.tally.changing_calls > 10, campaign.tally.accepted_calls) == (True, 0)


def test_what_the_search_found_in_published_tools_is_shown_by_the_scenarios_that_the_page_names() -> None:
    docs = Path(__file__).parents[3] / "docs"
    table = (docs / "fuzzing.md").read_text("utf-8").partition("| shown by |\n")[2].partition("\n\n")[0]
    targets = json.loads((docs / "implementations.json").read_text("utf-8"))["targets"]
    results = {each["target"]: each for each in targets}
    rows = [row.split(" | ") for row in table.splitlines()[1:]]
    assert len(rows) >= 10
    for row in rows:
        result = results[row[0].strip("| `")]
        asked = {name for reaches in result["reach"].values() for name in unpack_results(reaches)}
        harmful = {name for kinds in result["harm"]["scenarios"].values() for name in in_families(kinds)}
        named = set(re.findall(r"`([a-z-]+/[a-z0-9-]+)`", row[-1]))
        assert set(SUITE.ids()) >= named != set(), row
        assert named & asked <= harmful, row

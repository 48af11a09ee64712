"""The conditions where calls are made, and that the search prefers rare pairs of conditions."""

from collections import Counter
from collections.abc import Mapping
from itertools import chain, islice

import pytest

from readfirst.harness.suite.file_entry import Entry, HardLink, RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import Given, ParallelCalls, Scenario, Step, ToolCall, WorldEvent
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.fuzz.conditions import Pair, calls_with_conditions, condition_pairs
from readfirst.observatory.fuzz.generate import scenarios
from readfirst.observatory.fuzz.likely_rule import ExampleIndex
from tests.rows import rows

PATH = "$WS/notes.txt"
READ = ToolCall("Read", {"file_path": PATH})
WRITE = ToolCall("Write", {"file_path": PATH, "content": ""})
LINES = "alpha\nbeta\nalpha\n"


def edit(old: str, new: str, **more: bool) -> ToolCall:
    return ToolCall("Edit", {"file_path": PATH, "old_string": old, "new_string": new, **more})


def last_conditions(*steps: Step, **files: Entry) -> tuple[str, ...]:
    given = {name.replace("_", "."): entry for name, entry in files.items()}
    return list(calls_with_conditions(Scenario("fuzz/one", "One", "observed", Given(given), steps)))[-1][2]


@rows(
    ("steps", "entry", "expected"),
    [
        ((READ,), TextContent(LINES, eol="crlf"), {"line ends: crlf", "known: unread", "range: whole"}),
        ((READ,), TextContent("a\r\nb\n"), {"line ends: mixed"}),
        ((READ,), TextContent("é", encoding="utf-16-le", bom=True), {"encoding: utf-16"}),
        ((READ,), TextContent(""), {"size: empty", "line ends: none"}),
        ((READ,), TextContent("line\n", times=150), {"size: long"}),
        ((READ,), TextContent("line\n", times=30_000), {"size: large"}),
        ((READ, edit("beta", "")), TextContent(LINES), {"edit: deletion", "matches: one", "known: whole"}),
        ((edit("alpha", "alpha!"),), TextContent(LINES), {"edit: insertion", "matches: several"}),
        ((edit("beta", "beta\t"),), TextContent("a  beta"), {"edit: insertion"}),
        (
            (edit("a b", "a  b", replace_all=False),),
            TextContent("a b c"),
            {"edit: whitespace alone", "replace_all: false"},
        ),
        ((edit(LINES, "new"),), TextContent(LINES), {"edit: whole file", "length: lines"}),
        ((edit("", "new"),), TextContent(LINES), {"edit: creation"}),
        ((READ, WRITE, WRITE), TextContent(LINES), {"content: empty", "known: own", "size: empty"}),
        ((edit("b", "c"), WRITE), TextContent(LINES), {"content: empty", "before: refused"}),
        ((WRITE, READ), TextContent(LINES), {"before: refused"}),
        (
            (ToolCall("Write", {"file_path": PATH, "content": LINES}),),
            TextContent(LINES),
            {"content: the same"},
        ),
        (
            (READ, WorldEvent("touch", "notes.txt", mtime=2), WRITE),
            TextContent(LINES),
            {"since: time, newer", "content: empty"},
        ),
        (
            (READ, WorldEvent("modify", "notes.txt", RegularFile(TextContent("x"))), WRITE),
            TextContent(LINES),
            {"since: content, same time"},
        ),
        ((ParallelCalls((READ, READ)),), TextContent(LINES), {"made: in a group"}),
    ],
)
def test_the_conditions_of_a_call_are_named(
    steps: tuple[Step, ...], entry: TextContent, expected: set[str]
) -> None:
    assert expected <= {*last_conditions(*steps, notes_txt=RegularFile(entry))}


@rows(
    ("path", "expected"),
    [
        ("$WS/.env", {"name: hidden", "depth: top"}),
        ("$WS/a/b/c/Makefile", {"name: capitals", "depth: deep"}),
        ("$WS/a/makefile", {"name: no extension", "depth: folder"}),
        ("$WS/two words.txt", {"name: spaces", "path: whole"}),
        ("$WS/naïve.txt", {"name: other letters"}),
        ("$WS/a.b", {"name: other extension", "kind: missing"}),
        ("$WS//a.txt", {"path: roundabout", "name: plain"}),
        ("a.txt", {"path: relative"}),
        ("~/a.txt", {"path: at home"}),
        ("/etc/a.txt", {"path: outside"}),
        (" $WS/a.txt", {"path: padded"}),
    ],
)
def test_the_conditions_of_a_path_are_named(path: str, expected: set[str]) -> None:
    assert expected <= {*last_conditions(ToolCall("Read", {"file_path": path}))}


def test_links_and_modes_are_conditions() -> None:
    file = RegularFile(TextContent("a"), mode=0o444)
    linked = last_conditions(READ, notes_txt=Symlink("other.txt"), other_txt=file)
    assert {"kind: link", "mode: read-only", "encoding: ascii"} <= {*linked}
    assert "kind: hard link" in last_conditions(READ, other_txt=file, notes_txt=HardLink("other.txt"))


def pairs_of_changes(scenario: Scenario) -> set[Pair]:
    """Return the pairs of conditions of the Edit and Write calls in a scenario."""
    return {
        pair
        for _, call, conditions in calls_with_conditions(scenario)
        if call.tool in {"Edit", "Write"}
        for pair in condition_pairs(call.tool, conditions)
    }


@pytest.mark.slow
def test_the_family_crossed_keeps_the_pairs_that_it_was_composed_for() -> None:
    suite = Suite()
    crossed = [each for each in suite.ids() if each.startswith("crossed/")]
    pairs = {each: pairs_of_changes(suite.scenario(each)) for each in crossed}
    scenarios_with = Counter(chain.from_iterable(pairs.values()))
    assert len(scenarios_with) == 3120
    assert sum(scenarios_with[pair] == 1 for pair in pairs["crossed/during-93"]) == 18


def new_pairs(index: ExampleIndex, seen: Mapping[Pair, int] | None) -> int:
    """Return how many pairs of conditions in the first 60 generated scenarios do not occur in the suite. The generator
    prefers pairs that are rare in `seen`.
    """
    drawn = islice(scenarios(1, seen=seen), 60)
    made = {
        pair
        for each in drawn
        for _, call, found in calls_with_conditions(each)
        for pair in condition_pairs(call.tool, found)
    }
    return len(made - index.pairs.keys())


def test_weights_reach_more_of_what_the_suite_does_not_have(index: ExampleIndex) -> None:
    assert new_pairs(index, index.pairs) > 1.15 * new_pairs(index, None)


def test_scenarios_that_follow_weights_come_from_the_seed_alone(index: ExampleIndex) -> None:
    first, again, other = (list(islice(scenarios(seed, seen=index.pairs), 5)) for seed in (3, 3, 4))
    assert first == again != other

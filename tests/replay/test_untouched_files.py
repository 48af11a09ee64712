"""A step must not affect other files: their times, their inodes, and their other names."""

from readfirst.harness.compare.file_comparison import name_differences, trace_differences
from readfirst.harness.suite.file_entry import Entry, RegularFile, Symlink
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.workspace.snapshot import Trace, candidate_paths
from tests.rows import rows

SECOND = 1_000_000_000
TOUCHED = Trace(SECOND, 2 * SECOND + 5, replaced=False)
FILE = RegularFile(b"a", 0o644)
STATE: dict[str, Entry] = {
    "a.txt": FILE,
    "d/b.txt": FILE,
    "link": Symlink("d/b.txt"),
    "d/up": Symlink("../link"),
    "absolute": Symlink("$WS/d"),
    "loop": Symlink("loop"),
    "$HOME/c.txt": FILE,
}
Names = dict[str, tuple[str, ...]]
NAMES: Names = {"a.txt": ("a.txt", "twin.txt"), "twin.txt": ("a.txt", "twin.txt")}


def find_touched(
    path: str, call: ToolCall | None = None, expected: dict[str, Entry | None] | None = None
) -> list[str]:
    """Return the findings if only `path` was touched.

    `call` is the call of the step, and `expected` the files that it may change.
    """
    calls = () if call is None else (call,)
    return [found.what for found in trace_differences(expected or {}, calls, STATE, NAMES, {path: TOUCHED})]


def write(path: object) -> ToolCall:
    return ToolCall("Write", {"file_path": path, "content": "a"})


def test_a_time_and_a_replaced_file_are_distinguished() -> None:
    traces = {"a.txt": Trace(SECOND, 2 * SECOND + 5, replaced=True)}
    inode, time = trace_differences({}, (), STATE, NAMES, traces)
    assert (inode.what, inode.got) == ("inode of a.txt", "another file with the same bytes")
    assert time.what == "time of a.txt"
    assert (time.expected, time.got) == ("the same as before", "later than before")


@rows(
    ("path", "argument"),
    [
        ("a.txt", "$WS/a.txt"),
        ("a.txt", "a.txt"),
        ("a.txt", "$WS/d/../a.txt"),
        ("twin.txt", "$WS/a.txt"),
        ("d/b.txt", "$WS/d//b.txt"),
        ("d/b.txt", "$WS/link"),
        ("d/b.txt", "$WS/d/up"),
        ("d/b.txt", "$WS/absolute/b.txt"),
        ("$HOME/c.txt", "~/c.txt"),
        ("~/c.txt", "~/c.txt"),
        ("\u00e9.txt", "$WS/e\u0301.txt"),
    ],
)
def test_an_allowed_call_may_write_the_bytes_that_are_there(path: str, argument: str) -> None:
    assert find_touched(path, write(argument)) == []
    assert find_touched(path) == [f"time of {path}"]
    assert find_touched(path, write("$WS/other.txt")) == [f"time of {path}"]


def test_a_call_that_names_no_file_may_write_any() -> None:
    assert find_touched("a.txt", ToolCall("Bash", {"command": "make"})) == []
    assert find_touched("a.txt", write("$WS/loop")) == []


def test_what_the_clause_names_may_be_written() -> None:
    assert find_touched("a.txt", expected={"a.txt": FILE}) == []


PAIR: Names = {"a": ("a", "b"), "b": ("a", "b")}
OLD, NEW = RegularFile(b"old"), RegularFile(b"new")


@rows(
    ("expected", "before", "after"),
    [
        ({}, PAIR, PAIR),
        ({"a": NEW}, PAIR, {}),
        ({"a": OLD}, PAIR, {}),
        ({"a": NEW, "b": NEW}, PAIR, PAIR),
        ({"a": NEW, "b": OLD}, PAIR, {}),
        ({"a": None}, PAIR, {}),
        ({"a": NEW}, dict.fromkeys("abc", ("a", "b", "c")), {"b": ("b", "c"), "c": ("b", "c")}),
    ],
)
def test_names_that_share_a_file_as_the_clause_says_are_no_difference(
    expected: dict[str, Entry | None], before: Names, after: Names
) -> None:
    gone = {path: None for path, entry in expected.items() if entry is None}
    assert list(name_differences(expected, before, after, gone)) == []


def test_a_name_that_is_gone_is_no_difference_of_names() -> None:
    assert list(name_differences({}, PAIR, {}, {"a": None})) == []


@rows(
    ("expected", "before", "after", "what", "wanted", "got"),
    [
        ({}, PAIR, {}, "a", "one file with b (hard links)", "a file of its own"),
        ({"a": OLD}, PAIR, PAIR, "a", "a file of its own", "one file with b (hard links)"),
        ({"a": NEW, "b": NEW}, PAIR, {}, "a", "one file with b (hard links)", "a file of its own"),
        ({"b": NEW}, {}, PAIR, "a", "a file of its own", "one file with b (hard links)"),
    ],
)
def test_names_that_share_another_file_than_they_should_are_reported_once(
    expected: dict[str, Entry | None], before: Names, after: Names, what: str, wanted: str, got: str
) -> None:
    found = list(name_differences(expected, before, after, {}))
    assert [(each.what, each.expected, each.got) for each in found] == [(f"names of {what}", wanted, got)]


def test_composed_letters_mean_another_file_where_the_path_leads_to_one_as_it_is() -> None:
    decomposed, composed = "e\u0301.txt", "\u00e9.txt"
    there = {decomposed: RegularFile(b"")}
    for gone in ({}, {decomposed: None}):
        assert candidate_paths({"file_path": f"$WS/{decomposed}"}, gone) == (decomposed, composed)
    assert candidate_paths({"file_path": f"$WS/{decomposed}"}, there) == (decomposed,)

import hashlib

from readfirst.harness.compare.file_comparison import (
    FileDifference,
    file_differences,
    name_differences,
    trace_differences,
)
from readfirst.harness.suite.file_entry import (
    Directory,
    Entry,
    FileDigest,
    HardLink,
    RegularFile,
    SpecialFile,
    Symlink,
    TextContent,
)
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.workspace.snapshot import Trace, candidate_paths
from tests.rows import rows

OLD = RegularFile(b"old", 0o644)
NEW = RegularFile(b"new", 0o644)
OLD_DIGEST = hashlib.sha256(b"old").hexdigest()
Files = dict[str, Entry | None]


def differences(expected: Files, changes: Files, world: Files | None = None) -> list[FileDifference]:
    """Return the differences after a step. `expected`: from the clause; `world`: changes by another program."""
    return file_differences(expected, world or {}, {"a": OLD, "b": OLD, "l": Symlink("a")}, changes)


@rows(
    ("expected", "changes"),
    [
        ({}, {}),
        ({"a": RegularFile(b"new")}, {"a": NEW}),
        ({"a": RegularFile(TextContent("new"))}, {"a": NEW}),
        ({"a": RegularFile(b"old")}, {}),
        ({"a": None}, {"a": None}),
        ({"n": RegularFile(b"")}, {"n": RegularFile(b"", 0o600)}),
        ({"n": RegularFile(b"", 0o600)}, {"n": RegularFile(b"", 0o600)}),
        (
            {"x/y/n": RegularFile(b"")},
            {"x": Directory(0o755), "x/y": Directory(0o755), "x/y/n": RegularFile(b"", 0o644)},
        ),
        ({"x": Directory()}, {"x": Directory(0o700)}),
        ({"l": Symlink("b")}, {"l": Symlink("b")}),
        ({"n": HardLink("a"), "a": RegularFile(b"new")}, {"a": NEW, "n": NEW}),
        ({"a": FileDigest(hashlib.sha256(b"new").hexdigest(), 3)}, {"a": NEW}),
    ],
)
def test_an_expected_change_is_not_a_difference(expected: Files, changes: Files) -> None:
    assert differences(expected, changes) == []


@rows(
    ("expected", "changes", "difference"),
    [
        ({}, {"a": NEW}, ("file a", "old", "new")),
        ({}, {"a": None}, ("path a", "a regular file: old", "nothing there")),
        ({}, {"n": NEW}, ("path n", "nothing there", "a regular file: new")),
        ({}, {"x": Directory(0o755)}, ("path x", "nothing there", "a directory")),
        ({}, {"a": RegularFile(b"old", 0o600)}, ("mode of a", "0644", "0600")),
        ({}, {"l": OLD}, ("path l", "a symbolic link to a", "a regular file: old")),
        ({}, {"../t": NEW}, ("path ../t", "nothing there: it is outside the workspace", "a regular file: new")),
        ({}, {"p": SpecialFile("fifo")}, ("path p", "nothing there", "fifo")),
        ({"a": RegularFile(b"new")}, {}, ("file a", "new", "old")),
        ({"a": RegularFile(b"new")}, {"a": RegularFile(b"new", 0o600)}, ("mode of a", "0644", "0600")),
        ({"a": RegularFile(b"a\r\n")}, {"a": RegularFile(b"a\n", 0o644)}, ("file a", "a\r\n", "a\n")),
        ({"a": RegularFile(b"\xff")}, {"a": RegularFile(b"\xfe", 0o644)}, ("file a", "\\xff", "\\xfe")),
        ({"a": None}, {}, ("path a", "nothing there", "a regular file: old")),
        ({"n": RegularFile(b"")}, {}, ("path n", "a regular file: ", "nothing there")),
        ({"n": RegularFile(b"", 0o600)}, {"n": RegularFile(b"", 0o644)}, ("mode of n", "0600", "0644")),
        ({"a": FileDigest("0", 3)}, {}, ("file a", "3 bytes with sha256 0", f"3 bytes with sha256 {OLD_DIGEST}")),
        ({"x": Directory(0o700)}, {"x": Directory(0o755)}, ("mode of x", "0700", "0755")),
        ({"n": HardLink("a")}, {"n": NEW}, ("file n", "old", "new")),
    ],
)  # fmt: skip
def test_an_unexpected_or_missing_change_is_a_difference(
    expected: Files, changes: Files, difference: tuple[str, str, str]
) -> None:
    assert differences(expected, changes) == [FileDifference(*difference)]


CLOSED = RegularFile(b"old", 0o600)
MERGED = RegularFile(b"merged", 0o644)


@rows(
    ("world", "expected", "changes", "found"),
    [
        ({}, {"x/n": NEW}, {"x": Directory(0o755), "y": Directory(0o755), "x/n": NEW}, ["path y"]),
        ({"a": NEW}, {}, {}, ["file a"]),
        ({"a": NEW}, {"a": MERGED}, {"a": MERGED}, []),
        ({"a": NEW}, {"a": MERGED}, {"a": NEW}, ["file a"]),
        ({"a": CLOSED}, {"a": RegularFile(b"new")}, {"a": RegularFile(b"new", 0o600)}, []),
        ({"a": CLOSED}, {"a": RegularFile(b"new")}, {"a": NEW}, ["mode of a"]),
    ],
)
def test_the_expected_clause_takes_precedence_over_changes_by_another_program_which_are_kept(
    world: Files, expected: Files, changes: Files, found: list[str]
) -> None:
    assert [each.what for each in differences(expected, changes, world)] == found


def test_a_difference_in_a_long_file_shows_only_the_content_around_it() -> None:
    expected, got = b"x" * 9000 + b"one" + b"y" * 9000, b"x" * 9000 + b"two" + b"y" * 9000
    found = differences({"a": RegularFile(expected)}, {"a": RegularFile(got, 0o644)})
    assert len(found) == 1
    assert found[0].expected.startswith("(18003 bytes; from byte 8800:) " + "x" * 200 + "one")
    assert found[0].got.startswith("(18003 bytes; from byte 8800:) " + "x" * 200 + "two")


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
"""The names of each file with hard links, by one of its names."""
NAMES: Names = {"a.txt": ("a.txt", "twin.txt"), "twin.txt": ("a.txt", "twin.txt")}


def find_rewritten(
    path: str, call: ToolCall | None = None, expected: dict[str, Entry | None] | None = None
) -> list[str]:
    """Return the findings if only `path` was written again with the same bytes. The step may change `expected`."""
    calls = () if call is None else (call,)
    return [found.what for found in trace_differences(expected or {}, calls, STATE, NAMES, {path: TOUCHED})]


def write(path: object) -> ToolCall:
    return ToolCall("Write", {"file_path": path, "content": "a"})


def test_a_changed_time_and_a_replaced_file_are_separate_differences() -> None:
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
def test_a_call_may_write_its_file_again_with_the_same_bytes(path: str, argument: str) -> None:
    assert find_rewritten(path, write(argument)) == []
    assert find_rewritten(path) == [f"time of {path}"]
    assert find_rewritten(path, write("$WS/other.txt")) == [f"time of {path}"]


def test_a_call_without_a_path_may_write_any_file_again_with_the_same_bytes() -> None:
    assert find_rewritten("a.txt", ToolCall("Bash", {"command": "make"})) == []
    assert find_rewritten("a.txt", write("$WS/loop")) == []
    assert find_rewritten("a.txt", expected={"a.txt": FILE}) == [], "the clause names the file"


PAIR: Names = {"a": ("a", "b"), "b": ("a", "b")}


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
def test_hard_links_as_expected_are_not_a_difference(
    expected: dict[str, Entry | None], before: Names, after: Names
) -> None:
    gone = {path: None for path, entry in expected.items() if entry is None}
    assert list(name_differences(expected, before, after, gone)) == []


def test_deleting_one_name_of_a_file_is_not_a_difference_of_hard_links() -> None:
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
def test_unexpected_or_missing_hard_links_are_reported_once_per_file(
    expected: dict[str, Entry | None], before: Names, after: Names, what: str, wanted: str, got: str
) -> None:
    found = list(name_differences(expected, before, after, {}))
    assert [(each.what, each.expected, each.got) for each in found] == [(f"names of {what}", wanted, got)]


def test_a_path_with_a_decomposed_accent_may_mean_the_composed_file_only_if_its_own_file_is_missing() -> None:
    decomposed, composed = "e\u0301.txt", "\u00e9.txt"
    there = {decomposed: RegularFile(b"")}
    for gone in ({}, {decomposed: None}):
        assert candidate_paths({"file_path": f"$WS/{decomposed}"}, gone) == (decomposed, composed)
    assert candidate_paths({"file_path": f"$WS/{decomposed}"}, there) == (decomposed,)

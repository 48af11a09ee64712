"""After a step the files that the clause lists must be as it says, and all other files must be unchanged."""

import hashlib

from readfirst.harness.compare.file_comparison import FileDifference, file_differences
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
from tests.rows import rows

OLD = RegularFile(b"old", 0o644)
NEW = RegularFile(b"new", 0o644)
OLD_DIGEST = hashlib.sha256(b"old").hexdigest()
Files = dict[str, Entry | None]


def differences(expected: Files, changes: Files, world: Files | None = None) -> list[FileDifference]:
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
def test_what_is_expected_is_not_a_difference(expected: Files, changes: Files) -> None:
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
def test_every_deviation_is_a_difference(
    expected: Files, changes: Files, difference: tuple[str, str, str]
) -> None:
    assert differences(expected, changes) == [FileDifference(*difference)]


def test_a_directory_beside_the_way_to_a_new_file_is_a_difference() -> None:
    changes: Files = {"x": Directory(0o755), "y": Directory(0o755), "x/n": NEW}
    found = differences({"x/n": RegularFile(b"new")}, changes)
    assert [difference.what for difference in found] == ["path y"]


def test_a_change_of_the_world_that_was_undone_is_a_difference() -> None:
    assert [found.what for found in differences({}, {}, world={"a": NEW})] == ["file a"]


def test_the_clause_prevails_over_what_the_harness_changed() -> None:
    expected: Files = {"a": RegularFile(b"merged")}
    assert differences(expected, {"a": RegularFile(b"merged", 0o644)}, world={"a": NEW}) == []
    assert [found.got for found in differences(expected, {"a": NEW}, world={"a": NEW})] == ["new"]


def test_the_mode_that_the_world_gave_is_kept() -> None:
    world: Files = {"a": RegularFile(b"old", 0o600)}
    expected: Files = {"a": RegularFile(b"new")}
    assert differences(expected, {"a": RegularFile(b"new", 0o600)}, world) == []
    assert [found.what for found in differences(expected, {"a": NEW}, world)] == ["mode of a"]


def test_a_long_content_is_shown_around_the_first_difference() -> None:
    expected, got = b"x" * 9000 + b"one" + b"y" * 9000, b"x" * 9000 + b"two" + b"y" * 9000
    found = differences({"a": RegularFile(expected)}, {"a": RegularFile(got, 0o644)})
    assert len(found) == 1
    assert found[0].expected.startswith("(18003 bytes; from byte 8800:) " + "x" * 200 + "one")
    assert found[0].got.startswith("(18003 bytes; from byte 8800:) " + "x" * 200 + "two")

"""Implementations that follow a rule except in one case are detected by a scenario with this case."""

from codecs import BOM_UTF8
from collections.abc import Sequence

import altered
import pytest
from new_harms import judge_with_harms
from reasons import EMPTY_OR_EQUAL, NOTHING_LOST, READS_ONLY
from wrong_exceptions import (
    Excepted,
    OpenGate,
    OverlooksChanges,
    OverlooksDenyRules,
    TakesAnyMatch,
    changes_white_space,
    encoding_of,
    excepting,
    has_both_line_ends,
    has_mode,
    inserts,
    is_read_only,
    read_text,
    strings,
)

from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

CASES: tuple[tuple[str, Excepted, str, str, str, str], ...] = (
    ("no extension", lambda path, _: not path.suffix and path.name[0] != ".", "unread-05", "", "", "denied-10"),
    ("a Python file", lambda path, _: path.suffix == ".py", "unread-06", "", "", ""),
    ("a hidden name", lambda path, _: path.name.startswith("."), "unread-03", "", "allowed-01", "denied-10"),
    ("a name with a blank", lambda path, _: " " in path.name, "unread-01", "", "", "denied-10"),
    ("an extension in capitals", lambda path, _: path.suffix.isupper(), "unread-12", "", "", ""),
    ("a name with capitals", lambda path, _: path.name != path.name.lower(), "", "", "", "denied-10"),
    ("a name with a tilde", lambda path, _: "~" in path.name, "unread-04", "", "", ""),
    ("a name of 250 characters", lambda path, _: len(path.name) >= 250, "named-3", "", "", ""),
    ("a deep folder", lambda path, _: "/a/b/c/d/e" in str(path), "unread-03", "", "allowed-04", ""),
    ("a read-only file", lambda path, _: is_read_only(path), "unread-01", "", "allowed-01", "denied-10"),
    ("an executable file", lambda path, _: has_mode(path, 0o100), "unread-05", "", "allowed-02", "denied-10"),
    ("a path with ..", lambda _, args: "/../" in args["file_path"], "unread-02", "", "", ""),
    ("a relative path", lambda _, args: args["file_path"][0] != "/", "relative-01", "", "", "denied-10"),
    ("4,097 bytes", lambda path, _: path.stat().st_size > 4096, "unread-02", "", "", ""),
    ("100,001 bytes", lambda path, _: path.stat().st_size > 100_000, "", "", "named-58", ""),
    ("a file of more than a megabyte", lambda path, _: path.stat().st_size > 2**20, "gate/megabyte-unread", "", "", ""),
    ("an empty file", lambda path, _: path.stat().st_size == 0, "made-22", "", "", "denied-10"),
    ("UTF-16", lambda path, _: encoding_of(path) == "utf-16-le", "unread-01", "", "allowed-01", ""),
    ("a byte order mark", lambda path, _: path.read_bytes().startswith(BOM_UTF8), "whitespace-35", "", "", ""),
    ("CRLF", lambda path, _: b"\r\n" in path.read_bytes(), "", "", "allowed-05", "denied-10"),
    (
        "a hidden file with CRLF", lambda path, _: path.name[0] == "." and b"\r\n" in path.read_bytes(),
        "unread-15", "", "", "",
    ),
    ("line ends of both kinds", lambda path, _: has_both_line_ends(path), "during-63", "", "", ""),
    ("a file that ends in spaces", lambda path, _: path.read_bytes().endswith(b"  "), "whitespace-35", "", "", ""),
    ("a symbolic link", lambda path, _: path.is_symlink(), "denied-58", "", "", ""),
    ("two names", lambda path, _: path.stat().st_nlink > 1, "unread-06", "", "during-28", "denied-58"),
    ("two names, read-only", lambda path, _: path.stat().st_nlink > 1 and is_read_only(path), "unread-10", "", "", ""),
    ("an empty Write", lambda _, args: args.get("content") == "", "unread-02", "write-changed-01", "", ""),
    (
        "an equal Write", lambda path, args: args.get("content") == read_text(path) != "",
        "unread-04", "write-changed-02", "", "",
    ),
    ("a long Write", lambda _, args: len(str(args.get("content", ""))) > 900, "whitespace-35", "", "", ""),
    ("a deletion", lambda _, args: args.get("new_string") == "", "denied-18", "edit-changed-02", "during-104", ""),
    (
        "a deletion, read-only", lambda path, args: args.get("new_string") == "" and is_read_only(path),
        "", "edit-changed-09", "", "",
    ),
    ("an insertion", lambda _, args: inserts(*strings(args)), "", "edit-changed-01", "whitespace-8", ""),
    ("white space", lambda _, args: changes_white_space(*strings(args)), "", "edit-changed-01", "", ""),
    ("several lines", lambda _, args: "\n" in strings(args)[0], "", "edit-changed-02", "", ""),
    ("a long old_string", lambda _, args: len(strings(args)[0]) > 100, "unread-03", "edit-changed-01", "", ""),
    ("replace_all", lambda _, args: args.get("replace_all") is True, "", "edit-changed-03", "", ""),
    ("replace_all: false", lambda _, args: args.get("replace_all") is False, "unread-02", "", "whitespace-8", ""),
)  # fmt: skip
"""A predicate of file and arguments, and the scenarios (family `crossed`) for the four `KINDS`, or an empty text."""

KINDS = {
    "gate open for": OpenGate,
    "change overlooked for": OverlooksChanges,
    "any match taken for": TakesAnyMatch,
    "deny rules overlooked for": OverlooksDenyRules,
}
"""The base classes of the implementations, by the start of their description."""

CAUGHT: dict[str, tuple[type[altered.Altered], str]] = {
    f"{name} {case}": (excepting(kind, predicate), scenario if "/" in scenario else f"crossed/{scenario}")
    for index, (name, kind) in enumerate(KINDS.items())
    for case, predicate, *scenarios in CASES
    if (scenario := scenarios[index])
}

HARMLESS = {
    "gate open for an equal Write": EMPTY_OR_EQUAL,
    "gate open for an empty file": EMPTY_OR_EQUAL,
    "gate open for a name of 250 characters": EMPTY_OR_EQUAL,
    "change overlooked for a deletion": NOTHING_LOST,
    "change overlooked for a deletion, read-only": NOTHING_LOST,
    "change overlooked for an insertion": NOTHING_LOST,
    "change overlooked for white space": NOTHING_LOST,
    "change overlooked for several lines": NOTHING_LOST,
    "change overlooked for a long old_string": NOTHING_LOST,
    "deny rules overlooked for no extension": READS_ONLY,
    "deny rules overlooked for an empty file": READS_ONLY,
}


@pytest.mark.parametrize(
    "cases", [[*CAUGHT][::4], pytest.param([*CAUGHT], marks=pytest.mark.slow)], ids=["quick", "all"]
)
def test_an_implementation_with_an_exception_from_a_rule_is_detected_by_its_scenario(
    cases: Sequence[str], place: WorkspacePool
) -> None:
    rows("case", cases)(is_caught)(place=place)


def is_caught(case: str, place: WorkspacePool) -> None:
    """Assert that the scenario detects the implementation, and harm unless the mistake is in `HARMLESS`."""
    verdict, found = judge_with_harms(*CAUGHT[case], place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation")
    assert not verdict.levels["effects"]
    assert bool(found) != (case in HARMLESS), [each.line for each in found]

"""Implementations that follow a rule except in one case are detected, each by the scenario that is named for the
case.
"""

from collections.abc import Sequence

import altered
import pytest
from new_harms import judged_with_harm
from reasons import CHANGES_NOTHING, NOTHING_LOST, NOTHING_THERE
from wrong_exceptions import (
    Excepted,
    OpenGate,
    OverlooksChanges,
    OverlooksDenyRules,
    TakesAnyMatch,
    encoding_of,
    excepting,
    has_both_line_ends,
    holds,
    strings,
)

from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

GATE_OPEN_FOR: dict[str, tuple[Excepted, str]] = {
    "no extension": (lambda path, _: not path.suffix and path.name[0] != ".", "crossed/unread-05"),
    "another extension": (lambda path, _: path.suffix == ".py", "crossed/unread-06"),
    "a hidden name": (lambda path, _: path.name.startswith("."), "crossed/unread-03"),
    "a name with a blank": (lambda path, _: " " in path.name, "crossed/unread-01"),
    "a name with capitals": (lambda path, _: path.suffix.isupper(), "crossed/unread-12"),
    "a name with a tilde": (lambda path, _: "~" in path.name, "crossed/unread-04"),
    "a deep folder": (lambda path, _: "/a/b/c/d/e" in str(path), "crossed/unread-03"),
    "a read-only file": (lambda path, _: not path.stat().st_mode & 0o200, "crossed/unread-01"),
    "an executable file": (lambda path, _: bool(path.stat().st_mode & 0o100), "crossed/unread-05"),
    "a path with ..": (lambda _, asked: "/../" in asked["file_path"], "crossed/unread-02"),
    "a relative path": (lambda _, asked: asked["file_path"][0] != "/", "crossed/relative-01"),
    "a long file": (lambda path, _: path.stat().st_size > 4096, "crossed/unread-02"),
    "a file of more than a megabyte": (lambda path, _: path.stat().st_size > 2**20, "gate/megabyte-unread"),
    "UTF-16": (lambda path, _: path.read_bytes().startswith(b"\xff\xfe"), "crossed/unread-01"),
    "an empty Write": (lambda _, asked: asked.get("content") == "", "crossed/unread-02"),
    "a Write of the same bytes": (
        lambda path, asked: asked.get("content") == holds(path) != "",
        "crossed/unread-04",
    ),
    "a long old_string": (lambda _, asked: len(strings(asked)[0]) > 100, "crossed/unread-03"),
    "replace_all given as false": (lambda _, asked: asked.get("replace_all") is False, "crossed/unread-02"),
    "a second name": (lambda path, _: path.stat().st_nlink > 1, "crossed/unread-06"),
    "a read-only file with two names": (
        lambda path, _: path.stat().st_nlink > 1 and not path.stat().st_mode & 0o200,
        "crossed/unread-10",
    ),
    "a byte order mark": (
        lambda path, _: path.read_bytes().startswith(b"\xef\xbb\xbf"),
        "crossed/whitespace-35",
    ),
    "line ends of both kinds": (lambda path, _: has_both_line_ends(path), "crossed/during-63"),
    "a file that ends in spaces": (
        lambda path, _: path.read_bytes().endswith(b"  "),
        "crossed/whitespace-35",
    ),
    "an empty file": (lambda path, _: path.stat().st_size == 0, "crossed/made-22"),
    "a symbolic link": (lambda path, _: path.is_symlink(), "crossed/denied-58"),
    "a deletion": (lambda _, asked: asked.get("new_string") == "", "crossed/denied-18"),
    "a long Write": (lambda _, asked: len(str(asked.get("content", ""))) > 900, "crossed/whitespace-35"),
    "a name of 250 characters": (lambda path, _: len(path.name) >= 250, "crossed/named-3"),
    "a hidden file with CRLF": (
        lambda path, _: path.name[0] == "." and b"\r\n" in path.read_bytes(),
        "crossed/unread-15",
    ),
}
"""Cases where no Read is required, with the condition and the scenario that detects each."""

CHANGES_OVERLOOKED_BY: dict[str, tuple[Excepted, str]] = {
    "a deletion": (
        lambda _, asked: strings(asked)[0] > strings(asked)[1] == "",
        "crossed/edit-changed-02",
    ),
    "an insertion": (
        lambda _, asked: strings(asked)[0] in strings(asked)[1] and "old_string" in asked,
        "crossed/edit-changed-01",
    ),
    "white space alone": (
        lambda _, asked: "old_string" in asked and strings(asked)[0].split() == strings(asked)[1].split(),
        "crossed/edit-changed-01",
    ),
    "an edit of two lines": (lambda _, asked: "\n" in strings(asked)[0], "crossed/edit-changed-02"),
    "a long old_string": (lambda _, asked: len(strings(asked)[0]) > 100, "crossed/edit-changed-01"),
    "replace_all": (lambda _, asked: asked.get("replace_all") is True, "crossed/edit-changed-03"),
    "an empty Write": (
        lambda _, asked: asked.get("content") == "",
        "crossed/write-changed-01",
    ),
    "a Write of the same bytes": (
        lambda path, asked: asked.get("content") == holds(path) != "",
        "crossed/write-changed-02",
    ),
    "a deletion in a read-only file": (
        lambda path, asked: strings(asked)[0] > strings(asked)[1] == "" and not path.stat().st_mode & 0o200,
        "crossed/edit-changed-09",
    ),
}
"""Calls that overlook a change of the file, with the condition and the scenario that detects each."""

ANY_MATCH_TAKEN_IN: dict[str, tuple[Excepted, str]] = {
    "a hidden file": (lambda path, _: path.name.startswith("."), "crossed/allowed-01"),
    "a read-only file": (lambda path, _: not path.stat().st_mode & 0o200, "crossed/allowed-01"),
    "an executable file": (lambda path, _: bool(path.stat().st_mode & 0o100), "crossed/allowed-02"),
    "a file with CRLF": (lambda path, _: b"\r\n" in path.read_bytes(), "crossed/allowed-05"),
    "a UTF-16 file": (lambda path, _: encoding_of(path) == "utf-16-le", "crossed/allowed-01"),
    "a file with two names": (lambda path, _: path.stat().st_nlink > 1, "crossed/during-28"),
    "a deep folder": (lambda path, _: "/a/b/c/d/e" in str(path), "crossed/allowed-04"),
    "a long file": (lambda path, _: path.stat().st_size > 100_000, "crossed/named-58"),
    "a deletion": (lambda _, asked: asked["new_string"] == "", "crossed/during-104"),
    "an insertion": (
        lambda _, asked: asked["old_string"] in asked["new_string"] != asked["old_string"],
        "crossed/whitespace-8",
    ),
    "replace_all given as false": (
        lambda _, asked: asked.get("replace_all") is False,
        "crossed/whitespace-8",
    ),
}
"""Cases where one of several matches is replaced, with the condition and the scenario that detects each."""

DENY_RULES_OVERLOOKED_FOR: dict[str, tuple[Excepted, str]] = {
    "a hidden name": (lambda path, _: path.name.startswith("."), "crossed/denied-10"),
    "a name without extension": (lambda path, _: not path.suffix, "crossed/denied-10"),
    "a name with a blank": (lambda path, _: " " in path.name, "crossed/denied-10"),
    "a name with capitals": (lambda path, _: path.name != path.name.lower(), "crossed/denied-10"),
    "a read-only file": (lambda path, _: not path.stat().st_mode & 0o200, "crossed/denied-10"),
    "an executable file": (lambda path, _: bool(path.stat().st_mode & 0o100), "crossed/denied-10"),
    "a file with two names": (lambda path, _: path.stat().st_nlink > 1, "crossed/denied-58"),
    "a relative path": (lambda _, asked: asked["file_path"][0] != "/", "crossed/denied-10"),
    "an empty file": (lambda path, _: path.stat().st_size == 0, "crossed/denied-10"),
    "a file with CRLF": (lambda path, _: b"\r\n" in path.read_bytes(), "crossed/denied-10"),
}
"""Files that are exempt from deny rules by mistake, with the condition and the scenario that detects each."""

CAUGHT: dict[str, tuple[type[altered.Altered], str]] = {
    **{f"gate open for {case}": (excepting(OpenGate, it), by) for case, (it, by) in GATE_OPEN_FOR.items()},
    **{
        f"change overlooked by {case}": (excepting(OverlooksChanges, it), by)
        for case, (it, by) in CHANGES_OVERLOOKED_BY.items()
    },
    **{
        f"any match taken in {case}": (excepting(TakesAnyMatch, it), by)
        for case, (it, by) in ANY_MATCH_TAKEN_IN.items()
    },
    **{
        f"deny rules overlooked for {case}": (excepting(OverlooksDenyRules, it), by)
        for case, (it, by) in DENY_RULES_OVERLOOKED_FOR.items()
    },
}

HARMLESS = {
    "gate open for a Write of the same bytes": NOTHING_THERE,
    "gate open for an empty file": NOTHING_THERE,
    "gate open for a name of 250 characters": NOTHING_THERE,
    "change overlooked by a deletion": NOTHING_LOST,
    "change overlooked by an insertion": NOTHING_LOST,
    "change overlooked by white space alone": NOTHING_LOST,
    "change overlooked by an edit of two lines": NOTHING_LOST,
    "change overlooked by a long old_string": NOTHING_LOST,
    "change overlooked by a deletion in a read-only file": NOTHING_LOST,
    "deny rules overlooked for a name without extension": CHANGES_NOTHING,
    "deny rules overlooked for an empty file": CHANGES_NOTHING,
}


@pytest.mark.parametrize(
    "cases", [[*CAUGHT][::4], pytest.param([*CAUGHT], marks=pytest.mark.slow)], ids=["quick", "all"]
)
def test_what_is_wrong_in_one_case_is_caught_by_the_scenario_named_for_it(
    cases: Sequence[str], place: WorkspacePool
) -> None:
    rows("case", cases)(is_caught)(place=place)


def is_caught(case: str, place: WorkspacePool) -> None:
    """Assert that the scenario detects the implementation.

    If work can be lost, the harm must show the mistake, too.
    """
    verdict, found = judged_with_harm(*CAUGHT[case], place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation")
    assert not verdict.levels["effects"]
    assert bool(found) != (case in HARMLESS), [each.line for each in found]

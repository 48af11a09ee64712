"""Scenarios that test whether a Read shows the current content: only then the call after the Read succeeds."""

from __future__ import annotations

from collections.abc import Mapping

from crossings import Subject, edit, read, run, write
from subjects import PLAIN

LONG = {"repeat": "line {n} of the list\n", "times": 12}

EVENTS = ("resume", "compaction", "rewind", "agent", "background", "session", "group")

SUBJECTS: Mapping[str, Subject] = {
    "shown": Subject(
        "Read shows the file that it names, whole and as it is",
        "read-shows-the-disk",
        {
            "files": {
                "notes.txt": PLAIN,
                "list.txt": LONG,
                "saved.txt": "red\ngreen\n",
                "new.txt": "one\ntwo\n",
            }
        },
        [read("notes.txt"), read("saved.txt"), read("list.txt", offset=3, limit=2)],
        [
            read("notes.txt"),
            write("notes.txt", "alpha\nbeta\ndelta\n"),
            {"modify": {"saved.txt": {"text": "red\nGREEN\n", "mtime": "+400000000s"}}},
            read("saved.txt"),
            write("saved.txt", "red\nGREEN\nblue\n"),
            read("new.txt"),
            edit("new.txt", "two", "due"),
            read("list.txt"),
            edit("list.txt", "line 9 of the list\n", "line nine of the list\n"),
            read("list.txt", offset=8, limit=3),
            write("list.txt", "line 1 of the list\n"),
        ],
        ["again", "partial-read"],
    ),
}

BY_OTHER_WAYS = {
    "mention-then-write": (
        "A mention shows all of a file, which may then be written",
        [{"mention": "notes.txt"}, write("notes.txt", "alpha\nbeta\ndelta\n")],
    ),
    "two-mentions": (
        "Two mentions of two files show both",
        [
            {"mention": "notes.txt"},
            {"mention": "other.txt"},
            edit("other.txt", "one", "uno"),
            edit("notes.txt"),
        ],
    ),
    "two-mentions-and-a-call": (
        "Two mentions with a call between them show both files",
        [
            {"mention": "notes.txt"},
            read("more.txt"),
            {"mention": "other.txt"},
            edit("other.txt", "one", "uno"),
            edit("notes.txt"),
        ],
    ),
    "mention-then-resume": (
        "A file that the user mentioned before a resume is unread or known after it",
        [{"mention": "notes.txt"}, {"resume": {}}, edit("notes.txt")],
    ),
    "mention-then-rewind": (
        "A file that the user mentioned before a rewind is unread or known after it",
        [
            {"mention": "notes.txt"},
            read("more.txt"),
            edit("more.txt", "more", "less"),
            {"rewind": {}},
            edit("notes.txt"),
        ],
    ),
    "mention-of-a-changed-file": (
        "A mention shows a file as others left it",
        [
            read("notes.txt"),
            {"modify": {"notes.txt": {"text": "alpha\nBETA\n", "mtime": "+400000000s"}}},
            {"mention": "notes.txt"},
            write("notes.txt", "alpha\nBETA\ndelta\n"),
        ],
    ),
    "mention-after-compaction": (
        "A mention after a compaction shows all of a file that was known",
        [
            read("notes.txt"),
            {"compact": {}},
            {"mention": "notes.txt"},
            write("notes.txt", "alpha\nbeta\ndelta\n"),
        ],
    ),
    "command-then-edit": (
        "A command that shows all of a file is not a Read",
        [
            run("cat $WS/notes.txt"),
            edit("notes.txt"),
            run("cat $WS/other.txt"),
            write("other.txt", "one\ntwo\n"),
        ],
    ),
    "command-then-read": (
        "Read shows a file that a command has shown, and shows it as it is",
        [
            run("cat $WS/notes.txt"),
            {"modify": {"notes.txt": "alpha\nBETA\n"}},
            read("notes.txt"),
            write("notes.txt", "alpha\nBETA\ndelta\n"),
        ],
    ),
    "snippets-of-edits": (
        "The answer of each Edit shows lines of the file that it changed",
        [
            read("list.txt"),
            edit("list.txt", "line 3 of the list\n", "line three of the list\nand one more\n"),
            edit("list.txt", "and one more\nline 4 of", "and one more\nline four of"),
            edit("list.txt", "line 12 of the list\n", ""),
            edit("list.txt", "line 11 of the list\n", "the end\n"),
        ],
    ),
    "ranges-one-after-the-other": (
        "Ranges of a file show their own lines with their own numbers",
        [
            read("list.txt", offset=1, limit=2),
            read("list.txt", offset=5, limit=2),
            read("list.txt", offset=11),
            edit("list.txt", "line 5 of the list\nline 6", "line five of the list\nline 6"),
            read("list.txt", offset=5, limit=1),
        ],
    ),
}


HALF_CHARACTERS = {
    "half-a-pair-inserted": (
        "Half a surrogate pair is inserted and written as the replacement character",
        "alpha\nbeta\n",
        [
            read("notes.txt"),
            edit("notes.txt", "alpha", {"json": "gamma \\ud83d delta"}),
            write("notes.txt", {"json": "\\udc00 alpha\\n"}),
            edit("notes.txt", "alpha", {"json": "\\ud83d"}),
        ],
    ),
    "half-a-pair-sought": (
        "Half a surrogate pair is not found in a replacement character",
        "alpha\nbeta \ufffd\n",
        [
            read("notes.txt"),
            edit("notes.txt", {"json": "beta \\udc00"}, "delta"),
            edit("notes.txt", "beta", "delta"),
        ],
    ),
}


def half_characters() -> dict[str, dict[str, object]]:
    """Return the scenarios with half of a surrogate pair (in YAML: `{json: ...}`), by the last part of their ids."""
    return {
        name: {
            "title": title,
            "requirement": "observed",
            "rule": "half-characters",
            "tags": ["unicode"],
            "given": {"files": {"notes.txt": text}},
            "steps": steps,
        }
        for name, (title, text, steps) in HALF_CHARACTERS.items()
    }


def by_other_ways() -> dict[str, dict[str, object]]:
    """Return the scenarios that show a file without a Read, for example by a mention, by the last part of their ids."""
    files = {"notes.txt": PLAIN, "other.txt": "one\n", "more.txt": "more\n", "list.txt": LONG}
    return {
        name: {
            "title": title,
            "requirement": "observed",
            "rule": "mention-counts-as-read" if "mention" in name else "read-shows-the-disk",
            "tags": [],
            "given": {"files": {path: content for path, content in files.items() if path in str(steps)}},
            "steps": steps,
        }
        for name, (title, steps) in BY_OTHER_WAYS.items()
    }

"""The rules, modes, hooks and kinds of files that the family `crossings` combines with events of a session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from crossings import EVENTS, Subject, edit, edit_cell, read, write

NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "id": "a", "metadata": {}, "execution_count": null, "outputs": [], '
    '"source": ["1"]}], "metadata": {"kernelspec": {"name": "x"}}, "nbformat": 4, "nbformat_minor": 5}'
)
WITH_CHARACTERS = NOTEBOOK.replace('"1"', "\"name = 'é ≠ 𝄞'\"")
"""The content of a notebook that contains characters of two, three and four bytes in UTF-8."""
RICH = json.dumps(
    {
        "cells": [
            {
                "cell_type": "code",
                "id": "a",
                "metadata": {"tags": ["x"]},
                "execution_count": 3,
                "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}],
                "source": ["one = 1\n", "one"],
            },
            {
                "cell_type": "markdown",
                "id": "b",
                "metadata": {},
                "attachments": {"i.png": {"image/png": "AAAA"}},
                "source": ["# Title"],
            },
            {
                "cell_type": "code",
                "id": "c",
                "metadata": {},
                "execution_count": 4,
                "outputs": [{"output_type": "stream", "name": "stdout", "text": ["2\\n"]}],
                "source": ["x = '\x01\x0b\x1b'"],
            },
        ],
        "metadata": {"kernelspec": {"name": "x"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
)
"""A notebook with outputs, attachments, metadata of a cell, and control characters."""
PLAIN = "alpha\nbeta\n"

HOOKS = (
    {"PreToolUse": "Write", "exit": {"code": 2, "stderr": "Not in this folder."}},
    {"PostToolUse": "Edit", "delete": "leftover.txt"},
    {"PostToolUse": "Edit", "context": "Run the tests of this folder."},
)
NEW_INPUT = {
    "PreToolUse": "NotebookEdit",
    "input": {"notebook_path": "$WS/book.ipynb", "cell_id": "a", "new_source": "9"},
}
"""A hook that replaces a call's input. After an interrupted call, 2.0.76 to 2.1.104 sometimes ignore the new input,
so this hook is not combined with interruptions."""
OF_HOOKS: Mapping[str, Any] = {
    "reminders": True,
    "files": {"notes.txt": PLAIN, "book.ipynb": NOTEBOOK, "leftover.txt": "x\n"},
}

RULES: Mapping[str, Subject] = {
    "deny": Subject(
        "Deny rules close their files",
        "deny-edit",
        {
            "deny": ["Edit(closed/**)", "Read(secret/**)"],
            "files": {
                "closed/notes.txt": PLAIN,
                "closed/book.ipynb": NOTEBOOK,
                "secret/key.txt": "key\n",
                "open/notes.txt": PLAIN,
            },
        },
        [read("closed/notes.txt"), read("open/notes.txt")],
        [
            edit("closed/notes.txt"),
            write("closed/notes.txt"),
            write("closed/new.txt"),
            edit_cell("closed/book.ipynb"),
            read("secret/key.txt"),
            edit("open/notes.txt"),
        ],
        ["permissions"],
        further=("stop", "mentioned"),
    ),
    "default-mode": Subject(
        "Files that no rule opens are closed in the default mode",
        "changes-need-permission",
        {
            "mode": "default",
            "allow": ["Edit(open/**)"],
            "files": {"closed/notes.txt": PLAIN, "closed/book.ipynb": NOTEBOOK, "open/notes.txt": PLAIN},
        },
        [read("closed/notes.txt"), read("open/notes.txt")],
        [
            edit("closed/notes.txt"),
            write("closed/new.txt"),
            edit_cell("closed/book.ipynb"),
            edit("open/notes.txt"),
        ],
        ["permission-modes"],
        further=("mentioned",),
    ),
    "plan-mode": Subject(
        "Nothing is changed in plan mode",
        "plan-mode-changes-nothing",
        {"mode": "plan", "files": {"notes.txt": PLAIN, "book.ipynb": NOTEBOOK}},
        [read("notes.txt")],
        [edit("notes.txt"), write("new.txt"), edit_cell("book.ipynb"), read("notes.txt", limit=1)],
        ["permission-modes"],
        skipped=("mention", "command"),
        further=("mentioned",),
    ),
    "directories": Subject(
        "Files outside the session's directories are closed",
        "outside-needs-permission",
        {
            "mode": "acceptEdits",
            "working_directory": "project",
            "additional_directories": ["shared"],
            "files": {
                "project/a.txt": PLAIN,
                "shared/b.txt": PLAIN,
                "shared/book.ipynb": NOTEBOOK,
                "elsewhere/c.txt": PLAIN,
                "elsewhere/book.ipynb": NOTEBOOK,
            },
        },
        [read("project/a.txt"), read("shared/b.txt"), read("shared/book.ipynb")],
        [
            read("elsewhere/c.txt"),
            write("elsewhere/new.txt"),
            edit_cell("elsewhere/book.ipynb"),
            edit_cell("shared/book.ipynb"),
            edit("shared/b.txt"),
            edit("project/a.txt"),
        ],
        ["permission-modes"],
        skipped=("rewind", "command"),
        others={"other.txt": "project/other.txt"},
    ),
    "hooks": Subject(
        "Each hook of four does its work",
        "hook-decides",
        {**OF_HOOKS, "hooks": [*HOOKS, NEW_INPUT]},
        [read("notes.txt"), read("book.ipynb")],
        [write("notes.txt"), write("new.txt"), edit_cell("book.ipynb"), edit("notes.txt")],
        skipped=("interruption",),
        further=("mentioned",),
    ),
    "three-hooks": Subject(
        "Each hook of three does its work",
        "hook-decides",
        {**OF_HOOKS, "hooks": [*HOOKS]},
        [read("notes.txt"), read("book.ipynb")],
        [write("notes.txt"), write("new.txt"), edit_cell("book.ipynb"), edit("notes.txt")],
        skipped=tuple({*EVENTS} - {"interruption"}),
    ),
    "hooks-of-notebooks": Subject(
        "Hooks run before and after each NotebookEdit",
        "hook-tells-the-model",
        {
            "reminders": True,
            "hooks": [
                {"PreToolUse": "NotebookEdit", "context": "Keep the cells short."},
                {"PostToolUse": "NotebookEdit", "delete": "leftover.txt"},
                {"PostToolUse": "NotebookEdit", "context": "Run the cells again."},
            ],
            "files": {"book.ipynb": NOTEBOOK, "leftover.txt": "x\n"},
        },
        [read("book.ipynb")],
        [edit_cell("book.ipynb"), edit_cell("book.ipynb", "3")],
        ["notebook-edit"],
        requirement="observed",
        skipped=("agent", "background", "session", "compaction", "command", "mention"),
    ),
    "memory-file": Subject(
        "A memory file beside a file that was read is no read file",
        "memory-files-are-no-reads",
        {
            "memory_files": True,
            "files": {
                "sub/CLAUDE.md": "Use two blanks.\n",
                "sub/notes.txt": PLAIN,
                "more/CLAUDE.md": "Use two tabs.\n",
                "more/notes.txt": PLAIN,
            },
        },
        [read("sub/notes.txt"), read("more/notes.txt")],
        [
            edit("sub/CLAUDE.md", "two", "four"),
            edit("sub/notes.txt"),
            edit("more/notes.txt"),
            edit("more/CLAUDE.md", "two", "four"),
        ],
        ["gate"],
        requirement="observed",
        skipped=("command", "mention"),
    ),
}

ENCODED: Mapping[str, Any] = {
    "crlf.txt": {"text": PLAIN, "eol": "crlf"},
    "mark.txt": {"text": PLAIN, "bom": True},
    "utf-16.txt": {"text": PLAIN, "encoding": "utf-16-le", "bom": True},
    "mixed.txt": "alpha\r\nbeta\ndelta\r\n",
    "latin-1.txt": {"text": "alpha é\nbeta\n", "encoding": "latin-1"},
}
WITH_MODES: Mapping[str, Any] = {
    "script.sh": {"text": PLAIN, "mode": "0755"},
    "closed.txt": {"text": PLAIN, "mode": "0444"},
}
WITH_NAMES: Mapping[str, Any] = {
    "target.txt": PLAIN,
    "link.txt": {"symlink": "target.txt"},
    "one.txt": PLAIN,
    "two.txt": {"hardlink": "one.txt"},
}
OF_ENCODED = (
    edit("crlf.txt", "alpha", "gamma\ndelta"),
    edit("mark.txt", "alpha", "gamma\ndelta"),
    edit("utf-16.txt", "alpha", "gamma\ndelta"),
    edit("mixed.txt", "beta", "gamma"),
    edit("latin-1.txt"),
    write("crlf.txt", "one\ntwo\n"),
    write("mark.txt", "one\ntwo\n"),
)
OF_MODES = (edit("script.sh"), edit("closed.txt"), write("script.sh", "one\n"))
OF_NAMES = (edit("link.txt"), edit("one.txt"))
AT_ONCE_KNOWN = ("compaction",)
"""Events that reduce the files that a session knows to five. Not combined with subjects that have more files."""
NO_LINKS = ("command", "git")
"""Events whose scenarios cannot contain links. Not combined with subjects that have links."""

FILES: Mapping[str, Subject] = {
    "files": Subject(
        "Encodings, line ends, modes, links and names of files stay",
        "edit-line-endings",
        {"files": {**ENCODED, **WITH_MODES, **WITH_NAMES}},
        [*map(read, (*ENCODED, *WITH_MODES, "link.txt", "one.txt"))],
        [*OF_ENCODED, *OF_MODES, *OF_NAMES],
        ["bom", "crlf", "encodings", "links", "modes"],
        skipped=(*AT_ONCE_KNOWN, *NO_LINKS),
        further=("mentioned", "repository"),
    ),
    "encodings-and-modes": Subject(
        "Encodings, line ends and modes of files stay",
        "edit-line-endings",
        {"files": {**ENCODED, **WITH_MODES}},
        [*map(read, (*ENCODED, *WITH_MODES))],
        [*OF_ENCODED, *OF_MODES],
        ["bom", "crlf", "encodings", "modes"],
        skipped=tuple({*EVENTS, "during", "hook"} - {*NO_LINKS}),
    ),
    "encodings": Subject(
        "Encodings and line ends of files stay",
        "edit-line-endings",
        {"files": ENCODED},
        [*map(read, ENCODED)],
        OF_ENCODED,
        ["bom", "crlf", "encodings"],
        skipped=tuple({*EVENTS, "during", "hook", "git"} - {*AT_ONCE_KNOWN}),
    ),
    "modes-and-names": Subject(
        "Modes, links and names of files stay",
        "modes",
        {"files": {**WITH_MODES, **WITH_NAMES}},
        [*map(read, (*WITH_MODES, "link.txt", "one.txt"))],
        [*OF_MODES, *OF_NAMES],
        ["links", "modes"],
        skipped=tuple({*EVENTS, "during", "hook", "git"} - {*AT_ONCE_KNOWN}),
    ),
    "notebook-characters": Subject(
        "Characters of a notebook are not escaped",
        "notebook-edit-keeps-the-rest",
        {"files": {"book.ipynb": {"text": WITH_CHARACTERS, "mode": "0755"}}},
        [read("book.ipynb")],
        [edit_cell("book.ipynb", "naïve = 'größer'"), edit_cell("book.ipynb", "日本 = 2")],
        ["modes", "notebook-edit"],
        skipped=("mention", "interruption", "group", "command", "during", "hook", "git"),
    ),
    "owner": Subject(
        "Owner and attributes of a file stay",
        "owner-and-attributes-stay",
        {
            "files": {
                "notes.txt": {
                    "text": PLAIN,
                    "ownership": {"owner": 1234, "group": 1235, "attributes": {"user.origin": "here"}},
                }
            }
        },
        [read("notes.txt")],
        [edit("notes.txt"), write("notes.txt", "one\n")],
        skipped=(
            "group",
            "interruption",
            "mention",
            "command",
            "background",
            "session",
            "compaction",
            "during",
            "hook",
        ),
    ),
    "notebooks-and-settings": Subject(
        "Notebooks and settings stay valid",
        "settings-stay-valid",
        {
            "files": {
                "book.ipynb": RICH,
                ".claude/settings.json": '{"cleanupPeriodDays": 30, "spinnerTipsEnabled": true}\n',
            }
        },
        [read("book.ipynb"), read(".claude/settings.json")],
        [
            edit_cell("book.ipynb"),
            edit_cell("book.ipynb", "# Chapter", "b"),
            edit_cell("book.ipynb", "x = '\x01\x0b'", "c"),
            edit(".claude/settings.json", "30", '"many"'),
            edit(".claude/settings.json", "30", "60"),
        ],
        ["notebook-edit", "settings"],
        skipped=("group",),
        further=("mentioned", "repository"),
    ),
}

"""Scenarios that let rules, modes, hooks and kinds of files meet each event of a session, as data of the corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Step = dict[str, Any]
Text = str | dict[str, str]
Scenarios = dict[str, dict[str, Any]]


def read(path: str, **part: int) -> Step:
    """Return a Read of a file of the workspace."""
    return {"Read": {"file_path": f"$WS/{path}", **part}}


def edit(path: str, old: Text = "alpha", new: Text = "gamma") -> Step:
    """Return an Edit of a file of the workspace."""
    return {"Edit": {"file_path": f"$WS/{path}", "old_string": old, "new_string": new}}


def write(path: str, content: Text = "gamma\n") -> Step:
    """Return a Write to a file of the workspace."""
    return {"Write": {"file_path": f"$WS/{path}", "content": content}}


def edit_cell(path: str, source: str = "2") -> Step:
    """Return a NotebookEdit of the first cell of a notebook of the workspace."""
    return {"NotebookEdit": {"notebook_path": f"$WS/{path}", "cell_id": "a", "new_source": source}}


def run(command: str) -> Step:
    """Return a command."""
    return {"Bash": {"command": command}}


NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "id": "a", "metadata": {}, "execution_count": null, "outputs": [], '
    '"source": ["1"]}], "metadata": {"kernelspec": {"name": "x"}}, "nbformat": 4, "nbformat_minor": 5}'
)


@dataclass(frozen=True)
class Subject:
    """A rule, mode, hook or group of files: the workspace, the calls that make it known, and the calls that show it.

    `known` are calls that the session makes before an event, `shown` calls after it, which need these. `alone` are the
    same calls for a session that begins with nothing. `skipped` are events without meaning for the subject.
    """

    title: str
    rule: str
    given: Mapping[str, Any]
    known: Sequence[Step]
    shown: Sequence[Step]
    tags: Sequence[str] = ()
    requirement: str = "must"
    skipped: Sequence[str] = ()
    others: Mapping[str, Any] = field(default_factory=dict)

    @property
    def alone(self) -> Sequence[Step]:
        return (*self.known, *self.shown)


EVENTS: Mapping[str, tuple[str, Sequence[str]]] = {
    "resume": ("after a resume", ["resume"]),
    "compaction": ("after a compaction", ["compaction"]),
    "rewind": ("after a rewind", ["rewind"]),
    "mention": ("after a mention", []),
    "interruption": ("after a call that was given up", ["interruption"]),
    "agent": ("in a sub-agent and after it", ["agents"]),
    "background": ("in a background sub-agent", ["agents"]),
    "session": ("in a second session and beside it", ["sessions"]),
    "group": ("in a group of calls", ["parallel"]),
    "command": ("after a command", []),
}


def steps_around(event: str, subject: Subject) -> list[Step]:
    """Return the steps in which a subject meets an event."""
    known, shown = [*subject.known], [*subject.shown]
    other: Step = read("other.txt")
    match event:
        case "resume":
            return [*known, {"resume": {}}, *shown]
        case "compaction":
            return [*known, {"compact": {}}, *shown]
        case "rewind":
            return [*known, other, edit("other.txt", "one", "uno"), {"rewind": {}}, *shown]
        case "mention":
            return [*known, {"mention": "other.txt"}, *shown]
        case "interruption":
            given_up = {**edit("other.txt", "one", "uno"), "interrupted": "cancelled"}
            return [*known, other, given_up, *shown]
        case "agent":
            return [*known, {"agent": {"steps": [*subject.alone]}}, *shown]
        case "background":
            return [
                {"background": {"agent": "first", "steps": [*known]}},
                other,
                {"background": {"agent": "first", "steps": [*shown]}},
                edit("other.txt", "one", "uno"),
            ]
        case "session":
            return [other, {"other": {"steps": [*subject.alone]}}, *known, *shown]
        case "group":
            calls = [step for step in shown if {*step} <= {"Read", "Edit", "Write", "NotebookEdit"}]
            changes = [step for step in shown if step not in calls]
            return [*known, *changes, {"parallel": calls}]
        case "command":
            return [*known, run("cat $WS/other.txt"), *shown]
    raise KeyError(event)


PLAIN = "alpha\nbeta\n"

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
    ),
    "plan-mode": Subject(
        "Nothing is changed in plan mode",
        "plan-mode-changes-nothing",
        {"mode": "plan", "files": {"notes.txt": PLAIN, "book.ipynb": NOTEBOOK}},
        [read("notes.txt")],
        [edit("notes.txt"), write("new.txt"), edit_cell("book.ipynb"), read("notes.txt", limit=1)],
        ["permission-modes"],
        skipped=("rewind", "interruption", "mention", "command"),
    ),
    "directories": Subject(
        "Files outside the session's directories are closed",
        "outside-needs-permission",
        {
            "mode": "acceptEdits",
            "working_directory": "project",
            "additional_directories": ["shared"],
            "files": {"project/a.txt": PLAIN, "shared/b.txt": PLAIN, "elsewhere/c.txt": PLAIN},
        },
        [read("project/a.txt"), read("shared/b.txt")],
        [
            read("elsewhere/c.txt"),
            write("elsewhere/new.txt"),
            edit("shared/b.txt"),
            edit("project/a.txt"),
        ],
        ["permission-modes"],
        skipped=("rewind", "interruption", "command"),
        others={"other.txt": "project/other.txt"},
    ),
    "hooks": Subject(
        "Each hook of four does its work",
        "hook-decides",
        {
            "reminders": True,
            "hooks": [
                {"PreToolUse": "Write", "exit": {"code": 2, "stderr": "Not in this folder."}},
                {
                    "PreToolUse": "NotebookEdit",
                    "input": {"notebook_path": "$WS/book.ipynb", "cell_id": "a", "new_source": "9"},
                },
                {"PostToolUse": "Edit", "delete": "leftover.txt"},
                {"PostToolUse": "Edit", "context": "Run the tests of this folder."},
            ],
            "files": {"notes.txt": PLAIN, "book.ipynb": NOTEBOOK, "leftover.txt": "x\n"},
        },
        [read("notes.txt"), read("book.ipynb")],
        [write("notes.txt"), write("new.txt"), edit_cell("book.ipynb"), edit("notes.txt")],
    ),
    "memory-file": Subject(
        "A memory file beside a file that was read is no read file",
        "memory-files-are-no-reads",
        {
            "memory_files": True,
            "files": {"sub/CLAUDE.md": "Use two blanks.\n", "sub/notes.txt": PLAIN},
        },
        [read("sub/notes.txt")],
        [edit("sub/CLAUDE.md", "two", "four"), edit("sub/notes.txt")],
        ["gate"],
        requirement="observed",
        skipped=("background", "rewind", "interruption", "group", "command", "mention"),
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
"""Events after which a session knows only five files."""
NO_LINKS = ("command", "git")
"""Which scenarios with links cannot have."""

FILES: Mapping[str, Subject] = {
    "files": Subject(
        "Encodings, line ends, modes, links and names of files stay",
        "edit-line-endings",
        {"files": {**ENCODED, **WITH_MODES, **WITH_NAMES}},
        [*map(read, (*ENCODED, *WITH_MODES, "link.txt", "one.txt"))],
        [*OF_ENCODED, *OF_MODES, *OF_NAMES],
        ["bom", "crlf", "encodings", "links", "modes"],
        skipped=(*AT_ONCE_KNOWN, *NO_LINKS),
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
                "book.ipynb": NOTEBOOK,
                ".claude/settings.json": '{"cleanupPeriodDays": 30, "spinnerTipsEnabled": true}\n',
            }
        },
        [read("book.ipynb"), read(".claude/settings.json")],
        [
            edit_cell("book.ipynb"),
            edit(".claude/settings.json", "30", '"many"'),
            edit(".claude/settings.json", "30", "60"),
        ],
        ["notebook-edit", "settings"],
        skipped=("group",),
    ),
}

IN_PLAIN_EVENTS: Mapping[str, str] = {
    "during": "while others change a neighbour",
    "hook": "beside a hook",
    "git": "after a checkout of another branch",
}


def _plain_steps(event: str, subject: Subject) -> tuple[dict[str, Any], list[Step]]:
    """Return the workspace and the steps in which files meet what happens around the calls."""
    given = {**subject.given}
    match event:
        case "during":
            change = {"modify": {"other.txt": "two\n"}}
            changes = iter([f"{number}\n" for number in range(99)])
            steps = [
                {**step, "during": [{"modify": {"other.txt": next(changes)}}]}
                if {*step} & {"Edit", "Write"}
                else step
                for step in subject.shown
            ]
            return given, [*subject.known, change, *steps]
        case "hook":
            given["hooks"] = [
                {"PreToolUse": "Edit|Write", "context": "Before."},
                {"PostToolUse": "Edit|Write", "context": "After."},
            ]
            return given, [*subject.alone]
        case _:
            around = [
                {"git": "commit"},
                {"git": "branch other"},
                {"modify": {"other.txt": "two\n"}},
                {"git": "commit"},
                {"git": "checkout main"},
            ]
            return given, [*subject.known, *around, *subject.shown]


def _finished(subject: Subject, given: Mapping[str, Any], steps: list[Step]) -> dict[str, Any]:
    """Return workspace and steps with the file that is beside those of the subject."""
    name = subject.others.get("other.txt", "other.txt")
    steps = [_renamed(step, name) for step in steps]
    return {"given": {**given, "files": {**given["files"], name: "one\n"}}, "steps": steps}


def _renamed(value: Any, name: str) -> Any:
    match value:
        case "other.txt":
            return name
        case str():
            return value.replace("$WS/other.txt", f"$WS/{name}")
        case dict():
            return {_renamed(key, name): _renamed(item, name) for key, item in value.items()}
        case list():
            return [_renamed(item, name) for item in value]
        case _:
            return value


def crossings(subjects: Mapping[str, Subject], events: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the scenario of each subject and event, by the last part of its id."""
    for name, subject in subjects.items():
        for event in events:
            if event in subject.skipped:
                continue
            if event in EVENTS:
                where, tags = EVENTS[event]
                given, steps = subject.given, steps_around(event, subject)
            else:
                where, tags = IN_PLAIN_EVENTS[event], ["git"] if event == "git" else []
                given, steps = _plain_steps(event, subject)
            if steps:
                yield (
                    f"{name}-{event}",
                    {
                        "title": f"{subject.title} {where}",
                        "requirement": subject.requirement,
                        "rule": subject.rule,
                        "tags": sorted({*subject.tags, *tags}),
                        **_finished(subject, given, steps),
                    },
                )

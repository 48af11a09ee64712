"""Create the scenarios of the family `crossings`: each combines a rule, mode, hook or kind of file with an event in the
session, such as a compaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Step = dict[str, Any]
Text = str | dict[str, str]
Scenarios = dict[str, dict[str, Any]]


def read(path: str, **part: int) -> Step:
    """Return a step that reads a file in the workspace. `part` contains the arguments `offset` and `limit`."""
    return {"Read": {"file_path": f"$WS/{path}", **part}}


def edit(path: str, old: Text = "alpha", new: Text = "gamma") -> Step:
    return {"Edit": {"file_path": f"$WS/{path}", "old_string": old, "new_string": new}}


def write(path: str, content: Text = "gamma\n") -> Step:
    return {"Write": {"file_path": f"$WS/{path}", "content": content}}


def edit_cell(path: str, source: str = "2", cell: str = "a", **more: str) -> Step:
    """Return a step that changes a cell of a notebook in the workspace. `more` are further arguments."""
    arguments = {"notebook_path": f"$WS/{path}", "cell_id": cell, "new_source": source, **more}
    return {"NotebookEdit": arguments}


def run(command: str) -> Step:
    return {"Bash": {"command": command}}


def undo_step(step: Step) -> Step:
    """Return the call that undoes an Edit, or a NotebookEdit with another source. Other steps stay."""
    match step:
        case {"Edit": {"old_string": old, "new_string": new, **rest}}:
            return {"Edit": {**rest, "old_string": new, "new_string": old}}
        case {"NotebookEdit": {"new_source": source, **rest}}:
            return {"NotebookEdit": {**rest, "new_source": f"{source}0"}}
        case _:
            return step


@dataclass(frozen=True)
class Subject:
    """A rule, mode, hook or group of files that is combined with events: a workspace (`given`) and calls. The calls
    `known`, before the event, make the files known to the session. The calls `shown`, after the event, show whether the
    rule still holds. `alone` contains all calls without an event. `skipped` are events that make no sense for the
    subject. `further` are the events in `FURTHER` that are used for the subject, too.
    """

    title: str
    rule: str
    given: Mapping[str, Any]
    known: Sequence[Step]
    shown: Sequence[Step]
    tags: Sequence[str] = ()
    requirement: str = "must"
    skipped: Sequence[str] = ()
    further: Sequence[str] = ()
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
    "stop": ("after a call that was given up while it wrote", ["interruption"]),
}
FURTHER = ("stop", "mentioned", "repository")
"""Events that are used only for subjects that list them in `further`."""


def steps_around(event: str, subject: Subject) -> list[Step]:
    """Return a subject's calls before and after an event such as `resume`, with the event between these calls."""
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
        case "stop":
            return [*known, other, {**edit("other.txt", "one", "uno"), "interrupted": "stopped"}, *shown]
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
            return [other, {"other": {"steps": [*subject.alone]}}, *known, *map(undo_step, shown)]
        case "group":
            calls = [step for step in shown if {*step} <= {"Read", "Edit", "Write", "NotebookEdit"}]
            changes = [step for step in shown if step not in calls]
            return [*known, *changes, {"parallel": calls}]
        case "command":
            return [*known, run("cat $WS/other.txt"), *shown]
    raise KeyError(event)


IN_PLAIN_EVENTS: Mapping[str, str] = {
    "during": "while others change a neighbour",
    "hook": "beside a hook",
    "git": "after a checkout of another branch",
    "repository": "in a repository that moved to a branch",
    "mentioned": "if only mentions made them known",
}


def _plain_steps(event: str, subject: Subject) -> tuple[dict[str, Any], list[Step]]:
    """Return workspace and steps of a scenario about a subject, such as a rule, and an event in `IN_PLAIN_EVENTS`."""
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
        case "repository":
            given["repositories"] = ["."]
            moved = {".git/HEAD": "ref: refs/heads/other\n", ".git/logs/HEAD": "moved\n"}
            return given, [*subject.known, {"modify": moved}, *subject.shown]
        case "mentioned":
            given.pop("reminders", None)  # early versions report their edits after the next mention
            return given, _with_mentions(subject)
        case _:
            around = [
                {"git": "commit"},
                {"git": "branch other"},
                {"modify": {"other.txt": "two\n"}},
                {"git": "commit"},
                {"git": "checkout main"},
            ]
            return given, [*subject.known, *around, *subject.shown]


def _with_mentions(subject: Subject) -> list[Step]:
    """Return the calls of a subject. The user mentions each known file, so the session sees it without a Read. The
    calls about a file directly follow the mention: after two consecutive mentions, the session may have read only one
    file.
    """
    steps: list[Step] = []
    mentioned = [step["Read"]["file_path"].removeprefix("$WS/") for step in subject.known]
    left = [*subject.shown]
    for path in mentioned:
        of_it = [step for step in left if f"$WS/{path}" in (*next(iter(step.values())).values(),)]
        left = [step for step in left if step not in of_it]
        steps += [{"mention": path}, *of_it]
    return [*steps, *left]


def _with_neighbour(subject: Subject, given: Mapping[str, Any], steps: list[Step]) -> dict[str, Any]:
    """Add the file that the event may use: `other.txt`, or a different file if the subject names one."""
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
    """Yield a scenario for each subject (such as a rule) and event: the last part of its id, and its content."""
    for name, subject in subjects.items():
        for event in events:
            if event in subject.skipped or (event in FURTHER and event not in subject.further):
                continue
            if event in EVENTS:
                where, tags = EVENTS[event]
                given, steps = subject.given, steps_around(event, subject)
            else:
                where, tags = IN_PLAIN_EVENTS[event], ["git"] if event in ("git", "repository") else []
                given, steps = _plain_steps(event, subject)
            if steps:
                yield (
                    f"{name}-{event}",
                    {
                        "title": f"{subject.title} {where}",
                        "requirement": subject.requirement,
                        "rule": subject.rule,
                        "tags": sorted({*subject.tags, *tags}),
                        **_with_neighbour(subject, given, steps),
                    },
                )

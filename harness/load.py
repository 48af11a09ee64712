"""Load: one scenario file into a Scenario, or into a list of everything that is wrong with its form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from harness import strict_yaml
from harness.confinement import Links, is_safe, note_escaping
from harness.content import MAX_CONTENT_BYTES, given_entry
from harness.contracts import Contracts
from harness.entry import Directory, Entry, HardLink, RegularFile, Symlink, TextContent
from harness.events import EVENTS, read_event
from harness.expectations import CALL_KEYS, GROUP_KEYS, GROUPED_CALL_KEYS, note_division, read_expectation
from harness.finding import SuiteError
from harness.inspection import Inspection, a_kind_of, did_you_mean
from harness.inspection import Path as Place
from harness.scenario import (
    TOOLS,
    Expectation,
    Given,
    ParallelCalls,
    Requirement,
    Scenario,
    Step,
    ToolCall,
    WorldEvent,
)
from harness.strict_yaml import Document

__all__ = ["REQUIREMENTS", "ScenarioError", "load_scenario", "scenario_from"]

REQUIREMENTS = ("must", "should", "observed")

_TOP = ("title", "about", "requirement", "tags", "sources", "given", "steps")
_ELSEWHERE = {"during": "Make the call a step of its own: which call of a group runs first is not known."}
_ACTIONS = (*TOOLS, *EVENTS, "parallel")
_DENY = re.compile(r"[A-Z][A-Za-z]*(?:\([^\0]+\))?")


class ScenarioError(SuiteError):
    """A scenario file is not in the format. `findings` are all its problems, in the order of the file."""


def load_scenario(path: Path, root: Path, contracts: Contracts, *, require_expect: bool = True) -> Scenario:
    """Read one file. `root` is the directory that ids are relative to (`scenarios`).

    Without `require_expect` calls may lack their expectation and clauses need not cover every contract: a
    recorder fills them. Raises ScenarioError with all problems, or StrictYamlError with the first.
    """
    document = strict_yaml.load(strict_yaml.read(path), path)
    return scenario_from(
        document, path.relative_to(root).with_suffix("").as_posix(), contracts, require_expect
    )


def scenario_from(
    document: Document, scenario_id: str, contracts: Contracts, require_expect: bool = True
) -> Scenario:
    """Build the scenario from a document that is already read. Raises ScenarioError."""
    reader = _Reader(document, contracts, require_expect)
    scenario = reader.scenario(scenario_id)
    reader.finish(ScenarioError)
    return scenario


class _Reader(Inspection):
    """One method per construct of the format; each notes what is wrong and reads on."""

    def __init__(self, document: Document, contracts: Contracts, require_expect: bool) -> None:
        super().__init__(document)
        self.contracts = contracts
        self.require_expect = require_expect
        self.links = Links()

    def scenario(self, scenario_id: str) -> Scenario:
        top = (
            self.mapping(
                self.document.value, (), "a scenario", _TOP, required=("title", "requirement", "steps")
            )
            or {}
        )
        texts = {key: self.string(top[key], (key,), key) or "" for key in ("title", "about") if key in top}
        lists = {key: self.strings(top[key], (key,), key) for key in ("tags", "sources") if key in top}
        requirement = None
        if "requirement" in top:
            requirement = self.choice(top["requirement"], ("requirement",), "requirement", REQUIREMENTS)
        given = self.given(top["given"]) if "given" in top else Given()
        steps: list[Step] = []
        if "steps" in top:
            for number, value in enumerate(
                self.sequence(top["steps"], ("steps",), "steps", empty=False) or ()
            ):
                steps.extend(self.step(("steps", number), value))
        self.size(given, steps)
        self.divisions(steps)
        return Scenario(
            id=scenario_id,
            title=texts.get("title", ""),
            requirement=cast(Requirement, requirement),
            given=given,
            steps=tuple(steps),
            about=texts.get("about", ""),
            tags=lists.get("tags", ()),
            sources=lists.get("sources", ()),
            path=self.document.file,
        )

    def given(self, value: Any) -> Given:
        fields = self.mapping(value, ("given",), "given", ("files", "deny")) or {}
        files: dict[str, Entry] = {}
        if "files" in fields:
            for path, content in (self.mapping(fields["files"], ("given", "files"), "files") or {}).items():
                place = ("given", "files", path)
                entry = given_entry(self, place, content)
                if is_safe(self, path, place, key=True) and entry is not None:
                    files[path] = entry
            self.conflicts(files)
        deny: tuple[str, ...] = ()
        if "deny" in fields:
            deny = self.strings(fields["deny"], ("given", "deny"), "deny")
            for number, rule in enumerate(deny):
                if not _DENY.fullmatch(rule):
                    fix = "Write a tool and, in parentheses, a pattern: Edit(secret/**)."
                    self.note(("given", "deny", number), f"{rule!r} is not a permission rule", fix)
        return Given(files, deny)

    def conflicts(self, files: Mapping[str, Entry]) -> None:
        """Note given paths that cannot exist side by side, and links that name nothing or lead out."""
        for path, entry in files.items():
            place = ("given", "files", path)
            above = path.rpartition("/")[0]
            while above:
                if above in files and not isinstance(files[above], Directory):
                    what = "a symbolic link" if isinstance(files[above], Symlink) else "a file"
                    message = f"{path!r} lies below {above!r}, which is {what}"
                    self.note(place, message, "Give it another path.", rule="path-conflict", key=True)
                    break
                above = above.rpartition("/")[0]
            if isinstance(entry, HardLink) and not isinstance(files.get(entry.to), RegularFile):
                message = f"the hard link names {entry.to!r}, which is not a given regular file"
                self.note(
                    (*place, "hardlink"),
                    message,
                    "Name a file of given: with its whole path.",
                    rule="path-conflict",
                )
            elif isinstance(entry, Symlink):
                self.links.add(path, entry.target)
        places = {path: ("given", "files", path, "symlink") for path in files}
        note_escaping(self, self.links, places, ("given",))

    def step(self, place: Place, value: Any) -> Sequence[Step]:
        action = self.action(place, value, _ACTIONS, "a step")
        if action is None:
            return ()
        if action in TOOLS:
            call = self.call(place, value, action, ("during", "expect"))
            return () if call is None else (call,)
        if action == "parallel":
            group = self.parallel(place, value)
            return () if group is None else (group,)
        self.mapping(value, place, f"the world event {action}", (action,))
        return read_event(self, self.links, place, action, value[action])

    def action(self, place: Place, value: Any, actions: Sequence[str], what: str) -> str | None:
        """Return the one key that says what is done."""
        if not isinstance(value, dict):
            self.note(
                place,
                f"{what} must be a mapping, not {a_kind_of(value)}",
                f"Begin it with one of: {', '.join(actions)}.",
            )
            return None
        found: list[str] = [key for key in value if key in actions]
        if len(found) == 1:
            return found[0]
        if found:
            fix = "Make each a step of its own; calls of one message stand under parallel:."
            self.note((*place, found[1]), f"{what} has both {found[0]} and {found[1]}", fix, key=True)
            return None
        others = [key for key in value if key not in ("during", "expect")]
        if not others:
            self.note(place, f"{what} does nothing", f"Begin it with one of: {', '.join(actions)}.")
        elif others[0][:1].isupper():
            fix = did_you_mean(others[0], [action for action in actions if action in TOOLS] or actions)
            self.note(
                (*place, others[0]), f"there is no tool {others[0]!r}", fix, rule="unknown-tool", key=True
            )
        else:
            fix = did_you_mean(others[0], actions)
            self.note(
                (*place, others[0]),
                f"there is no {others[0]!r} to do here",
                fix,
                rule="unknown-event",
                key=True,
            )
        return None

    def call(
        self, place: Place, value: Mapping[str, Any], tool: str, others: tuple[str, ...]
    ) -> ToolCall | None:
        grouped = "during" not in others
        what = f"a call of {tool}" + (" in a group" if grouped else "")
        self.mapping(value, place, what, (tool, *others), elsewhere=_ELSEWHERE)
        arguments = self.mapping(value[tool], (*place, tool), f"the arguments of {tool}")
        events: list[WorldEvent] = []
        if "during" in value and not grouped:
            during = (*place, "during")
            for number, item in enumerate(
                self.sequence(value["during"], during, "during", empty=False) or ()
            ):
                at = (*during, number)
                action = self.action(at, item, EVENTS, "a world event")
                if action is not None:
                    self.mapping(item, at, f"the world event {action}", (action,))
                    events.extend(read_event(self, self.links, at, action, item[action]))
        expect: Expectation = ()
        if "expect" in value:
            expect = read_expectation(
                self, (*place, "expect"), value["expect"], GROUPED_CALL_KEYS if grouped else CALL_KEYS
            )
        elif self.require_expect:
            fix = "Write it, or let `readfirst record` fill it in."
            self.note(place, f"the call of {tool} has no expect", fix, rule="missing-expect")
        if arguments is None:
            return None
        return ToolCall(tool, arguments, tuple(events), expect, self.document.position(place))

    def parallel(self, place: Place, value: Mapping[str, Any]) -> ParallelCalls | None:
        self.mapping(value, place, "a group", ("parallel", "expect"))
        calls = []
        for number, item in enumerate(
            self.sequence(value["parallel"], (*place, "parallel"), "parallel") or ()
        ):
            at = (*place, "parallel", number)
            action = self.action(at, item, TOOLS, "a call")
            call = self.call(at, item, action, ("expect",)) if action else None
            if call is not None:
                calls.append(call)
        if isinstance(value["parallel"], list) and len(value["parallel"]) < 2:
            self.note(
                (*place, "parallel"),
                "a group has at least two calls",
                "Add one, or make the call a step.",
                key=True,
            )
        expect: Expectation = ()
        if "expect" in value:
            expect = read_expectation(self, (*place, "expect"), value["expect"], GROUP_KEYS)
        return ParallelCalls(tuple(calls), expect, self.document.position(place))

    def size(self, given: Given, steps: Sequence[Step]) -> None:
        """Check what all contents make together; only repeated ones can be more than the file itself."""
        events = [event for step in steps for event in _events(step)]
        entries = (*given.files.values(), *(event.entry for event in events))
        contents = [entry.content for entry in entries if isinstance(entry, RegularFile)]
        repeated = [content for content in contents if isinstance(content, TextContent)]
        total = sum(len(content.text) * (content.times or 0) for content in repeated)
        if total > MAX_CONTENT_BYTES:
            message = f"all contents together have more than {MAX_CONTENT_BYTES:,} characters"
            self.note((), message, "Lower times: no rule of the tools needs more.")

    def divisions(self, steps: Sequence[Step]) -> None:
        """Check the clauses of every expectation against each other and the contracts with these tools."""
        if self.findings:
            return  # a clause may be missing because it is wrong itself
        calls = [call for step in steps for call in _calls(step)]
        tools = {call.tool for call in calls}
        contracts = [contract for contract in self.contracts.recorded if tools <= set(contract.tools)]
        groups = (step for step in steps if isinstance(step, ParallelCalls))
        for expectation in (*(call.expect for call in calls), *(group.expect for group in groups)):
            note_division(self, expectation, contracts, complete=self.require_expect)


def _events(step: Step) -> tuple[WorldEvent, ...]:
    return (step,) if isinstance(step, WorldEvent) else tuple(e for call in _calls(step) for e in call.during)


def _calls(step: Step) -> tuple[ToolCall, ...]:
    match step:
        case ToolCall():
            return (step,)
        case ParallelCalls(calls):
            return calls
        case _:
            return ()

"""Load: one scenario file into a Scenario, or into a list of everything that is wrong with its form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from harness import coverage, strict_yaml
from harness.confinement import Links, path_problem
from harness.content import expected_entry, given_entry, mode_of, modified_entry, sha256_of, shift_of
from harness.contracts import READ_GATES, Contracts
from harness.entry import Directory, Entry, HardLink, RegularFile, Symlink
from harness.finding import Finding, SuiteError
from harness.inspection import Inspection, a_kind_of, did_you_mean
from harness.inspection import Path as Place
from harness.scenario import (
    TOOLS,
    Clause,
    Expectation,
    Given,
    ParallelCalls,
    ReadGate,
    Requirement,
    Scenario,
    Step,
    TextDigest,
    ToolCall,
    When,
    WorldEvent,
)
from harness.strict_yaml import Document

__all__ = ["REQUIREMENTS", "ScenarioError", "load_scenario", "scenario_from"]

REQUIREMENTS = ("must", "should", "observed")
EVENTS = ("modify", "touch", "delete", "rename", "chmod", "symlink", "mkdir")

_TOP = ("title", "about", "requirement", "tags", "sources", "given", "steps")
_CLAUSE = ("when", "documented", "error", "text", "files")
_GROUP_CLAUSE = ("when", "documented", "files")
_ACTIONS = (*TOOLS, *EVENTS, "parallel")
_DENY = re.compile(r"[A-Z][A-Za-z]*(?:\([^\0]+\))?")
_SHIFTED = 2  # seconds by which a change moves a file's time unless it says otherwise


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
        self.expectations(steps)
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
                if self.path(path, place, key=True) and entry is not None:
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
        self.check_links({path: ("given", "files", path, "symlink") for path in files}, ("given",))

    def check_links(self, places: Mapping[str, Place], otherwise: Place) -> None:
        """Note every link that leads out now, and forget it so that it is noted once."""
        if not self.links:
            return
        for link in list(self.links.escaping()):
            message = f"the symbolic link {link!r} leads out of the workspace"
            fix = "Let its target begin with $WS/, or be relative and stay inside."
            self.note(places.get(link, otherwise), message, fix, rule="symlink-escapes")
            self.links.delete(link)

    def path(self, path: Any, place: Place, *, key: bool = False) -> bool:
        """Check a path of the workspace."""
        if not isinstance(path, str):
            self.string(path, place, "a path")
            return False
        problem = path_problem(path)
        if problem is None:
            return True
        fix = "Write it relative to the workspace, with / between the parts: src/notes.txt."
        self.note(place, f"the path {path[:80]!r} {problem}", fix, rule="unsafe-path", key=key)
        return False

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
        return self.event(place, action, value[action])

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
        self.mapping(value, place, f"a call of {tool}" + (" in a group" if grouped else ""), (tool, *others))
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
                    events.extend(self.event(at, action, item[action]))
        expect: Expectation = ()
        if "expect" in value:
            expect = self.expect((*place, "expect"), value["expect"], _CLAUSE[:-1] if grouped else _CLAUSE)
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
            expect = self.expect((*place, "expect"), value["expect"], _GROUP_CLAUSE)
        return ParallelCalls(tuple(calls), expect, self.document.position(place))

    def event(self, place: Place, kind: str, value: Any) -> list[WorldEvent]:
        """Read one event; several paths in it make several events, in their order."""
        at = (*place, kind)
        position = self.document.position(place)
        events: list[WorldEvent] = []
        if kind in ("delete", "mkdir") or (kind == "touch" and isinstance(value, str)):
            if self.path(value, at):
                entry = Directory() if kind == "mkdir" else None
                shift = _SHIFTED if kind == "touch" else None
                events.append(WorldEvent(cast(Any, kind), value, entry, mtime=shift, position=position))
        else:
            items = self.mapping(value, at, kind) or {}
            if isinstance(value, dict) and not value:
                self.note(at, f"{kind} names no path", "Write at least one path.", key=True)
            for path, what in items.items():
                safe = self.path(path, (*at, path), key=True)
                event = self.event_of((*at, path), kind, path, what)
                if safe and event is not None:
                    events.append(event)
        for event in events:
            self.follow(event)
        self.check_links({event.path: (*at, event.path) for event in events}, at)
        return events

    def event_of(self, place: Place, kind: str, path: str, value: Any) -> WorldEvent | None:
        position = self.document.position(place[:-2])
        match kind:
            case "modify":
                entry, shift = modified_entry(self, place, value)
                return (
                    None
                    if entry is None
                    else WorldEvent("modify", path, entry, mtime=shift, position=position)
                )
            case "touch":
                fields = self.mapping(value, place, "touch", ("mtime",), required=("mtime",)) or {}
                shift = shift_of(self, (*place, "mtime"), fields["mtime"]) if "mtime" in fields else None
                return None if shift is None else WorldEvent("touch", path, mtime=shift, position=position)
            case "rename":
                if not self.path(value, place):
                    return None
                if value == path or value.startswith(path + "/"):
                    message = f"{path!r} cannot be renamed to {value!r}"
                    self.note(place, message, "Name another place.", rule="path-conflict")
                return WorldEvent("rename", path, to=value, position=position)
            case "chmod":
                mode = mode_of(self, place, value)
                return None if mode is None else WorldEvent("chmod", path, mode=mode, position=position)
            case _:
                target = self.string(value, place, "the target of a link")
                if target is None or "\0" in target:
                    if target is not None:
                        self.note(
                            place, "the target of a link holds a NUL character", "No file name can hold it."
                        )
                    return None
                return WorldEvent("symlink", path, Symlink(target), position=position)

    def follow(self, event: WorldEvent) -> None:
        """Keep account of the symbolic links that exist."""
        match event.kind:
            case "delete":
                self.links.delete(event.path)
            case "rename":
                self.links.rename(event.path, event.to or "")
            case "symlink" if isinstance(event.entry, Symlink):
                self.links.add(event.path, event.entry.target)
            case "mkdir":
                self.links.delete(event.path)
            case _:
                pass

    def expect(self, place: Place, value: Any, known: tuple[str, ...]) -> Expectation:
        if isinstance(value, dict):
            clause = self.clause(place, value, known, alone=True)
            return () if clause is None else (clause,)
        items = self.sequence(value, place, "expect", empty=False) or ()
        clauses = [
            self.clause((*place, number), item, known, alone=len(items) == 1)
            for number, item in enumerate(items)
        ]
        expectation = tuple(clause for clause in clauses if clause is not None)
        documented = [clause for clause in expectation if clause.documented is not None]
        for clause in documented[1:]:
            message = "two clauses of one call are documented"
            fix = "Keep what the documents state in one clause; where they contradict each other, in none."
            path = (*place, clauses.index(clause), "documented")
            self.note(path, message, fix, rule="several-documented", key=True)
        return expectation

    def clause(self, place: Place, value: Any, known: tuple[str, ...], *, alone: bool) -> Clause | None:
        fields = self.mapping(value, place, "a clause of expect", known)
        if fields is None:
            return None
        when = self.when((*place, "when"), fields["when"]) if "when" in fields else None
        texts = {}
        for key in ("documented", "error"):
            if key in fields and key in known:
                texts[key] = self.string(fields[key], (*place, key), key)
        text: str | TextDigest | None = None
        if "text" in fields and "text" in known:
            text = self.text((*place, "text"), fields["text"])
        files: dict[str, Entry | None] = {}
        if "files" in fields and "files" in known:
            for path, content in (self.mapping(fields["files"], (*place, "files"), "files") or {}).items():
                at = (*place, "files", path)
                entry = None if content is None else expected_entry(self, at, content)
                if self.path(path, at, key=True):
                    files[path] = entry
        if not fields:
            self.note(
                place, "a clause of expect says nothing", "Write what is expected, at least text: or error:."
            )
        return Clause(
            when=when,
            documented=texts.get("documented"),
            error=texts.get("error"),
            text=text,
            files=files,
            position=self.document.position(place),
            recorded="documented" not in fields or alone or "when" in fields,
        )

    def text(self, place: Place, value: Any) -> str | TextDigest | None:
        if isinstance(value, str):
            return value
        known = ("sha256", "lines", "starts", "ends")
        if not isinstance(value, dict):
            fix = f"Write it in quotes, or a mapping of {', '.join(known)}."
            self.note(place, f"text must be a string, not {a_kind_of(value)}", fix)
            return None
        fields = self.mapping(value, place, "text", known) or {}
        if not fields:
            self.note(place, "text says nothing", f"Write a string, or one of {', '.join(known)}.")
        digest = sha256_of(self, (*place, "sha256"), fields["sha256"]) if "sha256" in fields else None
        lines = None
        if "lines" in fields:
            lines = self.integer(fields["lines"], (*place, "lines"), "lines", least=1, most=10**9)
        ends = {
            key: self.string(fields[key], (*place, key), key) for key in ("starts", "ends") if key in fields
        }
        return TextDigest(digest, lines, ends.get("starts"), ends.get("ends"))

    def when(self, place: Place, value: Any) -> When | None:
        fields = self.mapping(value, place, "when", ("claude_code", "read_gate"))
        if fields is None:
            return None
        if not fields:
            self.note(
                place, "when names no contract", "Write claude_code: or read_gate:, or leave when: out."
            )
        specifier = None
        if "claude_code" in fields:
            text = self.string(fields["claude_code"], (*place, "claude_code"), "claude_code")
            specifier = None if text is None else _specifier(text)
            if text is not None and specifier is None:
                fix = 'Write comparisons with versions, joined by commas: ">=2.1.7,<2.1.208".'
                self.note((*place, "claude_code"), f"{text!r} does not specify versions", fix)
        gate = None
        if "read_gate" in fields:
            gate = self.choice(fields["read_gate"], (*place, "read_gate"), "read_gate", READ_GATES)
        return When(specifier, cast("ReadGate | None", gate))

    def expectations(self, steps: Sequence[Step]) -> None:
        """Check that clauses are disjoint and together cover every contract that has these tools."""
        if self.findings:
            return  # a clause may be missing because it is wrong itself
        tools = {
            call.tool
            for step in steps
            if not isinstance(step, WorldEvent)
            for call in (step.calls if isinstance(step, ParallelCalls) else (step,))
        }
        contracts = [contract for contract in self.contracts.recorded if tools <= set(contract.tools)]
        for step in steps:
            if isinstance(step, ToolCall):
                self.clauses(step.expect, contracts)
            elif isinstance(step, ParallelCalls):
                self.clauses(step.expect, contracts)
                for call in step.calls:
                    self.clauses(call.expect, contracts)

    def clauses(self, expectation: Expectation, contracts: Sequence[Any]) -> None:
        recorded = [clause for clause in expectation if clause.recorded]
        if not expectation or (len(recorded) == 1 and recorded[0].when is None):
            return
        whens = [clause.when for clause in recorded]
        both = coverage.overlap(whens)
        if both is not None:
            first, second, name = both
            message = f"this clause and the one in line {_line(recorded[first])} both hold for {name}"
            self.at(
                recorded[second],
                "when-overlap",
                message,
                "Write when: so that only one clause holds for each contract.",
            )
        missing = coverage.gap(whens, contracts) if self.require_expect else None
        if missing is not None:
            message = f"no clause holds for {missing}"
            self.at(expectation[0], "when-gap", message, "Add a clause for it, or widen the when: of one.")

    def at(self, clause: Clause, rule: str, message: str, fix: str) -> None:
        if clause.position is not None:
            self.findings.append(Finding(rule, clause.position, message, fix))


def _line(clause: Clause) -> int:
    return clause.position.line if clause.position else 0


@lru_cache(maxsize=1024)
def _specifier(text: str) -> SpecifierSet | None:
    """Return what `text` specifies; None if it is not a specifier, or one for arbitrary strings (`===`)."""
    try:
        specifier = SpecifierSet(text)
    except InvalidSpecifier:
        return None
    return specifier if len(specifier) and "===" not in text else None

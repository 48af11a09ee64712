"""Export scenarios, expanded for one contract, as JSON values."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from readfirst.harness.compare.own_outcome import own_outcome
from readfirst.harness.compare.showing import ranges, shows
from readfirst.harness.harm.judge import judge
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.error_names import Vocabulary
from readfirst.harness.suite.event_kinds import WORLD_EVENTS
from readfirst.harness.suite.file_entry import (
    NANOSECONDS,
    OLD_TIME,
    Directory,
    Entry,
    FileDigest,
    HardLink,
    RegularFile,
    SpecialFile,
    Symlink,
    TextContent,
)
from readfirst.harness.suite.harm_kinds import HARMS
from readfirst.harness.suite.hooks import command_of
from readfirst.harness.suite.ownership import Ownership
from readfirst.harness.suite.permissions import GivenPermissions
from readfirst.harness.suite.repeated_text import has_half_character, in_short_form, texts_in
from readfirst.harness.suite.scenario import (
    EXECUTION_ERRORS,
    Clause,
    Expectation,
    GivenHook,
    ParallelCalls,
    Scenario,
    SessionEvent,
    Step,
    TextDigest,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.suite.suite import Suite, part_of
from readfirst.harness.suite.transcript import RecordingError, courses_of, marks

_NUMBER = "{n}"
_FILE_MODE, _DIRECTORY_MODE = 0o644, 0o755
_LONGEST = 4096
"""Maximum bytes of an expected content that is written in full."""


FORMAT = 4
"""Version of the export format, in its first line."""


def export(suite: Suite, contract: Contract, ids: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield a header, every scenario (or those of `ids`) that `contract` covers, and an end line.

    Scenarios are in the order of the ids. docs/export.md and fixtures/schema/export.schema.json describe the
    values. Raises SuiteError at the first invalid scenario.
    """
    every = suite.ids()
    chosen = every if ids is None else list(ids)
    yield _header(contract, suite, suite.title if {*chosen} >= {*every} else part_of(suite.title))
    count = 0
    for scenario_id in chosen:
        scenario = suite.scenario(scenario_id, contract)
        value = expanded(scenario, contract, suite.vocabulary)
        if value is not None:
            if suite.rules is not None and value["rule"] in suite.rules:
                value["class"] = suite.rules[value["rule"]].class_
            value["courses"] = _courses(suite, scenario)
            _add_own(value, suite.in_full(scenario), contract)
            yield value
            count += 1
    yield {"type": "end", "scenarios": count}


def _add_own(value: dict[str, Any], scenario: Scenario, contract: Contract) -> None:
    """Add the harms of the contract, and the lines that its answers show."""
    if scenario.invariant:
        return
    outcome = own_outcome(scenario, contract)
    judgement = judge(scenario, outcome)
    value["harms"] = [
        {"step": each.step + 1, "call": each.call + 1, "kind": each.kind, "path": each.path}
        for each in judgement.harms
        if each.kind in HARMS
    ]
    for index, seen in judgement.seen.items():
        step = value["steps"][index]
        for each in shows(scenario, contract, index, seen):
            if each.call is None:
                shown = step["expect"].setdefault("reminders_show", {})
            else:
                call = step["calls"][each.call] if step["kind"] == "parallel" else step
                shown = call["expect"].setdefault("shows_cells" if each.cells else "shows", {})
            shown[each.path] = [*map(list, ranges(each.numbers))]


def _courses(suite: Suite, scenario: Scenario) -> list[str]:
    try:
        transcripts = suite.recordings.of(scenario.id, scenario.inputs).transcripts
    except RecordingError:
        return []  # its errors are reported elsewhere
    return [*map(marks, courses_of(each for name, each in transcripts.items() if name in suite.contracts))]


def _header(contract: Contract, suite: Suite, title: str) -> dict[str, Any]:
    return {
        "type": "header",
        "format": FORMAT,
        "suite": title,
        "contract": contract.name,
        "outer_whitespace": "ignored" if contract.ignores_outer_whitespace else "compared",
        "errors": [
            {
                "name": each.name,
                "summary": each.summary,
                "forms": [{"text": form.text, "tools": list(form.tools)} for form in each.forms],
            }
            for each in suite.vocabulary.names.values()
        ],
        "errors_of_execution": sorted(EXECUTION_ERRORS),
    }


def expanded(scenario: Scenario, contract: Contract, vocabulary: Vocabulary) -> dict[str, Any] | None:
    """Return one scenario for a contract, with full contents and one expectation per call.

    Values that only the suite knows are empty: its class, the courses of its recordings and its harms.

    None if the contract does not cover the scenario: for a recorded contract, if a call has no clause or a tool
    is missing; for `documented`, if no call has a clause. There, calls without a documented clause are set-up:
    their expectation is that of the scenario's own contract, judged only by effects.
    """
    expand = _Expansion(scenario, contract, vocabulary)
    steps = [expand.step(step) for step in scenario.steps]
    permissions = scenario.given.permissions
    if not expand.specified or (contract.recorded and scenario.needs - contract.capabilities):
        return None
    return {
        "type": "scenario",
        "id": scenario.id,
        "title": scenario.title,
        "about": scenario.about,
        "requirement": scenario.requirement,
        "rule": scenario.rule,
        "class": None,
        **({"disputed": scenario.disputed} if scenario.disputed else {}),
        "tags": list(scenario.tags),
        "sources": list(scenario.sources),
        **({"invariant": True, "law": True} if scenario.invariant else {}),
        "needs": sorted({*scenario.needs, *machine_needs(scenario)}),
        "given": {
            "files": {path: _state(entry, given=True) for path, entry in scenario.given.files.items()},
            "deny": list(scenario.given.deny),
            "reminders": scenario.given.reminders and contract.recorded,
            "hooks": [_hook(hook) for hook in scenario.given.hooks],
            "permissions": None if permissions is None else _permissions(permissions),
            "disk": scenario.given.disk,
            "memory_files": scenario.given.memory_files,
        },
        "steps": steps,
        "courses": [],
        "harms": [],
    }


def machine_needs(scenario: Scenario) -> set[str]:
    """Return the capabilities that a runner needs besides the implementation, such as git or changing owners."""
    needs = {"git" for step in scenario.steps if isinstance(step, WorldEvent) and step.kind == "git"}
    if any(
        isinstance(each, RegularFile | Directory) and each.ownership for each in scenario.given.files.values()
    ):
        needs.add("ownership")
    if any(isinstance(entry, SpecialFile) for entry in scenario.given.files.values()):
        needs.add("special_files")
    if any(has_half_character(text) for call in scenario.calls() for text in texts_in(call.arguments)):
        needs.add("half_characters")
    return needs | ({scenario.platform} if scenario.platform else set())


def _permissions(given: GivenPermissions) -> dict[str, Any]:
    further = {"additional_directories": list(given.additional_directories)}
    return {**asdict(given), "allow": list(given.allow), **further}


class _Expansion:
    """Expands steps, and records whether the contract covers them."""

    def __init__(self, scenario: Scenario, contract: Contract, vocabulary: Vocabulary) -> None:
        self.scenario = scenario
        self.contract = contract
        self.vocabulary = vocabulary
        self.said = self.silent = False

    @property
    def specified(self) -> bool:
        """Whether the contract covers this scenario. A recorded contract must have an answer for every call;
        `documented` must cover at least one.
        """
        if self.scenario.invariant:
            return self.contract.recorded
        return self.said and not (self.contract.recorded and self.silent)

    def step(self, step: Step) -> dict[str, Any]:
        match step:
            case ToolCall():
                return {"kind": "call", **self.call(step), **self.position(step)}
            case ParallelCalls(calls):
                clause = clause_for(self.scenario, step.expect, self.contract)
                if clause is None and not self.contract.recorded:
                    clause = step.expect.recorded
                files, reminders = ({}, ()) if clause is None else (clause.files, clause.reminders)
                return {
                    "kind": "parallel",
                    **({"sides": list(step.sides)} if step.sides else {}),
                    "calls": [self.call(call) for call in calls],
                    "expect": {"files": _expected(files), "reminders": [_text(each) for each in reminders]},
                    **self.position(step),
                }
            case WorldEvent():
                return {"kind": "event", **_event(step), **self.position(step)}
            case SessionEvent(kind=kind, path=path):
                mentioned = {"path": path} if path else {}
                return {"kind": "session", "event": kind, **mentioned, **self.position(step)}

    def position(self, step: Step) -> dict[str, int]:
        return {"line": step.position.line} if step.position is not None else {}

    def call(self, call: ToolCall) -> dict[str, Any]:
        return {
            "tool": call.tool,
            "arguments": in_short_form(call.arguments),
            "during": [_event(event) for event in call.during],
            **({"interrupted": call.interrupted} if call.interrupted else {}),
            **({"begun": call.begun} if call.interrupted in ("cut", "limit") else {}),
            "expect": self.expectation(call.tool, call.expect),
        }

    def expectation(self, tool: str, expectation: Expectation) -> dict[str, Any] | None:
        clause = clause_for(self.scenario, expectation, self.contract)
        level = "text"
        if self.scenario.invariant:
            clause, level = Clause(), "effects"
        elif clause is not None:
            self.said = True
            if clause.text is None:
                level = "reason"
        elif not self.contract.recorded:
            clause = expectation.recorded
            level = "effects"
        if clause is None:
            self.silent = True
            return None
        return {
            "judge": level,
            "refused": clause.error is not None,
            "error": clause.error,
            "code": None if clause.error is None else self.vocabulary.code(clause.error, tool),
            "text": _text(clause.text),
            "documented": clause.documented if not self.contract.recorded else None,
            "files": _expected(clause.files),
            "reminders": [_text(each) for each in clause.reminders],
        }


def _text(digest: str | TextDigest | None) -> str | dict[str, Any] | None:
    if not isinstance(digest, TextDigest):
        return digest
    return {name: part for name, part in asdict(digest).items() if part is not None}


def _hook(hook: GivenHook) -> dict[str, Any]:
    before = hook.event == "PreToolUse"
    return {
        "event": hook.event,
        "matcher": hook.matcher,
        "command": command_of(hook, "$WS"),
        "refuses": before and hook.refuses,
        "replaces": dict(hook.input) if before else {},
        "writes": sorted(hook.paths),
    }


def _expected(files: Mapping[str, Entry | None]) -> dict[str, Any]:
    return {path: None if entry is None else _wanted(entry) for path, entry in files.items()}


def _wanted(entry: Entry) -> dict[str, Any]:
    """Return an entry for comparison. A long content without a short form is replaced by its digest."""
    state = _state(entry)
    if isinstance(entry, RegularFile) and "repeat" not in state and len(entry.data) > _LONGEST:
        return _state(replace(FileDigest.of(entry.data), mode=entry.mode))
    return state


def _state(entry: Entry, *, given: bool = False) -> dict[str, Any]:
    """Return an entry for comparison, with its mode only if it is stated. For `given` files, with modes and
    times.
    """
    file, folder = (_FILE_MODE, _DIRECTORY_MODE) if given else (None, None)
    match entry:
        case RegularFile(mode=mode, mtime=mtime, ownership=ownership):
            time = {"mtime_ns": int((OLD_TIME if mtime is None else mtime) * NANOSECONDS)} if given else {}
            stated = _stated(file if mode is None else mode)
            return {"type": "file", **_content(entry), **stated, **_owned(ownership), **time}
        case FileDigest(sha256, size, mode):
            return {"type": "file", "sha256": sha256, "size": size, **_stated(mode)}
        case Symlink(target):
            return {"type": "symlink", "target": target}
        case Directory(mode):
            return {"type": "directory", **_stated(folder if mode is None else mode)}
        case HardLink(to) if given:
            return {"type": "hardlink", "to": to}
        case SpecialFile(kind) if given:
            return {"type": kind}
        case _:
            raise ValueError(f"{entry} is never expected")


def _event(event: WorldEvent) -> dict[str, Any]:
    value: dict[str, Any] = {"event": event.kind, "path": event.path}
    for name in WORLD_EVENTS[event.kind].fields:
        match name:
            case "entry":
                value["entry"] = None if event.entry is None else _state(event.entry)
            case "to":
                value["to"] = event.to
            case "mode":
                value["mode"] = None if event.mode is None else _mode(event.mode)
            case "mtime":
                value["mtime_shift_ns"] = int((event.mtime or 0) * NANOSECONDS)
    return value


def _content(entry: RegularFile) -> dict[str, Any]:
    """Return the bytes as text if they are UTF-8, otherwise as base64. Repeated texts are written as text and
    number.
    """
    match entry.content:
        case TextContent(text, int(times), encoding, False, eol):
            unit = TextContent(text, None, encoding, eol=eol).data()
            if _NUMBER not in text or encoding in ("utf-8", "latin-1"):
                return {"repeat": _bytes(unit), "times": times}
    return _bytes(entry.data)


def _bytes(data: bytes) -> dict[str, str]:
    try:
        return {"utf8": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _owned(ownership: Ownership | None) -> dict[str, Any]:
    """Return the ownership of an entry. None stands for the user of the session; attributes are in base64."""
    if ownership is None:
        return {}
    attributes = {name: base64.b64encode(data).decode("ascii") for name, data in ownership.attributes}
    return {"ownership": {"owner": ownership.owner, "group": ownership.group, "attributes": attributes}}


def _stated(mode: int | None) -> dict[str, str]:
    return {} if mode is None else {"mode": _mode(mode)}


def _mode(mode: int) -> str:
    return f"{mode:04o}"

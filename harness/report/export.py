"""Export scenarios, expanded for one contract, as JSON values. Runners in other languages use the export."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from readfirst.harness.compare.own_outcome import own_outcome
from readfirst.harness.compare.showing import lines_of_contract
from readfirst.harness.harm.judge import judge
from readfirst.harness.number_ranges import number_ranges
from readfirst.harness.suite.contracts import Contract, clause_for, effects_clause_for
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
from readfirst.harness.suite.hooks import hook_command
from readfirst.harness.suite.ownership import Ownership
from readfirst.harness.suite.permissions import GivenPermissions
from readfirst.harness.suite.repeated_text import has_half_surrogate, texts_in, with_short_forms
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
from readfirst.harness.suite.shared_files import partial_title
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError, course_text, courses_of

_NUMBER_PLACEHOLDER = "{n}"
_FILE_MODE, _DIRECTORY_MODE = 0o644, 0o755
_MAX_CONTENT_BYTES = 4096
"""Maximum bytes of an expected file content that is exported in full. Longer content is exported as a digest."""


FORMAT = 4
"""Version of the export format. The first line of an export contains it."""


def export(suite: Suite, contract: Contract, ids: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the values of an export: a header, one value per scenario that `contract` covers (among `ids`), and an end
    value. docs/export.md describes the values. Raises SuiteError at the first invalid scenario.
    """
    all_ids = suite.ids()
    chosen_ids = all_ids if ids is None else list(ids)
    yield _make_header(
        contract, suite, suite.title if {*chosen_ids} >= {*all_ids} else partial_title(suite.title)
    )
    count = 0
    for scenario_id in chosen_ids:
        judging = contract.for_scenario(suite.scenario(scenario_id)) if contract.extends else contract
        scenario = suite.scenario(scenario_id, judging)
        value = expand_scenario(scenario, judging, suite.vocabulary)
        if value is not None:
            if suite.rules is not None and value["rule"] in suite.rules:
                value["class"] = suite.rules[value["rule"]].class_
            value["courses"] = _format_courses(suite, scenario)
            _add_judgement(value, suite.with_full_contents(scenario), judging)
            yield value
            count += 1
    yield {"type": "end", "scenarios": count}


def _add_judgement(value: dict[str, Any], scenario: Scenario, contract: Contract) -> None:
    """Add the harms of the contract's version, and the lines that its answers show, for tests in other languages."""
    if scenario.invariant:
        return
    outcome = own_outcome(scenario, contract)
    judgement = judge(scenario, outcome)
    value["harms"] = [
        {"step": harm.step + 1, "call": harm.call + 1, "kind": harm.kind, "path": harm.path}
        for harm in judgement.harms
        if harm.kind in HARMS
    ]
    for index, seen in judgement.steps.items():
        step = value["steps"][index]
        for showing in lines_of_contract(scenario, contract, index, seen):
            if showing.call is None:
                lines_by_path = step["expect"].setdefault("reminders_show", {})
            else:
                call = step["calls"][showing.call] if step["kind"] == "parallel" else step
                lines_by_path = call["expect"].setdefault("shows_cells" if showing.are_cells else "shows", {})
            lines_by_path[showing.path] = [*map(list, number_ranges(showing.numbers))]


def _format_courses(suite: Suite, scenario: Scenario) -> list[str]:
    """Return the different sequences of answers in the recordings. `a ar` means that the first call was answered (`a`),
    then one of two parallel calls was answered and the other call was refused (`r`).
    """
    try:
        transcripts = suite.recordings.of(scenario.id, scenario.inputs).transcripts
    except RecordingError:
        return []  # lint reports the errors of the recording
    recorded = (transcript for name, transcript in transcripts.items() if name in suite.contracts)
    return [*map(course_text, courses_of(recorded))]


def _make_header(contract: Contract, suite: Suite, title: str) -> dict[str, Any]:
    return {
        "type": "header",
        "format": FORMAT,
        "suite": title,
        "contract": contract.name,
        "outer_whitespace": "ignored" if contract.ignores_outer_whitespace else "compared",
        "errors": [
            {
                "name": name.name,
                "summary": name.summary,
                "forms": [{"text": form.text, "tools": list(form.tools)} for form in name.forms],
            }
            for name in suite.vocabulary.names.values()
        ],
        "errors_of_execution": sorted(EXECUTION_ERRORS),
    }


def expand_scenario(scenario: Scenario, contract: Contract, vocabulary: Vocabulary) -> dict[str, Any] | None:
    """Return the exported value of a scenario, with full contents and one expectation per call. None if the contract
    does not cover the scenario. The fields `class`, `courses` and `harms` are empty.

    A recorded contract covers a scenario if the contract has the needed capabilities, and the scenario an expectation
    for every call. The contract `documented` covers a scenario with an expectation for at least one call. All other
    calls are judged only by their effects, with the recorded expectations.
    """
    expand = _Expansion(scenario, contract, vocabulary)
    steps = [expand.step_value(step) for step in scenario.steps]
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
            "files": {path: _entry_value(entry, given=True) for path, entry in scenario.given.files.items()},
            "deny": list(scenario.given.deny),
            "reminders": scenario.given.reminders and contract.recorded,
            "hooks": [_hook_value(hook) for hook in scenario.given.hooks],
            "permissions": None if permissions is None else _permissions_value(permissions),
            "disk": scenario.given.disk,
            "memory_files": scenario.given.memory_files,
        },
        "steps": steps,
        "courses": [],
        "harms": [],
    }


def machine_needs(scenario: Scenario) -> set[str]:
    """Return the capabilities that a machine needs to replay a scenario, such as git or changing owners."""
    needs = {"git" for step in scenario.steps if isinstance(step, WorldEvent) and step.kind == "git"}
    entries = scenario.given.files.values()
    if any(isinstance(entry, RegularFile | Directory) and entry.ownership for entry in entries):
        needs.add("ownership")
    if any(isinstance(entry, SpecialFile) for entry in entries):
        needs.add("special_files")
    if any(has_half_surrogate(text) for call in scenario.calls() for text in texts_in(call.arguments)):
        needs.add("half_characters")
    return needs | ({scenario.platform} if scenario.platform else set())


def _permissions_value(permissions: GivenPermissions) -> dict[str, Any]:
    directories = {"additional_directories": list(permissions.additional_directories)}
    return {**asdict(permissions), "allow": list(permissions.allow), **directories}


class _Expansion:
    """Converts the steps of a scenario for the export, and detects calls without an expectation of the contract."""

    def __init__(self, scenario: Scenario, contract: Contract, vocabulary: Vocabulary) -> None:
        self.scenario = scenario
        self.contract = contract
        self.vocabulary = vocabulary
        self.has_expectation = self.lacks_expectation = False

    @property
    def specified(self) -> bool:
        """Whether a recorded contract answers every call of the scenario, or `documented` at least one."""
        if self.scenario.invariant:
            return self.contract.recorded
        return self.has_expectation and not (self.contract.recorded and self.lacks_expectation)

    def step_value(self, step: Step) -> dict[str, Any]:
        match step:
            case ToolCall():
                return {"kind": "call", **self.call_value(step), **self.position_value(step)}
            case ParallelCalls(calls):
                clause = effects_clause_for(self.scenario, step.expect, self.contract)
                files, reminders = ({}, ()) if clause is None else (clause.files, clause.reminders)
                return {
                    "kind": "parallel",
                    **({"sides": list(step.sides)} if step.sides else {}),
                    "calls": [self.call_value(call) for call in calls],
                    "expect": {
                        "files": _expected_files(files),
                        "reminders": [_text_value(reminder) for reminder in reminders],
                    },
                    **self.position_value(step),
                }
            case WorldEvent():
                return {"kind": "event", **_event_value(step), **self.position_value(step)}
            case SessionEvent(kind=kind, path=path):
                path_value = {"path": path} if path else {}
                return {"kind": "session", "event": kind, **path_value, **self.position_value(step)}

    def position_value(self, step: Step) -> dict[str, int]:
        return {"line": step.position.line} if step.position is not None else {}

    def call_value(self, call: ToolCall) -> dict[str, Any]:
        return {
            "tool": call.tool,
            "arguments": with_short_forms(call.arguments),
            "during": [_event_value(event) for event in call.during],
            **({"interrupted": call.interrupted} if call.interrupted else {}),
            **({"begun": call.truncated_arguments} if call.interrupted in ("cut", "limit") else {}),
            "expect": self.expectation_value(call.tool, call.expect),
        }

    def expectation_value(self, tool: str, expectation: Expectation) -> dict[str, Any] | None:
        clause = clause_for(self.scenario, expectation, self.contract)
        level = "text"
        if self.scenario.invariant:
            clause, level = Clause(), "effects"
        elif clause is not None:
            self.has_expectation = True
            if clause.text is None:
                level = "reason"
        elif not self.contract.recorded:
            clause = expectation.recorded
            level = "effects"
        if clause is None:
            self.lacks_expectation = True
            return None
        return {
            "judge": level,
            "refused": clause.error is not None,
            "error": clause.error,
            "code": None if clause.error is None else self.vocabulary.code(clause.error, tool),
            "text": _text_value(clause.text),
            "documented": clause.documented if not self.contract.recorded else None,
            "files": _expected_files(clause.files),
            "reminders": [_text_value(reminder) for reminder in clause.reminders],
        }


def _text_value(digest: str | TextDigest | None) -> str | dict[str, Any] | None:
    if not isinstance(digest, TextDigest):
        return digest
    return {name: part for name, part in asdict(digest).items() if part is not None}


def _hook_value(hook: GivenHook) -> dict[str, Any]:
    is_before_call = hook.event == "PreToolUse"
    return {
        "event": hook.event,
        "matcher": hook.matcher,
        "command": hook_command(hook, "$WS"),
        "refuses": is_before_call and hook.refuses,
        "replaces": dict(hook.input) if is_before_call else {},
        "writes": sorted(hook.paths),
    }


def _expected_files(files: Mapping[str, Entry | None]) -> dict[str, Any]:
    return {path: None if entry is None else _expected_entry_value(entry) for path, entry in files.items()}


def _expected_entry_value(entry: Entry) -> dict[str, Any]:
    """Return the exported value of a file or other entry. Long content is exported as digest and size."""
    state = _entry_value(entry)
    if isinstance(entry, RegularFile) and "repeat" not in state and len(entry.data) > _MAX_CONTENT_BYTES:
        return _entry_value(replace(FileDigest.of(entry.data), mode=entry.mode))
    return state


def _entry_value(entry: Entry, *, given: bool = False) -> dict[str, Any]:
    """Return the exported value of an entry. `given` means an initial file: default modes and a time are added."""
    file_mode, directory_mode = (_FILE_MODE, _DIRECTORY_MODE) if given else (None, None)
    match entry:
        case RegularFile(mode=mode, mtime=mtime, ownership=ownership):
            time = {"mtime_ns": int((OLD_TIME if mtime is None else mtime) * NANOSECONDS)} if given else {}
            mode_value = _mode_field(file_mode if mode is None else mode)
            content, owner = _content_value(entry), _ownership_value(ownership)
            return {"type": "file", **content, **mode_value, **owner, **time}
        case FileDigest(sha256, size, mode):
            return {"type": "file", "sha256": sha256, "size": size, **_mode_field(mode)}
        case Symlink(target):
            return {"type": "symlink", "target": target}
        case Directory(mode):
            return {"type": "directory", **_mode_field(directory_mode if mode is None else mode)}
        case HardLink(to) if given:
            return {"type": "hardlink", "to": to}
        case SpecialFile(kind) if given:
            return {"type": kind}
        case _:
            raise ValueError(f"only `files` before the first step may contain this entry: {entry}")


def _event_value(event: WorldEvent) -> dict[str, Any]:
    value: dict[str, Any] = {"event": event.kind, "path": event.path}
    for name in WORLD_EVENTS[event.kind].fields:
        match name:
            case "entry":
                value["entry"] = None if event.entry is None else _entry_value(event.entry)
            case "to":
                value["to"] = event.to
            case "mode":
                value["mode"] = None if event.mode is None else _format_mode(event.mode)
            case "mtime":
                value["mtime_shift_ns"] = int((event.mtime or 0) * NANOSECONDS)
    return value


def _content_value(entry: RegularFile) -> dict[str, Any]:
    """Return the content of a file for the export: text if the content is UTF-8, otherwise base64."""
    match entry.content:
        case TextContent(text, int(times), encoding, False, eol):
            unit = TextContent(text, None, encoding, eol=eol).data()
            if _NUMBER_PLACEHOLDER not in text or encoding in ("utf-8", "latin-1"):
                return {"repeat": _bytes_value(unit), "times": times}
    return _bytes_value(entry.data)


def _bytes_value(data: bytes) -> dict[str, str]:
    try:
        return {"utf8": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _ownership_value(ownership: Ownership | None) -> dict[str, Any]:
    """Return the exported owner and attributes (base64) of an entry. None means the user of the session."""
    if ownership is None:
        return {}
    attributes = {name: base64.b64encode(data).decode("ascii") for name, data in ownership.attributes}
    return {"ownership": {"owner": ownership.owner, "group": ownership.group, "attributes": attributes}}


def _mode_field(mode: int | None) -> dict[str, str]:
    return {} if mode is None else {"mode": _format_mode(mode)}


def _format_mode(mode: int) -> str:
    return f"{mode:04o}"

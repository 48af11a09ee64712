"""A small suite for tests of `readfirst diff`. Each test writes its contracts, scenarios and recordings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario_inputs import inputs_of
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript, TranscriptStep
from tests.command_line import Cli
from tests.small_suites import keep_recording, small_suite

UNREAD = "File has not been read yet. Read it first before writing to it."
DONE = "The file $WS/notes.txt has been updated."
GIVEN = {"notes.txt": "alpha\nbeta\n"}

VERSIONS = ("2.1.7", "2.1.40", "2.1.228", "2.1.228+gated")
DEFAULT = "2.1.7"


@dataclass(frozen=True)
class CallResult:
    """The result of one call in one contract: the answer, the name of the error, and the changed files."""

    text: str = DONE
    error: str | None = None
    files: Mapping[str, str | None] = field(default_factory=dict)

    def clause(self) -> dict[str, Any]:
        clause = {"text": self.text, "error": self.error, "files": dict(self.files)}
        return {key: value for key, value in clause.items() if value}

    def result(self) -> RecordedResult:
        return RecordedResult(self.text, self.error, wrapped=self.error is not None)


@dataclass(frozen=True)
class Call:
    """A call and its result by contract. Contracts that `says` lacks have the result of the closest older one."""

    tool: str
    arguments: Mapping[str, Any]
    says: Mapping[str, CallResult]
    documented: CallResult | None = None

    @property
    def calls(self) -> tuple[Call, ...]:
        return (self,)

    def of(self, contract: str) -> CallResult:
        known = VERSIONS[: VERSIONS.index(contract) + 1] if contract in VERSIONS else VERSIONS
        return self.says[next(name for name in (contract, *reversed(known)) if name in self.says)]

    def to_step(self, *, files: bool = True) -> dict[str, Any]:
        """Return the call as a step of a scenario file. `files`: the results list the changed files."""
        clauses = [self.of(DEFAULT).clause()]
        if self.documented is not None:
            clauses.insert(0, {"documented": "behaviour-spec.txt, Semantics", **self.documented.clause()})
        if not files:
            clauses = [{key: value for key, value in each.items() if key != "files"} for each in clauses]
        return {self.tool: dict(self.arguments), "expect": clauses}


@dataclass(frozen=True)
class ParallelGroup:
    calls: tuple[Call, ...]

    def to_step(self) -> dict[str, Any]:
        """Return the calls as a step of a scenario file. The changed files are listed once for the whole group."""
        files: dict[str, str | None] = {}
        for call in self.calls:
            files |= call.of(DEFAULT).files
        group = {"parallel": [call.to_step(files=False) for call in self.calls]}
        return {**group, "expect": {"files": files}} if files else group


def refusal(error: str = "not_read", text: str = UNREAD) -> CallResult:
    return CallResult(text, error)


def success(text: str = DONE, content: str = "gamma\nbeta\n") -> CallResult:
    return CallResult(text, None, {"notes.txt": content})


def edit(says: Mapping[str, CallResult], documented: CallResult | None = None, **arguments: Any) -> Call:
    """Return an Edit of notes.txt with these results. `arguments` replace or supplement its arguments."""
    given = {"file_path": "$WS/notes.txt", "old_string": "alpha", "new_string": "gamma", **arguments}
    return Call("Edit", given, says, documented)


def read(says: Mapping[str, CallResult], documented: CallResult | None = None) -> Call:
    return Call("Read", {"file_path": "$WS/notes.txt"}, says, documented)


class SmallSuite:
    def __init__(self, root: Path) -> None:
        self.root = root
        small_suite(root, shared=("errors.yaml",))
        self.contracts()

    @property
    def suite(self) -> Suite:
        return Suite(self.root)

    def contracts(self, lacking: str = "", tool: str = "") -> None:
        """Write contracts.yaml. The contract `lacking` lacks the tool `tool`."""
        documented = {"summary": "What is documented.", "documents": ["behaviour-spec.txt"]}
        package = "@anthropic-ai/claude-code"
        product = {"package": package, "model": "claude-sonnet-4-5-20250929", "summary": "x"}
        contracts: dict[str, Any] = {"documented": documented}
        for name in VERSIONS:
            tools = [each for each in ("Read", "Edit", "Write") if (name, each) != (lacking, tool)]
            gate = "relaxed" if name == "2.1.228" else "enforced"
            version = name.partition("+")[0]
            contracts[name] = {**product, "version": version, "read_gate": gate, "tools": tools}
        text = json.dumps({"default": DEFAULT, "contracts": contracts}, indent=1)
        (self.root / "contracts.yaml").write_text(text)

    def scenario(
        self,
        scenario_id: str,
        *calls: Call | ParallelGroup | dict[str, Any],
        files: Mapping[str, str] | None = None,
    ) -> None:
        """Write a scenario and its recording with all contracts. A dictionary is a change by another program."""
        document = {
            "title": f"Title of {scenario_id}",
            "requirement": "must",
            "given": {"files": dict(files or GIVEN)},
            "steps": [call if isinstance(call, dict) else call.to_step() for call in calls],
        }
        path = self.root / "scenarios" / f"{scenario_id}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")
        self.record(scenario_id, [call for call in calls if not isinstance(call, dict)], VERSIONS)

    def record(self, scenario_id: str, calls: Sequence[Call | ParallelGroup], names: Sequence[str]) -> None:
        transcripts = {name: Transcript(tuple(_make_step(step, name) for step in calls)) for name in names}
        asked = json.loads((self.root / "scenarios" / f"{scenario_id}.yaml").read_text(encoding="utf-8"))
        keep_recording(self.suite, scenario_id, Recording(inputs_of(asked), transcripts))


def _make_step(step: Call | ParallelGroup, name: str) -> TranscriptStep:
    says = [call.of(name) for call in step.calls]
    texts = {path: text for each in says for path, text in each.files.items()}
    changes = {path: None if text is None else RegularFile(text.encode()) for path, text in texts.items()}
    tools = tuple(call.tool for call in step.calls)
    return TranscriptStep(tools, tuple(each.result() for each in says), changes)


@pytest.fixture
def small(tmp_path: Path) -> SmallSuite:
    return SmallSuite(tmp_path / "fixtures")


Run = Cli


@pytest.fixture
def run(small: SmallSuite, readfirst: Cli) -> Run:
    return lambda *arguments: readfirst(*arguments, "--fixtures", small.root)

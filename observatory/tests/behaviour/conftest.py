"""A small suite whose claims a test can change: one file, a Read, an Edit, and their recordings."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.suite.file_entry import Entry, RegularFile
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.suite.transcript import UNNAMED, RecordedResult, Recording, Transcript, TranscriptStep
from readfirst.harness.suite.unwrap_host_text import answer_of
from tests.command_line import Cli
from tests.small_suites import keep_recording, small_suite

SECTION = "behaviour-spec.txt, Semantics"
OTHER_SECTION = "early-pipeline.txt, Overview"
UNREAD = "File has not been read yet. Read it first before writing to it."
PATH = "$WS/notes.txt"
DONE = ToolResult("The file was updated.")

Call = tuple[str, Mapping[str, Any]]


def read_call() -> Call:
    return "Read", {"file_path": PATH}


def edit(old: str = "alpha", new: str = "gamma") -> Call:
    return "Edit", {"file_path": PATH, "old_string": old, "new_string": new}


def refusal(text: str = UNREAD) -> ToolResult:
    return ToolResult(f"<tool_use_error>{text}</tool_use_error>", is_error=True)


def step(
    *calls: Call, results: Sequence[ToolResult], changes: Mapping[str, str | None] | None = None
) -> TranscriptStep:
    """Return a step of a transcript with these calls (without their arguments) and results. `changes` contains the new
    text of each changed file, by path; None for a removed file.
    """
    changed: dict[str, Entry | None] = {
        path: None if text is None else RegularFile(text.encode()) for path, text in (changes or {}).items()
    }
    tools = tuple(tool for tool, _ in calls)
    answers = (_record_result(tool, result) for tool, result in zip(tools, results, strict=True))
    return TranscriptStep(tools, tuple(answers), changed)


def _record_result(tool: str, result: ToolResult) -> RecordedResult:
    if not result.is_error:
        return RecordedResult.of(result.text, None)
    name = Suite().vocabulary.name_of(tool, answer_of(result.text))
    return RecordedResult.of(result.text, name or UNNAMED)


def claims(*shown: str, sources: Sequence[str] = (SECTION,), says: str = "Unread files are safe.") -> str:
    """Return the text of a claims.yaml with one claim, `unread-files`. `shown` are the claim's scenarios."""
    lines = [
        "topics:",
        "  gate:",
        "    title: What counts as a read",
        "    claims:",
        "      unread-files:",
        f"        says: {says}",
        "        sources:",
        *(f"          - {source}" for source in sources),
        "        shown_by:",
        *(f"          - {item}" for item in shown),
        "questions: {}",
        "contradictions: {}",
    ]
    return "\n".join(lines) + "\n"


class Small:
    """Writes scenarios, recordings, contracts and claims of a suite in the directory `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.suite = Suite(root)

    def scenario(
        self, scenario_id: str, steps: str, *recorded: TranscriptStep, contract: str = "2.1.7"
    ) -> None:
        """Write a scenario with notes.txt, and, if `recorded` is specified, its recording for `contract`."""
        family, _, slug = scenario_id.partition("/")
        title = f"Title of {scenario_id}"
        path = self.root / "scenarios" / family / f"{slug}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        head = f'title: {title}\nrequirement: must\ngiven: {{files: {{notes.txt: "alpha\\nbeta\\n"}}}}\n'
        named = "" if contract == "2.1.7" else f"contract: {contract}\n"
        path.write_text(f"{head}{named}steps:\n{steps}", encoding="utf-8")
        if recorded:
            self.record(scenario_id, *recorded, contract=contract)

    def record(self, scenario_id: str, *recorded: TranscriptStep, contract: str = "2.1.7") -> None:
        """Write the recording for one contract. Recordings for other contracts are kept, unless the contract is 2.1.7
        or the scenario has changed since.
        """
        inputs = self.suite.scenario(scenario_id, require_expect=False).inputs
        former = self.suite.recordings.recording(scenario_id)
        others = former.transcripts if former.inputs == inputs and contract != "2.1.7" else {}
        kept = Recording(inputs, {**others, contract: Transcript(recorded)})
        keep_recording(self.suite, scenario_id, kept)

    def offer(self, *contracts: str) -> None:
        """Give the suite the contracts `documented`, 2.1.7, and these contracts of the bundled suite."""
        self.suite = _with_contracts(self.root, "2.1.7", *contracts)

    def recording(self, scenario_id: str) -> Path:
        return self.suite.recordings.path(scenario_id)

    def claims(self, text: str) -> None:
        (self.root / "claims.yaml").write_text(text, encoding="utf-8")


def _with_contracts(root: Path, *names: str) -> Suite:
    """Write a contracts.yaml with `documented` and these contracts of the bundled suite. Return the suite."""
    head, *entries = re.split(r"(?m)^(?=  \S)", (default_root() / "contracts.yaml").read_text())
    wanted = tuple(f"  {name}:" for name in ("documented", *names))
    (root / "contracts.yaml").write_text(head + "".join(each for each in entries if each.startswith(wanted)))
    return Suite(root)


UNREAD_STEPS = f"""\
  - Edit: {{file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}}
    expect:
      documented: {SECTION}
      error: not_read
      text: {UNREAD}
"""


@pytest.fixture
def small(tmp_path: Path) -> Small:
    """A suite with one scenario, `gate/unread`, whose recording confirms the documented result and a claim."""
    root = tmp_path / "fixtures"
    small_suite(root, shared=("errors.yaml",))
    _with_contracts(root, "2.1.7")
    made = Small(root)
    made.scenario("gate/unread", UNREAD_STEPS, step(edit(), results=[refusal()]))
    made.claims(claims("gate/unread"))
    return made


@pytest.fixture
def run_claims(small: Small, readfirst: Cli) -> Cli:
    return partial(readfirst, "product", "claims", "--fixtures", small.root)


def claim_of_multi_edit(small: Small) -> None:
    """Add a scenario about MultiEdit, which 1.0.126 has and 2.1.7 lacks, and a claim that its recording confirms."""
    small.offer("1.0.126")
    call = "MultiEdit: {file_path: $WS/notes.txt, edits: [{old_string: a, new_string: b}]}"
    small.scenario(
        "multi-edit/unread",
        f"  - {call}\n    expect: {{documented: '{SECTION}', error: not_read}}\n",
        step(("MultiEdit", {}), results=[refusal()]),
        contract="1.0.126",
    )
    small.claims(claims("multi-edit/unread"))

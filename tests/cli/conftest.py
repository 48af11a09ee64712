"""Small suites for tests of commands. The reference fails the scenarios of the family `wrong`."""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript, TranscriptStep
from tests.small_suites import keep_recording, small_suite
from tests.two_rules import two_rules

from .browser import chromium

# pytester unloads the modules that a run imports. Importing these modules here lets all runs use the same copies.
importlib.import_module("readfirst.harness.run.run_command")
importlib.import_module("readfirst.harness.adapters.reference")
importlib.import_module("yaml")

Run = Callable[..., pytest.RunResult]


XDIST = pytest.param(("-n", "2", "-p", "xdist"), id="xdist", marks=pytest.mark.slow)
alone_and_parallel = pytest.mark.parametrize("parallel", [pytest.param((), id="alone"), XDIST])
"""Run pytest in one process and, as a slow test, with xdist."""


RACES = """\
title: A race needs an adapter that can let something happen in between
requirement: must
given: {files: {notes.txt: "alpha\\n"}}
steps:
  - Read: {file_path: $WS/notes.txt}
    expect: {text: "     1→alpha\\n     2→"}
  - Edit: {file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}
    during: [{modify: {notes.txt: "ALPHA\\n"}}]
    expect: {error: unexpectedly_modified}
"""
"""A scenario with a change by another program during an Edit."""


PASSES = """\
title: Read shows a file with numbered lines
requirement: must
tags: [lines]
given: {files: {notes.txt: "alpha\\nbeta\\n"}}
steps:
  - Read: {file_path: $WS/notes.txt}
    expect: {text: "     1→alpha\\n     2→beta\\n     3→"}
"""

REFUSES = """\
title: Edit refuses a file that was not read
requirement: must
tags: [gate]
given: {files: {notes.txt: "alpha\\n"}}
steps:
  - Edit: {file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}
    expect: {error: not_read, text: File has not been read yet. Read it first before writing to it.}
"""

WRONG_TEXT = """\
title: Read is expected to show a carriage return
requirement: must
given: {files: {notes.txt: "alpha\\n"}}
steps:
  - Read: {file_path: $WS/notes.txt}
    expect:
      text: "     1→alpha\\r\\n     2→"
"""

WRONG_EFFECTS = """\
title: Edit is expected to write without a Read
requirement: must
given: {files: {notes.txt: "alpha\\n"}}
steps:
  - Edit: {file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}
    expect: {text: done, files: {notes.txt: "gamma\\n"}}
"""


MakeSuite = Callable[[dict[str, str]], Suite]
FAILING = {"wrong/text": WRONG_TEXT, "wrong/effects": WRONG_EFFECTS}
HOLDING = {"reading/lines": PASSES, "gate/not-read": REFUSES}


@pytest.fixture
def make_suite(tmp_path: Path) -> MakeSuite:
    """A function that writes a suite with the contracts and the error names of the bundled suite."""

    def make(scenarios: dict[str, str]) -> Suite:
        return small_suite(tmp_path / "suite", scenarios)

    return make


def record_alike(suite: Suite, *contracts: str, text: str | None = None) -> None:
    """Write a recording of each scenario, with the expected answers or with `text`, alike in all `contracts`."""
    for scenario in suite.scenarios():
        steps = []
        for call in scenario.steps:
            assert isinstance(call, ToolCall)
            clause = call.expect.recorded
            assert clause is not None
            assert isinstance(clause.text, str)
            result = RecordedResult(text or clause.text, clause.error)
            steps.append(TranscriptStep((call.tool,), (result,), clause.files))
        recording = Recording(scenario.inputs, {name: Transcript(tuple(steps)) for name in contracts})
        keep_recording(suite, scenario.id, recording)


@pytest.fixture
def holding(make_suite: MakeSuite) -> Suite:
    return make_suite(HOLDING)


@pytest.fixture
def mixed(make_suite: MakeSuite) -> Suite:
    """The reference fails one of its scenarios at the level `text`, and one at `effects`."""
    return make_suite({**HOLDING, **FAILING})


@pytest.fixture
def ruled(make_suite: MakeSuite) -> Suite:
    def with_rule(rule: str, text: str) -> str:
        return text.replace("requirement: must\n", f"requirement: must\nrule: {rule}\n")

    suite = make_suite(
        {
            "gate/not-read": with_rule("read-first", HOLDING["gate/not-read"]),
            "reading/lines": with_rule("numbers", HOLDING["reading/lines"]),
            "reading/again": with_rule("numbers", PASSES.replace("a file", "the file")),
            "reading/other": PASSES.replace("a file", "any file"),
        }
    )
    (suite.root / "rules.yaml").write_text(two_rules("design"), encoding="utf-8")
    return Suite(suite.root)


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs pytest in this process, in a separate directory, with no plugin except readfirst's."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plugin = ("-p", "readfirst.harness.pytest_plugin")

    def run_pytest(*arguments: object) -> pytest.RunResult:
        return pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", *map(str, arguments))

    return run_pytest


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch, holding: Suite) -> Suite:
    """A small suite that commands use in place of the bundled suite, which takes long."""
    monkeypatch.setattr("readfirst.harness.suite.suite.default_root", lambda: holding.root)
    return holding

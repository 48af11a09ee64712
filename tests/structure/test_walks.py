import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from readfirst import FileTools, Result
from readfirst.harness.run.runner import Runner, RunSpec
from readfirst.harness.suite.suite import Suite
from tests.rows import rows

CHECKOUT = Path(__file__).parents[2]
STEP = re.compile(r"(\d+)\. `([\w/]+\.py)`, `(\w+)`")
"""Number, file and function."""

Place = tuple[str, str]


def walks() -> list[list[Place]]:
    """Return the walks on the page: lists of files, each with the first function that the walk calls there."""
    text = (CHECKOUT / "ARCHITECTURE.md").read_text("utf-8").partition("## Two walks")[2]
    found: list[list[Place]] = []
    for number, file, function in STEP.findall(text):
        if number == "1":
            found.append([])
        found[-1].append((file, function))
    return found


MEMORY_FILES = "reference_impl/tools/implicit_reads.py"
VERDICT, EDIT = walks()
"""From a scenario to its verdict, and an Edit of the reference."""


def list_entered(call: Callable[[], object], folder: str) -> list[Place]:
    """Return the functions of a directory that a call enters, in order, each with its file."""
    places: dict[Place, None] = {}

    @cache
    def below(name: str) -> str:
        file = Path(name).resolve()
        return file.relative_to(CHECKOUT).as_posix() if file.is_relative_to(CHECKOUT / folder) else ""

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if file := below(frame.f_code.co_filename):
            places[file, frame.f_code.co_name] = None

    former = sys.gettrace()
    sys.settrace(note)
    try:
        call()
    finally:
        sys.settrace(former)
    return [*places]


def walk_of_edit(contract: str, folder: Path) -> list[Place]:
    """Return the functions that one Edit of the reference enters, each with its file."""
    file = folder / "notes.txt"
    file.write_text("alpha\nbeta\n")
    tools = FileTools(contract, root=folder)
    assert not tools.call("Read", {"file_path": str(file)}).is_error
    edit = {"file_path": str(file), "old_string": "alpha", "new_string": "gamma"}
    results: list[Result] = []
    places = list_entered(lambda: results.append(tools.call("Edit", edit)), "reference_impl")
    assert not results[0].is_error, results[0].text
    assert file.read_text() == "gamma\nbeta\n"
    return places


@rows(("walk", "most"), [(VERDICT, 15), (EDIT, 10)])
def test_each_walk_on_the_page_contains_few_files(walk: list[Place], most: int) -> None:
    files = [file for file, _ in walk]
    assert len(files) == len({*files}) <= most
    assert all((CHECKOUT / file).is_file() for file in files)


def test_judging_a_scenario_calls_the_functions_of_the_walk_on_the_page() -> None:
    suite = Suite(CHECKOUT / "fixtures")
    with Runner(RunSpec(suite, "reference", suite.contracts.default)) as runner:
        runner.judge("gate/write-unread")  # what is done once for all scenarios does not belong to the walk
        places = list_entered(lambda: runner.judge("gate/edit-unread"), "harness")
    assert [place for place in places if place in VERDICT] == VERDICT
    assert len({file for file, _ in places}) <= 50


@pytest.mark.parametrize("contract", ["0.2.126", "1.0.60", "2.1.7", "2.1.208+gated", "2.1.328", "documented"])
def test_an_edit_enters_only_the_files_of_the_walk_on_the_page(contract: str, tmp_path: Path) -> None:
    places = walk_of_edit(contract, tmp_path)
    files = {file for file, _ in places}
    assert files - {MEMORY_FILES} == {file for file, _ in EDIT}
    assert (MEMORY_FILES in files) == (contract == "2.1.328")
    if contract == "2.1.7":
        assert [place for place in places if place in EDIT] == EDIT

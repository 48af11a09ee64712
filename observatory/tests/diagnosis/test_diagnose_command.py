"""`readfirst diagnose`: its output, its files, and its refusals. docs/diagnosis.md shows the same."""

import json
import re
from pathlib import Path

import pytest

from readfirst.observatory.diagnosis.behaviour_variants import BehaviourChange
from readfirst.observatory.diagnosis.best_match import Diagnosis, Difference
from readfirst.observatory.diagnosis.report import DiagnosisCase, as_text
from readfirst.observatory.targets import catalogue
from tests.command_line import Cli
from tests.pages.page import CHECKOUT

PAGE = CHECKOUT / "docs" / "diagnosis.md"


@pytest.fixture
def stream(readfirst: Cli, tmp_path: Path) -> Path:
    """Results of an implementation like 2.1.207, but with a Write without a Read, which no product version allows."""
    (tmp_path / "unread.py").write_text(
        f"import sys; sys.path.insert(0, {str(CHECKOUT / 'tests' / 'wrong_implementations')!r})\n"
        "import rest_of_the_package\n"
        "from readfirst.harness.adapters.reference import ReferenceAdapter\n"
        "from readfirst.reference_impl import behaviours_of\n"
        "behaviours = behaviours_of('2.1.207').changed(write_needs_read=False)\n"
        "def tools(): return ReferenceAdapter(behaviours)\n"
    )
    file = tmp_path / "unread.jsonl"
    target = f"python:{tmp_path / 'unread.py'}:tools"
    options = (
        "--family",
        "gate",
        "--family",
        "arguments",
        "--format",
        "jsonl",
        "--output",
        file,
        "--name",
        "unread",
    )
    assert readfirst("run", target, *options).code == 1
    return file


@pytest.mark.slow
def test_results_are_diagnosed_for_people_and_for_programs(
    readfirst: Cli, stream: Path, tmp_path: Path
) -> None:
    ran = readfirst("diagnose", stream)
    assert (ran.code, ran.err) == (0, "")
    assert re.match(r"unread, level effects: nearest to 2\.1\.\d+", ran.out)
    assert "write_needs_read: no instead of yes" in ran.out
    assert "Write refuses a file in the working directory that was not read." in ran.out
    assert re.search(r"scenarios compared: (\d+) fail, \1 of these are explained \(100 %\)\n", ran.out)
    written = tmp_path / "diagnosis.json"
    again = readfirst("diagnose", stream, "--format", "json", "--output", written)
    assert (again.code, again.err) == (0, "")
    (found,) = json.loads(written.read_text())["diagnoses"]
    assert found["target"] == "unread"
    assert "write_needs_read" in [each["behaviour"] for each in found["differences"]]
    assert found["explained"] == found["failures"]
    assert found["unexplained"] == []
    table = readfirst("diagnose", stream, stream, "--format", "markdown").out.splitlines()
    assert len(table) == 4
    assert table[2] == table[3]
    assert "`write_needs_read` (" in table[2]


@pytest.mark.slow
def test_what_is_left_is_reported_by_rules(readfirst: Cli, stream: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in stream.read_text().splitlines()]
    for line in lines:
        if line.get("scenario", "").startswith("gate/write-after"):
            line["differences"] = [
                {"step": 1, "call": 1, "level": "effects", "what": "refused", "expected": "not refused",
                 "got": "refused: no", "blame": "implementation"}
            ]  # fmt: skip
            line["levels"]["effects"] = False
    odd = tmp_path / "odd.jsonl"
    odd.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = readfirst("diagnose", odd)
    assert re.search(r"^unexplained: \d+ scenarios? in \d+ rules?, worst first$", ran.out, re.MULTILINE)
    assert "(gate/write-after" in ran.out


def test_nothing_to_diagnose_is_said(readfirst: Cli, tmp_path: Path) -> None:
    for words, message in {
        (): "name a target, or the results of a run",
        (tmp_path / "none.jsonl",): "cannot be read",
        ("nothing:at-all",): "there is no kind 'nothing'",
    }.items():
        ran = readfirst("diagnose", *words)
        assert (ran.code, ran.out) == (2, ""), words
        assert message in ran.err
    other = tmp_path / "other.jsonl"
    readfirst(
        "run", "reference", "gate/edit-unread", "--contract", "2.1.40", "--format", "jsonl", "--output", other
    )
    ran = readfirst("diagnose", other)
    assert ran.code == 2
    assert "has results for the contract 2.1.40 only" in ran.err
    assert "Run the target again with --contract 2.1.7." in ran.err


def test_the_page_has_a_line_for_each_target() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    named = [row.split("`")[1] for row in rows if "@" in row.split("`")[1]]
    targets = sorted(target.pinned for target in catalogue.targets())
    assert sorted(named) == targets
    for row in rows:
        if "@" not in row.split("`")[1]:
            continue
        failures, explained, share = map(int, re.search(r"\| (\d+) \| (\d+) \((\d+) %\) \|", row).groups())
        assert share == 100 * explained // failures


@pytest.mark.agents
def test_the_line_of_a_target_is_what_the_command_prints(readfirst: Cli) -> None:
    printed = readfirst("diagnose", "target:agno@3.1.10", "--format", "markdown").out.splitlines()
    assert printed[-1] in PAGE.read_text("utf-8").splitlines()


def test_a_behaviour_that_explains_nothing_alone_is_counted_and_not_listed() -> None:
    reported = Difference(BehaviourChange("edit_needs_read", False), True, ("gate/edit-unread",))
    silent = Difference(BehaviourChange("write_needs_read", False), True, ())
    found = Diagnosis("effects", "2.1.7", ("2.1.7",), (reported, silent), ("gate/edit-unread",), (), ())
    text = "\n".join(as_text(DiagnosisCase("mine", found, {})))
    assert "edit_needs_read: no instead of yes" in text
    assert "write_needs_read" not in text
    assert "  and 1 more, which explains no failure alone" in text

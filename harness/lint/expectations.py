"""Expectations: what clauses say, and whether it can be true."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from packaging.version import Version

from harness.contracts import selects
from harness.entry import RegularFile, TextContent
from harness.finding import Finding
from harness.inspection import did_you_mean
from harness.lint.case import Case, at
from harness.scenario import Clause, ParallelCalls, ToolCall, When

__all__ = ["check_expectations"]

_LONG = 4096
_MACHINE_PATH = re.compile(r"(?<![\w./$])/(?:tmp|home|root|Users|private|var/folders)/[^\s'\"]+")


def check_expectations(case: Case) -> Iterator[Finding]:
    """Yield findings about every clause."""
    yield from _twins(case)
    vocabulary = case.suite.vocabulary
    for clause, step in case.clauses():
        place = at(clause.position, case)
        if clause.error is not None:
            if clause.error not in vocabulary:
                fix = did_you_mean(clause.error, vocabulary)
                yield Finding("unknown-error-name", place, f"errors.yaml has no name {clause.error!r}", fix)
            if clause.files and not clause.recorded:
                # Of a recorded clause the recorder knows better: some versions do change something.
                fix = "Remove files: a refused call changes nothing, and world events are known."
                yield Finding("refused-call-changes-files", place, "a refused call changes files", fix)
        if isinstance(step, ToolCall) and clause.recorded and clause.text is None:
            fix = "Let `readfirst record` fill it in."
            yield Finding("missing-text", place, "a recorded clause does not say the text", fix)
        yield from _texts(case, clause)


def _twins(case: Case) -> Iterator[Finding]:
    """Find clauses that differ in `when` and `documented` only, where one `when` could stand for both."""
    parts = [step for step in case.scenario.steps if isinstance(step, ToolCall | ParallelCalls)]
    expectations = [part.expect for part in (*parts, *case.scenario.calls())]
    for expectation in {id(expect): expect for expect in expectations if len(expect) > 1}.values():
        for number, clause in enumerate(expectation):
            for other in expectation[:number]:
                same = (clause.error, clause.text, clause.files) == (other.error, other.text, other.files)
                if same and _can_be_one(case, clause.when, other.when, expectation):
                    line = at(other.position, case).line
                    message = f"this clause states the same as the one in line {line}"
                    fix = "Make them one, with the documented: and a when: that holds for both."
                    yield Finding("same-clauses", at(clause.position, case), message, fix)


def _can_be_one(case: Case, first: When | None, second: When | None, expectation: Iterable[Clause]) -> bool:
    """Whether nothing else is stated between two conditions: what came back later is said again.

    Versions between contracts are asked as well, at each border that a clause names.
    """
    if first is None or second is None:
        return True
    if first.read_gate != second.read_gate:
        return False
    gates = (None, first.read_gate) if first.read_gate else (None, "enforced", "relaxed")
    contracts = case.suite.contracts
    ranges = [clause.when.claude_code for clause in expectation if clause.when and clause.when.claude_code]
    named = {each.version.removesuffix(".*") for versions in ranges for each in versions}
    borders = {contracts.find(name) for name in named if name.count(".") == 2}
    row = [each for each in {*contracts.recorded, *borders} if each.version and each.read_gate in gates]
    row.sort(key=lambda each: Version(each.version or "0"))
    held = [number for number, each in enumerate(row) if selects(first, each) or selects(second, each)]
    return bool(held) and held[-1] - held[0] + 1 == len(held)


def _texts(case: Case, clause: Clause) -> Iterator[Finding]:
    place = at(clause.position, case)
    texts = {"text": clause.text} if isinstance(clause.text, str) else {}
    if isinstance(clause.text, str) and len(clause.text) > _LONG:
        fix = "Write {sha256, lines, starts, ends}, as `readfirst record` does."
        yield Finding("long-text", place, f"text has {len(clause.text):,} characters", fix)
    for path, entry in clause.files.items():
        if not isinstance(entry, RegularFile):
            continue
        content = entry.content
        if isinstance(content, TextContent):
            texts[path] = content.text
        size = len(content.text) if isinstance(content, TextContent) else len(entry.data)
        if size > _LONG:
            fix = "Write {sha256, size}, or {repeat, times}."
            yield Finding("long-text", place, f"the content of {path!r} has {size:,} characters", fix)
    for name, text in texts.items():
        found = _MACHINE_PATH.search(text)
        if found is not None:
            fix = "Write $WS for the workspace; record again if the product printed another path."
            yield Finding("machine-path", place, f"{name} holds the path {found[0][:60]!r}", fix)

"""Expectations: what clauses say, and whether it can be true."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readfirst.harness.source.finding import Finding
from readfirst.harness.source.inspection import did_you_mean
from readfirst.harness.suite.case import Case, at
from readfirst.harness.suite.entry import RegularFile, TextContent
from readfirst.harness.suite.scenario import Clause, ParallelCalls, ToolCall

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
            if clause.files and clause is not step.expect.recorded:
                # Of what is recorded the recorder knows better: some versions do change something.
                fix = "Remove files: a refused call changes nothing, and world events are known."
                yield Finding("refused-call-changes-files", place, "a refused call changes files", fix)
        if isinstance(step, ToolCall) and clause is step.expect.recorded and clause.text is None:
            fix = "Let `readfirst product record` fill it in."
            yield Finding("missing-text", place, "a recorded clause does not state the text", fix)
        yield from _texts(case, clause)


def _twins(case: Case) -> Iterator[Finding]:
    """Find calls of which the documents are said to state something else, though it is the same."""
    groups = [step for step in case.scenario.steps if isinstance(step, ParallelCalls)]
    parts: list[ToolCall | ParallelCalls] = [*case.scenario.calls(), *groups]
    for part in parts:
        documented, recorded = part.expect.documented, part.expect.recorded
        if documented is None or recorded is None or documented is recorded:
            continue
        same = (documented.error, documented.text, documented.files)
        if same == (recorded.error, recorded.text, recorded.files):
            line = at(documented.position, case).line
            message = f"this clause states the same as the one in line {line}"
            fix = "Merge them, and keep documented:."
            yield Finding("same-clauses", at(recorded.position, case), message, fix)


def _texts(case: Case, clause: Clause) -> Iterator[Finding]:
    place = at(clause.position, case)
    texts = {"text": clause.text} if isinstance(clause.text, str) else {}
    if isinstance(clause.text, str) and len(clause.text) > _LONG:
        fix = "Write {sha256, lines, starts, ends}, as `readfirst product record` does."
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
            yield Finding("machine-path", place, f"{name} contains the path {found[0][:60]!r}", fix)

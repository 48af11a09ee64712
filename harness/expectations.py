"""Expectations: reads the clauses of `expect`, and checks that they divide the contracts among them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from harness import coverage
from harness.confinement import is_safe
from harness.content import expected_entry, sha256_of
from harness.contracts import READ_GATES, Contract
from harness.entry import Entry
from harness.finding import Finding
from harness.inspection import Inspection, Path, a_kind_of
from harness.scenario import Clause, Expectation, ReadGate, TextDigest, When

__all__ = ["CALL_KEYS", "GROUPED_CALL_KEYS", "GROUP_KEYS", "note_division", "read_expectation"]

CALL_KEYS = ("when", "documented", "error", "text", "files")
GROUPED_CALL_KEYS = ("when", "documented", "error", "text")
GROUP_KEYS = ("when", "documented", "files")

_ELSEWHERE = {
    "files": "Write it in the expect of the group: only what the group as a whole changes can be known.",
    "text": "Write it in the expect of each call.",
    "error": "Write it in the expect of each call.",
}


def read_expectation(look: Inspection, place: Path, value: Any, known: tuple[str, ...]) -> Expectation:
    """Read one clause or a list of them; `known` are the keys that a clause may have here."""
    if isinstance(value, dict):
        clause = _clause(look, place, value, known, alone=True)
        return () if clause is None else (clause,)
    items = look.sequence(value, place, "expect", empty=False) or ()
    clauses = [
        _clause(look, (*place, number), item, known, alone=len(items) == 1)
        for number, item in enumerate(items)
    ]
    expectation = tuple(clause for clause in clauses if clause is not None)
    documented = [clause for clause in expectation if clause.documented is not None]
    for clause in documented[1:]:
        message = "two clauses of one call are documented"
        fix = "Keep what the documents state in one clause; where they contradict each other, in none."
        path = (*place, clauses.index(clause), "documented")
        look.note(path, message, fix, rule="several-documented", key=True)
    return expectation


def _clause(
    look: Inspection, place: Path, value: Any, known: tuple[str, ...], *, alone: bool
) -> Clause | None:
    fields = look.mapping(value, place, "this clause", known, elsewhere=_ELSEWHERE)
    if fields is None:
        return None
    when = _when(look, (*place, "when"), fields["when"]) if "when" in fields else None
    texts = {}
    for key in ("documented", "error"):
        if key in fields and key in known:
            texts[key] = look.string(fields[key], (*place, key), key)
    text: str | TextDigest | None = None
    if "text" in fields and "text" in known:
        text = _text(look, (*place, "text"), fields["text"])
    files: dict[str, Entry | None] = {}
    if "files" in fields and "files" in known:
        for path, content in (look.mapping(fields["files"], (*place, "files"), "files") or {}).items():
            at = (*place, "files", path)
            entry = None if content is None else expected_entry(look, at, content)
            if is_safe(look, path, at, key=True):
                files[path] = entry
    if not fields:
        look.note(
            place, "a clause of expect says nothing", "Write what is expected, at least text: or error:."
        )
    return Clause(
        when=when,
        documented=texts.get("documented"),
        error=texts.get("error"),
        text=text,
        files=files,
        position=look.document.position(place),
        recorded="documented" not in fields or alone or "when" in fields,
    )


def _text(look: Inspection, place: Path, value: Any) -> str | TextDigest | None:
    if isinstance(value, str):
        return value
    known = ("sha256", "lines", "starts", "ends")
    if not isinstance(value, dict):
        fix = f"Write it in quotes, or a mapping of {', '.join(known)}."
        look.note(place, f"text must be a string, not {a_kind_of(value)}", fix)
        return None
    fields = look.mapping(value, place, "text", known) or {}
    if not fields:
        look.note(place, "text says nothing", f"Write a string, or one of {', '.join(known)}.")
    digest = sha256_of(look, (*place, "sha256"), fields["sha256"]) if "sha256" in fields else None
    lines = None
    if "lines" in fields:
        lines = look.integer(fields["lines"], (*place, "lines"), "lines", least=1, most=10**9)
    ends = {key: look.string(fields[key], (*place, key), key) for key in ("starts", "ends") if key in fields}
    return TextDigest(digest, lines, ends.get("starts"), ends.get("ends"))


def _when(look: Inspection, place: Path, value: Any) -> When | None:
    fields = look.mapping(value, place, "when", ("claude_code", "read_gate"))
    if fields is None:
        return None
    if not fields:
        look.note(place, "when names no contract", "Write claude_code: or read_gate:, or leave when: out.")
    specifier = None
    if "claude_code" in fields:
        text = look.string(fields["claude_code"], (*place, "claude_code"), "claude_code")
        specifier = None if text is None else _specifier(text)
        if text is not None and specifier is None:
            fix = 'Write comparisons with versions, joined by commas: ">=2.1.7,<2.1.208".'
            look.note((*place, "claude_code"), f"{text!r} does not specify versions", fix)
    gate = None
    if "read_gate" in fields:
        gate = look.choice(fields["read_gate"], (*place, "read_gate"), "read_gate", READ_GATES)
    return When(specifier, cast("ReadGate | None", gate))


def note_division(
    look: Inspection, expectation: Expectation, contracts: Sequence[Contract], *, complete: bool
) -> None:
    """Note clauses that hold for the same contract and, if `complete`, a contract that none holds for."""
    recorded = [clause for clause in expectation if clause.recorded]
    if not expectation or (len(recorded) == 1 and recorded[0].when is None):
        return
    whens = [clause.when for clause in recorded]
    both = coverage.overlap(whens)
    if both is not None:
        first, second, name = both
        message = f"this clause and the one in line {_line(recorded[first])} both hold for {name}"
        fix = "Write when: so that only one clause holds for each contract."
        _note(look, recorded[second], "when-overlap", message, fix)
    missing = coverage.gap(whens, contracts) if complete else None
    if missing is not None:
        message = f"no clause holds for {missing}"
        fix = "Add a clause for it, or widen the when: of one."
        _note(look, expectation[0], "when-gap", message, fix)


def _note(look: Inspection, clause: Clause, rule: str, message: str, fix: str) -> None:
    if clause.position is not None:
        look.findings.append(Finding(rule, clause.position, message, fix))


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

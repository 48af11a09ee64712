"""Expectations: reads `expect`: what a recorded contract gives, and what the documents state."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from readfirst.harness.source.inspection import Inspection, a_kind_of
from readfirst.harness.source.strict_yaml import YamlPath
from readfirst.harness.suite.confinement import is_safe
from readfirst.harness.suite.content import expected_entry, sha256_of
from readfirst.harness.suite.entry import Entry
from readfirst.harness.suite.scenario import Clause, Expectation, TextDigest

CALL_KEYS = ("documented", "answer", "error", "text", "files", "reminders")
GROUPED_CALL_KEYS = ("documented", "answer", "error", "text")
GROUP_KEYS = ("documented", "files", "reminders")

_ELSEWHERE = {
    "when": "Remove it: expect states one contract; recordings hold what every other contract gives.",
    "files": "Write it in the expect of the group: only what the group as a whole changes can be known.",
    "reminders": "Write it in the expect of the group: they follow all of its results.",
    "text": "Write it in the expect of each call.",
    "error": "Write it in the expect of each call.",
}


InAWord = Callable[[YamlPath, str, Mapping[str, Entry | None]], Clause]
"""Returns what one word says of a call, of which these changes are stated; without any, what it changes, too."""


def read_expectation(
    look: Inspection, place: YamlPath, value: Any, known: tuple[str, ...], in_a_word: InAWord | None = None
) -> Expectation:
    """Read one clause or a list of two; `known` are the keys that a clause may have here.

    One clause states what the contract of the scenario gives and, if it says `documented`, also what the documents
    state. Where they state something else, that is a clause of its own. Of a call a word may stand for a clause.
    """
    if isinstance(value, dict) or (in_a_word is not None and isinstance(value, str)):
        clause = _clause(look, place, value, known, in_a_word)
        return Expectation(clause, clause if clause is not None and clause.documented else None)
    items = look.sequence(value, place, "expect", empty=False) or ()
    if len(items) == 1:
        return read_expectation(look, (*place, 0), items[0], known, in_a_word)
    clauses = [_clause(look, (*place, number), item, known, in_a_word) for number, item in enumerate(items)]
    found: dict[bool, Clause] = {}
    for number, clause in enumerate(clauses):
        if clause is None:
            continue
        documented = clause.documented is not None
        if found.setdefault(documented, clause) is not clause:
            _note_second(look, (*place, number), documented)
    return Expectation(found.get(False), found.get(True))


def _note_second(look: Inspection, place: YamlPath, documented: bool) -> None:
    """Note a clause that states what another clause of the same call states already."""
    if documented:
        message = "two clauses of one call are documented"
        fix = "Keep what the documents state in one clause; where they contradict each other, in none."
        look.note((*place, "documented"), message, fix, rule="several-documented", key=True)
        return
    message = "two clauses of one call state what the product does"
    fix = "Keep that of the scenario's contract; recordings hold what every other contract gives."
    look.note(place, message, fix, rule="several-recorded")


def _clause(
    look: Inspection, place: YamlPath, value: Any, known: tuple[str, ...], in_a_word: InAWord | None
) -> Clause | None:
    if in_a_word is not None and isinstance(value, str):
        return in_a_word(place, value, {})
    fields = look.mapping(value, place, "this clause", known, elsewhere=_ELSEWHERE)
    if fields is None:
        return None
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
    if "answer" in fields and in_a_word is not None:
        return _clause_in_a_word(look, place, fields, texts.get("documented"), files, in_a_word)
    reminders = [
        _text(look, (*place, "reminders", number), each)
        for number, each in enumerate(
            look.sequence(fields.get("reminders", []), (*place, "reminders"), "reminders") or ()
        )
    ]
    if not fields:
        look.note(
            place, "a clause of expect says nothing", "Write what is expected, at least text: or error:."
        )
    return Clause(
        documented=texts.get("documented"),
        error=texts.get("error"),
        text=text,
        files=files,
        reminders=tuple(each for each in reminders if each is not None),
        position=look.document.position(place),
    )


def _clause_in_a_word(
    look: Inspection,
    place: YamlPath,
    fields: Mapping[str, Any],
    documented: str | None,
    files: Mapping[str, Entry | None],
    in_a_word: InAWord,
) -> Clause | None:
    """Return what the word under `answer` says, beside which only `documented` and `files` may be."""
    word = look.string(fields["answer"], (*place, "answer"), "answer")
    for key in fields:
        if key not in ("answer", "documented", "files"):
            fix = f"Leave {key} out, or answer: and write out the rest."
            look.note((*place, key), f"answer says already what {key} is", fix, key=True)
    return (
        None if word is None else replace(in_a_word((*place, "answer"), word, files), documented=documented)
    )


def _text(look: Inspection, place: YamlPath, value: Any) -> str | TextDigest | None:
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

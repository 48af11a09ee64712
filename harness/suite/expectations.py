"""Read `expect`: the result of a recorded contract, and the statements of the documents."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from readfirst.harness.suite.file_content import SHA256, expected_entry
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.path_rules import is_safe
from readfirst.harness.suite.scenario import Clause, Expectation, TextDigest
from readfirst.harness.yaml_io.yaml_validation import Fields, FormError, Node

CALL_KEYS = ("documented", "answer", "error", "text", "files", "reminders")
GROUPED_CALL_KEYS = ("documented", "answer", "error", "text")
GROUP_KEYS = ("documented", "files", "reminders")
_DIGEST_KEYS = ("sha256", "lines", "starts", "ends")

InAWord = Callable[[Node, str, Mapping[str, Entry | None]], Clause]
"""A function that returns the clause which a short form means for a call. It gets the stated changes of files; without
these, the clause contains the changes, too.
"""


def read_expectation(node: Node, known: tuple[str, ...], in_a_word: InAWord | None = None) -> Expectation:
    """Read an expectation: one clause, or a list of two. `known` are the allowed keys of a clause.

    One clause states the result for the scenario's contract. With the key `documented`, it is also the statement of the
    documents. If the documents state a different result, a second clause contains it. A short form may replace the
    clause of a call.
    """
    if isinstance(node.value, dict) or (in_a_word is not None and isinstance(node.value, str)):
        clause = _clause(node, known, in_a_word)
        return Expectation(clause, clause if clause is not None and clause.documented else None)
    items = node.listed(empty=False)
    if len(items) == 1:
        return read_expectation(items[0], known, in_a_word)
    found: dict[bool, Clause] = {}
    for item in items:
        clause = _clause(item, known, in_a_word)
        if clause is None:
            continue
        documented = clause.documented is not None
        if found.setdefault(documented, clause) is not clause:
            _note_second(item, documented)
    return Expectation(found.get(False), found.get(True))


def _note_second(node: Node, documented: bool) -> None:
    """Add a finding about the second clause of a call: it is `documented` like the first, or neither clause is."""
    if documented:
        message = "two clauses of one call are documented"
        fix = "Keep the statement of the documents in one clause; if they contradict each other, in none."
        node.below("documented").note(message, fix, rule="several-documented", key=True)
        return
    message = "two clauses of one call state the behaviour of the product"
    fix = "Keep that of the scenario's contract; recordings hold what every other contract gives."
    node.note(message, fix, rule="several-recorded")


def _clause(node: Node, known: tuple[str, ...], in_a_word: InAWord | None) -> Clause | None:
    if in_a_word is not None and isinstance(node.value, str):
        return in_a_word(node, node.value, {})
    fields = node.mapping(known)
    if not fields.values:
        raise FormError(node)
    documented, error = fields.read("documented", Node.matching), fields.read("error", Node.matching)
    text = fields.read("text", _text)
    files: dict[str, Entry | None] = {}
    for path, content in fields["files"].mapping() if "files" in fields else ():
        if is_safe(content, path, key=True):
            files[path] = None if content.value is None else expected_entry(content)
    if "answer" in fields and in_a_word is not None:
        return _clause_in_a_word(fields, documented, files, in_a_word)
    reminders = tuple(map(_text, fields["reminders"].listed())) if "reminders" in fields else ()
    return Clause(documented, error, text, files, reminders, node.position)


def _clause_in_a_word(
    fields: Fields, documented: str | None, files: Mapping[str, Entry | None], in_a_word: InAWord
) -> Clause | None:
    """Return the clause for the short form at `answer`, which allows only `documented` and `files` next to it."""
    word = fields["answer"].matching()
    for key, value in fields:
        if key not in ("answer", "documented", "files"):
            fix = f"Leave {key} out, or answer: and write out the rest."
            value.note(f"answer says already what {key} is", fix, key=True)
    return replace(in_a_word(fields["answer"], word, files), documented=documented)


def _text(node: Node) -> str | TextDigest:
    if type(node.value) is str:
        return node.value
    fields = node.mapping(_DIGEST_KEYS)
    if not fields.values:
        raise FormError(node)
    digest = fields["sha256"].matching(SHA256) if "sha256" in fields else None
    lines = fields["lines"].number(1, 10**9) if "lines" in fields else None
    starts, ends = fields.read("starts", Node.matching), fields.read("ends", Node.matching)
    return TextDigest(digest, lines, starts, ends)

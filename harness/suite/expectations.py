"""Expectations: reads `expect`: what a recorded contract gives, and what the documents state."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from readfirst.harness.suite.file_content import expected_entry, sha256_of
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.path_rules import is_safe
from readfirst.harness.suite.scenario import Clause, Expectation, TextDigest
from readfirst.harness.yaml_io.yaml_validation import Fields, Node, a_kind_of

CALL_KEYS = ("documented", "answer", "error", "text", "files", "reminders")
GROUPED_CALL_KEYS = ("documented", "answer", "error", "text")
GROUP_KEYS = ("documented", "files", "reminders")
_DIGEST_KEYS = ("sha256", "lines", "starts", "ends")

_FIXES = {
    "when": "Remove it: expect states one contract; recordings hold what every other contract gives.",
    "files": "Write it in the expect of the group: only what all of the group changes can be known.",
    "reminders": "Write it in the expect of the group: they follow all of its results.",
    "text": "Write it in the expect of each call.",
    "error": "Write it in the expect of each call.",
}

InAWord = Callable[[Node, str, Mapping[str, Entry | None]], Clause]
"""Returns what one word says of a call, of which these changes are stated; without any, what it changes, too."""


def read_expectation(node: Node, known: tuple[str, ...], in_a_word: InAWord | None = None) -> Expectation:
    """Read one clause or a list of two; `known` are the keys that a clause may have here.

    One clause states what the contract of the scenario gives and, if it says `documented`, also what the documents
    state. Where they state something else, that is a clause of its own. For a call a word may replace a clause.
    """
    if isinstance(node.value, dict) or (in_a_word is not None and isinstance(node.value, str)):
        clause = _clause(node, known, in_a_word)
        return Expectation(clause, clause if clause is not None and clause.documented else None)
    items = node.called("expect").items(empty=False)
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
    """Note a clause that states what another clause of the same call states already."""
    if documented:
        message = "two clauses of one call are documented"
        fix = "Keep what the documents state in one clause; where they contradict each other, in none."
        node.below("documented").note(message, fix, rule="several-documented", key=True)
        return
    message = "two clauses of one call state what the product does"
    fix = "Keep that of the scenario's contract; recordings hold what every other contract gives."
    node.note(message, fix, rule="several-recorded")


def _clause(node: Node, known: tuple[str, ...], in_a_word: InAWord | None) -> Clause | None:
    if in_a_word is not None and isinstance(node.value, str):
        return in_a_word(node, node.value, {})
    fields = node.called("this clause").fields(known, fixes=_FIXES)
    if fields.wrong:
        return None
    stated = Fields(node._replace(value={key: fields.values[key] for key in fields.values if key in known}))
    documented, error = stated.string("documented"), stated.string("error")
    text = stated.read("text", _text)
    files: dict[str, Entry | None] = {}
    for path, content in stated.fields("files"):
        entry = None if content.value is None else expected_entry(content)
        if is_safe(content, path, key=True):
            files[path] = entry
    if "answer" in fields and in_a_word is not None:
        return _clause_in_a_word(fields, documented, files, in_a_word)
    reminders = [_text(each) for each in fields.items("reminders")]
    if not fields.values:
        fix = "Write what is expected, at least text: or error:."
        node.note("a clause of expect says nothing", fix)
    given = tuple(each for each in reminders if each is not None)
    return Clause(documented, error, text, files, given, node.position)


def _clause_in_a_word(
    fields: Fields, documented: str | None, files: Mapping[str, Entry | None], in_a_word: InAWord
) -> Clause | None:
    """Return what the word under `answer` says, beside which only `documented` and `files` may be."""
    word = fields.string("answer")
    for key, value in fields:
        if key not in ("answer", "documented", "files"):
            fix = f"Leave {key} out, or answer: and write out the rest."
            value.note(f"answer says already what {key} is", fix, key=True)
    return None if word is None else replace(in_a_word(fields["answer"], word, files), documented=documented)


def _text(node: Node) -> str | TextDigest | None:
    if isinstance(node.value, str):
        return node.value
    if not isinstance(node.value, dict):
        fix = f"Write it in quotes, or a mapping of {', '.join(_DIGEST_KEYS)}."
        node.note(f"text must be a string, not {a_kind_of(node.value)}", fix)
        return None
    fields = node.called("text").fields(_DIGEST_KEYS)
    if not fields.values:
        node.note("text says nothing", f"Write a string, or one of {', '.join(_DIGEST_KEYS)}.")
    digest, lines = fields.read("sha256", sha256_of), fields.integer("lines", least=1, most=10**9)
    return TextDigest(digest, lines, fields.string("starts"), fields.string("ends"))

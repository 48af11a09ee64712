"""Read the key `expect` of a call: the result that was recorded for a contract, and the result that documents state."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from readfirst.harness.suite.file_content import SHA256_PATTERN, read_expected_entry
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.path_rules import is_safe
from readfirst.harness.suite.scenario import Clause, Expectation, TextDigest
from readfirst.harness.yaml_io.yaml_validation import Fields, FormError, Node

CALL_KEYS = ("documented", "answer", "error", "text", "files", "reminders")
GROUPED_CALL_KEYS = ("documented", "answer", "error", "text")
GROUP_KEYS = ("documented", "files", "reminders")
_DIGEST_KEYS = ("sha256", "lines", "starts", "ends")

ReadShorthand = Callable[[Node, str, Mapping[str, Entry | None]], Clause]
"""Returns the expected result for a short form, such as `done`. Arguments: the node of the short form, the short form,
and the file changes that the scenario states, or an empty mapping for the usual changes.
"""


def read_expectation(
    node: Node, allowed_keys: tuple[str, ...], read_shorthand: ReadShorthand | None = None
) -> Expectation:
    """Read the value of `expect`: one expected result (a clause with `allowed_keys`), or two. A clause with the key
    `documented` states the result in a document, a clause without it the recorded result. A single clause with this key
    states both. `read_shorthand` converts a short form, such as `done`, to a clause. Without `read_shorthand`, short
    forms are errors.
    """
    if isinstance(node.value, dict) or (read_shorthand is not None and isinstance(node.value, str)):
        clause = _read_clause(node, allowed_keys, read_shorthand)
        return Expectation(clause, clause if clause is not None and clause.documented else None)
    items = node.listed(empty=False)
    if len(items) == 1:
        return read_expectation(items[0], allowed_keys, read_shorthand)
    clauses: dict[bool, Clause] = {}
    for item in items:
        clause = _read_clause(item, allowed_keys, read_shorthand)
        if clause is None:
            continue
        documented = clause.documented is not None
        if clauses.setdefault(documented, clause) is not clause:
            _note_second(item, documented)
    return Expectation(clauses.get(False), clauses.get(True))


def _note_second(node: Node, documented: bool) -> None:
    """Add a finding if two clauses of one call are both `documented`, or both not `documented`."""
    if documented:
        message = "two clauses of one call are documented"
        fix = "Keep the statement of the documents in one clause; if they contradict each other, in none."
        node.below("documented").note(message, fix, rule="several-documented", key=True)
        return
    message = "two clauses of one call state the behaviour of the product"
    fix = (
        "Keep the clause for the scenario's contract; recordings contain the answers of all other contracts."
    )
    node.note(message, fix, rule="several-recorded")


def _read_clause(
    node: Node, allowed_keys: tuple[str, ...], read_shorthand: ReadShorthand | None
) -> Clause | None:
    if read_shorthand is not None and isinstance(node.value, str):
        return read_shorthand(node, node.value, {})
    fields = node.mapping(allowed_keys)
    if not fields.values:
        raise FormError(node)
    documented, error = fields.read("documented", Node.matching), fields.read("error", Node.matching)
    text = fields.read("text", _read_text)
    files: dict[str, Entry | None] = {}
    for path, content in fields["files"].mapping() if "files" in fields else ():
        if is_safe(content, path, key=True):
            files[path] = None if content.value is None else read_expected_entry(content)
    if "answer" in fields and read_shorthand is not None:
        return _read_shorthand_clause(fields, documented, files, read_shorthand)
    reminders = tuple(map(_read_text, fields["reminders"].listed())) if "reminders" in fields else ()
    return Clause(documented, error, text, files, reminders, node.position)


def _read_shorthand_clause(
    fields: Fields, documented: str | None, files: Mapping[str, Entry | None], read_shorthand: ReadShorthand
) -> Clause | None:
    """Return the result for the short form in `answer`. Adds a finding for keys that `answer` does not permit."""
    shorthand = fields["answer"].matching()
    for key, value in fields:
        if key not in ("answer", "documented", "files"):
            fix = f"Remove {key}, or remove answer and write the other keys of the answer."
            value.note(f"answer already contains {key}", fix, key=True)
    return replace(read_shorthand(fields["answer"], shorthand, files), documented=documented)


def _read_text(node: Node) -> str | TextDigest:
    if type(node.value) is str:
        return node.value
    fields = node.mapping(_DIGEST_KEYS)
    if not fields.values:
        raise FormError(node)
    digest = fields["sha256"].matching(SHA256_PATTERN) if "sha256" in fields else None
    lines = fields["lines"].number(1, 10**9) if "lines" in fields else None
    starts, ends = fields.read("starts", Node.matching), fields.read("ends", Node.matching)
    return TextDigest(digest, lines, starts, ends)

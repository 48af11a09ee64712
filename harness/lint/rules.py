"""Rules: every id that a finding may have, and what it is about."""

from dataclasses import dataclass
from typing import Literal

from readfirst.harness.report import markup

Stage = Literal["file", "form", "wording", "content", "expectation", "recording", "claim", "rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """`stage` says what is looked at: the bytes of the file, the form of the format, or what a scenario says."""

    id: str
    stage: Stage
    finds: str


RULES: tuple[Rule, ...] = (
    Rule("unreadable", "file", "A file that cannot be opened, or is not a regular file."),
    Rule("file-too-large", "file", "A file of more than 1 MiB; it is not read."),
    Rule("not-utf-8", "file", "Bytes that are not UTF-8, or a byte order mark."),
    Rule("control-character", "file", "A control character that YAML does not allow."),
    Rule("yaml-syntax", "file", "Text that is not YAML."),
    Rule("empty-file", "file", "A file without a value."),
    Rule("several-documents", "file", "A second YAML document in the file."),
    Rule("tag", "file", "A YAML tag or directive."),
    Rule("alias", "file", "A YAML anchor or alias."),
    Rule("duplicate-key", "file", "A key that occurs twice in one mapping."),
    Rule("non-string-key", "file", "A key that is not a string, or a merge key."),
    Rule("missing-value", "file", "A key or list item without a value."),
    Rule("number-too-large", "file", "A number that other languages cannot represent."),
    Rule("too-deep", "file", "Nesting of more than 64 levels."),
    Rule("misplaced-file", "file", "A file below scenarios that is not `<family>/<slug>.yaml`."),
    Rule("invisible-bytes", "file", "CR, NEL, BOM or a Unicode line break that is not escaped."),
    Rule("trailing-spaces", "file", "Spaces at the end of a line of a block scalar, which editors remove."),
    Rule("ambiguous-scalar", "file", "An unquoted string that other YAML readers read as another type."),
    Rule("schema", "form", "A value of the wrong type or form, or a missing key."),
    Rule("unknown-key", "form", "A key that the format does not have."),
    Rule("unknown-tool", "form", "A call of a tool that does not exist."),
    Rule(
        "unsafe-command",
        "form",
        "A command that is not in the language of commands, or links and files at home beside commands.",
    ),
    Rule("unknown-event", "form", "A step that is neither a call nor a world event."),
    Rule("cases-form", "form", "A file of several scenarios without cases, or with one that cannot be read."),
    Rule("several-of-one-id", "form", "Two scenarios with one id."),
    Rule("unused-value", "form", "A value of a case that is used nowhere."),
    Rule("expect-in-corpus", "form", "An expectation in the corpus, where the recordings have them."),
    Rule("unsafe-path", "form", "A path that is absolute, leaves the workspace or is not portable."),
    Rule("path-conflict", "form", "Given paths that cannot exist side by side."),
    Rule(
        "symlink-escapes",
        "form",
        "A symbolic link that may lead out of the workspace, or an event past one.",
    ),
    Rule(
        "call-outside-workspace",
        "form",
        "A path of a call, hook or rule that may lead out of workspace and home.",
    ),
    Rule("unencodable-text", "form", "Text that its encoding cannot express."),
    Rule("missing-expect", "form", "A call without expectation."),
    Rule("several-documented", "form", "Two clauses of one call that both state what the documents say."),
    Rule("several-recorded", "form", "Two clauses of one call that both state what the product does."),
    Rule("contract-lacks-tool", "form", "A contract that lacks a tool which the scenario calls."),
    Rule("contract-not-needed", "form", "A `contract` where the suite's default has all tools."),
    Rule("schema-comment", "wording", "A file whose first line does not name its schema for editors."),
    Rule("id-style", "wording", "An id that is not `family/slug` in lower-case letters, digits and hyphens."),
    Rule(
        "title-style",
        "wording",
        "A title that is not one sentence of up to 100 characters without full stop, code or a running number.",
    ),
    Rule("duplicate-title", "wording", "A title that another scenario has."),
    Rule("about-repeats-title", "wording", "An `about` that repeats the title."),
    Rule(
        "tag-style", "wording", "Tags that are unsorted, repeated, or not in lower-case letters and hyphens."
    ),
    Rule("unknown-tag", "wording", "A tag that `tags.yaml` does not explain."),
    Rule("source-form", "wording", "A source that is neither an https address nor `document.txt, Section`."),
    Rule("unknown-document", "wording", "A document that `contracts.yaml` does not list."),
    Rule("no-call", "content", "A scenario that calls no tool."),
    Rule("noop-modify", "content", "A `modify` that writes what the file already contains."),
    Rule("missing-event-path", "content", "A world event on a path that nothing before it creates."),
    Rule("duplicate-scenario", "content", "The same workspace and steps as another scenario."),
    Rule("same-clauses", "expectation", "Two clauses of one call that state the same."),
    Rule("unknown-error-name", "expectation", "An error that `errors.yaml` does not name."),
    Rule("refused-call-changes-files", "expectation", "A clause with both `error` and `files`."),
    Rule("missing-text", "expectation", "A recorded clause without the text."),
    Rule("long-text", "expectation", "Expected text or content over 4 KiB that is not written as a digest."),
    Rule("machine-path", "expectation", "Expected text that contains a path of one machine."),
    Rule("missing-recording", "recording", "A scenario whose own contract was not recorded."),
    Rule("stale-recording", "recording", "A recording of other files or steps than the scenario has."),
    Rule("edited-recording", "recording", "A recording that is not in the form that the recorder writes."),
    Rule("broken-recording", "recording", "A recording that cannot be read."),
    Rule("orphan-recording", "recording", "A recording without a scenario, or for an unknown contract."),
    Rule("orphan-documented", "claim", "A documented clause whose section has no claim in `claims.yaml`."),
    Rule(
        "unknown-evidence", "claim", "A claim that names a scenario, or a call of one, that does not exist."
    ),
    Rule("silent-evidence", "claim", "A claim that names a scenario which states nothing documented."),
    Rule("missing-rule", "rule", "A scenario that names no rule."),
    Rule("unknown-rule", "rule", "A scenario or claim that names a rule which `rules.yaml` does not have."),
    Rule("foreign-rule", "rule", "A claim whose rule is that of none of its scenarios."),
    Rule("lonely-rule", "rule", "A rule that fewer than two scenarios show."),
    Rule(
        "unshown-requirement",
        "rule",
        "A rule that claims to be more or less binding than all of its scenarios.",
    ),
    Rule(
        "one-sided-rule",
        "rule",
        "A rule of which no scenario ends with an allowed call of each of its tools.",
    ),
    Rule(
        "needless-excuse",
        "rule",
        "A rule that says `always_refused` though a scenario shows an allowed call.",
    ),
)


def table() -> str:
    """Return the rules as a Markdown table, as docs/format.md shows it."""
    return markup.table(
        ["rule", "finds"], [[markup.code(rule.id), markup.cell(rule.finds)] for rule in RULES]
    )

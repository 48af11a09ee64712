"""Lint checks of the metadata of scenarios: ids, titles, tags and sources."""

import re
from collections.abc import Iterator, Sequence

from readfirst.harness.lint.check import LintContext, position_or_start
from readfirst.harness.suite.scenario_template import ID_PATTERN
from readfirst.harness.yaml_io.finding import Finding, Position
from readfirst.harness.yaml_io.strict_yaml import Document
from readfirst.harness.yaml_io.yaml_validation import did_you_mean

MAX_TITLE_CHARS = 100
SCHEMA_COMMENT = "# yaml-language-server: $schema=../../schema/scenario.schema.json"

_TAG_FORM = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_TAG_PATTERN = re.compile(_TAG_FORM)
_ADDRESS_PATTERN = re.compile(r"https://[^\s/]+\.[^\s/]+(?:/\S*)?")
_DOCUMENT_PATTERN = re.compile(r"(?P<name>\S+\.txt), (?P<section>\S.*)")
_ARGUMENT_PATTERN = re.compile(r"(?:limit|offset|pages|[a-z]+_[a-z_]+)\b")
_CODE_PATTERN = re.compile(r"`[^`]*`|\$WS\S*|(?<!\S)(?:#\d+|\+\d+|0[0-7]{3})(?!\S)|\bnumber \d+$")
_SENTENCE_END_PATTERN = re.compile(r"[.!?] +[A-Z]")
_FORMER_KEYS = {"law": "invariant"}
"""The current name of each renamed key of scenario files. The keys are the former names."""


def check_metadata(case: LintContext) -> Iterator[Finding]:
    """Yield findings about the metadata of a scenario: its id, title, tags and sources."""
    scenario = case.scenario
    if not ID_PATTERN.fullmatch(scenario.id):
        fix = "Rename it to <family>/<slug>.yaml, of lower-case letters, digits and single hyphens."
        yield case.finding("id-style", (), f"the id {scenario.id!r} is not in the usual form", fix)
    yield from _check_scenario_title(case)
    yield from _check_tags(case)
    documents = [name for contract in case.suite.contracts for name in contract.documents]
    for number, source in enumerate(scenario.sources):
        yield from check_source(source, documents, case.document.position(("sources", number)))
    for clause, _ in case.clauses():
        if clause.documented is not None:
            yield from _check_document(clause.documented, documents, position_or_start(clause.position, case))


def check_former_keys(document: Document) -> Iterator[Finding]:
    """Yield a finding for each renamed key. The next release will not accept its former name."""
    for former, current in _FORMER_KEYS.items():
        if isinstance(document.value, dict) and former in document.value:
            fix = f"Write `{current}`; the next release removes the old name."
            position = document.position((former,), key=True)
            yield Finding("former-key", position, f"`{former}` is now `{current}`", fix)


def check_schema_comment(document: Document, comment: str) -> Iterator[Finding]:
    """Yield a finding if the first line of a file is not the comment `comment`, which names the schema for editors."""
    if document.data.split(b"\n", 1)[0].decode() != comment:
        message, fix = "the first line does not name the schema", f"Begin the file with the line {comment}"
        yield Finding("schema-comment", document.position(), message, fix)


def check_title(title: str, position: Position, subject: str = "the title") -> Iterator[Finding]:
    """Yield findings if a title is not one sentence about a behaviour. Their messages begin with `subject`."""
    problem = None
    if len(title) > MAX_TITLE_CHARS:
        problem = f"has {len(title)} characters"
    elif title.endswith((".", "!", "?", ":", ";")):
        problem = f"ends in {title[-1]!r}"
    elif "\n" in title or title != title.strip() or "  " in title:
        problem = "has spaces or line ends that are not between words"
    elif title[:1].islower() and not _ARGUMENT_PATTERN.match(title):
        problem = "begins with a lower-case letter"
    elif _SENTENCE_END_PATTERN.search(title):
        problem = "is more than one sentence"
    elif title.startswith("What "):
        problem = "begins with 'What', as a question does"
    elif match := _CODE_PATTERN.search(title):
        problem = f"has {match[0]!r}, which is code or a number that says nothing"
    elif len(title.split()) < 3:
        problem = "is too short to state a behaviour"
    if problem is not None:
        fix = f"State the behaviour in one sentence of up to {MAX_TITLE_CHARS} characters, no full stop."
        yield Finding("title-style", position, f"{subject} {problem}", fix)


def check_source(
    source: str, documents: Sequence[str], position: Position, subject: str = ""
) -> Iterator[Finding]:
    """Yield findings if a source is neither an https address nor a section of one of the `documents`."""
    if not _ADDRESS_PATTERN.fullmatch(source):
        yield from _check_document(source, documents, position, subject)


def _check_document(
    text: str, documents: Sequence[str], position: Position, subject: str = ""
) -> Iterator[Finding]:
    """Yield a finding if a text does not have the form `document.txt, Section`, or if the document is unknown."""
    match = _DOCUMENT_PATTERN.fullmatch(text)
    if match is None:
        fix = "Write an https address of a thread, or `document.txt, Section`."
        if text in documents:
            fix = (
                f'Put document and section in quotes, because a comma separates sources: ["{text}, Section"].'
            )
        yield Finding("source-form", position, f"{subject}{text!r} does not say where to look", fix)
    elif match["name"] not in documents:
        message = f"{subject}there is no document {match['name']!r}"
        yield Finding("unknown-document", position, message, did_you_mean(match["name"], documents))


def _check_scenario_title(case: LintContext) -> Iterator[Finding]:
    title = case.scenario.title
    yield from check_title(title, case.document.position(("title",)))
    about = case.scenario.about
    if about and _split_words(title) == _split_words(about):
        fix = "Say why it matters or how it happens, or remove about."
        yield case.finding("about-repeats-title", ("about",), "about repeats the title", fix)


def _check_tags(case: LintContext) -> Iterator[Finding]:
    tags = case.scenario.tags
    known_tags = case.suite.tags
    for number, tag in enumerate(tags):
        path = ("tags", number)
        if not _TAG_PATTERN.fullmatch(tag):
            fix = "Write lower-case letters, digits and single hyphens."
            yield case.finding("tag-style", path, f"{tag!r} is not in the form of a tag", fix)
        elif number and tags[number - 1] >= tag:
            problem = "occurs twice" if tags[number - 1] == tag else "is not in alphabetical order"
            fix = f"Write [{', '.join(sorted(set(tags)))}]."
            yield case.finding("tag-style", path, f"the tag {tag} {problem}", fix)
            return
        elif known_tags is not None and tag not in known_tags:
            fix = f"{did_you_mean(tag, known_tags)} A new tag is explained in tags.yaml."
            yield case.finding("unknown-tag", path, f"tags.yaml does not explain {tag!r}", fix)


def _split_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())

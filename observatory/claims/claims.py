"""Read `fixtures/claims.yaml`: statements of the documents, in our words, and the scenarios that show them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from readfirst.harness.lint.check import Stated, stated_in
from readfirst.harness.suite.expectations import read_expectation
from readfirst.harness.suite.scenario import Clause
from readfirst.harness.suite.schema import schema_findings
from readfirst.harness.suite.suite import Suite, UnknownScenarioError
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError
from readfirst.harness.yaml_io.strict_yaml import Document, YamlPath, load, read
from readfirst.harness.yaml_io.yaml_validation import Inspection, Node, did_you_mean

DOCUMENT_AND_SECTION = re.compile(r"(?P<document>\S+\.txt), (?P<section>\S.*)")


@dataclass(frozen=True, slots=True)
class Shown:
    """A scenario as evidence for a claim.

    `call` is the number of the relevant call, from 1. None: all calls with documented clauses or, for a question or
    contradiction, the last call. `clause` is the claim's own expectation for this call, for scenarios whose documented
    clause is missing or comes from a different document. `states_files`: this clause covers files. `exact`: this
    clause covers the words of the answer.
    """

    scenario_id: str
    position: Position
    call: int | None = None
    clause: Clause | None = None
    states_files: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the documents about the tools, in our words (`says`).

    `sources` are texts `document, section`. `rule` is the conformance rule that the claim is about. Either `shown_by`
    contains scenarios, or `unobservable` states why callers of the tools cannot observe the claim. `presumes` contains
    the ids of claims that the scenarios depend on: that a Read unlocks a file can only be observed if unread files are
    refused.
    """

    id: str
    says: str
    sources: tuple[str, ...]
    position: Position
    shown_by: tuple[Shown, ...] = ()
    unobservable: str | None = None
    rule: str | None = None
    presumes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """Claims about one subject, in the order of the file."""

    id: str
    title: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a document leaves open. `shown_by` are the scenarios that answer the question."""

    id: str
    asks: str
    source: str
    position: Position
    shown_by: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Claims that contradict each other, or a claim that reports of users contradict.

    `claims` are ids of claims; `reports` is the content of the reports. `unobservable` states the part that no
    scenario can decide, and the reason.
    """

    id: str
    about: str
    position: Position
    claims: tuple[str, ...] = ()
    reports: str | None = None
    shown_by: tuple[Shown, ...] = ()
    unobservable: str | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """The content of a file of claims: topics, questions and contradictions, in the order of the file."""

    topics: tuple[Topic, ...]
    questions: tuple[Question, ...]
    contradictions: tuple[Contradiction, ...]

    def __iter__(self) -> Iterator[Claim]:
        return (claim for topic in self.topics for claim in topic.claims)

    @property
    def sources(self) -> frozenset[str]:
        """The sources of all claims: texts `document, section`."""
        return frozenset(source for claim in self for source in claim.sources)

    def shown(self) -> Iterator[Shown]:
        """Yield every scenario that the file names as evidence, in the order of the file."""
        for part in (*self, *self.questions, *self.contradictions):
            yield from part.shown_by


def claims_file(root: Path) -> Path:
    """Return the path of the claims of the suite at `root`. The file may be missing."""
    return root / "claims.yaml"


def load_claims(path: Path) -> Claims:
    """Read `claims.yaml`. Raises SuiteError with all problems."""
    look = _Look(load(read(path), path))
    look.findings += schema_findings(look.document, "claims")
    look.finish()
    top = look.document.value
    topics = tuple(look.topic(name, value) for name, value in top["topics"].items())
    for topic in topics:
        for claim in topic.claims:
            look.are_claims(claim.presumes, ("topics", topic.id, "claims", claim.id, "presumes"))
    questions = tuple(look.question(name, value) for name, value in top["questions"].items())
    contradictions = tuple(look.contradiction(name, value) for name, value in top["contradictions"].items())
    look.finish()
    return Claims(topics, questions, contradictions)


Built = TypeVar("Built")


class _Look(Inspection):
    """Reads the parts of a file of claims that is valid against its schema. Reports an id that occurs twice."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.ids: dict[str, YamlPath] = {}

    def topic(self, name: str, value: Mapping[str, Any]) -> Topic:
        above = (*self._position_of_id(name, "topics"), "claims")
        claims = tuple(self._built(Claim, key, each, *above) for key, each in value["claims"].items())
        return Topic(name, value["title"], claims)

    def question(self, name: str, value: Mapping[str, Any]) -> Question:
        return self._built(Question, name, value, "questions")

    def contradiction(self, name: str, value: Mapping[str, Any]) -> Contradiction:
        self.are_claims(value["claims"], ("contradictions", name, "claims"))
        return self._built(Contradiction, name, value, "contradictions")

    def _built(
        self, kind: Callable[..., Built], name: str, value: Mapping[str, Any], *above: str | int
    ) -> Built:
        """Return an object of the class `kind` from a part of the file. The keys of the part are the attributes; lists
        become tuples.
        """
        path = self._position_of_id(name, *above)
        fields = {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
        fields |= {
            "position": self.document.position(path, key=True),
            "shown_by": self._shown_by(value, path),
        }
        return kind(id=name, **fields)

    def are_claims(self, claims: Sequence[str], path: YamlPath) -> None:
        """Report each id in `claims` that no claim has."""
        known = [key for key, place in self.ids.items() if place[2:3] == ("claims",)]
        for number, claim in enumerate(claims):
            if claim not in known:
                self.note((*path, number), f"there is no claim {claim!r}", did_you_mean(claim, known))

    def _shown_by(self, value: Mapping[str, Any], path: YamlPath) -> tuple[Shown, ...]:
        shown = enumerate(value.get("shown_by", ()))
        return tuple(self._read_evidence(each, (*path, "shown_by", number)) for number, each in shown)

    def _read_evidence(self, value: str | Mapping[str, Any], path: YamlPath) -> Shown:
        position = self.document.position(path)
        if isinstance(value, str):
            return Shown(value, position)
        expect = value.get("expect", {})
        clause = None
        if expect:
            keys = ("error", "text", "files")
            clause = read_expectation(Node(self, expect, (*path, "expect"), "expect"), keys).recorded
        exact = value.get("exact", False)
        return Shown(value["scenario"], position, value.get("call"), clause, "files" in expect, exact)

    def _position_of_id(self, name: str, *above: str | int) -> YamlPath:
        """Return the path of a new id in the file. Report the id if it is already used."""
        path = (*above, name)
        if name in self.ids:
            line = self.document.position(self.ids[name], key=True).line
            fix = "Give one of the two another id."
            self.note(path, f"the id {name} is already used in line {line}", fix, key=True)
        self.ids.setdefault(name, path)
        return path


def check_claims(
    suite: Suite, claims: Claims, stated: Callable[[str], Stated | None] | None = None
) -> Iterator[Finding]:
    """Yield a finding for each unknown name in the claims of a suite, and for each scenario that states nothing about
    its claim.

    `stated` returns the documented clauses of a scenario that the caller has read, None if the scenario cannot be read.
    `stated` raises UnknownScenarioError for a missing scenario. Without `stated`, the scenarios are read here.
    """

    def read(scenario_id: str) -> Stated | None:
        try:
            return stated_in(suite.scenario(scenario_id, require_expect=False))
        except SuiteError:
            return None  # errors in a scenario are reported elsewhere

    documents = [name for contract in suite.contracts for name in contract.documents]
    for claim in claims:
        for source in claim.sources:
            found = DOCUMENT_AND_SECTION.fullmatch(source)
            if found is not None and found["document"] not in documents:
                message = f"there is no document {found['document']!r}"
                fix = did_you_mean(found["document"], documents)
                yield Finding("unknown-document", claim.position, message, fix)
        for shown in claim.shown_by:
            yield from _evidence(stated or read, shown, of_claim=True)
    for part in (claims.questions, claims.contradictions):
        for shown in (shown for each in part for shown in each.shown_by):
            yield from _evidence(stated or read, shown, of_claim=False)


def _evidence(stated: Callable[[str], Stated | None], shown: Shown, *, of_claim: bool) -> Iterator[Finding]:
    try:
        calls = stated(shown.scenario_id)
    except UnknownScenarioError as error:
        message, _, fix = str(error).rpartition(". ")
        yield Finding("unknown-evidence", shown.position, message, fix)
        return
    if calls is None:
        return
    if shown.call is not None and shown.call > len(calls):
        message = f"{shown.scenario_id} has no call {shown.call}"
        yield Finding("unknown-evidence", shown.position, message, f"Write a number from 1 to {len(calls)}.")
        return
    chosen = calls if shown.call is None else calls[shown.call - 1 : shown.call]
    if of_claim and not (chosen if shown.clause is not None else any(chosen)):
        of = shown.scenario_id if shown.call is None else f"call {shown.call} of {shown.scenario_id}"
        fix = "Add `documented:` to a clause there, or write {scenario: ..., call: ..., expect: ...} here."
        yield Finding("silent-evidence", shown.position, f"{of} does not say what is documented", fix)

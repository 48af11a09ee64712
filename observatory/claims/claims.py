"""Read `fixtures/claims.yaml`: statements of the product's documents, and the scenarios that confirm or refute them."""

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


@dataclass(frozen=True, slots=True)
class ScenarioReference:
    """A scenario that is evidence for a claim. `call` is the number of the call (from 1) that shows whether the claim
    is true. Without `call`, all calls with a `documented` result show this.
    """

    scenario_id: str
    position: Position
    call: int | None = None
    clause: Clause | None = None  # the claimed result of the call, if no `documented` result states it
    states_files: bool = False  # whether the claimed result includes the changed files
    exact: bool = False  # whether the claimed result includes the words of the answer


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the product's documents about its tools, in our words (`says`). The scenarios `shown_by` confirm
    or refute the claim. If `shown_by` is empty, `unobservable` states why no scenario can show the claim.
    """

    id: str
    says: str
    sources: tuple[str, ...]  # `document, section`
    position: Position
    shown_by: tuple[ScenarioReference, ...] = ()
    unobservable: str | None = None
    rule: str | None = None
    # ids of claims that must be true to observe this claim: "a Read unlocks a file" presumes locked files
    presumes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """The claims about one subject, in the order of `claims.yaml`."""

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
    shown_by: tuple[ScenarioReference, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A contradiction between the claims with the ids `claims`, or between one claim and the `reports` of users. The
    scenarios `shown_by` decide which claim is right. `unobservable` is the question that no scenario can decide.
    """

    id: str
    about: str
    position: Position
    claims: tuple[str, ...] = ()
    reports: str | None = None
    shown_by: tuple[ScenarioReference, ...] = ()
    unobservable: str | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """The content of `claims.yaml`: topics, questions and contradictions, in the order of the file."""

    topics: tuple[Topic, ...]
    questions: tuple[Question, ...]
    contradictions: tuple[Contradiction, ...]

    def __iter__(self) -> Iterator[Claim]:
        return (claim for topic in self.topics for claim in topic.claims)

    @property
    def sources(self) -> frozenset[str]:
        """The sources of all claims, each as a text `document, section`."""
        return frozenset(source for claim in self for source in claim.sources)

    def evidence(self) -> Iterator[ScenarioReference]:
        """Yield every scenario that the file names as evidence, in the order of the file."""
        for part in (*self, *self.questions, *self.contradictions):
            yield from part.shown_by


def claims_file(root: Path) -> Path:
    """Return the path of `claims.yaml` in the suite at `root`. The file may be missing."""
    return root / "claims.yaml"


def load_claims(path: Path) -> Claims:
    """Read a `claims.yaml`. Raises SuiteError with all problems of the file."""
    reader = _ClaimsReader(load(read(path), path))
    reader.findings += schema_findings(reader.document, "claims")
    reader.finish()
    document = reader.document.value
    topics = tuple(reader.topic(name, value) for name, value in document["topics"].items())
    for topic in topics:
        for claim in topic.claims:
            reader.check_claim_ids(claim.presumes, ("topics", topic.id, "claims", claim.id, "presumes"))
    questions = tuple(
        reader.build(Question, name, value, "questions") for name, value in document["questions"].items()
    )
    contradictions = tuple(
        reader.build(Contradiction, name, value, "contradictions")
        for name, value in document["contradictions"].items()
    )
    for contradiction in contradictions:
        reader.check_claim_ids(contradiction.claims, ("contradictions", contradiction.id, "claims"))
    reader.finish()
    return Claims(topics, questions, contradictions)


Built = TypeVar("Built")


class _ClaimsReader(Inspection):
    """Used by `load_claims` to build the claims from a file that is valid against its schema. Reports duplicate ids."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.ids: dict[str, YamlPath] = {}

    def topic(self, name: str, value: Mapping[str, Any]) -> Topic:
        above = (*self._register_id(name, "topics"), "claims")
        claims = tuple(self.build(Claim, key, each, *above) for key, each in value["claims"].items())
        return Topic(name, value["title"], claims)

    def build(
        self, cls: Callable[..., Built], name: str, value: Mapping[str, Any], *above: str | int
    ) -> Built:
        """Return a `cls` object with the keys of `value` as attributes and the id `name`, which is at `above` in the
        file.
        """
        path = self._register_id(name, *above)
        fields = {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
        fields["shown_by"] = tuple(
            self._read_reference(each, (*path, "shown_by", number))
            for number, each in enumerate(value.get("shown_by", ()))
        )
        return cls(**fields, id=name, position=self.document.position(path, key=True))

    def check_claim_ids(self, claims: Sequence[str], path: YamlPath) -> None:
        """Report each id in `claims` that is not the id of a claim."""
        known = [key for key, place in self.ids.items() if place[2:3] == ("claims",)]
        for number, claim in enumerate(claims):
            if claim not in known:
                self.note((*path, number), f"there is no claim {claim!r}", did_you_mean(claim, known))

    def _read_reference(self, value: str | Mapping[str, Any], path: YamlPath) -> ScenarioReference:
        position = self.document.position(path)
        if isinstance(value, str):
            return ScenarioReference(value, position)
        expect = value.get("expect", {})
        clause = None
        if expect:
            keys = ("error", "text", "files")
            clause = read_expectation(Node(self, expect, (*path, "expect"), "expect"), keys).recorded
        exact = value.get("exact", False)
        return ScenarioReference(
            value["scenario"], position, value.get("call"), clause, "files" in expect, exact
        )

    def _register_id(self, name: str, *above: str | int) -> YamlPath:
        """Record the id `name`, and return its path in the file. Reports an id that is defined twice."""
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
    """Yield a finding for each missing document, scenario or call that a claim names, and for each scenario without a
    documented result for the claim. `stated` returns the documented results of a scenario (None if invalid).
    """

    def read(scenario_id: str) -> Stated | None:
        try:
            return stated_in(suite.scenario(scenario_id, require_expect=False))
        except SuiteError:
            return None  # errors in a scenario are reported elsewhere

    documents = [name for contract in suite.contracts for name in contract.documents]
    for claim in claims:
        for source in claim.sources:
            document = source.partition(", ")[0]
            if document not in documents:
                message = f"there is no document {document!r}"
                yield Finding("unknown-document", claim.position, message, did_you_mean(document, documents))
        for evidence in claim.shown_by:
            yield from _check_reference(stated or read, evidence, of_claim=True)
    for part in (claims.questions, claims.contradictions):
        for evidence in (evidence for each in part for evidence in each.shown_by):
            yield from _check_reference(stated or read, evidence, of_claim=False)


def _check_reference(
    stated: Callable[[str], Stated | None], evidence: ScenarioReference, *, of_claim: bool
) -> Iterator[Finding]:
    try:
        calls = stated(evidence.scenario_id)
    except UnknownScenarioError as error:
        message, _, fix = str(error).rpartition(". ")
        yield Finding("unknown-evidence", evidence.position, message, fix)
        return
    if calls is None:
        return
    if evidence.call is not None and evidence.call > len(calls):
        message = f"{evidence.scenario_id} has no call {evidence.call}"
        yield Finding(
            "unknown-evidence", evidence.position, message, f"Write a number from 1 to {len(calls)}."
        )
        return
    chosen = calls if evidence.call is None else calls[evidence.call - 1 : evidence.call]
    if of_claim and not (chosen if evidence.clause is not None else any(chosen)):
        of = (
            evidence.scenario_id
            if evidence.call is None
            else f"call {evidence.call} of {evidence.scenario_id}"
        )
        fix = "Add `documented:` to a clause of the scenario, or write {scenario: ..., call: ..., expect: ...} here."
        yield Finding("silent-evidence", evidence.position, f"{of} does not say what is documented", fix)

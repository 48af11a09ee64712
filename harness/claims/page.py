"""Behaviour: every claim beside what the product was recorded to do, and docs/behaviour.md, which sums that up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from readfirst.harness.claims.cells import MOST_CHARACTERS, describe_answer, describe_both, excerpt
from readfirst.harness.claims.claims import (
    Claim,
    Claims,
    Contradiction,
    Question,
    Topic,
    check_claims,
    claims_file,
    load_claims,
)
from readfirst.harness.claims.evidence import Evidence, Holding, Witness
from readfirst.harness.claims.versions import by_contract, holds_anywhere, versions_in_words
from readfirst.harness.report.markup import (
    bullets,
    cell,
    code,
    document,
    link,
    prose,
    scenario_link,
    table,
)
from readfirst.harness.source.finding import Finding, Position, SuiteError
from readfirst.harness.suite.contracts import Contracts
from readfirst.harness.suite.scenario import TextDigest
from readfirst.harness.suite.suite import Suite

_MOST_EXAMPLES = 3
"""Calls of one claim that are shown in full; of all others the verdict is shown."""

_MARKS: Mapping[Holding, str] = {
    "holds": "✓",
    "in other words": "≈",
    "partly": "~",
    "does not hold": "✗",
    "not shown": "–",
    "not recorded": "?",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its evidence, and whether it holds on each contract.

    `holding` is None where nothing can show it.
    """

    claim: Claim
    evidence: tuple[Evidence, ...]
    holdings: Mapping[str, Holding]
    default: str

    @property
    def holding(self) -> Holding | None:
        """Whether all of its scenarios, some or none bear it out on the default contract."""
        if not self.evidence:
            return None
        if any(each.holding == "not recorded" for each in self.evidence):
            return "not recorded"
        return self.holdings[self.default]


@dataclass(frozen=True, slots=True)
class OwnData:
    """A call (from 1) at whose answer the product prints data of its own; only `starts` is expected."""

    scenario_id: str
    call: int
    starts: str


def judged(claims: Claims, contracts: Contracts, witness: Witness) -> dict[str, Judged]:
    """Hold every claim against its scenarios; by id, in the order of the file."""
    names = [contract.name for contract in contracts.recorded]
    holdings = by_contract(claims, {claim.id for claim in claims}, names, witness)
    return {
        claim.id: Judged(
            claim,
            tuple(witness.evidence(shown, claim.sources) for shown in claim.shown_by),
            holdings[claim.id],
            contracts.default,
        )
        for claim in claims
    }


def own_data(suite: Suite) -> Iterator[OwnData]:
    """Yield every call of which a scenario pins only how the answer begins, in the order of ids."""
    for scenario_id in suite.ids():
        # Most scenarios pin the whole text; reading those that cannot match would take a second.
        if not suite.may_pin_beginnings(scenario_id):
            continue
        scenario = suite.scenario(scenario_id)
        for number, call in enumerate(scenario.calls(), 1):
            clause = call.expect.recorded
            match clause.text if clause is not None else None:
                case TextDigest(sha256=None, lines=None, starts=str() as starts, ends=None):
                    yield OwnData(scenario_id, number, starts)
                case _:
                    pass


def behaviour(suite: Suite) -> str:
    """Return every claim with its evidence. Raises SuiteError where claims are wrong, or do not fit the scenarios."""
    return _made(suite, _Page.lines)


def summary(suite: Suite) -> str:
    """Return a page of what is claimed, counted, and what of it does not hold. Raises SuiteError as `behaviour`."""
    return _made(suite, _Page.summary)


def _made(suite: Suite, lines: Callable[[_Page], Iterator[str]]) -> str:
    file = claims_file(suite.root)
    claims = load_claims(file)
    findings = list(check_claims(suite, claims))
    if findings:
        raise SuiteError(findings)
    witness = Witness(suite)
    unanswered = [shown for shown in claims.shown() if not list(witness.scenario(shown.scenario_id).calls())]
    if unanswered:
        raise SuiteError([_without_calls(shown.position) for shown in unanswered])
    page = _Page(suite, claims, judged(claims, suite.contracts, witness), witness)
    return document(lines(page))


def _without_calls(position: Position) -> Finding:
    return Finding("unknown-evidence", position, "the scenario calls no tool", "Name one that does.")


@dataclass(frozen=True, slots=True)
class _Page:
    suite: Suite
    claims: Claims
    judged: Mapping[str, Judged]
    witness: Witness

    @property
    def version(self) -> str:
        return self.suite.contracts.default

    def lines(self) -> Iterator[str]:
        yield from self._counted()
        yield bullets(
            (
                "The mark before a scenario is its verdict on the claim: ✓ it holds, ≈ in other words, ~ partly, ✗ it"
                " does not, – it needs another version, and an answer that is quoted is then of the version that is"
                f" named before it. Up to {_MOST_EXAMPLES} calls are quoted, what contradicts the claim first; `$WS` is"
                " the workspace, `[…]` data of the product's own, and control characters and odd whitespace are"
                " escapes.",
                "The documents describe different versions. *Holds on* has the versions whose recordings confirm the"
                " claim, all of its scenarios that were recorded there; versions that are not named refute it. A"
                " version is *not shown* where its tools lack what the scenarios need, or where they would show"
                " nothing: that a Read unlocks a file, for one, where files are not locked. How a version sets line"
                " numbers is told apart from what it shows: *in other words*.",
            )
        )
        for topic in self.claims.topics:
            yield from self._topic(topic)
        yield from self._questions()
        yield from self._contradictions()
        yield from self._own_data()

    def summary(self) -> Iterator[str]:
        """Yield the page of the repository: counts, and a line for each claim that does not hold as it stands."""
        yield from self._counted()
        yield "## What does not hold"
        rows = [
            [cell(each.claim.says), self._against(each), versions_in_words(each.holdings)]
            for each in self.judged.values()
            if each.holding in ("does not hold", "partly")
        ]
        yield table(["claim", "shown by", "holds on"], rows)
        yield (
            "This page is made by `readfirst product claims --write` from `fixtures/claims.yaml`, the scenarios and"
            " the recordings; a test fails when it is stale."
        )

    def _counted(self) -> Iterator[str]:
        """Yield what both pages begin with: what the verdicts mean, and how many claims have which."""
        yield "# Documented and real behaviour"
        yield (
            f"Five documents make {len(list(self.claims))} claims about the file tools of Claude Code. Each was held"
            f" against what version {self.version} was recorded to do. `readfirst product claims` prints every claim"
            " with its scenarios, the words of both sides, and the versions on which it holds; the site has the same"
            " as a page."
        )
        yield (
            "*In other words*: the refusal or the change is as claimed, an answer is worded differently. *Partly*: some"
            f" scenarios confirm it. *Not shown*: {self.version} lacks what the claim presumes. {self._elsewhere()}"
        )
        yield table(
            self._heads("topic"),
            [
                *([prose(topic.title), *self._counts(topic.claims)] for topic in self.claims.topics),
                ["**All**", *self._counts(list(self.claims))],
            ],
        )
        yield table(self._heads("document"), list(self._by_document()))

    def _against(self, judged: Judged) -> str:
        """Return the first scenario that speaks against a claim."""
        against = [each for each in judged.evidence if each.holding in ("does not hold", "partly")]
        return self._link((against or list(judged.evidence))[0].scenario_id)

    def _elsewhere(self) -> str:
        others = [
            each for each in self.judged.values() if each.holding is not None and each.holding != "holds"
        ]
        found = sum(holds_anywhere(each.holdings) for each in others)
        return f"Of {len(others)} claims that do not hold as they stand on {self.version}, {found} hold on another."

    def _by_document(self) -> Iterator[list[str]]:
        for name in self._documents():
            made = [claim for claim in self.claims if any(_document(each) == name for each in claim.sources)]
            yield [code(name), *self._counts(made)]

    def _heads(self, first: str) -> list[str]:
        unasked = [column for column in ("not recorded",) if self._has_unrecorded]
        counted = ("claims", "hold", "in other words", "partly", "do not hold", "not shown")
        return [first, *counted, "cannot be observed", *unasked]

    @property
    def _has_unrecorded(self) -> bool:
        return any(each.holding == "not recorded" for each in self.judged.values())

    def _documents(self) -> list[str]:
        return [name for contract in self.suite.contracts for name in contract.documents]

    def _counts(self, claims: Sequence[Claim]) -> list[str]:
        found = Counter(self.judged[claim.id].holding for claim in claims)
        columns: list[Holding | None] = [
            "holds",
            "in other words",
            "partly",
            "does not hold",
            "not shown",
            None,
        ]
        if self._has_unrecorded:
            columns.append("not recorded")
        return [str(len(claims)), *(str(found[each]) for each in columns)]

    def _topic(self, topic: Topic) -> Iterator[str]:
        yield f"## {topic.title}"
        rows = []
        unobservable = []
        for claim in topic.claims:
            each = self.judged[claim.id]
            if claim.unobservable is not None:
                unobservable.append(claim)
                continue
            examples = list(_examples(each.evidence, self.version))
            rows.append(
                [
                    f"{_named(claim.id)}{cell(claim.says)}",
                    "<br>".join(map(_source, claim.sources)),
                    "<br>".join(self._scenario(evidence, mark=True) for evidence in each.evidence),
                    "<br>".join(documented for documented, _ in examples),
                    "<br>".join(real for _, real in examples),
                    f"**{each.holding}**",
                    versions_in_words(each.holdings),
                ]
            )
        if rows:
            yield table(
                ["claim", "source", "scenarios", "documented", self.version, "verdict", "holds on"], rows
            )
        if unobservable:
            yield "Claims that calls of the tools cannot show:"
            yield bullets(
                f"{_named(claim.id)}{claim.says} ({_sources(claim)}) *{claim.unobservable}*"
                for claim in unobservable
            )

    def _questions(self) -> Iterator[str]:
        yield f"## {_QUESTIONS}"
        for number, question in enumerate(self.claims.questions, 1):
            yield f"### {number}. {question.asks}"
            yield f"{_named(question.id)}{_source(question.source)}"
            yield self._answers(question)

    def _answers(self, part: Question | Contradiction) -> str:
        rows = []
        for shown in part.shown_by:
            evidence = self.witness.answer(shown)
            (statement,) = evidence.statements
            rows.append(
                [
                    cell(evidence.title),
                    self._scenario(evidence, mark=False),
                    f"{_named_version(evidence, self.version)}{statement.tool}: {describe_answer(statement)}",
                ]
            )
        return table(["answer", "scenario", f"{self.version}, in its words"], rows)

    def _contradictions(self) -> Iterator[str]:
        yield f"## {_CONTRADICTIONS}"
        for number, each in enumerate(self.claims.contradictions, 1):
            yield f"### {number}. {each.about}"
            reported = [] if each.reports is None else [f"reported by users: {each.reports}"]
            yield bullets([*map(self._side, each.claims), *reported])
            if each.shown_by:
                yield self._answers(each)
            if each.unobservable is not None:
                yield f"*{each.unobservable}*"

    def _side(self, claim_id: str) -> str:
        """Return one side of a contradiction."""
        side = self.judged[claim_id]
        holding = "cannot be observed" if side.holding is None else side.holding
        on = f"; holds on {versions_in_words(side.holdings)}" if side.holdings else ""
        where = link(code(claim_id), f"#{claim_id}")
        return f"**{holding}**: {side.claim.says} ({_sources(side.claim)}; {where}{on})"

    def _own_data(self) -> Iterator[str]:
        yield f"## {_OWN_DATA}"
        yield (
            "At these calls the answer continues with data that belongs to the product. The scenarios pin only its"
            " beginning, and an implementation prints its own data instead."
        )
        rows = [
            [self._link(each.scenario_id), str(each.call), excerpt(each.starts, MOST_CHARACTERS)]
            for each in own_data(self.suite)
        ]
        yield table(["scenario", "call", "the answer begins"], rows)

    def _scenario(self, evidence: Evidence, *, mark: bool) -> str:
        shown = self._link(evidence.scenario_id)
        holding = evidence.holding if evidence.contract == self.version else "not shown"
        return f"{_MARKS[holding]} {shown}" if mark else shown

    def _link(self, scenario_id: str) -> str:
        return scenario_link(scenario_id)


_QUESTIONS = "The open questions, answered"
_CONTRADICTIONS = "The contradictions, resolved"
_OWN_DATA = "Where the product prints data of its own"


def _examples(evidence: Sequence[Evidence], default: str) -> Iterator[tuple[str, str]]:
    """Yield the cells of a few calls: what contradicts the claim first, nothing twice."""
    statements = [(statement, each) for each in evidence for statement in each.statements]
    against = [(statement, each) for statement, each in statements if statement.holding != "holds"]
    quoted: dict[tuple[str, str], None] = {}
    for statement, each in against or statements[:1]:
        said, did = describe_both(statement)
        quoted.setdefault((said, f"{_named_version(each, default)}{did}"))
    yield from list(quoted)[:_MOST_EXAMPLES]


def _named_version(evidence: Evidence, default: str) -> str:
    return "" if evidence.contract == default else f"{evidence.contract}: "


def _named(identity: str) -> str:
    return f'<a id="{identity}"></a>{code(identity)} '


def _source(source: str) -> str:
    document, _, section = source.partition(", ")
    return f"{code(document)}, {cell(section)}"


def _sources(claim: Claim) -> str:
    return "; ".join(map(_source, claim.sources))


def _document(source: str) -> str:
    return source.partition(", ")[0]

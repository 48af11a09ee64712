"""Every claim next to the recorded behaviour of the product, and docs/behaviour.md, the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readfirst.harness.report.markdown_escape import (
    cell,
    code,
    link,
    markdown,
    prose,
    scenario_link,
    table,
)
from readfirst.harness.suite.contracts import Contracts
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Finding, SuiteError
from readfirst.observatory.claims.claims import (
    Claim,
    Claims,
    Contradiction,
    Question,
    Topic,
    check_claims,
    claims_file,
    load_claims,
)
from readfirst.observatory.claims.evidence import Evidence, Holding, RecordingLookup
from readfirst.observatory.claims.table_cells import describe_answer, describe_both
from readfirst.observatory.claims.versions import by_contract, versions_in_words
from readfirst.observatory.template import template

_MOST_EXAMPLES = 3
"""Maximum number of calls of one claim that are quoted. For other calls only the result is shown."""

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
    """A claim with its evidence, and with whether the claim is true on each contract (`holdings`)."""

    claim: Claim
    evidence: tuple[Evidence, ...]
    holdings: Mapping[str, Holding]
    default: str

    @property
    def holding(self) -> Holding | None:
        """Whether the claim is true on the default contract. None if no scenario can show it."""
        if not self.evidence:
            return None
        if any(each.holding == "not recorded" for each in self.evidence):
            return "not recorded"
        return self.holdings[self.default]


def judge_claims(claims: Claims, contracts: Contracts, witness: RecordingLookup) -> dict[str, Judged]:
    """Compare every claim with the recordings of its scenarios. Return the results by the ids of the claims, in the
    order of the file.
    """
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


def behaviour(suite: Suite, *, brief: bool = False) -> str:
    """Return a Markdown page with every claim and its evidence. With `brief`, it contains only the numbers of claims
    and the false claims.

    Raises SuiteError if claims are invalid or do not match the scenarios.
    """
    claims = load_claims(claims_file(suite.root))
    findings = list(check_claims(suite, claims))
    if findings:
        raise SuiteError(findings)
    witness = RecordingLookup(suite)
    unanswered = [shown for shown in claims.shown() if not list(witness.scenario(shown.scenario_id).calls())]
    if unanswered:
        without = "the scenario calls no tool", "Name one that does."
        raise SuiteError([Finding("unknown-evidence", shown.position, *without) for shown in unanswered])
    page = _Page(suite, claims, judge_claims(claims, suite.contracts, witness), witness)
    return markdown(
        template("docs/behaviour"),
        page=page,
        brief=brief,
        most=_MOST_EXAMPLES,
        named=_find_scenario,
        source=_source,
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """The data of the template `docs/behaviour`."""

    suite: Suite
    claims: Claims
    judged: Mapping[str, Judged]
    witness: RecordingLookup

    @property
    def version(self) -> str:
        return self.suite.contracts.default

    def other_contracts(self) -> str:
        others = [
            each for each in self.judged.values() if each.holding is not None and each.holding != "holds"
        ]
        found = sum("holds" in each.holdings.values() for each in others)
        return (
            f"Of {len(others)} claims that do not hold as stated on {self.version}, {found} hold on another."
        )

    def heads(self, first: str) -> list[str]:
        counted = ("claims", "hold", "in other words", "partly", "do not hold", "not shown")
        return [first, *counted, "cannot be observed", *(["not recorded"] if self._has_unrecorded else [])]

    def by_topic(self) -> Iterator[list[str]]:
        for topic in self.claims.topics:
            yield [prose(topic.title), *self._counts(topic.claims)]
        yield ["**All**", *self._counts(list(self.claims))]

    def by_document(self) -> Iterator[list[str]]:
        for name in (name for contract in self.suite.contracts for name in contract.documents):
            made = [
                claim for claim in self.claims if any(each.startswith(f"{name}, ") for each in claim.sources)
            ]
            yield [code(name), *self._counts(made)]

    @property
    def _has_unrecorded(self) -> bool:
        return any(each.holding == "not recorded" for each in self.judged.values())

    def _counts(self, claims: Sequence[Claim]) -> list[str]:
        found = Counter(self.judged[claim.id].holding for claim in claims)
        columns: list[Holding | None] = [*list(_MARKS)[:-1], None]
        if self._has_unrecorded:
            columns.append("not recorded")
        return [str(len(claims)), *(str(found[each]) for each in columns)]

    def refuted(self) -> Iterator[list[str]]:
        """Yield the table row of each claim that is not entirely true: the claim, the first scenario that contradicts
        it, and the versions that confirm it.
        """
        for each in self.judged.values():
            if each.holding in ("does not hold", "partly"):
                against = [one for one in each.evidence if one.holding in ("does not hold", "partly")]
                shown = scenario_link((against or list(each.evidence))[0].scenario_id)
                holds_on, _, others = versions_in_words(each.holdings).partition("; ")
                yield [
                    cell(each.claim.says),
                    shown,
                    holds_on + ("; partly on others" if "partly" in others else ""),
                ]

    def rows(self, topic: Topic) -> list[list[str]]:
        def scenario(evidence: Evidence) -> str:
            holding = evidence.holding if evidence.contract == self.version else "not shown"
            return f"{_MARKS[holding]} {scenario_link(evidence.scenario_id)}"

        found = []
        for each in (self.judged[claim.id] for claim in topic.claims if claim.unobservable is None):
            examples = list(_examples(each.evidence, self.version))
            found.append(
                [
                    f"{_find_scenario(each.claim.id)}{cell(each.claim.says)}",
                    "<br>".join(map(_source, each.claim.sources)),
                    "<br>".join(map(scenario, each.evidence)),
                    "<br>".join(documented for documented, _ in examples),
                    "<br>".join(real for _, real in examples),
                    f"**{each.holding}**",
                    versions_in_words(each.holdings),
                ]
            )
        return found

    def unobservable(self, topic: Topic) -> list[str]:
        return [
            f"{_find_scenario(claim.id)}{claim.says} ({_sources(claim)}) *{claim.unobservable}*"
            for claim in topic.claims
            if claim.unobservable is not None
        ]

    def answers(self, part: Question | Contradiction) -> str:
        rows = []
        for shown in part.shown_by:
            evidence = self.witness.answer(shown)
            (statement,) = evidence.statements
            did = f"{_named_version(evidence, self.version)}{statement.tool}: {describe_answer(statement)}"
            rows.append([cell(evidence.title), scenario_link(evidence.scenario_id), did])
        return table(["answer", "scenario", f"{self.version}, in its words"], rows)

    def sides(self, part: Contradiction) -> Iterator[str]:
        for side in map(self.judged.__getitem__, part.claims):
            holding = "cannot be observed" if side.holding is None else side.holding
            on = f"; holds on {versions_in_words(side.holdings)}" if side.holdings else ""
            where = link(code(side.claim.id), f"#{side.claim.id}")
            yield f"**{holding}**: {side.claim.says} ({_sources(side.claim)}; {where}{on})"
        if part.reports is not None:
            yield f"reported by users: {part.reports}"


def _examples(evidence: Sequence[Evidence], default: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of table cells for some calls of a claim: the documented and the recorded behaviour.

    Calls that contradict the claim are used; if no call does, the first call. Equal pairs occur once.
    """
    statements = [(statement, each) for each in evidence for statement in each.statements]
    against = [(statement, each) for statement, each in statements if statement.holding != "holds"]
    quoted: dict[tuple[str, str], None] = {}
    for statement, each in against or statements[:1]:
        said, did = describe_both(statement)
        quoted.setdefault((said, f"{_named_version(each, default)}{did}"))
    yield from list(quoted)[:_MOST_EXAMPLES]


def _named_version(evidence: Evidence, default: str) -> str:
    return "" if evidence.contract == default else f"{evidence.contract}: "


def _find_scenario(identity: str) -> str:
    return f'<a id="{identity}"></a>{code(identity)} '


def _source(source: str) -> str:
    document, _, section = source.partition(", ")
    return f"{code(document)}, {cell(section)}"


def _sources(claim: Claim) -> str:
    return "; ".join(map(_source, claim.sources))

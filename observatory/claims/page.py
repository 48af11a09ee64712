"""Write the page that compares every claim with the recorded behaviour, and its summary, docs/behaviour.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readfirst.harness.report.markdown_escape import cell, code, link, prose, table
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
from readfirst.observatory.claims.evidence import ClaimStatus, Evidence, RecordingLookup
from readfirst.observatory.claims.table_cells import answer_cell, statement_and_answer_cells
from readfirst.observatory.claims.versions import describe_versions, statuses_by_contract
from readfirst.observatory.template import markdown, scenario_link, template

_MAX_EXAMPLES = 3
"""Maximum number of calls per claim whose answers the page quotes. For more calls, the page shows only the status."""

_STATUS_MARKS: Mapping[ClaimStatus, str] = {
    "holds": "✓",
    "in other words": "≈",
    "partly": "~",
    "does not hold": "✗",
    "not shown": "–",
    "not recorded": "?",
}


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with its evidence, and its status on each contract. `default` is the name of the default contract."""

    claim: Claim
    evidence: tuple[Evidence, ...]
    statuses: Mapping[str, ClaimStatus]
    default: str

    @property
    def status(self) -> ClaimStatus | None:
        """The status of the claim on the default contract. None if no scenario can show the claim."""
        if not self.evidence:
            return None
        if any(each.status == "not recorded" for each in self.evidence):
            return "not recorded"
        return self.statuses[self.default]


def behaviour_page(suite: Suite, *, brief: bool = False) -> str:
    """Return the page of all claims with evidence. `brief`: only the false claims, and numbers. Raises SuiteError."""
    claims = load_claims(claims_file(suite.root))
    findings = list(check_claims(suite, claims))
    if findings:
        raise SuiteError(findings)
    lookup = RecordingLookup(suite)
    unanswered = [each for each in claims.evidence() if not [*lookup.scenario(each.scenario_id).calls()]]
    if unanswered:
        without = "the scenario calls no tool", "Name one that does."
        raise SuiteError([Finding("unknown-evidence", each.position, *without) for each in unanswered])
    names = [contract.name for contract in suite.contracts.recorded]
    statuses = statuses_by_contract(claims, {claim.id for claim in claims}, names, lookup)
    judged = {
        claim.id: JudgedClaim(
            claim,
            tuple(lookup.evidence(shown, claim.sources) for shown in claim.shown_by),
            statuses[claim.id],
            suite.contracts.default,
        )
        for claim in claims
    }
    return markdown(
        template("docs/behaviour"),
        page=_Page(suite, claims, judged, lookup),
        brief=brief,
        most=_MAX_EXAMPLES,
        named=_anchor,
        source=_source_cell,
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """The values that the template `docs/behaviour` uses. Each method returns the cells of a table, or a text."""

    suite: Suite
    claims: Claims
    judged: Mapping[str, JudgedClaim]
    lookup: RecordingLookup

    @property
    def version(self) -> str:
        return self.suite.contracts.default

    def other_contracts(self) -> str:
        others = [each for each in self.judged.values() if each.status is not None and each.status != "holds"]
        found = sum("holds" in each.statuses.values() for each in others)
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
        return any(each.status == "not recorded" for each in self.judged.values())

    def _counts(self, claims: Sequence[Claim]) -> list[str]:
        found = Counter(self.judged[claim.id].status for claim in claims)
        columns: list[ClaimStatus | None] = [*list(_STATUS_MARKS)[:-1], None]
        if self._has_unrecorded:
            columns.append("not recorded")
        return [str(len(claims)), *(str(found[each]) for each in columns)]

    def refuted(self) -> Iterator[list[str]]:
        """Yield a row for each false or partly true claim: its words, a refuting scenario, the confirming versions."""
        for each in self.judged.values():
            if each.status in ("does not hold", "partly"):
                against = [one for one in each.evidence if one.status in ("does not hold", "partly")]
                shown = scenario_link((against or list(each.evidence))[0].scenario_id)
                holds_on, _, others = describe_versions(each.statuses).partition("; ")
                yield [
                    cell(each.claim.says),
                    shown,
                    holds_on + ("; partly on others" if "partly" in others else ""),
                ]

    def rows(self, topic: Topic) -> list[list[str]]:
        def scenario(evidence: Evidence) -> str:
            status = evidence.status if evidence.contract == self.version else "not shown"
            return f"{_STATUS_MARKS[status]} {scenario_link(evidence.scenario_id)}"

        found = []
        for each in (self.judged[claim.id] for claim in topic.claims if claim.unobservable is None):
            examples = list(_examples(each.evidence, self.version))
            found.append(
                [
                    f"{_anchor(each.claim.id)}{cell(each.claim.says)}",
                    "<br>".join(map(_source_cell, each.claim.sources)),
                    "<br>".join(map(scenario, each.evidence)),
                    "<br>".join(documented for documented, _ in examples),
                    "<br>".join(real for _, real in examples),
                    f"**{each.status}**",
                    describe_versions(each.statuses),
                ]
            )
        return found

    def unobservable(self, topic: Topic) -> list[str]:
        return [
            f"{_anchor(claim.id)}{claim.says} ({_source_cells(claim)}) *{claim.unobservable}*"
            for claim in topic.claims
            if claim.unobservable is not None
        ]

    def answers(self, part: Question | Contradiction) -> str:
        rows = []
        for shown in part.shown_by:
            evidence = self.lookup.answer(shown)
            (statement,) = evidence.statements
            did = f"{_version_prefix(evidence, self.version)}{statement.tool}: {answer_cell(statement)}"
            rows.append([cell(evidence.title), scenario_link(evidence.scenario_id), did])
        return table(["answer", "scenario", f"{self.version}, in its words"], rows)

    def sides(self, part: Contradiction) -> Iterator[str]:
        for side in map(self.judged.__getitem__, part.claims):
            status = "cannot be observed" if side.status is None else side.status
            on = f"; holds on {describe_versions(side.statuses)}" if side.statuses else ""
            where = link(code(side.claim.id), f"#{side.claim.id}")
            yield f"**{status}**: {side.claim.says} ({_source_cells(side.claim)}; {where}{on})"
        if part.reports is not None:
            yield f"reported by users: {part.reports}"


def _examples(evidence: Sequence[Evidence], default: str) -> Iterator[tuple[str, str]]:
    """Yield the documented and the recorded result of each call that refutes the claim (if none does, of the first)."""
    statements = [(statement, each) for each in evidence for statement in each.statements]
    against = [(statement, each) for statement, each in statements if statement.status != "holds"]
    quoted: dict[tuple[str, str], None] = {}
    for statement, each in against or statements[:1]:
        said, did = statement_and_answer_cells(statement)
        quoted.setdefault((said, f"{_version_prefix(each, default)}{did}"))
    yield from list(quoted)[:_MAX_EXAMPLES]


def _version_prefix(evidence: Evidence, default: str) -> str:
    return "" if evidence.contract == default else f"{evidence.contract}: "


def _anchor(identity: str) -> str:
    return f'<a id="{identity}"></a>{code(identity)} '


def _source_cell(source: str) -> str:
    document, _, section = source.partition(", ")
    return f"{code(document)}, {cell(section)}"


def _source_cells(claim: Claim) -> str:
    return "; ".join(map(_source_cell, claim.sources))

"""Summarise the verdicts of a run: counts per contract and family, sentences for the report, and the exit code."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, fields

from readfirst.harness.adapter_traits import IsolationDecision
from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.suite.contracts import is_version
from readfirst.harness.suite.harm_kinds import HARMS, NON_HARM_KINDS, Kind
from readfirst.harness.suite.scenario_metadata import Requirement, is_generated

_MAX_NAMED_CAPABILITIES = 5
"""Maximum number of missing capabilities that the message of `complaint` names."""
_MAX_ERROR_LINES = 10
_MAX_REASONS = 3
"""Maximum number of reasons in a line that states why scenarios were not judged."""
_MAX_REASON_CHARS = 60
_COUNT_NAMES = {
    "failed": "failed",
    "error": "error",
    "accepted": "of these accepted by the baseline",
    "unsupported": "unsupported",
    "unspecified": "unspecified",
}
"""The name that the result line of a run uses for each attribute of Count."""
_EXCEPTION_PATTERN = re.compile(r"it raised (\w+)")


def _shorten_reason(reason: str) -> str:
    """Shorten the reason for a status, such as `error`, to its beginning, or to the name of the raised exception."""
    if raised := _EXCEPTION_PATTERN.search(reason.partition("\n")[0]):
        return raised[1]
    first = reason.partition("\n")[0].partition("; ")[0].removeprefix("the adapter ")
    return first if len(first) <= _MAX_REASON_CHARS else f"{first[:_MAX_REASON_CHARS]}…"


@dataclass(slots=True)
class Count:
    """Numbers of scenarios with each status. `judged` counts the scenarios that passed, failed or ended early
    (`error`), `holds` the scenarios that reach each level.
    """

    scenarios: int = 0
    judged: int = 0
    passed: int = 0
    failed: int = 0
    error: int = 0
    unsupported: int = 0
    unspecified: int = 0
    unclaimed: int = 0
    accepted: int = 0
    holds: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    steps: int = 0
    milliseconds: float = 0.0

    def add(self, verdict: Verdict, ruling: BaselineResult) -> None:
        """Count one verdict, and whether the baseline accepts its failure."""
        self.scenarios += 1
        self.calls += verdict.calls
        self.steps += verdict.steps
        self.milliseconds += verdict.milliseconds
        setattr(self, verdict.status, getattr(self, verdict.status) + 1)
        if verdict.judged:
            self.judged += 1
            self.holds.update(level for level, holds in verdict.levels.items() if holds)
        self.unclaimed += bool(ruling.unclaimed)
        self.accepted += bool(ruling.accepted)

    @property
    def share(self) -> str:
        """The share of judged scenarios among the scenarios that the contract covers: for example `judged 3 of 5`."""
        return f"judged {self.judged or 'none'} of {self.scenarios - self.unspecified}"

    def plus(self, other: Count) -> Count:
        """Return the sum of two counts."""
        return Count(
            **{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(Count)}
        )


class Summary:
    """The result of a run, which counts verdicts one by one. `families` contains the counts for each contract and
    family, `contracts` those for each contract, and `requirements` those for each requirement (`must`, `should`,
    `observed`).
    """

    def __init__(self) -> None:
        self.total = Count()
        self.families: dict[tuple[str, str], Count] = {}
        self.contracts: dict[str, Count] = {}
        self.requirements: dict[Requirement, Count] = {}
        self.harms: Counter[Kind] = Counter()
        """Number of scenarios with harm of each kind, and with blind edits and overcautious refusals."""
        self.harmful_alike: Counter[str] = Counter()
        """By contract, the number of passed scenarios in which both the session and the contract do harm."""
        self.by_hand = 0
        """Number of scenarios whose expectations are written by hand."""
        self.designs: set[str] = set()
        """Declared designs of the implementation."""
        self.refuses: set[str] = set()
        """Names of the refusals that the implementation declares."""
        self.left_out: Counter[str] = Counter()
        """By rule, the number of scenarios that are not judged because of the design and the declared refusals."""
        self.reasons: dict[str, Counter[str]] = {
            status: Counter() for status in ("error", "unsupported", "unspecified")
        }
        """By status, the reasons why scenarios were not judged to the end, with their number."""
        self.stale: list[str] = []
        """Messages about entries of the baseline that must be changed."""
        self.need_reasons = 0
        """Number of these messages that ask for a written reason."""
        self.has_unclaimed_list = False
        """Whether a baseline lists the capabilities that may be missing."""
        self.examples: dict[str, tuple[bool, bool, int, str]] = {}
        """Best example by kind of harm: whether the contract does it, whether it is generated, its length and id."""
        self.unclaimed: Counter[str] = Counter()
        """Missing required capabilities, with the number of scenarios that were not judged because of them."""
        self.servers: Counter[bool] = Counter()
        """Number of scenarios on a shared server (True), and on a separate server (False)."""
        self.server_reasons: dict[bool, str] = {}
        """The latest reason for using a shared server (True), and a separate server (False)."""
        self.isolation: IsolationDecision | None = None
        """The general decision about sharing servers, if it is known."""
        self.suites: dict[str, bool] = {}
        """In a run of several suites: by the name of each suite, whether one of its scenarios was judged."""
        self._not_conformant = 0
        self._errors: list[str] = []
        """The scenarios that ended early and are not accepted, each with the reason."""

    def add(self, verdict: Verdict, ruling: BaselineResult) -> None:
        """Count one verdict, and its effect on the exit code (`ruling`)."""
        key = (verdict.contract, verdict.scenario_id.partition("/")[0])
        self.families.setdefault(key, Count()).add(verdict, ruling)
        self.contracts.setdefault(verdict.contract, Count()).add(verdict, ruling)
        if verdict.requirement is not None:
            self.requirements.setdefault(verdict.requirement, Count()).add(verdict, ruling)
        self.total.add(verdict, ruling)
        self.harms.update({harm.kind for harm in verdict.harms})
        for kind in {harm.kind for harm in verdict.harms if harm.kind in HARMS}:
            is_alike = bool(verdict.levels.get("safe"))
            example = is_alike, is_generated(verdict.scenario_id), verdict.length, verdict.scenario_id
            self.examples[kind] = min(self.examples.get(kind, example), example)
        if verdict.status == "passed" and any(harm.kind in HARMS for harm in verdict.harms):
            self.harmful_alike[verdict.contract] += 1
        self.by_hand += verdict.by_hand
        if verdict.suite:
            self.suites[verdict.suite] = self.suites.get(verdict.suite, False) or verdict.judged
        if verdict.design:
            self.designs.add(verdict.design)
        self.refuses.update(verdict.refuses)
        if verdict.status in self.reasons:
            self.reasons[verdict.status][_shorten_reason(verdict.reason)] += 1
        if server := verdict.server:
            self.servers[server.shared] += 1
            self.server_reasons[server.shared] = server.why
            self.isolation = server.decision or self.isolation
        if verdict.left_out:
            self.left_out[verdict.rule] += 1
        if ruling.stale:
            self.stale.append(ruling.stale)
            self.need_reasons += ruling.needs_reason
        if verdict.status == "error" and not ruling.accepted:
            reason = verdict.reason.partition("\n")[0]
            self._errors.append(f"{verdict.scenario_id} ({verdict.contract}): {reason}")
        elif ruling.unclaimed:
            self.unclaimed[ruling.unclaimed] += 1
        elif not ruling.conformant:
            self._not_conformant += 1

    @property
    def exit_code(self) -> ExitCode:
        """The exit code. An error is worse than a failure. A run never passes if a suite judged no scenario."""
        if self._errors:
            return ExitCode.ERROR
        if self._not_conformant:
            return ExitCode.NOT_CONFORMANT
        if (self.total.judged == 0 and self.total.accepted == 0) or self.unjudged_suites:
            return ExitCode.NOTHING
        return ExitCode.NOT_CONFORMANT if self.unclaimed else ExitCode.CONFORMANT

    @property
    def unjudged_suites(self) -> list[str]:
        """The names of the suites without a judged scenario. Empty if no scenario at all was judged."""
        return [name for name, judged in self.suites.items() if not judged] if self.total.judged else []

    def complaint(self) -> str:
        """Return a message about required scenarios that were not judged. Empty without such scenarios."""
        if not self.unclaimed:
            return ""
        most = self.unclaimed.most_common(_MAX_NAMED_CAPABILITIES)
        named = [f"{name} ({count})" for name, count in most]
        if more := len(self.unclaimed) - len(most):
            named.append(f"and {more} more")
        scenarios, missing = pluralize(self.total.unclaimed, "scenario"), "; ".join(named)
        if self.has_unclaimed_list:
            return (
                f"{scenarios} not judged for lack of capabilities that the baseline does not list as unclaimed: "
                f"{missing}. If that is intended, renew the list (--update-baseline)."
            )
        return (
            f"{scenarios} not judged, but required; missing: {missing}. If that is intended, list the required "
            "capabilities (--require Read), or accept it in a baseline (--update-baseline)."
        )

    def harm_sentence(self) -> str:
        """Return a line with the counts of harms by kind, blind edits and needless refusals. Empty if all are 0."""
        harms, others = (
            ", ".join(f"{kind} {self.harms[kind]}" for kind in kinds if self.harms[kind])
            for kinds in (HARMS, NON_HARM_KINDS)
        )
        after = f"; not harm: {others}" if others else ""
        return f"harm, by scenarios: {harms or 'none'}{after}" if harms or others else ""

    def example_lines(self) -> list[str]:
        """Return up to two lines with an example for each kind of harm. The second line has the examples of harm
        that the contract does, too.
        """
        contract = next(iter(self.contracts)) if len(self.contracts) == 1 else "the contract"
        lines = []
        for is_alike, words in ((False, "for example"), (True, f"for example, as {contract} does")):
            found = [
                f"{kind} {self.examples[kind][-1]}"
                for kind in HARMS
                if kind in self.examples and self.examples[kind][0] == is_alike
            ]
            if found:
                lines.append(f"{words}: {', '.join(found)}")
        return lines

    def likeness_sentence(self, name: str, level: Level) -> str:
        """Return a sentence about harm of both implementation and contract in passed scenarios. Empty without harm."""
        if self.exit_code is not ExitCode.CONFORMANT or self.total.accepted or not self.harmful_alike:
            return ""
        named = "The reference" if name == "reference" else name
        if len(self.harmful_alike) > 1:
            numbers = ", ".join(f"{number} on {contract}" for contract, number in self.harmful_alike.items())
            if level == "safe":
                return f"{named} loses or spoils work in scenarios in which the contract does: {numbers}."
            contracts = pluralize(len(self.contracts), "contract")
            return (
                f"{named} reproduces {contracts}, including the scenarios in which they lose or spoil work: "
                f"{numbers}."
            )
        contract, number = next(iter(self.harmful_alike.items()))
        product = f"Claude Code {contract}" if is_version(contract) else contract
        scenarios = pluralize(number, "scenario")
        if level == "safe":
            return f"{named} loses or spoils work in {scenarios} in which {product} does the same."
        return f"{named} reproduces {product}, including the {scenarios} in which {contract} loses or spoils work."

    def by_hand_sentence(self) -> str:
        """Return a line with the number of scenarios whose expected results were written by hand. Empty if 0."""
        if not self.by_hand:
            return ""
        return f"expected by hand, not recorded: {pluralize(self.by_hand, 'scenario')}"

    def design_sentence(self) -> str:
        """Return a line with the declared design and refusals, and the number of scenarios excluded because of them."""
        designs = f"design {', '.join(sorted(self.designs))}" if self.designs else ""
        refuses = f"declared refusals {', '.join(sorted(self.refuses))}" if self.refuses else ""
        declared = "; ".join(filter(None, (designs, refuses)))
        if not declared or not self.left_out:
            return declared
        rules = f", in {pluralize(len(self.left_out), 'rule')}" if any(self.left_out) else ""
        return f"{declared}: {pluralize(self.left_out.total(), 'scenario')} not claimed{rules}"

    def error_lines(self) -> list[str]:
        """Return lines about the first unaccepted scenarios that ended early, and the number of further ones."""
        lines = [f"ended early: {error}" for error in self._errors[:_MAX_ERROR_LINES]]
        if more := len(self._errors) - len(lines):
            lines.append(f"ended early: {more:,} more; --failures all explains all of them")
        return lines

    def reason_lines(self) -> list[str]:
        """Return a line with the most frequent reasons for each of the statuses error, unsupported and unspecified."""
        lines = []
        for status, reasons in self.reasons.items():
            most = reasons.most_common(_MAX_REASONS)
            named = [f"{reason} ({count:,})" for reason, count in most]
            if rest := reasons.total() - sum(count for _, count in most):
                named.append(f"other reasons ({rest:,})")
            if named:
                lines.append(f"{status}: {'; '.join(named)}")
        return lines

    def sentence(self) -> str:
        """Return the line with the result of the run."""
        total = self.total
        parts = [f"{total.passed} passed"]
        names = {**_COUNT_NAMES, "error": "error" if total.error == 1 else "errors"}
        parts += [f"{count} {words}" for name, words in names.items() if (count := getattr(total, name))]
        if total.unsupported:
            parts.append(total.share)
        if outdated := len(self.stale) - self.need_reasons:
            parts.append(f"{outdated} baseline {'entries' if outdated > 1 else 'entry'} out of date")
        if self.need_reasons:
            entries = "entry needs" if self.need_reasons == 1 else "entries need"
            parts.append(f"{self.need_reasons} baseline {entries} a reason")
        return f"{total.scenarios} scenario{'' if total.scenarios == 1 else 's'}: {', '.join(parts)}"

"""Read a baseline, the YAML file with the accepted failures of one implementation, and apply it to verdicts."""

import logging
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from readfirst.harness.adapter_api import BASIC_CAPABILITIES
from readfirst.harness.compare.missing_capabilities import MissingCapabilities, lacks_call_feature
from readfirst.harness.compare.verdict import LEVELS, Level, Verdict
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.contracts import Contracts, suggest_contract
from readfirst.harness.suite.harm_kinds import HARMS
from readfirst.harness.suite.schema import schema_findings
from readfirst.harness.suite.shared_files import suite_names_in_title
from readfirst.harness.yaml_io.finding import Position, SuiteError
from readfirst.harness.yaml_io.strict_yaml import load, read
from readfirst.harness.yaml_io.yaml_validation import Inspection

_LOG = logging.getLogger("readfirst")

FailedLevel = Literal["error", Level]
"""The lowest failed level of a scenario. `error` means that its replay ended early (a crash, a hang)."""
FAILED_LEVELS: tuple[FailedLevel, ...] = ("error", *LEVELS)
"""All values of `FailedLevel`, the worst first."""
_FORMER_ERROR = "broken"
"""The former name of the level `error` in baseline files. It is accepted for one release."""

UNEXPLAINED = "not explained yet"
"""The reason that `--update-baseline` writes into a new entry. A person should replace it."""
CHANCE = "How far an interrupted call gets, and which of two is faster, is a matter of chance."
"""Reason that `--update-baseline` writes for a failed scenario whose result depends on chance."""
GENERATED_REASONS = (UNEXPLAINED, CHANCE)
"""The reasons that `--update-baseline` writes. They do not accept a harm: a user must write a reason for harm."""

_COMMENT_PATTERN = re.compile(r'\s*- \{(?:[^"]|"(?:[^"\\]|\\.)*")*?\}\s+# (.*?)\s*')
"""Pattern of a line that contains a whole entry and a comment after it. Used to keep the comments of users."""


class BaselineError(SuiteError):
    """Raised for an invalid baseline file. Each of `findings` states the position of an error, and a correction."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One entry of a baseline: the lowest failed level, and the reason for accepting the failure."""

    subject: str
    """The id of a scenario, or of a rule: the entry then accepts failures of its scenarios from `level` upwards."""
    contract: str
    level: FailedLevel
    reason: str
    position: Position
    varies: bool = False
    """Whether the result depends on chance, so that the scenario may also pass, or fail at a higher level."""
    link: str = ""
    """The address of a report."""
    of_rule: bool = False
    harms: tuple[str, ...] = ()
    """The accepted kinds of harm. A failure at the level `safe` is accepted only if all its kinds are listed."""
    comment: str = ""
    """The text after the entry on its line."""

    @property
    def where(self) -> str:
        """The position of the entry in its file, and its subject, as used in error messages."""
        return f"{self.position}: {self.subject} ({self.contract})"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline file: the accepted failures of an implementation."""

    name: str
    """The name of the implementation."""
    position: Position
    """The position of the name in the file."""
    accepted: Mapping[tuple[str, str], Acceptance] = field(default_factory=dict)
    """The entries by scenario (or rule) and contract."""
    lacking: MissingCapabilities | None = None
    """The capabilities that were missing in the run that wrote the file. None if the file does not list them."""
    level: Level | None = None
    """The level of the run that wrote the file. None if unknown."""

    def level_warning(self, level: Level, option: str = "--level") -> str:
        """Return a warning about `option` if `level` is above the level of the baseline. Empty without a warning."""
        if self.level is None or LEVELS.index(level) <= LEVELS.index(self.level):
            return ""
        return (
            f"{self.position.file} was written at the level {self.level}, and this run judges the level {level}. "
            f"To judge the same level, add {option} {self.level}."
        )

    def entry_for(self, verdict: Verdict) -> Acceptance | None:
        """Return the entry for a verdict's scenario, otherwise the entry for its rule. None without an entry."""
        own = self.accepted.get((verdict.scenario_id, verdict.contract))
        return own or self.accepted.get((verdict.rule, verdict.contract))


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """The effect of a verdict and the baseline on the exit code of a run."""

    conformant: bool
    """Whether the scenario passed, its failure is accepted, or it was not judged."""
    accepted: str = ""
    """The baseline's reason for an accepted failure. Otherwise empty."""
    stale: str = ""
    """A message about an entry of the baseline that must be changed. Empty if no entry must be changed."""
    unclaimed: str = ""
    """The missing capabilities that the run requires. Empty if none is missing."""
    needs_reason: bool = False
    """Whether `stale` asks the user to write a reason."""


def lowest_failure(verdict: Verdict) -> FailedLevel | None:
    """Return the lowest failed level of a scenario (`error` if its replay ended early). None without a failure."""
    return next((level for level in FAILED_LEVELS if level in verdict.failing), None)


def apply_baseline(verdict: Verdict, baseline: Baseline | None = None) -> BaselineResult:
    """Return the effect of a verdict on the exit code. The baseline accepts a failure if the level of its entry is the
    lowest failed level. If a lower level fails, the verdict is not conformant. If only a higher level or no level
    fails, the entry is `stale`, except for an entry with `varies: true` and an entry for a rule.
    """
    failing = lowest_failure(verdict)
    entry = baseline.entry_for(verdict) if baseline else None
    if entry is None:
        return BaselineResult(conformant=failing is None)
    if failing is not None and FAILED_LEVELS.index(failing) < FAILED_LEVELS.index(entry.level):
        return BaselineResult(conformant=False)
    # A scenario that may fail in the next run needs its reason now, or a later run would fail by chance.
    is_possible = entry.varies and not entry.of_rule and verdict.judged
    level = entry.level if is_possible else failing
    is_unexplained = entry.reason == UNEXPLAINED and level == "error"
    if is_unexplained or (level == "safe" and entry.reason in GENERATED_REASONS):
        described = _describe_failure(verdict) if failing == level else f"varies, and may fail at {level}"
        complaint = f"{entry.where} {described}. Write as its reason why that is accepted."
        return BaselineResult(conformant=False, stale=complaint, needs_reason=True)
    if entry.of_rule and failing == "safe" and (other := _kinds_of(verdict) - {*entry.harms}):
        complaint = f"{entry.where} does not accept {', '.join(sorted(other))} of {verdict.scenario_id}."
        advice = f" If that is intended, add to the entry: harms: [{', '.join(sorted(other))}]"
        return BaselineResult(conformant=False, stale="" if entry.harms else complaint + advice)
    if failing == entry.level or entry.varies or entry.of_rule or is_above(entry.level, verdict):
        return BaselineResult(conformant=True, accepted=entry.reason if failing else "")
    if failing is not None:
        stale = f"{entry.where} no longer fails at {entry.level}. Change the entry to level: {failing}"
        return BaselineResult(conformant=False, stale=stale)
    now = "passes" if verdict.status == "passed" else f"is {verdict.status}"
    stale = f"{entry.where} {now} now, but the baseline says level: {entry.level}. Remove the entry."
    return BaselineResult(conformant=False, stale=stale)


def _kinds_of(verdict: Verdict) -> set[str]:
    return {harm.kind for harm in verdict.harms if harm.kind in (*HARMS, "overcautious")}


def _describe_failure(verdict: Verdict) -> str:
    """Describe a failure whose reason must be written by a person: an error, a needless refusal, or a harm."""
    if verdict.status == "error":
        return "ends early"
    if _kinds_of(verdict) == {"overcautious"}:
        return "refuses a call that every contract answers"
    return "is a harm"


def is_above(level: FailedLevel, verdict: Verdict) -> bool:
    """Whether a level is higher than the requested level of a verdict, and was therefore not judged."""
    return FAILED_LEVELS.index(level) > FAILED_LEVELS.index(verdict.level)


def load_baseline(
    file: Path, ids: Collection[str], contracts: Contracts, rules: Collection[str] = (), suite: str = ""
) -> Baseline:
    """Read a baseline file. `ids`, `contracts` and `rules` are the names that its entries may use. `suite` is the title
    of the run's suites. Raises BaselineError with all problems of the file.
    """
    try:
        look = Inspection(load(read(file), file))
    except SuiteError as error:
        raise BaselineError(error.findings) from error
    look.findings += schema_findings(look.document, "baseline")
    look.finish(BaselineError)
    values, position = look.document.value, look.document.position
    if any(stated["level"] == _FORMER_ERROR for stated in values["accepted"]):
        _LOG.warning(
            "%s: the level `%s` is now `error`; the next release removes the old name", file, _FORMER_ERROR
        )
    accepted: dict[tuple[str, str], Acceptance] = {}
    lines = look.document.data.decode().split("\n")
    unknown = sum(stated.get("scenario", next(iter(ids), "")) not in ids for stated in values["accepted"])
    if (
        unknown > 1
        and suite
        and suite_names_in_title(values.get("suite", suite)) - suite_names_in_title(suite)
    ):
        message = (
            f"this baseline belongs to {values['suite']}, and the run to {suite}: no scenario has the id"
        )
        fix = "Run the same suites, or write a baseline of its own for this run, with --update-baseline."
        look.note(("suite",), f"{message} of {unknown:,} entries", fix)
        look.finish(BaselineError)
    for number, stated in enumerate(values["accepted"]):
        where = position(("accepted", number))
        comment = _COMMENT_PATTERN.fullmatch("".join(lines[where.line - 1 : where.line]))
        entry = _parse_acceptance(stated, where, contracts, comment[1] if comment else "")
        key = "rule" if entry.of_rule else "scenario"
        known = rules if entry.of_rule else ids
        if entry.subject not in known:
            close = get_close_matches(entry.subject, known, n=1, cutoff=0.5)
            advice = f"Write {close[0]}, or remove the entry." if close else "Remove the entry."
            look.note(("accepted", number, key), f"no {key} has the id {entry.subject!r}", advice)
        if entry.contract not in contracts:
            advice = suggest_contract(entry.contract, contracts.all)
            look.note(("accepted", number, "contract"), f"no contract is called {entry.contract!r}", advice)
        first = accepted.setdefault((entry.subject, entry.contract), entry)
        if first is not entry:
            message = f"{entry.subject} ({entry.contract}) is already accepted in line {first.position.line}"
            look.note(("accepted", number), message, "Merge the two.")
    look.finish(BaselineError)
    lacking = None
    if {"unclaimed", "unsupported"} & values.keys():
        unclaimed = frozenset(values.get("unclaimed", ()))
        lacking = MissingCapabilities(unclaimed, values.get("unsupported", {}))
    return Baseline(values["name"], position(("name",)), accepted, lacking, values.get("level"))


def _parse_acceptance(
    stated: Mapping[str, Any], position: Position, contracts: Contracts, comment: str
) -> Acceptance:
    return Acceptance(
        subject=stated.get("scenario") or stated["rule"],
        contract=stated.get("contract", contracts.default),
        level="error" if stated["level"] == _FORMER_ERROR else stated["level"],
        reason=stated["reason"],
        position=position,
        varies=stated.get("varies", False),
        link=stated.get("link", ""),
        of_rule="rule" in stated,
        harms=tuple(stated.get("harms", ())),
        comment=comment,
    )


class BaselineChecker:
    """Applies a baseline to the verdicts of a run, and finds scenarios that were not judged although they must be.

    A scenario is not judged if the implementation lacks a capability or a feature. The capabilities in `claims`
    (default: Read, Edit, Write) must be supported. If a baseline lists missing capabilities, all other capabilities
    must be supported, too. Features that the machine lacks are ignored.
    """

    def __init__(self, baseline: Baseline | None = None, claims: frozenset[str] | None = None) -> None:
        self._baseline = baseline
        self._given = claims or frozenset()
        self._claimed = claims is not None
        self._required = BASIC_CAPABILITIES if claims is None else claims
        self._counts: dict[str, Counter[str]] = {}

    @property
    def required(self) -> frozenset[str]:
        """The capabilities that the implementation must support. A baseline may require more than the default."""
        former = None if self._baseline is None else self._baseline.lacking
        return self._required if former is None else self._given | (BASIC_CAPABILITIES - former.unclaimed)

    def apply_baseline(self, verdict: Verdict) -> BaselineResult:
        """Return a verdict's effect on the exit code, and count missing features. Must be called once per verdict."""
        ruling = apply_baseline(verdict, self._baseline)
        if not verdict.lacks or not ruling.conformant:
            return ruling
        unclaimed = ", ".join(self._missing_required(verdict))
        return replace(ruling, conformant=False, unclaimed=unclaimed) if unclaimed else ruling

    def _missing_required(self, verdict: Verdict) -> list[str]:
        """Return the required capabilities and features that a scenario lacked."""
        former = None if self._baseline is None else self._baseline.lacking
        if lacks_call_feature(verdict):
            counts = self._counts.setdefault(verdict.contract, Counter())
            counts.update(verdict.lacks)
            if former is None:
                return []
            known = any(counts[name] <= former.unsupported.get(name, 0) for name in verdict.lacks)
            return [] if known else sorted(verdict.lacks)
        lacks = frozenset(verdict.lacks)
        if former is None:
            return sorted(lacks & self._required)
        if verdict.level == "safe" and not self._claimed:
            # An implementation that cannot edit is harmless but useless: no baseline may call it safe.
            lacks -= former.unclaimed - BASIC_CAPABILITIES
            return sorted(lacks)
        return sorted(lacks & self._given) if lacks & former.unclaimed else sorted(lacks)

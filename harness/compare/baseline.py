"""Baseline: the accepted failures of one implementation, read from a YAML file, and what they make of verdicts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from readfirst.harness.adapter_api import BASIC_CAPABILITIES
from readfirst.harness.compare.failure_signature import explains, signature
from readfirst.harness.compare.missing_capabilities import MissingCapabilities, in_a_call
from readfirst.harness.compare.verdict import LEVELS, Verdict, up_to
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.contracts import Contracts
from readfirst.harness.suite.nearest_contract import nearest
from readfirst.harness.yaml_io.finding import Position, SuiteError
from readfirst.harness.yaml_io.strict_yaml import load, read
from readfirst.harness.yaml_io.yaml_validation import Fields, Inspection, Node

BROKEN = "broken"
"""What `fails` says of a scenario whose replay may end early (a crash, a hang)."""

VARIES = "varies"
"""What `because` says of a scenario that fails in some runs only: the implementation leaves it to chance."""

LEVELS_AND_BROKEN = (*LEVELS, BROKEN)


class BaselineError(SuiteError):
    """The baseline file cannot be used as it is; each finding says what to write where."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One accepted failure: the levels that fail, or `broken`, and why this is accepted.

    `because`, if given, is the only accepted signature (`harness.compare.failure_signature`), or one in more
    detail: `effects: file` accepts `effects: file: line ends`, but `safe` accepts no kind of harm. VARIES accepts any
    signature, and none.
    `link` says where it is reported.
    """

    scenario_id: str
    contract: str
    fails: frozenset[str]
    reason: str
    position: Position
    because: str = ""
    link: str = ""

    @property
    def where(self) -> str:
        """Where it is in the file, and what it is about."""
        return f"{self.position}: {self.scenario_id} ({self.contract})"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted failures of what runs call `name`, by scenario id and contract; `position` is the name's."""

    name: str
    position: Position
    accepted: Mapping[tuple[str, str], Acceptance] = field(default_factory=dict)
    grouped: bool = False
    """Whether the file has groups: entries with a common reason, written once."""
    lacking: MissingCapabilities | None = None
    """What was not judged when it was written; None in a file that does not say it."""

    def of(self, scenario_id: str, contract: str) -> Acceptance | None:
        """Return what is accepted of a scenario on a contract, or None."""
        return self.accepted.get((scenario_id, contract))


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """What a verdict means for the exit code.

    `conformant`: it holds, or its failure is accepted, or it was not judged. `accepted` is the reason of the
    baseline for a failure that it accepts, else empty. `stale` is the complaint about an entry that is no
    longer true, with the line to change, else empty. `unclaimed` names what is lacking of a scenario that should have
    been judged, else empty.
    """

    conformant: bool
    accepted: str = ""
    stale: str = ""
    unclaimed: str = ""


def in_order(names: Iterable[str]) -> str:
    """Return levels as a baseline lists them."""
    return "[" + ", ".join(sorted(names, key=LEVELS_AND_BROKEN.index)) + "]"


def apply_baseline(verdict: Verdict, baseline: Baseline | None = None) -> BaselineResult:
    """Judge a verdict against the baseline.

    An entry accepts exactly the failures it lists: one more is not conformant, one less makes it stale, unless it
    varies. Levels above the one asked for are not looked at.
    """
    failing = frozenset(verdict.failing)
    entry = baseline.of(verdict.scenario_id, verdict.contract) if baseline else None
    if entry is None:
        return BaselineResult(conformant=not failing)
    asked = {*up_to(verdict.level), BROKEN}
    listed = entry.fails & asked
    if failing - listed:
        return BaselineResult(conformant=False)
    if "safe" in failing and not explains(entry.reason, entry.because):
        complaint = f"{entry.where} is a harm. Write as its reason why that is accepted."
        return BaselineResult(conformant=False, stale=complaint)
    if entry.because == VARIES:
        return BaselineResult(conformant=True, accepted=entry.reason if failing else "")
    if listed - failing:
        return BaselineResult(conformant=False, stale=_stale(entry, verdict, failing))
    if failing and entry.because and not is_still(now := signature(verdict), entry.because):
        what = f"{entry.where} now fails for another reason than {entry.because!r}."
        return BaselineResult(conformant=False, stale=f"{what} Change the entry to because: {now!r}")
    return BaselineResult(conformant=True, accepted=entry.reason if failing else "")


def is_still(now: str, because: str) -> bool:
    """Whether a signature is the one that is accepted, or says it in more detail."""
    return now == because or (because != "safe" and now.startswith(f"{because}: "))


def _stale(entry: Acceptance, verdict: Verdict, failing: frozenset[str]) -> str:
    left = failing | {name for name in entry.fails if is_above(name, verdict)}
    if left:
        gone = in_order(entry.fails - left)
        return f"{entry.where} no longer fails as {gone} says. Change the entry to fails: {in_order(left)}"
    now = "passes" if verdict.status == "passed" else f"is {verdict.status}"
    return f"{entry.where} {now} now, but the baseline says fails: {in_order(entry.fails)}. Remove the entry."


def is_above(level: str, verdict: Verdict) -> bool:
    """Whether a verdict did not look at a level."""
    return level in LEVELS and LEVELS.index(level) > LEVELS.index(verdict.level)


def load_baseline(file: Path, ids: Collection[str], contracts: Contracts) -> Baseline:
    """Read a baseline file; its entries may name `ids` and `contracts` only.

    Raises StrictYamlError for what is not strict YAML, BaselineError with all other problems.
    """
    look = Inspection(load(read(file), file))
    keys = ("name", "suite", "unclaimed", "unsupported", "accepted", "groups")
    top = look.top.called("a baseline").fields(keys, required=("name",))
    top.string("suite")
    if top.values and not {"accepted", "groups"} & top.values.keys():
        look.note((), "a baseline lacks the key 'accepted'", "Add accepted: to it.")
    name = top.string("name")
    known = _Known(ids, contracts)
    accepted: dict[tuple[str, str], Acceptance] = {}
    for node, stated, named in (*_single(top), *_grouped(top)):
        entry = _entry(node.position, stated, named, known)
        if entry is None:
            continue
        first = accepted.setdefault((entry.scenario_id, entry.contract), entry)
        if first is not entry:
            what = f"{entry.scenario_id} ({entry.contract})"
            node.note(f"{what} is already accepted in line {first.position.line}", "Merge the two.")
    lacking = _lacking(top)
    look.finish(BaselineError)
    return Baseline(str(name), look.document.position(("name",)), accepted, "groups" in top, lacking)


def _lacking(top: Fields) -> MissingCapabilities | None:
    """Check what was not judged; None where the file does not say it."""
    if "unclaimed" not in top and "unsupported" not in top:
        return None
    unclaimed, unsupported = top.strings("unclaimed"), top.fields("unsupported")
    for name, count in unsupported:
        if type(count.value) is not int or count.value < 1:
            fix = "Write how many scenarios have such a call, at least 1."
            count.note(f"unsupported says {count.value!r} of {name}", fix)
    return MissingCapabilities(frozenset(unclaimed), unsupported.values)


@dataclass(frozen=True, slots=True)
class _Known:
    """What entries may name."""

    ids: Collection[str]
    contracts: Contracts


_Named = tuple[Node, Fields, Node]
"""An accepted scenario: the entry, the keys that say what is accepted of it, and what names it."""


def _single(top: Fields) -> Iterator[_Named]:
    """Yield the entries of one scenario each."""
    keys, required = (
        ("scenario", "contract", "fails", "because", "reason", "link"),
        ("scenario", "fails", "reason"),
    )
    for node in top.items("accepted"):
        fields = node.called("an entry").fields(keys, required)
        if set(required) <= fields.values.keys():
            yield node, fields, fields["scenario"]


def _grouped(top: Fields) -> Iterator[_Named]:
    """Yield the entries of groups: the same levels, signature and reason for scenarios of several families."""
    required = ("fails", "because", "reason", "scenarios")
    for node in top.items("groups"):
        fields = node.called("a group").fields(("contract", "link", *required), required)
        if set(required) <= fields.values.keys():
            for family, listed in fields["scenarios"].called("scenarios of a group").fields():
                for slug in listed.called("a family's scenarios").items(empty=False):
                    named = f"{family}/{slug.value}" if isinstance(slug.value, str) else slug.value
                    yield slug, fields, slug._replace(value=named, what="a scenario of a group")


def _entry(position: Position, stated: Fields, named: Node, known: _Known) -> Acceptance | None:
    reason, link = stated.string("reason"), stated.text("link")
    because = stated.text("because")
    fails = [node.called("a level in fails") for node in stated.items("fails", empty=False)]
    levels = [name for node in fails if (name := node.choice(LEVELS_AND_BROKEN)) is not None]
    for node in fails:
        if levels.count(node.value) > 1 and node.path[-1] != levels.index(node.value):
            node.note(f"fails names {node.value} twice", "Name it once.")
    scenario_id = named.string()
    if scenario_id is not None and scenario_id not in known.ids:
        named.note(f"no scenario has the id {scenario_id!r}", _suggestion(scenario_id, known.ids))
        scenario_id = None
    contract = stated.string("contract") if "contract" in stated else known.contracts.default
    if contract is not None and contract not in known.contracts:
        advice = nearest(contract, known.contracts.all)
        stated["contract"].note(f"no contract is called {contract!r}", advice)
    if scenario_id is None or contract is None or reason is None:
        return None
    return Acceptance(scenario_id, contract, frozenset(levels), reason, position, because, link)


def _suggestion(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"Write {close[0]}, or remove the entry." if close else "Remove the entry."


class BaselineChecker:
    """Rules verdicts by a baseline; what is not judged has to be allowed, by the baseline or by `claims`.

    Without a baseline that says what was not judged when it was written, the capabilities of `claims` (default: Read,
    Edit, Write) must be claimed. With one, nothing else may be left out than it says, and what is given as `claims`
    must be claimed as well; at the level `safe` also Read, Edit and Write, unless `claims` says otherwise. What the
    machine lacks is nobody's fault.
    """

    def __init__(self, baseline: Baseline | None = None, claims: frozenset[str] | None = None) -> None:
        self._baseline = baseline
        self._given = claims or frozenset()
        self._claimed = claims is not None
        self._required = BASIC_CAPABILITIES if claims is None else claims
        self._counts: dict[str, Counter[str]] = {}

    @property
    def required(self) -> frozenset[str]:
        """The capabilities that must be claimed, as far as they are named."""
        former = None if self._baseline is None else self._baseline.lacking
        return self._required if former is None else self._given | (BASIC_CAPABILITIES - former.unclaimed)

    def apply_baseline(self, verdict: Verdict) -> BaselineResult:
        """Judge one verdict; each is shown once."""
        ruling = apply_baseline(verdict, self._baseline)
        if not verdict.lacks or not ruling.conformant:
            return ruling
        unclaimed = ", ".join(self._unclaimed(verdict))
        return replace(ruling, conformant=False, unclaimed=unclaimed) if unclaimed else ruling

    def _unclaimed(self, verdict: Verdict) -> list[str]:
        """Return what is lacking that must not be."""
        former = None if self._baseline is None else self._baseline.lacking
        if in_a_call(verdict):
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
            # Whoever cannot edit harms nobody, and is of no use: no baseline calls that safe.
            lacks -= former.unclaimed - BASIC_CAPABILITIES
            return sorted(lacks)
        return sorted(lacks & self._given) if lacks & former.unclaimed else sorted(lacks)

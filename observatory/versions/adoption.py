"""Find the versions that introduced the differences of a new contract, and the reference's behaviours that must
change.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from packaging.version import Version

from readfirst.harness.diff.cause import Cause
from readfirst.harness.diff.diff import Diff, diff
from readfirst.harness.diff.introduced_in import add_versions
from readfirst.harness.diff.report import as_markdown, headline
from readfirst.harness.diff.sources import ContractSide
from readfirst.harness.record.record import Recorded, accept_replays
from readfirst.harness.report.markdown_escape import bullets, document, prose
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions.points import Histories, scenarios_of_changes
from readfirst.observatory.versions.bisect import Answers, VersionReplays, compared_parts, find_changes

MAX_VERSIONS_ASKED = 8
"""If more versions lie between two contracts, `record_between` replays only differing scenarios, not whole families."""

Ask = Callable[[str, Sequence[str]], Answers]


def dated_differences(suite: Suite, contract: Contract, before: Contract) -> Diff:
    """Return the differences between two contracts, with the versions that introduced them. Raises SuiteError."""
    found = diff(suite, ContractSide(suite, before), ContractSide(suite, contract), suite.ids())
    # Versions between the two were recorded for every scenario that differs.
    recorded = scenarios_of_changes() | found.differing
    return found.with_causes(add_versions(suite, before, contract, found.causes, recorded))


def record_between(
    replays: VersionReplays,
    published: Sequence[str],
    found: Diff,
    before: Contract,
    contract: Contract,
    ask: Ask,
) -> Iterator[Recorded]:
    """Record the differing scenarios on two `published` versions for each change: the last before it, and the first
    after it.
    """
    suite = replays.suite
    first, last = Version(before.version or "0"), Version(contract.version or "0")
    between = [each for each in published if first < Version(each) < last]
    if not between or not found.causes:
        return
    ends = {str(first): before.name, str(last): contract.name}

    def answers(version: str, ids: Sequence[str]) -> Answers:
        if version not in ends:
            return ask(version, ids)
        recorded = {each: suite.recordings.recording(each).transcripts for each in ids}
        return {
            each: compared_parts(known[ends[version]], "text")
            for each, known in recorded.items()
            if ends[version] in known
        }

    wanted: dict[str, set[str]] = {}
    if len(between) <= MAX_VERSIONS_ASKED:
        families = {each.partition("/")[0] for each in found.differing}
        ids = [each for each in suite.ids() if each.partition("/")[0] in families]
        ids = [each for each in ids if before.name in suite.recordings.recording(each).transcripts]
        seen = {version: answers(version, ids) for version in (str(first), *between, str(last))}
        for scenario_id in ids:
            known = [version for version in seen if scenario_id in seen[version]]
            if any(seen[one][scenario_id] != seen[two][scenario_id] for one, two in pairwise(known)):
                wanted[scenario_id] = {*known} - ends.keys()
    else:
        for change in find_changes([str(first), *between, str(last)], sorted(found.differing), answers):
            wanted.setdefault(change.scenario_id, set()).update({change.before, change.after} - ends.keys())
    by_version = {version: [each for each in wanted if version in wanted[each]] for version in between}
    yield from accept_replays(
        suite,
        {replays.contract(version).name: ids for version, ids in by_version.items() if ids},
        "create",
        replays.takes,
    )


def reference_tasks(found: Sequence[Diff], known: Histories) -> Iterator[str]:
    """Yield a line for each cause of differences, with the `known` behaviours that the differing scenarios show."""
    causes: dict[object, Cause] = {}
    for cause in (cause for each in found for cause in each.causes):
        causes.setdefault(cause.signature, cause)
    for cause in causes.values():
        touched = {*cause.scenario_ids}
        behaviours = [name for name, history in known.items() if touched & {*history.shown_by}]
        since = f" since {', '.join(cause.since)}" if cause.since else ""
        change = f"change {' or '.join(behaviours)}, or " if behaviours else ""
        yield f"{headline(cause)}{since}, shown by {cause.example.scenario_id}: {change}add a behaviour"


def adoption_report(found: Sequence[Diff], left: Sequence[str]) -> str:
    """Return the page of `product adopt --report`: differences for users, changed harm, and the tasks `left`."""
    shown: dict[str, str] = {}
    for each in found:
        title, _, page = as_markdown(each).partition("\n")
        shown[title] = "\n\nThe same.\n" if f"\n{page}" in shown.values() else f"\n{page}"
    pages = [f"{title}{page}" for title, page in shown.items()]
    if left:
        pages.append(document(["## Left for a person", bullets(map(prose, left))]))
    return "\n".join(pages)

"""Find the harm in the recordings of the product, group it by cause, and write docs/harm.md and docs/harm.json.

Reads the recordings of all contracts. The exit code is 1 if a harm has no cause in observatory/tools/harms.yaml, and
with `--check` if a file would change.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any

from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.report.markdown_escape import table
from readfirst.harness.suite.contracts import Contract, contract_sort_key
from readfirst.harness.suite.harm_kinds import HARMS, KINDS, MEANING
from readfirst.harness.suite.scenario_metadata import is_generated
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Transcript
from readfirst.harness.yaml_io import strict_yaml
from readfirst.observatory.cli.pages import keep_pages

ROOT = Path(__file__).parents[2]
CAUSES, CONVENTIONS = (Path(__file__).with_name(f"{name}.yaml") for name in ("harms", "conventions"))
DATA = ROOT / "docs" / "harm.json"
PAGE = ROOT / "docs" / "harm.md"
CAUSES_PAGE = ROOT / "docs" / "harm-causes.md"
BEGIN, END = "<!-- written by observatory/tools/harms.py -->\n", "<!-- end -->\n"
"""Comments in docs/harm.md. The sections between these two comments are generated."""


@dataclass(frozen=True)
class Cause:
    """A known cause of harm by the product: a sentence (`reason`), and conditions. An empty condition always holds."""

    id: str
    kinds: tuple[str, ...]
    reason: str
    what: str = ""
    scenario: str = ""
    gate: str = ""
    first: str = ""
    last: str = ""

    def explains(self, harm: Harm, scenario_id: str, contract: Contract) -> bool:
        return (
            harm.kind in self.kinds
            and re.search(self.what, harm.what) is not None
            and (not self.scenario or re.fullmatch(self.scenario, scenario_id) is not None)
            and self.gate in ("", contract.read_gate)
            and (not self.first or contract_sort_key(self.first) <= contract_sort_key(contract.name))
            and (not self.last or contract_sort_key(contract.name) <= contract_sort_key(self.last))
        )


@dataclass(frozen=True)
class RecordedHarm:
    """A harm that the product did in the recording of one scenario on one contract."""

    scenario: str
    contract: str
    harm: Harm

    def sort_key(self, suite: Suite) -> tuple[bool, int, str, Harm]:
        """Return a key that sorts hand-written scenarios first, then scenarios with few steps."""
        return is_generated(self.scenario), count_steps(suite, self.scenario), self.scenario, self.harm

    def shown(self, suite: Suite) -> dict[str, Any]:
        """Return the scenario and its harmful step in JSON types, as docs/harm.json contains them."""
        scenario = suite.scenario(self.scenario)
        return {
            "scenario": self.scenario,
            "title": scenario.title,
            "steps": len(scenario.steps),
            "step": self.harm.step + 1,
            "line": self.harm.line,
        }


@cache
def count_steps(suite: Suite, scenario_id: str) -> int:
    return len(suite.scenario(scenario_id).steps)


def load_conventions() -> Sequence[Mapping[str, str]]:
    """Return changes of files that do not count as harm: a `sentence` about each, and a `scenario` that shows it."""
    listed: Sequence[Mapping[str, str]] = strict_yaml.load(CONVENTIONS.read_bytes(), CONVENTIONS).value
    return listed


@cache
def load_causes() -> tuple[Cause, ...]:
    document = strict_yaml.load(CAUSES.read_bytes(), CAUSES)
    return tuple(
        Cause(
            each["cause"],
            tuple(each["kind"]),
            **{key: value for key, value in each.items() if key not in ("cause", "kind")},
        )
        for each in document.value
    )


def cause_of(found: RecordedHarm, suite: Suite) -> Cause | None:
    """Return the first cause in harms.yaml that explains a harm. None if no cause explains it."""
    contract = suite.contracts[found.contract]
    return next((each for each in load_causes() if each.explains(found.harm, found.scenario, contract)), None)


def find_harms(ids: Sequence[str]) -> tuple[list[RecordedHarm], dict[str, set[str]]]:
    """Return the harms in the recordings of the scenarios `ids`, and each contract's recorded scenarios."""
    suite = Suite(ROOT / "fixtures")
    found = []
    sessions: dict[str, set[str]] = {}
    for scenario_id in ids:
        scenario = suite.scenario(scenario_id)
        for transcript, contracts in _shared_transcripts(suite, scenario_id, scenario.inputs):
            harms = harms_of(scenario, recorded_outcome(scenario, transcript))
            for contract in contracts:
                sessions.setdefault(contract, set()).add(scenario_id)
                found += [RecordedHarm(scenario_id, contract, harm) for harm in harms]
    return found, sessions


def _shared_transcripts(
    suite: Suite, scenario_id: str, inputs: str
) -> Iterator[tuple[Transcript, list[str]]]:
    """Yield each different transcript of a scenario once, with the names of the contracts that share it."""
    together: dict[int, tuple[Transcript, list[str]]] = {}
    known = {each.name for each in suite.contracts}
    for contract, transcript in suite.recordings.of(scenario_id, inputs).transcripts.items():
        if contract in known:
            together.setdefault(id(transcript), (transcript, []))[1].append(contract)
    yield from together.values()


def find_all_harms(jobs: int = 2) -> tuple[list[RecordedHarm], dict[str, set[str]]]:
    """Return the harms in all recordings, and the recorded scenarios of each contract. Uses `jobs` processes."""
    ids = sorted(Suite(ROOT / "fixtures").ids())
    found: list[RecordedHarm] = []
    sessions: dict[str, set[str]] = {}
    with ProcessPoolExecutor(jobs) as pool:
        for each, judged in pool.map(find_harms, [ids[start :: 4 * jobs] for start in range(4 * jobs)]):
            found += each
            for contract, scenarios in judged.items():
                sessions.setdefault(contract, set()).update(scenarios)
    return sorted(found, key=lambda each: (each.scenario, each.contract, each.harm)), sessions


def harm_data(
    found: Iterable[RecordedHarm], sessions: Mapping[str, Set[str]], suite: Suite
) -> dict[str, Any]:
    """Return the content of docs/harm.json: the numbers of harmed scenarios by contract and by cause, and of harmed
    recordings by rule. `sessions` contains the recorded scenarios of each contract. Exits with a message if a harm has
    no cause in harms.yaml.
    """
    names = [each.name for each in suite.contracts if each.name in sessions]
    rows: dict[str, dict[str, set[str]]] = {name: {kind: set() for kind in KINDS[:-1]} for name in names}
    shortest: dict[str, dict[str, RecordedHarm]] = {name: {} for name in names}
    by_cause: dict[str, dict[str, set[str]]] = {}
    by_rule: dict[str, dict[str, set[tuple[str, str]]]] = {}
    unexplained: list[str] = []
    for each in found:
        rows[each.contract][each.harm.kind].add(each.scenario)
        known = shortest[each.contract]
        known[each.harm.kind] = min(
            each, known.get(each.harm.kind, each), key=lambda found: found.sort_key(suite)
        )
        kinds = by_rule.setdefault(suite.heading(each.scenario).rule, {})
        kinds.setdefault(each.harm.kind, set()).add((each.scenario, each.contract))
        cause = cause_of(each, suite)
        if cause is None:
            unexplained.append(f"{each.scenario} on {each.contract} has no cause: {each.harm.line}")
            continue
        by_cause.setdefault(cause.id, {}).setdefault(each.contract, set()).add(each.scenario)
    if unexplained:
        raise SystemExit("\n".join(unexplained))
    return {
        "contracts": {
            name: {
                "sessions": len(sessions[name]),
                "harmed": {kind: len(ids) for kind, ids in rows[name].items()},
                "any": len(set().union(*(rows[name][kind] for kind in HARMS))),
                "shortest": {
                    kind: shortest[name][kind].shown(suite) for kind in KINDS if kind in shortest[name]
                },
                **changes_since(suite.contracts[name], rows, by_cause, sessions, suite),
            }
            for name in names
        },
        "causes": [
            {
                "id": cause.id,
                "kinds": list(cause.kinds),
                "reason": cause.reason,
                "contracts": {name: len(by_cause[cause.id].get(name, ())) for name in names},
                "example": min(
                    (each for ids in by_cause[cause.id].values() for each in ids),
                    key=lambda each: (is_generated(each), each),
                ),
            }
            for cause in load_causes()
            if cause.id in by_cause
        ],
        "rules": {
            rule: {kind: len(shown[kind]) for kind in KINDS if kind in shown}
            for rule, shown in sorted(by_rule.items())
        },
    }


def changes_since(
    contract: Contract,
    harmed: Mapping[str, Mapping[str, Set[str]]],
    by_cause: Mapping[str, Mapping[str, Set[str]]],
    sessions: Mapping[str, Set[str]],
    suite: Suite,
) -> dict[str, Any]:
    """Return `since`: the differences in harm from the previous contract. Empty if it was not recorded."""
    before = suite.contracts.before(contract)
    if before is None or before.name not in sessions:
        return {}
    pair = before.name, contract.name
    both = sessions[pair[0]] & sessions[pair[1]]
    shown = [{kind: both & harmed[name].get(kind, set()) for kind in KINDS} for name in pair]
    was, now = ({id for id, shown in by_cause.items() if both & shown.get(name, set())} for name in pair)
    return {
        "since": {
            "version": before.name,
            "sessions": len(both),
            "any": [len(set().union(*(side[kind] for kind in HARMS))) for side in shown],
            "counts": {kind: [len(side[kind]) for side in shown] for kind in KINDS},
            "new": sorted(now - was),
            "gone": sorted(was - now),
        }
    }


def page_sections(found: Mapping[str, Any]) -> str:
    """Return the sections of docs/harm.md: kinds of harm, harmless changes, and harm by contract (from `harm_data`)."""
    kinds = KINDS[:-1]
    contracts = [
        [name, f"{each['sessions']:,}", *(f"{each['harmed'][kind]:,}" for kind in kinds)]
        for name, each in found["contracts"].items()
    ]
    sessions = sum(each["sessions"] for each in found["contracts"].values())
    sections = [
        "## Kinds of harm, the worst first",
        table(["kind", "when"], [[f"`{kind}`", MEANING[kind]] for kind in KINDS]),
        "## Changes that are not harm",
        table(
            ["change", "scenario that shows it"],
            [[each["sentence"], f"`{each['scenario']}`"] for each in load_conventions()],
        ),
        "## Claude Code, version by version",
        f"{len(found['causes'])} causes explain all harms in {sessions:,} recordings: "
        "[harm-causes.md](harm-causes.md). In these counts, a recording is one\nscenario on one version. For each "
        "version and each kind of harm, the table counts the recordings with this harm. One\nrecording may have "
        "several kinds of harm. The judge treats recordings like sessions of any other tool. `+gated` is the\nsame "
        "version with an older model, which must read a file before it edits it.",
        table(["contract", "recordings", *kinds], contracts, numbers=("recordings", *kinds)),
    ]
    return "\n\n".join(sections) + "\n"


def causes_page(found: Mapping[str, Any]) -> str:
    """Return the text of docs/harm-causes.md, with one section per cause. `found` is the result of `harm_data`."""
    parts = [
        "# Causes of harm in Claude Code",
        "Each harm in the recordings of Claude Code has one of the causes below. A *recording* is one scenario on one\n"
        "version. For each cause, the page states the [kinds of harm](harm.md), the number of recordings with this "
        "harm, the\nversions, and a scenario as an example.",
    ]
    for cause in found["causes"]:
        on = [name for name, count in cause["contracts"].items() if count]
        where = on[0] if len(on) == 1 else f"{len(on)} contracts ({on[0]} to {on[-1]})"
        total = sum(cause["contracts"].values())
        name = cause["id"].replace("-", " ").capitalize()
        parts.append(f"## {name}")
        parts.append(fill(cause["reason"], 120, break_long_words=False, break_on_hyphens=False))
        kinds = re.sub(r", (?=[^,]+$)", " and ", ", ".join(f"`{kind}`" for kind in cause["kinds"]))
        recordings = f"{total:,} recordings" if total > 1 else "1 recording"
        example = f"{'for example ' if total > 1 else ''}of the scenario `{cause['example']}`"
        parts.append(f"The cause *{name}* led to {kinds} in {recordings} of {where}, {example}.")
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Find the harms in all recordings, and write or check docs/harm.json and the pages about harm."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a file is stale")
    check = parser.parse_args(arguments).check
    suite = Suite(ROOT / "fixtures")
    made = harm_data(*find_all_harms(), suite)
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    written = {
        PAGE: before + BEGIN + page_sections(made) + END + rest.partition(END)[2],
        CAUSES_PAGE: causes_page(made),
        DATA: json.dumps(made, indent=1) + "\n",
    }
    return keep_pages(written, "renew", check=check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The reference's table states the version of each behaviour's change: recordings show that it is exact."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from packaging.version import Version

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.diff.introduced_in import contracts_of_models, version_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.product_versions import load_releases
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.transcript import Recording
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.reference_impl import behaviours_of
from readfirst.reference_impl.behaviours.versioned import ByModel
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

from .judging import SUITE, judge_status, list_tools

HIDDEN_BY_REREADS = "hidden before it by changed_own_writes_are_reread, which begins then"
SCHEMA = "the schema of settings changes in more versions than are told apart"
OTHER_MODEL = "the versions before it were recorded with another model"

NOT_EXACT: dict[tuple[str, str], str] = {
    ("final_slash_is_part_of_the_key", "2.1.280"): "before it, no tool takes a path with a final slash",
    ("changed_file_reminder", "1.0.3"): HIDDEN_BY_REREADS,
    ("changed_reads_are_reread", "1.0.3"): HIDDEN_BY_REREADS,
    ("changes_by_commands_are_reread", "1.0.3"): HIDDEN_BY_REREADS,
    **{
        ("settings_schema_edition", version): SCHEMA
        for version in ("2.0.0", "2.0.76", "2.1.7", "2.1.87", "2.1.112", "2.1.160", "2.1.207")
    },
    ("parent_is_opened_before_write", "2.1.251"): "hidden by execution_stats_path_first, which ends with it",
    ("settings_check_is_lenient", "2.1.260"): "the refusal is pinned only up to the words that differ",
    ("offset_1_is_whole_read", "2.1.108"): "hidden before it, because every touched file is stale until then",
    ("deny_fails_at_rule_base", "1.0.8"): "1.0.5 writes a file of its own into the workspace",
    ("plan_mode_refuses_changes", "2.1.160"): "not searched for between 2.1.112 and 2.1.160",
    ("plan_mode_reads_anywhere", "2.1.228"): OTHER_MODEL,
    ("reminders_strip_answer_end", "2.1.228"): OTHER_MODEL,
    ("ten_calls_run_at_once", "2.1.154"): "2.1.153 does it now and then",
    ("write_compares_sub_milliseconds", "1.0.114"): "hidden by staleness_uses_read_time, which ends with it",
    ("deny_follows_dangling_links", "2.1.73"): "hidden by deny_follows_links, which comes back with it",
    ("resume_counts_edits_as_seen", "2.1.281"): "before it, every Edit answers so",
    ("claude_md_counts_as_read_by_agents", "1.0.117"): "hidden by sub_agents_have_their_own_memory before",
    ("hook_context_reaches_agents", "2.0.19"): "hidden before it by hook_added_context, which begins then",
    ("sockets_are_special_files", "2.1.328"): "before it, a refusal has words that errors.yaml does not name",
}
"""Changes whose version may be inexact, each with the reason why no recording can show the exact version."""

RELEASES = load_releases(SUITE.root / "releases.yaml")
PARTS = 4
"""The changes are divided so that processes share the work. The quick tests check the first part."""


@dataclass(frozen=True)
class Change:
    """The change of a behaviour in `version`. A value is a `ByModel` if it differs between classes of models."""

    behaviour: str
    version: str
    before: Any
    after: Any
    shown_by: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.behaviour}-{self.version}"


@dataclass(frozen=True)
class Sides:
    """A scenario recorded in two successive versions. `gated`: with models that must read first."""

    scenario_id: str
    before: str
    after: str
    gated: bool


def changes() -> list[Change]:
    found = []
    for name, history in behaviour_histories().items():
        values = [history.first, *history.changes.values()]
        for version, (before, after) in zip(history.changes, pairwise(values), strict=True):
            found.append(Change(name, ".".join(map(str, version)), before, after, history.shown_by))
    return found


@cache
def load_recording(scenario_id: str) -> Recording:
    return Recordings(SUITE.recordings_root).recording(scenario_id)


def both_sides(change: Change) -> Iterator[Sides]:
    """Yield the scenarios whose recordings differ between the version of the change and the previous version."""
    for scenario_id in change.shown_by:
        recording = load_recording(scenario_id)
        for gated in (False, True):
            for before, after in pairwise(contracts_of_models(recording, gated=gated)):
                exact = RELEASES.are_adjacent(version_of(before), version_of(after))
                differ = recording.transcripts[before] != recording.transcripts[after]
                if exact and differ and version_of(after) == change.version:
                    yield Sides(scenario_id, before, after, gated)


def is_shown_exactly(change: Change) -> bool:
    """Whether recordings contradict the reference if the change came one version later, and one version sooner."""
    late = sooner = False
    with WorkspacePool(memory=True) as place:
        for sides in both_sides(change):
            before, after = (value_for_model(value, sides.gated) for value in (change.before, change.after))
            asked = sides.scenario_id, change.behaviour
            late = late or is_contradicted(*asked, sides.after, before, place)
            sooner = sooner or is_contradicted(*asked, sides.before, after, place)
    return late and sooner


def is_shown_by_a_contract(change: Change) -> bool:
    """Whether recordings of a contract contradict the reference if the behaviour never changed."""
    first = Version(change.version)
    later = [each for each in SUITE.contracts.recorded if Version(each.version or "0") >= first]
    with WorkspacePool(memory=True) as place:
        for contract in later:
            before = value_for_model(change.before, contract.read_gate == "enforced")
            for scenario_id in change.shown_by:
                if is_contradicted(scenario_id, change.behaviour, contract.name, before, place):
                    return True
    return False


def is_contradicted(scenario_id: str, behaviour: str, name: str, value: Any, place: WorkspacePool) -> bool:
    """Whether the reference fails a scenario in the version `name` if `behaviour` has this value there."""
    contract = SUITE.contracts.find(name)
    moved = behaviours_of(name).changed(**{behaviour: value})
    scenario = SUITE.scenario(scenario_id, contract)
    return judge_status(scenario, replay(scenario, ReferenceAdapter(moved), place), contract) == "failed"


def value_for_model(value: Any, gated: bool) -> Any:
    """Return the value for a class of models. Before 2.1.208, all models have the same value."""
    if not isinstance(value, ByModel):
        return value
    return value.enforced if gated else value.relaxed


def tool_is_gone(change: Change) -> bool:
    """Whether the change removes a tool. Scenarios that need the tool cannot be recorded afterwards."""
    last = RELEASES.versions[RELEASES.position(change.version) - 1]
    gone = set(SUITE.contracts.find(last).tools) - set(SUITE.contracts.find(change.version).tools)
    return (
        list_tools(last) - list_tools(change.version) == gone != set()
        and list_tools(behaviours_of(change.version).changed(**{change.behaviour: change.before}))
        == list_tools(last)
        and all(last in load_recording(scenario_id).transcripts for scenario_id in change.shown_by)
    )


def describe_problem(change: Change) -> str:
    """Return a message that names the missing recordings. Empty if the version is exact."""
    shown_by = " or ".join(change.shown_by)
    if (change.behaviour, change.version) in NOT_EXACT:
        if is_shown_exactly(change):
            return f"{change} is exact by now: take it off the list"
        return "" if is_shown_by_a_contract(change) else f"nothing of {shown_by} shows {change}"
    if Version(change.version) > Version(RELEASES.versions[-1]):
        RELEASES.position(change.version)  # raises an error if the list of releases is outdated
    if change.version not in RELEASES.versions:
        return f"nobody can install the version of {change}"
    if is_shown_exactly(change) or tool_is_gone(change):
        return ""
    return (
        f"{change}: record {shown_by} on {change.version} and on the version published before it, "
        "or correct the version in reference_impl/behaviours/"
    )


@pytest.mark.parametrize("part", [0, *(pytest.param(at, marks=pytest.mark.slow) for at in range(1, PARTS))])
def test_recordings_show_the_exact_version_of_every_change(part: int) -> None:
    some = changes()[part::PARTS]
    assert some
    assert [found for each in some if (found := describe_problem(each))] == []


EXACT = [each for each in changes() if (each.behaviour, each.version) not in NOT_EXACT]


@pytest.mark.parametrize("step", [-1, pytest.param(1, marks=pytest.mark.slow)], ids=["sooner", "later"])
def test_a_change_with_a_version_that_is_one_too_early_or_too_late_is_reported(step: int) -> None:
    for change in [each for each in EXACT if each.version != RELEASES.versions[-1]][::7]:
        place = RELEASES.position(change.version) + step
        moved = dataclasses.replace(change, version=RELEASES.versions[place])
        assert describe_problem(moved).startswith(f"{moved}: record "), change


def test_fewer_changes_are_inexact_and_each_is_in_the_table_of_the_reference() -> None:
    assert len(EXACT) > len(NOT_EXACT)
    assert set(NOT_EXACT) <= {(each.behaviour, each.version) for each in changes()}


def test_a_behaviour_that_never_changed_is_shown_by_a_recorded_scenario() -> None:
    constant = {name: each for name, each in behaviour_histories().items() if not each.changes}
    assert constant
    default = SUITE.contracts.default
    with WorkspacePool(memory=True) as place:
        unseen = [
            name
            for name, each in constant.items()
            if not any(is_contradicted(one, name, default, each.documented, place) for one in each.shown_by)
        ]
    assert unseen == []

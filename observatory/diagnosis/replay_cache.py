"""Replay scenarios on the reference with changed behaviours, and reuse results that cannot differ."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Self

from readfirst.harness.adapter_api import BASH, SESSION_CAPABILITIES, TIME_LIMIT, Workspace
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.adapters.reference import ReferenceSession
from readfirst.harness.adapters.shell import CommandLimits
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Verdict, verdict_without_replay
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.diagnosis.fingerprint import NO_RESULT, Fingerprint, fingerprint_of
from readfirst.reference_impl import Behaviours
from readfirst.reference_impl.behaviours_by_version import behaviour_groups


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of the reference in a scenario, and the names of the behaviours that it `used`."""

    fingerprint: Fingerprint
    used: frozenset[str]


_TIMING_CAPABILITIES = {"stop", "resume"}
"""A scenario that needs both capabilities has no fixed result, because it interrupts a call that is writing."""


class ReplayCache:
    """Replays scenarios on the reference, and caches each result by the values of the behaviours that it used."""

    def __init__(self, suite: Suite) -> None:
        self.count = 0
        """Number of replays."""
        self.suite = suite
        self._pool = WorkspacePool(memory=True)
        self._scenarios: dict[str, Scenario] = {}
        self._results: dict[str, dict[tuple[str, ...], dict[tuple[Any, ...], ReplayResult]]] = {}
        """The results of each scenario, by the names of the used behaviours and by their values."""

    def __call__(self, scenario_id: str, behaviours: Behaviours) -> ReplayResult:
        """Return the reference's result in a scenario. Raises SuiteError if the scenario's file is invalid."""
        known = self._results.setdefault(scenario_id, {})
        for names, results in known.items():
            if (earlier := results.get(tuple(map(behaviours.value, names)))) is not None:
                return earlier
        if scenario_id not in self._scenarios:
            self._scenarios[scenario_id] = self.suite.with_full_contents(self.suite.scenario(scenario_id))
        scenario = self._scenarios[scenario_id]
        verdict, used = self._replay_scenario(scenario, behaviours)
        found = NO_RESULT if scenario.needs >= _TIMING_CAPABILITIES else fingerprint_of(verdict) or NO_RESULT
        seen = ReplayResult(found, frozenset(used))
        known.setdefault(used, {})[tuple(map(behaviours.value, used))] = seen
        return seen

    def _replay_scenario(self, scenario: Scenario, behaviours: Behaviours) -> tuple[Verdict, tuple[str, ...]]:
        """Return the verdict for the scenario's contract, and the names of the behaviours that the reference used."""
        suite, contract = self.suite, self.suite.contracts[scenario.contract]
        self.count += 1
        adapter = _Adapter(behaviours)
        offered: tuple[str, ...] = ("multi_edit_exists",)
        if "NotebookRead" in scenario.needs:
            offered += ("read_refuses_notebooks",)
        skip = verdict_without_replay(scenario, contract, "reason", adapter.traits.capabilities)
        if skip is not None:
            return skip, offered
        outcome = replay(scenario, adapter, self._pool)
        verdict = compare(scenario, outcome, contract, "reason", suite.vocabulary)
        return verdict, tuple(dict.fromkeys((*offered, *adapter.used)))

    def close(self) -> None:
        """Remove the workspaces that the replays used."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Adapter:
    """Opens sessions of the reference. `used`: names of the behaviours that the last session looked up, in order."""

    def __init__(self, behaviours: Behaviours) -> None:
        tools = {"Read", "Edit", "Write", "NotebookEdit", BASH}
        if behaviours.calls.multi_edit_exists:
            tools.add("MultiEdit")
        if behaviours.notebooks.read_refuses_notebooks:
            tools.add("NotebookRead")
        self.traits = AdapterTraits(frozenset({*tools, *SESSION_CAPABILITIES}), reuses_paths=True)
        self.used: dict[str, None] = {}
        self._behaviours = behaviours

    def open(self, workspace: Workspace) -> ReferenceSession:
        """Start a new session of the reference in the workspace."""
        self.used = {}
        limits = CommandLimits(workspace.root, workspace.home, TIME_LIMIT)
        return ReferenceSession.of(_watch_behaviours(self._behaviours, self.used), workspace, limits)


class _Distinct(Behaviours):
    """Behaviours that are equal only to themselves, so that caches distinguish them from unwatched behaviours."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


def _watch_behaviours(behaviours: Behaviours, used: dict[str, None]) -> Behaviours:
    """Return a copy of the behaviours that adds the name of each behaviour to `used` when the reference reads it."""
    watched = {}
    for group, kind in behaviour_groups().items():
        values = {each.name: behaviours.value(each.name) for each in fields(kind)}
        watched[group] = watched_group = _watched_class(kind)(**values)
        vars(watched_group)[_USED_ATTRIBUTE] = used
    return _Distinct(**watched)


_USED_ATTRIBUTE = "_asked"


@cache
def _watched_class(kind: type) -> type:
    """Return a subclass of `kind`, a group of behaviours. When a behaviour is read, its name is added to `_asked`."""
    names = frozenset(each.name for each in fields(kind))

    def get_attribute(group: object, name: str) -> Any:
        if name in names:
            object.__getattribute__(group, "__dict__")[_USED_ATTRIBUTE][name] = None
        return object.__getattribute__(group, name)

    members = {"__getattribute__": get_attribute, "__eq__": object.__eq__, "__hash__": object.__hash__}
    return type(kind.__name__, (kind,), members)

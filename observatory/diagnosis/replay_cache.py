"""Replay scenarios on the reference with any behaviours. Replays that would take the same path through the reference
are done once.
"""

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
from readfirst.observatory.diagnosis.fingerprint import BROKEN, Fingerprint, fingerprint_of
from readfirst.reference_impl import DEFAULT_CONTRACT, Behaviours, behaviours_of
from readfirst.reference_impl.behaviours_by_version import behaviour_groups

_SEVERAL_EDITS = "multi_edit_exists"
_NOTEBOOK_READ = "read_refuses_notebooks"


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of the reference in a scenario, and the behaviours that the reference used (`asked`). The result does
    not depend on other behaviours.
    """

    fingerprint: Fingerprint
    asked: frozenset[str]


_LUCK = {"stop", "resume"}
"""Capabilities of scenarios whose result depends on timing: a resumed conversation continues after a call that was
interrupted while it wrote.
"""


class Replays:
    """Replays scenarios of a suite on the reference with any behaviours, and caches the results.

    A result depends only on the behaviours that the reference uses. If all of these have the same values as in an
    earlier replay of the scenario, the result of that replay is returned.
    """

    def __init__(self, suite: Suite) -> None:
        self.count = 0
        """Number of replays."""
        self.suite = suite
        self._place = WorkspacePool(memory=True)
        self._scenarios: dict[str, Scenario] = {}
        self._known: dict[str, dict[tuple[str, ...], dict[tuple[Any, ...], ReplayResult]]] = {}
        """The results of each scenario, by the names of the used behaviours and by their values."""

    def __call__(self, scenario_id: str, behaviours: Behaviours) -> ReplayResult:
        """Return the result of the reference in a scenario. Raises SuiteError if its file is damaged."""
        known = self._known.setdefault(scenario_id, {})
        for names, results in known.items():
            if (earlier := results.get(tuple(map(behaviours.value, names)))) is not None:
                return earlier
        if scenario_id not in self._scenarios:
            self._scenarios[scenario_id] = self.suite.in_full(self.suite.scenario(scenario_id))
        scenario = self._scenarios[scenario_id]
        verdict, asked = self._replay_scenario(scenario, behaviours)
        found = BROKEN if scenario.needs >= _LUCK else fingerprint_of(verdict) or BROKEN
        seen = ReplayResult(found, frozenset(asked))
        known.setdefault(asked, {})[tuple(map(behaviours.value, asked))] = seen
        return seen

    def is_broken(self, scenario_id: str) -> bool:
        """Whether the reference cannot replay a scenario in this process, or its result depends on timing."""
        return self(scenario_id, behaviours_of(DEFAULT_CONTRACT)).fingerprint == BROKEN

    def _replay_scenario(self, scenario: Scenario, behaviours: Behaviours) -> tuple[Verdict, tuple[str, ...]]:
        """Replay a scenario. Return the verdict for its own contract, and the names of the used behaviours."""
        suite, contract = self.suite, self.suite.contracts[scenario.contract]
        self.count += 1
        adapter = _Adapter(behaviours)
        offered = (_SEVERAL_EDITS, _NOTEBOOK_READ) if "NotebookRead" in scenario.needs else (_SEVERAL_EDITS,)
        skip = verdict_without_replay(scenario, contract, "reason", adapter.traits.capabilities)
        if skip is not None:
            return skip, offered
        outcome = replay(scenario, adapter, self._place)
        verdict = compare(scenario, outcome, contract, "reason", suite.vocabulary)
        asked = dict.fromkeys((*offered, *adapter.asked))
        return verdict, tuple(asked)

    def close(self) -> None:
        """Remove the workspaces."""
        self._place.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Adapter:
    """Opens sessions of the reference with any behaviours. `asked` are those that the last session used, in order."""

    def __init__(self, behaviours: Behaviours) -> None:
        tools = {"Read", "Edit", "Write", "NotebookEdit", BASH}
        if behaviours.calls.multi_edit_exists:
            tools.add("MultiEdit")
        if behaviours.notebooks.read_refuses_notebooks:
            tools.add("NotebookRead")
        self.traits = AdapterTraits(frozenset({*tools, *SESSION_CAPABILITIES}), reuses_paths=True)
        self.asked: dict[str, None] = {}
        self._behaviours = behaviours

    def open(self, workspace: Workspace) -> ReferenceSession:
        """Start a session that has read no file."""
        self.asked = {}
        limits = CommandLimits(workspace.root, workspace.home, TIME_LIMIT)
        return ReferenceSession.of(_watch_behaviours(self._behaviours, self.asked), workspace, limits)


class _Distinct(Behaviours):
    """Behaviours that are equal only to themselves, so that no cache replaces them by equal behaviours."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


def _watch_behaviours(behaviours: Behaviours, asked: dict[str, None]) -> Behaviours:
    """Return behaviours with the same values. Each use of a behaviour adds its name to `asked`."""
    watched = {}
    for group, kind in behaviour_groups().items():
        values = {each.name: behaviours.value(each.name) for each in fields(kind)}
        watched[group] = noting = _noting(kind)(**values)
        vars(noting)[_ASKED] = asked
    return _Distinct(**watched)


_ASKED = "_asked"


@cache
def _noting(kind: type) -> type:
    """Return a subclass of a group of behaviours that adds the name of each behaviour that is used to `_asked`."""
    names = frozenset(each.name for each in fields(kind))

    def noted(group: object, name: str) -> Any:
        if name in names:
            object.__getattribute__(group, "__dict__")[_ASKED][name] = None
        return object.__getattribute__(group, name)

    members = {"__getattribute__": noted, "__eq__": object.__eq__, "__hash__": object.__hash__}
    return type(kind.__name__, (kind,), members)

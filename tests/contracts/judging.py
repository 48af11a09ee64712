"""Judging: the reference with behaviours put together freely, held to what a scenario expects of a version."""

from __future__ import annotations

from readfirst.harness.adapters.reference import ReferenceSession
from readfirst.harness.compare.compare import compare, skipped
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.session import Workspace
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.reference_impl import Behaviours, FileTools

SUITE = Suite()
_CAPABILITIES = frozenset(
    {"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "parallel", "during", "deny"}
)


class Reference:
    """The reference with any behaviours."""

    repeats_paths = True

    def __init__(self, behaviours: Behaviours) -> None:
        self._behaviours = behaviours

    def open(self, workspace: Workspace) -> ReferenceSession:
        tools = FileTools(self._behaviours, root=workspace.root, home=workspace.home, deny=workspace.deny)
        return ReferenceSession(tools, 30.0)


def judged(scenario: Scenario, outcome: Outcome, contract: Contract) -> str:
    """Return the status of an outcome at level text."""
    skip = skipped(scenario, contract, "text", _CAPABILITIES)
    verdict = skip if skip is not None else compare(scenario, outcome, contract, "text", SUITE.vocabulary)
    return verdict.status


def offered(behaviours: str | Behaviours) -> set[str]:
    """Return the tools that the reference offers."""
    return {schema.tool for schema in FileTools(behaviours, root="/").schemas}

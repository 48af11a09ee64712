"""Describe the design and the refusals that an implementation shows."""

from collections.abc import Iterator

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.adapter_traits import REFUSALS, traits_of
from readfirst.harness.compare.design import DOES, DesignUnclear, design_seen
from readfirst.harness.compare.refusals import refusals_seen
from readfirst.harness.workspace.workspace_dir import WorkspacePool


def describe_behaviour(adapter: Adapter, place: WorkspacePool) -> Iterator[str]:
    """Yield a line about the design that an adapter shows, and a line for each call that it refuses although the
    contract answers it. If the adapter does not declare this behaviour, the lines contain the declaration to add.
    """
    traits = traits_of(adapter)
    if {"Read", "Edit"} <= traits.capabilities:
        try:
            seen = design_seen(adapter, place)
        except DesignUnclear as error:
            yield f"design: not known, because {error}"
        else:
            declared = traits.design or "strict"
            is_declared = seen == declared
            yield f"design: {seen} ({DOES[seen]})" + (
                "" if is_declared else f". Declare it: design = {seen!r}"
            )
    undeclared = [name for name in refusals_seen(adapter, place) if name not in traits.refuses]
    for name in undeclared:
        yield f"refuses: {REFUSALS[name]}, which the contract answers"
    if undeclared:
        yield f"If these refusals are intended, declare them: refuses = {undeclared}"

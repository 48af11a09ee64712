"""Provide the workspace that a replay uses, and mount the file systems that the scenario needs."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.workspace.mounts import small_disk
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool


def open_site(
    scenario: Scenario, adapter: Adapter, pool: WorkspacePool
) -> AbstractContextManager[WorkspaceDir]:
    """Return a context manager that lends a workspace: from the adapter's pool of servers, if any, or from `pool`."""
    traits = traits_of(adapter)
    if traits.servers is not None:
        return traits.servers.site(pool, scenario, adapter)
    return pool.site(unique=not traits.reuses_paths)


@contextmanager
def mount_disks(scenario: Scenario, adapter: Adapter, site: WorkspaceDir) -> Iterator[None]:
    """Mount the scenario's file systems. Ends running processes of the adapter, which cannot see them."""
    traits, disk = traits_of(adapter), scenario.given.disk
    if disk is None and not scenario.mounts:
        yield
        return
    with small_disk(site.root, disk), site.mounting() if scenario.mounts else nullcontext():
        traits.reset()
        try:
            yield
        finally:
            traits.reset()

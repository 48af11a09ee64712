"""Interference: world events between the validation and the execution of a call."""

from collections.abc import Callable

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.scenario import WorldEvent
from readfirst.harness.workspace.snapshot import changes
from readfirst.harness.workspace.workspace_dir import WorkspaceDir
from readfirst.harness.workspace.world_events import WorldEventError


class Interference:
    """Runs between a call's validation and execution: performs the events of `during`, then `finally_`."""

    def __init__(
        self,
        site: WorkspaceDir,
        events: tuple[WorldEvent, ...],
        finally_: Callable[[], object] = lambda: None,
    ) -> None:
        self.site = site
        self.events = events
        self.finally_ = finally_
        self.count = 0
        self.over = False
        self.error: WorldEventError | None = None
        self.changes: dict[str, Entry | None] = {}
        self.state: tuple[dict[str, Entry], dict[str, Entry]] | None = None
        """The workspace before and after the events."""

    def __call__(self) -> None:
        """Perform the events at the first execution. Later executions are only counted."""
        if self.over:
            return
        self.count += 1
        if self.count > 1:
            return
        before = self.site.snapshot()
        try:
            for event in self.events:
                self.site.perform(event)
        except WorldEventError as error:
            self.error = error
        self.state = before, self.site.snapshot()
        self.changes = changes(*self.state)
        self.finally_()

    def end(self) -> None:
        """Ignore later executions. Raises an event's WorldEventError; AdapterError if `interfere` ran several times."""
        self.over = True
        if self.error is not None:
            raise self.error
        if self.count > 1:
            raise AdapterError(f"the adapter ran `interfere` {self.count} times; it must run once or never")

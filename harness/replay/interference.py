"""Perform world events between the validation and the execution of a call, to test whether the call detects them."""

from collections.abc import Callable

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.scenario import WorldEvent
from readfirst.harness.workspace.snapshot import changes
from readfirst.harness.workspace.workspace_dir import WorkspaceDir
from readfirst.harness.workspace.world_events import WorldEventError


class Interference:
    """The function that an implementation runs during a call as `interfere`. It performs the `during` events of the
    scenario, then calls `afterwards`. `state` contains the workspace before and after the events (None before the call
    of the function), and `changes` the entries that the events changed.
    """

    def __init__(
        self,
        site: WorkspaceDir,
        events: tuple[WorldEvent, ...],
        afterwards: Callable[[], object] = lambda: None,
    ) -> None:
        self.site = site
        self.events = events
        self.afterwards = afterwards
        self.count = 0
        self.has_ended = False
        self.error: WorldEventError | None = None
        self.changes: dict[str, Entry | None] = {}
        self.state: tuple[dict[str, Entry], dict[str, Entry]] | None = None

    def __call__(self) -> None:
        """Perform the `during` events. Only the first call performs the events; later calls are only counted."""
        if self.has_ended:
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
        self.afterwards()

    def end(self) -> None:
        """Ignore later calls. Raises the WorldEventError of a failed event, AdapterError if called more than once."""
        self.has_ended = True
        if self.error is not None:
            raise self.error
        if self.count > 1:
            raise AdapterError(f"the adapter ran `interfere` {self.count} times; it must run once or never")

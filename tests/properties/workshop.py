"""Workshop: an implementation at work in a workspace, and in a second one where the same is done to compare."""

import resource
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import wraps
from itertools import permutations
from typing import Any

from model import Model
from moment import DENIED, Moment, Record, Seen, State, followed, look, relative

from readfirst.harness.session import ToolResult
from readfirst.harness.suite.entry import Entry, RegularFile
from readfirst.harness.suite.scenario import Given, Scenario, WorldEvent
from readfirst.harness.workspace.site import Site, SitePool, WorldEventError
from readfirst.reference_impl import Behaviours

Arguments = Mapping[str, Any]
Step = Callable[["Workshop"], object]
"""What can be done again in another workshop."""


@dataclass
class Desk:
    """One session in one workspace."""

    site: Site
    session: Any

    def state(self) -> State:
        return look(self.site.root)

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        return self.answer(self.session.call(tool, self.site.substituted(arguments)))

    def answer(self, result: ToolResult) -> ToolResult:
        return ToolResult(self.site.normalised(result.text), result.is_error, result.error)


def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method of a workshop one of its steps."""

    @wraps(method)
    def noted(shop: "Workshop", *arguments: Any, **named: Any) -> Any:
        shop.steps.append(lambda other: method(other, *arguments, **named))
        return method(shop, *arguments, **named)

    return noted


class Workshop:
    """Makes calls and changes, and tells of each call as a moment; `latest` is the latest one, `told` are all.

    `twice`: everything is done in a second workspace too. `behaviours` are those of the contract to be judged by.
    `steps` are what was done so far, `happened` counts kinds of changes and of calls that were refused or done.
    """

    def __init__(
        self,
        implementation: Any,
        place: SitePool,
        files: Mapping[str, Entry],
        behaviours: Behaviours,
        *,
        twice: bool = True,
    ) -> None:
        self.implementation = implementation
        self.place = place
        self.files = files
        self.behaviours = behaviours
        self.twice = twice
        self.steps: list[Step] = []
        self.happened: Counter[str] = Counter()
        self.stack = ExitStack()
        self.desks = [self._desk(files, self.stack) for _ in range(2 if twice else 1)]
        self.desk = self.desks[0]
        self.model = Model(files)
        self.records: dict[str, Record] = {}
        self.latest: Moment | None = None
        self.told: list[Moment] = []

    def _desk(self, files: Mapping[str, Entry], stack: ExitStack) -> Desk:
        scenario = Scenario("laws/given", "Laws", "must", Given(files, (f"Edit({DENIED}**)",)), ())
        site = stack.enter_context(self.place.site())
        site.lay_out(files)
        return Desk(site, self.implementation.open(site.workspace(scenario)))

    def anew(self) -> "Workshop":
        """Return a workshop with the same files where nothing was done yet."""
        return Workshop(self.implementation, self.place, self.files, self.behaviours, twice=self.twice)

    def close(self) -> None:
        self.stack.close()

    def text(self, path: str) -> str:
        """Return what a model would see of the file at a path, empty where there is none."""
        file = self.model.files.get(self.model.target(path))
        return "" if file is None else Seen("file", 0, 0, 0, file[0]).view

    def exists(self, path: str) -> bool:
        return path in self.model.files or path in self.model.links

    def is_file(self, path: str) -> bool:
        return self.model.target(path) in self.model.files

    @step
    def call(self, tool: str, **arguments: Any) -> Moment:
        before = self.desk.state()
        return self._tell(tool, arguments, [desk.call(tool, arguments) for desk in self.desks], before)

    @step
    def call_while(self, event: WorldEvent, tool: str, **arguments: Any) -> Moment:
        """Make a call, and a change between its validation and its execution."""
        before = self.desk.state()
        struck: list[State] = []

        def answer(desk: Desk) -> ToolResult:
            def interfere() -> None:
                desk.site.perform(event)
                struck.append(desk.state())

            return desk.answer(desk.session.call_during(tool, desk.site.substituted(arguments), interfere))

        results = [answer(desk) for desk in self.desks]
        if not struck:
            return self._tell(tool, arguments, results, before)
        self.model.event(event)
        self.happened["during"] += 1
        return self._tell(tool, arguments, results, struck[0], struck=followed(before, event.path))

    @step
    def call_with_room(self, room: int, tool: str, **arguments: Any) -> Moment:
        """Make a call where the system lets a file have no more than so many bytes."""
        before = self.desk.state()
        results = []
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        for desk in self.desks:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
            try:
                results.append(desk.call(tool, arguments))
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        return self._tell(tool, arguments, results, before, room=room)

    @step
    def message(self, path: str, edits: Sequence[Arguments]) -> Moment:
        """Make some Edits of one file in one message, and try out in which ways that may end."""
        before = self.desk.state()

        def together(desk: Desk) -> list[bool]:
            calls = [("Edit", desk.site.substituted(edit)) for edit in edits]
            return sorted(result.is_error for result in desk.session.call_parallel(calls))

        def one_after_the_other(desk: Desk, order: Sequence[Arguments]) -> list[bool]:
            desk.call("Read", {"file_path": f"$WS/{path}"})
            return sorted(desk.call("Edit", edit).is_error for edit in order)

        def outcome(refused: list[bool], desk: Desk) -> object:
            seen = followed(desk.state(), path)
            return refused, None if seen is None else seen.data

        refused, *_ = [together(desk) for desk in self.desks]
        orders = [outcome(refused, self.desk)]
        target = followed(before, path)
        if target is None:
            raise ValueError(f"{path}: no file to edit")
        for order in permutations(edits):
            with ExitStack() as aside:
                desk = self._desk({path: RegularFile(target.data or b"", target.mode)}, aside)
                orders.append(outcome(one_after_the_other(desk, order), desk))
        results = [ToolResult("", all(refused)) for _ in self.desks]
        return self._tell("Message", {}, results, before, orders=tuple(orders), path=path)

    @step
    def event(self, event: WorldEvent) -> bool:
        """Make a change by others; tell whether it could be made."""
        try:
            self.desk.site.perform(event)
        except WorldEventError:
            return False
        for desk in self.desks[1:]:
            desk.site.perform(event)
        self.model.event(event)
        self.happened[event.kind] += 1
        return True

    def _tell(
        self,
        tool: str,
        arguments: Arguments,
        results: Sequence[ToolResult],
        before: State,
        *,
        struck: Seen | None = None,
        room: int | None = None,
        orders: tuple[object, ...] = (),
        path: str | None = None,
    ) -> Moment:
        path = path or relative(arguments.get("file_path", arguments.get("notebook_path")))
        after = self.desk.state()
        echoes = [
            (echo, {path: (seen.data, seen.mode) for path, seen in desk.state().items()})
            for echo, desk in zip(results[1:], self.desks[1:], strict=True)
        ]
        moment = Moment(
            tool=tool,
            arguments=arguments,
            path=path,
            result=results[0],
            before=before,
            after=after,
            record=self.records.get(path or ""),
            previous=self.latest,
            echo=echoes[0] if echoes else None,
            struck=struck,
            room=room,
            orders=orders,
            behaviours=self.behaviours,
        )
        self.happened[f"{tool} {'refused' if moment.refused else 'done'}"] += 1
        self.model.call(moment)
        self.latest = moment = replace(moment, model=dict(self.model.files))
        if path is not None and not moment.refused:
            self.records[path] = Record(tool, followed(after, path))
        self.told.append(moment)
        return moment

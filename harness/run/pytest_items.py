"""The pytest plugin's collectors and items: a scenario file, a scenario in it, and a scenario on one contract."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.run.pytest_target import FOLDERS, Target, UnconnectedError, escape, target_of

PROPERTY = "readfirst"
"""Name of the user property with the status in a pytest report. Workers of pytest-xdist send it to the main process."""


class ScenarioFailedError(Exception):
    """Raised by a pytest item if its scenario fails. The message explains the failure. `brief` explains the failure in
    one line, and `details` is the output or the traceback of the target.
    """

    def __init__(self, message: str, brief: str, details: str = "") -> None:
        super().__init__(message)
        self.brief = brief
        self.details = details


class ScenarioFile(pytest.File):
    """Pytest collector for a scenario file: one item per contract or, for several scenarios, a collector for each."""

    root: Path

    def collect(self) -> Iterator[ScenarioItem | ScenarioCase]:
        """Yield the items or collectors of the file. Only the heading of the file is read until an item runs."""
        try:
            target = target_of(self.config, self.root)
            slugs = target.cases(self.path, self.root)
        except ReadfirstError as error:
            raise self.CollectError(escape(f"readfirst: {error}", kept="\n")) from error
        folder = next(each for each in FOLDERS if self.path.is_relative_to(self.root / each))
        name = self.path.relative_to(self.root / folder).with_suffix("")
        if slugs is None:
            yield from _make_items(self, target, name.as_posix())
            return
        for slug in slugs:
            case: ScenarioCase = ScenarioCase.from_parent(self, name=slug)
            case.target, case.scenario_id = target, f"{name.parent.as_posix()}/{slug}"
            yield case


class ScenarioCase(pytest.Collector):
    """Pytest collector for one scenario of a file that contains several scenarios."""

    target: Target
    scenario_id: str

    def collect(self) -> Iterator[ScenarioItem]:
        """Yield a pytest item for each contract."""
        yield from _make_items(self, self.target, self.scenario_id)


def _make_items(parent: pytest.Collector, target: Target, scenario_id: str) -> Iterator[ScenarioItem]:
    path = parent.path
    if not target.contracts or target.has_replaced(scenario_id, path) or not target.selects(scenario_id):
        return
    for contract in target.contracts:
        item: ScenarioItem = ScenarioItem.from_parent(parent, name=contract)
        item.target, item.scenario_id = target, scenario_id
        item.extra_keyword_matches.add(scenario_id)
        yield item


class ScenarioItem(pytest.Item):
    """Pytest item that tests one scenario on one contract. The name of the item is the contract."""

    target: Target
    scenario_id: str
    cls = instance = None
    fixturenames: Sequence[str] = ()

    @property
    def function(self) -> Callable[..., None]:
        """The function that runs the item. Plugins of pytest use this attribute, which test functions have."""
        return type(self).runtest

    obj = function

    @property
    def module(self) -> ModuleType:
        """The module that contains `function`. Plugins of pytest use this attribute."""
        return sys.modules[__name__]

    @property
    def originalname(self) -> str:
        """The name of the item. Plugins of pytest use this attribute, which test functions have."""
        return self.name

    @property
    def funcargs(self) -> dict[str, Any]:
        """Always empty, because the item uses no fixtures. Plugins of pytest use this attribute."""
        return {}

    def runtest(self) -> None:
        """Replay and judge the scenario, or skip it if it cannot be judged. Raises ScenarioFailedError."""
        try:
            verdict, ruling = self.target.judge(self.name, self.scenario_id)
        except UnconnectedError:
            self.session.shouldstop = "readfirst: the target can no longer be connected"
            raise
        self.user_properties.append((PROPERTY, verdict.status))
        if ruling.stale:
            raise ScenarioFailedError(escape(ruling.stale), escape(ruling.stale))
        if ruling.unclaimed:
            why = self.target.missing_because
            message = escape(f"not judged, because {why} is missing: {ruling.unclaimed}")
            raise ScenarioFailedError(message, message)
        if ruling.accepted:
            pytest.xfail(escape(ruling.accepted))
        if verdict.status in ("unsupported", "unspecified"):
            pytest.skip(escape(f"{verdict.status}: {verdict.reason}"))
        if not ruling.conformant:
            from readfirst.harness.report.failure import brief

            reason, _, details = verdict.reason.partition("\n")
            message = self.target.explain(replace(verdict, reason=reason))
            raise ScenarioFailedError(message, brief(verdict), escape(details.strip(), kept="\n"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the explanation of a failure without a traceback. Also used for errors of the suite or the target."""
        error = excinfo.value
        if not isinstance(error, ScenarioFailedError | ReadfirstError):
            return super().repr_failure(excinfo, style)
        shown = excinfo.getrepr(style="value", chain=False)
        if shown.reprcrash is not None:
            brief = error.brief if isinstance(error, ScenarioFailedError) else str(error)
            shown.reprcrash.path, shown.reprcrash.lineno = str(self.path), 1
            shown.reprcrash.message = brief
        if isinstance(error, ScenarioFailedError) and error.details:
            shown.addsection("what the target printed, or its traceback", error.details)
        return shown

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the location that pytest reports for the item: the file, its first line, and the item's name."""
        return self.path, 0, escape(f"{self.scenario_id} on {self.name}")

"""Circumstances: what is so in the call that the reference executes, for mutants that ask `when("name: hidden")`."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import wraps
from typing import Any

from exceptions import ALWAYS

from readfirst.harness.fuzz.conditions import calls_of
from readfirst.harness.suite.scenario import Scenario

__all__ = ["attend", "now", "of_scenario"]

_steps: list[frozenset[str]] = []
"""The conditions of the calls of the scenario that is replayed, one set for each message."""
_next = 0
_now: frozenset[str] = frozenset()


def of_scenario(scenario: Scenario) -> list[frozenset[str]]:
    """Return the conditions of each message of a scenario; those of a group are the conditions of all its calls."""
    found: dict[int, frozenset[str]] = {}
    for (step, _), _, conditions in calls_of(scenario):
        found[step] = found.get(step, frozenset({ALWAYS})) | frozenset(conditions)
    return list(found.values())


def attend(scenario: Scenario) -> None:
    """Let `when`, a name that every module has then, answer for the calls of this scenario's next replays."""
    global _steps
    _steps = of_scenario(scenario)
    builtins.when = _when  # type: ignore[attr-defined]
    from readfirst.harness.adapters import reference

    adapter, session = reference.ReferenceAdapter, reference.ReferenceSession
    if not hasattr(adapter.open, "__wrapped__"):
        adapter.open = _before(adapter.open, _begin)  # type: ignore[method-assign]
        for name in ("call", "call_parallel", "call_during"):
            setattr(session, name, _before(getattr(session, name), _advance))


def now() -> frozenset[str]:
    """Return what is so in the call that is executed."""
    return _now


def _before(method: Callable[..., Any], act: Callable[[], None]) -> Callable[..., Any]:
    @wraps(method)
    def wrapped(*args: Any) -> Any:
        act()
        return method(*args)

    return wrapped


def _begin() -> None:
    global _next, _now
    _next, _now = 0, frozenset()


def _advance() -> None:
    global _next, _now
    _now, _next = _steps[_next], _next + 1


def _when(circumstance: str) -> bool:
    return circumstance in _now

"""Conditions of the call that the reference executes, for mutants that ask `when("name: hidden")`."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import wraps
from typing import Any

from exceptions import ALWAYS

from readfirst.harness.suite.scenario import Scenario
from readfirst.observatory.fuzz.conditions import calls_of

_calls: list[frozenset[str]] = []
"""The circumstances of each call of the scenario that is being replayed."""
_prepared = _answered = 0
"""Numbers of calls whose arguments were prepared, and of calls that were executed. All calls of a group are prepared
before the first is executed.
"""
_answering = False
"""Whether a call is being executed. If arguments are prepared meanwhile, they belong to the same call: a hook has
changed them.
"""
_now: frozenset[str] = frozenset()


def of_scenario(scenario: Scenario) -> list[frozenset[str]]:
    """Return the circumstances of each call of a scenario."""
    return [frozenset((ALWAYS, *conditions)) for _, _, conditions in calls_of(scenario)]


def attend(scenario: Scenario) -> None:
    """Prepare the replay of a scenario: define the function `when` in all modules, and make it answer for the call that
    is executed.
    """
    global _calls
    _calls = of_scenario(scenario)
    builtins.when = _when  # type: ignore[attr-defined]
    from readfirst.harness.adapters import reference

    adapter, tools = reference.ReferenceAdapter, reference.FileTools
    if not hasattr(adapter.open, "__wrapped__"):
        adapter.open = _before(adapter.open, _begin)  # type: ignore[method-assign]
        tools._prepare_arguments = _before(tools._prepare_arguments, _prepare)  # type: ignore[method-assign]
        tools._answer_call = _during(_before(tools._answer_call, _answer))  # type: ignore[method-assign]


def now() -> frozenset[str]:
    """Return the circumstances of the call that is executed."""
    return _now


def _before(method: Callable[..., Any], act: Callable[[], None]) -> Callable[..., Any]:
    @wraps(method)
    def wrapped(*args: Any) -> Any:
        act()
        return method(*args)

    return wrapped


def _during(answer: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(answer)
    def wrapped(*args: Any) -> Any:
        global _answering
        _answering = True
        try:
            return answer(*args)
        finally:
            _answering = False

    return wrapped


def _begin() -> None:
    global _prepared, _answered, _answering, _now
    _prepared, _answered, _answering, _now = 0, 0, False, frozenset()


def _prepare() -> None:
    global _prepared, _now
    if _answering:
        return
    _now, _prepared = _calls[_prepared], _prepared + 1


def _answer() -> None:
    global _answered, _now
    _now, _answered = _calls[_answered], _answered + 1


def _when(circumstance: str) -> bool:
    return circumstance in _now

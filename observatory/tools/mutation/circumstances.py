"""Determine the circumstances of the call that the reference executes, for mutants whose fault depends on them.

The code of such a mutant contains a condition such as `when("name: hidden")`, which is true for calls about a hidden
file.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import wraps
from typing import Any

from exceptions import ALWAYS

from readfirst.harness.suite.scenario import Scenario
from readfirst.observatory.fuzz.conditions import calls_with_conditions

_calls: list[frozenset[str]] = []
"""The circumstances of each call in the replayed scenario, such as `name: hidden`."""
_prepared = _answered = 0
"""Numbers of prepared and of executed calls. Parallel calls are all prepared before the first is executed."""
_answering = False
"""Whether a call is being executed. If arguments are prepared now, a hook has changed the arguments of this call."""
_current: frozenset[str] = frozenset()


def of_scenario(scenario: Scenario) -> list[frozenset[str]]:
    """Return the circumstances of each call in a scenario, such as `name: hidden`. All calls have ALWAYS."""
    return [frozenset((ALWAYS, *conditions)) for _, _, conditions in calls_with_conditions(scenario)]


def attend(scenario: Scenario) -> None:
    """Record which call of `scenario` is running, so that the mutated modules can ask with `when` whether a condition,
    such as `name: hidden`, holds in this call.
    """
    global _calls
    _calls = of_scenario(scenario)
    builtins.when = _when  # type: ignore[attr-defined]
    from readfirst.harness.adapters import reference

    adapter, tools = reference.ReferenceAdapter, reference.FileTools
    if not hasattr(adapter.open, "__wrapped__"):
        adapter.open = _before(adapter.open, _start_scenario)  # type: ignore[method-assign]
        tools._prepare_arguments = _before(tools._prepare_arguments, _note_prepared)  # type: ignore[method-assign]
        tools._answer_call = _during(_before(tools._answer_call, _start_call))  # type: ignore[method-assign]


def now() -> frozenset[str]:
    """Return the circumstances, such as `name: hidden`, of the call that the reference executes or prepares."""
    return _current


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


def _start_scenario() -> None:
    global _prepared, _answered, _answering, _current
    _prepared, _answered, _answering, _current = 0, 0, False, frozenset()


def _note_prepared() -> None:
    global _prepared, _current
    if _answering:
        return
    _current, _prepared = _calls[_prepared], _prepared + 1


def _start_call() -> None:
    global _answered, _current
    _current, _answered = _calls[_answered], _answered + 1


def _when(circumstance: str) -> bool:
    return circumstance in _current

"""The outcome of a replay, not yet judged: the implementation's answers, and the changes of the workspace."""

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from readfirst.harness.adapter_api import AdapterError, ToolResult
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.workspace.guarded_directory import SpoiltError
from readfirst.harness.workspace.snapshot import Trace
from readfirst.harness.workspace.world_events import WorldEventError

_MAX_DETAILS_CHARS = 8192
"""Maximum characters of a traceback in an outcome."""


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The outcome of one step: the results of its calls (empty for an event), and all changes of the workspace."""

    results: tuple[ToolResult, ...] = ()
    """The results with exact texts, but with `$WS` for the workspace's path."""
    changes: Mapping[str, Entry | None] = field(default_factory=dict)
    """The new entry of each path that the step changed. None if the path was removed."""
    expected_world: Mapping[str, Entry | None] = field(default_factory=dict)
    """Changes that the harness itself made during the step, by world events and `during` events."""
    interfered: bool = False
    """Whether the `during` events of a call happened, between the validation of the call and its execution."""
    milliseconds: float = 0.0
    traces: Mapping[str, Trace] = field(default_factory=dict)
    """New times and inodes, by path, of files with unchanged content, to detect that they were written again."""
    names_before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Files with several names (hard links): for each name, all names of the file, before the calls of the step."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Files with several names (hard links): for each name, all names of the file, after the step."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """The reason why a replay ended early: a message, and the step, counted from 0."""

    blame: str
    """`implementation`, `adapter`, `harness`, `environment`, `unsupported` (a call), or `machine` (lacks something)."""
    message: str
    step: int
    details: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a replay: the outcome of each completed step, and `error` if the replay ended early."""

    scenario_id: str
    steps: tuple[StepOutcome, ...]
    error: Breakage | None = None
    before: Mapping[str, Entry] = field(default_factory=dict)
    """The files of the workspace before the first step."""
    afterwards: StepOutcome = field(default_factory=StepOutcome)
    """Changes between the last step and the end of the session. Empty if the replay ended early."""
    disturbed: bool = False
    """Whether messages outside the scenario, such as periodic reminders, may have changed the answers."""


def check_answers(results: object, calls: int, normalise: Callable[[str], str]) -> tuple[ToolResult, ...]:
    """Return a step's results with normalised texts. Raises AdapterError unless there is one valid result per call."""
    if isinstance(results, str | bytes | Mapping) or not isinstance(results, Sequence):
        raise AdapterError(f"the adapter answered a parallel group with {_shorten(results)}, not a sequence")
    if len(results) != calls:
        raise AdapterError(f"the adapter returned {len(results)} results for {calls} calls")
    return tuple(_check_answer(result, normalise) for result in results)


def _check_answer(result: object, normalise: Callable[[str], str]) -> ToolResult:
    if not isinstance(result, ToolResult):
        raise AdapterError(f"the adapter answered {_shorten(result)}, not a ToolResult")
    reminders: object = result.reminders
    are_texts = isinstance(reminders, tuple) and all(isinstance(each, str) for each in reminders)
    for name, is_right, kind in (
        ("text is", isinstance(result.text, str), "a string"),
        ("is_error is", isinstance(result.is_error, bool), "a boolean"),
        ("error is", isinstance(result.error, str | None), "a name"),
        ("reminders are", are_texts, "a tuple of strings"),
    ):
        if not is_right:
            value = getattr(result, name.partition(" ")[0])
            raise AdapterError(f"the result's {name} {_shorten(value)}, not {kind}")
    return ToolResult(
        normalise(result.text), result.is_error, result.error, tuple(map(normalise, result.reminders))
    )


def _shorten(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        return f"a {type(value).__name__} without a repr"
    return text if len(text) <= 200 else text[:200] + "…"


def breakage_of(error: BaseException, step: int, normalise: Callable[[str], str]) -> Breakage:
    """Convert an exception at a step (from 0) to a Breakage. `normalise` removes text that depends on the machine."""
    details = ""
    match error:
        case AdapterError():
            blame, message, details = error.blame, str(error), error.details
        case SpoiltError():
            blame, message = "implementation", str(error)
        case WorldEventError():
            blame, message = "harness", str(error)
        case _:
            blame, message = "adapter", f"the adapter raised {type(error).__name__}: {error}"
            details = "".join(traceback.format_exception(error))[-_MAX_DETAILS_CHARS:]
    return Breakage(blame, normalise(message), step, normalise(details))

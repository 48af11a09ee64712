"""The outcome of a scenario on an implementation, before it is judged."""

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from readfirst.harness.adapter_api import AdapterError, ToolResult
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.workspace.guarded_directory import SpoiltError
from readfirst.harness.workspace.snapshot import Trace
from readfirst.harness.workspace.world_events import WorldEventError

_MAX_DETAILS_CHARS = 8192
"""Maximum characters of a traceback."""


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """One step: the results of its calls (none for a world event) and the changes on disk.

    `results` contain the text as it came, with `$WS` for the workspace's path. `changes` maps each changed path
    to its new state. None if the path is gone. Changes by world events and `during` events are included.
    """

    results: tuple[ToolResult, ...] = ()
    changes: Mapping[str, Entry | None] = field(default_factory=dict)
    expected_world: Mapping[str, Entry | None] = field(default_factory=dict)
    """Changes that the harness itself made during the step (`during` events that happened, world events)."""
    struck: bool = False
    """Whether a call with `during` reached the moment between validation and execution."""
    milliseconds: float = 0.0
    traces: Mapping[str, Trace] = field(default_factory=dict)
    """Traces that the implementation left on unchanged files."""
    names_before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """All names of each file with several names, by each name; after world events of the step."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names of each file after the step."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """The reason why a replay ended early: the party to blame, a message, and the step, counted from 0.

    `blame` is implementation, adapter, harness or environment, or one of two reasons without a party to blame.
    `unsupported`: the implementation does not support such a call. `machine`: this machine lacks something that the
    scenario needs.
    """

    blame: str
    message: str
    step: int
    details: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a replay: the outcome of each step, and the breakage if the replay ended early.

    `before` is the initial workspace. If a step broke, it is among `steps` only if its results arrived before.
    `afterwards` contains changes between the last step and the end of the session; it is empty if the replay broke
    before. `disturbed` means that another part of the conversation may have changed answers, for example stripped
    whitespace around them.
    """

    scenario_id: str
    steps: tuple[StepOutcome, ...]
    error: Breakage | None = None
    before: Mapping[str, Entry] = field(default_factory=dict)
    afterwards: StepOutcome = field(default_factory=StepOutcome)
    disturbed: bool = False


def check_answers(answered: object, expected: int, normalise: Callable[[str], str]) -> tuple[ToolResult, ...]:
    """Return `expected` results with normalised texts. Raises AdapterError for another number or invalid ones."""
    if isinstance(answered, str | bytes | Mapping) or not isinstance(answered, Sequence):
        raise AdapterError(f"the adapter answered a parallel group with {_shorten(answered)}, not a sequence")
    if len(answered) != expected:
        raise AdapterError(f"the adapter gave {len(answered)} results for {expected} calls")
    return tuple(_check_answer(result, normalise) for result in answered)


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
    """Return the breakage that an exception causes at a step (counted from 0): the message and the party to blame.
    `normalise` removes parts that depend on the machine.
    """
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

"""Session events: reads the steps that concern the conversation itself, as scenario files write them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from readfirst.harness.source.inspection import Node
from readfirst.harness.suite.confinement import is_safe
from readfirst.harness.suite.reach import Reach
from readfirst.harness.suite.scenario import SessionEvent, SessionEventKind, Step

_INNER: Mapping[str, tuple[SessionEventKind, str]] = {
    "agent": ("end", "a sub-agent"),
    "other": ("back", "another session"),
    "background": ("back", "a sub-agent in the background"),
}
"""What has steps of its own, with the event that ends them and what messages call it."""
WITH_STEPS = frozenset(_INNER)
SESSION_EVENTS = ("resume", "compact", "rewind", "mention", *_INNER)


def read_session_event(
    node: Node, reach: Reach, kind: str, read_step: Callable[[Node], Sequence[Step]]
) -> Sequence[Step]:
    """Read the event `kind` of a step.

    The steps of sub-agents or another session, read by `read_step`, are between two.
    """
    told, begin, position = node.below(kind), cast(SessionEventKind, kind), node.position
    if kind == "mention":
        if not is_safe(told, told.value):
            return ()
        reach.mention(told.path, told.value)
        return (SessionEvent(begin, position, told.value),)
    if kind not in _INNER:
        if told.value != {}:
            told.note(f"{kind} has nothing to say more of", f"Write `{kind}: {{}}`.")
        return (SessionEvent(begin, position),)
    end, who = _INNER[kind]
    keys = ("agent", "steps") if kind == "background" else ("steps",)
    fields = told.called(who).fields(keys, required=keys)
    name = fields.text("agent")
    steps: list[Step] = []
    for each in fields.items("steps", empty=False):
        found = each.value if isinstance(each.value, dict) else ()
        if inner := next((key for key in found if key in SESSION_EVENTS), ""):
            fix = "Write it behind these steps."
            each.below(inner).note(f"{inner} is no step of {who}", fix, rule="unknown-event", key=True)
        else:
            steps += read_step(each)
    return (SessionEvent(begin, position, name), *steps, SessionEvent(end, position))


def inner_steps(step: Any) -> tuple[str, list[Any]]:
    """Return the key of a step of a file that has steps of its own, and these; whatever has another form has none."""
    key = next((key for key in _INNER if isinstance(step, dict) and key in step), "")
    inner = step[key] if key else None
    steps = inner.get("steps") if isinstance(inner, dict) else None
    return key, steps if isinstance(steps, list) else []

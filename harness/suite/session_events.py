"""Session events: reads the steps that concern the conversation itself, as scenario files write them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath
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
    look: Inspection,
    reach: Reach,
    place: YamlPath,
    kind: str,
    value: Any,
    read_step: Callable[[YamlPath, Any], Sequence[Step]],
) -> Sequence[Step]:
    """Read the event `kind` of the step at `place`.

    The steps of sub-agents or another session, read by `read_step`, are between two.
    """
    position = look.document.position(place)
    match kind:
        case "resume":
            _nothing(look, place, kind, value)
            return (SessionEvent("resume", position),)
        case "compact":
            _nothing(look, place, kind, value)
            return (SessionEvent("compact", position),)
        case "rewind":
            _nothing(look, place, kind, value)
            return (SessionEvent("rewind", position),)
        case "mention":
            if not is_safe(look, value, (*place, kind)):
                return ()
            reach.mention((*place, kind), value)
            return (SessionEvent("mention", position, value),)
        case _:
            at = (*place, kind)
            end, who = _INNER[kind]
            keys = ("agent", "steps") if kind == "background" else ("steps",)
            fields = look.mapping(value, at, who, keys, required=keys) or {}
            name = look.string(fields["agent"], (*at, "agent"), "agent") if "agent" in fields else None
            listed = look.sequence(fields["steps"], (*at, "steps"), "steps", empty=False) if fields else ()
            steps: list[Step] = []
            for number, each in enumerate(listed or ()):
                if isinstance(each, dict) and (
                    inner := next((key for key in each if key in SESSION_EVENTS), None)
                ):
                    look.note(
                        (*at, "steps", number, inner),
                        f"{inner} is no step of {who}",
                        "Write it behind these steps.",
                        rule="unknown-event",
                        key=True,
                    )
                    continue
                steps += read_step((*at, "steps", number), each)
            begin = cast(SessionEventKind, kind)
            return (SessionEvent(begin, position, name or ""), *steps, SessionEvent(end, position))


def _nothing(look: Inspection, place: YamlPath, kind: str, value: Any) -> None:
    if value != {}:
        look.note((*place, kind), f"{kind} has nothing to say more of", f"Write `{kind}: {{}}`.")


def inner_steps(step: Any) -> tuple[str, list[Any]]:
    """Return the key of a step of a file that has steps of its own, and these; whatever has another form has none."""
    key = next((key for key in _INNER if isinstance(step, dict) and key in step), "")
    inner = step[key] if key else None
    steps = inner.get("steps") if isinstance(inner, dict) else None
    return key, steps if isinstance(steps, list) else []

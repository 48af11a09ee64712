"""Session events: reads the steps that concern the conversation itself, as scenario files write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath
from readfirst.harness.suite.confinement import is_safe
from readfirst.harness.suite.reach import Reach
from readfirst.harness.suite.scenario import SessionEvent, Step

__all__ = ["AGENT", "SESSION_EVENTS", "read_session_event", "steps_of_agent"]

AGENT = "agent"
SESSION_EVENTS = ("resume", "compact", "rewind", "mention", AGENT)


def read_session_event(
    look: Inspection,
    reach: Reach,
    place: YamlPath,
    kind: str,
    value: Any,
    read_step: Callable[[YamlPath, Any], Sequence[Step]],
) -> Sequence[Step]:
    """Read the event `kind` of the step at `place`. A sub-agent's steps, read by `read_step`, stand between two."""
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
            fields = look.mapping(value, at, "a sub-agent", ("steps",), required=("steps",)) or {}
            listed = look.sequence(fields["steps"], (*at, "steps"), "steps", empty=False) if fields else ()
            steps: list[Step] = []
            for number, each in enumerate(listed or ()):
                if isinstance(each, dict) and (
                    inner := next((key for key in each if key in SESSION_EVENTS), None)
                ):
                    look.note(
                        (*at, "steps", number, inner),
                        f"{inner} is no step of a sub-agent",
                        "Write it behind the agent's steps.",
                        rule="unknown-event",
                        key=True,
                    )
                    continue
                steps += read_step((*at, "steps", number), each)
            return (SessionEvent("agent", position), *steps, SessionEvent("end", position))


def _nothing(look: Inspection, place: YamlPath, kind: str, value: Any) -> None:
    if value != {}:
        look.note((*place, kind), f"{kind} has nothing to say more of", f"Write `{kind}: {{}}`.")


def steps_of_agent(step: Any) -> list[Any]:
    """Return the steps of a sub-agent, if a step of a file is one; whatever has another form has none."""
    agent = step.get(AGENT) if isinstance(step, dict) else None
    steps = agent.get("steps") if isinstance(agent, dict) else None
    return steps if isinstance(steps, list) else []

"""Tool changes: what one contract's model is given of the tools and another's is not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from readfirst.harness.suite.tools import OfferedTool

__all__ = ["tool_changes"]

_ABSENT = object()


def tool_changes(before: Mapping[str, OfferedTool], after: Mapping[str, OfferedTool]) -> Iterator[str]:
    """Yield a line for each difference: tools, their arguments, what their descriptions state."""
    for tool in sorted({*before, *after}):
        if tool not in after:
            yield f"{tool} is no longer offered at the start"
        elif tool not in before:
            yield f"{tool} is offered at the start"
        else:
            for line in (*_arguments(before[tool], after[tool]), *_description(before[tool], after[tool])):
                yield f"{tool}: {line}"


def _arguments(before: OfferedTool, after: OfferedTool) -> Iterator[str]:
    old, new = before.schema.get("properties", {}), after.schema.get("properties", {})
    for name in {**old, **new}:
        if name not in new:
            yield f"the argument {name} is gone"
        elif name not in old:
            yield f"the argument {name} is new: {_shown(_without_words(new[name]))}"
        elif _without_words(old[name]) != _without_words(new[name]):
            yield (
                f"the argument {name} is {_shown(_without_words(new[name]))} instead of"
                f" {_shown(_without_words(old[name]))}"
            )
        elif old[name] != new[name]:
            yield f"the argument {name} is explained in other words"
    for key in {**before.schema, **after.schema}:
        if key != "properties":
            one, other = before.schema.get(key, _ABSENT), after.schema.get(key, _ABSENT)
            if one != other:
                yield f"{key} of the arguments is {_shown(other)} instead of {_shown(one)}"


def _description(before: OfferedTool, after: OfferedTool) -> Iterator[str]:
    old, new = before.facts, after.facts
    if old["sha256"] == new["sha256"]:
        return
    yield f"another description, of {new['characters']:,} characters instead of {old['characters']:,}"
    for name in {**old["states"], **new["states"]}:
        one, other = old["states"].get(name, _ABSENT), new["states"].get(name, _ABSENT)
        if one != other:
            yield f"the description states {name}: {_shown(other)} instead of {_shown(one)}"


def _without_words(value: Any) -> Any:
    match value:
        case dict():
            return {name: _without_words(each) for name, each in value.items() if name != "description"}
        case list():
            return [_without_words(each) for each in value]
        case _:
            return value


def _shown(value: Any) -> str:
    return "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)

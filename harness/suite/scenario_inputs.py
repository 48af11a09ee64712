"""Digest of the workspace and the steps of a scenario, which identifies the recordings of these steps."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from readfirst.harness.suite.events import inner_steps
from readfirst.harness.suite.repeated_text import expanded_arguments
from readfirst.harness.suite.scenario import CALLS


def inputs_of(top: Mapping[str, Any]) -> str:
    """Return a digest of the workspace and the steps in the values of a scenario file, without expectations.

    A recording has the same digest if it belongs to these steps. Titles and the formatting of the file do not matter.
    """
    asked = {"given": top.get("given"), "steps": [_bare(step) for step in _list_value(top.get("steps"))]}
    text = json.dumps(asked, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _bare(step: Any) -> Any:
    """Return a step without expectations, including those of the calls in a group."""
    if not isinstance(step, dict):
        return step
    bare = {
        key: expanded_arguments(value) if key in CALLS else value
        for key, value in step.items()
        if key != "expect"
    }
    if "parallel" in bare:
        bare["parallel"] = [_bare(call) for call in _list_value(bare["parallel"])]
    key, steps = inner_steps(bare)
    if key:
        bare[key] = [_bare(each) for each in steps]
    return bare


def _list_value(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

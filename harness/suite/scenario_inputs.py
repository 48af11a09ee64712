"""Digest of a scenario's workspace and steps. It is used to detect that a recording does not belong to these steps."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from readfirst.harness.suite.events import inner_steps
from readfirst.harness.suite.repeated_text import expand_arguments
from readfirst.harness.suite.scenario import CALLS


def inputs_of(document: Mapping[str, Any]) -> str:
    """Return a digest of the workspace and the steps in the scenario file `document`, without expectations. A recording
    belongs to a scenario with the same digest.
    """
    inputs = {
        "given": document.get("given"),
        "steps": [_without_expectations(step) for step in _list_or_empty(document.get("steps"))],
    }
    text = json.dumps(inputs, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _without_expectations(step: Any) -> Any:
    """Return a step without its expectations. The expectations of the calls in a group are also removed."""
    if not isinstance(step, dict):
        return step
    stripped = {
        key: expand_arguments(value) if key in CALLS else value
        for key, value in step.items()
        if key != "expect"
    }
    if "parallel" in stripped:
        stripped["parallel"] = [_without_expectations(call) for call in _list_or_empty(stripped["parallel"])]
    key, steps = inner_steps(stripped)
    if key:
        stripped[key] = [_without_expectations(each) for each in steps]
    return stripped


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

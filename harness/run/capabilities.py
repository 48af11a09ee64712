"""Determine the capabilities that an implementation supports, and the capabilities that a run requires."""

from collections.abc import Iterable
from difflib import get_close_matches

from readfirst.harness.adapter_api import SESSION_CAPABILITIES
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.scenario import TOOLS

_SIMPLEST_CALLS = {
    "Read": {"file_path": "$WS/notes.txt"},
    "Edit": {"file_path": "$WS/notes.txt", "old_string": "alpha", "new_string": "beta"},
    "Write": {"file_path": "$WS/notes.txt", "content": "alpha\n"},
}


class CapabilityError(ReadfirstError):
    """Raised if `--require` contains an unknown capability, or no tool. The message describes the correction."""


def parse_capabilities(values: Iterable[str]) -> frozenset[str] | None:
    """Return the capabilities in the values of `--require`, or None without a value. Raises CapabilityError."""
    names = [name.strip() for value in values for name in value.split(",")]
    valid_names = sorted({*TOOLS, *SESSION_CAPABILITIES})
    for name in names:
        if name not in valid_names:
            near = get_close_matches(name, valid_names, 1)
            hint = f"Did you mean {near[0]}?" if near else f"The capabilities are: {', '.join(valid_names)}."
            raise CapabilityError(f"--require {name!r}: this is not a capability. {hint}")
    if names and not {*names} & {*TOOLS}:
        raise CapabilityError("--require names no tool. Add at least one, for example Read.")
    return frozenset(names) if names else None


def supported_capabilities(traits: AdapterTraits) -> frozenset[str]:
    """Return the capabilities that an adapter declares, without tools whose simplest call is unsupported."""
    calls = _SIMPLEST_CALLS.items()
    return traits.capabilities - {
        tool for tool, arguments in calls if traits.unsupported_reason(tool, arguments)
    }

"""Capabilities that an implementation has, and those that it must have."""

from collections.abc import Iterable
from difflib import get_close_matches

from readfirst.harness.adapter_api import SESSION_CAPABILITIES
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.scenario import TOOLS

_MINIMAL_CALLS = {
    "Read": {"file_path": "$WS/notes.txt"},
    "Edit": {"file_path": "$WS/notes.txt", "old_string": "alpha", "new_string": "beta"},
    "Write": {"file_path": "$WS/notes.txt", "content": "alpha\n"},
}


class ClaimsError(ReadfirstError):
    """`--require` names an unknown capability, or no tool. The message says what to write."""


def claims_named(words: Iterable[str]) -> frozenset[str] | None:
    """Return the capabilities of `--require Read,Edit`; None without words. Raises ClaimsError for an unknown one."""
    names = [name.strip() for word in words for name in word.split(",")]
    valid_names = sorted({*TOOLS, *SESSION_CAPABILITIES})
    for name in names:
        if name not in valid_names:
            near = get_close_matches(name, valid_names, 1)
            hint = f"Did you mean {near[0]}?" if near else f"The capabilities are: {', '.join(valid_names)}."
            raise ClaimsError(f"--require {name!r}: this is not a capability. {hint}")
    if names and not {*names} & {*TOOLS}:
        raise ClaimsError("--require names no tool. Add at least one, for example Read.")
    return frozenset(names) if names else None


def claimed_capabilities(traits: AdapterTraits) -> frozenset[str]:
    """Return an adapter's declared capabilities, without tools whose simplest call `unsupported_reason` refuses."""
    lacking = {
        tool for tool, arguments in _MINIMAL_CALLS.items() if traits.unsupported_reason(tool, arguments)
    }
    return traits.capabilities - lacking

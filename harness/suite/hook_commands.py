"""Hook commands: the command that does what a scenario's hook does."""

from __future__ import annotations

import json
import shlex
from typing import Any

from readfirst.harness.session import Hook
from readfirst.harness.suite.scenario import GivenHook, Scenario

_LATER = "sleep 0.02"
"""Lets the clock of the file system move on, so that the time of what is written is later than before."""


def hooks_of(scenario: Scenario, root: str) -> tuple[Hook, ...]:
    """Return the hooks of a scenario, for the workspace at `root`."""
    return tuple(Hook(hook.event, hook.matcher, command_of(hook, root)) for hook in scenario.given.hooks)


def command_of(hook: GivenHook, root: str) -> str:
    """Return the command. It reads its input first: whoever starts it must not write to one that has ended."""
    return f"cat >/dev/null; {_deed(hook, root)}"


def _deed(hook: GivenHook, root: str) -> str:
    match hook.action:
        case "exit":
            return f"printf '%s\\n' {shlex.quote(hook.words)} >&2; exit {hook.code}"
        case "modify":
            written = [
                f"printf '{''.join(map(_octal, entry.data))}' >{shlex.quote(f'{root}/{path}')}"
                for path, entry in hook.files.items()
            ]
            return "; ".join([_LATER, *written])
        case "block":
            return _print({"decision": "block", "reason": hook.words})
        case "context":
            return _print(_specific(hook, additionalContext=hook.words))
        case "input":
            asked = json.loads(json.dumps(hook.input).replace("$WS", root))
            return _print(_specific(hook, permissionDecision="allow", updatedInput=asked))
        case "allow" | "ask" | "deny":
            decision = {"permissionDecision": hook.action, "permissionDecisionReason": hook.words}
            return _print(_specific(hook, **decision))


def _specific(hook: GivenHook, **said: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": hook.event, **said}}


def _octal(byte: int) -> str:
    return f"\\{byte:03o}"


def _print(said: dict[str, Any]) -> str:
    return f"printf '%s' {shlex.quote(json.dumps(said))}"

"""Hook: the command that does what a scenario's hook does."""

from __future__ import annotations

import base64
import json
import shlex
import sys
from typing import Any

from readfirst.harness.session import Hook
from readfirst.harness.suite.scenario import GivenHook, Scenario

__all__ = ["hooks_of"]

_WRITE = """\
import base64, os, sys, time
for path, data in zip(sys.argv[1::2], sys.argv[2::2]):
    before = os.stat(path).st_mtime_ns if os.path.exists(path) else 0
    with open(path, "wb") as file:
        file.write(base64.b64decode(data))
    now = max(time.time_ns(), before + 2_000_000)
    os.utime(path, ns=(now, now))
"""
"""Writes files. Their time is later than before, though the clock of the file system may not have moved on."""


def hooks_of(scenario: Scenario, root: str) -> tuple[Hook, ...]:
    """Return the hooks of a scenario, for the workspace at `root`."""
    return tuple(Hook(hook.event, hook.matcher, _command(hook, root)) for hook in scenario.given.hooks)


def _command(hook: GivenHook, root: str) -> str:
    """Return the command. It reads its input first: whoever starts it must not write to one that has ended."""
    return f"cat >/dev/null; {_deed(hook, root)}"


def _deed(hook: GivenHook, root: str) -> str:
    match hook.deed:
        case "exit":
            return f"printf '%s\\n' {shlex.quote(hook.words)} >&2; exit {hook.code}"
        case "modify":
            words = [sys.executable, "-I", "-S", "-c", _WRITE]
            for path, entry in hook.files.items():
                words += [f"{root}/{path}", base64.b64encode(entry.data).decode("ascii")]
            return shlex.join(words)
        case "block":
            return _print({"decision": "block", "reason": hook.words})
        case "context":
            return _print(_specific(hook, additionalContext=hook.words))
        case "input":
            asked = json.loads(json.dumps(hook.input).replace("$WS", root))
            return _print(_specific(hook, permissionDecision="allow", updatedInput=asked))
        case "allow" | "ask" | "deny":
            decision = {"permissionDecision": hook.deed, "permissionDecisionReason": hook.words}
            return _print(_specific(hook, **decision))


def _specific(hook: GivenHook, **said: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": hook.event, **said}}


def _print(said: dict[str, Any]) -> str:
    return f"printf '%s' {shlex.quote(json.dumps(said))}"

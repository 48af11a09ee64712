"""Read the hooks of a scenario, which run before and after calls."""

import json
import re
import shlex
from dataclasses import replace
from typing import Any, get_args

from readfirst.harness.adapter_api import Hook
from readfirst.harness.suite.file_content import given_entry
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.path_rules import CheckCall, is_safe, safe_paths
from readfirst.harness.suite.scenario import CALLS, GivenHook, HookAction, HookEvent, Scenario
from readfirst.harness.yaml_io.yaml_validation import Fields, FormError, Node

_EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)
_ACTIONS: tuple[HookAction, ...] = get_args(HookAction)
_AFTER = ("block", "context", "exit", "modify", "delete", "rename")
"""Actions that are allowed for a hook after a call."""
_WORDS = re.compile(r"[^\0\ud800-\udfff]+")
"""Matches a text that a command line can contain."""
_MATCHER = re.compile(rf"\*|(?:{'|'.join(CALLS)})(?:\|(?:{'|'.join(CALLS)}))*")


def read_hooks(check_call: CheckCall, given: Fields) -> tuple[GivenHook, ...]:
    """Read the hooks of a workspace, in the order of their execution. `check_call` checks the arguments in `input`."""
    if "hooks" not in given:
        return ()
    return tuple(_hook(check_call, node) for node in given["hooks"].listed(empty=False))


def _hook(check_call: CheckCall, node: Node) -> GivenHook:
    fields = node.mapping((*_EVENTS, *_ACTIONS))
    event = next((event for event in _EVENTS if event in fields), None)
    action = next((action for action in _ACTIONS if action in fields), None)
    if event is None or action is None or len(fields.values) != 2:
        raise FormError(node)
    if event == "PostToolUse" and action not in _AFTER:
        raise FormError(node)
    hook = GivenHook(event, fields[event].matching(_MATCHER), action)
    stated = fields[action]
    match action:
        case "input":
            arguments = stated.mapping().values
            if not arguments:
                raise FormError(stated)
            check_call(stated.path, hook.matcher, arguments)
            return replace(hook, input=arguments)
        case "exit":
            exits = stated.mapping(("code", "stderr"), required=("code", "stderr"))
            return replace(hook, words=exits["stderr"].matching(_WORDS), code=exits["code"].number(1, 125))
        case "modify":
            return replace(hook, files=_files(stated))
        case "delete":
            return replace(hook, moved={stated.value: None} if is_safe(stated, stated.value) else {})
        case "rename":
            new_paths = [(path, new) for path, new in safe_paths(stated) if is_safe(new, new.value)]
            return replace(hook, moved={path: str(new.value) for path, new in new_paths})
        case _:
            return replace(hook, words=stated.matching(_WORDS))


def _files(node: Node) -> dict[str, RegularFile]:
    written = {}
    for path, content in safe_paths(node):
        entry = given_entry(content)
        if not isinstance(entry, RegularFile) or entry.mode is not None or entry.mtime is not None:
            raise FormError(content)
        written[path] = entry
    return written


_LATER = "sleep 0.02"
"""A command that waits until the file system's clock advances, so that later files have a later time."""


def hooks_of(scenario: Scenario, root: str) -> tuple[Hook, ...]:
    """Return the hooks of a scenario, for the workspace at `root`."""
    return tuple(Hook(hook.event, hook.matcher, command_of(hook, root)) for hook in scenario.given.hooks)


def command_of(hook: GivenHook, root: str) -> str:
    """Return the shell command of a hook. It reads its standard input first, so that the writer does not fail."""
    return f"cat >/dev/null; {_effect(hook, root)}"


def _effect(hook: GivenHook, root: str) -> str:
    match hook.action:
        case "exit":
            return f"printf '%s\\n' {shlex.quote(hook.words)} >&2; exit {hook.code}"
        case "modify":
            octal = {path: "".join(map("\\{:03o}".format, entry.data)) for path, entry in hook.files.items()}
            written = [f"printf '{data}' >{shlex.quote(f'{root}/{path}')}" for path, data in octal.items()]
            return "; ".join([_LATER, *written])
        case "delete" | "rename":
            named = [(shlex.quote(f"{root}/{path}"), new) for path, new in hook.moved.items()]
            return "; ".join(
                f"rm -f {path}" if new is None else f"mv -f {path} {shlex.quote(f'{root}/{new}')}"
                for path, new in named
            )
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


def _print(said: dict[str, Any]) -> str:
    return f"printf '%s' {shlex.quote(json.dumps(said))}"

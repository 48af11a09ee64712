"""Read the hooks of a scenario: commands of the user that an agent must run before or after a call."""

import json
import re
import shlex
from dataclasses import replace
from typing import Any, get_args

from readfirst.harness.adapter_api import Hook
from readfirst.harness.suite.file_content import read_given_entry
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.path_rules import CheckCall, is_safe, safe_paths
from readfirst.harness.suite.scenario import CALLS, GivenHook, HookAction, HookEvent, Scenario
from readfirst.harness.yaml_io.yaml_validation import Fields, FormError, Node

_EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)
_ACTIONS: tuple[HookAction, ...] = get_args(HookAction)
_ACTIONS_AFTER_CALL = ("block", "context", "exit", "modify", "delete", "rename")
"""Actions that a scenario may use in a hook that runs after a call."""
_TEXT_PATTERN = re.compile(r"[^\0\ud800-\udfff]+")
"""Pattern of the texts that can be used in a shell command: no NUL, and no half of a surrogate pair."""
_MATCHER_PATTERN = re.compile(rf"\*|(?:{'|'.join(CALLS)})(?:\|(?:{'|'.join(CALLS)}))*")


def read_hooks(check_call: CheckCall, given: Fields) -> tuple[GivenHook, ...]:
    """Read the hooks of a scenario, in their order. `check_call` checks the arguments in the key `input` of a hook."""
    if "hooks" not in given:
        return ()
    return tuple(_read_hook(check_call, node) for node in given["hooks"].listed(empty=False))


def _read_hook(check_call: CheckCall, node: Node) -> GivenHook:
    fields = node.mapping((*_EVENTS, *_ACTIONS))
    event = next((event for event in _EVENTS if event in fields), None)
    action = next((action for action in _ACTIONS if action in fields), None)
    if event is None or action is None or len(fields.values) != 2:
        raise FormError(node)
    if event == "PostToolUse" and action not in _ACTIONS_AFTER_CALL:
        raise FormError(node)
    hook = GivenHook(event, fields[event].matching(_MATCHER_PATTERN), action)
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
            return replace(
                hook, words=exits["stderr"].matching(_TEXT_PATTERN), code=exits["code"].number(1, 125)
            )
        case "modify":
            return replace(hook, files=_read_files(stated))
        case "delete":
            return replace(hook, moved={stated.value: None} if is_safe(stated, stated.value) else {})
        case "rename":
            new_paths = [(path, new) for path, new in safe_paths(stated) if is_safe(new, new.value)]
            return replace(hook, moved={path: str(new.value) for path, new in new_paths})
        case _:
            return replace(hook, words=stated.matching(_TEXT_PATTERN))


def _read_files(node: Node) -> dict[str, RegularFile]:
    written = {}
    for path, content in safe_paths(node):
        entry = read_given_entry(content)
        if not isinstance(entry, RegularFile) or entry.mode is not None or entry.mtime is not None:
            raise FormError(content)
        written[path] = entry
    return written


_WAIT_COMMAND = "sleep 0.02"
"""Shell command that waits for the next tick of the file system's clock, so that files get a later time."""


def hooks_for_scenario(scenario: Scenario, root: str) -> tuple[Hook, ...]:
    """Return the hooks of a scenario with their shell commands. `root` is the absolute path of the workspace."""
    return tuple(Hook(hook.event, hook.matcher, hook_command(hook, root)) for hook in scenario.given.hooks)


def hook_command(hook: GivenHook, root: str) -> str:
    """Return the shell command of a hook. The command reads its input to the end."""
    # Without `cat`, the agent could fail to write the input of a hook that has already exited.
    return f"cat >/dev/null; {_effect(hook, root)}"


def _effect(hook: GivenHook, root: str) -> str:
    match hook.action:
        case "exit":
            return f"printf '%s\\n' {shlex.quote(hook.words)} >&2; exit {hook.code}"
        case "modify":
            octal = {path: "".join(map("\\{:03o}".format, entry.data)) for path, entry in hook.files.items()}
            written = [f"printf '{data}' >{shlex.quote(f'{root}/{path}')}" for path, data in octal.items()]
            return "; ".join([_WAIT_COMMAND, *written])
        case "delete" | "rename":
            named = [(shlex.quote(f"{root}/{path}"), new) for path, new in hook.moved.items()]
            return "; ".join(
                f"rm -f {path}" if new is None else f"mv -f {path} {shlex.quote(f'{root}/{new}')}"
                for path, new in named
            )
        case "block":
            return _print_json({"decision": "block", "reason": hook.words})
        case "context":
            return _print_json(_hook_output(hook, additionalContext=hook.words))
        case "input":
            arguments = json.loads(json.dumps(hook.input).replace("$WS", root))
            return _print_json(_hook_output(hook, permissionDecision="allow", updatedInput=arguments))
        case "allow" | "ask" | "deny":
            decision = {"permissionDecision": hook.action, "permissionDecisionReason": hook.words}
            return _print_json(_hook_output(hook, **decision))


def _hook_output(hook: GivenHook, **value: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": hook.event, **value}}


def _print_json(value: dict[str, Any]) -> str:
    return f"printf '%s' {shlex.quote(json.dumps(value))}"

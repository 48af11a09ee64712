"""Hooks: reads what a scenario's session runs before and after calls, as scenario files write it."""

import json
import re
import shlex
from dataclasses import replace
from typing import Any, cast, get_args

from readfirst.harness.adapter_api import Hook
from readfirst.harness.suite.file_content import given_entry
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.path_rules import CheckCall, is_safe
from readfirst.harness.suite.scenario import CALLS, GivenHook, HookAction, HookEvent, Scenario
from readfirst.harness.yaml_io.yaml_validation import Fields, Node

_EVENTS: tuple[str, ...] = get_args(HookEvent)
_ACTIONS: tuple[str, ...] = get_args(HookAction)
_AFTER = ("block", "context", "exit", "modify", "delete", "rename")
"""What a hook can do once the call is made."""
_MATCHER = re.compile(rf"\*|(?:{'|'.join(CALLS)})(?:\|(?:{'|'.join(CALLS)}))*")


def read_hooks(check_call: CheckCall, given: Fields) -> tuple[GivenHook, ...]:
    """Read the hooks of a workspace, in the order in which they run; `check_call` checks their `input`."""
    hooks = [_hook(check_call, each) for each in given.items("hooks", empty=False)]
    return tuple(hook for hook in hooks if hook is not None)


def _hook(check_call: CheckCall, node: Node) -> GivenHook | None:
    fields = node.called("a hook").fields((*_EVENTS, *_ACTIONS))
    if fields.wrong:
        return None
    event = _only(fields, _EVENTS, "runs at no event")
    action = _only(fields, _ACTIONS, "does nothing")
    if event is None or action is None:
        return None
    matcher = fields[event].called(f"what {event} matches").string()
    if matcher is not None and not _MATCHER.fullmatch(matcher):
        fix = "Write the names of tools with | between them, or * for all: Edit|Write."
        fields[event].note(f"{matcher!r} matches no tool", fix)
    if event == "PostToolUse" and action not in _AFTER:
        fix = f"Write one of: {', '.join(_AFTER)}."
        fields[action].note(f"a hook cannot {action} once the call is made", fix, key=True)
    hook = GivenHook(cast(HookEvent, event), matcher or "*", cast(HookAction, action))
    return _with_action(check_call, fields[action], hook)


def _only(fields: Fields, keys: tuple[str, ...], lacking: str) -> str | None:
    """Return the one key of `keys` that there is."""
    found = [key for key in fields.values if key in keys]
    if not found:
        fields.node.note(f"the hook {lacking}", f"Write one of: {', '.join(keys)}.")
        return None
    if len(found) > 1:
        message = f"a hook has both {found[0]} and {found[1]}"
        fields[found[1]].note(message, "Make each a hook of its own.", key=True)
    return found[0]


def _with_action(check_call: CheckCall, node: Node, hook: GivenHook) -> GivenHook | None:
    """Return the hook with what it does."""
    match hook.action:
        case "input":
            arguments = node.fields()
            if arguments.wrong:
                return None
            if not arguments.values:
                node.note("the hook replaces no argument", "Write at least one argument.", key=True)
            check_call(node.path, hook.matcher, arguments.values)
            return replace(hook, input=arguments.values)
        case "exit":
            fields = node.fields(("code", "stderr"), required=("code", "stderr"))
            if not {"code", "stderr"} <= fields.values.keys():
                return None
            code = fields.integer("code", least=1, most=125)
            return replace(hook, words=_words(fields["stderr"]) or "", code=code or 0)
        case "modify":
            if node.value == {}:
                node.note("modify names no path", "Write at least one path.", key=True)
            return replace(hook, files=_files(node.fields()))
        case "delete":
            if not is_safe(node, node.value):
                return None
            return replace(hook, moved={node.value: None})
        case "rename":
            if node.value == {}:
                node.note("rename names no path", "Write the former and the new path.", key=True)
            moved = {}
            for path, new in node.fields():
                if is_safe(new, path, key=True) and is_safe(new, new.value):
                    moved[path] = str(new.value)
            return replace(hook, moved=moved)
        case _:
            words = _words(node)
            return None if words is None else replace(hook, words=words)


def _words(node: Node) -> str | None:
    """Return a text that is part of a command, which cannot contain every character."""
    words = node.string()
    if words is not None and ("\0" in words or any("\ud800" <= each <= "\udfff" for each in words)):
        message = f"{node.what} holds a NUL character or half of one, which no command can contain"
        node.note(message, "Leave it out.")
        return None
    return words


def _files(fields: Fields) -> dict[str, RegularFile]:
    written = {}
    for path, content in fields:
        entry = given_entry(content)
        safe = is_safe(content, path, key=True)
        if isinstance(entry, RegularFile):
            if entry.mode is not None or entry.mtime is not None:
                message = "a hook writes only a file's content"
                content.note(message, "Leave out mode and mtime: a file gets the time of writing.")
            if safe:
                written[path] = entry
        elif entry is not None:
            content.note("a hook writes only regular files", "Write the file's content.")
    return written


_LATER = "sleep 0.02"
"""Lets the clock of the file system move on, so that the time of what is written is later than before."""


def hooks_of(scenario: Scenario, root: str) -> tuple[Hook, ...]:
    """Return the hooks of a scenario, for the workspace at `root`."""
    return tuple(Hook(hook.event, hook.matcher, command_of(hook, root)) for hook in scenario.given.hooks)


def command_of(hook: GivenHook, root: str) -> str:
    """Return the command. It reads its input first: whoever starts it must not write to one that has ended."""
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

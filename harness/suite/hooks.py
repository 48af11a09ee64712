"""Hooks: reads what a scenario's session runs before and after calls, as scenario files write it."""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any, cast, get_args

from readfirst.harness.session import Hook
from readfirst.harness.source.inspection import Fields, Inspection
from readfirst.harness.source.strict_yaml import YamlPath
from readfirst.harness.suite.confinement import is_safe
from readfirst.harness.suite.content import given_entry
from readfirst.harness.suite.entry import RegularFile
from readfirst.harness.suite.reach import Reach
from readfirst.harness.suite.scenario import CALLS, GivenHook, HookAction, HookEvent, Scenario

_EVENTS: tuple[str, ...] = get_args(HookEvent)
_ACTIONS: tuple[str, ...] = get_args(HookAction)
_AFTER = ("block", "context", "exit", "modify")
"""What a hook can do once the call is made."""
_MATCHER = re.compile(rf"\*|(?:{'|'.join(CALLS)})(?:\|(?:{'|'.join(CALLS)}))*")


def read_hooks(look: Inspection, reach: Reach, given: Fields) -> tuple[GivenHook, ...]:
    """Read the hooks of a workspace, in the order in which they run; `reach` notes what they touch."""
    listed, place = given.sequence("hooks", empty=False), given.place("hooks")
    hooks = [_hook(look, reach, (*place, number), each) for number, each in enumerate(listed)]
    return tuple(hook for hook in hooks if hook is not None)


def _hook(look: Inspection, reach: Reach, place: YamlPath, value: Any) -> GivenHook | None:
    fields = look.mapping(value, place, "a hook", (*_EVENTS, *_ACTIONS))
    if fields is None:
        return None
    event = _only(look, place, fields, _EVENTS, "runs at no event")
    action = _only(look, place, fields, _ACTIONS, "does nothing")
    if event is None or action is None:
        return None
    matcher = look.string(fields[event], (*place, event), f"what {event} matches")
    if matcher is not None and not _MATCHER.fullmatch(matcher):
        fix = "Write the names of tools with | between them, or * for all: Edit|Write."
        look.note((*place, event), f"{matcher!r} matches no tool", fix)
    if event == "PostToolUse" and action not in _AFTER:
        message = f"a hook cannot {action} once the call is made"
        look.note((*place, action), message, f"Write one of: {', '.join(_AFTER)}.", key=True)
    hook = GivenHook(cast(HookEvent, event), matcher or "*", cast(HookAction, action))
    return _with_action(look, reach, (*place, action), hook, fields[action])


def _only(
    look: Inspection, place: YamlPath, fields: Mapping[str, Any], keys: tuple[str, ...], lacking: str
) -> str | None:
    """Return the one key of `keys` that there is."""
    found = [key for key in fields if key in keys]
    if not found:
        look.note(place, f"the hook {lacking}", f"Write one of: {', '.join(keys)}.")
        return None
    if len(found) > 1:
        message = f"a hook has both {found[0]} and {found[1]}"
        look.note((*place, found[1]), message, "Make each a hook of its own.", key=True)
    return found[0]


def _with_action(
    look: Inspection, reach: Reach, place: YamlPath, hook: GivenHook, value: Any
) -> GivenHook | None:
    """Return the hook with what it does."""
    event, matcher, action = hook.event, hook.matcher, hook.action
    match action:
        case "input":
            arguments = look.mapping(value, place, "input")
            if arguments is None:
                return None
            reach.hook_input(place, matcher, arguments)
            return GivenHook(event, matcher, action, input=arguments)
        case "exit":
            fields = look.mapping(value, place, "exit", ("code", "stderr"), required=("code", "stderr")) or {}
            if not {"code", "stderr"} <= fields.keys():
                return None
            code = look.integer(fields["code"], (*place, "code"), "code", least=0, most=125)
            words = _words(look, (*place, "stderr"), fields["stderr"], "stderr")
            return GivenHook(event, matcher, action, words or "", code or 0)
        case "modify":
            files = look.mapping(value, place, "modify") or {}
            if value == {}:
                look.note(place, "modify names no path", "Write at least one path.", key=True)
            return GivenHook(event, matcher, action, files=_files(look, place, files))
        case _:
            words = _words(look, place, value, action)
            return None if words is None else GivenHook(event, matcher, action, words)


def _words(look: Inspection, place: YamlPath, value: Any, what: str) -> str | None:
    """Return a text that is part of a command, which cannot contain every character."""
    words = look.string(value, place, what)
    if words is not None and ("\0" in words or any("\ud800" <= each <= "\udfff" for each in words)):
        message = f"{what} holds a NUL character or half of one, which no command can contain"
        look.note(place, message, "Leave it out.")
        return None
    return words


def _files(look: Inspection, place: YamlPath, files: Mapping[str, Any]) -> dict[str, RegularFile]:
    written = {}
    for path, content in files.items():
        at = (*place, path)
        entry = given_entry(look, at, content)
        safe = is_safe(look, path, at, key=True)
        if isinstance(entry, RegularFile):
            if entry.mode is not None or entry.mtime is not None:
                message = "a hook writes a file's content alone"
                look.note(at, message, "Leave out mode and mtime: a file gets the time of writing.")
            if safe:
                written[path] = entry
        elif entry is not None:
            look.note(at, "a hook writes regular files alone", "Write the file's content.")
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

"""Run hooks before and after calls, and evaluate their decisions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.shell.shell import CommandResult

__all__ = ["Hook", "Hooks", "PreToolUseResult"]

_BEFORE, _AFTER = "PreToolUse", "PostToolUse"
_BLOCKS = 2
"""The exit code that blocks. Any other code except 0 is a failure of the hook itself and has no effect."""
_BY_DECISION = {"deny": "deny", "block": "deny", "ask": "ask", "allow": "allow"}


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook before (`PreToolUse`) or after (`PostToolUse`) each call of the tools in `matcher`.

    `matcher` is `*`, or names of tools separated by `|`. `run` gets the call as JSON and returns the result of
    `command`, the hook's name for the model: exit code 2, or JSON on the output, state its decision.
    """

    event: str
    matcher: str
    command: str
    run: Callable[[str], CommandResult]

    def runs_at(self, event: str, tool: str) -> bool:
        """Whether the hook runs at an event of a tool."""
        return self.event == event and (self.matcher == "*" or tool in self.matcher.split("|"))


@dataclass(frozen=True, slots=True)
class _HookDecision:
    """The decision of a hook: `deny`, `ask`, `allow` or empty. `plain` means that the exit code stated it."""

    hook: Hook
    decision: str = ""
    reason: str = ""
    plain: bool = False
    context: str = ""
    input: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PreToolUseResult:
    """The result of the hooks before a call: new `arguments` (None: unchanged), and whether they `allowed` it."""

    arguments: Mapping[str, Any] | None = None
    allowed: bool = False


@dataclass(slots=True)
class Hooks:
    """The hooks of one session. `reminders` are the messages of hooks to the model that come with the next result."""

    hooks: Sequence[Hook]
    behaviours: Behaviours
    reminders: list[str] = field(default_factory=list)

    def before(self, tool: str, arguments: Mapping[str, Any]) -> PreToolUseResult:
        """Run the hooks before a call. Raises Refusal if a hook blocks the call."""
        replaced = None
        allowed = False
        for wish in self._hook_decisions(_BEFORE, tool, {"tool_input": arguments}):
            if wish.decision == "deny":
                raise self._blocking_refusal(tool, wish)
            if wish.decision == "ask" and self.behaviours.hooks.hook_ask_refuses:
                raise Refusal("blocked_by_hook", wish.reason)
            if wish.context and self.behaviours.hooks.hooks_before_calls_add_context:
                self._remind_of_context(_BEFORE, tool, wish)
            allowed = allowed or wish.decision == "allow"
            replaced = wish.input or replaced
        return PreToolUseResult(replaced if self.behaviours.hooks.hooks_replace_input else None, allowed)

    def after(self, tool: str, arguments: Mapping[str, Any], answer: object) -> bool:
        """Run the hooks after a call; return whether any hook ran."""
        ran = False
        for wish in self._hook_decisions(_AFTER, tool, {"tool_input": arguments, "tool_response": answer}):
            ran = True
            if wish.decision == "deny":
                self._remind_of_block(_AFTER, tool, wish)
                if not wish.plain and self.behaviours.hooks.hook_block_is_reported_twice:
                    self._remind_of_block(_AFTER, tool, wish)
            elif wish.context:
                self._remind_of_context(_AFTER, tool, wish)
        return ran

    def tell_of_formatted(self, tool: str, path: str) -> None:
        """Add a reminder that a hook changed the file that a call has just written."""
        self.reminders.append(self.behaviours.hooks.hook_changed_file_notice.format(tool=tool, path=path))

    def take_reminders(self) -> tuple[str, ...]:
        """Return and clear the reminders of the hooks at the end of a message."""
        reminders = tuple(self.reminders)
        self.reminders.clear()
        return reminders

    def _hook_decisions(self, event: str, tool: str, call: Mapping[str, Any]) -> Iterator[_HookDecision]:
        hooks = [hook for hook in self.hooks if hook.runs_at(event, tool)]
        said = {"hook_event_name": event, "tool_name": tool, **call}
        for hook in hooks:
            yield _hook_decision(hook, hook.run(json.dumps(said)))

    def _blocking_refusal(self, tool: str, wish: _HookDecision) -> Refusal:
        reason = f"[{wish.hook.command}]: {wish.reason}" if wish.plain else wish.reason
        if not wish.plain and self.behaviours.hooks.hook_denial_is_also_a_reminder:
            self._remind_of_block(_BEFORE, tool, wish)
        form = (
            self.behaviours.hooks.hook_exit_two_refusal
            if wish.plain
            else self.behaviours.hooks.hook_denial_refusal
        )
        return Refusal("blocked_by_hook", form.format(tool=tool, reason=reason))

    def _remind_of_block(self, event: str, tool: str, wish: _HookDecision) -> None:
        command = wish.hook.command
        reason = f"[{command}]: {wish.reason.rstrip()}" if wish.plain else wish.reason
        form = self.behaviours.hooks.hook_block_after_call
        self.reminders.append(form.format(event=event, tool=tool, command=command, reason=reason))

    def _remind_of_context(self, event: str, tool: str, wish: _HookDecision) -> None:
        form = self.behaviours.hooks.hook_added_context
        if form:
            self.reminders.append(form.format(event=event, tool=tool, context=wish.context))


def _hook_decision(hook: Hook, ran: CommandResult) -> _HookDecision:
    if ran.code == _BLOCKS:
        return _HookDecision(hook, "deny", ran.errors, plain=True)
    if ran.code:
        return _HookDecision(hook)
    try:
        said = json.loads(ran.output)
    except json.JSONDecodeError:
        return _HookDecision(hook)
    if not isinstance(said, dict):
        return _HookDecision(hook)
    own = said.get("hookSpecificOutput") or {}
    decision = own.get("permissionDecision") or said.get("decision") or ""
    return _HookDecision(
        hook,
        _BY_DECISION.get(decision, ""),
        own.get("permissionDecisionReason") or said.get("reason") or "",
        context=own.get("additionalContext") or "",
        input=own.get("updatedInput"),
    )

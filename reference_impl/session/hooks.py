"""Run the hooks of the user before and after calls, and apply their decisions."""

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
_BLOCKING_EXIT_CODE = 2
"""Exit code of a hook that blocks a call. Any other code except 0 is a failed hook without effect."""
_DECISIONS = {"deny": "deny", "block": "deny", "ask": "ask", "allow": "allow"}


@dataclass(frozen=True, slots=True)
class Hook:
    """A command of the user that runs before (`PreToolUse`) or after (`PostToolUse`) calls. The command denies a call
    with exit code 2, or prints its decision as JSON.
    """

    event: str
    # `*`, or names of tools separated by `|`
    matcher: str
    # name of the hook for the model
    command: str
    # runs the command; argument: the call as JSON
    run: Callable[[str], CommandResult]

    def runs_at(self, event: str, tool: str) -> bool:
        """Whether the hook runs for the event `event` (`PreToolUse`, `PostToolUse`) of a call of `tool`."""
        return self.event == event and (self.matcher == "*" or tool in self.matcher.split("|"))


@dataclass(frozen=True, slots=True)
class _HookDecision:
    """The decision of a hook about a call: `deny`, `ask` or `allow`; empty without a decision."""

    hook: Hook
    decision: str = ""
    reason: str = ""
    # the exit code stated the decision, not JSON output
    by_exit_code: bool = False
    # text for the model
    context: str = ""
    # new arguments
    input: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PreToolUseResult:
    """The result of the hooks before a call: new `arguments` (None: no change), and whether a hook `allowed` it."""

    arguments: Mapping[str, Any] | None = None
    allowed: bool = False


@dataclass(slots=True)
class Hooks:
    """The hooks of one session. `reminders` are messages of hooks to the model, for the next result."""

    hooks: Sequence[Hook]
    behaviours: Behaviours
    reminders: list[str] = field(default_factory=list)

    def before(self, tool: str, arguments: Mapping[str, Any]) -> PreToolUseResult:
        """Run the hooks before a call, and return their result. Raises Refusal if a hook blocks the call."""
        replaced = None
        allowed = False
        for decision in self._hook_decisions(_BEFORE, tool, {"tool_input": arguments}):
            if decision.decision == "deny":
                raise self._blocking_refusal(tool, decision)
            if decision.decision == "ask" and self.behaviours.hooks.hook_ask_refuses:
                raise Refusal("blocked_by_hook", decision.reason)
            if decision.context and self.behaviours.hooks.hooks_before_calls_add_context:
                self._remind_of_context(_BEFORE, tool, decision)
            allowed = allowed or decision.decision == "allow"
            replaced = decision.input or replaced
        return PreToolUseResult(replaced if self.behaviours.hooks.hooks_replace_input else None, allowed)

    def after(self, tool: str, arguments: Mapping[str, Any], answer: object, *, in_agent: bool) -> bool:
        """Run the hooks after a call. Return whether any hook ran. `in_agent` means that a sub-agent made the call."""
        ran = False
        shows_context = self.behaviours.hooks.hook_context_reaches_agents or not in_agent
        for decision in self._hook_decisions(
            _AFTER, tool, {"tool_input": arguments, "tool_response": answer}
        ):
            ran = True
            if decision.decision == "deny":
                self._remind_of_block(_AFTER, tool, decision)
                if not decision.by_exit_code and self.behaviours.hooks.hook_block_is_reported_twice:
                    self._remind_of_block(_AFTER, tool, decision)
            elif decision.context and shows_context:
                self._remind_of_context(_AFTER, tool, decision)
        return ran

    def remind_of_hook_change(self, tool: str, path: str) -> None:
        """Remind the model, with the next result, that a hook changed the file that a call has just written."""
        self.reminders.append(self.behaviours.hooks.hook_changed_file_notice.format(tool=tool, path=path))

    def take_reminders(self) -> tuple[str, ...]:
        """Return the reminders and remove them from the session. Called at the end of a message."""
        reminders = tuple(self.reminders)
        self.reminders.clear()
        return reminders

    def _hook_decisions(self, event: str, tool: str, call: Mapping[str, Any]) -> Iterator[_HookDecision]:
        hooks = [hook for hook in self.hooks if hook.runs_at(event, tool)]
        said = {"hook_event_name": event, "tool_name": tool, **call}
        for hook in hooks:
            yield _hook_decision(hook, hook.run(json.dumps(said)))

    def _blocking_refusal(self, tool: str, decision: _HookDecision) -> Refusal:
        reason = f"[{decision.hook.command}]: {decision.reason}" if decision.by_exit_code else decision.reason
        if not decision.by_exit_code and self.behaviours.hooks.hook_denial_is_also_a_reminder:
            self._remind_of_block(_BEFORE, tool, decision)
        form = (
            self.behaviours.hooks.hook_exit_two_refusal
            if decision.by_exit_code
            else self.behaviours.hooks.hook_denial_refusal
        )
        return Refusal("blocked_by_hook", form.format(tool=tool, reason=reason))

    def _remind_of_block(self, event: str, tool: str, decision: _HookDecision) -> None:
        command = decision.hook.command
        reason = f"[{command}]: {decision.reason.rstrip()}" if decision.by_exit_code else decision.reason
        form = self.behaviours.hooks.hook_block_after_call
        self.reminders.append(form.format(event=event, tool=tool, command=command, reason=reason))

    def _remind_of_context(self, event: str, tool: str, decision: _HookDecision) -> None:
        form = self.behaviours.hooks.hook_added_context
        if form:
            self.reminders.append(form.format(event=event, tool=tool, context=decision.context))


def _hook_decision(hook: Hook, ran: CommandResult) -> _HookDecision:
    if ran.code == _BLOCKING_EXIT_CODE:
        return _HookDecision(hook, "deny", ran.errors, by_exit_code=True)
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
        _DECISIONS.get(decision, ""),
        own.get("permissionDecisionReason") or said.get("reason") or "",
        context=own.get("additionalContext") or "",
        input=own.get("updatedInput"),
    )

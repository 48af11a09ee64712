"""Behaviours of hooks."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["HookBehaviours"]

_ERROR = "PreToolUse:{tool} hook error: {reason}"
_BLOCKED = "{tool} operation blocked by hook:\n- {reason}"
_FEEDBACK = "{tool} operation feedback:\n- {reason}"
_OBJECTION = '{event}:{tool} hook blocking error from command: "{command}": {reason}'
_ADDED = "{event}:{tool} hook additional context: {context}"
_CONTEXT = (
    "PostToolUse:{tool} hook additional context: PostToolUse hook modified {path} after your edit (likely a "
    "formatter). Your next Edit will not fail with a stale-file error, but if its old_string targets a region the "
    "hook reformatted, Read the file first."
)


class HookBehaviours(Group):
    """Effects of hooks."""

    hook_ask_refuses: bool = behaviour(
        False,
        {"2.1.85": True},
        meaning="A call is refused if a hook requests a confirmation by the user, because no user is present.",
        shown_by=("hooks/asked-edit",),
    )
    hook_exit_two_refusal: str = behaviour(
        _BLOCKED,
        {"2.0.19": _ERROR},
        meaning="The answer to a call that a hook blocks by exit code 2.",
        shown_by=("hooks/exit-two-before-edit",),
    )
    hook_denial_refusal: str = behaviour(
        _BLOCKED,
        {"2.0.19": "Hook requested permission behavior: deny", "2.0.30": "{reason}", "2.1.281": _ERROR},
        meaning="The answer to a call that a hook denies.",
        shown_by=("hooks/denied-edit",),
    )
    hook_denial_is_also_a_reminder: bool = behaviour(
        False,
        {"2.0.19": True, "2.1.133": False},
        meaning="If a hook denies a call, a reminder repeats the reason.",
        shown_by=("hooks/denied-edit",),
    )
    hooks_replace_input: bool = behaviour(
        False,
        {"2.0.10": True},
        meaning="Arguments from a hook replace the arguments of the model.",
        shown_by=("hooks/replaced-input",),
    )
    hooks_before_calls_add_context: bool = behaviour(
        False,
        {"2.1.9": True},
        meaning="A hook that runs before a call can also add context.",
        shown_by=("hooks/context-before-edit",),
    )
    hook_added_context: str = behaviour(
        "",
        {"2.0.0": "{context}", "2.0.9": "", "2.0.19": _ADDED},
        meaning="The text that shows the added context of a hook to the model; if empty, the model does not see the "
        "context.",
        shown_by=("hooks/context-after-edit",),
    )
    hook_block_after_call: str = behaviour(
        _FEEDBACK,
        {"2.0.0": f"PostToolUse:{_FEEDBACK}", "2.0.9": _FEEDBACK, "2.0.19": _OBJECTION},
        meaning="The text that shows the objection of a hook to an executed call to the model.",
        shown_by=("hooks/blocked-after-edit",),
    )
    hook_block_is_reported_twice: bool = behaviour(
        False,
        {"2.0.19": True, "2.1.72": False},
        meaning="If a hook exits with 0 and objects to an executed call, the objection is reported twice.",
        shown_by=("hooks/blocked-after-edit",),
    )
    hook_changes_to_new_files_are_silent: bool = behaviour(
        True,
        {"1.0.65": False},
        meaning="If a hook changes a file that the session has just read or written for the first time, the session "
        "knows the new content without a notice.",
        shown_by=("hooks/formatter-after-write",),
    )
    hook_changed_file_notice: str = behaviour(
        "",
        {"2.1.90": _CONTEXT},
        meaning="The notice that a hook changed a file right after a call wrote it. The session then knows the new "
        "content. If empty, the change is treated like a change by any other program.",
        shown_by=("hooks/formatter-after-edit",),
    )

"""Behaviours of tools and of the calls of one message."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["CallBehaviours"]


class CallBehaviours(Group):
    """Available tools, and how many calls of a message run in parallel."""

    multi_edit_exists: bool = behaviour(
        True, {"2.0.0": False}, meaning="The tool MultiEdit exists.", shown_by=("multi-edit/several-edits",)
    )
    # 2.1.153 does it occasionally, so it cannot be recorded.
    ten_calls_run_at_once: bool = behaviour(
        True,
        {"2.1.154": False},
        meaning="Ten calls of one message run at the same time, so that only the eleventh call knows the result of "
        "the first.",
        shown_by=("state/read-again-before-the-eleventh",),
    )
    removed_tool_remark: str = behaviour(
        "",
        {
            "2.1.101": ". {tool} exists but is not enabled in this context. Use one of the available tools instead.",
            "2.1.229": ". {tool} is disabled for this session, in subagents as well as here.",
        },
        meaning="The remark at the end of the refusal of a call to a tool that a deny rule removed.",
        shown_by=("permissions/edit-taken-away", "permissions/write-taken-away"),
    )
    given_up_remark: str = behaviour(
        "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you"
        " how to proceed.",
        {
            "2.1.154": "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
            "was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for "
            "the user to tell you how to proceed.",
        },
        meaning="The answer to a call that the user interrupted before its execution.",
        shown_by=("interrupted/edit-given-up",),
    )
    stopped_remark: str = behaviour(
        "",
        {
            "2.1.154": "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
            "was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for "
            "the user to tell you how to proceed.",
            "2.1.314": "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
            "was a file edit, the new_string was NOT written to the file). STOP what you are doing and "
            "wait for the user to tell you how to proceed. Correction to the text above: this call was "
            "stopped while running, not refused before it ran. It may have run in part or in full, and "
            "its changes may have been written. No permission prompt was involved. Work it started "
            "elsewhere (a remote command, a background process) may still be running, so check before "
            "starting the same work again. The instruction to stop and wait still stands.",
        },
        meaning="The answer to a call that the user interrupted after the call had written and before its answer; if "
        "empty, the call gets its usual answer.",
        shown_by=("interrupted/edit-stopped",),
    )
    user_messages_forget_files: bool = behaviour(
        True,
        {"1.0.73": False},
        meaning="With the next message of the user, for example after an interrupted call or with a mention, the "
        "session forgets the files that it has read or written.",
        shown_by=(
            "crossings/files-mention",
            "interrupted/edit-given-up",
            "interrupted/edit-stopped-then-written",
        ),
    )
    giving_up_shows_changes: bool = behaviour(
        True,
        {"2.1.75": False},
        meaning="If the user interrupts a call, the model sees the changes that other programs made to known files, "
        "which counts as a Read.",
        shown_by=("interrupted/changed-and-given-up",),
    )
    notebook_edit_is_deferred: bool = behaviour(
        False,
        {"2.1.304": True},
        meaning="The model receives the schema of NotebookEdit only after a call with wrong arguments.",
        shown_by=("arguments/notebook-edit-without-needed", "notebooks/unknown-edit-mode"),
    )

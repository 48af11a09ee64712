"""Declare behaviours of sessions: commands, hooks, resumed sessions, and sub-agents."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.versioned import Group, behaviour

__all__ = ["CommandBehaviours", "HookBehaviours", "SessionBehaviours"]


_NOT_GRANTED = "Claude requested permissions to use Bash, but you haven't granted it yet."
_FIRST = "cat sed"
_MORE = f"{_FIRST} head tail grep egrep fgrep"


class CommandBehaviours(Group):
    """Effects of shell commands on the session's knowledge of files, and the permissions that commands require."""

    commands_that_count_as_read: str = behaviour(
        "",
        {"2.1.89": _FIRST, "2.1.144": _MORE, "2.1.176": f"{_MORE} nl rg"},
        meaning="The shell commands that count as a Read of the lines that they show, if they show one file "
        "and do nothing else.",
        shown_by=("bash-and-mentions/cat", "bash-and-mentions/head", "bash-and-mentions/nl"),
    )
    commands_bound_by_deny_rules: str = behaviour(
        "",
        {
            "1.0.102": "show copies",
            "1.0.117": "show copies sed-i",
            "2.1.2": "show sed-i",
            "2.1.30": "show sed",
            "2.1.129": "show sed copies",
            "2.1.257": "show sed copies inputs",
            "2.1.269": "show sed copies inputs tee",
        },
        meaning="The product refuses a shell command that obviously reads or changes a file that a deny rule covers. "
        "`commands_bound_by_deny_rules` lists the uses of a denied file that are refused: `show` (by `cat`, `grep` "
        "and similar commands, by `rm`, and as the old name of `mv`), `sed-i` (by `sed -i`) or `sed` (by any `sed`), "
        "`copies` (as the new name of `cp` or `mv`), `inputs` (as standard input, or as the source of `cp`) and "
        "`tee` (as a file that `tee` writes).",
        shown_by=(
            "permissions/commands-that-write-closed-files",
            "permissions/commands-that-move-closed-files",
            "permissions/commands-that-read-closed-files",
            "permissions/more-commands-that-read-closed-files",
        ),
    )
    redirections_bound_by_deny_rules: str = behaviour(
        "not",
        {"2.0.55": "by their file", "2.1.89": "as commands"},
        meaning="The treatment of a command that redirects its output to a file that a deny rule covers: "
        "`not` (the command is not refused), `by their file` (the refusal names the file), or `as commands` "
        "(the product uses the same refusal as for other commands).",
        shown_by=("permissions/commands-that-write-closed-files",),
    )
    approval_refusal: str = behaviour(
        _NOT_GRANTED,
        {"1.0.73": "This command requires approval"},
        meaning="The refusal of a command that requires a permission, in the permission mode `default`.",
        shown_by=("crossings/default-mode-command",),
    )
    reading_commands_need_approval: bool = behaviour(
        True,
        {"2.1.2": False},
        meaning="In the permission mode `default`, a command requires a permission even if it only shows "
        "files.",
        shown_by=("crossings/default-mode-command",),
    )
    redirection_approval_refusal: str = behaviour(
        _NOT_GRANTED,
        {
            "1.0.73": "Command contains output redirection (>) which could write to arbitrary files",
            "2.0.30": "This Bash command contains multiple operations. The following part requires approval: {path}",
            "2.0.53": "",
        },
        meaning="The refusal of a command that redirects its output to a file, in the permission mode `default`. If "
        "`redirection_approval_refusal` is empty, a command may redirect its output to a file that an allow rule "
        "covers.",
        shown_by=("permissions/commands-in-the-default-mode",),
    )
    deny_rules_follow_commands: bool = behaviour(
        True,
        {"2.1.324": False},
        meaning="After a `cd`, the patterns of relative deny rules start at the new directory.",
        shown_by=("working-directory/cd-into-a-closed-folder",),
    )
    user_messages_end_a_change_of_directory: bool = behaviour(
        True,
        {"2.1.265": False},
        meaning="If a command changed the working directory, the next message of the user changes it back to the "
        "first directory of the session.",
        shown_by=("working-directory/cd-then-mention", "working-directory/cd-then-rewind-and-on"),
    )
    commands_ignore_standard_input: bool = behaviour(
        True,
        {"1.0.112": False},
        meaning="If a command uses a file as its standard input, the command gets an empty standard input "
        "instead.",
        shown_by=("bash-and-mentions/cat-standard-input",),
    )
    failed_commands_tell_their_code: bool = behaviour(
        False,
        {"2.0.30": True},
        meaning="If a command fails, the answer begins with the exit code of the command.",
        shown_by=("bash-and-mentions/cat-fails",),
    )
    failed_command_output_order: str = behaviour(
        "errors first",
        {"2.1.45": "twice", "2.1.71": "in order"},
        meaning="The order of the output in the answer to a failing command: `errors first` (errors, then "
        "standard output), `in order` (standard output, then errors), or `twice` (standard output and "
        "errors, and both again).",
        shown_by=("bash-and-mentions/cat-fails",),
    )
    in_place_commands_report_known_files: bool = behaviour(
        False,
        {"2.1.309": True},
        meaning="If a command such as `sed -i` rewrites files in place, the answer lists the known files that are "
        "newer on disk than when the session read or wrote them.",
        shown_by=("bash-and-mentions/sed-in-place-after-read",),
    )


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
    """Effects of hooks: programs of the user that run before and after calls."""

    hook_ask_refuses: bool = behaviour(
        False,
        {"2.1.85": True},
        meaning="If a hook requests that the user confirms a call, the call is refused, because no user is "
        "present.",
        shown_by=("hooks/asked-edit",),
    )
    hook_exit_two_refusal: str = behaviour(
        _BLOCKED,
        {"2.0.19": _ERROR},
        meaning="The answer to a call that a hook blocks with the exit code 2.",
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
        meaning="If a hook supplies arguments, the call uses these arguments, instead of the arguments of "
        "the model.",
        shown_by=("hooks/replaced-input",),
    )
    hooks_before_calls_add_context: bool = behaviour(
        False,
        {"2.1.9": True},
        meaning="A hook that runs before a call can add context (a text for the model), as a hook that runs after a "
        "call can.",
        shown_by=("hooks/context-before-edit",),
    )
    hook_added_context: str = behaviour(
        "",
        {"2.0.0": "{context}", "2.0.9": "", "2.0.19": _ADDED},
        meaning="The text that shows the model the context that a hook added. If `hook_added_context` is empty, the "
        "model does not see this context.",
        shown_by=("hooks/context-after-edit",),
    )
    hook_context_reaches_agents: bool = behaviour(
        False,
        {"2.0.19": True},
        meaning="A sub-agent also sees the context that a hook adds after a call.",
        shown_by=("crossings/hooks-agent",),
    )
    hook_block_after_call: str = behaviour(
        _FEEDBACK,
        {"2.0.0": f"PostToolUse:{_FEEDBACK}", "2.0.9": _FEEDBACK, "2.0.19": _OBJECTION},
        meaning="The text that tells the model that a hook objects to a call that was already executed.",
        shown_by=("hooks/blocked-after-edit",),
    )
    hook_block_is_reported_twice: bool = behaviour(
        False,
        {"2.0.19": True, "2.1.72": False},
        meaning="If a hook objects to an executed call with JSON output, instead of with exit code 2, the model gets "
        "the objection twice.",
        shown_by=("hooks/blocked-after-edit",),
    )
    hook_changes_to_new_files_are_silent: bool = behaviour(
        True,
        {"1.0.65": False},
        meaning="If a hook changes a file that the session has just read or written for the first time, the "
        "session knows the new content, but the model gets no notice.",
        shown_by=("hooks/formatter-after-write",),
    )
    hook_changed_file_notice: str = behaviour(
        "",
        {"2.1.90": _CONTEXT},
        meaning="The notice to the model that a hook changed a file right after a call wrote the file. After this "
        "notice, the session knows the content that the hook wrote. If `hook_changed_file_notice` is empty, the "
        "product treats a change by a hook like a change by any other program.",
        shown_by=("hooks/formatter-after-edit",),
    )


class SessionBehaviours(Group):
    """The files that a session knows after it was resumed or compacted, and the files that sub-agents know."""

    resume_keeps_known_files: bool = behaviour(
        False,
        {"1.0.73": True},
        meaning="A resumed session knows the files that it read or wrote before the resume, instead of no "
        "files.",
        shown_by=("sessions/edit-after-resume", "sessions/write-after-resume"),
    )
    resume_keeps_partial_reads: bool = behaviour(
        False,
        {"2.1.212": True},
        meaning="A resumed session also knows the files that it read only in part before the resume.",
        shown_by=("sessions/edit-after-partial-read-and-resume",),
    )
    resume_keeps_own_writes: bool = behaviour(
        False,
        {"2.0.15": True},
        meaning="A resumed session also knows the files that it wrote, but never read, before the resume.",
        shown_by=("sessions/edit-after-own-write-and-resume",),
    )
    resume_counts_blocked_reads: bool = behaviour(
        True,
        {"2.1.116": False},
        meaning="A resumed session also knows each file whose Read a hook blocked before the resume.",
        shown_by=("hooks/blocked-read-then-resume",),
    )
    resume_counts_edits_as_seen: bool = behaviour(
        True,
        {"2.1.281": False},
        meaning="If a session edited a file and is then resumed, the product assumes that the model has seen the "
        "whole file, so the answer of the next Edit says that the model knows the whole file.",
        shown_by=("sessions/edit-after-own-edit-and-resume",),
    )
    resume_takes_over_changes: bool = behaviour(
        True,
        {"2.1.91": False},
        meaning="A resumed session detects that files have changed after their Read, and then knows the new "
        "content of these files.",
        shown_by=("sessions/edit-after-new-change-before-resume",),
    )
    resume_reports_changes_once: bool = behaviour(
        False,
        {"2.0.19": True},
        meaning="A resumed session reports changes that other programs made before the resume to the model, and then "
        "knows the changed content. Without `resume_reports_changes_once`, a resumed session reports the changes "
        "again with the result of its first call, and refuses the first call if it is an Edit or Write of a changed "
        "file.",
        shown_by=("reminders/change-before-resume", "sessions/edit-after-new-change-before-resume"),
    )
    resume_reports_own_edits: bool = behaviour(
        False,
        {"2.0.30": True, "2.1.86": False},
        meaning="If a session read and then edited a file, and is then resumed, the resumed session reports the Edit "
        "as a change to the file.",
        shown_by=("reminders/own-edit-before-resume",),
    )
    rewind_follows_links: bool = behaviour(
        True,
        {"2.1.216": False},
        meaning="If a link has replaced a file or the directory of the file, a rewind writes to the target "
        "of the link.",
        shown_by=("rewind/link-in-its-place", "rewind/parent-replaced-by-a-link"),
    )
    rewind_decodes_as_utf_8: bool = behaviour(
        True,
        {"2.1.83": False},
        meaning="A rewind decodes every file as UTF-8, which damages the first bytes of a restored UTF-16 "
        "file.",
        shown_by=("rewind/whatever-the-file-was",),
    )
    sub_agents_have_their_own_memory: bool = behaviour(
        False,
        {"1.0.117": True},
        meaning="A sub-agent knows only the files that the sub-agent itself read or wrote, and the session does not "
        "know these files. Without `sub_agents_have_their_own_memory`, the session and its sub-agents share all "
        "known files.",
        shown_by=("sessions/agents-read-unlocks-nothing", "sessions/agent-edits-what-was-read"),
    )
    files_reread_by_compaction: int = behaviour(
        0,
        {"1.0.11": 5},
        meaning="The number of files that the product reads again after a compaction, which replaces the "
        "conversation by a summary. After a compaction, the session knows only the files that the product has read "
        "again.",
        shown_by=("sessions/edit-after-compaction", "sessions/five-files-survive-compaction"),
    )

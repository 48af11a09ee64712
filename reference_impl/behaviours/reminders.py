"""Behaviours of reminders about changed files."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import ByModel, behaviour

__all__ = ["ReminderBehaviours"]

_NOT_TOLD = "Don't tell the user this, since they are already aware."
_INTENDED = (
    "This change was intentional, so make sure to take it into account as you proceed (ie. don't revert it unless the "
    "user asks you to)."
)
_MODIFIED = "Note: {path} was modified, either by the user or by a linter."
_CHANGED = (
    "Note: {path} changed on disk since you last read it. That's usually deliberate, so take it as the current state "
    "rather than reverting it; if the change looks wrong, say so rather than undoing it yourself — otherwise no need "
    "to call it out."
)
_SNIPPET = (
    "So that you don't need to re-read the file, here's the result of running `cat -n` on a snippet of the "
    "edited file:"
)
_LINES = "Here are the relevant changes (shown with line numbers):\n{lines}"


class ReminderBehaviours(Group):
    """Reminders about changed files."""

    changed_file_reminder: str = behaviour(
        "",
        {
            "1.0.3": f"{_MODIFIED} {_NOT_TOLD} {_INTENDED} {_SNIPPET}\n\n{{lines}}",
            "1.0.69": f"{_MODIFIED} {_NOT_TOLD} {_INTENDED} {_SNIPPET}\n{{lines}}",
            "1.0.114": f"{_MODIFIED} {_INTENDED} {_NOT_TOLD} {_LINES}",
            "2.1.234": f"{_CHANGED} {_LINES}",
        },
        meaning="The reminder that a file changed; if empty, the reminder is omitted.",
        shown_by=("reminders/change-after-own-edit", "links-and-modes/edit-link-makes-target-stale"),
    )
    changed_lines_limit: int | None = behaviour(
        None,
        {"2.1.84": 8192},
        meaning="The maximum number of characters of changed lines in a reminder; without a value, a reminder shows "
        "all changed lines.",
        shown_by=("reminders/many-lines-changed", "reminders/long-line-changed"),
    )
    changed_lines_count_one_too_many: bool = behaviour(
        True,
        {"2.1.139": False},
        meaning="If a reminder leaves out changed lines, the stated number of these lines is too high by one.",
        shown_by=("reminders/many-lines-changed",),
    )
    reminder_without_changed_lines: str | None = behaviour(
        "(no content)",
        {"1.0.69": "", "1.0.114": None},
        meaning="The text that replaces the changed lines in the reminder of a file without changed lines; without "
        "a value, the reminder for such a file is omitted.",
        shown_by=("reminders/touch-after-own-edit",),
    )
    secret_file_reminder: str = behaviour(
        "",
        {"2.1.281": f"{_CHANGED} The changes are not shown here; use Read if you need the current content."},
        meaning="The reminder that a file changed, without its lines, if the name of the file suggests keys or "
        "passwords, such as `.env`; if empty, the reminder shows the changed lines as for any other file.",
        shown_by=("reminders/changes-of-secret-files",),
    )
    first_changed_line_is_unpadded: bool = behaviour(
        True,
        {"1.0.69": False},
        meaning="In a reminder, the number of the first changed line is not padded with spaces.",
        shown_by=("reminders/change-after-own-edit",),
    )
    changed_lines_mark_missing_newline: bool = behaviour(
        True,
        {"1.0.119": False},
        meaning="The changed lines in a reminder include a note if the last line of the file has no line end.",
        shown_by=("reminders/long-line-changed",),
    )
    reads_end_with_warning: bool = behaviour(
        False,
        {"1.0.31": True, "2.1.126": False},
        meaning="The answer of Read ends with a warning about malicious files, so that a reminder after the answer "
        "strips no whitespace from the shown lines.",
        shown_by=("staleness/own-change-is-reported-after-any-call", "crossed/own-57"),
    )
    early_refusals_keep_their_end: bool = behaviour(
        False,
        {"1.0.68": True},
        meaning="The text of a refusal before the execution of a call keeps its trailing whitespace, even if a "
        "reminder follows.",
        shown_by=("staleness/refusal-keeps-its-end-before-a-reminder",),
    )
    reminders_strip_answer_end: bool = behaviour(
        True,
        {"2.1.228": ByModel(enforced=True, relaxed=False)},
        meaning="A reminder about a changed file is part of the result, after the answer, whose final whitespace is "
        "stripped, instead of being separate from the result.",
        shown_by=("sizes/262144-bytes",),
    )

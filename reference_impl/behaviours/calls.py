"""Declare behaviours of calls before the checks of a tool: available tools, arguments, and preparation of texts."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.versioned import Group, behaviour

__all__ = ["ArgumentBehaviours", "CallBehaviours", "PreparationBehaviours"]


class CallBehaviours(Group):
    """Available tools, parallel calls, and interrupted calls."""

    multi_edit_exists: bool = behaviour(
        True, {"2.0.0": False}, meaning="The tool MultiEdit exists.", shown_by=("multi-edit/several-edits",)
    )
    # 2.1.153 does it occasionally, so it cannot be recorded.
    ten_calls_run_at_once: bool = behaviour(
        True,
        {"2.1.154": False},
        meaning="The product runs ten calls of one message at the same time, so only the eleventh call knows "
        "the result of the first call.",
        shown_by=("state/read-again-before-the-eleventh",),
    )
    removed_tool_remark: str = behaviour(
        "",
        {
            "2.1.101": ". {tool} exists but is not enabled in this context. Use one of the available tools instead.",
            "2.1.229": ". {tool} is disabled for this session, in subagents as well as here.",
        },
        meaning="The last words of the refusal of a call, if a deny rule has removed the tool of the call from "
        "the session.",
        shown_by=("permissions/edit-taken-away", "permissions/write-taken-away"),
    )
    given_up_remark: str = behaviour(
        "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you"
        " how to proceed.",
        {
            "2.1.154": "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
            "was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for "
            "the user to tell you how to proceed."
        },
        meaning="The answer to a call that the user interrupted before the product executed the call.",
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
        meaning="The answer to a call that had already written a file when the user interrupted the call. If "
        "`stopped_remark` is empty, the model gets the usual answer of the tool.",
        shown_by=("interrupted/edit-stopped",),
    )
    user_messages_forget_files: bool = behaviour(
        True,
        {"1.0.73": False},
        meaning="The session forgets all files that it has read or written as soon as the user sends the "
        "next message, for example after an interrupted call or with a mention.",
        shown_by=(
            "crossings/files-mention",
            "interrupted/edit-given-up",
            "interrupted/edit-stopped-then-written",
        ),
    )
    giving_up_shows_changes: bool = behaviour(
        True,
        {"2.1.75": False},
        meaning="If the user interrupts a call, the product shows the model the changes that other programs "
        "made to known files, and the shown changes count as read.",
        shown_by=("interrupted/changed-and-given-up",),
    )
    notebook_edit_is_deferred: bool = behaviour(
        False,
        {"2.1.304": True},
        meaning="The model receives the schema of NotebookEdit only after a call of NotebookEdit with wrong "
        "arguments.",
        shown_by=("arguments/notebook-edit-without-needed", "notebooks/unknown-edit-mode"),
    )


class ArgumentBehaviours(Group):
    """Arguments that the tools accept, and the refusals of other arguments."""

    accepts_boolean_strings: bool = behaviour(
        False,
        {"2.1.72": True},
        meaning="Edit accepts the strings `true` and `false` as booleans.",
        shown_by=("arguments/edit-replace-all-string",),
    )
    accepted_number_strings: str = behaviour(
        "",
        {"2.1.79": r"-?[0-9]+(?:\.[0-9]+)?", "2.1.140": r"\s*[+-]?[0-9]+(?:\.[0-9]+)?\s*"},
        meaning="The regular expression of the strings that Read accepts as numbers. If `accepted_number_strings` is "
        "empty, Read does not accept strings as numbers.",
        shown_by=("arguments/read-limit-string", "arguments/read-limit-other-strings"),
    )
    lists_of_one_number_are_accepted: bool = behaviour(
        False,
        {"2.1.186": True},
        meaning="Read accepts a list that contains one number as if it were this number.",
        shown_by=("arguments/numbers-in-lists",),
    )
    accepted_line_numbers: str = behaviour(
        "any",
        {"2.1.89": "strict", "2.1.181": "lenient"},
        meaning="The values of `offset` and `limit` that Read accepts: `any` (all numbers), `strict` "
        "(integers, at least 0 for `offset` and at least 1 for `limit`), or `lenient` (all integers; Read "
        "ignores an integer that is too low).",
        shown_by=("arguments/read-offset-negative", "arguments/read-limit-zero"),
    )
    argument_refusals_say_what_was_found: bool = behaviour(
        True,
        {"2.1.260": False, "2.1.285": True},
        meaning="The refusal of wrong arguments says which arguments are missing, and names the actual type of a "
        "value that has a wrong type. Without `argument_refusals_say_what_was_found`, the refusal of wrong "
        "arguments names only the expected types.",
        shown_by=(
            "arguments/edit-without-new-string",
            "arguments/read-two-wrong",
            "notebooks/unknown-edit-mode",
        ),
    )
    argument_refusals_list_refused_values: bool = behaviour(
        False,
        {"2.1.282": True},
        meaning="If several arguments of a call are wrong, the refusal also lists the arguments whose value "
        "is too large or not among the options.",
        shown_by=("arguments/several-wrong",),
    )
    arguments_that_end_early: str = behaviour(
        "complete",
        {"1.0.10": "none", "2.1.181": "refused"},
        meaning="The treatment of a call if the model's message ends inside the arguments of the call: "
        "`complete` (the product executes the call with the arguments that are complete), `none` (the "
        "product executes the call without arguments), or `refused` (the product refuses the call, and the "
        "refusal shows the beginning of the arguments).",
        shown_by=("interrupted/edit-at-limit", "interrupted/long-write-at-limit"),
    )
    option_refusals_repeat_the_value: bool = behaviour(
        True,
        {"2.0.77": False},
        meaning="If the value of an argument is not among the options, the refusal quotes the value.",
        shown_by=("notebooks/unknown-edit-mode", "notebooks/unknown-cell-type"),
    )
    unknown_names_are_sanitized: bool = behaviour(
        False,
        {"2.1.330": True},
        meaning="The refusal of an unknown argument escapes the name of the argument: it shows invisible "
        "characters as in `\\u{200B}`, and angle brackets as `‹›`. If the name is long, the refusal shows "
        "only both ends of the name.",
        shown_by=("arguments/argument-name-that-hides-characters", "arguments/argument-name-that-is-long"),
    )
    number_limit_is_inclusive: bool = behaviour(
        False,
        {"2.1.257": True},
        meaning="If a number is too large, the refusal says that the number must be less than or equal to the "
        "maximum, instead of less than the maximum.",
        shown_by=("arguments/read-offset-largest-number",),
    )
    number_exponents_are_dropped: bool = behaviour(
        True,
        {"1.0.10": False},
        meaning="If an `offset` is so large that it is printed with an exponent, Read uses only the part "
        "before the exponent. For example, Read uses the offset 1 instead of `1e+21`.",
        shown_by=("arguments/read-offset-largest-number",),
    )
    read_accepts_pages: bool = behaviour(
        False,
        {"2.1.30": True},
        meaning="Read accepts the argument `pages`, which selects pages of a PDF.",
        shown_by=("arguments/read-pages",),
    )
    pages_check: str = behaviour(
        "lenient",
        {"2.1.292": "strict", "2.1.295": "strict or empty"},
        meaning="The values of `pages` that Read accepts, for any type of file: `lenient` (a text that "
        "begins with a number or a range), `strict` (exactly one number or range), or `strict or empty` (as "
        "`strict`, or an empty text).",
        shown_by=("arguments/read-pages-that-are-none",),
    )
    read_accepts_length: bool = behaviour(
        False,
        {"2.1.181": True},
        meaning="Read accepts `length` as an alias of the argument `limit`.",
        shown_by=("arguments/edit-names-beside-its-own",),
    )
    proto_is_overlooked: bool = behaviour(
        False,
        {"2.1.116": True},
        meaning="Read, Edit and Write ignore an argument `__proto__`, and do not mention it in their "
        "answers.",
        shown_by=("arguments/edit-names-beside-its-own",),
    )
    edit_overlooks_repeated_strings: bool = behaviour(
        False,
        {"2.1.110": True},
        meaning="Edit ignores the arguments `old_str` and `new_str` if the call also contains `old_string` "
        "and `new_string`.",
        shown_by=("arguments/edit-names-beside-its-own",),
    )
    read_accepts_description: bool = behaviour(
        False,
        {"2.1.292": True},
        meaning="Read ignores an argument `description`, and does not mention it in its answer.",
        shown_by=("arguments/read-description",),
    )
    edit_accepts_aliases: bool = behaviour(
        False,
        {"2.1.181": True},
        meaning="Edit accepts `path`, `old_str` and `new_str` as aliases of the arguments `file_path`, `old_string` "
        "and `new_string`.",
        shown_by=("arguments/edit-aliases",),
    )
    edit_accepts_expected_replacements: bool = behaviour(
        True,
        {"1.0.8": False},
        meaning="Edit accepts the argument `expected_replacements`, the number of times that the old text "
        "must occur, instead of `replace_all`.",
        shown_by=("arguments/edit-expected-replacements", "arguments/edit-replace-all-false"),
    )
    multi_edit_accepts_json_text: bool = behaviour(
        True,
        {"1.0.8": False},
        meaning="MultiEdit also accepts its list of edits as a string that contains JSON.",
        shown_by=("multi-edit/edits-as-text",),
    )
    multi_edit_refusals_blame_the_list: bool = behaviour(
        True,
        {"1.0.108": False},
        meaning="If one edit of a MultiEdit is wrong, the refusal names the whole list of edits, instead of "
        "the wrong edit.",
        shown_by=("multi-edit/edit-without-new-string",),
    )
    write_accepts_aliases: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="Write accepts `path` and `file_text` as aliases of the arguments `file_path` and `content`, and "
        "ignores an argument `description`. If a call of Write uses an alias or `description`, and its other "
        "arguments are valid, the answer mentions the alias or `description`.",
        shown_by=("arguments/write-alias", "arguments/write-description"),
    )
    write_accepts_repeated_aliases: bool = behaviour(
        False,
        {"2.1.281": True},
        meaning="Write ignores the alias `path` if `file_path` has the same value, and the alias `file_text` if "
        "`content` has the same value.",
        shown_by=("arguments/write-alias-repeated",),
    )
    write_accepts_command_create: bool = behaviour(
        False,
        {"2.1.292": True},
        meaning="Write ignores the argument `command` if its value is `create`.",
        shown_by=("arguments/write-command-create",),
    )
    notebook_cell_argument: str = behaviour(
        "number",
        {"1.0.22": "needed id", "1.0.23": "id"},
        meaning="The argument of NotebookEdit and NotebookRead that selects a cell: `number` (the number of the "
        "cell), `id` (the id of the cell, optional), or `needed id` (the id of the cell, required). If a call of "
        "NotebookRead contains an id, the answer shows only the cell with this id.",
        shown_by=("notebooks/replace-cell", "notebooks/insert-without-cell", "notebook-read/one-cell"),
    )


class PreparationBehaviours(Group):
    """Changes that the product makes to the texts in the arguments of Edit and Write before the calls are validated."""

    unicode_escapes_are_decoded: bool = behaviour(
        False,
        {"2.1.116": True},
        meaning="Before Edit and Write use their arguments, each escape `\\uXXXX` in the arguments is "
        "replaced by the character with this code.",
        shown_by=("literal-text/unicode-escape", "literal-text/write-special-text"),
    )
    control_character_escapes_are_kept: bool = behaviour(
        False,
        {"2.1.277": True},
        meaning="If an escape `\\uXXXX` in the arguments of Edit and Write stands for a control character, "
        "the escape is not replaced by the character.",
        shown_by=("literal-text/unicode-escapes-of-every-kind",),
    )
    windows_paths_keep_escapes: bool = behaviour(
        False,
        {"2.1.218": True},
        meaning="If an argument of Edit or Write contains a Windows path, the escapes `\\uXXXX` in this "
        "argument are not replaced by characters.",
        shown_by=("literal-text/windows-path",),
    )
    trailing_whitespace_is_stripped: bool = behaviour(
        False,
        {"1.0.113": True},
        documented=False,
        meaning="Write, and Edit of an existing file, remove the whitespace at the line ends of the "
        "inserted text.",
        source="2.1.7-read-before-edit.txt, Core Replacement",
        shown_by=("whitespace/trailing-whitespace-is-the-whole-change",),
    )
    markdown_keeps_trailing_whitespace: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="If Edit or Write inserts text into a Markdown file, the text keeps its trailing whitespace.",
        shown_by=("whitespace/trailing-whitespace-in-markdown", "write/trailing-whitespace-markdown"),
    )

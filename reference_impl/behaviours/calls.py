"""Calls: which tools there are, which arguments they take, how wrong ones are refused."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import since

__all__ = ["CallBehaviours"]


@dataclass(frozen=True, kw_only=True)
class CallBehaviours:
    """What a message may call."""

    multi_edit_exists: bool = since(True, {"2.0.0": False}, shown_by=("multi-edit/several-edits",))
    """There is MultiEdit."""
    # 2.1.153 does it now and then, so it gives no recording.
    ten_calls_run_at_once: bool = since(
        True, {"2.1.154": False}, shown_by=("state/read-again-before-the-eleventh",)
    )
    """Of many calls of a message ten run at once, so that the eleventh knows what the first did."""
    removed_tool_remark: str = since(
        "",
        {
            "2.1.101": ". {tool} exists but is not enabled in this context. Use one of the available tools instead.",
            "2.1.229": ". {tool} is disabled for this session, in subagents as well as here.",
        },
        shown_by=("permissions/edit-taken-away", "permissions/write-taken-away"),
    )
    """What the refusal of a call says of a tool that a deny rule takes away."""
    notebook_edit_is_deferred: bool = since(
        False,
        {"2.1.304": True},
        shown_by=("arguments/notebook-edit-without-needed", "notebooks/unknown-edit-mode"),
    )
    """The model has to ask for the schema of NotebookEdit; it gets it with the refusal of wrong arguments."""
    text_stands_for_booleans: bool = since(
        False, {"2.1.72": True}, shown_by=("arguments/edit-replace-all-string",)
    )
    """Edit takes a text that looks like a boolean for one."""
    text_stands_for_numbers: str = since(
        "",
        {"2.1.79": r"-?[0-9]+(?:\.[0-9]+)?", "2.1.140": r"\s*[+-]?[0-9]+(?:\.[0-9]+)?\s*"},
        shown_by=("arguments/read-limit-string", "arguments/read-limit-other-strings"),
    )
    """Read takes a text of this form, a regular expression, for the number that it says; nothing: none."""
    line_numbers: str = since(
        "any",
        {"2.1.89": "strict", "2.1.181": "lenient"},
        shown_by=("arguments/read-offset-negative", "arguments/read-limit-zero"),
    )
    """Which `offset` and `limit` Read takes: any number, whole ones from 0 and 1 on, or whole ones of which a lower one
    counts as not given."""
    refusals_explain: bool = since(
        True,
        {"2.1.260": False, "2.1.285": True},
        shown_by=(
            "arguments/edit-without-new-string",
            "arguments/read-two-wrong",
            "notebooks/unknown-edit-mode",
        ),
    )
    """The refusal of wrong arguments tells what was found instead of what is expected."""
    wrong_options_are_repeated: bool = since(
        True, {"2.0.77": False}, shown_by=("notebooks/unknown-edit-mode", "notebooks/unknown-cell-type")
    )
    """The refusal of a value that is none of the options repeats it."""
    largest_number_is_included: bool = since(
        False, {"2.1.257": True}, shown_by=("arguments/read-offset-largest-number",)
    )
    """The refusal of a number that is too big says that the largest one is allowed."""
    exponents_are_dropped: bool = since(
        True, {"1.0.10": False}, shown_by=("arguments/read-offset-largest-number",)
    )
    """A number is read up to its exponent."""
    pages_can_be_asked_for: bool = since(False, {"2.1.30": True}, shown_by=("arguments/read-pages",))
    """Read takes `pages`, which matters for a PDF."""
    edit_takes_other_names: bool = since(False, {"2.1.181": True}, shown_by=("arguments/edit-aliases",))
    """Edit takes `path`, `old_str` and `new_str` as well."""
    read_overlooks_descriptions: bool = since(
        False, {"2.1.292": True}, shown_by=("arguments/read-description",)
    )
    """Read does not mind a `description`, and tells nothing of it."""
    write_is_corrected: bool = since(
        False, {"2.1.280": True}, shown_by=("arguments/write-alias", "arguments/write-description")
    )
    """Write takes `path` and `file_text` for its own parameters, does not mind a `description`, and tells so; but only
    if nothing else is wrong."""
    write_drops_repeated_arguments: bool = since(
        False, {"2.1.281": True}, shown_by=("arguments/write-alias-repeated",)
    )
    """Write does not mind such another name beside its own one, with the same value, either."""
    creation_may_be_a_command: bool = since(
        False, {"2.1.292": True}, shown_by=("arguments/write-command-create",)
    )
    """Write does not mind the `command` to create a file either."""
    edit_takes_expected_replacements: bool = since(
        True,
        {"1.0.8": False},
        shown_by=("arguments/edit-expected-replacements", "arguments/edit-replace-all-false"),
    )
    """Edit takes `expected_replacements`, how often the text must occur, instead of `replace_all`."""
    edit_lists_may_be_text: bool = since(True, {"1.0.8": False}, shown_by=("multi-edit/edits-as-text",))
    """MultiEdit takes its list of edits as JSON text, too."""
    edit_lists_are_told_whole: bool = since(
        True, {"1.0.108": False}, shown_by=("multi-edit/edit-without-new-string",)
    )
    """What is wrong with an edit of MultiEdit is told of its list; otherwise of the edit."""
    cell_is_named_by: str = since(
        "number",
        {"1.0.22": "needed id", "1.0.23": "id"},
        shown_by=("notebooks/replace-cell", "notebooks/insert-without-cell"),
    )
    """What NotebookEdit takes for the cell: `cell_number`, or `cell_id`, which at first must not be missing."""

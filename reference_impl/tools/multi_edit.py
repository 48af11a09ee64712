"""MultiEdit: several edits of one file, applied all or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readfirst.reference_impl.argument_validation import Parameter, Schema
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.read_state import refuse_stale
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.content import encode, replace_text
from readfirst.reference_impl.tools import edit as edit_tool
from readfirst.reference_impl.tools.multi_edit_schema import EditListSchema

__all__ = ["check_permissions", "execute", "prepare", "schema", "validate"]

_LONGEST_QUOTE = 50


def schema(behaviours: Behaviours) -> Schema:
    """Return the parameters of MultiEdit."""
    edit = edit_tool.schema(behaviours)
    path, *others = edit.parameters
    return EditListSchema(
        "MultiEdit",
        description="Edit a file that was read before in several places at once.",
        parameters=(
            path,
            Parameter(
                "edits", description="The edits, applied one after the other", type="array", required=True
            ),
        ),
        edit=Schema("MultiEdit", description="One edit", parameters=tuple(others)),
        blames_list=behaviours.arguments.multi_edit_refusals_blame_the_list,
        read=behaviours.arguments.multi_edit_accepts_json_text,
    )


def prepare(session: Session, arguments: Mapping[str, Any], *, corrected: bool) -> Mapping[str, Any]:
    """Return the arguments for the other functions of this module: each edit is prepared as Edit prepares it."""
    given = {"file_path": arguments["file_path"]}
    edits = [edit_tool.prepare(session, given | edit, corrected=corrected) for edit in arguments["edits"]]
    return {**arguments, "edits": edits}


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse any edit that Edit would refuse, in order, each with the current file."""
    for edit in arguments["edits"]:
        strings = {name: value for name, value in edit.items() if name != "expected_replacements"}
        edit_tool.validate(session, {"file_path": arguments["file_path"], **strings})


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Check the permissions of Edit."""
    edit_tool.permit_change(session, arguments, tool="MultiEdit")


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Apply the edits one after the other, write the file once, remember it, and return the answer."""
    path = session.paths.to_write(arguments["file_path"])
    edits = arguments["edits"]
    file = session.storage.find_file(path)
    if file.exists:
        file.read()
        refuse_stale(session.memory, file, needs_read=session.behaviours.freshness.edit_needs_read)
    updated = applied_in_turn(session.behaviours, file.text, edits)
    session.storage.write(path, encode(updated, file.format))
    session.memory.wrote(path, updated, edited=True)
    return edited_several(arguments["file_path"], edits)


def applied_in_turn(behaviours: Behaviours, content: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """Return the content after all edits. Raises Refusal if an edit changes nothing, or if all edits together
    change nothing.

    Each text must match exactly; folded quotes do not match. The text of a later edit, without newlines at its
    end, must not occur in text that an earlier edit inserted.
    """
    updated, inserted = content, list[str]()
    for edit in edits:
        old, new = edit["old_string"], edit["new_string"]
        text = old.rstrip("\n")
        if text and any(text in earlier for earlier in inserted):
            raise Refusal(
                "edit_not_applied",
                "Cannot edit file: old_string is a substring of a new_string from a previous edit.",
            )
        everywhere = bool(edit.get("replace_all")) or behaviours.matching.counted_matches_are_all_replaced
        before, updated = (
            updated,
            new if old == "" else replace_text(updated, old, new, everywhere=everywhere),
        )
        edit_tool.refuse_unchanged(before, updated)
        inserted.append(new)
    if updated == content:
        raise Refusal("edit_not_applied", "Original and edited file match exactly. Failed to apply edit.")
    return updated


def edited_several(given: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """Return the answer to a MultiEdit."""
    lines = [
        f'{number}. Replaced "{_quote_text(edit["old_string"])}" with "{_quote_text(edit["new_string"])}"'
        for number, edit in enumerate(edits, start=1)
    ]
    count = "1 edit" if len(edits) == 1 else f"{len(edits)} edits"
    return "\n".join([f"Applied {count} to {given}:", *lines])


def _quote_text(text: str) -> str:
    return f"{text[:_LONGEST_QUOTE]}..." if len(text) > _LONGEST_QUOTE else text

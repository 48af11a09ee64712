"""The tool MultiEdit, which makes several edits of one file. Either all of them are applied or none."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readfirst.reference_impl.argument_validation import Parameter, Schema, wrong_type
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.read_state import refuse_stale
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.content import encode, replace_text
from readfirst.reference_impl.text.json_text import indented_json
from readfirst.reference_impl.tools import edit as edit_tool

__all__ = ["check_permissions", "execute", "prepare", "schema", "validate"]

_MAX_QUOTE_CHARS = 50
_NO_EDITS = {
    "code": "too_small",
    "minimum": 1,
    "type": "array",
    "inclusive": True,
    "exact": False,
    "message": "At least one edit is required",
    "path": ["edits"],
}


@dataclass(frozen=True, slots=True)
class EditListSchema(Schema):
    """The schema of MultiEdit. It uses the schema `edit` to validate each item of the argument `edits`."""

    edit: Schema | None = None

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameters, which an MCP server publishes in its list of tools."""
        assert self.edit is not None
        schema = Schema.json_schema(self)
        schema["properties"]["edits"] |= {"items": self.edit.json_schema(), "minItems": 1}
        return schema

    def fit_arguments(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments; in some versions, `edits` may be JSON text. Raises Refusal for invalid arguments."""
        edits = arguments.get("edits")
        if self.behaviours.arguments.multi_edit_accepts_json_text and isinstance(edits, str):
            with contextlib.suppress(ValueError):
                arguments = {**arguments, "edits": json.loads(edits)}
        return Schema.fit_arguments(self, arguments)

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raise Refusal with the name `invalid_arguments` for invalid arguments, or for an empty list of edits."""
        Schema.check(self, arguments)
        if not arguments["edits"]:
            raise Refusal("invalid_arguments", f"InputValidationError: {indented_json([_NO_EDITS], width=2)}")

    def problems(self, arguments: Mapping[str, Any], name_format: str = "{}") -> list[str]:
        """Return one message for each missing, unknown or mistyped argument of the call and of its edits."""
        assert self.edit is not None
        blames_list = self.behaviours.arguments.multi_edit_refusals_blame_the_list
        problems = Schema.problems(self, arguments, name_format)
        edits = arguments.get("edits")
        for number, edit in enumerate(edits if isinstance(edits, list) else []):
            name = "edits" if blames_list else f"edits[{number}]"
            if isinstance(edit, Mapping):
                problems += self.edit.problems(edit, name if blames_list else f"{name}.{{}}")
            else:
                problems.append(wrong_type(name, "object", edit))
        return problems


def schema(behaviours: Behaviours) -> Schema:
    """Return the schema of MultiEdit."""
    edit = edit_tool.schema(behaviours)
    path, *others = edit.parameters
    return EditListSchema(
        "MultiEdit",
        description="Edit a file that was read before in several places at once.",
        behaviours=behaviours,
        parameters=(
            path,
            Parameter(
                "edits", description="The edits, applied one after the other", type="array", required=True
            ),
        ),
        edit=replace(edit, tool="MultiEdit", description="One edit", parameters=tuple(others)),
    )


def prepare(session: Session, arguments: Mapping[str, Any], *, corrected: bool) -> Mapping[str, Any]:
    """Return the arguments for `validate`, `check_permissions` and `execute`, with the edits prepared as by Edit."""
    given = {"file_path": arguments["file_path"]}
    edits = [edit_tool.prepare(session, given | edit, corrected=corrected) for edit in arguments["edits"]]
    return {**arguments, "edits": edits}


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if Edit would refuse one of the edits. Each edit is compared with the file on disk."""
    for edit in arguments["edits"]:
        strings = {name: value for name, value in edit.items() if name != "expected_replacements"}
        edit_tool.validate(session, {"file_path": arguments["file_path"], **strings})


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a deny rule covers the path, or if the change needs a permission."""
    edit_tool.refuse_forbidden_change(session, arguments, tool="MultiEdit")


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Apply the edits one after the other, write the file once, record the write, and return the answer."""
    path = session.paths.to_write(arguments["file_path"])
    edits = arguments["edits"]
    file = session.storage.find_file(path)
    if file.exists:
        file.read()
        refuse_stale(session.memory, file, needs_read=session.behaviours.freshness.edit_needs_read)
    updated = apply_edits(session.behaviours, file.text, edits)
    session.storage.write(path, encode(updated, file.format))
    session.memory.record_write(path, updated, edited=True)
    return multi_edit_answer(arguments["file_path"], edits)


def apply_edits(behaviours: Behaviours, content: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """Apply the edits in order, and return the new content. Raises Refusal if an edit changes nothing, if its old text
    does not match exactly, or if the new text of an earlier edit contains it.
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


def multi_edit_answer(file_path: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """Return the answer to a MultiEdit: one line for each edit."""
    lines = [
        f'{number}. Replaced "{_quote_text(edit["old_string"])}" with "{_quote_text(edit["new_string"])}"'
        for number, edit in enumerate(edits, start=1)
    ]
    count = "1 edit" if len(edits) == 1 else f"{len(edits)} edits"
    return "\n".join([f"Applied {count} to {file_path}:", *lines])


def _quote_text(text: str) -> str:
    return f"{text[:_MAX_QUOTE_CHARS]}..." if len(text) > _MAX_QUOTE_CHARS else text

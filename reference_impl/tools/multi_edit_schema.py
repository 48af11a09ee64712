"""The schema of MultiEdit, whose list of edits contains arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from readfirst.reference_impl.argument_validation import Schema, wrong_type
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.text.json_text import indented_json

__all__ = ["EditListSchema"]

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
    """A schema with a list `edits`, whose items fit the schema `edit`.

    `blames_list`: the refusal of a wrong edit names the list instead of the edit. `read`: the list may be JSON
    text.
    """

    edit: Schema | None = None
    blames_list: bool = False
    read: bool = False

    def json_schema(self) -> dict[str, Any]:
        """Return the schema as in a tool list (JSON Schema)."""
        assert self.edit is not None
        schema = Schema.json_schema(self)
        schema["properties"]["edits"] |= {"items": self.edit.json_schema(), "minItems": 1}
        return schema

    def fit_arguments(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments for the rules of the tool. Raises Refusal if they are invalid."""
        edits = arguments.get("edits")
        if self.read and isinstance(edits, str):
            arguments = {**arguments, "edits": _parse_list(edits)}
        return Schema.fit_arguments(self, arguments)

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raise Refusal `invalid_arguments` for invalid arguments, or without edits."""
        Schema.check(self, arguments)
        if not arguments["edits"]:
            raise Refusal("invalid_arguments", f"InputValidationError: {indented_json([_NO_EDITS], width=2)}")

    def problems(self, arguments: Mapping[str, Any], named: Callable[[str], str] = str) -> list[str]:
        """Return missing, unknown and mistyped arguments of the list and its edits."""
        assert self.edit is not None
        found = Schema.problems(self, arguments, named)
        edits = arguments.get("edits")
        for number, edit in enumerate(edits if isinstance(edits, list) else []):
            place = "edits" if self.blames_list else f"edits[{number}]"
            if isinstance(edit, Mapping):
                found += self.edit.problems(edit, partial(self._problem_name, place))
            else:
                found.append(wrong_type(place, "object", edit))
        return found

    def _problem_name(self, edit: str, name: str) -> str:
        return edit if self.blames_list else f"{edit}.{name}"


def _parse_list(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text

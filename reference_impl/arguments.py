"""Arguments: what each tool takes, and the answer to arguments that do not fit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reference_impl.json_text import indented
from reference_impl.refusal import Refusal

__all__ = ["EDIT", "NOTEBOOK_EDIT", "READ", "WRITE", "Parameter", "Schema"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument: its JSON type, whether it must be there, the values that a string may have."""

    name: str
    description: str
    type: str = "string"
    required: bool = False
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """What one tool takes, in the order in which problems are reported."""

    tool: str
    description: str
    parameters: tuple[Parameter, ...]

    def json_schema(self) -> dict[str, Any]:
        """Return the schema as a tool list advertises it (JSON Schema)."""
        properties: dict[str, Any] = {}
        for parameter in self.parameters:
            properties[parameter.name] = {"type": parameter.type, "description": parameter.description}
            if parameter.options:
                properties[parameter.name]["enum"] = list(parameter.options)
        return {
            "type": "object",
            "properties": properties,
            "required": [p.name for p in self.parameters if p.required],
            "additionalProperties": False,
        }

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Refusal `invalid_arguments` lists what is missing, unknown and of a wrong type."""
        by_name = {parameter.name: parameter for parameter in self.parameters}
        missing = [
            f"The required parameter `{p.name}` is missing"
            for p in self.parameters
            if p.required and p.name not in arguments
        ]
        unknown = [
            f"An unexpected parameter `{name}` was provided" for name in arguments if name not in by_name
        ]
        wrong = [
            _wrong_type(p.name, p.type, arguments[p.name])
            for p in self.parameters
            if p.name in arguments and not p.options and not _FITS[p.type](arguments[p.name])
        ]
        if problems := missing + unknown + wrong:
            count = "issue" if len(problems) == 1 else "issues"
            lines = "\n".join(problems)
            raise Refusal(
                "invalid_arguments",
                f"InputValidationError: {self.tool} failed due to the following {count}:\n{lines}",
            )
        if refused := [
            p
            for p in self.parameters
            if p.options and p.name in arguments and arguments[p.name] not in p.options
        ]:
            details = indented([_no_option(p) for p in refused], width=2)
            raise Refusal("invalid_arguments", f"InputValidationError: {details}")


def _is_number(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


_FITS: Mapping[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": _is_number,
}


def _type_name(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case Mapping():
            return "object"
    return "array"


def _wrong_type(name: str, expected: str, value: object) -> str:
    return f"The parameter `{name}` type is expected as `{expected}` but provided as `{_type_name(value)}`"


def _no_option(parameter: Parameter) -> dict[str, Any]:
    expected = "|".join(f'"{option}"' for option in parameter.options)
    return {
        "code": "invalid_value",
        "values": list(parameter.options),
        "path": [parameter.name],
        "message": f"Invalid option: expected one of {expected}",
    }


_FILE_PATH = Parameter(
    "file_path", description="Path of the file, absolute or relative to the working directory", required=True
)

READ = Schema(
    "Read",
    description="Read a file. Lines are numbered. Edit and Write refuse existing files that were not read before.",
    parameters=(
        _FILE_PATH,
        Parameter(
            "offset", description="Number of the first line to return; lines count from 1", type="number"
        ),
        Parameter("limit", description="How many lines to return", type="number"),
    ),
)

EDIT = Schema(
    "Edit",
    description="Replace a string in a file that was read before. An empty old_string creates a file.",
    parameters=(
        _FILE_PATH,
        Parameter("old_string", description="The text to replace", required=True),
        Parameter("new_string", description="The text to put in its place", required=True),
        Parameter(
            "replace_all", description="Replace every occurrence instead of the only one", type="boolean"
        ),
    ),
)

WRITE = Schema(
    "Write",
    description="Write a whole file. An existing file must have been read before.",
    parameters=(
        _FILE_PATH,
        Parameter("content", description="The content of the file", required=True),
    ),
)

NOTEBOOK_EDIT = Schema(
    "NotebookEdit",
    description="Replace, insert or delete one cell of a Jupyter notebook.",
    parameters=(
        Parameter(
            "notebook_path",
            description="Path of the notebook, absolute or relative to the working directory",
            required=True,
        ),
        Parameter(
            "cell_id",
            description="The cell's id, or cell-N for the cell at index N; insert puts the new cell after it",
        ),
        Parameter("new_source", description="The new source of the cell", required=True),
        Parameter(
            "cell_type",
            description="Type of the cell; needed to insert one",
            options=("code", "markdown"),
        ),
        Parameter(
            "edit_mode",
            description="What to do (default: replace)",
            options=("replace", "insert", "delete"),
        ),
    ),
)

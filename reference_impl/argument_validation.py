"""Validate and correct the arguments of a call, and refuse invalid arguments."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.text.escape_names import escape_name
from readfirst.reference_impl.text.json_text import compact_json, indented_json

__all__ = [
    "FILE_PATH",
    "Corrections",
    "Parameter",
    "Schema",
    "ignored_arguments",
    "parse_truncated_arguments",
    "wrong_type",
]

_BOOLEAN_STRINGS = {"true": True, "false": False}
_MAX_SAFE_INTEGER = 2**53 - 1
_MAX_EXCERPT_CHARS = 200
_ARGUMENT_PATTERN = re.compile(r'\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*')
_JSON_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool: its name, its JSON type, and whether it is required."""

    name: str
    description: str
    type: str = "string"
    required: bool = False
    # the allowed strings
    options: tuple[str, ...] = ()
    # an integer from `minimum` to 2^53 - 1 is required
    minimum: int | None = None
    # whether an integer below `minimum` is ignored instead of refused
    ignores_lower: bool = False


FILE_PATH = Parameter(
    "file_path", description="Path of the file, absolute or relative to the working directory", required=True
)


@dataclass(frozen=True, slots=True)
class Corrections:
    """Corrections of a call with argument names of a different editor, such as `path` instead of `file_path`."""

    # names of parameters by these names
    aliases: Mapping[str, str] = field(default_factory=dict)
    # the only ignored value (None: any) by argument
    ignored: Mapping[str, str | None] = field(default_factory=dict)
    # a call may contain a parameter and its alias with the same value
    allows_equal_alias: bool = False

    def apply_to(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments without ignored arguments, and with aliases renamed to parameters, unless the call also
        contains the parameter.
        """
        corrected: dict[str, Any] = {}
        for given, value in arguments.items():
            name = self.aliases.get(given, given)
            is_equal = self.allows_equal_alias and arguments.get(name) == value
            if name in arguments and not is_equal:
                name = given
            if given not in self.ignored or self.ignored[given] not in (None, value):
                corrected[name] = value
        return corrected

    def remarks(self, arguments: Mapping[str, Any]) -> list[str]:
        """Return one sentence for each correction of the arguments, to add to the end of the answer."""
        renamed = [
            f"`{other}` repeated `{name}` and was ignored."
            if name in arguments
            else f"`{other}` was read as `{name}`."
            for other, name in self.aliases.items()
            if other in arguments
        ]
        return renamed + [f"`{name}` was ignored." for name in self.ignored if name in arguments]


def ignored_arguments(behaviours: Behaviours) -> frozenset[str]:
    """Return the names of arguments that Read, Edit and Write ignore in this version."""
    return frozenset({"__proto__"} if behaviours.arguments.proto_is_overlooked else ())


def parse_truncated_arguments(tool: str, text: str, behaviours: Behaviours) -> Mapping[str, Any]:
    """Return the complete arguments of a call whose JSON `text` is truncated. Some versions return none, or raise
    Refusal.
    """
    if behaviours.arguments.arguments_that_end_early == "refused":
        shown = text[:_MAX_EXCERPT_CHARS]
        raise Refusal(
            "invalid_arguments",
            f"InputValidationError: {tool} was called with input that could not be parsed as JSON.\n"
            f"You sent (first {len(shown)} of {len(text)} bytes): {shown}\n"
            "Common causes: unescaped backslashes in file paths (use / or \\\\), unescaped control characters, or "
            "truncated output. Retry with valid JSON.",
        )
    complete: dict[str, Any] = {}
    if behaviours.arguments.arguments_that_end_early == "complete":
        with contextlib.suppress(ValueError):
            position = 0
            while argument := _ARGUMENT_PATTERN.match(text, position):
                value, position = _JSON_DECODER.raw_decode(text, argument.end())
                complete[json.loads(argument[1])] = value
    return complete


@dataclass(frozen=True, slots=True)
class Schema:
    """The parameters of one tool, in the order of wrong arguments in a refusal."""

    tool: str
    description: str
    parameters: tuple[Parameter, ...]
    behaviours: Behaviours
    # names of parameters by alternative names
    aliases: Mapping[str, str] = field(default_factory=dict)
    # arguments that are always ignored
    ignored_names: frozenset[str] = frozenset()
    # arguments that are ignored if the call has the parameter
    redundant_names: Mapping[str, str] = field(default_factory=dict)
    # used if the result is valid
    corrections: Corrections = field(default_factory=Corrections)
    # whether the model gets the schema only after a call with wrong arguments
    deferred: bool = False

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameters. An MCP server publishes the JSON Schema in its list of tools."""
        properties: dict[str, Any] = {}
        for parameter in self.parameters:
            properties[parameter.name] = {"description": parameter.description, "type": parameter.type}
            if parameter.options:
                properties[parameter.name]["enum"] = list(parameter.options)
        return {
            "type": "object",
            "properties": properties,
            "required": [p.name for p in self.parameters if p.required],
            "additionalProperties": False,
        }

    def fit_arguments(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the corrected arguments, without ignored arguments. Raises Refusal for invalid arguments."""
        arguments = {
            self._corrected_name(given, arguments): value
            for given, value in arguments.items()
            if given not in self.ignored_names and self.redundant_names.get(given) not in arguments
        }
        corrected = self.corrections.apply_to(arguments)
        if not self.problems(corrected):
            arguments = corrected
        fitted = {name: self._corrected_value(name, value) for name, value in arguments.items()}
        drops_exponent = self.behaviours.arguments.number_exponents_are_dropped
        if drops_exponent and isinstance(offset := fitted.get("offset"), float):
            fitted["offset"] = float(repr(offset).partition("e")[0])
        try:
            self.check(fitted)
        except Refusal as refusal:
            if not self.deferred:
                raise
            raise Refusal(refusal.name, refusal.message + self._schema_notice()) from None
        minimums = {p.name: p.minimum for p in self.parameters if p.minimum is not None}
        return {n: value for n, value in fitted.items() if n not in minimums or value >= minimums[n]}

    def note(self, arguments: Mapping[str, Any]) -> str:
        """Return the note at the end of the answer about corrected arguments. Empty if no argument was corrected."""
        remarks = self.corrections.remarks(arguments)
        if not remarks:
            return ""
        right = " and ".join(f"`{parameter.name}`" for parameter in self.parameters)
        return f"\n\nNote: {self.tool}'s parameters are named {right}. {' '.join(remarks)}"

    def _corrected_name(self, given: str, arguments: Mapping[str, Any]) -> str:
        name = self.aliases.get(given, given)
        return given if name in arguments else name

    def _corrected_value(self, name: str, value: Any) -> Any:
        kind = next((parameter.type for parameter in self.parameters if parameter.name == name), None)
        if kind == "boolean" and isinstance(value, str) and self.behaviours.arguments.accepts_boolean_strings:
            return _BOOLEAN_STRINGS.get(value, value)
        if kind != "number":
            return value
        if (
            self.behaviours.arguments.lists_of_one_number_are_accepted
            and isinstance(value, list)
            and len(value) == 1
        ):
            value = value[0]
        if isinstance(value, str) and self.behaviours.arguments.accepted_number_strings:
            is_number = re.fullmatch(self.behaviours.arguments.accepted_number_strings, value)
            return (float(value) if "." in value else int(value)) if is_number else value
        return value

    def _schema_notice(self) -> str:
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **self.json_schema()}
        return (
            "\n\nThis tool's schema was not sent to the API — it was not in the discovered-tool set derived from "
            "message history. Without the schema in your prompt, typed parameters (arrays, numbers, booleans) get "
            "emitted as strings and the client-side parser rejects them. Load the tool first: call ToolSearch with "
            f'query "select:{self.tool}", then retry this call. For reference, this tool\'s input schema is: '
            f"{compact_json(schema)}"
        )

    def problems(self, arguments: Mapping[str, Any], name_format: str = "{}") -> list[str]:
        """Return a message for each wrong argument. `name_format` formats the name of a parameter in the messages."""
        explains = self.behaviours.arguments.argument_refusals_say_what_was_found
        by_name = {parameter.name: parameter for parameter in self.parameters}
        absent = [p for p in self.parameters if p.required and p.name not in arguments]
        missing = [
            f"The required parameter `{name_format.format(p.name)}` is missing" for p in absent if explains
        ]
        shown = escape_name if self.behaviours.arguments.unknown_names_are_sanitized else str
        unknown = [
            f"An unexpected parameter `{shown(name)}` was provided"
            for name in arguments
            if name not in by_name
        ]
        misfits = {
            p.name: expected
            for p in self.parameters
            if p.name in arguments and not p.options and (expected := _expected_type(p, arguments[p.name]))
        }
        if explains:
            wrong = [wrong_type(name_format.format(name), misfits[name], arguments[name]) for name in misfits]
        else:
            misfits |= {p.name: p.type for p in absent}
            wrong = [
                _type_problem(name_format.format(name), misfits[name], "unknown")
                for name in by_name
                if name in misfits
            ]
        problems = missing + unknown + wrong
        if problems and self.behaviours.arguments.argument_refusals_list_refused_values:
            problems += self._invalid_values(arguments, set(misfits))
        return problems

    def _invalid_values(self, arguments: Mapping[str, Any], misfits: Collection[str]) -> list[str]:
        """Return a message for each forbidden value. Arguments with a wrong type (`misfits`) are skipped."""
        given = [p for p in self.parameters if p.name in arguments and p.name not in misfits]
        problems = {p.name: problem for p in given if (problem := self._value_problem(p, arguments[p.name]))}
        explains = self.behaviours.arguments.argument_refusals_say_what_was_found
        return [
            f"The parameter `{name}` is invalid{': ' + problem['message'] if explains else ''}"
            for name, problem in problems.items()
        ]

    def _value_problem(self, parameter: Parameter, value: Any) -> dict[str, Any] | None:
        """Return the problem of a value that is not allowed, as JSON for the refusal. None if it is allowed."""
        if parameter.options and value not in parameter.options:
            quoted = self.behaviours.arguments.option_refusals_repeat_the_value
            problem = _option_problem(parameter, value, quoted=quoted)
        elif parameter.minimum is None:
            return None
        elif value > _MAX_SAFE_INTEGER:
            inclusive = self.behaviours.arguments.number_limit_is_inclusive
            problem = _too_big_problem(parameter, inclusive=inclusive)
        elif value < parameter.minimum and not parameter.ignores_lower:
            problem = _too_small_problem(parameter)
        else:
            return None
        explains = self.behaviours.arguments.argument_refusals_say_what_was_found
        return problem if explains else {**problem, "message": "Invalid input"}

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raise Refusal (`invalid_arguments`) for missing, unknown or mistyped arguments and for forbidden values."""
        if problems := self.problems(arguments):
            count = "issue" if len(problems) == 1 else "issues"
            lines = "\n".join(problems)
            raise Refusal(
                "invalid_arguments",
                f"InputValidationError: {self.tool} failed due to the following {count}:\n{lines}",
            )
        refused = [
            problem
            for p in self.parameters
            if p.name in arguments and (problem := self._value_problem(p, arguments[p.name]))
        ]
        if refused:
            raise Refusal("invalid_arguments", f"InputValidationError: {indented_json(refused, width=2)}")


def _is_number(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


_TYPE_CHECKS: Mapping[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": _is_number,
    "array": lambda value: isinstance(value, list),
}


def _expected_type(parameter: Parameter, value: Any) -> str | None:
    """Return the expected type of an argument if `value` has a different type. None if the type is right."""
    if not _TYPE_CHECKS[parameter.type](value):
        return parameter.type
    is_ignored = (
        parameter.ignores_lower and parameter.minimum is not None and value <= 0 and value < parameter.minimum
    )
    if parameter.minimum is not None and value != int(value) and not is_ignored:
        return "int"
    return None


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


def wrong_type(name: str, expected: str, value: object) -> str:
    """Return the message for an argument whose value has the wrong type. `expected` is the right type."""
    return _type_problem(name, expected, _type_name(value))


def _type_problem(name: str, expected: str, provided: str) -> str:
    return f"The parameter `{name}` type is expected as `{expected}` but provided as `{provided}`"


def _option_problem(parameter: Parameter, value: Any, *, quoted: bool) -> dict[str, Any]:
    options, path = list(parameter.options), [parameter.name]
    if quoted:
        expected = " | ".join(f"'{option}'" for option in options)
        return {
            "received": value,
            "code": "invalid_enum_value",
            "options": options,
            "path": path,
            "message": f"Invalid enum value. Expected {expected}, received '{value}'",
        }
    expected = "|".join(f'"{option}"' for option in options)
    return {
        "code": "invalid_value",
        "values": options,
        "path": path,
        "message": f"Invalid option: expected one of {expected}",
    }


def _too_big_problem(parameter: Parameter, *, inclusive: bool) -> dict[str, Any]:
    sign = "<=" if inclusive else "<"
    return {
        "code": "too_big",
        "maximum": _MAX_SAFE_INTEGER,
        "note": "Integers must be within the safe integer range.",
        "origin": "int",
        **({"inclusive": True} if inclusive else {}),
        "path": [parameter.name],
        "message": f"Too big: expected int to be {sign}{_MAX_SAFE_INTEGER}",
    }


def _too_small_problem(parameter: Parameter) -> dict[str, Any]:
    inclusive = parameter.minimum == 0
    return {
        "origin": "number",
        "code": "too_small",
        "minimum": 0,
        "inclusive": inclusive,
        "path": [parameter.name],
        "message": f"Too small: expected number to be {'>=' if inclusive else '>'}0",
    }

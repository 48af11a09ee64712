"""Validate the arguments of a call, and refuse invalid arguments."""

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

_BOOLEANS = {"true": True, "false": False}
_LARGEST = 2**53 - 1
_BEGINNING = 200
_ARGUMENT = re.compile(r'\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*')
_JSON = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument: its JSON type, whether it is required, and the allowed strings.

    With `least`, the argument must be an integer of at least this value that a double represents exactly. With
    `lenient`, a lower integer is ignored instead of refused.
    """

    name: str
    description: str
    type: str = "string"
    required: bool = False
    options: tuple[str, ...] = ()
    least: int | None = None
    lenient: bool = False


FILE_PATH = Parameter(
    "file_path", description="Path of the file, absolute or relative to the working directory", required=True
)


@dataclass(frozen=True, slots=True)
class Corrections:
    """Corrections of arguments that use the names of another editor.

    `names` maps alternative names to parameters. `dropped` maps ignored names to the only value that is ignored;
    None means any value. `repeated`: an alternative name may be given together with the parameter's own name if
    both have the same value.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, str | None] = field(default_factory=dict)
    repeated: bool = False

    def apply_to(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments under the parameters' own names, without ignored arguments. An alternative name
        stays if its parameter is given, too, except an equal value with `repeated`.
        """
        meant: dict[str, Any] = {}
        for given, value in arguments.items():
            name = self.names.get(given, given)
            if name != given and name in arguments and not (self.repeated and arguments[name] == value):
                name = given
            if not self._is_dropped(given, value):
                meant[name] = value
        return meant

    def remarks(self, arguments: Mapping[str, Any]) -> list[str]:
        """Return one remark for each correction of the arguments, for the answer."""
        renamed = [
            f"`{other}` repeated `{name}` and was ignored."
            if name in arguments
            else f"`{other}` was read as `{name}`."
            for other, name in self.names.items()
            if other in arguments
        ]
        return renamed + [f"`{name}` was ignored." for name in self.dropped if name in arguments]

    def _is_dropped(self, name: str, value: Any) -> bool:
        return name in self.dropped and self.dropped[name] in (None, value)


def ignored_arguments(behaviours: Behaviours) -> frozenset[str]:
    """Return the arguments that every tool ignores."""
    return frozenset({"__proto__"} if behaviours.arguments.proto_is_overlooked else ())


def parse_truncated_arguments(tool: str, text: str, behaviours: Behaviours) -> Mapping[str, Any]:
    """Return the arguments of a call whose JSON text is truncated, as the version reads them. Raises Refusal in
    versions that refuse such a call.
    """
    if behaviours.arguments.arguments_that_end_early == "refused":
        shown = text[:_BEGINNING]
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
            place = 0
            while argument := _ARGUMENT.match(text, place):
                value, place = _JSON.raw_decode(text, argument.end())
                complete[json.loads(argument[1])] = value
    return complete


@dataclass(frozen=True, slots=True)
class Schema:
    """The parameters of one tool. Problems are reported in their order.

    `aliases` maps alternative names to parameters. `overlooked` arguments are ignored. A `spare` name is ignored
    if the parameter that it could replace is also given. `corrections` are applied if the corrected arguments are
    valid; the answer mentions each correction. `reads_booleans`: the strings `true` and `false` are accepted as
    booleans. `number_form`: strings that match this regular expression count as numbers. `unwraps_numbers`: a
    list of one number counts as a number. `drops_exponents`: an offset is parsed up to its exponent. `deferred`:
    the model does not get the schema until its arguments are wrong. `repeats`: the refusal of a value that is not
    an option quotes the value. `includes`: the refusal of a large number states that the maximum is allowed.
    `explains`: refusals state the actual type instead of the expected type; without it, a missing argument is
    reported as unknown. `marks_names`: names of unknown arguments are escaped. `lists_values`: a refused value of
    the right type is listed with the other problems.
    """

    tool: str
    description: str
    parameters: tuple[Parameter, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)
    overlooked: frozenset[str] = frozenset()
    spare: Mapping[str, str] = field(default_factory=dict)
    corrections: Corrections = field(default_factory=Corrections)
    reads_booleans: bool = False
    number_form: str = ""
    unwraps_numbers: bool = False
    drops_exponents: bool = False
    deferred: bool = False
    repeats: bool = False
    includes: bool = False
    explains: bool = True
    marks_names: bool = False
    lists_values: bool = False

    def json_schema(self) -> dict[str, Any]:
        """Return the schema as in a tool list (JSON Schema)."""
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
        """Return the arguments for the tool's `prepare`, with corrected names and values. Ignored arguments, and
        numbers below their least value, are left out. Raises Refusal if the corrected arguments are invalid.
        """
        arguments = {
            self._corrected_name(given, arguments): value
            for given, value in arguments.items()
            if given not in self.overlooked and self.spare.get(given) not in arguments
        }
        corrected = self.corrections.apply_to(arguments)
        if not self.problems(corrected):
            arguments = corrected
        arguments = {name: self._corrected_value(name, value) for name, value in arguments.items()}
        if self.drops_exponents:
            arguments = {
                name: _without_exponent(value) if name == "offset" else value
                for name, value in arguments.items()
            }
        try:
            self.check(arguments)
        except Refusal as refusal:
            if not self.deferred:
                raise
            raise Refusal(refusal.name, refusal.message + self._schema_notice()) from None
        least = {p.name: p.least for p in self.parameters if p.least is not None}
        return {name: value for name, value in arguments.items() if name not in least or value >= least[name]}

    def note(self, arguments: Mapping[str, Any]) -> str:
        """Return the remark about corrected arguments for the end of the answer. Empty if no argument was corrected."""
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
        if kind == "boolean" and isinstance(value, str) and self.reads_booleans:
            return _BOOLEANS.get(value, value)
        if kind == "number" and self.unwraps_numbers and isinstance(value, list) and len(value) == 1:
            value = value[0]
        if kind == "number" and isinstance(value, str) and self.number_form:
            is_number = re.fullmatch(self.number_form, value)
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

    def problems(self, arguments: Mapping[str, Any], named: Callable[[str], str] = str) -> list[str]:
        """Return one message for each missing, unknown or mistyped argument; `named` converts a parameter to its
        name in messages.
        """
        by_name = {parameter.name: parameter for parameter in self.parameters}
        absent = [p for p in self.parameters if p.required and p.name not in arguments]
        missing = [f"The required parameter `{named(p.name)}` is missing" for p in absent if self.explains]
        unknown = [
            f"An unexpected parameter `{escape_name(name) if self.marks_names else name}` was provided"
            for name in arguments
            if name not in by_name
        ]
        misfits = {
            p.name: expected
            for p in self.parameters
            if p.name in arguments and not p.options and (expected := _expected_type(p, arguments[p.name]))
        }
        if self.explains:
            wrong = [wrong_type(named(name), misfits[name], arguments[name]) for name in misfits]
        else:
            misfits |= {p.name: p.type for p in absent}
            wrong = [
                _type_problem(named(name), misfits[name], "unknown") for name in by_name if name in misfits
            ]
        found = missing + unknown + wrong
        return found + self._invalid_values(arguments, set(misfits)) if found and self.lists_values else found

    def _invalid_values(self, arguments: Mapping[str, Any], misfits: Collection[str]) -> list[str]:
        """Return the problems of values with the right type, one line each."""
        given = [p for p in self.parameters if p.name in arguments and p.name not in misfits]
        unfit = {p.name: problem for p in given if (problem := self._value_problem(p, arguments[p.name]))}
        return [
            f"The parameter `{name}` is invalid{': ' + problem['message'] if self.explains else ''}"
            for name, problem in unfit.items()
        ]

    def _value_problem(self, parameter: Parameter, value: Any) -> dict[str, Any] | None:
        """Return the problem of a value with the right type, for the refusal. None if the value is allowed."""
        problem = self._explain_value(parameter, value)
        return problem if problem is None or self.explains else {**problem, "message": "Invalid input"}

    def _explain_value(self, parameter: Parameter, value: Any) -> dict[str, Any] | None:
        if parameter.options and value not in parameter.options:
            return _no_option(parameter, value, repeats=self.repeats)
        if parameter.least is None:
            return None
        if value > _LARGEST:
            return _too_big(parameter, includes=self.includes)
        return _too_small(parameter) if value < parameter.least and not parameter.lenient else None

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raise Refusal `invalid_arguments` for missing, unknown and mistyped arguments."""
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


_FITS: Mapping[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": _is_number,
    "array": lambda value: isinstance(value, list),
}


def _expected_type(parameter: Parameter, value: Any) -> str | None:
    """Return the expected type of a value. None if the value has the expected type."""
    if not _FITS[parameter.type](value):
        return parameter.type
    left_out = parameter.lenient and parameter.least is not None and value <= 0 and value < parameter.least
    if parameter.least is not None and value != int(value) and not left_out:
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
    """Return the message about a value of a wrong type."""
    return _type_problem(name, expected, _type_name(value))


def _type_problem(name: str, expected: str, provided: str) -> str:
    return f"The parameter `{name}` type is expected as `{expected}` but provided as `{provided}`"


def _without_exponent(value: Any) -> Any:
    return float(repr(value).partition("e")[0]) if isinstance(value, float) else value


def _no_option(parameter: Parameter, value: Any, *, repeats: bool) -> dict[str, Any]:
    options, path = list(parameter.options), [parameter.name]
    if repeats:
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


def _too_big(parameter: Parameter, *, includes: bool) -> dict[str, Any]:
    inclusive = {"inclusive": True} if includes else {}
    sign = "<=" if includes else "<"
    return {
        "code": "too_big",
        "maximum": _LARGEST,
        "note": "Integers must be within the safe integer range.",
        "origin": "int",
        **inclusive,
        "path": [parameter.name],
        "message": f"Too big: expected int to be {sign}{_LARGEST}",
    }


def _too_small(parameter: Parameter) -> dict[str, Any]:
    inclusive = parameter.least == 0
    return {
        "origin": "number",
        "code": "too_small",
        "minimum": 0,
        "inclusive": inclusive,
        "path": [parameter.name],
        "message": f"Too small: expected number to be {'>=' if inclusive else '>'}0",
    }

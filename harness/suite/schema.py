"""Schema: what is wrong in a document by the JSON schema of its format, each with its place and what to write there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readfirst.harness.suite.suite import default_root
from readfirst.harness.yaml_io.finding import Finding
from readfirst.harness.yaml_io.strict_yaml import Document, YamlPath
from readfirst.harness.yaml_io.yaml_validation import Inspection, a_kind_of, did_you_mean

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_LONGEST = 300
"""Characters of a message that are shown."""


@cache
def validator(name: str, definition: str = "") -> Draft202012Validator:
    """Return what validates the format `name`, or one of its definitions."""
    from jsonschema import Draft202012Validator  # here, because a run must not wait for jsonschema

    schema = json.loads((default_root() / "schema" / f"{name}.schema.json").read_bytes())
    if definition:
        schema = {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    return Draft202012Validator(schema)


@contextmanager
def checked(file: Path, name: str) -> Iterator[Inspection]:
    """Give a file of the format `name` to a block that reads it. Raises SuiteError with all problems.

    The package's own and copies of it are checked where the block stumbles, and by lint: a run does not wait for that.
    """
    look = Inspection.of(file)
    if file.parent != default_root() and not _is_copy(look.document, default_root() / file.name):
        _check(look, name)
    try:
        yield look
    except (KeyError, TypeError, ValueError, AttributeError):
        _check(look, name)
        raise
    look.finish()


def _is_copy(document: Document, file: Path) -> bool:
    return file.is_file() and file.read_bytes() == document.data


def _check(look: Inspection, name: str) -> None:
    look.findings += schema_findings(look.document, name)
    look.finish()


_KINDS = {"string": "a string", "object": "a mapping", "array": "a list", "integer": "a whole number"}


def schema_findings(document: Document, name: str) -> Iterator[Finding]:
    """Yield what is wrong in a document of the format `name`."""
    page = "targets" if name == "target" else "format"
    for error in map(_plainest, validator(name).iter_errors(document.value)):
        path: YamlPath = tuple(error.absolute_path)
        value: Any = error.instance
        wanted: Any = error.validator_value
        schema: Any = error.schema if isinstance(error.schema, dict) else {}
        what = next((str(part) for part in reversed(path) if isinstance(part, str)), "the file")
        fix = schema.get("description") or f"`readfirst docs {page}` says what to write."
        rule, key = "schema", False
        match error.validator:
            case _ if "propertyNames" in error.absolute_schema_path:
                path, key, message = (*path, value), True, f"{value!r} cannot be a name here"
            case "additionalProperties":
                known = schema.get("properties", {})
                unknown = next(each for each in value if each not in known)
                path, key, rule = (*path, unknown), True, "unknown-key"
                message, fix = f"{what} has no key {unknown!r}", did_you_mean(unknown, known)
            case "required":
                missing = next(each for each in wanted if repr(each) in error.message)
                message, fix = f"{what} lacks the key {missing!r}", f"Add {missing}: to it."
            case "enum" if isinstance(value, str):
                message, fix = f"{what} cannot be {value!r}", did_you_mean(value, wanted)
            case "type" if wanted in _KINDS:
                message = f"{what} must be {_KINDS[wanted]}, not {a_kind_of(value)}"
            case "minItems" | "minLength" | "minProperties" if not value:
                message = f"{what} is empty"
            case "pattern" | "not" | "oneOf" | "anyOf" if not isinstance(value, dict | list):
                message = f"{what} cannot be {str(value)[:_LONGEST]!r}"
            case _:
                message = (
                    error.message if len(error.message) <= _LONGEST else f"{error.message[:_LONGEST]}..."
                )
        yield Finding(rule, document.position(path, key=key), message, fix)


def _plainest(error: ValidationError) -> ValidationError:
    """Return of what fits none of several forms what is wrong with it in the form that it comes closest to."""
    depth = len(error.absolute_path)
    inner = [
        each
        for each in error.context or ()
        if len(each.absolute_path) > depth or each.validator not in ("type", "const", "required")
    ]
    return _plainest(max(inner, key=lambda each: len(each.absolute_path))) if inner else error

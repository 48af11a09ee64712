"""Find all errors of a file, using the JSON schema of its format. Each error has a position and a correction."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readfirst.harness.suite.suite import default_root
from readfirst.harness.yaml_io.finding import Finding, SuiteError
from readfirst.harness.yaml_io.strict_yaml import Document, YamlPath
from readfirst.harness.yaml_io.yaml_validation import (
    MAX_FINDINGS,
    FormError,
    Inspection,
    did_you_mean,
    json_type_name,
)

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_MAX_MESSAGE_CHARS = 300
"""Maximum length of an error message, in characters. Longer messages are cut off."""


@cache
def validator(name: str, definition: str = "") -> Draft202012Validator:
    """Return a validator for files of the format `name`, such as `rules`, or for a `definition` in its JSON Schema."""
    from jsonschema import Draft202012Validator  # slow to import, and not needed by a run

    schema = json.loads((default_root() / "schema" / f"{name}.schema.json").read_bytes())
    if definition:
        schema = {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    return Draft202012Validator(schema)


@contextmanager
def read_checked(file: Path, name: str) -> Iterator[Inspection]:
    """Yield an `Inspection` for reading a file of the format `name`. Raises SuiteError with all problems. A user's file
    is always validated against its JSON Schema, a bundled file only after an error.
    """
    inspection = Inspection.of(file)
    bundled = default_root() / file.name
    is_copy = bundled.is_file() and bundled.read_bytes() == inspection.document.data
    if file.parent != default_root() and not is_copy:
        _validate(inspection, name)
    try:
        yield inspection
    except (KeyError, TypeError, ValueError, AttributeError):
        _validate(inspection, name)
        raise
    inspection.finish()


def _validate(inspection: Inspection, name: str) -> None:
    inspection.findings += schema_findings(inspection.document, name)
    inspection.finish()


def explain_error(
    error: FormError, inspection: Inspection, name: str, without: Collection[str] = ()
) -> SuiteError:
    """Return a SuiteError with all errors of an unreadable file: the findings of `inspection`, and the violations of
    the JSON Schema `name`, except violations of the checks `without`. Without such errors, the SuiteError contains
    `error`, the exception that ended the reading.
    """
    positions = {each.position for each in inspection.findings}
    by_schema = dict.fromkeys(islice(schema_findings(inspection.document, name), MAX_FINDINGS))
    findings = inspection.findings + [
        each for each in by_schema if each.rule not in without and each.position not in positions
    ]
    if not findings:
        findings = [Finding("schema", error.node.position, str(error), error.fix)]
    return SuiteError(sorted(findings, key=lambda each: (each.position.line, each.position.column)))


_KIND_NAMES = {"string": "a string", "object": "a mapping", "array": "a list", "integer": "a whole number"}


def schema_findings(document: Document, name: str) -> Iterator[Finding]:
    """Yield a finding for each violation of the JSON Schema `name` in a parsed file."""
    page = "targets" if name == "target" else "format"
    schema: Any = validator(name).schema
    defs = schema.get("$defs", {})
    for error in validator(name).iter_errors(document.value):
        for plain in _in_closest_form(error, defs):
            yield _finding_from_error(plain, document, page, defs)


def _finding_from_error(
    error: ValidationError, document: Document, page: str, defs: Mapping[str, Any]
) -> Finding:
    path: YamlPath = tuple(error.absolute_path)
    value: Any = error.instance
    expected: Any = error.validator_value
    schema: Any = error.schema if isinstance(error.schema, dict) else {}
    subject = next((str(part) for part in reversed(path) if isinstance(part, str)), "the file")
    fix = schema.get("description") or f"`readfirst docs {page}` says what to write."
    rule, key = schema.get("x-rule", "schema"), False
    known = _keys(schema, defs)
    unknown = next((each for each in value if each not in known), "") if isinstance(value, dict) else ""
    match error.validator:
        case _ if "propertyNames" in error.absolute_schema_path:
            path, key, message = (*path, value), True, f"{value!r} cannot be a name here"
        case "anyOf" if rule == "unknown-event" and unknown and not known & value.keys():
            path, key, fix = (*path, unknown), True, did_you_mean(unknown, known)
            message = f"{unknown!r} is not a step here"
            if unknown[:1].isupper():
                rule, message = "unknown-tool", f"there is no tool {unknown!r}"
                fix = did_you_mean(unknown, [each for each in known if each[:1].isupper()])
        case "additionalProperties" | "unevaluatedProperties" | "oneOf" | "anyOf" if unknown:
            path, key = (*path, unknown), True
            rule = "unknown-key" if rule == "schema" or len(value) > 1 else rule
            message = f"{subject} has no key {unknown!r}"
            fix = did_you_mean(unknown, known, schema.get("x-advice", ""))
        case "additionalProperties" | "unevaluatedProperties":
            message = f"these keys of {subject} do not go together: {', '.join(value)}"
        case "required":
            missing = next(each for each in expected if repr(each) in error.message)
            message, fix = f"{subject} lacks the key {missing!r}", f"Add {missing}: to it."
            rule = "missing-expect" if missing == "expect" else "schema"
        case "enum" if isinstance(value, str):
            message, fix = f"{subject} cannot be {value!r}", did_you_mean(value, expected)
        case "type" if expected in _KIND_NAMES:
            rule, message = (
                "schema",
                f"{subject} must be {_KIND_NAMES[expected]}, not {json_type_name(value)}",
            )
        case "minItems" | "minLength" | "minProperties" if not value:
            message = f"{subject} is empty"
        case "minItems" | "minProperties":
            message = f"{subject} needs at least {expected} {_members(value)}, not {len(value)}"
        case "maxItems" | "maxProperties":
            message = f"{subject} has {len(value)} {_members(value)}, but at most {expected} are allowed"
        case "const":
            message = f"{subject} must be {json.dumps(expected)}"
        case "oneOf" if all(form.keys() == {"required"} for form in expected):
            names = [name for form in expected for name in form["required"]]
            message = f"{subject} needs exactly one of {', '.join(names)}"
        case "dependentRequired":
            lacking = ((name, each) for name in expected.keys() & value.keys() for each in expected[name])
            needing, needed = next((name, each) for name, each in lacking if each not in value)
            path, key = (*path, needing), True
            message, fix = f"{needing} means nothing without {needed}", f"Add {needed}:."
        case "not" if isinstance(value, dict):
            message = f"these keys of {subject} do not go together: {', '.join(value)}"
        case "pattern" | "not" | "oneOf" | "anyOf" if not isinstance(value, dict | list):
            message = f"{subject} cannot be {str(value)[:_MAX_MESSAGE_CHARS]!r}"
        case _:
            rule = "schema"
            message = (
                error.message
                if len(error.message) <= _MAX_MESSAGE_CHARS
                else f"{error.message[:_MAX_MESSAGE_CHARS]}..."
            )
    return Finding(rule, document.position(path, key=key), message, fix)


def _members(value: object) -> str:
    return "keys" if isinstance(value, dict) else "items"


def _keys(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> set[str]:
    """Return all keys that a schema allows in a mapping, including the keys in its alternatives (`oneOf`, `anyOf`)."""
    findings = set(schema.get("properties", ()))
    forms = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    if "$ref" in schema:
        forms.append(defs.get(schema["$ref"].rpartition("/")[2], {}))
    return findings.union(*(_keys(form, defs) for form in forms))


def _in_closest_form(error: ValidationError, defs: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Explain why a value matches none of several alternatives. Yield the errors of the most similar alternative, after
    the errors about a key that no alternative allows.
    """
    value: Any = error.instance
    expected: Any = error.validator_value
    is_mapping = isinstance(value, dict)
    forms: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        forms.setdefault(inner.schema_path[0], []).append(inner)
    depth = len(error.absolute_path)
    known = _keys(error.schema, defs) if forms and is_mapping and isinstance(error.schema, dict) else set()
    unknown = bool(known) and not value.keys() <= known
    if unknown:
        yield error

    def closeness(number: Any) -> tuple[int, bool, int, int]:
        errors = forms[number]
        keys = _keys(expected[number], defs) if is_mapping else set()
        lacks = any(each.validator == "required" and len(each.absolute_path) == depth for each in errors)
        deepest = max(len(each.absolute_path) for each in errors)
        return len(keys & value.keys()) if is_mapping else 0, not lacks, deepest, -len(errors)

    def has_type(errors: list[ValidationError]) -> bool:
        return not any(
            each.validator in ("type", "const") and len(each.absolute_path) == depth for each in errors
        )

    right_type = [number for number, errors in forms.items() if has_type(errors)]
    best = max(right_type, key=closeness, default=None)
    if best is None or (known and value and not closeness(best)[0]):
        if not unknown:
            yield error
        return
    findings = forms[best]
    if (
        len(findings) > 1 or unknown
    ):  # a key counts as not evaluated if its value is wrong, or if it is unknown
        findings = [each for each in findings if each.validator != "unevaluatedProperties"]
    for inner in findings:
        yield from _in_closest_form(inner, defs)

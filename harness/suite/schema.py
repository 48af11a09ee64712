"""Find all errors of a document by the JSON schema of its format, each with its position and a correction."""

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

_LONGEST = 300
"""Maximum length of a message, in characters."""


@cache
def validator(name: str, definition: str = "") -> Draft202012Validator:
    """Return the JSON Schema validator of the format `name`, or of one definition in its schema."""
    from jsonschema import Draft202012Validator  # here, because a run must not wait for jsonschema

    schema = json.loads((default_root() / "schema" / f"{name}.schema.json").read_bytes())
    if definition:
        schema = {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    return Draft202012Validator(schema)


@contextmanager
def read_checked(file: Path, name: str) -> Iterator[Inspection]:
    """Yield an `Inspection` of a file of the format `name`. Raises SuiteError with all problems.

    A file of a user's suite is validated against its JSON schema before the block runs. A bundled file, or an identical
    copy of one, is validated only if the block fails (and by `readfirst lint`), because validation would delay each
    run.
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


def explain_error(error: FormError, look: Inspection, name: str, without: Collection[str] = ()) -> SuiteError:
    """Return a SuiteError with all schema errors of a document that `look` could not read.

    Findings of the reader at other positions are added. Findings with a rule in `without` are left out.
    """
    places = {each.position for each in look.findings}
    by_schema = dict.fromkeys(islice(schema_findings(look.document, name), MAX_FINDINGS))
    found = look.findings + [
        each for each in by_schema if each.rule not in without and each.position not in places
    ]
    if not found:
        found = [Finding("schema", error.node.position, str(error), error.fix)]
    return SuiteError(sorted(found, key=lambda each: (each.position.line, each.position.column)))


_KINDS = {"string": "a string", "object": "a mapping", "array": "a list", "integer": "a whole number"}


def schema_findings(document: Document, name: str) -> Iterator[Finding]:
    """Yield a finding for each violation of the JSON Schema `name` in a document."""
    page = "targets" if name == "target" else "format"
    schema: Any = validator(name).schema
    defs = schema.get("$defs", {})
    for error in validator(name).iter_errors(document.value):
        for plain in _in_closest_form(error, defs):
            yield _finding(plain, document, page, defs)


def _finding(error: ValidationError, document: Document, page: str, defs: Mapping[str, Any]) -> Finding:
    path: YamlPath = tuple(error.absolute_path)
    value: Any = error.instance
    wanted: Any = error.validator_value
    schema: Any = error.schema if isinstance(error.schema, dict) else {}
    what = next((str(part) for part in reversed(path) if isinstance(part, str)), "the file")
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
            message = f"{what} has no key {unknown!r}"
            fix = did_you_mean(unknown, known, schema.get("x-advice", ""))
        case "additionalProperties" | "unevaluatedProperties":
            message = f"these keys of {what} do not go together: {', '.join(value)}"
        case "required":
            missing = next(each for each in wanted if repr(each) in error.message)
            message, fix = f"{what} lacks the key {missing!r}", f"Add {missing}: to it."
            rule = "missing-expect" if missing == "expect" else "schema"
        case "enum" if isinstance(value, str):
            message, fix = f"{what} cannot be {value!r}", did_you_mean(value, wanted)
        case "type" if wanted in _KINDS:
            rule, message = "schema", f"{what} must be {_KINDS[wanted]}, not {json_type_name(value)}"
        case "minItems" | "minLength" | "minProperties" if not value:
            message = f"{what} is empty"
        case "minItems" | "minProperties":
            message = f"{what} needs at least {wanted} {_members(value)}, not {len(value)}"
        case "maxItems" | "maxProperties":
            message = f"{what} has {len(value)} {_members(value)}, but at most {wanted} are allowed"
        case "const":
            message = f"{what} must be {json.dumps(wanted)}"
        case "oneOf" if all(form.keys() == {"required"} for form in wanted):
            message = f"{what} needs exactly one of {', '.join(name for form in wanted for name in form['required'])}"
        case "dependentRequired":
            lacking = ((name, each) for name in wanted.keys() & value.keys() for each in wanted[name])
            needing, needed = next((name, each) for name, each in lacking if each not in value)
            path, key = (*path, needing), True
            message, fix = f"{needing} means nothing without {needed}", f"Add {needed}:."
        case "not" if isinstance(value, dict):
            message = f"these keys of {what} do not go together: {', '.join(value)}"
        case "pattern" | "not" | "oneOf" | "anyOf" if not isinstance(value, dict | list):
            message = f"{what} cannot be {str(value)[:_LONGEST]!r}"
        case _:
            rule = "schema"
            message = error.message if len(error.message) <= _LONGEST else f"{error.message[:_LONGEST]}..."
    return Finding(rule, document.position(path, key=key), message, fix)


def _members(value: object) -> str:
    return "keys" if isinstance(value, dict) else "items"


def _keys(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> set[str]:
    """Return the keys that a schema allows in a mapping, in any of its alternatives."""
    found = set(schema.get("properties", ()))
    forms = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    if "$ref" in schema:
        forms.append(defs.get(schema["$ref"].rpartition("/")[2], {}))
    return found.union(*(_keys(form, defs) for form in forms))


def _in_closest_form(error: ValidationError, defs: Mapping[str, Any]) -> Iterator[ValidationError]:
    """For a value that matches none of several alternatives, yield the errors of the alternative that is most similar
    to it.

    If a key occurs in no alternative, the error about it comes first.
    """
    value: Any = error.instance
    wanted: Any = error.validator_value
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
        keys = _keys(wanted[number], defs) if is_mapping else set()
        lacks = any(each.validator == "required" and len(each.absolute_path) == depth for each in errors)
        deepest = max(len(each.absolute_path) for each in errors)
        return len(keys & value.keys()) if is_mapping else 0, not lacks, deepest, -len(errors)

    def has_type(errors: list[ValidationError]) -> bool:
        return not any(
            each.validator in ("type", "const") and len(each.absolute_path) == depth for each in errors
        )

    fitting = [number for number, errors in forms.items() if has_type(errors)]
    best = max(fitting, key=closeness, default=None)
    if best is None or (known and value and not closeness(best)[0]):
        if not unknown:
            yield error
        return
    found = forms[best]
    if len(found) > 1 or unknown:  # a key counts as not evaluated if its value is wrong, or if it is unknown
        found = [each for each in found if each.validator != "unevaluatedProperties"]
    for inner in found:
        yield from _in_closest_form(inner, defs)

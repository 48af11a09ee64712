"""Schema: what is wrong in a document by the JSON schema of its format, each with its place and what to write there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from readfirst.harness.source.finding import Finding
from readfirst.harness.source.inspection import did_you_mean
from readfirst.harness.source.strict_yaml import Document
from readfirst.harness.suite.suite import default_root

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

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


def schema_findings(document: Document, name: str) -> Iterator[Finding]:
    """Yield what is wrong in a document of the format `name`."""
    for error in validator(name).iter_errors(document.value):
        path = tuple(error.absolute_path)
        message = error.message if len(error.message) <= _LONGEST else f"{error.message[:_LONGEST]}..."
        if error.validator == "additionalProperties" and isinstance(error.instance, dict):
            known = error.schema.get("properties", {})
            unknown = next(key for key in error.instance if key not in known)
            position = document.position((*path, unknown), key=True)
            message = f"there is no key {unknown!r} here"
            yield Finding("unknown-key", position, message, did_you_mean(unknown, known))
            continue
        advice = str(error.schema.get("description", "")) if isinstance(error.schema, dict) else ""
        page = "targets" if name == "target" else "format"
        fix = advice or f"`readfirst docs {page}` says what to write."
        yield Finding("schema", document.position(path), message, fix)

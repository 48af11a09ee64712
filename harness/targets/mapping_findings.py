"""Findings: what is wrong in a target's file, each with its place and what to write there."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from readfirst.harness.source.finding import Finding
from readfirst.harness.source.inspection import did_you_mean
from readfirst.harness.source.strict_yaml import Document, YamlPath
from readfirst.harness.suite.schema import schema_findings
from readfirst.harness.suite.suite import default_root
from readfirst.harness.suite.vocabulary import Vocabulary, load_vocabulary

_ARGUMENTS = {
    "Read": ("file_path", "offset", "limit", "pages"),
    "Edit": ("file_path", "old_string", "new_string", "replace_all"),
    "Write": ("file_path", "content"),
    "MultiEdit": ("file_path", "edits"),
    "NotebookEdit": ("notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"),
}
"""The arguments that a call of each tool may have."""

_PLACES = ("WS", "HOME")


def mapping_findings(document: Document) -> list[Finding]:
    """Return what is wrong in a target's file, by line; names are looked up once the form is right."""
    findings = [*schema_findings(document, "target")] or [*_reference_findings(document)]
    return sorted(findings, key=lambda each: (each.position.line, each.position.column))


@cache
def _names() -> Vocabulary:
    return load_vocabulary(default_root() / "errors.yaml")


def _reference_findings(document: Document) -> Iterator[Finding]:
    """Find names that stand for nothing: placeholders, error names, capabilities, expressions."""
    value = document.value

    def found(path: YamlPath, message: str, fix: str) -> Finding:
        return Finding("reference", document.position(path), message, fix)

    for path, pattern, groups in _expressions(value):
        try:
            count = re.compile(pattern).groups
        except re.error as error:
            yield found(path, f"{pattern!r} is not a regular expression: {error}", "Correct it.")
            continue
        if groups is not None and count != groups:
            yield found(path, f"{pattern!r} has {count} groups", "Put what is captured into one group.")
    for version, release in value["versions"].items():
        if "command" in release and value["kind"] != "mcp":
            fix = "Connect it with python:FILE.py:FACTORY, or write kind: mcp for a server."
            yield found(("versions", version, "command"), "only a server can be started in place", fix)
        for packages in ("pip", "npm") if "command" in release else ():
            if packages in release:
                fix = "Remove one of them: what is installed is started by mcp: {command: [...]}."
                yield found(("versions", version, packages), "a version with a command installs nothing", fix)
        if value["kind"] == "mcp" and "command" not in release and "command" not in value.get("mcp", {}):
            fix = "Write one there, or mcp: {command: [...]} for what is installed."
            yield found(("versions", version), f"version {version} has no command", fix)
    captured = {name for each in value.get("setup", ()) for name in each.get("capture", {})}
    for tool, each in value["tools"].items():
        known = {*_PLACES, *captured, *(_ARGUMENTS[tool] if "format" not in each else ("file_path", "text"))}
        for path, name in _placeholders(each.get("arguments", {}), ("tools", tool, "arguments")):
            if name not in known:
                yield found(path, f"${name} is unknown in a call of {tool}", did_you_mean(name, known))
        for key in ("omit", "unsupported"):
            for number, name in enumerate(each.get(key, ())):
                if name not in _ARGUMENTS[tool]:
                    fix = did_you_mean(name, _ARGUMENTS[tool])
                    yield found(("tools", tool, key, number), f"{tool} has no argument {name!r}", fix)
        if "replace_all" in each and tool != "Edit":
            yield found(("tools", tool, "replace_all"), f"{tool} has no replace_all", "Remove it.")
    for name in captured & {name for names in _ARGUMENTS.values() for name in names}:
        yield found(
            ("setup",), f"{name!r} is an argument of a tool already", "Capture it under another name."
        )
    for name in value.get("result", {}).get("errors", {}):
        if name not in _names():
            yield found(
                ("result", "errors", name), f"there is no error {name!r}", did_you_mean(name, _names())
            )
    for number, name in enumerate(value.get("capabilities", ())):
        if name in _ARGUMENTS and name not in value["tools"]:
            yield found(
                ("capabilities", number), f"{name} is claimed, and tools has no {name}", "Add it there."
            )


def _expressions(value: Mapping[str, Any]) -> Iterator[tuple[YamlPath, str, int | None]]:
    for number, each in enumerate(value.get("setup", ())):
        for name, pattern in each.get("capture", {}).items():
            yield ("setup", number, "capture", name), pattern, 1
    result = value.get("result", {})
    for number, pattern in enumerate(result.get("error", {}).get("matches", ())):
        yield ("result", "error", "matches", number), pattern, None
    for number, each in enumerate(result.get("clean", ())):
        yield ("result", "clean", number, "replace"), each["replace"], None


def _placeholders(template: Any, path: YamlPath) -> Iterator[tuple[YamlPath, str]]:
    match template:
        case str() if (whole := re.fullmatch(r"\$([A-Za-z_]\w*)", template)) is not None:
            yield path, whole[1]
        case list():
            for number, item in enumerate(template):
                yield from _placeholders(item, (*path, number))
        case dict():
            for key, item in template.items():
                yield from _placeholders(item, (*path, key))

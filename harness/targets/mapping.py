"""Mapping: one target's file, read once into frozen values; docs/targets.md describes the format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jsonschema import Draft202012Validator

from readfirst.harness.compare.verdict import Level
from readfirst.harness.source.finding import Finding, SuiteError
from readfirst.harness.source.inspection import did_you_mean
from readfirst.harness.source.strict_yaml import Document, YamlPath, load, read
from readfirst.harness.suite.suite import default_root
from readfirst.harness.suite.vocabulary import ErrorName, Form, Vocabulary, load_vocabulary
from readfirst.harness.targets.edit_formats import EditFormat

__all__ = [
    "ARGUMENTS",
    "AgentLaunch",
    "Launch",
    "McpLaunch",
    "PythonLaunch",
    "Release",
    "ReplaceAll",
    "ResultRules",
    "SetupCall",
    "Target",
    "TargetError",
    "ToolMapping",
    "load_target",
]

ARGUMENTS = {
    "Read": ("file_path", "offset", "limit", "pages"),
    "Edit": ("file_path", "old_string", "new_string", "replace_all"),
    "Write": ("file_path", "content"),
    "MultiEdit": ("file_path", "edits"),
    "NotebookEdit": ("notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"),
}
"""The arguments that a call of each tool may have."""

_PLACES = ("WS", "HOME")
_OF_MCP = {"error": {"flag": True}}
"""Where the error flag of an answer is, unless the file says otherwise."""


class TargetError(SuiteError):
    """A target's file is not in its format; each finding says what to write where."""


@dataclass(frozen=True, slots=True)
class Release:
    """One pinned version: exactly what pip or npm installs for it; `released` is a date, YYYY-MM-DD.

    With a `command` nothing is installed: it is started as it is, in place of the target's own.
    """

    version: str
    pip: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    released: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PythonLaunch:
    """An object (`make`, with keyword `arguments`), a `module` of functions, or an adapter's `factory`.

    `at_least` is the oldest Python that it runs on, empty: any. `example`, for a factory, is Python that defines
    `call(tool, **arguments)` for the tools in the folder `workspace`, as a user of the library would write it.
    """

    make: str = ""
    arguments: Mapping[str, Any] | None = None
    module: str = ""
    factory: str = ""
    at_least: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class McpLaunch:
    """A server over standard input and output; `command` is empty where each version has its own."""

    command: tuple[str, ...] = ()
    isolation: Literal["auto", "process", "directory"] = "auto"


@dataclass(frozen=True, slots=True)
class AgentLaunch:
    """A command line that asks a model over the format `wire`.

    `python` and `node` are the oldest versions that it runs on; nothing: any.
    """

    wire: Literal["anthropic", "openai", "gemini", "responses"]
    command: tuple[str, ...]
    input: str | None = None
    model: str = ""
    files: Mapping[str, Any] | None = None
    python: str = ""
    node: int = 0
    isolation: Literal["process", "directory"] = "process"


Launch = PythonLaunch | McpLaunch | AgentLaunch


@dataclass(frozen=True, slots=True)
class ReplaceAll:
    """How `replace_all` is said: a boolean `flag` or the `count` of matches under `name`, or not at all."""

    kind: Literal["flag", "count", "unsupported"]
    name: str = ""


@dataclass(frozen=True, slots=True)
class ToolMapping:
    """How one tool is called: the target's name `call`, templates of its arguments; in a `format`, `$text` is all."""

    tool: str
    call: str
    arguments: Mapping[str, Any]
    omit: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    unsupported_files: tuple[str, ...] = ()
    replace_all: ReplaceAll | None = None
    format: EditFormat | None = None


@dataclass(frozen=True, slots=True)
class SetupCall:
    """A call made when a session is opened; `capture` names parts of its answer."""

    call: str
    arguments: Mapping[str, Any]
    capture: Mapping[str, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class ResultRules:
    """Where text and error flag of an answer come from, how text is cleaned, and what refusals mean.

    `errors` holds the target's own forms of the suite's error names.
    """

    errors: Vocabulary
    text: YamlPath = ()
    flag: bool = False
    exception: bool = False
    at: YamlPath = ()
    is_error: tuple[Any, ...] = ()
    matches: tuple[re.Pattern[str], ...] = ()
    clean: tuple[tuple[re.Pattern[str], str], ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """One mapping file. `name` is the file's; a version makes it the target `name@version`.

    `last` says why no version after these is wanted, empty: newer ones are.
    """

    name: str
    file: Path
    title: str
    home: str
    about: str
    last: str
    level: Level
    versions: Mapping[str, Release]
    launch: Launch
    environment: Mapping[str, str]
    paths: Literal["absolute", "relative", "virtual"]
    setup: tuple[SetupCall, ...]
    tools: Mapping[str, ToolMapping]
    result: ResultRules
    capabilities: frozenset[str]

    @property
    def oldest_python(self) -> str:
        """The oldest Python that it runs on (`3.12`), empty: any."""
        match self.launch:
            case PythonLaunch(at_least=version) | AgentLaunch(python=version):
                return version
            case _:
                return ""

    @property
    def kind(self) -> str:
        """`python`, `mcp` or `agent`."""
        match self.launch:
            case PythonLaunch():
                return "python"
            case McpLaunch():
                return "mcp"
            case _:
                return "agent"


def load_target(file: Path) -> Target:
    """Read a target's file. Raises TargetError with all that is wrong in it, StrictYamlError."""
    document = load(read(file), file)
    findings = [*_schema_findings(document)] or [*_reference_findings(document)]
    if findings:
        raise TargetError(sorted(findings, key=lambda each: (each.position.line, each.position.column)))
    value = document.value
    return Target(
        name=file.stem,
        file=file,
        title=value["title"],
        home=value.get("home", ""),
        about=value.get("about", ""),
        last=value.get("last", ""),
        level=value.get("level", "text"),
        versions={version: _release(version, each) for version, each in value["versions"].items()},
        launch=_launch(value),
        environment=value.get("environment", {}),
        paths=value.get("paths", "absolute"),
        setup=tuple(_setup(each) for each in value.get("setup", ())),
        tools={tool: _tool(tool, each) for tool, each in value["tools"].items()},
        result=_result(value.get("result", _OF_MCP)),
        capabilities=frozenset(value.get("capabilities", value["tools"])),
    )


@cache
def _validator() -> Draft202012Validator:
    schema = json.loads((default_root() / "schema" / "target.schema.json").read_text("utf-8"))
    return Draft202012Validator(schema)


@cache
def _names() -> Vocabulary:
    return load_vocabulary(default_root() / "errors.yaml")


def _schema_findings(document: Document) -> Iterator[Finding]:
    for error in _validator().iter_errors(document.value):
        path = tuple(error.absolute_path)
        message = error.message if len(error.message) <= 300 else f"{error.message[:300]}..."
        if error.validator == "additionalProperties" and isinstance(error.instance, dict):
            known = error.schema.get("properties", {})
            unknown = next(key for key in error.instance if key not in known)
            position = document.position((*path, unknown), key=True)
            message = f"there is no key {unknown!r} here"
            yield Finding("unknown-key", position, message, did_you_mean(unknown, known))
            continue
        advice = str(error.schema.get("description", "")) if isinstance(error.schema, dict) else ""
        yield Finding(
            "schema",
            document.position(path),
            message,
            advice or "`readfirst docs targets` says what to write.",
        )


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
        known = {*_PLACES, *captured, *(ARGUMENTS[tool] if "format" not in each else ("file_path", "text"))}
        for path, name in _placeholders(each.get("arguments", {}), ("tools", tool, "arguments")):
            if name not in known:
                yield found(path, f"${name} is unknown in a call of {tool}", did_you_mean(name, known))
        for key in ("omit", "unsupported"):
            for number, name in enumerate(each.get(key, ())):
                if name not in ARGUMENTS[tool]:
                    fix = did_you_mean(name, ARGUMENTS[tool])
                    yield found(("tools", tool, key, number), f"{tool} has no argument {name!r}", fix)
        if "replace_all" in each and tool != "Edit":
            yield found(("tools", tool, "replace_all"), f"{tool} has no replace_all", "Remove it.")
    for name in captured & {name for names in ARGUMENTS.values() for name in names}:
        yield found(
            ("setup",), f"{name!r} is an argument of a tool already", "Capture it under another name."
        )
    for name in value.get("result", {}).get("errors", {}):
        if name not in _names():
            yield found(
                ("result", "errors", name), f"there is no error {name!r}", did_you_mean(name, _names())
            )
    for number, name in enumerate(value.get("capabilities", ())):
        if name in ARGUMENTS and name not in value["tools"]:
            yield found(
                ("capabilities", number), f"{name} is claimed, and tools has no {name}", "Add it there."
            )


def _expressions(value: Mapping[str, Any]) -> Iterator[tuple[YamlPath, str, int | None]]:
    for number, each in enumerate(value.get("setup", ())):
        for name, pattern in each.get("capture", {}).items():
            yield ("setup", number, "capture", name), pattern, 1
    result = value.get("result", _OF_MCP)
    for number, pattern in enumerate(result["error"].get("matches", ())):
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


def _release(version: str, value: Mapping[str, Any]) -> Release:
    return Release(
        version,
        tuple(value.get("pip", ())),
        tuple(value.get("npm", ())),
        value.get("released", ""),
        tuple(value.get("command", ())),
    )


def _launch(value: Mapping[str, Any]) -> Launch:
    match value["kind"]:
        case "python":
            return PythonLaunch(**value["python"])
        case "mcp":
            fields = value.get("mcp", {})
            return McpLaunch(tuple(fields.get("command", ())), fields.get("isolation", "auto"))
        case _:
            fields = value["agent"]
            return AgentLaunch(**{**fields, "command": tuple(fields["command"])})


def _setup(value: Mapping[str, Any]) -> SetupCall:
    capture = {name: re.compile(pattern) for name, pattern in value.get("capture", {}).items()}
    return SetupCall(value["call"], value.get("arguments", {}), capture)


def _tool(tool: str, value: Mapping[str, Any]) -> ToolMapping:
    replace_all = None
    match value.get("replace_all"):
        case "unsupported":
            replace_all = ReplaceAll("unsupported")
        case {"flag": name}:
            replace_all = ReplaceAll("flag", name)
        case {"count": name}:
            replace_all = ReplaceAll("count", name)
    return ToolMapping(
        tool,
        value["call"],
        value.get("arguments", {}),
        tuple(value.get("omit", ())),
        tuple(value.get("unsupported", ())),
        tuple(value.get("files", {}).get("unsupported", ())),
        replace_all,
        value.get("format"),
    )


def _result(value: Mapping[str, Any]) -> ResultRules:
    error = value["error"]
    names = {
        name: ErrorName(name, "", {}, tuple(Form(text) for text in forms))
        for name, forms in value.get("errors", {}).items()
    }
    return ResultRules(
        errors=Vocabulary(names),
        text=tuple(value.get("text", ())),
        flag=error.get("flag", False),
        exception=error.get("exception", False),
        at=tuple(error.get("at", ())),
        is_error=tuple(error.get("is", ())),
        matches=tuple(re.compile(pattern) for pattern in error.get("matches", ())),
        clean=tuple((re.compile(each["replace"]), each["with"]) for each in value.get("clean", ())),
    )

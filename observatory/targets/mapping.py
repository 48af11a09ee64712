"""Read the mapping file of a target; docs/targets.md describes the format."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from packaging.version import InvalidVersion, Version

from readfirst.harness.adapter_api import BASIC_CAPABILITIES
from readfirst.harness.adapter_traits import Design, design_named
from readfirst.harness.compare.verdict import Level
from readfirst.harness.suite.error_names import ErrorName, MessageForm, Vocabulary, load_vocabulary
from readfirst.harness.suite.scenario import BUFFERS
from readfirst.harness.suite.schema import schema_findings
from readfirst.harness.suite.suite import default_root
from readfirst.harness.yaml_io.finding import Finding, SuiteError
from readfirst.harness.yaml_io.strict_yaml import Document, YamlPath, load, read
from readfirst.harness.yaml_io.yaml_validation import did_you_mean
from readfirst.observatory.targets.edit_formats import EditFormat

_DEFAULT_RESULT_SECTION = {"error": {"flag": True}}
"""Used if a mapping has no section `result`: an answer with the error flag of MCP is a refusal."""
PLACEHOLDER_PATTERN = re.compile(r"\$([A-Za-z_]\w*)")
"""Matches a placeholder in a template, such as `$file_path`. Group 1 is the name without `$`."""


@dataclass(frozen=True, slots=True)
class Release:
    """One version of a target: packages for pip or npm, or a `command` that needs no installation."""

    version: str
    pip: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    released: str = ""  # YYYY-MM-DD
    command: tuple[str, ...] = ()
    # packages that pip must build from source, with reasons
    sdists: Mapping[str, str] = field(default_factory=dict)
    design: Design | None = None  # by default, the design of the target


@dataclass(frozen=True, slots=True)
class PythonLaunch:
    """Python code that calls a library. `code`, which runs for each session, defines `call(tool, **arguments)`."""

    code: str
    once: str = ""  # code that runs at the start
    at_least: str = ""  # the oldest supported Python, or empty


@dataclass(frozen=True, slots=True)
class McpLaunch:
    """The section `mcp` of a mapping: an MCP server. `command` is empty if each version has a separate command."""

    command: tuple[str, ...] = ()
    isolation: Literal["auto", "process", "directory"] = "auto"


@dataclass(frozen=True, slots=True)
class AgentLaunch:
    """The command line of an agent, and the API to its model (`wire`)."""

    wire: Literal["anthropic", "openai", "gemini", "responses"]
    command: tuple[str, ...]
    acp: tuple[str, ...] = ()  # command line for the Agent Client Protocol, or empty
    input: str | None = None
    model: str = ""
    files: Mapping[str, Any] | None = None
    python: str = ""  # the oldest supported version, or empty
    node: int = 0  # the oldest supported version, or 0
    isolation: Literal["process", "directory"] = "process"


Launch = PythonLaunch | McpLaunch | AgentLaunch
_LAUNCHES: Mapping[str, type[Launch]] = {"python": PythonLaunch, "mcp": McpLaunch, "agent": AgentLaunch}


@dataclass(frozen=True, slots=True)
class ToolMapping:
    """Translates calls of `tool`, such as Read, into calls of the target's tool `call`."""

    tool: str
    call: str
    arguments: Mapping[str, Any]  # templates; `$text` is the call in `format`, such as `apply_patch`
    capture: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    omit: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    unsupported_files: tuple[str, ...] = ()
    # `{flag: NAME}` (a boolean), `{count: NAME}` (the number of matches), or `unsupported`
    replace_all: Mapping[str, str] | str | None = None
    format: EditFormat | None = None
    capture_refusals: bool = False


@dataclass(frozen=True, slots=True)
class SetupCall:
    """A call that is made when a session is opened. `capture` finds values in its answer that later calls use."""

    call: str
    arguments: Mapping[str, Any]
    capture: Mapping[str, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class ResultRules:
    """The section `result` of a mapping: where an answer contains text and error flag, and how to detect refusals."""

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
    """The content of a mapping file, for one version. `last` is the reason to add no newer versions, or empty."""

    name: str
    file: Path
    title: str
    home: str
    about: str
    last: str
    level: Level
    versions: Mapping[str, Release]
    release: Release
    launch: Launch
    environment: Mapping[str, str]
    paths: Literal["absolute", "relative", "virtual"]
    setup: tuple[SetupCall, ...]
    tools: Mapping[str, ToolMapping]
    result: ResultRules
    refuses: frozenset[str]
    """The kinds of calls that the target refuses although the contract answers them; see `adapter_traits.REFUSALS`."""
    capabilities: frozenset[str]
    claims: frozenset[str] | None
    """The tools among Read, Edit and Write that the section `capabilities` lists. None (all three) if it is missing."""

    @property
    def pinned(self) -> str:
        """The target's name and selected version, for example `agno@3.1.10`."""
        return f"{self.name}@{self.release.version}"

    @property
    def oldest_python(self) -> str:
        """The oldest Python that the target supports, for example `3.12`. Empty if it supports all versions."""
        match self.launch:
            case PythonLaunch(at_least=version) | AgentLaunch(python=version):
                return version
            case _:
                return ""

    @property
    def kind(self) -> str:
        """The kind of the target: `python`, `mcp` or `agent`."""
        return next(name for name, launch in _LAUNCHES.items() if isinstance(self.launch, launch))


def load_target(file: Path) -> Target:
    """Read a mapping file. Raises SuiteError with all errors of the file."""
    document = load(read(file), file)
    if findings := mapping_findings(document):
        raise SuiteError(findings)
    value = document.value
    kind, design = value["kind"], value.get("design")
    stated = frozenset(value.get("capabilities", value["tools"]))
    versions = {
        version: _build_section(
            Release, each, version=version, design=design_named(each.get("design", design))
        )
        for version, each in value["versions"].items()
    }
    return Target(
        name=file.stem,
        file=file,
        title=value["title"],
        home=value.get("home", ""),
        about=value.get("about", ""),
        last=value.get("last", ""),
        level=value.get("level", "text"),
        versions=versions,
        release=versions[max(versions, key=release_order)],
        launch=_build_section(_LAUNCHES[kind], value.get(kind, {})),
        environment=value.get("environment", {}),
        paths=value.get("paths", "absolute"),
        setup=tuple(
            _build_section(SetupCall, {"arguments": {}, **each}, capture=_compile_captures(each))
            for each in value.get("setup", ())
        ),
        tools={tool: _tool_mapping(tool, each) for tool, each in value["tools"].items()},
        result=_result_rules(value.get("result", _DEFAULT_RESULT_SECTION)),
        refuses=frozenset(value.get("refuses", ())),
        capabilities=stated | {BUFFERS} if "acp" in value.get("agent", {}) else stated,
        claims=BASIC_CAPABILITIES.intersection(value["capabilities"]) if "capabilities" in value else None,
    )


def release_order(version: str) -> tuple[bool, Version, str]:
    """Return the key that sorts versions of a target, oldest first. Names such as `dev` come before all numbers."""
    try:
        return True, Version(version), version
    except InvalidVersion:
        return False, Version("0"), version


Built = TypeVar("Built")


def _build_section(cls: type[Built], section: Mapping[str, Any], **more: Any) -> Built:
    """Return a `cls` object with the keys of `section` (lists as tuples) and the arguments `more` as attributes."""
    attributes = {key: tuple(item) if isinstance(item, list) else item for key, item in section.items()}
    return cls(**attributes | more)


def _compile_captures(section: Mapping[str, Any]) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in section.get("capture", {}).items()}


def _tool_mapping(tool: str, section: Mapping[str, Any]) -> ToolMapping:
    same = {key: item for key, item in section.items() if key != "files"}
    return _build_section(
        ToolMapping,
        {"arguments": {}, **same},
        tool=tool,
        capture=_compile_captures(section),
        unsupported_files=tuple(section.get("files", {}).get("unsupported", ())),
    )


def _result_rules(section: Mapping[str, Any]) -> ResultRules:
    error = section["error"]
    names = {
        name: ErrorName(name, "", {}, tuple(MessageForm(text) for text in forms))
        for name, forms in section.get("errors", {}).items()
    }
    return ResultRules(
        errors=Vocabulary(names),
        text=tuple(section.get("text", ())),
        flag=error.get("flag", False),
        exception=error.get("exception", False),
        at=tuple(error.get("at", ())),
        is_error=tuple(error.get("is", ())),
        matches=tuple(re.compile(pattern) for pattern in error.get("matches", ())),
        clean=tuple((re.compile(each["replace"]), each["with"]) for each in section.get("clean", ())),
    )


_ARGUMENTS = {
    "Read": ("file_path", "offset", "limit", "pages"),
    "Edit": ("file_path", "old_string", "new_string", "replace_all"),
    "Write": ("file_path", "content"),
    "MultiEdit": ("file_path", "edits"),
    "NotebookRead": ("notebook_path", "cell_id"),
    "NotebookEdit": ("notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"),
}
"""The arguments that calls of each tool in scenarios may have. Used to check the placeholders of a mapping."""

_DIRECTORY_PLACEHOLDERS = ("WS", "HOME")


def mapping_findings(document: Document) -> list[Finding]:
    """Return the errors of a mapping file, sorted by position. Names are checked only if the file fits the schema."""
    findings = [*schema_findings(document, "target")] or [*_reference_findings(document)]
    return sorted(findings, key=lambda each: (each.position.line, each.position.column))


@cache
def _suite_errors() -> Vocabulary:
    return load_vocabulary(default_root() / "errors.yaml")


def _reference_findings(document: Document) -> Iterator[Finding]:
    """Yield an error for each unknown name, each invalid regular expression, and each wrong or missing `command`."""
    value = document.value

    def finding(path: YamlPath, message: str, fix: str) -> Finding:
        return Finding("reference", document.position(path), message, fix)

    for path, pattern, groups in _regular_expressions(value):
        try:
            count = re.compile(pattern).groups
        except re.error as error:
            yield finding(path, f"{pattern!r} is not a regular expression: {error}", "Correct it.")
            continue
        if groups is not None and count != groups:
            yield finding(path, f"{pattern!r} has {count} groups", "Put the captured text into one group.")
    for version, release in value["versions"].items():
        if "command" in release and value["kind"] != "mcp":
            fix = "Connect it with python:FILE.py:FACTORY, or write kind: mcp for a server."
            yield finding(("versions", version, "command"), "`command` is only possible with kind: mcp", fix)
        for packages in ("pip", "npm") if "command" in release else ():
            if packages in release:
                fix = "Remove one of the two. To start an installed server, use mcp: {command: [...]}."
                yield finding(
                    ("versions", version, packages), "a version with `command` cannot install packages", fix
                )
        if value["kind"] == "mcp" and "command" not in release and "command" not in value.get("mcp", {}):
            fix = "Add `command` to the version, or mcp: {command: [...]} for an installed server."
            yield finding(("versions", version), f"version {version} has no command", fix)
    captured = {name for _, call in _calls_with_paths(value) for name in call.get("capture", {})}
    for tool, each in value["tools"].items():
        known = {
            *_DIRECTORY_PLACEHOLDERS,
            *captured,
            *(_ARGUMENTS[tool] if "format" not in each else ("file_path", "text")),
        }
        for path, name in placeholders(each.get("arguments", {}), ("tools", tool, "arguments")):
            if name not in known:
                yield finding(path, f"${name} is unknown in a call of {tool}", did_you_mean(name, known))
        for key in ("omit", "unsupported"):
            for number, name in enumerate(each.get(key, ())):
                if name not in _ARGUMENTS[tool]:
                    fix = did_you_mean(name, _ARGUMENTS[tool])
                    yield finding(("tools", tool, key, number), f"{tool} has no argument {name!r}", fix)
        if "replace_all" in each and tool != "Edit":
            yield finding(("tools", tool, "replace_all"), f"{tool} has no replace_all", "Remove it.")
    arguments = {name for names in _ARGUMENTS.values() for name in names}
    for path, call in _calls_with_paths(value):
        for name in arguments & call.get("capture", {}).keys():
            problem = f"{name!r} is already an argument of a tool"
            yield finding((*path, "capture", name), problem, "Capture it under another name.")
    for name in value.get("result", {}).get("errors", {}):
        if name not in _suite_errors():
            yield finding(
                ("result", "errors", name), f"there is no error {name!r}", did_you_mean(name, _suite_errors())
            )
    for number, name in enumerate(value.get("capabilities", ())):
        if name in _ARGUMENTS and name not in value["tools"]:
            yield finding(
                ("capabilities", number),
                f"{name} is listed as a capability, but `tools` has no {name}",
                "Add it there.",
            )


def _calls_with_paths(value: Mapping[str, Any]) -> Iterator[tuple[YamlPath, Mapping[str, Any]]]:
    """Yield the path and the content of each set-up call and of each tool in a mapping file."""
    for number, call in enumerate(value.get("setup", ())):
        yield ("setup", number), call
    for tool, call in value["tools"].items():
        yield ("tools", tool), call


def _regular_expressions(value: Mapping[str, Any]) -> Iterator[tuple[YamlPath, str, int | None]]:
    """Yield each regular expression in a mapping: its path in the file, its text, and the required number of groups."""
    for path, call in _calls_with_paths(value):
        for name, pattern in call.get("capture", {}).items():
            yield (*path, "capture", name), pattern, 1
    result = value.get("result", {})
    for number, pattern in enumerate(result.get("error", {}).get("matches", ())):
        yield ("result", "error", "matches", number), pattern, None
    for number, each in enumerate(result.get("clean", ())):
        yield ("result", "clean", number, "replace"), each["replace"], None


def placeholders(template: Any, path: YamlPath = ()) -> Iterator[tuple[YamlPath, str]]:
    """Yield the path and the name of each placeholder in a template. `path` is the path of the template in the file."""
    match template:
        case str() if (match := PLACEHOLDER_PATTERN.fullmatch(template)) is not None:
            yield path, match[1]
        case list():
            for number, item in enumerate(template):
                yield from placeholders(item, (*path, number))
        case dict():
            for key, item in template.items():
                yield from placeholders(item, (*path, key))

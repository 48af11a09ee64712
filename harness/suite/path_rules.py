"""Check the paths and programs that scenarios use, to detect mistakes. These checks do not replace the sandbox."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from readfirst.harness.adapter_api import BASH
from readfirst.harness.suite.repeated_text import has_half_surrogate
from readfirst.harness.yaml_io.strict_yaml import YamlPath
from readfirst.harness.yaml_io.yaml_validation import FormError, Inspection, Node

CheckCall = Callable[[YamlPath, str, Mapping[str, Any]], None]
"""Adds findings about a call or hook in a scenario file. Arguments: YAML path, tool (or tools), tool arguments."""
PROGRAMS = (
    *("cat", "cd", "cp", "echo", "egrep", "false", "fgrep", "grep", "head", "ls", "mv", "nl", "printf"),
    *("pwd", "rg", "rm", "sed", "sort", "tail", "tee", "touch", "true", "wc"),
)
"""The programs that a shell command in a scenario may use."""

_MAX_COMPONENT_BYTES = 255
_MAX_PATH_BYTES = 1024
_PATH_ARGUMENTS = ("file_path", "notebook_path", "path")
_NONEXISTENT_PREFIXES = ("readfirst", "?")
"""An absolute path that starts with `/` and one of these texts exists on no machine. Used for missing paths."""
_MIN_UNUSABLE_BYTES = 4096
"""An absolute path with at least this many bytes is too long for every system, so a scenario may use it."""
_SEPARATORS = frozenset({";", "&&", "||", "|", "&", "(", ")", "\n"})


def path_problem(path: str) -> str | None:
    """Return the reason why a scenario must not use `path` as a path of its workspace. None if `path` is valid:
    relative, separated by `/`, without empty, `.` or `..` parts, and not too long.
    """
    parts = path.split("/")
    size = len(path.encode("utf-8", "surrogatepass"))
    problems = {
        "is empty": not path,
        "is absolute": path.startswith("/"),
        "begins with $WS, which is for arguments and texts": path.startswith("$WS"),
        "contains a backslash": "\\" in path,
        "contains a NUL character": "\0" in path,
        "contains half a character (an unpaired surrogate)": has_half_surrogate(path),
        "leaves the workspace with '..'": ".." in parts,
        "has an empty or '.' part": "" in parts or "." in parts,
        f"is longer than {_MAX_PATH_BYTES} bytes": size > _MAX_PATH_BYTES,
        f"has a part longer than {_MAX_COMPONENT_BYTES} bytes": any(
            len(part.encode("utf-8", "surrogatepass")) > _MAX_COMPONENT_BYTES for part in parts
        ),
    }
    return next((problem for problem, is_present in problems.items() if is_present), None)


def is_safe(node: Node, path: object, *, key: bool = False) -> bool:
    """Whether `path` is valid in a workspace. If not, add a finding at `node` (or at its key). Raises FormError."""
    if not isinstance(path, str):
        raise FormError(node)
    problem = path_problem(path)
    if problem is None:
        return True
    fix = "Write it relative to the workspace, with / between the parts: src/notes.txt."
    node.note(f"the path {path[:80]!r} {problem}", fix, rule="unsafe-path", key=key)
    return False


def safe_paths(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield each valid path of a mapping with its value. Add findings for invalid paths. Raises FormError."""
    fields = node.mapping()
    if not fields.values:
        raise FormError(node)
    yield from ((path, value) for path, value in fields if is_safe(value, path, key=True))


def outside_problem(path: str, *, writes: bool = False) -> str | None:
    """Return an error message if a path in a call's arguments is outside the workspace and the home directory,
    otherwise None. A valid path is relative, or begins with `$WS/` or `~/`. An absolute path that exists on no machine
    is valid unless the call `writes` and could create it.
    """
    base = next((each for each in ("$WS", "~nobody", "~") if path.startswith(each)), "")
    rest = path.removeprefix(base)
    if base and rest[:1] not in ("", "/", "\\"):
        return "begins outside the workspace"
    if not base and path.startswith("/"):
        is_local = writes and not path.startswith("//")
        exists_nowhere = path.lstrip("/").startswith(_NONEXISTENT_PREFIXES) and not is_local
        if not exists_nowhere and len(path.encode("utf-8", "surrogatepass")) < _MIN_UNUSABLE_BYTES:
            return "begins outside the workspace"
    depth = 0
    for part in rest.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return "leaves the workspace with '..'"
    return None


def program_problem(command: str) -> str | None:
    """Return an error message if a shell command uses a program that is not in `PROGRAMS`. Otherwise None."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    is_program, redirects = True, False
    try:
        for token in lexer:
            if token in _SEPARATORS:
                is_program = True
            elif set(token) <= {"<", ">", "&"}:
                redirects = True
            elif redirects:
                redirects = False
            elif is_program and token not in PROGRAMS:
                return f"runs {token[:40]!r}"
            else:
                is_program = False
    except ValueError:
        return "has a quote that is not closed"
    return None


def check_call(inspection: Inspection, yaml_path: YamlPath, tool: str, arguments: Mapping[str, Any]) -> None:
    """Add findings if a call in a scenario file uses a path outside the workspace, or a program that is not allowed."""
    for name in _PATH_ARGUMENTS:
        path = arguments.get(name)
        if isinstance(path, str) and (problem := outside_problem(path, writes=tool == "Write")):
            fix = "Begin it with $WS/ or ~/; a path that exists on no machine begins with /readfirst-."
            message = f"the argument {path[:80]!r} {problem}"
            inspection.note((*yaml_path, name), message, fix, rule="call-outside-workspace")
    command = arguments.get("command")
    if isinstance(command, str) and (tool == "*" or BASH in tool.split("|")):
        if problem := program_problem(command):
            fix = f"Use one of: {', '.join(PROGRAMS)}."
            inspection.note((*yaml_path, "command"), f"the command {problem}", fix, rule="unsafe-command")
    elif tool == BASH:
        inspection.note(
            yaml_path, "the command is not a string", "Write it as one string.", rule="unsafe-command"
        )

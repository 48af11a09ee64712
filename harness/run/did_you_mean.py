"""Suggest a target if the words on the command line are neither a target nor scenarios."""

import ast
import re
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from readfirst.harness.run.connect import kinds
from readfirst.harness.suite.selection import option_for, scenario_id
from readfirst.harness.suite.suite import Suite, UnknownScenarioError

_FACTORY_PATTERN = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")
_FILE_FACTORY_PATTERN = re.compile(r"(.+\.py):[^\W\d][\w.]*")
_INTERPRETERS = {".py": "python3", ".js": "node", ".mjs": "node", ".cjs": "node", ".sh": "sh", ".rb": "ruby"}


def suggest_command(words: Sequence[str], suite: Suite) -> str:
    """Return a `readfirst run` command line that the user may have meant. Empty if the words are valid, or unlike any
    command. `words` are the target and the words after the target.
    """
    first = words[0]
    if _is_target(first):
        return ""
    with suppress(UnknownScenarioError):
        suite.location(first)
        return ""
    ids = set(suite.ids())
    if scenario_id(first, ids) is not None:
        return ""
    command = [word for word in words if scenario_id(word, ids) is None]
    suggestion = option_for(first, suite) or _suggest_connection(command)
    if not suggestion:
        return ""
    if suggestion[0].startswith("mcp:"):
        rest = [word for word in words if scenario_id(word, ids) is not None]
    else:
        rest = [part for word in words[1:] for part in (option_for(word, suite) or [word])]
    return shlex.join(["readfirst", "run", *suggestion, *rest])


def suggest_target(words: Sequence[str]) -> str:
    """Return the target that the user probably meant, quoted for a shell. Empty for a valid or unknown target."""
    return "" if not words or _is_target(words[0]) else shlex.join(_suggest_connection(words))


def _is_target(word: str) -> bool:
    return word == "reference" or (":" in word and word.partition(":")[0] in kinds())


def _suggest_connection(words: Sequence[str]) -> list[str]:
    """Return the words of a connect string that the user may have meant. Empty if no connect string is similar."""
    file = _FILE_FACTORY_PATTERN.fullmatch(words[0])
    if _FACTORY_PATTERN.fullmatch(words[0]) or (file and Path(file[1]).is_file()):
        return [f"python:{words[0]}"]
    return _suggest_extension(words[0]) or _suggest_adapter(words[0]) or _suggest_server(words)


def _suggest_adapter(word: str) -> list[str]:
    """Return the connect string for a Python file with an adapter class (with a method `open`). Otherwise empty."""
    file = Path(word)
    if file.suffix != ".py" or not file.is_file():
        return []
    with suppress(SyntaxError, ValueError):  # also a text that is not UTF-8
        classes = [item for item in ast.parse(file.read_bytes()).body if isinstance(item, ast.ClassDef)]
        for item in classes:
            if any(getattr(method, "name", "") == "open" for method in item.body):
                return [f"python:{word}:{item.name}"]
    return []


def _suggest_extension(word: str) -> list[str]:
    hints = (item.hint(word) for item in kinds().values() if item.hint is not None)
    return [suggestion for suggestion in hints if suggestion][:1]


def _suggest_server(words: Sequence[str]) -> list[str]:
    """Return the words as an MCP server's command if the first is a program or a script. Otherwise empty."""
    program = words[0]
    if shutil.which(program) is not None:
        return [f"mcp:{shlex.join(words)}"]
    interpreter = _INTERPRETERS.get(Path(program).suffix)
    if interpreter is not None and Path(program).is_file():
        return [f"mcp:{shlex.join([interpreter, *words])}"]
    return []

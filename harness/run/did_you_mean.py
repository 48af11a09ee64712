"""Hint: what somebody may have meant by words that name neither a target nor scenarios."""

import re
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from readfirst.harness.run.connect import kinds
from readfirst.harness.suite.selection import option_for, scenario_id
from readfirst.harness.suite.suite import Suite, UnknownScenarioError

_FACTORY = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")
_INTERPRETERS = {".py": "python3", ".js": "node", ".mjs": "node", ".cjs": "node", ".sh": "sh", ".rb": "ruby"}


def hint(words: Sequence[str], suite: Suite) -> str:
    """Return the command line to write instead; empty where the words are fine, or nothing is close.

    `words` are the target and what follows it. A target of a known kind is always fine, whatever it names.
    """
    first = words[0]
    if _is_target(first):
        return ""
    with suppress(UnknownScenarioError):
        suite.place(first)
        return ""
    ids = set(suite.ids())
    if scenario_id(first, ids) is not None:
        return ""
    command = [word for word in words if scenario_id(word, ids) is None]
    scenarios = [word for word in words if scenario_id(word, ids) is not None]
    for meant in (option_for(first, suite), _connecting(command)):
        if meant:
            rest = scenarios
            if not meant[0].startswith("mcp:"):
                rest = [part for word in words[1:] for part in (option_for(word, suite) or [word])]
            return shlex.join(["readfirst", "run", *meant, *rest])
    return ""


def target_hint(words: Sequence[str]) -> str:
    """Return the target, quoted for a shell, that is meant by words which are none; empty where nothing is close."""
    return "" if not words or _is_target(words[0]) else shlex.join(_connecting(words))


def _is_target(word: str) -> bool:
    return word == "reference" or (":" in word and word.partition(":")[0] in kinds())


def _connecting(words: Sequence[str]) -> list[str]:
    """Return the one word that connects to what these words name; empty where nothing is close."""
    if _FACTORY.fullmatch(words[0]):
        return [f"python:{words[0]}"]
    return _published(words[0]) or _server(words)


def _published(word: str) -> list[str]:
    hints = (each.hint(word) for each in kinds().values() if each.hint is not None)
    return [found for found in hints if found][:1]


def _server(words: Sequence[str]) -> list[str]:
    """Return the words as the command of an MCP server, if they begin with a program, or with a file that one runs."""
    program = words[0]
    if shutil.which(program) is not None:
        return [f"mcp:{shlex.join(words)}"]
    interpreter = _INTERPRETERS.get(Path(program).suffix)
    if interpreter is not None and Path(program).is_file():
        return [f"mcp:{shlex.join([interpreter, *words])}"]
    return []

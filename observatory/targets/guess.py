"""Guess: which of a server's tools reads, edits and writes, and what its arguments are called."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_READS = {"read", "view", "cat", "open", "show", "get"}
_EDITS = {"edit", "replace", "update", "modify", "change", "patch"}
_WRITES = {"write", "create", "save", "put", "overwrite"}
_OF_FILES = {
    *["file", "files", "text", "str", "string", "in", "to", "a", "the", "content", "contents", "fs", "tool"]
}
"""Words in a name that say nothing against a tool."""
_OTHER = {
    *["multiple", "many", "dir", "directory", "folder", "media", "image", "notebook", "multi", "all", "info"]
}

_SYNONYMS: Mapping[str, Sequence[str]] = {
    name: words.split()
    for name, words in {
        "file_path": "filepath path file filename absolutepath relativepath targetfile",
        "old_string": "oldstring oldstr oldtext old search find original before searchtext",
        "new_string": "newstring newstr newtext new replace replacement after replacetext",
        "replace_all": "replaceall all global allowmultiple",
        "content": "content contents text filetext data body",
        "offset": "offset startline start fromline line firstline",
        "limit": "limit lines numlines linecount maxlines count head",
    }.items()
}
_LAST_LINE = ("endline", "end", "toline", "lastline")
_RANGE = ("viewrange", "linerange", "range")
_ARGUMENTS = {
    "Read": (("file_path",), ("offset", "limit", "pages")),
    "Edit": (("file_path", "old_string", "new_string"), ("replace_all",)),
    "Write": (("file_path", "content"), ()),
}
"""What each tool must have, and what it may have."""
_BY_NAME = ("MultiEdit", "NotebookRead", "NotebookEdit")
_VERBS = {"Read": _READS, "Edit": _EDITS, "Write": _WRITES}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a server offers: its name and the JSON Schema of its arguments."""

    name: str
    schema: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        """The arguments by their names; empty where the server does not say which there are."""
        found = self.schema.get("properties")
        return found if isinstance(found, Mapping) else {}

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.properties)})"


@dataclass(frozen=True, slots=True)
class Guess:
    """How one tool of the contract is probably called.

    `arguments` are templates as in a mapping file, without those that keep their names; `unsupported` the arguments
    that nothing takes; `unknown` the arguments that the server requires and nothing gives, `left` those that it
    does not require.
    """

    tool: str
    call: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()
    replace_all: Mapping[str, str] | str | None = None
    unknown: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def guesses(offered: Sequence[Tool]) -> dict[str, Guess]:
    """Return a guess for each of Read, Edit and Write for which a tool looks right, and for others of the same name."""
    found = {}
    for tool in _ARGUMENTS:
        ranked = [
            (rank, number, guess)
            for number, (each, command, words) in enumerate(_candidates(offered))
            if (rank := _rank(tool, words)) is not None and (guess := _guess(tool, each, command)) is not None
        ]
        if ranked:
            found[tool] = min(ranked, key=lambda each: each[:2])[2]
    return found | {each.name: Guess(each.name, each.name) for each in offered if each.name in _BY_NAME}


def _candidates(offered: Sequence[Tool]) -> Iterator[tuple[Tool, Mapping[str, str], list[str]]]:
    """Yield each tool with the words of its name; one with a choice of commands once for each of these."""
    for tool in offered:
        yield tool, {}, _words(tool.name)
        for name, schema in tool.properties.items():
            choices = schema.get("enum", ()) if isinstance(schema, Mapping) else ()
            for choice in choices:
                if isinstance(choice, str):
                    yield tool, {name: choice}, _words(choice)


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)


def _rank(tool: str, words: Sequence[str]) -> int | None:
    """Return how far a name is from the tool's, 0 for the same; None if it means something else."""
    lowered = {word.lower() for word in words}
    if not lowered & _VERBS[tool] or lowered & _OTHER or (tool != "Edit" and lowered & _EDITS):
        return None
    return len(lowered - _VERBS[tool] - _OF_FILES) * 10 + len(lowered - {tool.lower()})


def _guess(tool: str, candidate: Tool, command: Mapping[str, str]) -> Guess | None:
    """Return how the candidate is called as `tool`; None if it does not take what it must."""
    must, may = _ARGUMENTS[tool]
    if not candidate.properties:  # it does not say what it takes
        return Guess(tool, candidate.name)
    left = {_plain(name): name for name in candidate.properties if name not in command}
    required = {
        name for name in candidate.schema.get("required", ()) if isinstance(name, str)
    } - command.keys()
    arguments: dict[str, Any] = dict(command)
    taken = {wanted: name for wanted in (*must, *may) if (name := _take(wanted, left))}
    missing = [wanted for wanted in must if wanted not in taken]
    if missing:
        edits = _edits(candidate, left) if missing == ["old_string", "new_string"] else None
        if edits is None:
            return None
        arguments |= edits
    arguments |= {
        name: f"${wanted}" for wanted, name in taken.items() if name != wanted and wanted != "replace_all"
    }
    if tool == "Read" and "limit" not in taken:
        arguments |= _last_line(left, taken)
    used = {*arguments, *taken.values()}
    text = str(arguments)
    unsupported = tuple(
        name for name in may if name not in taken and f"${name}" not in text and tool == "Read"
    )
    replace_all: Mapping[str, str] | str | None = None
    if tool == "Edit" and (flag := taken.get("replace_all")) != "replace_all":
        replace_all = {"flag": flag} if flag else "unsupported"
    unknown = tuple(sorted(required - used))
    over = tuple(name for name in candidate.properties if name not in {*used, *unknown})
    return Guess(tool, candidate.name, arguments, unsupported, replace_all, unknown, over)


def _take(wanted: str, left: dict[str, str]) -> str | None:
    """Take the argument that means `wanted` out of those that are left, and return its name."""
    for plain in (_plain(wanted), *_SYNONYMS.get(wanted, ())):
        if plain in left:
            return left.pop(plain)
    return None


def _edits(candidate: Tool, left: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the template of a list of edits, where an argument is one."""
    for name in left.values():
        item = (
            candidate.properties[name].get("items", {})
            if isinstance(candidate.properties[name], Mapping)
            else {}
        )
        properties = item.get("properties", {}) if isinstance(item, Mapping) else {}
        inner = {_plain(each): each for each in properties}
        old, new = _take("old_string", inner), _take("new_string", inner)
        if old and new:
            return {name: [{old: "$old_string", new: "$new_string"}]}
    return None


def _last_line(left: Mapping[str, str], taken: Mapping[str, str]) -> dict[str, Any]:
    """Return the template of an argument for the last line, or for the first and the last one."""
    first = {"$first": ["$offset", 1]}
    last = {"$sum": [first, "$limit", -1]}
    for plain in _LAST_LINE if "offset" in taken else ():
        if plain in left:
            return {left[plain]: last}
    for plain in _RANGE:
        if plain in left:
            return {left[plain]: [first, last]}
    return {}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())

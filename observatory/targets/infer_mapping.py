"""Guess which tools of a server read, edit and write files, and the names of their arguments."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

_READS = {"read", "view", "cat", "open", "show", "get"}
_EDITS = {"edit", "replace", "update", "modify", "change", "patch"}
_WRITES = {"write", "create", "save", "put", "overwrite"}
_OF_FILES = {
    *["file", "files", "text", "str", "string", "in", "to", "a", "the", "content", "contents", "fs", "tool"]
}
"""Words that the name of a tool may contain without being a worse match."""
_OTHER = {
    *["multiple", "many", "dir", "directory", "folder", "media", "image", "notebook", "multi", "all", "info"]
}

_SYNONYMS: Mapping[str, Sequence[str]] = {
    name: words.split()
    for name, words in {
        "file_path": "filepath path file filename absolutepath relativepath targetfile",
        "old_string": "oldstring oldstr oldtext old search find original before searchtext",
        "new_string": "newstring newstr newtext new replace replacement after replacetext",
        "replace_all": "replaceall all every global allowmultiple",
        "content": "content contents text filetext data body",
        "offset": "offset startline start fromline line firstline linestart lineoffset",
        "limit": "limit lines numlines nlines linecount maxlines maxlinescount count length head",
    }.items()
}
_ROLES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    role: (frozenset(core.split()), frozenset(further.split()))
    for role, core, further in (
        ("file_path", "path file filename", "paths name relative absolute target in project to full"),
        ("old_string", "old find search original needle before from", "string str text content value to"),
        ("new_string", "new replace replacement repl after with to", "string str text content value"),
        ("replace_all", "all every global multiple", "replace replacements allow occurrences matches"),
        ("content", "content contents text data body", "file new full"),
    )
}
"""For each argument of the contract, two sets of words: the name of the target's argument must contain a word of the
first, and may contain words of the second.
"""
_MATCH_COUNT = ("expectedreplacements", "expectedoccurrences", "expectedcount", "replacecount")
_PROSE = frozenset(
    ["instruction", "explanation", "description", "reason", "title", "comment", "thought", "summary"]
)
"""Words in the names of arguments for a model's explanation of its call."""
_PROSE_VALUE = "A test."
_CAPTURED = {
    "hash": "hash sha sha256 checksum digest",
    "etag": "etag match",
    "version": "version revision rev",
}
"""Kinds of values that an argument may repeat from an earlier answer, with the words in the names of such arguments."""
_EXPRESSIONS = {
    "hash": r"(?i)(?:hash|sha-?256|checksum|digest)\W{1,5}([\w+/=.:-]{4,})",
    "etag": r"(?i)etag\W{1,5}([\w+/=.:-]+)",
    "version": r"(?i)(?:version|revision|rev)\W{1,5}([\w.-]+)",
}
_LAST_LINE = ("endline", "end", "toline", "lastline", "lineend")
_RANGE = ("viewrange", "linerange", "range")
_ARGUMENTS = {
    "Read": (("file_path",), ("offset", "limit", "pages")),
    "Edit": (("file_path", "old_string", "new_string"), ("replace_all",)),
    "Write": (("file_path", "content"), ()),
}
"""The required and the optional arguments of each tool of the contract."""
_BY_NAME = ("MultiEdit", "NotebookRead", "NotebookEdit")
_VERBS = {"Read": _READS, "Edit": _EDITS, "Write": _WRITES}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a server offers: its name and the JSON Schema of its arguments."""

    name: str
    schema: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        """The JSON Schema of each argument, by name. Empty if the server does not describe the arguments."""
        found = self.schema.get("properties")
        return found if isinstance(found, Mapping) else {}

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.properties)})"


@dataclass(frozen=True, slots=True)
class Guess:
    """The probable way to make calls of one tool of the contract with a tool of the server (`call`).

    `arguments` are templates as in a mapping file, except for arguments with the same name. `unsupported` are arguments
    of the contract without a counterpart in the server's tool. `unknown` are arguments that the server requires
    although the contract has no counterpart; `left` are those that it does not require. `capture` contains expressions
    for values of earlier answers that the arguments use.
    """

    tool: str
    call: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()
    replace_all: Mapping[str, str] | str | None = None
    unknown: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    capture: Mapping[str, str] = field(default_factory=dict)


def guesses(offered: Sequence[Tool]) -> dict[str, Guess]:
    """Return a guess for each of Read, Edit and Write that has a matching tool of the server. Other tools of the
    contract must have the same name in the server.
    """
    found = {}
    for tool in _ARGUMENTS:
        ranked = [
            (rank, number, guess)
            for number, (each, command, words) in enumerate(_candidates(offered))
            if (rank := _rank(tool, words)) is not None and (guess := _guess(tool, each, command)) is not None
        ]
        if ranked:
            found[tool] = min(ranked, key=lambda each: each[:2])[2]
    capture = {name: pattern for guess in found.values() for name, pattern in guess.capture.items()}
    found = {tool: replace(guess, capture=capture) for tool, guess in found.items()}
    return found | {each.name: Guess(each.name, each.name) for each in offered if each.name in _BY_NAME}


def _candidates(offered: Sequence[Tool]) -> Iterator[tuple[Tool, Mapping[str, str], list[str]]]:
    """Yield each tool, an argument that selects one of its commands, and the words of the name.

    The argument is empty if no command is selected. A tool with several commands is also yielded once for each command.
    """
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
    """Return how much the words of a name differ from those of a tool of the contract: 0 for equal names. None if they
    have a different meaning.
    """
    lowered = {word.lower() for word in words}
    if not lowered & _VERBS[tool] or lowered & _OTHER or (tool != "Edit" and lowered & _EDITS):
        return None
    return len(lowered - _VERBS[tool] - _OF_FILES) * 10 + len(lowered - {tool.lower()})


def _guess(tool: str, candidate: Tool, command: Mapping[str, str]) -> Guess | None:
    """Return the guess for calling the candidate in place of `tool`. None if the candidate lacks an argument that
    `tool` requires.

    `command` is the argument that selects one of the candidate's commands, with its value. Empty if no command is
    selected.
    """
    must, may = _ARGUMENTS[tool]
    if not candidate.properties:  # its arguments are unknown
        return Guess(tool, candidate.name)
    left = {_plain(name): name for name in candidate.properties if name not in command}
    required = {
        name for name in candidate.schema.get("required", ()) if isinstance(name, str)
    } - command.keys()
    arguments: dict[str, Any] = dict(command)
    taken = {wanted: name for wanted in (*must, *may) if (name := _take(wanted, left))}
    missing = [wanted for wanted in must if wanted not in taken]
    if missing:
        nested = _nested_template(candidate, left, missing, may)
        if nested is None:
            return None
        arguments |= nested
    for wanted, name in taken.items():
        if wanted == "file_path" and _is_list(candidate.properties[name]):
            arguments[name] = ["$file_path"]
        elif name != wanted and wanted != "replace_all":
            arguments[name] = f"${wanted}"
    captured = {name: value for name in left.values() if (value := _captured_value(name))}
    for name, value in captured.items():
        integer = _type(candidate.properties[name]) == "integer"
        arguments[name] = {"$sum": [f"${value}"]} if integer else f"${value}"
    arguments |= {name: _PROSE_VALUE for name in required & {*left.values()} if _is_prose(name)}
    if tool == "Read" and "limit" not in taken:
        arguments |= _last_line(left, taken)
    used = {*arguments, *taken.values()}
    text = str(arguments)
    unsupported = tuple(
        name for name in may if name not in taken and f"${name}" not in text and tool == "Read"
    )
    replace_all: Mapping[str, str] | str | None = None
    count = next((left[plain] for plain in _MATCH_COUNT if plain in left), None)
    if tool == "Edit" and "$replace_all" not in text and (flag := taken.get("replace_all")) != "replace_all":
        replace_all = {"flag": flag} if flag else {"count": count} if count else "unsupported"
        used |= {count} if count else set()
    unknown = tuple(sorted(required - used))
    over = tuple(name for name in candidate.properties if name not in {*used, *unknown})
    capture = {value: _EXPRESSIONS[value] for value in captured.values()}
    return Guess(tool, candidate.name, arguments, unsupported, replace_all, unknown, over, capture)


def _take(wanted: str, left: dict[str, str]) -> str | None:
    """Find the argument that has the meaning of `wanted`, remove it from `left`, and return its name, or None."""
    for plain in (_plain(wanted), *_SYNONYMS.get(wanted, ())):
        if plain in left:
            return left.pop(plain)
    core, further = _ROLES.get(wanted, (frozenset(), frozenset()))
    for plain, name in left.items():
        words = {word.lower() for word in _words(name)}
        if words & core and words <= core | further:
            return left.pop(plain)
    return None


def _nested_template(
    candidate: Tool, left: Mapping[str, str], missing: Sequence[str], may: Sequence[str]
) -> dict[str, Any] | None:
    """Return the template of an argument whose object, or list of objects, contains all missing arguments, or None."""
    for name in left.values():
        schema = candidate.properties[name]
        is_list = _is_list(schema)
        item = schema.get("items", {}) if is_list else schema
        properties = item.get("properties", {}) if isinstance(item, Mapping) else {}
        inner = {_plain(key): key for key in properties} if isinstance(properties, Mapping) else {}
        taken = {wanted: key for wanted in missing if (key := _take(wanted, inner))}
        if len(taken) == len(missing) > 0:
            further = {wanted: key for wanted in may if (key := _take(wanted, inner))}
            template = {key: f"${wanted}" for wanted, key in {**taken, **further}.items()}
            if "limit" not in further and "limit" in may:
                template |= _last_line(inner, further)
            return {name: [template] if is_list else template}
    return None


def _type(schema: object) -> object:
    return schema.get("type") if isinstance(schema, Mapping) else None


def _is_list(schema: object) -> bool:
    return _type(schema) == "array"


def _captured_value(name: str) -> str:
    """Return the kind of value from an earlier answer that an argument repeats, for example `hash`, or ""."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*", name)}
    return next((value for value, known in _CAPTURED.items() if words & {*known.split()}), "")


def _is_prose(name: str) -> bool:
    return bool({word.lower() for word in _words(name)} & _PROSE)


def _last_line(left: Mapping[str, str], taken: Mapping[str, str]) -> dict[str, Any]:
    """Return the template of an argument for the last line, or for a range of lines, or an empty template."""
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

"""Guess which tools of a server read, edit and write files, and the names of their arguments."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

_VERBS = {
    "Read": {"read", "view", "cat", "open", "show", "get"},
    "Edit": {"edit", "replace", "update", "modify", "change", "patch"},
    "Write": {"write", "create", "save", "put", "overwrite"},
}
_NEUTRAL_WORDS = {
    *["file", "files", "text", "str", "string", "in", "to", "a", "the", "content", "contents", "fs", "tool"]
}
"""Words that are ignored in the name of a server's tool when it is compared with Read, Edit and Write."""
_UNSUITABLE_WORDS = {
    *["multiple", "many", "dir", "directory", "folder", "media", "image", "notebook", "multi", "all", "info"]
}
"""A server's tool whose name contains one of these words is never used for Read, Edit or Write."""

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
"""Other names for the arguments of Read, Edit and Write: lower case, no separators, the most probable first."""
_ARGUMENT_WORDS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    role: (frozenset(core.split()), frozenset(further.split()))
    for role, core, further in (
        ("file_path", "path file filename", "paths name relative absolute target in project to full"),
        ("old_string", "old find search original needle before from", "string str text content value to"),
        ("new_string", "new replace replacement repl after with to", "string str text content value"),
        ("replace_all", "all every global multiple", "replace replacements allow occurrences matches"),
        ("content", "content contents text data body", "file new full"),
    )
}
"""Words that identify an argument. One word of its name must be in the first set, the others in either set."""
_MATCH_COUNT_NAMES = ("expectedreplacements", "expectedoccurrences", "expectedcount", "replacecount")
_EXPLANATION_WORDS = frozenset(
    ["instruction", "explanation", "description", "reason", "title", "comment", "thought", "summary"]
)
"""An argument with one of these words in its name explains the call. The mapping passes a constant text as value."""
_EXPLANATION = "A test."
_CAPTURED_KINDS = {
    "hash": "hash sha sha256 checksum digest",
    "etag": "etag match",
    "version": "version revision rev",
}
"""Kinds of values that calls repeat from earlier answers, with words that occur in the names of their arguments."""
_CAPTURE_PATTERNS = {
    "hash": r"(?i)(?:hash|sha-?256|checksum|digest)\W{1,5}([\w+/=.:-]{4,})",
    "etag": r"(?i)etag\W{1,5}([\w+/=.:-]+)",
    "version": r"(?i)(?:version|revision|rev)\W{1,5}([\w.-]+)",
}
_LAST_LINE_NAMES = ("endline", "end", "toline", "lastline", "lineend")
_LINE_RANGE_NAMES = ("viewrange", "linerange", "range")
_ARGUMENTS = {
    "Read": (("file_path",), ("offset", "limit", "pages")),
    "Edit": (("file_path", "old_string", "new_string"), ("replace_all",)),
    "Write": (("file_path", "content"), ()),
}
"""The required and the optional arguments of Read, Edit and Write."""
_TOOLS_MATCHED_BY_NAME = ("MultiEdit", "NotebookRead", "NotebookEdit")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a server offers: its name and the JSON Schema of its arguments."""

    name: str
    schema: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        """The JSON Schema of each argument, by name. Empty if the server does not describe the arguments."""
        properties = self.schema.get("properties")
        return properties if isinstance(properties, Mapping) else {}

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.properties)})"


@dataclass(frozen=True, slots=True)
class Guess:
    """A probable translation of calls of `tool`, such as Read, into calls of the server's tool `call`."""

    tool: str
    call: str
    # templates for the arguments with different names
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()  # arguments that the server's tool lacks
    replace_all: Mapping[str, str] | str | None = None
    unknown: tuple[str, ...] = ()  # required arguments that only the server's tool has
    unused: tuple[str, ...] = ()  # optional arguments that only the server's tool has
    capture: Mapping[str, str] = field(default_factory=dict)  # patterns for values in earlier answers


def guess_calls(offered: Sequence[Tool]) -> dict[str, Guess]:
    """Return translations of Read, Edit, Write into similar tools, and of other tools into tools of the same name."""
    found = {}
    for tool in _ARGUMENTS:
        ranked = [
            (distance, number, guess)
            for number, (each, command, words) in enumerate(_candidates(offered))
            if (distance := _name_distance(tool, words)) is not None
            and (guess := _guess_call(tool, each, command)) is not None
        ]
        if ranked:
            found[tool] = min(ranked, key=lambda each: each[:2])[2]
    capture = {name: pattern for guess in found.values() for name, pattern in guess.capture.items()}
    found = {tool: replace(guess, capture=capture) for tool, guess in found.items()}
    return found | {
        each.name: Guess(each.name, each.name) for each in offered if each.name in _TOOLS_MATCHED_BY_NAME
    }


def _candidates(offered: Sequence[Tool]) -> Iterator[tuple[Tool, Mapping[str, str], list[str]]]:
    """Yield each tool that may match Read, Edit or Write, with the words of its name. For each command of a tool, such
    as `view`, also yield the tool, the argument for the command, and the command's words.
    """
    for tool in offered:
        yield tool, {}, _split_words(tool.name)
        for name, schema in tool.properties.items():
            choices = schema.get("enum", ()) if isinstance(schema, Mapping) else ()
            for choice in choices:
                if isinstance(choice, str):
                    yield tool, {name: choice}, _split_words(choice)


def _split_words(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)


def _name_distance(tool: str, words: Sequence[str]) -> int | None:
    """Return the distance between `words`, the name of a server's tool, and `tool`; 0 is best. None if unsuitable."""
    lowered = {word.lower() for word in words}
    if (
        not lowered & _VERBS[tool]
        or lowered & _UNSUITABLE_WORDS
        or (tool != "Edit" and lowered & _VERBS["Edit"])
    ):
        return None
    return len(lowered - _VERBS[tool] - _NEUTRAL_WORDS) * 10 + len(lowered - {tool.lower()})


def _guess_call(tool: str, candidate: Tool, command: Mapping[str, str]) -> Guess | None:
    """Return a translation of `tool` into `candidate` with `command`. None if `candidate` lacks an argument."""
    must, may = _ARGUMENTS[tool]
    if not candidate.properties:  # the arguments are unknown
        return Guess(tool, candidate.name)
    left = {_normalize(name): name for name in candidate.properties if name not in command}
    required = {
        name for name in candidate.schema.get("required", ()) if isinstance(name, str)
    } - command.keys()
    arguments: dict[str, Any] = dict(command)
    taken = {wanted: name for wanted in (*must, *may) if (name := _take_argument(wanted, left))}
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
    captured = {name: value for name in left.values() if (value := _captured_kind(name))}
    for name, value in captured.items():
        integer = _json_type(candidate.properties[name]) == "integer"
        arguments[name] = {"$sum": [f"${value}"]} if integer else f"${value}"
    arguments |= {name: _EXPLANATION for name in required & {*left.values()} if _is_explanation(name)}
    if tool == "Read" and "limit" not in taken:
        arguments |= _last_line_template(left, taken)
    used = {*arguments, *taken.values()}
    text = str(arguments)
    unsupported = tuple(
        name for name in may if name not in taken and f"${name}" not in text and tool == "Read"
    )
    replace_all: Mapping[str, str] | str | None = None
    count = next((left[plain] for plain in _MATCH_COUNT_NAMES if plain in left), None)
    if tool == "Edit" and "$replace_all" not in text and (flag := taken.get("replace_all")) != "replace_all":
        replace_all = {"flag": flag} if flag else {"count": count} if count else "unsupported"
        used |= {count} if count else set()
    unknown = tuple(sorted(required - used))
    unused = tuple(name for name in candidate.properties if name not in {*used, *unknown})
    capture = {value: _CAPTURE_PATTERNS[value] for value in captured.values()}
    return Guess(tool, candidate.name, arguments, unsupported, replace_all, unknown, unused, capture)


def _take_argument(wanted: str, left: dict[str, str]) -> str | None:
    """Remove an argument with the meaning of `wanted` from `left`, and return its name, or return None."""
    for plain in (_normalize(wanted), *_SYNONYMS.get(wanted, ())):
        if plain in left:
            return left.pop(plain)
    core, further = _ARGUMENT_WORDS.get(wanted, (frozenset(), frozenset()))
    for plain, name in left.items():
        words = {word.lower() for word in _split_words(name)}
        if words & core and words <= core | further:
            return left.pop(plain)
    return None


def _nested_template(
    candidate: Tool, left: Mapping[str, str], missing: Sequence[str], may: Sequence[str]
) -> dict[str, Any] | None:
    """Return the template of an argument such as `edits: [{old, new}]` with all `missing` arguments, or None."""
    for name in left.values():
        schema = candidate.properties[name]
        is_list = _is_list(schema)
        item = schema.get("items", {}) if is_list else schema
        properties = item.get("properties", {}) if isinstance(item, Mapping) else {}
        inner = {_normalize(key): key for key in properties} if isinstance(properties, Mapping) else {}
        taken = {wanted: key for wanted in missing if (key := _take_argument(wanted, inner))}
        if len(taken) == len(missing) > 0:
            further = {wanted: key for wanted in may if (key := _take_argument(wanted, inner))}
            template = {key: f"${wanted}" for wanted, key in {**taken, **further}.items()}
            if "limit" not in further and "limit" in may:
                template |= _last_line_template(inner, further)
            return {name: [template] if is_list else template}
    return None


def _json_type(schema: object) -> object:
    return schema.get("type") if isinstance(schema, Mapping) else None


def _is_list(schema: object) -> bool:
    return _json_type(schema) == "array"


def _captured_kind(name: str) -> str:
    """Return the kind of captured value, such as `hash`, that belongs in an argument with this name, or empty."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*", name)}
    return next((value for value, known in _CAPTURED_KINDS.items() if words & {*known.split()}), "")


def _is_explanation(name: str) -> bool:
    return bool({word.lower() for word in _split_words(name)} & _EXPLANATION_WORDS)


def _last_line_template(left: Mapping[str, str], taken: Mapping[str, str]) -> dict[str, Any]:
    """Return the template of an unused argument (`left`) for the last line or range of a Read. Empty if none fits."""
    first = {"$first": ["$offset", 1]}
    last = {"$sum": [first, "$limit", -1]}
    for plain in _LAST_LINE_NAMES if "offset" in taken else ():
        if plain in left:
            return {left[plain]: last}
    for plain in _LINE_RANGE_NAMES:
        if plain in left:
            return {left[plain]: [first, last]}
    return {}


def _normalize(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())

"""Write values as YAML for review. A text is written as a block if this is exact, otherwise as a quoted string."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from readfirst.harness.yaml_io.strict_yaml import CONSTANTS, NUMBER_PATTERN, StrictYamlError, load

# Strings that YAML 1.1 or the core schema of YAML 1.2 parses as null, boolean, number or time.
_AMBIGUOUS = re.compile(
    r"""~|=|[Nn]ull|NULL|[Yy]|[Yy]es|YES|[Nn]|[Nn]o|NO|[Tt]rue|TRUE|[Ff]alse|FALSE|[Oo]n|ON|[Oo]ff|OFF
    |[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)
    |[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?
    |[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+
    |[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)
    |[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
    |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?""",
    re.VERBOSE,
)


def is_ambiguous(text: str) -> bool:
    """Whether some YAML readers parse an unquoted string as null, boolean, number or time. False for JSON values."""
    if _AMBIGUOUS.fullmatch(text) is None:
        return False
    return text not in CONSTANTS and NUMBER_PATTERN.fullmatch(text) is None


_MAX_ONE_LINE_CHARS = 80
"""Maximum length of the content of a file that is written on one line, in characters."""
_PLAIN_START_PATTERN = re.compile(r"[A-Za-z/$(]")
_PLACEHOLDER_PATTERN = re.compile(r"<[a-z][a-z0-9_]*>")
"""Pattern of a placeholder (`<name>`) in a file with several scenarios, each with a value for the placeholder."""
_FLOW_SYNTAX_PATTERN = re.compile(r"[][{},]")
_PLAIN_PATTERN = re.compile(r"(?!(?:null|true|false)\Z)[A-Za-z/$(](?:[!-9;-~—]|:(?=[!-~])| (?=[!\"$-~—]))*")
"""Pattern of texts that need no quotes in any YAML reader: no YAML syntax, no colon or number sign next to a space."""
_NEVER_PLAIN_PATTERN = re.compile(r"\n|: | #")
_NOT_IN_BLOCKS_PATTERN = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]|[ \t](?:\n|\Z)")
"""Characters that a YAML block would change or hide, such as CR and trailing spaces. Texts with them are quoted."""
INVISIBLE_PATTERN = re.compile(
    r"[\x7f-\xa0\u00ad\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufe00-\ufe0f\ufeff\ufff0-\ufffb"
    r"\ufffe\uffff]"
)
"""Pattern of characters that are invisible, similar to others, or not allowed in YAML. They are written as escapes."""

_IN_QUOTES = json.JSONEncoder(ensure_ascii=False).encode


Value = str | int | bool | None | Sequence["Value"] | Mapping[str, "Value"]


def emit_mapping(mapping: Mapping[str, Value], indent: int, one_line: int = 0) -> list[str]:
    """Return a mapping as lines of YAML, with one key per line. `indent` is the column of the keys, from 0. A string of
    several lines is written as a block if it has more than `one_line` characters (80 below the key `files`).
    """
    lines = []
    for key, value in mapping.items():
        name = " " * indent + emit_string(key)
        if isinstance(value, str):
            first, *rest = _string_lines(value, indent, one_line)
            lines += [f"{name}: {first}", *rest]
        elif isinstance(value, Mapping) and value:
            lines.append(f"{name}:")
            lines += emit_mapping(value, indent + 2, _MAX_ONE_LINE_CHARS if key == "files" else one_line)
        elif isinstance(value, Sequence) and value:
            lines.append(f"{name}:")
            for item in value:
                if isinstance(item, Mapping):
                    body = emit_mapping(item, indent + 4, one_line)
                    first, *rest = body[0].lstrip(), *body[1:]
                elif isinstance(item, str):
                    first, *rest = _string_lines(item, indent + 2, one_line)
                else:
                    first, rest = json.dumps(item), []
                lines += [f"{' ' * (indent + 2)}- {first}", *rest]
        else:
            lines.append(f"{name}: {'{}' if isinstance(value, Mapping) else json.dumps(value)}")
    return lines


@lru_cache(maxsize=65536)
def emit_string(text: str) -> str:
    """Return a string as YAML on one line. Quotes are omitted if all YAML readers then parse the same string."""
    if (_PLAIN_START_PATTERN.match(text) and _is_plain(text)) or _PLACEHOLDER_PATTERN.fullmatch(text):
        return text
    return _quote_text(text)


def emit_flow(value: Value) -> str:
    """Return a value as YAML on one line, for example `{a: [1, 2]}`."""
    match value:
        case str():
            written = emit_string(value)
            needs_quotes = not written.startswith('"') and _FLOW_SYNTAX_PATTERN.search(written)
            return _quote_text(value) if needs_quotes else written
        case Mapping():
            pairs = (f"{emit_flow(key)}: {emit_flow(item)}" for key, item in value.items())
            return "{" + ", ".join(pairs) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(emit_flow, value)) + "]"
        case _:
            return json.dumps(value)


def _string_lines(text: str, indent: int, one_line: int) -> list[str]:
    single = len(text) <= one_line or "\n" not in text.rstrip("\n") or not text.strip("\n")
    # In files, a text usually ends with a line end. Elsewhere the final line end must be visible.
    ends_a_line = text.endswith("\n") and not one_line
    if ends_a_line or single or _NOT_IN_BLOCKS_PATTERN.search(text) or INVISIBLE_PATTERN.search(text):
        return [emit_string(text)]
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    chomping = ("-", "", "+")[min(ends, 2)]
    # The explicit indentation keeps leading spaces of the first line with content.
    lines = [" " * (indent + 2) + line if line else "" for line in body.split("\n")]
    return [f"|2{chomping}", *lines, *[""] * (ends - 1)]


def _quote_text(text: str) -> str:
    return INVISIBLE_PATTERN.sub(_escape_match, _IN_QUOTES(text))


def _escape_match(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def _is_plain(text: str) -> bool:
    """Whether YAML readers parse a text without quotes as the same string."""
    if _NEVER_PLAIN_PATTERN.search(text) or INVISIBLE_PATTERN.search(text) or is_ambiguous(text):
        return False
    if _PLAIN_PATTERN.fullmatch(text):
        return True
    import yaml  # few texts need it

    line = f"k: {text}\n".encode()
    try:
        return bool(load(line, Path("-")).value == {"k": text} == yaml.safe_load(line))
    except (StrictYamlError, yaml.YAMLError, ValueError):
        return False

"""Source text: how a file is written, where YAML readers or people would read it otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readfirst.harness.source.emit import is_ambiguous
from readfirst.harness.source.finding import Finding, Position
from readfirst.harness.source.strict_yaml import Document

# Characters that some YAML readers normalise, or that nobody sees. A carriage return before \n is one, too.
_INVISIBLE = re.compile("[\r\x85\u2028\u2029\ufeff]")
_NAMES = {"\r": "a carriage return", "\ufeff": "a byte order mark"}
_ESCAPES = {"\r": r"\r", "\x85": r"\N", "\u2028": r"\L", "\u2029": r"\P", "\ufeff": r"\uFEFF"}


def check_source_text(document: Document) -> Iterator[Finding]:
    """Yield findings of the rules `invisible-bytes`, `trailing-blanks` and `ambiguous-scalar`."""
    text = document.data.decode("utf-8")
    for found in _INVISIBLE.finditer(text):
        character = found[0]
        before = text[: found.start()]
        position = Position(
            document.file, before.count("\n") + 1, found.start() - (before.rfind("\n") + 1) + 1
        )
        name = _NAMES.get(character, f"the line break U+{ord(character):04X}")
        fix = f"Write it as {_ESCAPES[character]} in a double-quoted string; end lines with \\n alone."
        yield Finding("invisible-bytes", position, f"{name} is not escaped here", fix)
    lines = text.split("\n")
    for scalar in document.scalars():
        if scalar.style in ("|", ">"):
            for number in range(scalar.first_line + 1, scalar.last_line + 1):
                line = lines[number - 1] if number <= len(lines) else ""
                if line.strip() and line != line.rstrip(" \t"):
                    position = Position(document.file, number, len(line.rstrip(" \t")) + 1)
                    fix = "Write the text in double quotes, with \\n for line ends."
                    yield Finding("trailing-blanks", position, "this line of a block ends in spaces", fix)
        elif scalar.style == "" and is_ambiguous(scalar.value):
            position = Position(document.file, scalar.first_line, scalar.column)
            message = f"other YAML readers do not read {scalar.value} as a string"
            yield Finding("ambiguous-scalar", position, message, f'Quote it: "{scalar.value}".')

from __future__ import annotations

import csv
import hashlib
import html
import io
import json
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

Lines = Sequence[str]
Number = Callable[[int], str]
"""Returns the number of a line, as the answer shows it, from its index."""

__all__ = ["NUMBERED", "UNNUMBERED", "digest"]


def digest(line: str, length: int = 2) -> str:
    """Return a short digest of a line, with a letter, so that it is not taken for a number."""
    return hashlib.sha256(line.encode()).hexdigest()[: length - 1] + "k"


def _each(form: Callable[[str, str], str], end: str = "\n") -> Callable[[Lines, Number], str]:
    def show_lines(lines: Lines, number: Number) -> str:
        return "".join([form(number(index), line) + end for index, line in enumerate(lines)])

    return show_lines


def _cat(line: str) -> str:
    written = ""
    for byte in line.encode():
        low = byte % 128
        written += "M-" * (byte > 127) + (f"^{chr(low ^ 64)}" if low < 32 or low == 127 else chr(low))
    return written


def _csv(number: str, line: str) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="").writerow([int(number), line])
    return out.getvalue()


def _json_objects(lines: Lines, number: Number) -> str:
    rows = [{"line": int(number(index)), "text": line} for index, line in enumerate(lines)]
    return json.dumps({"path": "notes.txt", "total": len(lines), "lines": rows})


def _json_pairs(lines: Lines, number: Number) -> str:
    return json.dumps([[int(number(index)), line] for index, line in enumerate(lines)])


NUMBERED: dict[str, Callable[[Lines, Number], str]] = {
    "cat -n": _each(lambda number, line: f"{number:>6}\t{line}"),
    "number, arrow": _each(lambda number, line: f"{number:>6}→{line}"),
    "number, hyphen and sign": _each(lambda number, line: f"{number}->{line}"),
    "spaced arrow": _each(lambda number, line: f"{number} -> {line}"),
    "bar": _each(lambda number, line: f"{number}|{line}"),
    "bar and space": _each(lambda number, line: f"{number}| {line}"),
    "spaced bar": _each(lambda number, line: f"{number:>4} | {line}"),
    "colon": _each(lambda number, line: f"{number}:{line}"),
    "colon and space": _each(lambda number, line: f"{number}: {line}"),
    "zeros": _each(lambda number, line: f"{number:0>5}| {line}"),
    "brackets": _each(lambda number, line: f"[{number}] {line}"),
    "parenthesis": _each(lambda number, line: f"{number}) {line}"),
    "full stop": _each(lambda number, line: f"{number}. {line}"),
    "padded on the right": _each(lambda number, line: f"{number:<6}{line}"),
    "one space": _each(lambda number, line: f"{number} {line}"),
    "L": _each(lambda number, line: f"L{number}: {line}"),
    "line": _each(lambda number, line: f"Line {number}: {line}"),
    "hash sign": _each(lambda number, line: f"#{number} {line}"),
    "box": _each(lambda number, line: f"│{number:>4} │ {line}"),
    "digest after hash sign": _each(lambda number, line: f"{number}#{digest(line)}:{line}"),
    "digest after colon": _each(lambda number, line: f"{number}:{digest(line)}|{line}"),
    "digest between colons": _each(lambda number, line: f"{number}:{digest(line, 4)}:{line}"),
    "digest in brackets": _each(lambda number, line: f"{number} [{digest(line)}] {line}"),
    "path and number": _each(lambda number, line: f"src/v2/notes.txt:{number}:{line}"),
    "difference": _each(lambda number, line: f"+{number:>4} {line}"),
    "difference behind": _each(lambda number, line: f"{number:>4} +{line}"),
    "tag with number": _each(lambda number, line: f'<line n="{number}">{escape(line)}</line>'),
    "repr": _each(lambda number, line: f"{number}: {line!r}"),
    "ascii": _each(lambda number, line: f"{number}: {line!a}"),
    "JSON string": _each(lambda number, line: f"{number}: {json.dumps(line)}"),
    "code of Markdown": _each(lambda number, line: f"{number}. `{line}`"),
    "table of Markdown": _each(lambda number, line: f"| {number} | {line} |"),
    "comma-separated values": _each(_csv),
    "HTML": _each(lambda number, line: f"{number}: {html.escape(line)}"),
    "cat -A": _each(lambda number, line: f"{number:>6}^I{_cat(line)}$".replace("^I", "\t", 1)),
    "expanded tabs": _each(lambda number, line: f"{number:>6}\t{line}".expandtabs(8)),
    "expanded tabs behind colon": _each(lambda number, line: f"{number}:{line}".expandtabs(4)),
    "colours": _each(lambda number, line: f"\x1b[32m{number:>4}\x1b[0m {line}"),
    "visible blanks": _each(lambda number, line: f"{number:>4}  {line.replace(' ', '·')}↵"),
    "ends with CR": _each(lambda number, line: f"{number}\t{line}", "\r\n"),
    "JSON objects": _json_objects,
    "JSON pairs": _json_pairs,
    "JSON of numbered text": lambda lines, number: json.dumps(
        {"content": "".join(f"{number(index)}\t{line}\n" for index, line in enumerate(lines)), "lines": 7}
    ),
    "heading and tags": lambda lines, number: (
        "<file>\n"
        + "".join(f"{number(index)}\t{line}\n" for index, line in enumerate(lines))
        + "</file>\nDone."
    ),
}

UNNUMBERED: dict[str, Callable[[Lines], str]] = {
    "as it is": "\n".join,
    "heading": lambda lines: "Contents of notes.txt:\n\n" + "\n".join(lines),
    "fence": lambda lines: "```\n" + "\n".join(lines) + "\n```",
    "digest and bar": lambda lines: "\n".join(f"{digest(line, 3)}|{line}" for line in lines),
    "digest and arrow": lambda lines: "\n".join(f"{digest(line, 4)}→{line}" for line in lines),
    "digest and tab": lambda lines: "\n".join(f"{digest(line, 4)}\t{line}" for line in lines),
    "quoted as in a mail": lambda lines: "\n".join(f"> {line}" for line in lines),
    "all added": lambda lines: "@@ -0,0 +1 @@\n" + "\n".join(f"+{line}" for line in lines),
    "difference": lambda lines: "\n".join(
        ["-gone", *(f"{'+' if index % 2 else ' '}{line}" for index, line in enumerate(lines))]
    ),
    "all indented": lambda lines: "content: |\n" + "\n".join(f"    {line}" for line in lines),
    "repr of all": lambda lines: repr("\n".join(lines)),
    "repr of lines": lambda lines: repr(list(lines)),
    "repr of bytes": lambda lines: repr("\n".join(lines).encode()),
    "JSON string": lambda lines: json.dumps("\n".join(lines)),
    "JSON strings": lambda lines: json.dumps(list(lines), ensure_ascii=False),
    "JSON object": lambda lines: json.dumps({"size": 9, "content": "\n".join(lines)}),
    "JSON lines": lambda lines: "\n".join(json.dumps({"text": line}) for line in lines),
    "HTML": lambda lines: f"<pre>\n{html.escape(chr(10).join(lines))}\n</pre>",
    "tags": lambda lines: "\n".join(f"<l>{escape(line)}</l>" for line in lines),
    "cat -A": lambda lines: "".join(f"{_cat(line)}$\n" for line in lines),
    "cat -A of CRLF": lambda lines: "".join(f"{_cat(line)}^M$\n" for line in lines),
    "cat -e": lambda lines: "".join("\t".join(map(_cat, line.split("\t"))) + "$\n" for line in lines),
    "expanded tabs": lambda lines: "\n".join(line.expandtabs(8) for line in lines),
    "tabs as four spaces": lambda lines: "\n".join(line.replace("\t", "    ") for line in lines),
    "list of YAML": lambda lines: "\n".join(f"- {json.dumps(line)}" for line in lines),
}

"""Implementations that change the form of some texts before they write them."""

import base64
import contextlib
import html
import json
import re
import textwrap
import unicodedata
from collections.abc import Callable
from urllib.parse import unquote

from altered import Altered, Arguments, Call, after_each_edit

from readfirst.harness.adapter_api import ToolResult

Treatment = Callable[[str], str]


def substitute(pattern: str, replacement: str = "") -> Treatment:
    return lambda text: re.sub(pattern, replacement, text)


def unwrap(pattern: str) -> Treatment:
    """Return a function that removes a frame, such as a code fence, if it encloses the whole text."""

    def unwrapped(text: str) -> str:
        found = re.fullmatch(pattern, text, re.DOTALL)
        return found[1] if found else text

    return unwrapped


def rewrite_json(kinds: type | tuple[type, ...], **layout: int) -> Treatment:
    """Format a JSON text of these types again. A JSON string becomes its content. Other texts do not change."""

    def rewrite(text: str) -> str:
        with contextlib.suppress(ValueError):
            value = json.loads(text)
            if isinstance(value, kinds) and not isinstance(value, bool):
                return value if isinstance(value, str) else json.dumps(value, **layout)  # type: ignore[arg-type]
        return text

    return rewrite


def decode_base64(text: str) -> str:
    with contextlib.suppress(ValueError):
        if len(text) % 4 == 0 and text.endswith("="):
            return base64.b64decode(text, validate=True).decode()
    return text


def repair_encoding(text: str) -> str:
    """Decode a text that looks like UTF-8 that was read as Latin-1."""
    with contextlib.suppress(ValueError):
        return text.encode("latin-1").decode()
    return text


def drop_category(category: str) -> Treatment:
    return lambda text: "".join(
        each for each in text if each in "\t\n\r" or not unicodedata.category(each).startswith(category)
    )


def simplify_spaces(text: str) -> str:
    return "".join(" " if unicodedata.category(each) == "Zs" else each for each in text)


def normalize(form: str) -> Treatment:
    return lambda text: unicodedata.normalize(form, text)  # type: ignore[arg-type]


def cut_at(mark: str) -> Treatment:
    return lambda text: text.partition(mark)[0]


TREATMENTS: dict[str, tuple[Treatment, str]] = {
    "fences are removed": (substitute(r"(?sm)^```\w*\n(.*?)^```$", r"\1"), "code-fences"),
    "fences of tildes are removed": (substitute(r"(?sm)^~~~\n(.*?)^~~~$", r"\1"), "code-fences"),
    "text around a fence is removed": (unwrap(r".+?\n```\w*\n(.*?)\n```.+"), "code-fences"),
    "JSON is formatted again": (rewrite_json((dict, list), indent=2), "json-documents"),
    "JSON loses its whitespace": (rewrite_json((dict, list)), "json-documents"),
    "JSON texts are read": (rewrite_json(str), "json-scalars"),
    "numbers are read": (rewrite_json((int, float)), "json-scalars"),
    "null is nothing": (substitute(r"(?m)^null$"), "json-scalars"),
    "entities are decoded": (html.unescape, "entities"),
    "ampersands are encoded": (substitute("&(?!amp;)", "&amp;"), "entities"),
    "CDATA is taken off": (substitute(r"<!\[CDATA\[(.*?)\]\]>", r"\1"), "markup-documents"),
    "wrapping tags are taken off": (substitute(r"</?content>\n?"), "markup-documents"),
    "closing tags of calls are cut": (substitute(r"</parameter>\n?"), "markup-documents"),
    "whitespace between tags goes": (substitute(r">\s+<", "><"), "markup-documents"),
    "declarations go": (substitute(r"<\?xml.*?\?>\n"), "markup-documents"),
    "comments go": (substitute(r"<!--.*?-->"), "markup-documents"),
    "$HOME is expanded": (substitute(r"\$HOME\b", "/root"), "variables"),
    "${HOME} is expanded": (substitute(r"\$\{HOME\}", "/root"), "variables"),
    "%TEMP% is expanded": (substitute("%TEMP%", "C:/t"), "variables"),
    "commands are run": (substitute(r"\$\(pwd\)|`pwd`", "/"), "variables"),
    "~ is expanded": (substitute(r"\A~/", "/root/"), "variables"),
    "names in braces are filled in": (substitute(r"\{\{\w+\}\}"), "placeholders"),
    "%s is filled in": (substitute("%s"), "placeholders"),
    "{0} is filled in": (substitute(r"\{0?\}"), "placeholders"),
    "<%= is run": (substitute("<%=.*?%>"), "placeholders"),
    "doubled braces are halved": (substitute(r"\{\{\{\{", "{{"), "placeholders"),
    r"\n is read": (substitute(r"\\n", "\n"), "backslash-sequences"),
    r"\t is read": (substitute(r"\\t", "\t"), "backslash-sequences"),
    r"\u is read": (substitute(r"\\u00e9", "é"), "backslash-sequences"),
    "backslashes are halved": (substitute(r"\\\\", r"\\"), "backslash-sequences"),
    "backslashes are doubled": (substitute(r"\\(?=[NcC])", r"\\\\"), "backslash-sequences"),
    "escaped quotes are read": (substitute(r'\\"', '"'), "backslash-sequences"),
    "continued lines are joined": (substitute(r"\\\n"), "sources-of-c"),
    "a last backslash goes": (substitute(r"\\\Z"), "backslash-sequences"),
    "$$ is halved": (substitute(r"\$\$", "$"), "replacement-patterns"),
    "$1 is a group": (substitute(r"\$1"), "replacement-patterns"),
    "$& is the match": (substitute(r"\$&", "x"), "replacement-patterns"),
    r"\1 is a group": (substitute(r"\\1"), "replacement-patterns"),
    r"\g is a group": (substitute(r"\\g<1>"), "replacement-patterns"),
    "signs of patterns are quoted": (substitute(r"(?<=a)\.(?=b)", r"\\."), "patterns"),
    "@ includes a file": (substitute(r"\A@notes.txt\Z", "x"), "names-of-files"),
    "- is the standard input": (substitute(r"\A-\Z"), "names-of-files"),
    "arrows after numbers are cut": (substitute(r"(?m)^ *\d+→"), "line-numbers"),
    "tabs after numbers are cut": (substitute(r"(?m)^ *\d+\t"), "line-numbers"),
    "numbers with colons are cut": (substitute(r"(?m)^\d+: "), "line-numbers"),
    "numbers with bars are cut": (substitute(r"(?m)^\d+\| ?"), "line-numbers"),
    "a plus is cut": (substitute(r"(?m)\A\+"), "patches"),
    "patches are made": (substitute(r"(?s)-{7} SEARCH\n.*?\n=+\n(.*?)\n\+{7} REPLACE", r"\1"), "patches"),
    "conflicts are solved": (substitute(r"(?s)<{7} ours\n(.*?)\n=+\n.*?>{7} theirs", r"\1"), "patches"),
    "notes on newlines go": (substitute(r"\\ No newline at end of file"), "patches"),
    "omissions go": (substitute(r"(?m)^.*existing code.*$"), "omissions"),
    "ellipses become dots": (substitute("…", "..."), "omissions"),
    "base64 is decoded": (decode_base64, "encoded-texts"),
    "percent signs are decoded": (unquote, "encoded-texts"),
    "a plus is a blank": (substitute(r"(?<=a)\+(?=b)", " "), "encoded-texts"),
    "quoted-printable is decoded": (substitute("=C3=A9", "é"), "encoded-texts"),
    "common indentation goes": (textwrap.dedent, "indentation"),
    "tabs become spaces": (lambda text: text.expandtabs(4), "indentation"),
    "eight spaces become a tab": (substitute(r"(?m)^ {8}", "\t"), "indentation"),
    "runs of spaces become one": (substitute(r"(?<=\S) {2,}", " "), "runs-of-spaces"),
    "empty lines become one": (substitute(r"\n{3,}", "\n\n"), "runs-of-spaces"),
    "control characters go": (substitute(r"[\x01-\x08\x0b\x0c\x0e-\x1f]"), "control-characters"),
    "colours go": (substitute(r"\x1b\[[\d;]*m"), "control-characters"),
    "C1 characters go": (substitute(r"[\x80-\x9f]"), "control-characters"),
    "NUL ends a text": (cut_at("\0"), "control-characters"),
    "Ctrl-Z ends a text": (cut_at("\x1a"), "control-characters"),
    "backspaces are obeyed": (substitute(r".\x08"), "control-characters"),
    "DEL goes": (substitute(r"\x7f"), "control-characters"),
    "U+2028 becomes a newline": (substitute("\u2028", "\n"), "line-separators"),
    "NEL becomes a newline": (substitute("\x85", "\n"), "line-separators"),
    "form feeds become newlines": (substitute("[\x0b\x0c]", "\n"), "line-separators"),
    "separators become newlines": (substitute("[\x1c-\x1e]", "\n"), "line-separators"),
    "no-break spaces become plain ones": (substitute("\u00a0", " "), "unicode-spaces"),
    "wide spaces become plain ones": (substitute("\u3000", " "), "unicode-spaces"),
    "every space becomes a plain one": (simplify_spaces, "unicode-spaces"),
    "format characters go": (drop_category("Cf"), "format-characters"),
    "zero-width spaces go": (substitute("\u200b"), "format-characters"),
    "soft hyphens go": (substitute("\u00ad"), "format-characters"),
    "byte order marks go": (substitute("\ufeff"), "format-characters"),
    "directions go": (substitute("[\u202a-\u202e\u2066-\u2069]"), "format-characters"),
    "joiners go": (substitute("\u200d"), "emoji-and-planes"),
    "characters are composed": (normalize("NFC"), "composition"),
    "characters are decomposed": (normalize("NFD"), "composition"),
    "characters are made compatible": (normalize("NFKC"), "composition"),
    "dashes become hyphens": (substitute("[\u2010-\u2015\u2212]", "-"), "look-alikes"),
    "Cyrillic becomes Latin": (substitute("\u0430", "a"), "look-alikes"),
    "bullets become stars": (substitute("\u2022", "*"), "look-alikes"),
    "variations go": (substitute("[\ufe00-\ufe0f]"), "emoji-and-planes"),
    "further planes become question marks": (substitute("[\U00010000-\U0010ffff]", "?"), "emoji-and-planes"),
    "further planes end a text": (substitute("(?s)[\U00010000-\U0010ffff].*"), "emoji-and-planes"),
    "wrong decoding is repaired": (repair_encoding, "emoji-and-planes"),
    "vowel points go": (substitute("[\u0591-\u05c7]"), "right-to-left"),
    "cases are folded and restored": (substitute("ß", "ss"), "case-mappings"),
    "dots go": (substitute("\u0130", "I"), "case-mappings"),
    "private characters go": (drop_category("Co"), "unassigned-characters"),
    "unassigned characters go": (drop_category("Cn"), "unassigned-characters"),
    "replacement characters go": (substitute("\ufffd"), "unassigned-characters"),
    "EOF ends a text": (substitute(r"(?s)\AEOF\Z"), "sentinels"),
    "a dot ends a text": (substitute(r"(?s)(?:\A|\n)\.\Z"), "sentinels"),
    "marks of models go": (substitute(r"<\|\w+\|>"), "sentinels"),
    "turns end a text": (cut_at("\n\nHuman:"), "sentinels"),
    "headers are taken off": (substitute(r"(?m)^Content-Length: \d+\n\n"), "messages"),
    "names of events are taken off": (substitute(r"\A(?:event|data): "), "messages"),
    "wrappings of errors are taken off": (unwrap("<tool_use_error>(.*)</tool_use_error>"), "messages"),
    "passwords are masked": (substitute(r'(?<=password = ").*?(?=")', "***"), "secrets"),
    "keys are masked": (substitute(r"AKIA\w+|(?<=sk-)0+", "***"), "secrets"),
    "addresses are masked": (substitute(r"\w+@\w+\.com", "***"), "secrets"),
    "tokens are masked": (substitute(r"(?<=Bearer )\w+", "***"), "secrets"),
    "numbers of cards are masked": (substitute(r"\d{4} \d{4} \d{4} (?=\d{4})", "**** "), "secrets"),
    "stars become dashes": (substitute(r"(?m)^\* ", "- "), "markdown"),
    "front matter goes": (substitute(r"(?sm)^---\n.*?\n---$"), "markdown"),
    "emphasis is written with stars": (substitute("__(\\w+)__", r"**\1**"), "markdown"),
    "line breaks become newlines": (substitute("<br>", "\n"), "markdown"),
    "double quotes are taken off": (unwrap('"([^"]+)"'), "quoted-texts"),
    "single quotes are taken off": (unwrap("'([^']+)'"), "quoted-texts"),
    "backticks are taken off": (unwrap("`([^`]+)`"), "quoted-texts"),
    "quoted nothing is nothing": (substitute(r"""\A(?:""|'')\Z"""), "quoted-texts"),
    "curly quotes become straight": (substitute("[\u201c\u201d]", '"'), "curly-quotes"),
    "low quotes become straight": (substitute("[\u201e\u201a]", '"'), "curly-quotes"),
    "guillemets become straight": (substitute("[\u00ab\u00bb]", '"'), "curly-quotes"),
    "carriage returns become newlines": (substitute(r"\r(?!\n)", "\n"), "carriage-returns"),
    "no is false": (substitute(r"\Ano\Z", "false"), "configuration"),
    "leading zeros go": (substitute(r"\A0(?=\d)"), "configuration"),
    "undefined is nothing": (substitute(r"\A(?:undefined|None|NaN)\Z"), "configuration"),
    "formulas are quoted": (substitute(r"\A=", "'="), "spreadsheets"),
    "commas end numbers": (substitute(r"(?<=\d),(?=\d)", "."), "spreadsheets"),
    "trigraphs are read": (substitute(r"\?\?=", "#"), "sources-of-c"),
    "signs of shells are quoted": (substitute(r"\\\$x", "$x"), "shell-texts"),
    "hashes begin comments": (substitute(r"(?m)^#\w.*$"), "shell-texts"),
    "quotes of shells are joined": (substitute("'\"'\"'", "'"), "shell-texts"),
}
"""The treatments by name, each with the scenario of the family `opaque-content` that detects it."""


class Treating(Altered):
    """Applies a treatment to texts before they are written: the content of a Write, and the new text of an Edit."""

    treat: Treatment
    into: tuple[str, ...] = ("Write", "Edit")

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        named = {"Write": "content", "Edit": "new_string"}[tool] if tool in self.into else ""
        if isinstance(arguments.get(named), str):
            arguments = {**arguments, named: type(self).treat(arguments[named])}
        return self.reference(tool, arguments, interfere)


class TreatingWrites(Treating):
    """Applies the treatment only to the content of a Write."""

    into = ("Write",)


class TreatingInsertions(Treating):
    """Applies the treatment only to the new text of an Edit."""

    into = ("Edit",)


@after_each_edit
def TreatingSurroundings(call: Call, before: bytes) -> None:
    """Treats the rest of the file after an Edit: the text before and after the new text, as a whole or by line."""
    treat: Treatment = type(call.session).treat  # type: ignore[attr-defined]

    def treat_part(text: str) -> str:
        treated = treat(text)
        return treated if treated != text else "\n".join(map(treat, text.split("\n")))

    text = call.path.read_bytes().decode(errors="surrogateescape")
    head, found, tail = text.partition(call.new)
    treated = treat_part(head) + found + treat_part(tail)
    if call.new and found and treated != text:  # a change of only the time would be noticed, too
        call.path.write_bytes(treated.encode(errors="surrogateescape"))


def treating(base: type[Altered], treatment: Treatment) -> type[Altered]:
    return type(base.__name__, (base,), {"treat": staticmethod(treatment), "__doc__": base.__doc__})


PLACES = (TreatingWrites, TreatingInsertions, TreatingSurroundings)


def implementations_by_name() -> dict[str, tuple[type[Altered], str]]:
    """By name: each treatment with each class in `PLACES`, and the scenario that detects it."""
    return {
        f"{what}, {place.__name__}": (treating(place, treatment), by)
        for what, (treatment, by) in TREATMENTS.items()
        for place in PLACES
    }

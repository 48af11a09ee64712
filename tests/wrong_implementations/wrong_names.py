"""Implementations that treat some names or sizes specially: neighbours, keys, formatters, buffers."""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from altered import Altered, AlteredEdit, Arguments
from wrong_contents import Treating
from wrong_exceptions import OpenGate

from readfirst.harness.session import ToolResult

Key = Callable[[str], str]

KEYS: dict[str, tuple[Key, str]] = {
    "composed": (lambda name: unicodedata.normalize("NFC", name), "composed-and-decomposed-names"),
    "compatible": (lambda name: unicodedata.normalize("NFKC", name), "names-of-other-alphabets"),
    "in lower case": (str.lower, "names-in-other-case"),
    "folded": (str.casefold, "names-in-other-case"),
    "with single blanks": (lambda name: " ".join(name.split()), "names-with-dots-and-blanks"),
    "without characters that nobody sees": (
        lambda name: re.sub("[\u200b\u00ad\u2060]", "", name),
        "names-with-unseen-characters",
    ),
    "decoded": (lambda name: unquote(name).replace("+", " "), "names-with-signs"),
    "cut to 240 characters": (lambda name: name[:240], "long-names-that-end-otherwise"),
    "cut to 180 characters": (lambda name: name[:180], "deep-paths-that-end-otherwise"),
    "without folders": (lambda name: name.rpartition("/")[2], "same-name-in-other-folders"),
    "without the last extension": (lambda name: str(Path(name).with_suffix("")), "names-of-one-stem"),
    "as letters alone": (lambda name: re.sub(r"\W", "", name), "names-with-signs"),
}
"""What a path is remembered as, from the workspace on, and the scenario that shows it."""

BESIDE = (
    "{}.tmp", "{}.bak", "{}~", ".{}.swp", "{}.orig", "{}.lock", "{}.new", "{}.old", "{}.part", "~{}",
    "#{}#", ".{}.tmp", "tmp",
)  # fmt: skip
"""Where a tool might put a temporary or a backup file: the neighbour of that name is lost."""

NOT_EDITED = (
    r".*\.tmp",
    r"~.*",
    r"#.*#",
    r"\..*\.swp",
    r".*\.bak",
    r".*\.orig",
    r".*~",
    r"\.#.*",
    r".*\.log",
    r".*\.lock",
)
"""Names that look temporary: such a file is not written, though the answer says so."""

CUTS = {size: f"writes-around-{size}-bytes" for size in (4096, 8192, 16384, 65536)}
"""Sizes of buffers, and the scenario that shows that what is longer arrives whole."""


class Remembers(OpenGate):
    """Remembers the files that it read by a key that several files share."""

    key: Key

    def excepted(self, path: Path, arguments: Arguments) -> bool:
        root = self.workspace.root
        return any(
            type(self).key(str(each.relative_to(root))) == type(self).key(str(path.relative_to(root)))
            for each in self.known
        )


class TakesTheNameBeside(Altered):
    """Writes a file beside the one that is changed and renames it, whatever stood there."""

    form: str

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool != "Read" and not result.is_error:
            path = self.path(arguments)
            path.with_name(type(self).form.format(path.name)).unlink(missing_ok=True)
        return result


class DoesNotWriteNamed(Altered):
    """Takes files of some names for temporary ones, and does not write them."""

    form: str

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        before = path.read_bytes() if path.is_file() else None
        result = self.reference(tool, arguments, interfere)
        if before is not None and tool != "Read" and re.fullmatch(type(self).form, path.name):
            path.write_bytes(before)
        return result


class Cuts(Treating):
    """Writes and inserts no more of a text than a buffer holds."""


class FormatsByName(Altered):
    """Formats JSON files, and ends Markdown files with a newline."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        path = self.path(arguments)
        if tool == "Write" and path.suffix == ".json" and not result.is_error:
            path.write_text(json.dumps(json.loads(path.read_text()), indent=2))
        return result


class EndsFilesByName(AlteredEdit):
    """Ends Markdown, Python and YAML files with a newline."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if path.suffix in (".md", ".py", ".yaml") and not path.read_bytes().endswith(b"\n"):
            path.write_bytes(path.read_bytes() + b"\n")


class MakesScriptsExecutable(Altered):
    """Gives a file that begins as a script the right to be executed."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        path = self.path(arguments)
        if tool != "Read" and path.is_file() and path.read_bytes().startswith(b"#!"):
            path.chmod(path.stat().st_mode | 0o111)
        return result


class GivesMakefilesTabs(Altered):
    """Begins the lines of a Makefile with tabs, and writes scripts of Windows with CRLF."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        if tool == "Write" and path.suffix == ".bat":
            arguments = {**arguments, "content": arguments["content"].replace("\n", "\r\n")}
        return self.reference(tool, arguments, interfere)


class DecodesBlocks(AlteredEdit):
    """Decodes what stands beside an edit in blocks of 4,096 bytes, and spoils the characters across their ends."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        data = path.read_bytes()
        blocks = [data[start : start + 4096] for start in range(0, len(data), 4096)]
        decoded = "".join(block.decode(errors="replace") for block in blocks).encode()
        if decoded != data:
            path.write_bytes(decoded)


class ReplacesAThousand(AlteredEdit):
    """Replaces no more than 1,000 places with replace_all."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if arguments.get("replace_all") is True:
            old, new = (str(arguments[name]).encode() for name in ("old_string", "new_string"))
            path.write_bytes(before.replace(old, new, 1000))


class EditsTheFirstBlock(AlteredEdit):
    """Edits what stands in the first 64 KiB of a file, and says so of the rest."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if before.find(str(arguments["old_string"]).encode()) + len(str(arguments["old_string"])) > 65536:
            path.write_bytes(before)


def of(kind: type[Altered], **attributes: object) -> type[Altered]:
    """Return the implementation of a kind with its key, form or treatment."""
    bound = {name: staticmethod(each) if callable(each) else each for name, each in attributes.items()}
    return type(kind.__name__, (kind,), {**bound, "__doc__": kind.__doc__})

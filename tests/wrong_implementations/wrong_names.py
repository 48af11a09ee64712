"""Implementations that treat files with some names or sizes differently."""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from altered import Altered, Arguments, Call, after_each_call, after_each_edit, before_each_call
from wrong_contents import Treating
from wrong_exceptions import OpenGate
from wrong_reports import DecodesInBlocks

from readfirst.harness.adapter_api import ToolResult

Key = Callable[[str], str]

KEYS: dict[str, tuple[Key, str]] = {
    "composed": (lambda name: unicodedata.normalize("NFC", name), "composed-and-decomposed-names"),
    "compatible": (lambda name: unicodedata.normalize("NFKC", name), "names-of-other-alphabets"),
    "in lower case": (str.lower, "names-in-other-case"),
    "folded": (str.casefold, "names-in-other-case"),
    "with single spaces": (lambda name: " ".join(name.split()), "names-with-dots-and-spaces"),
    "without invisible characters": (
        lambda name: re.sub("[\u200b\u00ad\u2060]", "", name),
        "names-with-unseen-characters",
    ),
    "decoded": (lambda name: unquote(name).replace("+", " "), "names-with-signs"),
    "cut to 240 characters": (lambda name: name[:240], "long-names-that-end-otherwise"),
    "cut to 180 characters": (lambda name: name[:180], "deep-paths-that-end-otherwise"),
    "without folders": (lambda name: name.rpartition("/")[2], "same-name-in-other-folders"),
    "without the last extension": (lambda name: str(Path(name).with_suffix("")), "names-of-one-stem"),
    "only with its letters and digits": (lambda name: re.sub(r"\W", "", name), "names-with-signs"),
}
"""Functions that map different files to the same key, each with the scenario that detects this."""

TEMPORARY_NAMES = (
    "{}.tmp", "{}.bak", "{}~", ".{}.swp", "{}.orig", "{}.lock", "{}.new", "{}.old", "{}.part", "~{}",
    "#{}#", ".{}.tmp", "tmp",
)  # fmt: skip
"""A tool that uses such a name for its own files would overwrite the user's file."""

SKIPPED_NAMES = (
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

CUTS = {size: f"writes-around-{size}-bytes" for size in (4096, 8192, 16384, 65536)}
"""Sizes of buffers in bytes, each with a scenario that writes a longer text."""


class SharesKeys(OpenGate):
    """Identifies files by a key that several files can share, so that a Read of one file counts for another."""

    key: Key

    def is_excepted(self, path: Path, arguments: Arguments) -> bool:
        root = self.workspace.root
        return any(
            type(self).key(str(each.relative_to(root))) == type(self).key(str(path.relative_to(root)))
            for each in self.known
        )


class OverwritesTemporaryNames(Altered):
    """Renames a temporary file to the target, and so destroys a file that already has the temporary name."""

    pattern: str

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool != "Read" and not result.is_error:
            path = self.path(arguments)
            path.with_name(self.pattern.format(path.name)).unlink(missing_ok=True)
        return result


class SkipsTemporaryNames(Altered):
    """Does not write files with names that look temporary, but reports success."""

    pattern: str

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        before = path.read_bytes() if path.is_file() else None
        result = self.reference(tool, arguments, interfere)
        if before is not None and tool != "Read" and re.fullmatch(self.pattern, path.name):
            path.write_bytes(before)
        return result


class Cuts(Treating):
    """Writes and inserts only the part of a text that fits into a buffer."""


@after_each_call
def FormatsJsonFiles(call: Call, answer: ToolResult) -> None:
    """Formats a JSON file after each Write."""
    if call.tool == "Write" and call.path.suffix == ".json" and not answer.is_error:
        call.path.write_text(json.dumps(json.loads(call.path.read_text()), indent=2))


@after_each_edit
def EndsFilesWithNewlines(call: Call, before: bytes) -> None:
    """Adds a newline at the end of Markdown, Python and YAML files."""
    if call.path.suffix in (".md", ".py", ".yaml") and not call.path.read_bytes().endswith(b"\n"):
        call.path.write_bytes(call.path.read_bytes() + b"\n")


@after_each_call
def MakesScriptsExecutable(call: Call, answer: ToolResult) -> None:
    """Makes a file executable if it begins with `#!`."""
    if call.tool != "Read" and call.path.is_file() and call.path.read_bytes().startswith(b"#!"):
        call.path.chmod(call.path.stat().st_mode | 0o111)


@before_each_call
def WritesBatchFilesWithCrlf(call: Call) -> ToolResult | None:
    """Writes Windows batch files with CRLF."""
    if call.tool == "Write" and call.path.suffix == ".bat":
        return call.execute(content=call.content.replace("\n", "\r\n"))
    return None


@after_each_edit
def ReplacesAThousand(call: Call, before: bytes) -> None:
    """With replace_all, replaces only the first 1,000 matches."""
    if call.arguments.get("replace_all") is True:
        call.path.write_bytes(before.replace(call.old.encode(), call.new.encode(), 1000))


@after_each_edit
def EditsTheFirstBlock(call: Call, before: bytes) -> None:
    """Ignores an Edit beyond the first 64 KiB of a file, but reports success."""
    if before.find(call.old.encode()) + len(call.old) > 65536:
        call.path.write_bytes(before)


def with_attributes(kind: type[Altered], **attributes: object) -> type[Altered]:
    bound = {name: staticmethod(each) if callable(each) else each for name, each in attributes.items()}
    return type(kind.__name__, (kind,), {**bound, "__doc__": kind.__doc__})


def implementations_by_name() -> dict[str, tuple[type[Altered], str]]:
    return {
        **{f"keys {what}": (with_attributes(SharesKeys, key=key), by) for what, (key, by) in KEYS.items()},
        **{
            f"writes to {pattern}": (
                with_attributes(OverwritesTemporaryNames, pattern=pattern),
                "neighbours-with-names-of-temporary-files",
            )
            for pattern in TEMPORARY_NAMES
        },
        **{
            f"does not write {pattern}": (
                with_attributes(SkipsTemporaryNames, pattern=pattern),
                "more-temporary-looking-names" if index > 5 else "temporary-looking-names",
            )
            for index, pattern in enumerate(SKIPPED_NAMES)
        },
        **{
            f"cuts at {size}": (with_attributes(Cuts, treat=lambda text, size=size: text[:size]), by)
            for size, by in CUTS.items()
        },
        "FormatsJsonFiles": (FormatsJsonFiles, "names-that-call-for-a-formatter"),
        "EndsFilesWithNewlines": (EndsFilesWithNewlines, "names-that-call-for-a-formatter"),
        "MakesScriptsExecutable": (MakesScriptsExecutable, "scripts"),
        "WritesBatchFilesWithCrlf": (WritesBatchFilesWithCrlf, "names-that-call-for-other-rights"),
        "DecodesInBlocks": (DecodesInBlocks, "edit-across-byte-8192"),
        "ReplacesAThousand": (ReplacesAThousand, "replace-all-beyond-a-thousand"),
        "EditsTheFirstBlock": (EditsTheFirstBlock, "edit-across-byte-65536"),
    }

"""Implementations that refuse, undo or repair a change because of the form of its text or of its file."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

from altered import Altered, Arguments, Call, afterwards, instead

from readfirst.harness.adapter_api import ToolResult

Look = Callable[[Path, str, str], bool]
"""A predicate for refusing a change. Parameters: the path in the workspace, the text before, and the text after."""


class Refuses(Altered):
    """Refuses a change whose result matches `look`. With `takes_back`, the answer says that the change was undone."""

    look: ClassVar[Look]
    takes_back = False

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        if tool not in ("Edit", "Write") or not path.is_file():
            return self.reference(tool, arguments, interfere)
        before = path.read_bytes()
        result = self.reference(tool, arguments, interfere)
        after = path.read_bytes() if path.is_file() else b""
        shown = (each.decode(errors="replace") for each in (before, after))
        if result.is_error or not type(self).look(path.relative_to(self.workspace.root), *shown):
            return result
        path.write_bytes(before)
        words = "The change was taken back." if self.takes_back else "The change is refused."
        return ToolResult(words, True)


def parses_not(parse: Callable[[str], object], suffix: str) -> Look:
    """Return a predicate: the path has this suffix, and the new text cannot be parsed."""

    def look(path: Path, before: str, after: str) -> bool:
        if path.suffix != suffix:
            return False
        try:
            parse(after)
        except (SyntaxError, ValueError):
            return True
        return False

    return look


def has(pattern: str, *, anew: bool = False) -> Look:
    """Return a predicate: a pattern occurs in the new text. With `anew`, it must not occur in the old text."""
    compiled = re.compile(pattern, re.MULTILINE)

    def look(path: Path, before: str, after: str) -> bool:
        return bool(compiled.search(after)) and not (anew and compiled.search(before))

    return look


def had(pattern: str) -> Look:
    """Return a predicate: a pattern occurs in the old text."""
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda path, before, after: bool(compiled.search(before))


def matches_path(pattern: str) -> Look:
    """Return a predicate: a pattern occurs in the path."""
    compiled = re.compile(pattern)
    return lambda path, before, after: bool(compiled.search(path.as_posix()))


def is_unbalanced(path: Path, before: str, after: str) -> bool:
    """Whether brackets in the new text are not balanced."""
    return any(after.count(left) != after.count(right) for left, right in ("()", "[]", "{}"))


def shrinks(path: Path, before: str, after: str) -> bool:
    """Whether the new text is less than half as long as an old text of more than 200 characters."""
    return len(before) > 200 and len(after) < len(before) / 2


def grows(path: Path, before: str, after: str) -> bool:
    """Whether the new text has over a hundred lines more than the old text."""
    return after.count("\n") > before.count("\n") + 100


def has_long_lines(path: Path, before: str, after: str) -> bool:
    """Whether the new text has a line of more than 200 characters."""
    return any(len(line) > 200 for line in after.split("\n"))


def repeats_lines(path: Path, before: str, after: str) -> bool:
    """Whether the same line occurs more than thirty times in the new text."""
    lines = after.split("\n")
    return any(lines.count(line) > 30 for line in {*lines} if line)


def changes_only(fold: Callable[[str], str]) -> Look:
    """Return a predicate: the text has changed, but `fold` makes the old and the new text equal."""
    return lambda path, before, after: before != after and fold(before) == fold(after)


LOOKS: Mapping[str, tuple[Look, str]] = {
    "Python that does not parse": (parses_not(ast.parse, ".py"), "python-that-does-not-parse"),
    "JSON that does not parse": (parses_not(json.loads, ".json"), "json-that-does-not-parse"),
    "TOML that does not parse": (parses_not(tomllib.loads, ".toml"), "toml-that-does-not-parse"),
    "XML that does not parse": (parses_not(ElementTree.fromstring, ".xml"), "xml-that-does-not-parse"),
    "YAML that does not parse": (
        lambda path, _before, after: path.suffix == ".yml" and after.count("{") != after.count("}"),
        "yaml-that-does-not-parse",
    ),
    "underlined headings": (has("^={7}$"), "underlined-heading"),
    "texts beyond ASCII": (
        lambda _path, _before, after: sum(each > "\x7f" for each in after) > 0.3 * len(after),
        "text-beyond-ascii",
    ),
    "open brackets": (is_unbalanced, "code-with-open-brackets"),
    "odd quotes": (lambda _path, _before, after: after.count("'") % 2 == 1, "unclosed-quote"),
    "unequal indentation": (has(r"^ ?\S+:.*\n^   \S", anew=True), "yaml-with-wrong-indentation"),
    "a much shorter text": (shrinks, "an-edit-that-takes-nearly-all"),
    "a much longer text": (grows, "one-line-becomes-many"),
    "an empty text": (lambda _path, _before, after: not after, "nothing-is-left"),
    "marks of omission": (has(r"\.\.\. (existing|rest)|rest of the"), "ellipsis-of-the-rest"),
    "words of omission": (has(r"\(unchanged\)|truncated"), "words-for-the-rest"),
    "tags of reminders": (has("<system-reminder>", anew=True), "tags-of-reminders"),
    "tags of reminders in a file": (had("<system-reminder>"), "reminder-in-the-file"),
    "generated code": (had("DO NOT EDIT"), "header-of-generated-code"),
    "code marked as generated": (had("@generated"), "mark-of-generated-code"),
    "managed files": (had("managed by"), "file-that-a-program-manages"),
    "locks of npm": (matches_path(r"package-lock\.json$"), "lock-of-npm"),
    "locks of others": (matches_path(r"\.lock$"), "lock-of-yarn"),
    "minified code": (has_long_lines, "minified-code"),
    "minified names": (matches_path(r"\.min\.js$"), "minified-code"),
    "installed packages": (matches_path("node_modules/"), "file-of-a-package"),
    "builds": (matches_path("^dist/"), "file-of-a-build"),
    "virtual environments": (matches_path(r"^\.venv/"), "file-of-a-virtual-environment"),
    "merge markers that stay": (had("^<{7} "), "merge-markers-stay"),
    "merge markers that come": (has("^<{7} ", anew=True), "merge-markers-come"),
    "binary texts": (has("\0", anew=False), "bytes-of-a-binary-file"),
    "base64": (has(r"[A-Za-z0-9+/]{200}"), "text-in-base64"),
    "tests that go": (had("assert f"), "test-that-goes"),
    "skipped tests": (has("mark.skip"), "test-that-goes"),
    "unfinished code": (has("NotImplementedError|placeholder"), "unfinished-code"),
    "doubled escapes": (has(r"\\\\[nt]", anew=True), "escapes-that-look-wrong"),
    "repeated lines": (repeats_lines, "same-line-many-times"),
    "tabs and spaces": (has(r"^ +\t", anew=True), "indentation-of-both-kinds"),
    "a Makefile without tabs": (
        lambda path, _before, after: path.name == "Makefile" and "\n\t" not in after,
        "spaces-in-a-makefile",
    ),
    "whitespace alone": (changes_only(lambda text: re.sub(r"\s", "", text)), "only-whitespace-changes"),
    "case alone": (changes_only(str.lower), "change-of-case"),
    "instructions": (matches_path("AGENTS"), "instructions-to-models"),
    "attacks": (has(r"rm -rf|\| sh"), "words-of-attacks"),
    "licenses": (matches_path("^LICENSE"), "license"),
    "migrations": (matches_path("^migrations/"), "migration"),
    "ignored files": (matches_path("^build/"), "ignored-by-git"),
    "comments in place of code": (has("^# run", anew=True), "comment-instead-of-code"),
    "imports again": (has(r"import os\n(.*\n)*import os", anew=True), "same-line-again"),
}
"""The predicates by name, each with the slug of the scenario that detects the refusal."""


@instead
def SaysItIsApplied(call: Call) -> ToolResult | None:
    """Answers that an Edit was already made if its new text occurs in the file."""
    applied = call.tool == "Edit" and call.path.is_file() and f"{call.new}\n" in call.path.read_text()
    return ToolResult("This change was made already.") if applied else None


def is_configured(call: Call, name: str, words: str) -> bool:
    """Whether a call is an Edit or Write of a file, and the settings file `name` in the workspace contains `words`."""
    settings = call.session.workspace.root / name
    return (
        call.tool != "Read" and settings.is_file() and words in settings.read_text() and call.path.is_file()
    )


@afterwards
def ObeysEditorConfig(call: Call, result: ToolResult) -> None:
    """Ends files with a newline if .editorconfig requires it."""
    if is_configured(call, ".editorconfig", "insert_final_newline = true"):
        call.path.write_text(call.path.read_text().rstrip("\n") + "\n")


@afterwards
def ObeysAttributes(call: Call, result: ToolResult) -> None:
    """Writes CRLF if .editorconfig or .gitattributes require it."""
    if any(is_configured(call, name, "crlf") for name in (".editorconfig", ".gitattributes")):
        call.path.write_bytes(call.path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


OTHERS: Mapping[str, tuple[type[Altered], str]] = {
    "says that it is applied": (SaysItIsApplied, "already-applied"),
    "obeys .editorconfig": (ObeysEditorConfig, "editor-config-of-final-newlines"),
    "obeys .editorconfig in line ends": (ObeysAttributes, "editor-config-of-line-ends"),
    "obeys .gitattributes": (ObeysAttributes, "attributes-of-line-ends"),
}


def every() -> dict[str, tuple[type[Altered], str]]:
    """Return the implementations by name, each with the scenario about its mistake."""
    found = {
        f"refuses {name}": (
            type("Refuses", (Refuses,), {"look": staticmethod(look), "takes_back": number % 2 == 1}),
            f"looks/{slug}",
        )
        for number, (name, (look, slug)) in enumerate(LOOKS.items())
    }
    return {**found, **{name: (kind, f"looks/{slug}") for name, (kind, slug) in OTHERS.items()}}

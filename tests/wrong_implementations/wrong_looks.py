"""Implementations that refuse, undo or repair a change because of the form of the text or of the file."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

from altered import Altered, Arguments, Call, after_each_call, before_each_call

from readfirst.harness.adapter_api import ToolResult

Predicate = Callable[[Path, str, str], bool]
"""Whether a change is refused, from the path, the text before, and the text after."""


class Refuses(Altered):
    """Refuses a change if `is_refused` returns true. With `undoes`, it makes and undoes the change first."""

    is_refused: ClassVar[Predicate]
    undoes = False

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        if tool not in ("Edit", "Write") or not path.is_file():
            return self.reference(tool, arguments, interfere)
        before = path.read_bytes()
        result = self.reference(tool, arguments, interfere)
        after = path.read_bytes() if path.is_file() else b""
        shown = (each.decode(errors="replace") for each in (before, after))
        if result.is_error or not type(self).is_refused(path.relative_to(self.workspace.root), *shown):
            return result
        path.write_bytes(before)
        words = "The change was undone." if self.undoes else "The change is refused."
        return ToolResult(words, True)


def is_unparsable(parse: Callable[[str], object], suffix: str) -> Predicate:
    """The path ends with this suffix, and the new text cannot be parsed."""

    def look(path: Path, before: str, after: str) -> bool:
        if path.suffix != suffix:
            return False
        try:
            parse(after)
        except (SyntaxError, ValueError):
            return True
        return False

    return look


def contains(pattern: str, *, new_only: bool = False) -> Predicate:
    """The pattern occurs in the new text and, with `new_only`, not in the old text."""
    compiled = re.compile(pattern, re.MULTILINE)

    def look(path: Path, before: str, after: str) -> bool:
        return bool(compiled.search(after)) and not (new_only and compiled.search(before))

    return look


def contained(pattern: str) -> Predicate:
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda path, before, after: bool(compiled.search(before))


def matches_path(pattern: str) -> Predicate:
    compiled = re.compile(pattern)
    return lambda path, before, after: bool(compiled.search(path.as_posix()))


def is_unbalanced(path: Path, before: str, after: str) -> bool:
    return any(after.count(left) != after.count(right) for left, right in ("()", "[]", "{}"))


def is_much_shorter(path: Path, before: str, after: str) -> bool:
    """Whether the old text has more than 200 characters and the new text is less than half as long."""
    return len(before) > 200 and len(after) < len(before) / 2


def is_much_longer(path: Path, before: str, after: str) -> bool:
    return after.count("\n") > before.count("\n") + 100


def has_long_lines(path: Path, before: str, after: str) -> bool:
    return any(len(line) > 200 for line in after.split("\n"))


def repeats_lines(path: Path, before: str, after: str) -> bool:
    lines = after.split("\n")
    return any(lines.count(line) > 30 for line in {*lines} if line)


def changes_only(fold: Callable[[str], str]) -> Predicate:
    """The text has changed, but `fold` returns equal texts for the old and the new one."""
    return lambda path, before, after: before != after and fold(before) == fold(after)


PREDICATES: Mapping[str, tuple[Predicate, str]] = {
    "Python that does not parse": (is_unparsable(ast.parse, ".py"), "python-that-does-not-parse"),
    "JSON that does not parse": (is_unparsable(json.loads, ".json"), "json-that-does-not-parse"),
    "TOML that does not parse": (is_unparsable(tomllib.loads, ".toml"), "toml-that-does-not-parse"),
    "XML that does not parse": (is_unparsable(ElementTree.fromstring, ".xml"), "xml-that-does-not-parse"),
    "YAML that does not parse": (
        lambda path, _before, after: path.suffix == ".yml" and after.count("{") != after.count("}"),
        "yaml-that-does-not-parse",
    ),
    "underlined headings": (contains("^={7}$"), "underlined-heading"),
    "texts beyond ASCII": (
        lambda _path, _before, after: sum(each > "\x7f" for each in after) > 0.3 * len(after),
        "text-beyond-ascii",
    ),
    "open brackets": (is_unbalanced, "code-with-open-brackets"),
    "odd quotes": (lambda _path, _before, after: after.count("'") % 2 == 1, "unclosed-quote"),
    "unequal indentation": (contains(r"^ ?\S+:.*\n^   \S", new_only=True), "yaml-with-wrong-indentation"),
    "a much shorter text": (is_much_shorter, "an-edit-that-takes-nearly-all"),
    "a much longer text": (is_much_longer, "one-line-becomes-many"),
    "an empty text": (lambda _path, _before, after: not after, "nothing-is-left"),
    "marks of omission": (contains(r"\.\.\. (existing|rest)|rest of the"), "ellipsis-of-the-rest"),
    "words of omission": (contains(r"\(unchanged\)|truncated"), "words-for-the-rest"),
    "tags of reminders": (contains("<system-reminder>", new_only=True), "tags-of-reminders"),
    "tags of reminders in a file": (contained("<system-reminder>"), "reminder-in-the-file"),
    "generated code": (contained("DO NOT EDIT"), "header-of-generated-code"),
    "code marked as generated": (contained("@generated"), "mark-of-generated-code"),
    "managed files": (contained("managed by"), "file-that-a-program-manages"),
    "locks of npm": (matches_path(r"package-lock\.json$"), "lock-of-npm"),
    "locks of others": (matches_path(r"\.lock$"), "lock-of-yarn"),
    "minified code": (has_long_lines, "minified-code"),
    "minified names": (matches_path(r"\.min\.js$"), "minified-code"),
    "installed packages": (matches_path("node_modules/"), "file-of-a-package"),
    "builds": (matches_path("^dist/"), "file-of-a-build"),
    "virtual environments": (matches_path(r"^\.venv/"), "file-of-a-virtual-environment"),
    "merge markers that stay": (contained("^<{7} "), "merge-markers-stay"),
    "merge markers that come": (contains("^<{7} ", new_only=True), "merge-markers-come"),
    "binary texts": (contains("\0", new_only=False), "bytes-of-a-binary-file"),
    "base64": (contains(r"[A-Za-z0-9+/]{200}"), "text-in-base64"),
    "tests that go": (contained("assert f"), "test-that-goes"),
    "skipped tests": (contains("mark.skip"), "test-that-goes"),
    "unfinished code": (contains("NotImplementedError|placeholder"), "unfinished-code"),
    "doubled escapes": (contains(r"\\\\[nt]", new_only=True), "escapes-that-look-wrong"),
    "repeated lines": (repeats_lines, "same-line-many-times"),
    "tabs and spaces": (contains(r"^ +\t", new_only=True), "indentation-of-both-kinds"),
    "a Makefile without tabs": (
        lambda path, _before, after: path.name == "Makefile" and "\n\t" not in after,
        "spaces-in-a-makefile",
    ),
    "whitespace alone": (changes_only(lambda text: re.sub(r"\s", "", text)), "only-whitespace-changes"),
    "case alone": (changes_only(str.lower), "change-of-case"),
    "instructions": (matches_path("AGENTS"), "instructions-to-models"),
    "attacks": (contains(r"rm -rf|\| sh"), "words-of-attacks"),
    "licenses": (matches_path("^LICENSE"), "license"),
    "migrations": (matches_path("^migrations/"), "migration"),
    "ignored files": (matches_path("^build/"), "ignored-by-git"),
    "comments in place of code": (contains("^# run", new_only=True), "comment-instead-of-code"),
    "imports again": (contains(r"import os\n(.*\n)*import os", new_only=True), "same-line-again"),
}
"""By name: the predicate, and the scenario that detects the refusal."""


@before_each_call
def SaysItIsApplied(call: Call) -> ToolResult | None:
    """Reports that an Edit was already made if its new text occurs in the file."""
    applied = call.tool == "Edit" and call.path.is_file() and f"{call.new}\n" in call.path.read_text()
    return ToolResult("This change was made already.") if applied else None


def is_configured(call: Call, name: str, words: str) -> bool:
    """Whether a call is an Edit or a Write, and the settings file `name` contains `words`."""
    settings = call.session.workspace.root / name
    return (
        call.tool != "Read" and settings.is_file() and words in settings.read_text() and call.path.is_file()
    )


@after_each_call
def ObeysEditorConfig(call: Call, result: ToolResult) -> None:
    """Adds a newline at the end of a file if .editorconfig requires it."""
    if is_configured(call, ".editorconfig", "insert_final_newline = true"):
        call.path.write_text(call.path.read_text().rstrip("\n") + "\n")


@after_each_call
def ObeysAttributes(call: Call, result: ToolResult) -> None:
    """Writes CRLF if .editorconfig or .gitattributes requires it."""
    if any(is_configured(call, name, "crlf") for name in (".editorconfig", ".gitattributes")):
        call.path.write_bytes(call.path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


OTHERS: Mapping[str, tuple[type[Altered], str]] = {
    "says that it is applied": (SaysItIsApplied, "already-applied"),
    "obeys .editorconfig": (ObeysEditorConfig, "editor-config-of-final-newlines"),
    "obeys .editorconfig in line ends": (ObeysAttributes, "editor-config-of-line-ends"),
    "obeys .gitattributes": (ObeysAttributes, "attributes-of-line-ends"),
}
"""Implementations that alter or skip a change instead of refusing it, by name, each with its scenario."""


def implementations_by_name() -> dict[str, tuple[type[Altered], str]]:
    found = {
        f"refuses {name}": (
            type("Refuses", (Refuses,), {"is_refused": staticmethod(predicate), "undoes": number % 2 == 1}),
            f"looks/{slug}",
        )
        for number, (name, (predicate, slug)) in enumerate(PREDICATES.items())
    }
    return {**found, **{name: (kind, f"looks/{slug}") for name, (kind, slug) in OTHERS.items()}}

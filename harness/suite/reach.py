"""Reach: refuses what would let a scenario run a program that is not listed, or touch what is not the session's own."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from readfirst.harness.session import BASH
from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath
from readfirst.harness.suite.commands import CommandError, parse_command
from readfirst.harness.suite.entry import Entry, HardLink, Symlink
from readfirst.harness.suite.scenario import WorldEvent
from readfirst.harness.suite.spelling import (
    HOME,
    ROOT,
    is_passed_over,
    is_plainly_spelled,
    path_base,
    spelling_problem,
    split_path,
)

_MOST_STEPS = 500
_MOST_LINKS = 1000


class Links:
    """No link is ever forgotten, and each may or may not be there: what is found to stay inside does so at any time.

    Names that a file system may take for the same, in other letter case, another Unicode form or with what nobody
    sees, are the same here.
    """

    def __init__(self) -> None:
        self._targets: dict[tuple[str, ...], set[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._targets)

    def add(self, path: str, target: str) -> None:
        """Take note of a link."""
        self._targets.setdefault(_parts(path), set()).add(target)

    def rename(self, old: str, new: str) -> None:
        """Take note that the link at `old`, and all below it, may be at `new` now."""
        was, becomes = _parts(old), _parts(new)
        if len(self._targets) > _MOST_LINKS:  # each rename may double them; where they are is not known then
            self.add(new, "/")
            return
        for place, targets in list(self._targets.items()):
            if place[: len(was)] == was:
                self._targets.setdefault((*becomes, *place[len(was) :]), set()).update(targets)

    def escaping(self) -> Iterator[str]:
        """Yield every link that may lead out of the workspace, directly or by way of another link."""
        for place in self._targets:
            path = "/".join(place)
            if self.leaves(path):
                yield path

    def passed_by(self, path: str) -> bool:
        """Whether a folder of `path` may be a link."""
        parts = _parts(path)
        return any(parts[:end] in self._targets for end in range(1, len(parts)))

    def leaves(self, path: str, directory: str = "") -> bool:
        """Whether `path`, relative to a folder of the workspace, may lead out of it.

        Walks as the system does, one part after the other, and where a link may be, both by it and past it.
        """
        parts = tuple(_fold(part) for part in (*directory.split("/"), *path.split("/")))
        pending: list[tuple[tuple[str, ...], tuple[str, ...]]] = [((), parts)]
        seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        while pending:
            state = pending.pop()
            if state in seen:
                continue
            seen.add(state)
            if len(seen) > _MOST_STEPS:
                return True
            place, parts = state
            if not parts:
                continue
            part, rest = parts[0], parts[1:]
            if part in ("", "."):
                pending.append((place, rest))
            elif part == "..":
                if not place:
                    return True
                pending.append((place[:-1], rest))
            else:
                there = (*place, part)
                pending.append((there, rest))
                for target in self._targets.get(there, ()):
                    if target != "$WS" and not target.startswith("$WS/"):
                        if target.startswith("/") or "$WS" in target:
                            return True
                        pending.append((place, (*map(_fold, target.split("/")), *rest)))
                    elif "$WS" in target[3:]:
                        return True
                    else:
                        pending.append(((), (*map(_fold, target[3:].split("/")), *rest)))
        return False


def _parts(path: str) -> tuple[str, ...]:
    return tuple(_fold(part) for part in path.split("/"))


def _fold(part: str) -> str:
    """Return what is equal for names that may be the same; nothing is made of it that is several, or no name."""
    if part.isascii():
        return part.lower()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", part).casefold())
    folded = "".join(each for each in folded if not is_passed_over(each))
    return part if "/" in folded or folded in ("", ".", "..") else folded


_TEXTS = frozenset({"content", "old_string", "new_string", "new_source"})
"""Arguments that no implementation takes for a path."""
_NOT_HOME = frozenset("$abcdefghijklmnopqrstuvwxyz")
_BASH_ARGUMENTS = ("command", "description")
_MENTIONED = re.compile(r"[\w./-]+")
_PATTERN = re.compile(r"\w+\((.*)\)", re.DOTALL)


class Reach:
    """What one scenario may touch, gathered while it is read; `finish` says what only all of it shows.

    `outside`: it is one of those that may name paths outside the workspace (`outside.OUTSIDE`).
    """

    def __init__(self, look: Inspection, *, outside: bool) -> None:
        self._look = look
        self._outside = outside
        self._links = Links()
        self._linked: YamlPath = ()
        self._made: dict[str, YamlPath] = {}
        self._climbing: list[tuple[YamlPath, str]] = []
        self._commands: list[YamlPath] = []
        self._at_home: list[YamlPath] = []
        self._for_all: list[YamlPath] = []

    def files(self, files: Mapping[str, Entry]) -> None:
        """Take note of the links among the given files."""
        for path, entry in files.items():
            place = ("given", "files", path)
            if isinstance(entry, Symlink):
                self._add_link(path, entry.target, (*place, "symlink"))
            elif isinstance(entry, HardLink):
                self._linked = self._linked or (*place, "hardlink")
        for path in files if self._links else ():
            self._check_way(path, ("given", "files", path), rule="path-conflict")

    def event(self, event: WorldEvent, place: YamlPath) -> None:
        """Take note of what an event does to links."""
        if isinstance(event.entry, Symlink):
            self._add_link(event.path, event.entry.target, place)
        elif event.kind == "rename" and event.to is not None:
            self._links.rename(event.path, event.to)
        for path in (event.path, event.to or ""):
            self._check_way(path, place)

    def call(self, place: YamlPath, tool: str, arguments: Mapping[str, Any]) -> None:
        """Check the arguments of a call."""
        if tool == BASH:
            self._command(place, arguments)
        else:
            self.arguments(place, arguments)

    def arguments(self, place: YamlPath, arguments: Mapping[str, Any]) -> None:
        """Check what a call or hook hands to a tool: every string but its texts may be taken for a path."""
        for at, path in _strings(place, arguments):
            if path[:1] not in _NOT_HOME and path_base(path) == HOME:
                self._at_home.append(at)
            problem = None if self._outside else spelling_problem(path)
            if problem is not None:
                fix = "Begin it with $WS/ or ~/ and stay inside, spelled plainly."
                message = f"the argument {path[:80]!r} {problem}"
                self._look.note(at, message, fix, rule="call-outside-workspace")
            elif ".." in path:
                self._climbing.append((at, path))

    def git(self, place: YamlPath) -> None:
        """Take note of a command of git, which brings back what was somewhere earlier."""
        self._commands.append(place)

    def mention(self, place: YamlPath, path: str) -> None:
        """Check a path that a user mentions among words, where a space ends it and `@` begins another."""
        if _MENTIONED.fullmatch(path) is None:
            fix = "Mention a file whose name has no spaces and signs."
            self._look.note(
                place, f"the mention {path[:80]!r} may be read as several", fix, rule="unsafe-path"
            )

    def hook_input(self, place: YamlPath, tools: str, arguments: Mapping[str, Any]) -> None:
        """Check the arguments that a hook puts in place of the model's, for the tools that it matches."""
        if "command" in arguments or BASH in tools.split("|"):
            self._command(place, arguments)
        else:
            self.arguments(place, arguments)
        if tools == "*" and "command" not in arguments:
            self._for_all.append(place)

    def rules(self, place: YamlPath, rules: Iterable[str]) -> None:
        """Check the patterns of permission rules."""
        for number, rule in enumerate(rules):
            found = _PATTERN.fullmatch(rule)
            pattern = re.sub(r"\\(.)", r"\1", found[1]).lstrip("! ") if found else ""
            pattern = re.sub(r"^(?:\*+/)+", "", pattern)
            if pattern.startswith("/$WS/") or (pattern[:1] == "/" and pattern[1:2] != "/"):
                pattern = pattern[1:]
            problem = None if self._outside else spelling_problem(pattern)
            if problem is not None:
                fix = "Write it relative to the workspace, or begin it with /$WS/ or ~/."
                message = f"the rule {rule[:80]!r} {problem}"
                self._look.note((*place, number), message, fix, rule="call-outside-workspace")

    def finish(self, working_directory: str, *, hooked: bool) -> None:
        """Note what only all of the scenario shows: where links lead, and what goes through them.

        `hooked`: it has hooks.
        """
        for link in self._links.escaping():
            fix = "Let its target begin with $WS/, or be relative and stay inside."
            place = self._made.get(link, self._linked)
            message = f"the symbolic link {link!r} leads out of the workspace"
            self._look.note(place, message, fix, rule="symlink-escapes")
        for at, path in self._climbing if self._links else ():
            if self._climbs_by_a_link(path, working_directory):
                fix = "Name the file without '..'."
                message = f"the argument {path[:80]!r} may leave the workspace by way of a symbolic link"
                self._look.note(at, message, fix, rule="call-outside-workspace")
        for at in self._commands if self._linked else ():
            fix = "Leave out the links, or do with calls what the command does."
            message = "a scenario that runs commands has no links, which they could move or copy"
            self._look.note(at, message, fix, rule="unsafe-command")
        for at in self._for_all if self._commands else ():
            fix = "Name the tools that the hook is for, without Bash."
            self._look.note(at, "the hook gives commands other arguments", fix, rule="unsafe-command")
        for at in self._at_home if self._commands or hooked else ():
            fix = "Use a file of the workspace: a shell reads its settings at home."
            message = "a scenario that runs commands or hooks names no file at home"
            self._look.note(at, message, fix, rule="unsafe-command")

    def _climbs_by_a_link(self, path: str, working_directory: str) -> bool:
        base, rest = split_path(path)
        if base == HOME or rest is None:
            return False
        directories = {"", working_directory} if base != ROOT else {""}
        return not is_plainly_spelled(path) or any(self._links.leaves(rest, each) for each in directories)

    def _check_way(self, path: str, place: YamlPath, *, rule: str = "symlink-escapes") -> None:
        if self._links.passed_by(path):
            message = f"{path!r} is reached through a symbolic link"
            self._look.note(place, message, "Name it by its own path.", rule=rule, key=True)

    def _add_link(self, path: str, target: str, place: YamlPath) -> None:
        self._links.add(path, target)
        self._made.setdefault(path.casefold(), place)
        self._linked = self._linked or place

    def _command(self, place: YamlPath, arguments: Mapping[str, Any]) -> None:
        self._commands.append(place)
        for key in arguments:
            if key not in _BASH_ARGUMENTS:
                fix = "Leave it out: command and description are all that a command needs."
                self._look.note(
                    (*place, key), f"a command has no {key!r}", fix, rule="unsafe-command", key=True
                )
        command, at = arguments.get("command"), (*place, "command")
        if not isinstance(command, str):
            fix = "Write it as one string."
            self._look.note(place, "the command is no string", fix, rule="unsafe-command")
            return
        try:
            parse_command(command)
        except CommandError as error:
            self._look.note(at, f"the command {error}", error.fix, rule="unsafe-command")


def _strings(place: YamlPath, value: Any, name: str = "") -> Iterator[tuple[YamlPath, str]]:
    """Yield every string in arguments, but for the texts; names of arguments, too."""
    match value:
        case str() if name not in _TEXTS:
            yield place, value
            for nested in _decoded(value):
                for _, text in _strings(place, nested, name):
                    yield place, text
        case Mapping():
            for key, item in value.items():
                yield place, key
                yield from _strings((*place, key), item, key)
        case list() | tuple():
            for number, item in enumerate(value):
                yield from _strings((*place, number), item, name)


def _decoded(text: str) -> Iterator[Any]:
    """Yield what an implementation gets that decodes an argument: lists and mappings are often sent as text."""
    if text.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            yield json.loads(text)

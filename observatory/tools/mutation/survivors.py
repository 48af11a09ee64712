"""Read the list of accepted surviving mutants, each with a reason, and the list of code that is not mutated."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutants import Key, Mutant, described

from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError
from readfirst.harness.yaml_io.strict_yaml import load, read
from readfirst.harness.yaml_io.yaml_validation import Inspection, Node

KINDS = {
    "equivalent": "no tool call behaves differently with the changed code",
    "a scenario to add": "a call behaves differently, but no scenario makes this call; the reason describes the call",
}
"""The kinds of reasons to accept a surviving mutant, each with its meaning."""


class SurvivorsError(SuiteError):
    """The file survivors.yaml or exceptions.yaml is invalid."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Code that is not mutated: the module, class or function `where` or, if `is_argument`, an argument's values."""

    where: str
    because: str
    position: Position
    is_argument: bool = False

    def holds(self, mutant: Mutant) -> bool:
        """Whether a mutant changes only this part of the code. Such a mutant is not tested."""
        if self.is_argument:
            return self.where in mutant.within or self._without(mutant.before) == self._without(mutant.after)
        return f"{mutant.where}.".startswith(f"{self.where}.")

    def _without(self, text: str) -> str:
        return re.sub(rf'\b{self.where}=((?:"[^"\n]*"\s*)+|\([^()]*\)|[\w.]+)|[\s,]', "", text)


@dataclass(frozen=True, slots=True)
class Survivor:
    """An accepted surviving mutant, the `kind` of its reason (from KINDS), and an explanation (`because`)."""

    key: Key
    kind: str
    because: str
    position: Position

    @property
    def described(self) -> str:
        """One line of text that describes the mutant, for messages."""
        return described(self.key)


@dataclass(frozen=True, slots=True)
class Survivors:
    """The content of survivors.yaml or exceptions.yaml: the code that is not mutated, and the accepted survivors."""

    left_out: tuple[LeftOut, ...]
    accepted: tuple[Survivor, ...]

    def by_key(self) -> dict[Key, Survivor]:
        """Return the accepted survivors, by the key of the mutant."""
        return {each.key: each for each in self.accepted}

    def judged(self, mutants: Iterable[Mutant]) -> list[Mutant]:
        """Return the mutants that must be tested: those whose change is not in a part of the code that is left out."""
        return [mutant for mutant in mutants if not any(each.holds(mutant) for each in self.left_out)]

    def nonexistent(self, mutants: Sequence[Mutant], modules: Iterable[str]) -> list[Finding]:
        """Return a finding for each entry of the file about one of `modules` if no mutant matches the entry."""
        keys = {mutant.key for mutant in mutants}
        wanted = tuple(f"{module}." for module in modules)
        findings = [
            Finding(
                "no-such-mutant",
                each.position,
                f"this mutant no longer exists: {each.described}",
                "Remove the entry, or copy the new entry from the output of a run.",
            )
            for each in self.accepted
            if f"{each.key[0]}.".startswith(wanted) and each.key not in keys
        ]
        findings += [
            Finding("leaves-nothing-out", each.position, f"no mutant is in {each.where}", "Remove the entry.")
            for each in self.left_out
            if not each.is_argument
            and f"{each.where}.".startswith(wanted)
            and not any(map(each.holds, mutants))
        ]
        return findings

    def killed(self, killed: dict[Key, str]) -> list[Finding]:
        """Return a finding for each accepted survivor in `killed`, which contains the killing test case by key."""
        return [
            Finding(
                "killed",
                each.position,
                f"this mutant does not survive, {killed[each.key]} kills it: {each.described}",
                "Remove the entry.",
            )
            for each in self.accepted
            if each.key in killed
        ]


_TEXT = re.compile(r"(?s).*")


def load_survivors(file: Path) -> Survivors:
    """Read survivors.yaml or exceptions.yaml. Raises SurvivorsError with all errors of the file."""
    look = Inspection(load(read(file), file))
    keys = ("left_out", "survivors")
    left_out: list[LeftOut] = []
    accepted: list[Survivor] = []
    with look.reading(SurvivorsError) as top:
        parts = top.mapping(keys, keys)
        for node in parts["left_out"].listed():
            kind = "argument" if "argument" in node.called("an entry").mapping() else "where"
            found = node.called("an entry").mapping((kind, "because"), (kind, "because"))
            left_out.append(
                LeftOut(found.text(kind), found.text("because"), node.position, kind == "argument")
            )
        keys = ("kind", "because", "mutants")
        for group in parts["survivors"].listed():
            found = group.called("a group").mapping(keys, keys)
            cause = found["kind"].one_of(KINDS)
            for one in found["mutants"].listed(empty=False):
                key = _key(one.called("a mutant"))
                if any(key == each.key for each in accepted):
                    one.note("this mutant is listed twice", "Remove one of the entries.")
                accepted.append(Survivor(key, cause, found.text("because"), one.position))
    return Survivors(tuple(left_out), tuple(accepted))


def _key(node: Node) -> Key:
    needed = ("where", "before", "after")
    found = node.mapping((*needed, "occurrence"), needed)
    nth = found["occurrence"].number(1, 999) if "occurrence" in found else 1
    return found.text("where"), found.text("before"), found["after"].matching(_TEXT), nth


def entry_text(mutant: Mutant) -> str:
    """Return the entry for a mutant that can be copied into survivors.yaml, with the indentation of that file."""
    lines = [f"- where: {mutant.where}"]
    lines += [
        f"  {name}: {_written(text)}" for name, text in (("before", mutant.before), ("after", mutant.after))
    ]
    if mutant.occurrence > 1:
        lines.append(f"  occurrence: {mutant.occurrence}")
    return textwrap.indent("\n".join(lines), " " * 6)


def _written(text: str) -> str:
    if text and all(character.isprintable() or character == "\n" for character in text):
        return "|-\n" + textwrap.indent(text, " " * 4)
    return json.dumps(text)

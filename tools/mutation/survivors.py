"""Survivors: the mutants that no scenario can kill, with the reason, and what is not mutated at all."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants import Key, Mutant, described

from readfirst.harness.source.finding import Finding, Position, SuiteError
from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath, load, read

__all__ = ["KINDS", "LeftOut", "Survivor", "Survivors", "SurvivorsError", "entry_text", "load_survivors"]

KINDS = {
    "equivalent": "no call of any tool can tell the change",
    "a scenario to add": "a call can tell the change; the reason says which one, and what is in the way",
}
"""Why a mutant may survive."""


class SurvivorsError(SuiteError):
    """The file of survivors is damaged."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not mutated, and why: a module, a class or function in one, or an argument wherever it is given."""

    where: str
    because: str
    position: Position
    is_argument: bool = False

    def holds(self, mutant: Mutant) -> bool:
        """Tell whether the mutant is in it, or changes nothing but the argument."""
        if self.is_argument:
            return self.where in mutant.within or self._without(mutant.before) == self._without(mutant.after)
        return f"{mutant.where}.".startswith(f"{self.where}.")

    def _without(self, text: str) -> str:
        return re.sub(rf'\b{self.where}=((?:"[^"\n]*"\s*)+|\([^()]*\)|[\w.]+)|[\s,]', "", text)


@dataclass(frozen=True, slots=True)
class Survivor:
    """One accepted survivor; `key` as of `Mutant`."""

    key: Key
    kind: str
    because: str
    position: Position

    @property
    def described(self) -> str:
        """The mutant for a message."""
        return described(self.key)


@dataclass(frozen=True, slots=True)
class Survivors:
    """What the file says."""

    left_out: tuple[LeftOut, ...]
    accepted: tuple[Survivor, ...]

    def by_key(self) -> dict[Key, Survivor]:
        """Return the accepted survivors by the mutants that they are."""
        return {each.key: each for each in self.accepted}

    def judged(self, mutants: Iterable[Mutant]) -> list[Mutant]:
        """Return the mutants without those that are left out."""
        return [mutant for mutant in mutants if not any(each.holds(mutant) for each in self.left_out)]

    def nonexistent(self, mutants: Sequence[Mutant], modules: Iterable[str]) -> list[Finding]:
        """Return a finding for each entry about one of the modules that no mutant fits."""
        keys = {mutant.key for mutant in mutants}
        wanted = tuple(f"{module}." for module in modules)
        findings = [
            Finding(
                "no-such-mutant",
                each.position,
                f"there is no such mutant any more: {each.described}",
                "Remove the entry, or copy it anew from what a run prints.",
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
        """Return a finding for each entry whose mutant was killed; `killed` tells by what."""
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


def load_survivors(file: Path) -> Survivors:
    """Read the file. Raises SurvivorsError with all that is wrong in it."""
    look = Inspection(load(read(file), file))
    top = _members(look, look.document.value, (), "the file", {"left_out": True, "survivors": True})
    left_out: list[LeftOut] = []
    accepted: list[Survivor] = []
    for n, each in enumerate(look.sequence(top.get("left_out"), ("left_out",), "left_out") or []):
        path: YamlPath = ("left_out", n)
        kind = "argument" if isinstance(each, dict) and "argument" in each else "where"
        found = _members(look, each, path, "an entry", {kind: True, "because": True})
        where = look.string(found.get(kind), (*path, kind), kind)
        because = look.string(found.get("because"), (*path, "because"), "because")
        if where and because:
            left_out.append(LeftOut(where, because, look.document.position(path), kind == "argument"))
    for n, group in enumerate(look.sequence(top.get("survivors"), ("survivors",), "survivors") or []):
        path = ("survivors", n)
        found = _members(look, group, path, "a group", {"kind": True, "because": True, "mutants": True})
        kind = look.choice(found.get("kind"), (*path, "kind"), "kind", KINDS)
        because = look.string(found.get("because"), (*path, "because"), "because")
        at: YamlPath = (*path, "mutants")
        for m, one in enumerate(look.sequence(found.get("mutants"), at, "mutants", empty=False) or []):
            key = _key(look, one, (*at, m))
            if key and kind and because:
                if any(key == each.key for each in accepted):
                    look.note((*at, m), "this mutant is listed twice", "Remove one of the entries.")
                accepted.append(Survivor(key, kind, because, look.document.position((*at, m))))
    look.finish(SurvivorsError)
    return Survivors(tuple(left_out), tuple(accepted))


def _key(look: Inspection, value: object, path: YamlPath) -> Key | None:
    needed = {"where": True, "before": True, "after": True, "occurrence": False}
    found = _members(look, value, path, "a mutant", needed)
    where = look.string(found.get("where"), (*path, "where"), "where")
    before = look.string(found.get("before"), (*path, "before"), "before")
    after = look.string(found.get("after"), (*path, "after"), "after", empty=True)
    nth = look.integer(found.get("occurrence", 1), (*path, "occurrence"), "occurrence", least=1, most=999)
    if where is None or before is None or after is None or nth is None:
        return None
    return where, before, after, nth


def _members(
    look: Inspection, value: object, path: YamlPath, what: str, keys: Mapping[str, bool]
) -> Mapping[str, Any]:
    """Return a mapping's members; `keys` tells which there are and whether they are needed."""
    required = [key for key, needed in keys.items() if needed]
    return look.mapping(value, path, what, known=keys, required=required) or {}


def entry_text(mutant: Mutant) -> str:
    """Return a mutant as an entry of the file, indented as it stands there."""
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

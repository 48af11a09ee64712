"""Rules: what the scenarios show, read from `fixtures/rules.yaml`; every scenario names the one that it belongs to."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, cast

from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import Position, SuiteError
from readfirst.harness.source.inspection import Inspection
from readfirst.harness.suite.harm_kinds import GUARDED, Kind
from readfirst.harness.suite.heading import REQUIREMENTS, Requirement
from readfirst.harness.suite.scenario import CALLS

RuleClass = Literal["safety", "contract", "fidelity", "product"]
CLASSES: tuple[RuleClass, ...] = ("safety", "contract", "fidelity", "product")
"""What harms whatever the design, what the contract says, how answers look, and what only this product has."""

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_KEYS = ("title", "class", "guards", "requirement", "tools", "sources", "why", "always_refused")
_NEEDED = ("title", "class", "guards", "requirement", "tools", "sources", "why")
NO_HARM = "none"
"""What a rule guards against where doing otherwise harms no file."""


class RulesError(SuiteError):
    """`rules.yaml` is not in its format."""


class UnknownRuleError(ReadfirstError, LookupError):
    """There is no rule of that id; the message names the closest ones."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that an implementation gets right or wrong. `title` claims it in a sentence.

    `tools` are those whose calls it is about. `always_refused` says why no scenario of the rule can show such a
    call that is allowed; without it, each tool needs one. `why` says what it means to a user. `guards` are the harms
    that an implementation may do where the rule does not hold; they are empty where the file says `none`, which a
    rule of the class `safety` cannot.
    """

    id: str
    title: str
    class_: RuleClass
    requirement: Requirement
    tools: tuple[str, ...]
    sources: tuple[str, ...]
    why: str
    position: Position
    always_refused: str | None = None
    guards: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules in the order of the file. `classes` says what each class means."""

    classes: Mapping[RuleClass, str]
    by_id: Mapping[str, Rule]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    def __contains__(self, rule_id: object) -> bool:
        return rule_id in self.by_id

    def __getitem__(self, rule_id: str) -> Rule:
        """Return the rule of that id. Raises UnknownRuleError."""
        try:
            return self.by_id[rule_id]
        except KeyError:
            raise UnknownRuleError(f"there is no rule {rule_id!r}. {self.suggest(rule_id)}") from None

    def of(self, class_: RuleClass) -> tuple[Rule, ...]:
        """Return the rules of one class, in the order of the file."""
        return tuple(rule for rule in self if rule.class_ == class_)

    def suggest(self, rule_id: str, title: str = "") -> str:
        """Return a sentence that names the rules that may be meant.

        The closest id, if one is close. Else up to three rules whose titles share the rarest words with `title`,
        that of the scenario.
        """
        close = get_close_matches(rule_id, self.by_id, n=1, cutoff=0.75)
        if close:
            return f"Did you mean {close[0]}?"
        alike = self._alike(title)
        if alike:
            return "Does it belong to one of these? " + " ".join(
                f"{rule.id}: {rule.title}." for rule in alike
            )
        return "`readfirst rules` lists them."

    def _alike(self, title: str) -> list[Rule]:
        """Return the rules whose titles share most with another title; a word counts more the fewer rules have it."""
        words = {rule.id: _words(rule.title) for rule in self}
        wanted = _words(title)
        common = {word: sum(word in each for each in words.values()) for word in wanted}
        scores = {rule_id: sum(1 / common[word] for word in each & wanted) for rule_id, each in words.items()}
        best = sorted(scores, key=lambda rule_id: -scores[rule_id])[:3]
        return [self.by_id[rule_id] for rule_id in best if scores[rule_id] > 0]


def rules_file(root: Path) -> Path:
    """Return where a suite at `root` keeps its rules; a suite may have none."""
    return root / "rules.yaml"


def load_rules(path: Path) -> Rules:
    """Read `rules.yaml`. Raises RulesError (all problems) or StrictYamlError."""
    look = _Look(strict_yaml.load(strict_yaml.read(path, suite=path.parent), path))
    keys = ("classes", "rules")
    top = look.mapping(look.document.value, (), "the file", keys, required=keys) or {}
    classes = look.classes(top["classes"]) if "classes" in top else {}
    entries = (look.mapping(top["rules"], ("rules",), "rules") or {}) if "rules" in top else {}
    rules = {name: look.rule(name, value) for name, value in entries.items()}
    look.finish(RulesError)
    return Rules(classes, {name: rule for name, rule in rules.items() if rule is not None})


class _Look(Inspection):
    """Reads the parts of the file."""

    def classes(self, value: object) -> Mapping[RuleClass, str]:
        fields = self.mapping(value, ("classes",), "classes", CLASSES, required=CLASSES) or {}
        texts = {
            name: self.string(text, ("classes", name), f"the class {name}") for name, text in fields.items()
        }
        return {name: texts.get(name) or "" for name in CLASSES}

    def rule(self, name: str, value: object) -> Rule | None:
        path = ("rules", name)
        what = f"rule {name}"
        if _ID.fullmatch(name) is None:
            fix = "Write lower-case letters, digits and single hyphens."
            self.note(path, f"{name!r} is not in the form of an id", fix, key=True)
        fields = self.mapping(value, path, what, _KEYS, required=_NEEDED)
        if fields is None:
            return None
        if fields.get("class") == "safety" and fields.get("guards") == NO_HARM:
            fix = f"Name what is harmed where it does not hold ({', '.join(GUARDED)}), or give it another class."
            message = f"{what} is of the class safety, and guards against nothing"
            self.note((*path, "guards"), message, fix, key=True)

        def text(key: str) -> str:
            return (self.string(fields[key], (*path, key), f"{key} of {what}") or "") if key in fields else ""

        return Rule(
            id=name,
            title=text("title"),
            class_=cast(RuleClass, self._word(fields, path, "class", CLASSES)),
            requirement=cast(Requirement, self._word(fields, path, "requirement", REQUIREMENTS)),
            tools=self._list(fields, path, "tools", CALLS),
            sources=self._list(fields, path, "sources"),
            why=text("why"),
            position=self.document.position(path, key=True),
            always_refused=text("always_refused") or None,
            guards=() if fields.get("guards") == NO_HARM else self._guards(fields, path),
        )

    def _guards(self, fields: Mapping[str, Any], path: tuple[str, str]) -> tuple[Kind, ...]:
        return cast(tuple[Kind, ...], self._list(fields, path, "guards", GUARDED))

    def _word(
        self, fields: Mapping[str, Any], path: tuple[str, str], key: str, known: tuple[str, ...]
    ) -> str:
        word = (
            self.choice(fields[key], (*path, key), f"{key} of rule {path[1]}", known)
            if key in fields
            else None
        )
        return word or known[0]

    def _list(
        self, fields: Mapping[str, Any], path: tuple[str, str], key: str, known: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        """Return a list that is not empty, of words that are `known`, if any are."""
        if key not in fields:
            return ()
        place = (*path, key)
        items = self.strings(fields[key], place, f"{key} of rule {path[1]}")
        if fields[key] == []:
            self.note(place, f"rule {path[1]} has no {key}", "Name at least one.")
        for number, item in enumerate(items if known else ()):
            self.choice(item, (*place, number), key, known)
        return items


def _words(title: str) -> set[str]:
    """Return the words of a title that tell something, without the endings that numbers and cases give them."""
    return {word.removesuffix("s").casefold() for word in re.findall(r"\w{4,}", title)}

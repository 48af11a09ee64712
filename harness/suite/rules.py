"""The rules that scenarios test, read from `fixtures/rules.yaml`. Every scenario file names its rule."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.harm_kinds import Kind
from readfirst.harness.suite.rule_classes import CLASSES, FORMER_CLASSES, RuleClass
from readfirst.harness.suite.scenario_metadata import Requirement
from readfirst.harness.suite.schema import read_checked
from readfirst.harness.yaml_io.finding import Position

NO_HARM = "none"
"""The value of `guards` in `rules.yaml` for a rule that prevents no harm."""


class UnknownRuleError(ReadfirstError, LookupError):
    """No rule has the requested id. The message suggests similar rules."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: a behaviour that an implementation follows or breaks."""

    id: str
    title: str
    """The behaviour, in a sentence."""
    class_: RuleClass
    requirement: Requirement
    tools: tuple[str, ...]
    """For each of these tools, a scenario of the rule must contain a call that is not refused."""
    sources: tuple[str, ...]
    why: str
    """The importance of the behaviour for a user."""
    position: Position
    always_refused: str | None = None
    """The reason why no scenario contains a call that is not refused."""
    guards: tuple[Kind, ...] = ()
    """The kinds of harm that an implementation may do if it breaks the rule."""
    former_class: str = ""
    """The former name of the rule's class, if the file still uses it. Otherwise empty."""


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules of a suite, in the order of `rules.yaml`. `classes` contains the description of each class."""

    classes: Mapping[RuleClass, str]
    by_id: Mapping[str, Rule]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    def __contains__(self, rule_id: object) -> bool:
        return rule_id in self.by_id

    def __getitem__(self, rule_id: str) -> Rule:
        """Return the rule with this id. Raises UnknownRuleError."""
        try:
            return self.by_id[rule_id]
        except KeyError:
            raise UnknownRuleError(f"there is no rule {rule_id!r}. {self.suggest(rule_id)}") from None

    def of(self, class_: RuleClass) -> tuple[Rule, ...]:
        """Return the rules of one class, in the order of `rules.yaml`."""
        return tuple(rule for rule in self if rule.class_ == class_)

    def suggest(self, rule_id: str, title: str = "") -> str:
        """Return a sentence for an error message that suggests rules to use instead of an unknown id: the most similar
        id or, without a similar id, rules whose titles share words with `title`, the title of the scenario.
        """
        close = get_close_matches(rule_id, self.by_id, n=1, cutoff=0.75)
        if close:
            return f"Did you mean {close[0]}?"
        similar = self._rules_with_common_words(title)
        if similar:
            return "Does it belong to one of these? " + " ".join(
                f"{rule.id}: {rule.title}." for rule in similar
            )
        return "`readfirst rules` lists them."

    def _rules_with_common_words(self, title: str) -> list[Rule]:
        """Return up to three rules whose titles share words with `title`, the best first. Rare words count more."""
        words = {rule.id: _words(rule.title) for rule in self}
        wanted = _words(title)
        common = {word: sum(word in each for each in words.values()) for word in wanted}
        scores = {rule_id: sum(1 / common[word] for word in each & wanted) for rule_id, each in words.items()}
        best = sorted(scores, key=lambda rule_id: -scores[rule_id])[:3]
        return [self.by_id[rule_id] for rule_id in best if scores[rule_id] > 0]


def load_rules(path: Path, below: Rules | None = None) -> Rules:
    """Read `rules.yaml`. If it lacks `classes`, use the classes of `below`, the extended suite. Raises SuiteError."""
    with read_checked(path, "rules") as inspection:
        values, position_of = inspection.document.value, inspection.document.position
        rules = {
            name: _rule(name, each, position_of(("rules", name), key=True))
            for name, each in values["rules"].items()
        }
        if "classes" in values:
            meanings = {FORMER_CLASSES.get(name, name): text for name, text in values["classes"].items()}
            for name in CLASSES:
                if name not in meanings:
                    inspection.note(
                        ("classes",), f"classes lacks the key {name!r}", f"Add {name}: to it.", key=True
                    )
            inspection.finish()
            return Rules({name: meanings[name] for name in CLASSES}, rules)
        return Rules(below.classes if rules and below is not None else {}, rules)


def merge_rules(layers: Sequence[Rules | None]) -> Rules | None:
    """Merge the rules of several suites. The last definition of a rule is used. None if no suite has rules."""
    present = [layer for layer in layers if layer]
    by_id = {rule.id: rule for layer in present for rule in layer}
    return Rules(present[-1].classes, by_id) if by_id else None


def _rule(name: str, values: Mapping[str, Any], position: Position) -> Rule:
    return Rule(
        id=name,
        title=values["title"],
        class_=FORMER_CLASSES.get(values["class"], values["class"]),
        requirement=values["requirement"],
        tools=tuple(values["tools"]),
        sources=tuple(values.get("sources", ())),
        why=values["why"],
        position=position,
        always_refused=values.get("always_refused"),
        guards=() if values["guards"] == NO_HARM else tuple(values["guards"]),
        former_class=values["class"] if values["class"] in FORMER_CLASSES else "",
    )


def _words(title: str) -> set[str]:
    """Return the words of a title with at least four letters, in lower case and without a final `s`."""
    return {word.removesuffix("s").casefold() for word in re.findall(r"\w{4,}", title)}

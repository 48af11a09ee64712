"""Composition: which scenarios cross every rule with every pair of values, chosen one after the other, always alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from readfirst.harness.crossing.author import Author
from readfirst.harness.crossing.coverage import TOGETHER, Goals, goes_together
from readfirst.harness.crossing.dimensions import DIMENSIONS, EDITS, QUESTIONS, RULES, STALE, Values
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.scenario import Given, Scenario

__all__ = ["crossed_scenarios"]

_OF_THE_FILE = ("name", "depth", "mode", "link", "encoding", "ends", "content")
_OF_THE_CALL = ("edit", "replace_all", "known", "since", "refused")
_ABSOLUTE = ("plain", "plain", "dot", "double", "up")
_TRIES, _PATIENCE = 200, 5
"""How many files are tried in all, and how many for a call about the same rule."""
_FILES, _CALLS = 100, 150
"""Of how many drawn files, and of how many drawn calls, the most telling is taken."""
_STEPS = 40
"""The most steps of a scenario with several files."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Scenarios that stand beside each other: those of one question, or those in which all paths are relative."""

    name: str
    sentence: str
    tags: tuple[str, ...]
    calls: int
    spellings: tuple[str, ...] = _ABSOLUTE

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that its calls are about."""
        return QUESTIONS.get(self.name, tuple(RULES))

    def goals(self, rules: Sequence[str]) -> tuple[str, ...]:
        """Return what the calls about some of its rules are to meet."""
        return (self.name, *rules) if self.name in QUESTIONS else (TOGETHER,)


_GROUPS = (
    _Group("unread", "What was not read stays", ("gate", "unread"), 7),
    _Group("edit-changed", "Edit refuses what changed", ("edit", "staleness"), 7),
    _Group("write-changed", "Write refuses what is newer", ("staleness", "write"), 7),
    _Group("touched", "Edit refuses what is newer", ("clock", "edit", "staleness"), 6),
    _Group("allowed", "What is known may be changed", ("chain", "state"), 9),
    _Group("own", "What is its own may be changed on", ("chain", "clock", "state"), 8),
    _Group("relative", "A relative path makes no difference", ("paths", "relative"), 9, ("relative",)),
)


def crossed_scenarios(rules: Rules) -> Iterator[Scenario]:
    """Yield the scenarios, without expectations. Each has the requirement of its rule. Raises UnknownRuleError.

    First every question meets every pair, with a file in each scenario. Then each rule meets the pairs that only its
    neighbours have met; most of these need a file of their own, so there a scenario has several.
    """
    of_questions, of_rules = Goals(), Goals(of_rules=True)
    written = {group.name: _parts(group, of_questions) for group in _GROUPS}
    for parts in written.values():
        for part in parts:
            for values in part.author.met:
                of_rules.meet(values)
    for group in _GROUPS:
        parts = written[group.name]
        together = [[part] for part in parts] + _together(_parts(group, of_rules, after=len(parts)))
        for number, several in enumerate(together, 1):
            rule = several[0].rule
            yield Scenario(
                id=f"crossed/{group.name}-{number:02}",
                title=f"{group.sentence}: {_title(several)}",
                requirement=rules[rule].requirement,
                given=Given({k: v for part in several for k, v in part.author.given.files.items()}),
                steps=tuple(step for part in several for step in part.author.steps),
                tags=group.tags,
                rule=rule,
            )


@dataclass(frozen=True, slots=True)
class _Part:
    """The steps about one file, and the rule that its first call is about."""

    author: Author
    rule: str


def _parts(group: _Group, goals: Goals, after: int = 0) -> list[_Part]:
    """Return parts that meet what a group has still to meet; `after` counts those that it has already."""
    parts: list[_Part] = []
    while goals.left(group.goals(group.rules)):
        number = after + len(parts) + 1
        turn = number % len(group.rules)
        composer = _Composer(group, goals, Random(f"{group.name} {number}"))
        author, rule = composer.written((*group.rules[turn:], *group.rules[:turn]))
        parts.append(_Part(author, _shown(group, rule, author)))
    return parts


def _together(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Return the parts in as few scenarios as they fit into one after the other, in none of which files meet."""
    scenarios: list[list[_Part]] = []
    for part in parts:
        for several in scenarios:
            steps = sum(len(each.author.steps) for each in (*several, part))
            taken = {path for each in several for path in each.author.given.files}
            if steps <= _STEPS and taken.isdisjoint(part.author.given.files):
                several.append(part)
                break
        else:
            scenarios.append([part])
    return scenarios


class _Composer:
    """Draws a file and calls about it, and takes of each draw what reaches the most goals."""

    def __init__(self, group: _Group, goals: Goals, random: Random) -> None:
        self._group = group
        self._goals = goals
        self._random = random

    def written(self, rules: Sequence[str]) -> tuple[Author, str]:
        """Return a scenario, and the rule that its first call is about: the first of these that has still to be met."""
        lacking = [each for each in rules if self._goals.left(self._group.goals((each,)))]
        for number in range(_TRIES):
            rule = lacking[number // _PATIENCE % len(lacking)]
            wanted = self._goals.values_left(self._group.goals((rule,)))
            author = Author(max((self._file(wanted) for _ in range(_FILES)), key=self._worth_of_a_file))
            if self._add(author, (rule,)):
                break
        else:
            raise AssertionError(f"no call meets what is left: {self._goals.lacking()[:9]}")
        for each in self._group.rules:
            if each != rule and len(author.met) < self._group.calls:
                self._add(author, (each,))
        for _ in range(2 * self._group.calls):
            if len(author.met) < self._group.calls:
                self._add(author, (self._random.choice(self._group.rules),))
        return author, rule

    def _add(self, author: Author, rules: Sequence[str]) -> bool:
        """Add the call about one of the rules that meets the most; False if none of the drawn ones meets anything."""
        wanted = self._goals.values_left(self._group.goals(rules))
        if not wanted or author.over:
            return False
        calls = [each for _ in range(_CALLS) if (each := self._call(author, rules, wanted)) is not None]
        best = max(calls, key=self._goals.gain, default=None)
        if best is None or not self._goals.gain(best):
            return False
        before = len(author.met)
        self._make(author, best)
        gained = 0
        for values in author.met[before:]:
            gained += self._goals.gain(values)
            self._goals.meet(values)
        return gained > 0

    def _file(self, wanted: Sequence[Values]) -> Values:
        """Draw a file that goes together, with two values that have still to meet where there are such."""
        while True:
            values = {name: self._random.choice(tuple(DIMENSIONS[name].values)) for name in _OF_THE_FILE}
            values |= {k: v for k, v in self._random.choice(wanted).items() if k in values}
            if goes_together(values):
                return values

    def _worth_of_a_file(self, file: Values) -> int:
        return self._goals.gain_of_file(file, self._group.goals(self._group.rules))

    def _call(self, author: Author, rules: Sequence[str], wanted: Sequence[Values]) -> Values | None:
        """Draw the values of a call about the file as it is; None where what was drawn does not go together."""
        rule = RULES[self._random.choice(rules)]
        values = {
            **author.chosen,
            "mode": author.file.mode,
            "encoding": author.file.encoding,
            "content": author.file.content,
            "path": self._random.choice(self._group.spellings),
            **{
                name: self._random.choice(rule.get(name, tuple(DIMENSIONS[name].values)))
                for name in _OF_THE_CALL
            },
        }
        values |= {k: v for k, v in self._random.choice(wanted).items() if k in _OF_THE_CALL or k == "path"}
        if author.chosen["content"] == "empty" and values["since"] in STALE:
            values["content"] = "empty"
        if values["since"] == "mode":
            values["mode"] = author.next_mode
        there = author.file.known == "unread" or values["known"] != "unread"
        return values if there and goes_together(values) else None

    def _make(self, author: Author, values: Values) -> None:
        """Bring the file into the state that the values name, and make the call."""
        known, since, refused = (values[name] for name in ("known", "since", "refused"))
        spelling = values["path"]
        file = author.file
        if (file.known, file.since, file.refused) != (known, since, refused):
            if author.chosen["content"] == "empty" and since in STALE and not file.text:
                author.change(since)  # so that the next change can empty it
            self._bring(author, known, spelling)
            if refused not in ("nothing", "gate") and not author.refused(refused, spelling):
                return
            if since != "nothing" and not author.change(since):
                return
            if refused == "gate":
                accepted = known == "own" and since == "touched"
                edit = "word" if values["edit"] in EDITS and not accepted else "other"
                author.edit(edit, "absent", spelling)
        author.edit(values["edit"], values["replace_all"], spelling)

    def _bring(self, author: Author, known: str, spelling: str) -> None:
        """Let the session know the file in that way, as it is now."""
        if known in ("whole", "range"):
            author.read(known, spelling)
        elif known == "own":
            if author.file.known == "unread" or author.file.since not in ("nothing", "mode", "older"):
                author.read("whole", spelling)
            own = self._random.choice(("word", "insertion")) if author.file.text else "same"
            author.edit(own, "absent", spelling) or author.edit("other", "absent", spelling)


def _shown(group: _Group, rule: str, author: Author) -> str:
    """Return the rule that a scenario belongs to: the one that its first call is about, or what would hide it."""
    if group.name == "relative":
        return "relative-paths"
    if group.name == "allowed" and author.chosen["link"] == "symbolic":
        return "symbolic-links"
    if group.name == "allowed" and author.chosen["ends"] == "crlf":
        return "write-line-endings"
    return rule


def _title(parts: Sequence[_Part]) -> str:
    """Return the first file of a scenario in a few words, and how many there are beside it."""
    first = _words(parts[0].author.chosen)
    return first if len(parts) == 1 else f"{first}, +{len(parts) - 1}"


def _words(file: Values) -> str:
    """Return the file of a scenario in a few words."""
    words = [
        Author.name_of(file),
        _WORDS.get(file["depth"], ""),
        "" if file["mode"] == "0644" else file["mode"],
    ]
    words += [_WORDS.get(file[name], "") for name in ("link", "encoding", "ends", "content")]
    return ", ".join(word for word in words if word)


_WORDS = {
    "folder": "in a folder",
    "deep": "deep",
    "symbolic": "symlink",
    "hard": "two names",
    "unicode": "non-ASCII",
    "bom": "BOM",
    "utf-16": "UTF-16",
    "crlf": "CRLF",
    "open": "open end",
    "long": "long",
    "empty": "empty",
}

"""Claims: what the documents say, in our words, read from `fixtures/claims.yaml` with the scenarios that show it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import Position
from readfirst.harness.source.inspection import Fields, Inspection, a_kind_of, did_you_mean
from readfirst.harness.source.strict_yaml import YamlPath
from readfirst.harness.suite.expectations import read_expectation
from readfirst.harness.suite.scenario import Clause

DOCUMENT_AND_SECTION = re.compile(r"(?P<document>\S+\.txt), (?P<section>\S.*)")
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MOST_CALLS = 1000


@dataclass(frozen=True, slots=True)
class Shown:
    """A scenario as evidence.

    `call` is the number of the call that counts, from 1. None: the calls on which the scenario states the
    documents or, for a question or contradiction, its last call. `clause` is what the claim itself says
    of that call, where the scenario's own documented clause is another document's, or missing.
    `states_files` tells whether that clause speaks of files at all, `exact` that its words are what is claimed.
    """

    scenario_id: str
    position: Position
    call: int | None = None
    clause: Clause | None = None
    states_files: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that documents say. `sources` are `document, section`; `rule` is the rule that it is about.

    Either `shown_by` has scenarios or `unobservable` says why the tools' callers cannot see it. `presumes` are the ids
    of claims without which the scenarios show nothing: that a Read unlocks a file shows only where files are locked.
    """

    id: str
    says: str
    sources: tuple[str, ...]
    position: Position
    shown_by: tuple[Shown, ...] = ()
    unobservable: str | None = None
    rule: str | None = None
    presumes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """Claims that belong together, in the order of the file."""

    id: str
    title: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a document leaves open. `shown_by` are the scenarios that answer it."""

    id: str
    asks: str
    source: str
    position: Position
    shown_by: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Claims that cannot all be true, or a claim that users' reports contradict.

    `claims` are ids of claims; `reports` says what users report. `unobservable` says what no scenario can
    settle, and why.
    """

    id: str
    about: str
    position: Position
    claims: tuple[str, ...] = ()
    reports: str | None = None
    shown_by: tuple[Shown, ...] = ()
    unobservable: str | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """The whole file, in its order."""

    topics: tuple[Topic, ...]
    questions: tuple[Question, ...]
    contradictions: tuple[Contradiction, ...]

    def __iter__(self) -> Iterator[Claim]:
        return (claim for topic in self.topics for claim in topic.claims)

    @property
    def sources(self) -> frozenset[str]:
        """Every `document, section` that a claim has."""
        return frozenset(source for claim in self for source in claim.sources)

    def shown(self) -> Iterator[Shown]:
        """Yield every piece of evidence of the file, in its order."""
        for part in (*self, *self.questions, *self.contradictions):
            yield from part.shown_by


def claims_file(root: Path) -> Path:
    """Return where a suite at `root` keeps its claims; a suite may have none."""
    return root / "claims.yaml"


def load_claims(path: Path) -> Claims:
    """Read `claims.yaml`. Raises SuiteError with all problems."""
    look = _Look(strict_yaml.load(strict_yaml.read(path), path))
    keys = ("topics", "questions", "contradictions")
    top = look.fields(look.document.value, (), "the file", keys, keys)
    topics = tuple(look.topic(name, value) for name, value in top.mapping("topics").items())
    for topic in topics:
        look.presumptions(topic)
    questions = tuple(look.question(name, value) for name, value in top.mapping("questions").items())
    contradictions = tuple(
        look.contradiction(name, value) for name, value in top.mapping("contradictions").items()
    )
    look.finish()
    return Claims(topics, questions, contradictions)


class _Look(Inspection):
    """Reads the parts of the file; an id may occur once."""

    def __init__(self, document: strict_yaml.Document) -> None:
        super().__init__(document)
        self.ids: dict[str, YamlPath] = {}

    def topic(self, name: str, value: Any) -> Topic:
        path: YamlPath = ("topics", name)
        self._id(name, path)
        keys = ("title", "claims")
        fields = self.fields(value, path, f"topic {name}", keys, keys, whose="a topic")
        entries = self.mapping(fields.values.get("claims", {}), (*path, "claims"), "claims") or {}
        claims = tuple(self._claim(key, entry, (*path, "claims", key)) for key, entry in entries.items())
        return Topic(name, fields.text("title"), claims)

    def _claim(self, name: str, value: Any, path: YamlPath) -> Claim:
        self._id(name, path)
        what = f"claim {name}"
        known = ("says", "rule", "sources", "shown_by", "unobservable", "presumes")
        fields = self.fields(value, path, what, known, ("says", "sources"), whose=what)
        sources = self._words(fields, "sources")
        for number, source in enumerate(sources):
            self._source(source, (*path, "sources", number))
        if "sources" in fields and not fields.values["sources"]:
            self.note((*path, "sources"), f"{what} has no source", "Write `document.txt, Section`.")
        shown = self._shown_by(fields, of_claim=True)
        if ("shown_by" in fields) == ("unobservable" in fields) and isinstance(value, dict):
            message = f"{what} needs shown_by or unobservable, one of the two"
            self.note(path, message, "List scenarios, or say why none can show it.", key=True)
        position = self.document.position(path, key=True)
        reason, rule = fields.string("unobservable"), fields.string("rule")
        presumes = self._words(fields, "presumes")
        if "presumes" in fields and not (presumes and shown):
            fix = "Name claims without which the scenarios of shown_by show nothing, or remove it."
            self.note((*path, "presumes"), f"{what} presumes nothing that its scenarios need", fix, key=True)
        return Claim(name, fields.text("says"), sources, position, shown, reason, rule, presumes)

    def presumptions(self, topic: Topic) -> None:
        """Note what its claims presume that is no claim; to be asked when all claims were read."""
        for claim in topic.claims:
            self._are_claims(claim.presumes, ("topics", topic.id, "claims", claim.id, "presumes"))

    def question(self, name: str, value: Any) -> Question:
        path: YamlPath = ("questions", name)
        self._id(name, path)
        what = f"question {name}"
        keys = ("asks", "source", "shown_by")
        fields = self.fields(value, path, what, keys, keys, whose=what)
        source = fields.text("source")
        if source:
            self._source(source, (*path, "source"))
        position = self.document.position(path, key=True)
        shown = self._shown_by(fields)
        return Question(name, fields.text("asks"), source, position, shown)

    def contradiction(self, name: str, value: Any) -> Contradiction:
        path: YamlPath = ("contradictions", name)
        self._id(name, path)
        what = f"contradiction {name}"
        known = ("about", "claims", "reports", "shown_by", "unobservable")
        fields = self.fields(value, path, what, known, ("about", "claims"), whose=what)
        claims = self._words(fields, "claims")
        self._are_claims(claims, (*path, "claims"))
        if len(claims) < 2 and "reports" not in fields and isinstance(value, dict):
            fix = "Name two claims, or one and what users report."
            self.note(path, f"{what} has fewer than two sides", fix, key=True)
        if not {"shown_by", "unobservable"} & fields.values.keys() and isinstance(value, dict):
            message = f"{what} needs shown_by or unobservable"
            self.note(path, message, "List scenarios, or say why none can settle it.", key=True)
        return Contradiction(
            name,
            fields.text("about"),
            self.document.position(path, key=True),
            claims,
            fields.string("reports"),
            self._shown_by(fields),
            fields.string("unobservable"),
        )

    def _are_claims(self, claims: Sequence[str], path: YamlPath) -> None:
        for number, claim in enumerate(claims):
            if self.ids.get(claim, ())[2:3] != ("claims",):
                known_claims = [key for key, place in self.ids.items() if place[2:3] == ("claims",)]
                self.note((*path, number), f"there is no claim {claim!r}", did_you_mean(claim, known_claims))

    def _words(self, fields: Fields, key: str) -> tuple[str, ...]:
        return self.strings(fields.values.get(key, []), fields.place(key), key)

    def _shown_by(self, fields: Fields, *, of_claim: bool = False) -> tuple[Shown, ...]:
        if "shown_by" not in fields:
            return ()
        place = fields.place("shown_by")
        items = self.sequence(fields.values["shown_by"], place, "shown_by", empty=False) or []
        known = ("scenario", "call", "expect", "exact") if of_claim else ("scenario", "call")
        shown = [self._shown(item, (*place, number), known) for number, item in enumerate(items)]
        return tuple(each for each in shown if each is not None)

    def _shown(self, value: Any, path: YamlPath, known: tuple[str, ...]) -> Shown | None:
        position = self.document.position(path)
        if isinstance(value, str):
            return Shown(value, position)
        fields = self.fields(value, path, "a scenario that shows something", known, ("scenario",))
        if "scenario" not in fields:
            return None
        scenario_id, stated = fields.text("scenario"), fields.values
        call = None
        if "call" in fields:
            call = self.integer(stated["call"], (*path, "call"), "call", least=1, most=_MOST_CALLS)
        if "expect" not in fields:
            if "exact" in fields:
                self.note(path, "exact needs expect", "Say with expect: which words are claimed.", key=True)
            return Shown(scenario_id, position, call)
        if "call" not in fields:
            self.note(path, "expect needs call", "Add call: with the number of the call, from 1.", key=True)
        expect = fields.mapping("expect")
        expectation = read_expectation(self, (*path, "expect"), expect, ("error", "text", "files"))
        exact = stated.get("exact", False)
        if not isinstance(exact, bool):
            self.note((*path, "exact"), f"exact must be true or false, not {a_kind_of(exact)}", "Write true.")
        return Shown(scenario_id, position, call, expectation.recorded, "files" in expect, exact is True)

    def _source(self, source: str, path: YamlPath) -> None:
        if DOCUMENT_AND_SECTION.fullmatch(source) is None:
            self.note(path, f"{source!r} does not say where to look", "Write `document.txt, Section`.")

    def _id(self, name: str, path: YamlPath) -> None:
        if _ID.fullmatch(name) is None:
            fix = "Write lower-case letters, digits and single hyphens."
            self.note(path, f"{name!r} is not in the form of an id", fix, key=True)
        if name in self.ids:
            line = self.document.position(self.ids[name], key=True).line
            fix = "Give one of the two another id."
            self.note(path, f"the id {name} is already used in line {line}", fix, key=True)
        self.ids.setdefault(name, path)

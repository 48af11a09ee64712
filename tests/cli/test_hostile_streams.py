import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.diff import report as diff_report
from readfirst.harness.diff.diff import Diff
from readfirst.harness.diff.diff import diff as compared
from readfirst.harness.diff.operands import SideParser
from readfirst.harness.report import RunFacts
from readfirst.harness.report.jsonl import JsonlReport
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis import report as diagnosis_report
from readfirst.observatory.diagnosis.best_match import find_diagnosis
from readfirst.observatory.diagnosis.observation import (
    read_observations,
    reference_contracts,
    without_missing_capabilities,
)
from readfirst.observatory.diagnosis.replay_cache import ReplayCache
from readfirst.observatory.diagnosis.report import DiagnosisCase
from tests.verdicts import write_report_of

from .hostile_world import World
from .test_hostile_text import PAYLOADS, STREAMED, Format, complaints

pytestmark = pytest.mark.slow

CONTRACT = "2.1.7"
ALLOWED, REFUSED, HANGS, LACKS = (
    "gate/edit-after-read",
    "gate/edit-unread",
    "gate/read-twice",
    "gate/write-unread",
)
"""An edit that succeeds, an edit that is refused, a session that hangs, and a missing capability."""
FIELDS = (
    *("answer", "expected", "file_beside", "error_name", "breakage", "unsupported"),
    *("accepted", "stale", "rule_title", "target", "name", "version"),
)
"""The fields of `World` whose texts occur in the JSON Lines of a run."""
NAMED = ("answer", "target", "name")
"""The fields of `World` whose texts occur in a diagnosis, which contains answers only as digests."""


def make_verdicts(world: World) -> list[tuple[Verdict, BaselineResult]]:
    fails = dict.fromkeys(("effects", "reason", "text", "verbatim"), False)
    about = {"requirement": "must", "rule": world.rule_title, "length": 3, "calls": 2, "steps": 2}
    make = partial(Verdict, contract=CONTRACT, level="text", **about)
    got = world.answer
    allowed = (
        Difference(0, 0, "text", "text", world.expected, got),
        Difference(0, 0, "text", got, world.expected, got),
        Difference(1, 0, "effects", "refused", "not refused", f"refused: {got}"),
        Difference(1, 0, "effects", f"file {world.file_beside}", world.expected, got),
        Difference(1, 0, "effects", f"path ../{world.file_beside}", "nothing there", got),
        Difference(1, 0, "effects", f"mode of {world.file_beside}", "0644", got),
        Difference(1, 0, "verbatim", "start of text", world.expected, got),
        Difference(1, 0, "verbatim", "end of text", world.expected, got),
        Difference(1, 0, "verbatim", "sha256 of text", "0" * 64, got),
    )
    refused = (
        Difference(0, 0, "reason", "error", "not_read", world.error_name),
        Difference(0, 0, "text", "text", world.expected, got),
    )
    no = BaselineResult(conformant=False, accepted=world.accepted, stale=world.stale)
    return [
        (make(ALLOWED, status="failed", levels=fails, differences=allowed), no),
        (make(REFUSED, status="failed", levels={**fails, "effects": True}, differences=refused), no),
        (make(HANGS, status="error", levels={}, blame="adapter", reason=world.breakage), no),
        (make(LACKS, status="unsupported", levels={}, reason=world.unsupported), no),
    ]


def stream_of(world: World, file: Path) -> Path:
    facts = RunFacts(world.target, world.name, (CONTRACT,), "text", 4, world.commands, world.scenario)
    make = partial(JsonlReport, facts=facts, version=world.version)
    file.write_text(write_report_of(make, make_verdicts(world)), encoding="ascii")
    return file


class Streams:
    def __init__(self, suite: Suite, folder: Path, replays: ReplayCache) -> None:
        self.suite = suite
        self.file = folder / "run.jsonl"
        self.replays = replays

    def diff(self, write: Callable[[Diff], str], world: World) -> str:
        ids = (ALLOWED, REFUSED, HANGS, LACKS)
        parser = SideParser(self.suite, ids)
        sides = parser.both(CONTRACT, str(stream_of(world, self.file)))
        found = compared(self.suite, *sides, ids)
        assert found.compared == 2
        assert found.error == 1
        return write(found)

    def diagnosis(self, write: Callable[[DiagnosisCase], str], world: World) -> str:
        name, observed = read_observations(self.suite, stream_of(world, self.file))
        observed = without_missing_capabilities(observed)
        contracts = reference_contracts(self.suite)
        found = find_diagnosis(self.replays, observed, contracts, (ALLOWED, REFUSED), "reason")
        return write(DiagnosisCase(name, found, {}))


@pytest.fixture(scope="module")
def streams(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Streams]:
    """All tests of the module share its replays of the reference."""
    with ReplayCache(suite) as replays:
        yield Streams(suite, tmp_path_factory.mktemp("streams"), replays)


def join_lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def is_json(text: str) -> object:
    return type(json.loads(text))


def markup(text: str) -> object:
    """Return the kinds of markup in a Markdown page except paragraphs, lists and code, whose number may differ."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    children = [child for token in tokens for child in token.children or ()]
    inert = {"inline", "text", "code_inline", "softbreak", "text_special"}
    inert |= {"paragraph", "bullet_list", "list_item", "heading", "strong"}
    kinds = {re.sub("_(open|close)$", "", each.type) for each in (*tokens, *children)} - inert
    strong = {text.content for before, text in pairwise(children) if before.type == "strong_open"}
    return kinds | strong - {"safety"}


def formats(streams: Streams) -> dict[str, Format]:
    diff, diagnosis = streams.diff, streams.diagnosis
    text, markdown = partial(diff_report.as_text, all_=True), partial(diff_report.as_markdown, all_=True)
    return {
        "diff text": Format(partial(diff, lambda found: join_lines(text(found)))),
        "diff markdown": Format(partial(diff, markdown), markup),
        "diff json": Format(partial(diff, diff_report.as_json), is_json, unabridged=True),
        "diagnose text": Format(partial(diagnosis, lambda case: join_lines(diagnosis_report.as_text(case)))),
        "diagnose markdown": Format(
            partial(diagnosis, lambda case: diagnosis_report.as_markdown([case])), markup
        ),
        "diagnose json": Format(
            partial(diagnosis, lambda case: diagnosis_report.as_json([case])), is_json, unabridged=True
        ),
    }


@pytest.mark.parametrize("name", sorted(STREAMED))
def test_hostile_text_in_json_lines_is_printed_as_plain_text(streams: Streams, name: str) -> None:
    form = formats(streams)[name]
    usual = form.write(World())
    for payload, text in PAYLOADS.items():
        made = form.write(World(**dict.fromkeys(FIELDS, text)))
        assert complaints(made, form, usual) == [], payload
        for each in FIELDS if name.startswith("diff") else NAMED:
            made = form.write(replace(World(), **{each: text}))
            assert complaints(made, form, usual) == [], (payload, each)


@pytest.mark.parametrize(
    "answer",
    [
        "Go on. " * 100_000,
        "".join(f"Go {number}. A" for number in range(50_000)),
        "     1→x\n" * 50_000,
        *(each * 500_000 for each in ("“", "/a", ".txt", "1", " ", "'a")),
    ],
    ids=["sentence", "sentences", "lines", "quotes", "folders", "names", "digits", "spaces", "apostrophes"],
)
def test_a_long_answer_is_compared_in_seconds(streams: Streams, answer: str) -> None:
    """A quadratic search for the common parts of two answers would take hours."""
    form = formats(streams)["diff text"]
    assert complaints(form.write(World(answer=answer)), form, form.write(World())) == []

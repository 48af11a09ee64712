"""The targets' page and data count verdicts, list the most harmful first, and keep results that are not run again."""

import json
import re
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.harm.harm import Harm
from readfirst.harness.report.jsonl import read_stream
from readfirst.harness.suite.harm_kinds import KINDS
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.json_file import JsonFileError
from readfirst.observatory.report.compatibility import for_contract
from readfirst.observatory.survey import survey as surveys
from readfirst.observatory.survey.compatibility import RuleScenario, implementations_data, known_scenarios
from readfirst.observatory.survey.packed_results import unpack_results
from readfirst.observatory.survey.page import page, result_data, target_result
from readfirst.observatory.survey.survey import Survey, SurveyError
from readfirst.observatory.targets.catalogue import find
from readfirst.observatory.targets.mapping import Target
from tests.judging import SUITE
from tests.newest import NEWEST

from .made_verdicts import verdict, verdicts

DATA = Path(__file__).parents[3] / "docs" / "implementations.json"
CONTRACTS = ["2.1.7"]
BOTH = [SUITE.contracts.default, SUITE.contracts.latest.name]


@pytest.fixture
def target() -> Target:
    return find("server-filesystem")


@cache
def load_known_scenarios() -> tuple[RuleScenario, ...]:
    return tuple(known_scenarios(SUITE))


def test_a_result_counts_levels_and_what_is_not_claimed(target: Target) -> None:
    data = target_result(target, verdicts(), SUITE, CONTRACTS)
    assert [data[name] for name in ("scenarios", "judged", "error", "unsupported")] == [4, 3, 1, 1]
    assert data["holds"] == {"effects": 1, "reason": 1, "text": 1}
    assert data["lacks"] == {"parallel": 1}
    assert data["harm"] == {
        "sessions": 2,
        "counts": {**dict.fromkeys(KINDS, 0), "misplaced": 1},
        "scenarios": {"misplaced": {"matching": "two-matches"}},
        "shortest": {
            "misplaced": {
                "scenario": "matching/two-matches",
                "title": "An old_string that occurs twice is refused with the number of matches",
                "steps": 2,
                "step": 2,
                "line": "misplaced: the first of several places in notes.txt",
            }
        },
    }


def test_the_newest_version_is_compared_with_beside_the_first(target: Target) -> None:
    both = ["2.1.7", NEWEST]
    newer = [replace(each, contract=NEWEST) for each in verdicts()]
    result = target_result(target, iter([*verdicts(), *newer[:1]]), SUITE, both)
    assert result["harm"]["sessions"] == 2
    assert unpack_results(result["reach"][NEWEST]) == {"matching/two-matches": "nothing"}
    data = result_data([result], both, "2026-01-01", "")
    assert SUITE.rules is not None
    survey = {**data, "targets": [{**each, "date": ""} for each in data["targets"]]}
    asked = map(SUITE.scenario, {each.scenario_id for each in verdicts()})
    few = [RuleScenario(each.id, each.rule, each.length) for each in asked]
    table = implementations_data(SUITE.rules, few, survey)
    for contract, judged in (("2.1.7", 2), (NEWEST, 1)):
        rules = for_contract(table, contract)["rules"]
        counts = [each["implementations"][target.pinned]["judged"] for each in rules.values()]
        assert sum(counts) - (contract == "2.1.7") == judged
    with pytest.raises(ValueError, match=rf"compared with 2\.1\.7 and {re.escape(NEWEST)}"):
        for_contract(table, "1.0.60")


class Stage:
    """Performs surveys of a few scenarios in a directory, with made-up verdicts. `asked` contains the scenarios of each
    run.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.asked = folder, list[list[str]]()
        self.every, self.ids = list(verdicts()), [each.scenario_id for each in verdicts()]
        monkeypatch.setattr(surveys, "run", self._judge)
        monkeypatch.setattr(surveys, "baseline_path", lambda *_: folder / "baseline.yaml")
        monkeypatch.setattr(Suite, "ids", lambda _: self.ids)

    def _judge(
        self, _suite: Any, _to: Any, _contracts: Any, _level: Any, ids: list[str], *_: Any, **__: Any
    ) -> Any:
        self.asked.append(ids)
        every = [*self.every, *(replace(each, contract=NEWEST) for each in self.every)]
        return (each for each in every if each.scenario_id in ids)

    def survey(self, **options: Any) -> Survey:
        """Return a survey that uses the results that the directory already contains."""
        survey = Survey(SUITE, self.folder, **options)
        survey.load_stored_results()
        return survey

    def run_survey(self, target: Target, **options: Any) -> Survey:
        """Run one target, write its results, and return the survey."""
        survey = self.survey(**options)
        survey.run(target)
        survey.write([target.pinned])
        return survey


def test_the_page_has_the_most_harmful_first_and_the_worst_of_each(target: Target) -> None:
    worse = replace(target, name="worse")
    lost = Harm(1, 0, "lost", "notes.txt", "line 1 of notes.txt")
    more = [replace(each, harms=(lost, *each.harms)) for each in verdicts()]
    results = [
        target_result(target, verdicts(), SUITE, CONTRACTS),
        target_result(worse, more, SUITE, CONTRACTS),
        target_result(replace(target, name="untried"), [], SUITE, CONTRACTS),
    ]
    for result, date in zip(results, ("2026-01-01", "2025-12-30", "2026-01-01"), strict=True):
        result["date"] = date
    text = page(result_data(results, CONTRACTS, "2026-01-01", "readfirst x"))
    assert "was run between 2025-12-30 and 2026-01-01 in up to 4 scenarios" in text
    assert "was run on 2026-01-01 in" in page(
        result_data(results[:1], CONTRACTS, "2026-01-01", "readfirst x")
    )
    home = "https://github.com/modelcontextprotocol/servers"
    assert f"| [server-filesystem@2026.8.31]({home}) | ungated | 2 | 50.0% | 0 | 1 | 0 |" in text
    scenario = "[matching/two-matches](../fixtures/scenarios/matching/two-matches.yaml)"
    assert f"| worse@2026.8.31 | lost: line 1 of notes.txt | {scenario} |" in text
    assert text.index("| [worse@") < text.index("| [server-filesystem@")
    assert "Not yet judged by harm: untried@2026.8.31." in text
    assert text.count("untried@") == 1


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


@pytest.mark.slow
def test_a_survey_writes_both_files_and_keeps_other_targets(
    target: Target, stage: Stage, tmp_path: Path
) -> None:
    first = stage.survey()
    first.run(target, baseline=True)
    first.write(["server-filesystem@2026.8.31"])
    entry = 'scenario: matching/two-matches, contract: "2.1.7", level: safe, reason: "not explained yet"'
    assert entry in (tmp_path / "baseline.yaml").read_text()
    second = stage.survey()
    second.run(find("agno"))
    second.write(["agno@3.1.10", "server-filesystem@2026.8.31"])
    data = json.loads((tmp_path / "implementations.json").read_text())
    assert [each["target"] for each in data["targets"]] == ["agno@3.1.10", "server-filesystem@2026.8.31"]
    assert (tmp_path / "implementations.md").read_text() == page(data)
    assert SUITE.rules is not None
    table = for_contract(implementations_data(SUITE.rules, load_known_scenarios(), data), "2.1.7")
    assert table["rules"]["ambiguous-match"]["implementations"]["agno@3.1.10"] == {
        "holds": "no",
        "scenarios": sum(each.rule == "ambiguous-match" for each in load_known_scenarios()),
        "judged": 1,
        "holding": 0,
        "shortest": "matching/two-matches",
    }


def test_only_missing_scenarios_are_run_and_added(target: Target, stage: Stage) -> None:
    ids, stage.ids = stage.ids, stage.ids[:2]
    stage.run_survey(target)
    stage.ids = ids
    second = stage.survey(only_missing=True)
    added = second.run(target)
    assert stage.asked == [ids[:2], ids[2:]]
    newest = (replace(each, contract=NEWEST) for each in verdicts())
    assert added == target_result(target, chain(verdicts(), newest), SUITE, BOTH) | {"date": added["date"]}
    second.write([target.pinned])
    third = stage.survey(only_missing=True)
    assert third.scenarios_to_run(target) == ["gate/edit-unread"]  # it broke
    stage.every[3] = verdict("gate/edit-unread", "passed")
    third.run(target)
    third.write([target.pinned])
    [mended] = json.loads(third.files[0].read_text("utf-8"))["targets"]
    assert (mended["scenarios"], mended["judged"], mended["error"]) == (4, 3, 0)
    third.load_stored_results()
    assert third.scenarios_to_run(target) == []
    strict = replace(target, release=replace(target.release, design="strict"))
    assert third.scenarios_to_run(strict) == ids, "a result of another design is not added to"
    edit = replace(target.tools["Edit"], unsupported_files=("notes.*",))
    narrower = replace(target, tools={**target.tools, "Edit": edit})
    assert third.scenarios_to_run(narrower), "what a mapping leaves out since is not known"
    assert "spread evenly" not in third.files[1].read_text("utf-8")


def test_results_are_carried_over_to_a_newer_newest_contract(
    target: Target, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = stage.run_survey(target)
    text = first.files[0].read_text("utf-8")
    first.files[0].write_text(text.replace(f'"{NEWEST}"', '"2.1.900"'))
    monkeypatch.setattr(surveys, "derive_transcript", lambda recording, name: recording.transcripts[NEWEST])
    second = stage.survey(only_missing=True)
    assert second.scenarios_to_run(target) == ["gate/edit-unread"]  # it broke
    changed = SUITE.recordings.recording("matching/unique-match")
    monkeypatch.setattr(
        surveys,
        "derive_transcript",
        lambda recording, name: None if recording == changed else recording.transcripts[NEWEST],
    )
    third = stage.survey(only_missing=True)
    assert third.scenarios_to_run(target) == ["matching/unique-match", "gate/edit-unread"]
    third.run(target)
    third.write([target.pinned])
    assert json.loads(third.files[0].read_text("utf-8"))["targets"] == json.loads(text)["targets"]


def test_a_sample_is_spread_evenly_is_the_same_for_each_and_says_how_certain_it_is(
    target: Target, stage: Stage
) -> None:
    ids, asked = stage.ids, stage.asked
    first = stage.run_survey(target)
    data = json.loads(first.files[0].read_text("utf-8"))
    data["targets"][0]["harm"] |= {"sessions": 0, "scenarios": {}, "shortest": {}}
    first.files[0].write_text(json.dumps(data))
    sizes, pages = [], []
    for count in (2, 3):
        survey = stage.survey(sample=count)
        result = survey.run(target)
        survey.write([target.pinned])
        sizes.append(result["harm"]["sessions"])
        pages.append(survey.files[1].read_text("utf-8"))
    assert {*asked[1]} <= {*surveys.sample_ids(ids, 2)}
    assert {*asked[1]} & {*asked[2]} <= {"gate/edit-unread"}, (
        "what was asked, and did not break, is asked again"
    )
    assert sizes == [len({*surveys.sample_ids(ids, count)} & {*ids[:2]}) for count in (2, 3)]
    assert "Asked only a sample of the sessions, spread evenly" in pages[0]
    assert r"| 1 | 0.0%\* (0–79) |" in pages[0]
    assert "spread evenly" not in pages[1], "both that can be asked have been"


def test_a_sample_takes_its_part_of_every_family_and_a_larger_one_has_it() -> None:
    ids = [f"{family}/{number}" for family in "abcd" for number in range(500)]
    small, large = surveys.sample_ids(ids, 200), surveys.sample_ids(ids, 400)
    assert len(small) == 200
    assert {*small} <= {*large}
    assert all(30 <= sum(each.startswith(f"{family}/") for each in small) <= 70 for family in "abcd")


def test_a_result_with_a_scenario_that_is_gone_is_not_added_to(target: Target, stage: Stage) -> None:
    ids, stage.ids = stage.ids, ["gate/renamed-since"]
    stage.every = [verdict("gate/renamed-since", "passed")]
    stage.run_survey(target)
    stage.ids = ids
    second = stage.survey(only_missing=True)
    with pytest.raises(
        SurveyError, match=r"gate/renamed-since, which is not in the suite any more.*--missing"
    ):
        second.scenarios_to_run(target)


def test_earlier_results_that_are_damaged_are_reported(tmp_path: Path) -> None:
    (tmp_path / "implementations.json").write_text("{}")
    with pytest.raises(
        JsonFileError, match=r"implementations\.json is not in the expected format: .*Remove it"
    ):
        Survey(SUITE, tmp_path).load_stored_results()


def load_committed_data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(DATA.read_text())
    return data


def test_the_committed_page_is_that_of_the_committed_data() -> None:
    assert DATA.with_suffix(".md").read_text() == page(load_committed_data())


def test_every_scenario_that_the_data_names_is_there() -> None:
    known = set(SUITE.ids())
    for each in load_committed_data()["targets"]:
        named = {shown["scenario"] for shown in each["harm"]["shortest"].values()}
        assert named <= known, each["target"]


def test_streams_are_written_whole_and_ruled_by_the_new_baseline(
    target: Target, stage: Stage, tmp_path: Path
) -> None:
    stage.survey(streams=tmp_path / "streams", version="1.0").run(target, baseline=True)
    (run,) = read_stream(tmp_path / "streams" / "server-filesystem@2026.8.31.jsonl")
    assert (run.target, run.level, run.version) == ("target:server-filesystem@2026.8.31", "reason", "1.0")
    assert not run.conformant  # the baseline needs a reason by a person for a harm
    failed, ruling = run.verdicts["matching/two-matches"]
    assert [each.what for each in failed.differences] == ["refused", "file notes.txt"]
    assert "Write as its reason why that is accepted" in ruling.stale
    ended, ruling = run.verdicts["gate/edit-unread"]
    assert (ended.status, ruling.accepted, ruling.needs_reason) == ("error", "", True)


def test_a_stream_without_a_baseline_is_of_a_run_that_fails(
    target: Target, stage: Stage, tmp_path: Path
) -> None:
    stage.survey(streams=tmp_path).run(target)
    (run,) = read_stream(tmp_path / "server-filesystem@2026.8.31.jsonl")
    assert not run.conformant

"""Mutants are reported unless a case kills them, and reasons for accepted mutants must stay valid."""

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import scenarios
from confinement import Confined
from measurement import Cases, measure
from mutants import Mutant, mutants_of
from page import score
from panel import file_of, module_at
from results import Results, digest
from run import CHECKOUT, WITNESSES, report
from survivors import KINDS, Survivors, SurvivorsError, entry_text, load_survivors
from tiny_package import CASES, EQUIVALENT, SOURCE, TABLE, WRONG, expects, panel, reaching
from trial import MutantResult, trials
from witnesses import MANY, load_witnesses, witnesses_text

from readfirst.harness.suite.contracts import Contract, Contracts, contract_sort_key
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import Clause, Expectation, Given, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import (
    RecordedResult,
    Recording,
    RecordingError,
    Transcript,
    TranscriptStep,
)
from tests.rows import rows

pytestmark = pytest.mark.mutation


def fates(*mutants: Mutant, cases: Mapping[str, Callable[[], str]] = CASES) -> list[MutantResult]:
    return list(trials(panel(cases), reaching(cases), mutants, jobs=1))


def fate(one: Mutant, cases: Mapping[str, Callable[[], str]] = CASES) -> MutantResult:
    return fates(one, cases=cases)[0]


@rows(
    ("changed", "by", "how", "asked"),
    [
        (WRONG, "small", "3, not 1", None),
        (EQUIVALENT, "", "", 2),
        (TABLE, "large", None, None),
        (replace(WRONG, reached_by=frozenset({99})), "", "", 0),
        (replace(WRONG, source="import nothing_of_that_name"), "the import", None, None),
        (replace(WRONG, source="import os; os._exit(3)"), "the trial", None, None),
        (
            replace(WRONG, source="clipped = None"),
            "small",
            "TypeError: 'NoneType' object is not callable",
            None,
        ),
    ],
)
def test_a_mutant_is_killed_by_the_first_case_that_notices_it(
    changed: Mutant, by: str, how: str | None, asked: int | None
) -> None:
    found = fate(changed)
    assert (found.killed, found.by) == (bool(by), by)
    assert how in (None, found.how)
    assert asked in (None, found.asked)


def test_what_the_import_executes_is_changed_before_the_import() -> None:
    source = SOURCE.replace(
        "LIMIT = 3", "LIMIT = 3\n\n\ndef doubled(number):\n    return 2 * number\n\n\nTWICE = doubled(LIMIT)"
    )
    changed = replace(
        WRONG, function="doubled", source=source.replace("2 *", "3 *"), reached_by=frozenset({5})
    )

    def holds() -> str:
        from tiny.bounds import TWICE  # type: ignore[attr-defined]

        return "" if TWICE == 6 else f"{TWICE}, not 6"

    cases = Cases({"twice": 0.0}, {}, imported=frozenset({("bounds", 5)}))
    tried = replace(panel({"twice": holds}), sources={"__init__": "", "bounds": source})
    [found] = trials(tried, cases, [changed], 1)
    assert (found.by, found.how) == ("twice", "9, not 6")


def test_a_case_that_kills_after_many_others_becomes_a_witness() -> None:
    others = {f"other-{n:02}": lambda: "" for n in range(MANY)}
    [late] = fates(WRONG, cases={**others, "small": CASES["small"]})
    assert (late.by, late.asked) == ("small", MANY + 1)
    assert json.loads(witnesses_text([late], {})) == {WRONG.described: "small"}
    soon, before = replace(late, asked=1), {WRONG.described: "small"}
    assert json.loads(witnesses_text([soon], before)) == before, "it is kept"
    assert json.loads(witnesses_text([soon], {WRONG.described: "large"})) == {}, (
        "another case kills it by now"
    )
    survived = witnesses_text([fate(EQUIVALENT)], {EQUIVALENT.described: "small"})
    assert json.loads(survived) == {}


def test_the_witnesses_are_cases_of_this_suite() -> None:
    scenarios_of = {case.partition(" ")[2] for case in load_witnesses(WITNESSES).values()}
    assert scenarios_of
    assert scenarios_of <= set(Suite(CHECKOUT / "fixtures").ids())


def test_a_change_knows_the_texts_of_its_statement_and_the_arguments_it_is_a_part_of() -> None:
    source = 'LIMIT = limit(\n    3,\n    shown_by=(\n        "large",\n    ),\n)\n'
    found = {each.line: (each.texts, each.within) for each in mutants_of("bounds", source)}
    assert found[2] == (frozenset({"large"}), frozenset())
    assert found[4] == (frozenset({"large"}), frozenset({"shown_by"}))


def test_a_run_goes_on_from_the_results_of_another(tmp_path: Path) -> None:
    file = tmp_path / "results"
    Results(file, "a reference").add(MutantResult(WRONG, "small", "3, not 1", 2))
    with file.open("a") as other:
        other.write('["bounds.clipped", "interru')
    assert Results(file, "a reference").of([EQUIVALENT, WRONG]) == [
        MutantResult(WRONG, "small", "3, not 1", 2)
    ]
    assert Results(file, "another").of([WRONG]) == [], "results about something else do not count"
    assert Results(file, "a reference").of([WRONG]) == [], "it was started again"


def test_what_is_judged_has_a_number_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "rule.py").write_text("a")
    before = digest([tmp_path / "rule.py"])
    assert before == digest([tmp_path / "rule.py"])
    (tmp_path / "rule.py").write_text("b")
    assert before != digest([tmp_path / "rule.py"])


def test_a_case_executes_what_another_one_left_in_a_cache(tmp_path: Path) -> None:
    cached = f"from functools import cache\n\n\n@cache\n{SOURCE.partition('= 3')[2].strip()}\nLIMIT = 3\n"
    folder = tmp_path / "tiny"
    folder.mkdir()
    sources = {"__init__": "", "bounds": cached}
    for module, source in sources.items():
        (folder / file_of(module)).write_text(source)
    twice = {"one": expects(9, 3), "another": expects(9, 3)}
    measured = measure(replace(panel(twice), folder=folder, sources=sources))
    line = next(n for n, text in enumerate(cached.splitlines(), start=1) if "return LIMIT" in text)
    assert sorted(measured.names(measured.that_execute({("bounds", line)}))) == ["another", "one"]


def test_a_mutant_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trial._EXTRA_TIMEOUT_S", 0.05)
    started = time.monotonic()
    found = fate(replace(WRONG, source="while True: pass"))
    assert (found.killed, found.by) == (True, "the time limit")
    assert time.monotonic() - started < 5


def test_a_mutant_cannot_write_outside_its_trial(tmp_path: Path) -> None:
    outside = tmp_path / "file"
    outside.write_text("whole")
    actions = (
        f"open({os.fspath(outside)!r}, 'w')",
        f"os.remove({os.fspath(outside)!r})",
        f"os.rename({os.fspath(outside)!r}, 'mine')",
        f"os.mkdir({os.fspath(tmp_path / 'made')!r})",
    )
    for action in actions:
        found = fate(replace(WRONG, source=f"import os\n{action}"))
        assert "PermissionError" in found.how
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert outside.read_text() == "whole"


def test_the_score_counts_survivors_against_the_cases() -> None:
    assert score(fates(WRONG, TABLE, EQUIVALENT, EQUIVALENT)) == 50.0


def survivors(tmp_path: Path, *entries: str, left_out: str = "[]", kind: str = "equivalent") -> Survivors:
    file = tmp_path / "survivors.yaml"
    text = f"left_out: {left_out}\nsurvivors:"
    if entries:
        text += f"\n  - kind: {kind}\n    because: reasons\n    mutants:\n"
        text += "\n".join(entries)
    else:
        text += " []"
    file.write_text(text + "\n")
    return load_survivors(file)


MOSTLY_KILLED = [*[WRONG] * 99, EQUIVALENT]
ONCE_KILLED = [WRONG, EQUIVALENT]


@rows(
    ("judged", "accepted", "kind", "code", "printed"),
    [
        (MOSTLY_KILLED, [], "equivalent", 1, "1 survivors without a reason"),
        (MOSTLY_KILLED, [], "equivalent", 1, entry_text(EQUIVALENT)),
        (MOSTLY_KILLED, [], "equivalent", 1, "| 100 | 99 | 0 | 0 | 1 | 99.0 % | 99.0 % |"),
        (
            MOSTLY_KILLED,
            [EQUIVALENT],
            "equivalent",
            0,
            "| 100 | 99 | 1 | 0 | 0 | 99.0 % | 100.0 % |",
        ),
        *((ONCE_KILLED, [EQUIVALENT], kind, 1, "is 50.0 %, less than 95 %") for kind in KINDS),
        ([WRONG], [WRONG], "equivalent", 1, "this mutant does not survive, small kills it"),
        ([WRONG], [EQUIVALENT], "equivalent", 1, "survivors.yaml:6:9: this mutant no longer exists"),
        ([WRONG], [replace(EQUIVALENT, module="other")], "equivalent", 0, ""),
    ],
)
def test_a_run_reports_survivors_without_a_reason_and_stale_reasons(
    judged: list[Mutant],
    accepted: list[Mutant],
    kind: str,
    code: int,
    printed: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = {each.after: fate(each) for each in judged[-2:]}
    known = survivors(tmp_path, *map(entry_text, accepted), kind=kind)
    made = [*dict.fromkeys(judged)]
    assert report([found[each.after] for each in judged], made, ["bounds"], known) == code
    assert printed in capsys.readouterr().out


def test_a_part_of_the_mutants_has_no_score_to_reach(tmp_path: Path) -> None:
    accepted = survivors(tmp_path, entry_text(EQUIVALENT))
    assert report([fate(EQUIVALENT)], [EQUIVALENT], ["bounds"], accepted, least=0) == 0


def test_what_is_left_out_is_not_judged_and_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left_out = "[{where: bounds.clipped, because: reasons}, {where: bounds.clip, because: reasons}]"
    found = survivors(tmp_path, left_out=left_out)
    assert found.judged([WRONG, TABLE]) == [TABLE]
    assert report([fate(TABLE)], [WRONG, TABLE], ["bounds"], found) == 1
    printed = capsys.readouterr().out
    assert "no mutant is in bounds.clip " in printed
    assert "no mutant is in bounds.clipped " not in printed


def test_an_argument_that_is_left_out_is_so_wherever_it_is_given(tmp_path: Path) -> None:
    found = survivors(tmp_path, left_out="[{argument: code, because: reasons}]")
    before = 'refuse("a", code=4)'
    others = {
        after: replace(WRONG, before=before, after=after)
        for after in ("refuse(None, code=4)", "refuse(code=4)")
    }
    left_out = [
        replace(WRONG, before=before, after=after)
        for after in ('refuse("a", code=5)', 'refuse("a", code=None)', 'refuse("a", )')
    ]
    left_out.append(replace(WRONG, before='f(code=("a", "b"))', after='f(code=("XXaXX", "b"))'))
    left_out.append(replace(WRONG, before="f(code=error.code)", after="f(code=None)"))
    left_out.append(replace(WRONG, before='f(1, code="a "\n"b")', after="f(1, )"))
    assert found.judged([*others.values(), *left_out]) == list(others.values())


def test_a_survivor_that_is_listed_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SurvivorsError, match="listed twice"):
        survivors(tmp_path, entry_text(WRONG), entry_text(WRONG))


def test_the_list_of_survivors_speaks_of_lines_that_are_there() -> None:
    listed = load_survivors(CHECKOUT / "observatory" / "tools" / "mutation" / "survivors.yaml")
    folder = CHECKOUT / "reference_impl"
    sources = {
        f"{module_at(path, folder)}.": "\n".join(line.strip() for line in path.read_text("utf-8").split("\n"))
        for path in folder.rglob("*.py")
    }
    for each in listed.accepted:
        where, before, *_ = each.key
        wanted = "\n".join(line.strip() for line in before.split("\n"))
        assert any(wanted in text for module, text in sources.items() if f"{where}.".startswith(module)), (
            f"{each.position}: the reference has no such lines; run the mutation again"
        )


def test_a_version_is_asked_only_where_it_expects_something_else_than_its_neighbour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("1.0.1", "1.0.2", "2.1.7", "2.1.8", "2.1.9", "2.1.10")
    contracts = Contracts("2.1.7", tuple(Contract(name, version=name) for name in names))
    says = ("Old.", "Old.", "Old.", "Old.", "New.", "New.")
    transcripts = {name: make_transcript(text) for name, text in zip(names, says, strict=True)}
    read = ToolCall("Read", {}, expect=Expectation(Clause(text="Old.")))
    scenario = Scenario("a/b", "A title", "must", Given(), (read,), "2.1.7", "asked")
    recordings = Recordings(tmp_path)
    monkeypatch.setattr(recordings, "recording", lambda _: Recording("asked", transcripts))
    suite: Any = SimpleNamespace(contracts=contracts, recordings=recordings)
    assert list(scenarios.asked_under(scenario, suite)) == ["2.1.7", "documented", "2.1.8", "2.1.9"]
    del transcripts["2.1.9"]
    assert list(scenarios.asked_under(scenario, suite)) == ["2.1.7", "documented", "2.1.8", "2.1.10"]
    transcripts["1.0.3"] = make_transcript("Old.")
    assert list(scenarios.asked_under(scenario, suite))[-1] == "1.0.3", "a version between contracts"
    with pytest.raises(RecordingError, match="readfirst product record --fix a/b"):
        list(scenarios.asked_under(replace(scenario, inputs="asked otherwise"), suite))


def make_transcript(text: str) -> Transcript:
    return Transcript((TranscriptStep(("Read",), (RecordedResult(text),)),))


def test_every_version_is_judged_by_its_own_recording(tmp_path: Path) -> None:
    kept = ("contracts.yaml", "errors.yaml", *FILES)
    for name in kept:
        copy = tmp_path / "fixtures" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((CHECKOUT / "fixtures" / name).read_bytes())
    (tmp_path / "reference_impl").symlink_to(CHECKOUT / "reference_impl")
    true = failures_by_case(tmp_path)
    assert {"2.1.7 gate/edit-unread", "2.1.228 gate/edit-unread", "2.1.281 gate/edit-unread"} < true.keys()
    assert not any(true.values())
    recording = tmp_path / "fixtures" / FILES[1]
    done = "The file $WS/notes.txt has been updated successfully."
    text = recording.read_text("utf-8")
    recording.write_text(text.replace(f'"{done}"', '"Done."'), "utf-8")
    wrong = {case for case, how in failures_by_case(tmp_path).items() if how == "failed: text"}
    later = {
        case for case in true if contract_sort_key(case.partition(" ")[0]) >= contract_sort_key("2.1.281")
    }
    assert wrong == {case for case in later if "+gated" not in case} != set()


FILES = ("scenarios/gate/edit-unread.yaml", "recordings/gate/edit-unread.json")


def failures_by_case(checkout: Path) -> dict[str, str]:
    """Return each test case's failure on the unchanged reference, or an empty text if it passes."""
    judging = scenarios.scenario_panel(checkout, {})

    def judge_all() -> dict[str, str]:
        judge = judging.open_judge({})
        return {case: judge(case) for case in judging.cases}

    confined = Confined(judge_all)
    try:
        return dict(confined.result())
    finally:
        confined.end()


def test_mutants_are_made_of_functions_and_of_tables_but_not_of_the_list_of_exports() -> None:
    source = f'"""Bounds."""\n\n__all__ = ["clipped"]\n{SOURCE}'
    found: dict[tuple[str, str], Any] = {
        (each.before, each.after): each for each in mutants_of("bounds", source)
    }
    turned = found["if number > LIMIT:", "if number >= LIMIT:"]
    assert (turned.function, turned.line, turned.reached_by) == ("clipped", 8, frozenset({8}))
    table = found["LIMIT = 3", "LIMIT = 4"]
    assert (table.function, table.reached_by, table.names) == ("", frozenset(), frozenset({"LIMIT"}))
    assert all("clipped" not in before for before, _ in found)
    assert all(compile(each.source, "bounds.py", "exec") for each in found.values())

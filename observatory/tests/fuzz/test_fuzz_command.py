"""`readfirst fuzz`: its exit codes, the files that it writes, and its list of accepted disagreements."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.generate import scenarios
from readfirst.observatory.fuzz.known_disagreements import load_scenario
from tests.command_line import exit_code
from tests.rows import rows

WRONG = Path(__file__).parents[3] / "tests" / "wrong_implementations"
TARGET = "python:wrong_answers:TabAfterLineNumber"
Fuzz = Callable[..., int]

FEW = ("--steps", "5")
"""A short search, long enough to find the fault of TARGET, which prints a tab after each line number."""


@pytest.fixture
def fuzz(tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch) -> Fuzz:
    monkeypatch.chdir(WRONG)

    def command(*arguments: str) -> int:
        return exit_code("fuzz", "--output", tmp_path / "found", "--fixtures", small, *arguments)

    return command


def list_found_files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "found").glob("*.yaml"))


def test_agreement_is_success_and_writes_nothing(
    fuzz: Fuzz, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz("reference", "--steps", "100") == 0
    assert list_found_files(tmp_path) == []
    assert "level text, seed 0: 0 disagreements" in capsys.readouterr().err


def test_a_disagreement_becomes_a_scenario_file_that_shows_it(
    fuzz: Fuzz, tmp_path: Path, suite: Suite, place: WorkspacePool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz(TARGET, "--steps", "20") == 1
    path = list_found_files(tmp_path)[0]
    scenario = load_scenario(path, tmp_path, suite.contracts, require_expect=False)
    assert [step.tool for step in scenario.calls()] == ["Read"]  # type: ignore[attr-defined]
    assert "answer. The reference: " in scenario.about
    printed = capsys.readouterr().out
    assert f"{path}: Read: done by the target, done by the reference (text)" in printed
    assert "\nRules that are probably broken, worst first: 1\nwording\n" in printed
    assert "  numbered-lines; the suite shows it, too: read-output/numbered-lines\n" in printed
    assert scenario.rule == "numbered-lines"
    outcome = replay(scenario, ReferenceAdapter("2.1.7"), place)
    assert outcome.error is None


@pytest.mark.slow
def test_a_known_disagreement_is_accepted_and_is_an_error_once_it_is_gone(
    fuzz: Fuzz, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fuzz(TARGET, "--steps", "20")
    paths = list_found_files(tmp_path)
    entries = [f"  - scenario: found/{path.name}\n    reason: It prints tabs.\n" for path in paths]
    known = tmp_path / "known.yaml"
    known.write_text("known:\n" + "".join(entries))
    capsys.readouterr()
    assert fuzz(TARGET, "--steps", "20", "--known", str(known)) == 0
    assert "0 new causes" in capsys.readouterr().err
    assert fuzz("reference", "--steps", "20", "--known", str(known)) == 1
    assert f"{paths[0]}: no longer a disagreement; remove it from {known}" in capsys.readouterr().out


@pytest.mark.usefixtures("in_process")
def test_what_the_baseline_accepts_or_breaks_rules_of_other_classes_is_counted_and_not_reported(
    fuzz: Fuzz, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline = tmp_path / "accepted.yaml"
    accepted = "{scenario: read-output/numbered-lines, contract: 2.1.7, level: text, reason: It prints tabs.}"
    baseline.write_text(f"name: mine\naccepted:\n  - {accepted}\n")
    assert fuzz(TARGET, *FEW, "--baseline", str(baseline)) == 0
    assert "0 new causes, 1 cause that the baseline accepts\n" in capsys.readouterr().err
    assert fuzz(TARGET, *FEW, "--class", "safety") == 0
    assert "0 new causes, 1 cause whose rule is not in the requested classes\n" in capsys.readouterr().err
    assert list_found_files(tmp_path) == []
    assert fuzz(TARGET, *FEW, "--class", "wording") == 1
    assert fuzz(TARGET, "--level", "safe", "--class", "safety") == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("known:\n  - scenario: gone.yaml\n    reason: Why.\n", "3:15: there is no file 'gone.yaml'"),
        ("known:\n  - scenario: a.yaml\n", "reason"),
        ("accepted: []\n", "accepted"),
    ],
)
def test_a_wrong_list_of_known_disagreements_is_explained(
    text: str, message: str, fuzz: Fuzz, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "known.yaml"
    known.write_text(text)
    assert fuzz("reference", "--known", str(known)) == 4
    assert message.removeprefix("3:15: ") in capsys.readouterr().err


def test_an_interrupted_search_shows_how_far_it_came(
    fuzz: Fuzz, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def yield_three_scenarios(seed: int, **_: object) -> Iterator[Scenario]:
        yield from islice(scenarios(seed), 3)
        raise KeyboardInterrupt

    monkeypatch.setattr("readfirst.observatory.fuzz.search.scenarios", yield_three_scenarios)
    assert fuzz("reference") == 130
    assert "in 3 scenarios on reference and the reference" in capsys.readouterr().err


@rows(
    ("arguments", "code", "message"),
    [
        (("reference", "--steps", "0"), 5, "0 steps in 0 scenarios"),
        (("reference", "--contract", "2.1.270", "--steps", "9"), 0, "0 disagreements"),
        (("reference", "--level", "verbatim"), 2, "which generated scenarios lack. Use text"),
        (("no-such-kind",), 2, "no-such-kind"),
        (("python:nowhere:Tools", "--steps", "20"), 2, "there is no module nowhere"),
        (("reference", "--contract", "0.0.1"), 2, "0.0.1"),
        (("reference", "--against", "no-such-kind"), 2, "no-such-kind"),
        (("reference", "--minutes", "0"), 2, "minutes"),
        (("--against", TARGET), 2, f"Write: readfirst fuzz {TARGET}\n"),
        ((), 2, "Write: readfirst fuzz 'mcp:node server.mjs'\n"),
    ],
)
def test_options_decide_about_the_exit_code(
    arguments: tuple[str, ...], code: int, message: str, fuzz: Fuzz, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz(*arguments) == code
    printed = capsys.readouterr().err
    assert message in printed
    assert ("disagreements" in printed) == (code != 2), "without a connection there is no result"


@pytest.mark.slow
def test_any_two_sides_can_be_compared(
    fuzz: Fuzz, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz("reference", "--against", TARGET, "--steps", "20") == 1
    captured = capsys.readouterr()
    assert f"done by {TARGET} (text)" in captured.out
    assert f"scenarios on reference and {TARGET}, level text" in captured.err
    assert f"The {TARGET}: " in " ".join(list_found_files(tmp_path)[0].read_text().split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "most"), [(("0.01",), 2000), (("60", "--steps", "30"), 60)], ids=["minutes", "steps"]
)
def test_of_steps_and_minutes_what_comes_first_ends_a_search(
    limits: tuple[str, ...], most: int, fuzz: Fuzz, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz("reference", "--level", "effects", "--minutes", *limits) == 0
    assert 0 < int(capsys.readouterr().err.splitlines()[-1].split()[0]) < most


@pytest.mark.usefixtures("in_process")
def test_what_is_found_last_is_counted(fuzz: Fuzz, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz(TARGET, "--steps", "1", "--seed", "1") == 1
    assert ": 1 disagreement, 0 of them known, 1 new cause" in capsys.readouterr().err

import json
import shutil
from pathlib import Path

import pytest
import yaml

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.harm.harm import Harm
from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli
from tests.format import keeps
from tests.format.test_private_suites import BUNDLED, EXTENDED, HOUSE, UNREAD, private

Words = tuple[object, ...]


def with_bundled(root: object) -> Words:
    """Return the options for the bundled suite and this suite."""
    return "--fixtures", "bundled", "--fixtures", root


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    return private(tmp_path / "ours", {"suite.yaml": 'name: ours\nversion: "0.1"\n'})


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A suite with a contract that has expected results only for the scenarios of this suite."""
    return private(tmp_path / "house", {"contracts.yaml": HOUSE})


@pytest.fixture
def extended(tmp_path: Path) -> Path:
    """A suite with a contract that extends 2.1.7."""
    return private(tmp_path / "house", {"contracts.yaml": EXTENDED})


def test_one_run_with_one_report_and_one_baseline_may_use_two_suites(
    readfirst: Cli, ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(keeps.__file__, tmp_path / "keeps.py")
    both = with_bundled("ours")
    target = ("python:keeps:Keeps", "--level", "effects")
    chosen = (UNREAD, "drafts/save", *both, "--baseline", "accepted.yaml")
    ran = readfirst("run", *target, *chosen, "--update-baseline")
    assert (ran.code, "wrote 2 entries to accepted.yaml\n" in ran.err) == (0, True)
    accepted = yaml.safe_load((tmp_path / "accepted.yaml").read_text())["accepted"]
    assert {entry["scenario"] for entry in accepted} == {"drafts/save", UNREAD}
    ran = readfirst("run", *target, *chosen)
    assert ran.code == 0
    assert "2 scenarios: 0 passed, 2 failed, 2 of these accepted by the baseline; conformant\n" in ran.out
    explained = readfirst("run", *target, "drafts/save", *both, "--failures", "all").out
    again = f"readfirst run {target[0]} --contract 2.1.7 --level effects --fixtures bundled --fixtures ours"
    assert f"reproduce: {again}" in explained
    assert "FAILED drafts/save (2.1.7, must, level effects, expected by hand)" in explained
    assert "blame: implementation, or the expectation, which was written by hand" in explained
    assert str(ours) not in explained


def test_header_json_lines_badge_and_pages_name_the_suites(
    readfirst: Cli, ours: Path, tmp_path: Path
) -> None:
    file = tmp_path / "run.jsonl"
    ran = readfirst("run", "--fixtures", ours, "--format", "jsonl", "--output", file)
    assert "reference on 2.1.7, level text; ours 0.1\n" in ran.out
    assert "\nexpected by hand, not recorded: 1 scenario\n" in ran.out
    header, verdict, _ = map(json.loads, file.read_text().splitlines())
    assert (header["suite"], verdict["by_hand"]) == ("ours 0.1", True)
    badge = json.loads(readfirst("report", file, "--format", "badge", "--fixtures", ours).out)
    assert (badge["label"], badge["color"]) == ("ours 0.1 on 2.1.7", "brightgreen")
    for page, suite in (("markdown", "Suite: ours 0.1\n"), ("html", "with the suite ours 0.1")):
        text = readfirst("report", file, "--format", page, "--fixtures", ours).out
        assert suite in text
        assert "expected by hand, not recorded: 1 scenario" in text
    part = readfirst("run", UNREAD, *with_bundled(ours), "--format", "badge").out
    assert json.loads(part)["label"] == "part of readfirst 1.0 + ours 0.1 on 2.1.7"


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("gate/x", "--from", "bundled", "--family", "gate"),
        ("--from", "bundled"),
        ("gate/x", "--family", "gate"),
        ("gate/x", "--fixtures", "bundled"),
        ("gate/x", "--fixtures", "bundled", "--fixtures", "mine"),
    ],
)
def test_the_command_new_refuses_several_suites_and_several_sources(
    readfirst: Cli, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Suite, "installed", property(lambda suite: suite.bundled))
    assert readfirst("new", *words).code == 2
    assert list(tmp_path.iterdir()) == []


def test_suites_without_a_common_contract_are_refused_with_the_remedy(readfirst: Cli, house: Path) -> None:
    both = (*with_bundled(house), "drafts/save", UNREAD)
    target = "python:tests.format.keeps:Keeps"
    ran = readfirst("run", target, *both)
    assert (ran.code, ran.out) == (2, "")
    assert "house-rules has no expected results for the suite readfirst. Add `extends: 2.1.7`" in ran.err
    assert "or use several contracts: --contract 2.1.7 --contract house-rules." in ran.err
    on_both = readfirst("run", target, *both, "--contract", "2.1.7", "--contract", "house-rules")
    assert on_both.code == 1
    (house / "contracts.yaml").write_text(EXTENDED)
    assert readfirst("run", *both).out.splitlines()[-1] == "2 scenarios: 2 passed; conformant"
    exported = map(json.loads, readfirst("export", *both).out.splitlines())
    assert [line.get("id") for line in exported] == [None, "drafts/save", UNREAD, None]


def test_diff_supports_a_contract_with_extends(readfirst: Cli, extended: Path, tmp_path: Path) -> None:
    both, file = with_bundled(extended), tmp_path / "run.jsonl"
    readfirst("run", "reference", "drafts/save", UNREAD, *both, "--format", "jsonl", "--output", file)
    compared = readfirst("diff", "house-rules", file, *both)
    assert compared.out.startswith("house-rules → reference: no difference in 2 scenarios\n")
    with_product = readfirst("diff", "2.1.7", "house-rules", *both, "--family", "final-newline")
    assert with_product.out.startswith("2.1.7 → house-rules: no difference in ")


def test_a_run_does_not_pass_if_one_suite_was_not_judged(readfirst: Cli, house: Path, tmp_path: Path) -> None:
    both, file = (*with_bundled(house), "--contract", "2.1.7"), tmp_path / "run.jsonl"
    ran = readfirst("run", "drafts/save", UNREAD, *both, "--format", "jsonl", "--output", file)
    assert ran.code == 5
    assert "nothing of house was judged, so this is not a pass" in ran.out
    badge = json.loads(readfirst("report", file, "--format", "badge").out)
    assert (badge["message"], badge["color"]) == ("nothing of house judged", "lightgrey")


def test_pytest_refuses_suites_without_a_common_contract(pytester: pytest.Pytester, house: Path) -> None:
    both = ("--readfirst-fixtures", "bundled", "--readfirst-fixtures", house, "--readfirst-trust")
    ran = pytester.runpytest("--adapter", "python:tests.format.keeps:Keeps", *both, "-k", "drafts")
    ran.stderr.fnmatch_lines(["*house-rules has no expected results for the suite readfirst.*"])
    assert ran.ret != 0


def test_lint_reports_nothing_about_a_copy_of_a_bundled_scenario(readfirst: Cli, extended: Path) -> None:
    words = ("--from", "bundled", "--fixtures", extended)
    copied = ("staleness/edit-after-change", "permissions/single-star")
    for scenario_id in copied:
        ran = readfirst("new", scenario_id, *words)
        assert (ran.code, ran.out) == (0, f"{extended}/scenarios/{scenario_id}.yaml\n")
        assert Suite(extended).scenario(scenario_id).inputs == BUNDLED.scenario(scenario_id).inputs
        assert Suite(extended).recordings.recording(scenario_id) == BUNDLED.recordings.recording(scenario_id)
    assert readfirst("new", copied[0], *words).code == 2
    assert readfirst("lint", *copied, "drafts/save", *with_bundled(extended)).out == ""
    assert readfirst("lint", "--fixtures", extended).out == ""
    composed = next(each for each in BUNDLED.ids() if BUNDLED.location(each).composed)
    assert "Copy its family" in readfirst("new", composed, *words).err


def test_scenarios_of_two_suites_with_equal_steps_are_not_duplicates(readfirst: Cli, tmp_path: Path) -> None:
    copies = {f"scenarios/drafts/{name}.yaml": BUNDLED.text(UNREAD) for name in ("again", "twice")}
    one = private(tmp_path / "one", dict([*copies.items()][:1]))
    assert readfirst("lint", UNREAD, "drafts/again", *with_bundled(one)).out == ""
    assert "[duplicate-scenario]" in readfirst("lint", "--fixtures", private(tmp_path / "both", copies)).out


def test_a_contract_without_a_product_is_not_recorded(readfirst: Cli, extended: Path) -> None:
    ran = readfirst("product", "record", "drafts/save", "--fixtures", extended)
    assert (ran.code, "house-rules has no product to record" in ran.err) == (2, True)
    ran = readfirst("run", "claude-code:house-rules", "--fixtures", extended)
    assert (ran.code, "house-rules is not a version of Claude Code" in ran.err) == (3, True)
    readfirst("new", "drafts/next", "--fixtures", extended)
    assert "product record" not in (extended / "scenarios/drafts/next.yaml").read_text()


def test_lint_reports_the_errors_in_all_shared_files_together(readfirst: Cli, tmp_path: Path) -> None:
    wrong = {f"{name}.yaml": "wrong: {}\n" for name in ("contracts", "errors", "rules", "tags")}
    ran = readfirst("lint", "--fixtures", private(tmp_path, wrong))
    assert ran.code == 4
    assert all(file in ran.err for file in wrong)


@pytest.mark.parametrize(
    ("contracts", "name", "level", "sentence"),
    [
        (["house-rules"], "mine", "text", "mine reproduces house-rules, including"),
        (["2.1.7"], "mine", "text", "mine reproduces Claude Code 2.1.7, including"),
        (
            ["2.1.7", "2.1.87"],
            "reference",
            "text",
            "The reference reproduces 2 contracts, including the scenarios in which they lose or spoil work: "
            "1 on 2.1.7, 1 on 2.1.87.",
        ),
        (["2.1.7", "2.1.87"], "mine", "safe", "the contract does: 1 on 2.1.7, 1 on 2.1.87."),
    ],
)
def test_a_pass_says_which_contracts_harm(
    contracts: list[str], name: str, level: Level, sentence: str
) -> None:
    summary, harm = Summary(), Harm(0, 0, "lost", "a.txt", "lost: line 1 of a.txt")
    for contract in contracts:
        verdict = Verdict("a/b", contract, "text", "passed", {}, harms=(harm,))
        summary.add(verdict, BaselineResult(conformant=True))
    assert sentence in summary.likeness_sentence(name, level)
    failed = Verdict("a/c", contracts[0], "text", "failed", {"text": 0})
    summary.add(failed, BaselineResult(conformant=True, accepted="worded differently"))
    assert summary.likeness_sentence("mine", "text") == ""


def test_show_lists_all_versions_if_the_contract_has_no_answer(readfirst: Cli, extended: Path) -> None:
    readfirst("new", UNREAD, "--from", "bundled", "--fixtures", extended)
    shown = readfirst("show", UNREAD, "--fixtures", extended)
    assert (shown.code, shown.err) == (0, "")
    assert "\n    0.2.126 to 2.1.207, " in shown.out
    assert "as above" not in shown.out


@pytest.mark.parametrize("contracts", [EXTENDED, "default: 2.1.7\n"])
def test_for_a_changed_copy_of_a_scenario_the_message_names_the_recording_to_delete(
    readfirst: Cli, tmp_path: Path, contracts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    private(tmp_path / "ours", {"contracts.yaml": contracts})
    readfirst("new", UNREAD, "--from", "bundled", "--fixtures", "ours")
    file = tmp_path / f"ours/scenarios/{UNREAD}.yaml"
    file.write_text(file.read_text().replace("beta", "delta"))
    record = f"un `readfirst product record --fix {UNREAD} --fixtures ours`, or "
    remedy = f"delete ours/recordings/{UNREAD}.json"
    linted = readfirst("lint", "--fixtures", "ours").out
    ran = readfirst("run", UNREAD, "--fixtures", "ours", "--contract", "2.1.40").err
    for said in (linted, ran):
        assert remedy in said.replace("Delete", "delete")
        assert (record in said) == (contracts != EXTENDED)
    (tmp_path / f"ours/recordings/{UNREAD}.json").unlink()
    assert readfirst("lint", "--fixtures", "ours").out == ""


def test_a_run_names_the_scenarios_that_a_suite_replaces(readfirst: Cli, ours: Path) -> None:
    both = with_bundled(ours)
    assert "replaces" not in readfirst("run", UNREAD, "drafts/save", *both).err
    readfirst("new", UNREAD, "--from", "bundled", "--fixtures", ours)
    said = f"ours replaces 1 scenario of readfirst: {UNREAD}"
    assert said in readfirst("run", UNREAD, *both).err.splitlines()
    assert "replaces" not in readfirst("run", "drafts/save", *both).err
    assert "replaces" not in readfirst("run", "--fixtures", ours).err


def test_one_message_refuses_a_baseline_of_other_suites(readfirst: Cli, ours: Path, tmp_path: Path) -> None:
    entries = "".join(
        f"  - {{scenario: {name}, level: text, reason: worded differently}}\n"
        for name in (UNREAD, "gate/write-unread", "drafts/save")
    )
    file = tmp_path / "accepted.yaml"
    file.write_text(f'name: reference\nsuite: "readfirst 1.0 + ours 0.1"\naccepted:\n{entries}')
    ran = readfirst("run", "--fixtures", ours, "--baseline", file)
    assert (ran.code, ran.err.count("no scenario has the id")) == (2, 1)
    said = "this baseline belongs to readfirst 1.0 + ours 0.1, and the run to ours 0.1: no scenario has the id of 2"
    assert said in ran.err
    ran = readfirst("run", "drafts/save", *with_bundled(ours), "--baseline", file)
    assert "no scenario has the id" not in ran.err

import json
from dataclasses import replace
from pathlib import Path

import pytest

from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.compare.baseline import Baseline, BaselineChecker, load_baseline
from readfirst.harness.compare.baseline_file import baseline_text
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.run.capabilities import supported_capabilities
from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli

pytestmark = pytest.mark.usefixtures("attackers", "in_process")

READS, FINE = "python:spoilers:Reads", "python:spoilers:Fine"
"""An implementation that declares only Read, and a complete one."""
CHOSEN = ("gate/edit-unread", "gate/write-unread", "encodings/nul-alone", "encodings/nul-read")
"""Two of these scenarios need only Read."""
SUITE = Suite()


def make_unsupported(scenario_id: str, *lacks: str) -> Verdict:
    reason = "the adapter lacks " + ", ".join(lacks)
    return Verdict(scenario_id, "2.1.7", "text", "unsupported", {}, reason=reason, lacks=lacks)


def write_baseline(
    folder: Path, *verdicts: Verdict, of_all: bool = True, old: Baseline | None = None
) -> Baseline:
    file = folder / "accepted.yaml"
    file.write_text(baseline_text("mine", verdicts, old, of_all=of_all), encoding="utf-8")
    return load_baseline(file, SUITE.ids(), SUITE.contracts)


def test_an_adapter_that_claims_only_read_is_not_conformant_unless_that_is_stated(readfirst: Cli) -> None:
    """An adapter that declares only Read is conformant only if the user states that Edit and Write are not required."""
    found = readfirst("run", READS, *CHOSEN)
    assert found.code == 1
    assert "2 scenarios not judged, but required; missing: Edit (1); Write (1)" in found.out
    assert "4 scenarios: 2 passed, 2 unsupported, judged 2 of 4; not conformant" in found.out
    stated = readfirst("run", READS, *CHOSEN, "--require", "Read")
    assert stated.code == 0
    assert "judged 2 of 4; conformant" in stated.out


@pytest.mark.slow
def test_every_report_shows_missing_capabilities(readfirst: Cli, tmp_path: Path) -> None:
    stream = tmp_path / "results.jsonl"
    assert readfirst("run", READS, *CHOSEN, "--format", "jsonl", "--output", stream).code == 1
    badge = json.loads(readfirst("report", stream, "--format", "badge").out)
    assert (badge["message"], badge["color"]) == ("2/2 text, judged 2 of 4", "red")
    assert "missing: Edit" in readfirst("report", stream, "--format", "markdown").out
    junit = readfirst("run", READS, *CHOSEN, "--format", "junit").out
    assert 'failures="2"' in junit
    assert "not judged, because a required capability is missing: Edit" in junit
    stated = readfirst("run", READS, *CHOSEN, "--require", "Read", "--format", "badge")
    assert json.loads(stated.out)["color"] == "green"


def test_writing_a_baseline_prints_how_many_entries_need_a_reason(readfirst: Cli, tmp_path: Path) -> None:
    baseline = tmp_path / "accepted.yaml"
    options = ("--level", "safe", "--baseline", baseline, "--name", "mine")
    refuses = f"python:{Path(__file__).parents[1] / 'harm' / 'careful.py'}:RefusesEverything"
    for target, code, last in (
        (refuses, 1, "2 entries to {}; 2 need a reason"),
        (FINE, 0, "0 entries to {}; removed 2, which no longer fail"),
    ):
        written = readfirst("run", target, *CHOSEN, *options, "--update-baseline")
        assert (written.code, written.err.splitlines()[-1]) == (code, f"wrote {last.format(baseline)}")
        assert ("knows only the selected scenarios" in written.err) == (code == 1)
        assert "out of date" not in written.out, "the entries that no longer fail are already removed"
        assert readfirst("run", target, *CHOSEN, *options).code == code


@pytest.mark.slow
def test_the_baseline_of_a_predecessor_that_claimed_all_does_not_accept_it(
    readfirst: Cli, tmp_path: Path
) -> None:
    """An old baseline does not accept the scenarios of Edit and Write if an implementation no longer declares them."""
    baseline = tmp_path / "accepted.yaml"
    words = (*CHOSEN, "--baseline", baseline, "--name", "mine")
    assert readfirst("run", FINE, *words, "--update-baseline").code == 0
    found = readfirst("run", READS, *words)
    assert (found.code, "--update-baseline" in found.out) == (1, True)
    assert readfirst("run", READS, *words, "--update-baseline").code == 0
    assert "unclaimed: [Edit, Write]" in baseline.read_text(encoding="utf-8")
    assert readfirst("run", READS, *words).code == 0


def test_a_baseline_must_list_unjudged_scenarios(readfirst: Cli, tmp_path: Path) -> None:
    baseline = tmp_path / "accepted.yaml"
    baseline.write_text("name: mine\naccepted: []\n", encoding="utf-8")
    options = ("--baseline", baseline, "--name", "mine")
    found = readfirst("run", FINE, "gate/edit-unread", *options)
    assert found.code == 0
    assert "does not list the scenarios that were not judged" in found.err
    assert "Renew it with --update-baseline" in found.err
    assert readfirst("run", READS, "gate/edit-unread", "encodings/nul-alone", *options).code == 1


def is_accepted(baseline: Baseline | None, *verdicts: Verdict) -> list[bool]:
    checker = BaselineChecker(baseline)
    return [checker.apply_baseline(verdict).conformant for verdict in verdicts]


def test_a_baseline_accepts_missing_arguments_only_by_name_and_number(tmp_path: Path) -> None:
    """A baseline accepts missing arguments only by name, and in as many scenarios as it lists."""
    pages = make_unsupported("gate/edit-unread", "Read with pages")
    baseline = write_baseline(tmp_path, pages)
    assert is_accepted(baseline, pages, replace(pages, scenario_id="gate/write-unread")) == [True, False]
    assert is_accepted(baseline, make_unsupported("gate/edit-unread", "Read with limit")) == [False]
    assert is_accepted(baseline, replace(pages, contract="2.1.328")) == [True]
    assert is_accepted(None, pages) == [True]


def test_only_capabilities_of_the_baseline_may_be_missing(tmp_path: Path) -> None:
    baseline = write_baseline(tmp_path, make_unsupported("gate/edit-unread", "deny"))
    assert is_accepted(baseline, make_unsupported("gate/write-unread", "deny", "hooks")) == [True]
    hooks = make_unsupported("gate/edit-unread", "hooks")
    assert BaselineChecker(baseline).apply_baseline(hooks).unclaimed == "hooks"
    part = write_baseline(tmp_path, hooks, of_all=False, old=baseline)
    assert part.lacking is not None
    assert part.lacking.unclaimed == {"deny", "hooks"}


def test_a_tool_whose_plainest_call_is_lacking_is_not_claimed() -> None:
    """A tool is missing if even its simplest call is unsupported. A mapping may leave out arguments of calls only."""
    lacks_edit = AdapterTraits(unsupported_reason=lambda tool, _: "Edit with old_string" * (tool == "Edit"))
    assert supported_capabilities(lacks_edit) == {"Read", "Write"}


@pytest.mark.parametrize(("names", "message"), [("Raed", "Did you mean Read?"), ("deny", "names no tool")])
def test_unknown_capabilities_are_refused(readfirst: Cli, names: str, message: str) -> None:
    found = readfirst("run", READS, "--require", names)
    assert found.code == 2
    assert message in found.err

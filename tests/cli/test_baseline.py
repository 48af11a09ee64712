import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from readfirst.harness.adapter_api import SESSION_CAPABILITIES
from readfirst.harness.adapter_traits import REFUSALS
from readfirst.harness.compare.baseline import (
    CHANCE,
    Acceptance,
    Baseline,
    BaselineError,
    BaselineResult,
    apply_baseline,
    load_baseline,
)
from readfirst.harness.compare.baseline_file import baseline_text
from readfirst.harness.compare.verdict import LEVELS, Difference, Level, Status, Verdict
from readfirst.harness.harm.harm import Harm
from readfirst.harness.suite.scenario import TOOLS
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.yaml_io.finding import Position
from readfirst.harness.yaml_io.strict_yaml import load
from tests import verdicts
from tests.newest import NEWEST
from tests.rows import rows

IDS = ["gate/not-read", "staleness/touched"]
CONTRACTS = Suite().contracts


def verdict(status: Status = "failed", fails: Level = "text") -> Verdict:
    """Return a verdict on gate/not-read. The level `fails` and all stricter levels fail, unless it passed."""
    return verdicts.verdict("gate/not-read", status, fails=None if status == "passed" else fails)


def baseline(tmp_path: Path, text: str) -> Baseline:
    file = tmp_path / "accepted.yaml"
    file.write_text(text, encoding="utf-8")
    return load_baseline(file, IDS, CONTRACTS, ["edit-not-read"])


def accepting(tmp_path: Path, level: str) -> Baseline:
    entry = f"- scenario: gate/not-read\n    level: {level}\n    reason: worded differently"
    return baseline(tmp_path, f"name: reference\naccepted:\n  {entry}\n")


def test_an_entry_is_stale_if_its_scenario_fails_only_at_a_stricter_level(tmp_path: Path) -> None:
    ruling = apply_baseline(verdict(fails="text"), accepting(tmp_path, "reason"))
    assert not ruling.conformant
    assert ruling.stale.endswith("no longer fails at reason. Change the entry to level: text")


WRONG = [
    ("[]", "1:1: the file must be a mapping"),
    ("name: x\n", "1:1: the file lacks the key 'accepted'"),
    ("name: x\naccepted: []\nextra: 1\n", "3:1: the file has no key 'extra'"),
    ("name: 5\naccepted: []\n", "1:7: name must be a string"),
    ("target: x\naccepted: []\n", "1:1: the file has no key 'target' [unknown-key]\n  "),
    ("name: x\naccepted: {}\n", "2:11: accepted must be a list"),
    ("name: x\naccepted: [5]\n", "2:12: accepted must be a mapping"),
    ("name: x\naccepted: [{scenario: gate/not-read}]\n", "lacks the key 'level'"),
    ("name: x\naccepted: [{scenario: gate/not-read, level: tex, reason: r}]\n", "Did you mean text?"),
    ("name: x\naccepted: [{scenario: gate/not-read, fails: [text], reason: r}]\n", "has no key 'fails'"),
    ("name: x\naccepted: [{level: text, reason: r}]\n", "of a scenario or of a rule, not of both"),
    (
        "name: x\naccepted: [{scenario: a/b, rule: c, level: text, reason: r}]\n",
        "of a scenario or of a rule, not of both",
    ),
    ("name: x\naccepted: [{scenario: gate/not-read, level: text, reason: ''}]\n", "reason is empty"),
]

WRONG += [
    (
        "name: x\naccepted: [{scenario: gate/not-raed, level: text, reason: r}]\n",
        "2:23: no scenario has the id 'gate/not-raed' [schema]\n  Write gate/not-read, or remove the entry.",
    ),
    (
        "name: x\naccepted: [{rule: edit-not-raed, level: text, reason: r}]\n",
        "2:19: no rule has the id 'edit-not-raed' [schema]\n  Write edit-not-read, or remove the entry.",
    ),
    (
        "name: x\naccepted: [{scenario: gate/not-read, contract: 2.1.8, level: text, reason: r}]\n",
        "no contract is called '2.1.8' [schema]\n  2.1.8 is between 2.1.7 and 2.1.40: the tools behave as",
    ),
    (
        "name: x\naccepted: [{scenario: gate/not-read, contract: latest, level: text, reason: r}]\n",
        f"Write {NEWEST}: `latest` will be another contract later.",
    ),
    (
        "name: x\naccepted:\n- {scenario: gate/not-read, level: text, reason: r}\n"
        "- {scenario: gate/not-read, contract: 2.1.7, level: text, reason: r}\n",
        "4:3: gate/not-read (2.1.7) is already accepted in line 3",
    ),
]


@rows(("text", "message"), WRONG)
def test_an_invalid_baseline_is_refused_with_the_position_of_the_error(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(BaselineError) as raised:
        baseline(tmp_path, text)
    assert message in str(raised.value)


def test_an_entry_without_a_reason_has_a_comment_about_the_failure(tmp_path: Path) -> None:
    harm = Harm(1, 0, "lost", "notes.txt", "line 1 of notes.txt")
    failure = replace(verdict(fails="safe"), harms=(harm,))
    text = baseline_text("x", [failure])
    assert text.endswith('reason: "not explained yet"}  # step 2: lost: line 1 of notes.txt\n')
    alike = Harm(0, 0, "lost", "notes.txt", "line 9, which the contract loses, too")
    safe = Difference(1, 0, "safe", harm.line, "", "")
    same = replace(
        failure, harms=(alike, harm), differences=(replace(safe, level="effects", what="file"), safe)
    )
    assert baseline_text("x", [same]) == text
    different = Difference(0, 0, "text", "text", "a\nb", "c")
    unequal = baseline_text("x", [replace(verdict(fails="text"), differences=(different,), harms=(alike,))])
    assert unequal.endswith('"}  # step 1: text: expected a\\nb, got c\n')
    explained = text.replace("not explained yet", "By design.").partition("  #")[0]
    again = baseline_text("x", [failure], baseline(tmp_path, explained))
    assert again.endswith('reason: "By design."}\n')


@pytest.mark.parametrize("char", ["\u2028", "\x85", "\x7f", "\ud800", "\n"])
def test_a_line_break_in_an_answer_does_not_end_the_comment_of_an_entry(tmp_path: Path, char: str) -> None:
    broken = replace(verdict("error"), reason=f"the server wrote {char}: x")
    [entry] = baseline(tmp_path, baseline_text("x", [broken])).accepted.values()
    assert entry.comment.startswith("the server wrote \\")


def test_an_updated_baseline_keeps_the_comment_of_an_entry_with_a_reason(tmp_path: Path) -> None:
    stated = 'reason: "It says }  # \\"no\\"."'
    line = f'  - {{scenario: gate/not-read, contract: "2.1.7", level: text, {stated}}}  # lost: line 1'
    for entry in (line, line.replace("level: text", "level: text, varies: true")):
        old = baseline(tmp_path, f"name: x\naccepted:\n{entry}\n")
        assert baseline_text("x", [verdict(fails="text")], old).endswith(f"\n{entry}\n")
    assert baseline_text("x", [verdict("passed")], old).endswith(f"\n{entry}\n")


@settings(max_examples=100, deadline=None)
@given(names=st.sets(st.sampled_from(sorted({*TOOLS, *SESSION_CAPABILITIES, *REFUSALS}))))
def test_the_missing_capabilities_of_a_written_baseline_are_read_unchanged(
    tmp_path_factory: pytest.TempPathFactory, names: set[str]
) -> None:
    skipped = [Verdict("gate/not-read", "2.1.7", "text", "unsupported", {}, lacks=(name,)) for name in names]
    lacking = baseline(tmp_path_factory.mktemp("written"), baseline_text("x", skipped)).lacking
    assert lacking is not None
    assert lacking.unclaimed == names


def test_a_run_at_a_stricter_level_than_the_baseline_is_reported(tmp_path: Path) -> None:
    written = baseline(tmp_path, baseline_text("x", [verdict(fails="safe")], level="safe"))
    warning = written.level_warning("text", "--readfirst-level")
    assert "was written at the level safe, and this run judges the level text" in warning
    assert warning.endswith("add --readfirst-level safe.")
    assert written.level_warning("safe") == ""
    assert baseline(tmp_path, baseline_text("x", [verdict(fails="safe")])).level_warning("text") == ""


def test_a_baseline_written_after_a_run_accepts_exactly_its_failures(tmp_path: Path) -> None:
    failures = [verdict(fails="reason"), Verdict("staleness/touched", "2.1.7", "text", "error", {})]
    read = baseline(tmp_path, baseline_text('mcp:a "b"', failures))
    assert read.name == 'mcp:a "b"'
    for failure in failures:
        ruling = apply_baseline(failure, read)
        assert ruling.needs_reason or ruling.accepted == "not explained yet"
        assert ruling.needs_reason == (failure.status == "error")
    schema = json.loads((default_root() / "schema" / "baseline.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(load(baseline_text("x", failures).encode(), tmp_path / "x").value)


def baseline_that_varies(tmp_path: Path) -> Baseline:
    entry = "{scenario: gate/not-read, level: reason, varies: true, reason: runs calls at once}"
    return baseline(tmp_path, f"name: reference\naccepted: [{entry}]\n")


def test_an_entry_that_varies_accepts_success_and_failure_at_its_level_and_above(tmp_path: Path) -> None:
    accepted = baseline_that_varies(tmp_path)
    assert apply_baseline(verdict(fails="reason"), accepted) == BaselineResult(
        conformant=True, accepted="runs calls at once"
    )
    assert apply_baseline(verdict(fails="text"), accepted).conformant
    assert apply_baseline(verdict(status="passed"), accepted) == BaselineResult(conformant=True)
    assert not apply_baseline(verdict(fails="effects"), accepted).conformant


def test_an_updated_baseline_keeps_entries_that_vary(tmp_path: Path) -> None:
    for now in (verdict(status="passed"), verdict(fails="text")):
        again = baseline(tmp_path, baseline_text("reference", [now], baseline_that_varies(tmp_path)))
        [entry] = again.accepted.values()
        assert (entry.varies, entry.level) == (True, "reason")
    wider = baseline(
        tmp_path, baseline_text("reference", [verdict(fails="effects")], baseline_that_varies(tmp_path))
    )
    assert next(iter(wider.accepted.values())).level == "effects"


def test_a_nondeterministic_scenario_is_accepted_together_with_a_failed_scenario_of_its_rule(
    tmp_path: Path,
) -> None:
    failed = replace(verdict(fails="safe"), rule="edit-not-read")
    spared = replace(verdict("passed"), scenario_id="staleness/touched", rule="edit-not-read")
    both = {"gate/not-read", "staleness/touched"}

    def written(*now: Verdict, lucky: set[str] = both, old: Baseline | None = None) -> Baseline:
        return baseline(tmp_path, baseline_text("x", now, old, lucky=lucky))

    first = written(failed, spared)
    assert {entry.subject for entry in first.accepted.values() if entry.varies} == both
    # Both runs require a reason for both entries, whichever of the two scenarios fails.
    assert [apply_baseline(each, first).needs_reason for each in (failed, spared)] == [True, True]
    file = tmp_path / "accepted.yaml"
    explained = baseline(tmp_path, file.read_text("utf-8").replace("not explained yet", "It is not atomic."))
    assert all(apply_baseline(each, explained).conformant for each in (failed, spared))
    alone = Baseline(
        "x", explained.position, {key: explained.accepted[key] for key in [*explained.accepted][:1]}
    )
    assert {entry.reason for entry in written(failed, spared, old=alone).accepted.values()} == {
        "It is not atomic."
    }
    assert len(written(failed, spared, lucky={"gate/not-read"}).accepted) == 1
    assert len(written(failed, replace(spared, rule="another")).accepted) == 1


def test_an_entry_of_a_rule_that_varies_is_kept_when_its_scenarios_pass(tmp_path: Path) -> None:
    stated = "rule: edit-not-read, level: safe, harms: [lost], varies: true, reason: It is not atomic."
    old = baseline(tmp_path, f"name: x\naccepted: [{{{stated}}}]\n")
    passed = replace(verdict("passed"), rule="edit-not-read")
    again = baseline(tmp_path, baseline_text("x", [passed], old, lucky={"gate/not-read"}))
    assert list(again.accepted) == [("edit-not-read", "2.1.7")]


@pytest.mark.parametrize("varies", ["", ", varies: true"])
def test_a_reason_for_a_harmless_failure_does_not_explain_a_harm(tmp_path: Path, varies: str) -> None:
    stated = f"name: x\naccepted:\n  - {{scenario: gate/not-read, level: text, reason: worded{varies}}}\n"
    harmful = verdict(fails="safe")
    again = baseline(tmp_path, baseline_text("x", [harmful], baseline(tmp_path, stated)))
    [entry] = again.accepted.values()
    assert (entry.level, entry.reason) == ("safe", "not explained yet")
    assert not apply_baseline(harmful, again).conformant


def baseline_of_rule(tmp_path: Path) -> Baseline:
    return baseline(
        tmp_path, "name: x\naccepted:\n  - {rule: edit-not-read, level: reason, reason: No guard.}\n"
    )


def test_an_entry_of_a_rule_accepts_failures_of_its_scenarios_at_its_level_and_above(tmp_path: Path) -> None:
    accepted = baseline_of_rule(tmp_path)

    def conformant(fails: Level, rule: str = "edit-not-read") -> bool:
        return apply_baseline(replace(verdict(fails=fails), rule=rule), accepted).conformant

    assert [conformant("reason"), conformant("text"), conformant("effects")] == [True, True, False]
    assert not conformant("reason", "another")
    assert apply_baseline(replace(verdict("passed"), rule="edit-not-read"), accepted).conformant


def test_an_updated_baseline_keeps_the_entry_of_a_rule_while_it_accepts_a_failure(tmp_path: Path) -> None:
    def again(*verdicts: Verdict) -> set[tuple[str, str]]:
        text = baseline_text(
            "x", [replace(each, rule="edit-not-read") for each in verdicts], baseline_of_rule(tmp_path)
        )
        return {(entry.subject, entry.level) for entry in baseline(tmp_path, text).accepted.values()}

    held = replace(verdict("passed"), scenario_id="staleness/touched")
    assert again(verdict(fails="text"), held) == {("edit-not-read", "reason")}
    assert again(verdict(fails="effects")) == {("gate/not-read", "effects")}
    assert again(verdict("passed")) == set()


def test_harm_is_accepted_only_if_the_entry_has_a_reason() -> None:
    harmful = Verdict("a/b", "2.1.7", "safe", "failed", dict.fromkeys(LEVELS, False))

    def accept_for(reason: str) -> BaselineResult:
        entry = Acceptance("a/b", "2.1.7", "safe", reason, Position(Path("x.yaml"), 3, 5))
        return apply_baseline(
            harmful, Baseline("mine", Position(Path("x.yaml"), 1, 1), {("a/b", "2.1.7"): entry})
        )

    assert accept_for("The file is a cache.").conformant
    assert not accept_for(CHANCE).conformant
    unexplained = accept_for("not explained yet")
    assert not unexplained.conformant
    assert unexplained.stale == "x.yaml:3:5: a/b (2.1.7) is a harm. Write as its reason why that is accepted."


def test_an_entry_of_a_rule_accepts_only_the_kinds_of_harm_that_it_names(tmp_path: Path) -> None:
    lost, stray = (Harm(0, 0, kind, "a", "words") for kind in ("lost", "stray"))
    failed = replace(verdict(fails="safe"), level="safe", rule="edit-not-read", harms=(lost,))

    def ruling(harms: str, found: tuple[Harm, ...] = (lost,)) -> BaselineResult:
        entry = f"{{rule: edit-not-read, level: safe, reason: known{harms}}}"
        return apply_baseline(
            replace(failed, harms=found), baseline(tmp_path, f"name: x\naccepted: [{entry}]\n")
        )

    assert ruling(", harms: [lost]").accepted == "known"
    assert not ruling(", harms: [lost]", (lost, stray)).conformant
    assert ruling("").stale.endswith("add to the entry: harms: [lost]")


def test_a_needless_refusal_and_a_crash_are_accepted_only_with_a_reason(tmp_path: Path) -> None:
    def complaint(failed: Verdict, level: str) -> BaselineResult:
        entry = f"{{scenario: gate/not-read, level: {level}, reason: not explained yet}}"
        return apply_baseline(failed, baseline(tmp_path, f"name: x\naccepted: [{entry}]\n"))

    refused = replace(
        verdict(fails="safe"), level="safe", harms=(Harm(0, 0, "overcautious", "a", "refused"),)
    )
    for ruling, words in (
        (complaint(refused, "safe"), "refuses a call that every contract answers. Write as its reason"),
        (complaint(verdict("error"), "error"), "ends early. Write as its reason"),
    ):
        assert not ruling.conformant
        assert ruling.needs_reason
        assert words in ruling.stale


def test_the_former_name_broken_of_the_level_error_is_accepted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    accepted = accepting(tmp_path, "broken")
    assert "the level `broken` is now `error`" in caplog.text
    assert apply_baseline(verdict("error"), accepted).accepted
    assert "level: error" in baseline_text("x", [verdict("error")], accepted)


def test_a_crash_is_accepted_only_by_an_entry_with_the_level_error(tmp_path: Path) -> None:
    assert apply_baseline(verdict("error"), accepting(tmp_path, "error")).accepted
    assert not apply_baseline(verdict("error"), accepting(tmp_path, "effects")).conformant
    assert apply_baseline(verdict("passed"), accepting(tmp_path, "error")).stale


def test_an_updated_baseline_keeps_entries_that_the_run_did_not_judge(tmp_path: Path) -> None:
    old = accepting(tmp_path, "text")
    other = Verdict("staleness/touched", "2.1.7", "text", "passed", {})
    assert ("gate/not-read", "2.1.7") in baseline(tmp_path, baseline_text("reference", [other], old)).accepted
    old = accepting(tmp_path, "text")
    at_effects = Verdict("gate/not-read", "2.1.7", "effects", "passed", dict.fromkeys(LEVELS, True))
    assert baseline(tmp_path, baseline_text("reference", [at_effects], old)).accepted


def test_an_updated_baseline_keeps_the_reason_and_the_link_of_an_entry(tmp_path: Path) -> None:
    stated = "level: text\n    reason: worded\n    link: 'https://x'"
    old = baseline(tmp_path, f"name: x\naccepted:\n  - scenario: gate/not-read\n    {stated}\n")
    [entry] = baseline(tmp_path, baseline_text("x", [verdict(fails="reason")], old)).accepted.values()
    assert (entry.level, entry.reason, entry.link) == ("reason", "worded", "https://x")

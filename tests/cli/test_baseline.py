import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from readfirst.harness.adapter_api import SESSION_CAPABILITIES
from readfirst.harness.adapter_traits import REFUSALS
from readfirst.harness.compare.baseline import CHANCE, Baseline, BaselineError, apply_baseline, load_baseline
from readfirst.harness.compare.baseline_file import baseline_text
from readfirst.harness.compare.verdict import Difference, Level, Status, Verdict
from readfirst.harness.harm.harm import Harm
from readfirst.harness.suite.scenario import TOOLS
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.yaml_io.strict_yaml import load
from tests import verdicts
from tests.newest import NEWEST
from tests.rows import rows

IDS = ["gate/not-read", "staleness/touched"]
CONTRACTS = Suite().contracts


def verdict(status: Status = "failed", fails: Level = "text", **about: Any) -> Verdict:
    """Return a verdict on gate/not-read. The level `fails` and all stricter levels fail, unless it passed."""
    found = verdicts.verdict("gate/not-read", status, fails=None if status == "passed" else fails)
    return replace(found, **about)


def baseline(text: str) -> Baseline:
    with TemporaryDirectory() as folder:
        file = Path(folder, "accepted.yaml")
        file.write_text(text, encoding="utf-8")
        return load_baseline(file, IDS, CONTRACTS, ["edit-not-read"])


def accepting(entry: str) -> Baseline:
    return baseline(f"name: x\naccepted: [{{{entry}}}]\n")


def updated(old: Baseline | None, *now: Verdict, **options: Any) -> Baseline:
    """Return the baseline that is written after a run with these verdicts."""
    return baseline(baseline_text("x", now, old, **options))


GATE = "scenario: gate/not-read, level: "
UNREAD = "rule: edit-not-read, level: "
VARYING = f"{GATE}reason, varies: true, reason: runs calls at once"
OF_RULE = f"{UNREAD}reason, reason: No guard."
LOST, STRAY, NEEDLESS = (Harm(0, 0, kind, "a", "words") for kind in ("lost", "stray", "overcautious"))


def of_rule(status: Status = "failed", fails: Level = "text", *harms: Harm) -> Verdict:
    return verdict(status, fails, rule="edit-not-read", level="safe" if harms else "text", harms=harms)


@rows(
    ("entry", "judged", "conformant", "said"),
    [
        (f"{GATE}reason, reason: r", verdict(), False, "fails at reason. Change the entry to level: text"),
        (f"{GATE}error, reason: it hangs", verdict("error"), True, "it hangs"),
        (f"{GATE}effects, reason: r", verdict("error"), False, ""),
        (f"{GATE}error, reason: r", verdict("passed"), False, "passes now"),
        (
            f"{GATE}error, reason: not explained yet",
            verdict("error"),
            None,
            "ends early. Write as its reason",
        ),
        (VARYING, verdict(fails="reason"), True, "runs calls at once"),
        (VARYING, verdict(fails="text"), True, "runs calls at once"),
        (VARYING, verdict("passed"), True, ""),
        (VARYING, verdict(fails="effects"), False, ""),
        (OF_RULE, of_rule(fails="reason"), True, "No guard."),
        (OF_RULE, of_rule(fails="text"), True, "No guard."),
        (OF_RULE, of_rule(fails="effects"), False, ""),
        (OF_RULE, verdict(fails="reason", rule="another"), False, ""),
        (OF_RULE, of_rule("passed"), True, ""),
        (f"{GATE}safe, reason: The file is a cache.", verdict(fails="safe"), True, "The file is a cache."),
        (f"{GATE}safe, reason: '{CHANCE}'", verdict(fails="safe"), None, ""),
        (
            f"{GATE}safe, reason: not explained yet",
            verdict(fails="safe"),
            None,
            ":2:12: gate/not-read (2.1.7) is a harm. Write as its reason why that is accepted.",
        ),
        (f"{UNREAD}safe, reason: r, harms: [lost]", of_rule("failed", "safe", LOST), True, "r"),
        (f"{UNREAD}safe, reason: r, harms: [lost]", of_rule("failed", "safe", LOST, STRAY), False, ""),
        (
            f"{UNREAD}safe, reason: r",
            of_rule("failed", "safe", LOST),
            False,
            "add to the entry: harms: [lost]",
        ),
        (
            f"{GATE}safe, reason: not explained yet",
            verdict(fails="safe", level="safe", harms=(NEEDLESS,)),
            None,
            "refuses a call that every contract answers. Write as its reason",
        ),
    ],
)
def test_entries_accept_what_they_say(
    entry: str, judged: Verdict, conformant: bool | None, said: str
) -> None:
    """`conformant` is None if the entry requires a reason."""
    ruling = apply_baseline(judged, accepting(entry))
    assert (ruling.conformant, ruling.needs_reason) == (bool(conformant), conformant is None)
    assert said in (ruling.accepted if conformant else ruling.stale)
    assert said or not ruling.accepted


WRONG_ENTRIES = [
    ("scenario: gate/not-read", "lacks the key 'level'"),
    ("scenario: gate/not-read, level: tex, reason: r", "Did you mean text?"),
    ("scenario: gate/not-read, fails: [text], reason: r", "has no key 'fails'"),
    ("level: text, reason: r", "of a scenario or of a rule, not of both"),
    ("scenario: a/b, rule: c, level: text, reason: r", "of a scenario or of a rule, not of both"),
    ("scenario: gate/not-read, level: text, reason: ''", "reason is empty"),
    (
        "scenario: gate/not-raed, level: text, reason: r",
        "2:23: no scenario has the id 'gate/not-raed' [schema]\n  Write gate/not-read, or remove the entry.",
    ),
    (
        "rule: edit-not-raed, level: text, reason: r",
        "2:19: no rule has the id 'edit-not-raed' [schema]\n  Write edit-not-read, or remove the entry.",
    ),
    (
        "scenario: gate/not-read, contract: 2.1.8, level: text, reason: r",
        "no contract is called '2.1.8' [schema]\n  2.1.8 is between 2.1.7 and 2.1.40: the tools behave as",
    ),
    (
        "scenario: gate/not-read, contract: latest, level: text, reason: r",
        f"Write {NEWEST}: `latest` will be another contract later.",
    ),
]
WRONG = [
    ("[]", "1:1: the file must be a mapping"),
    ("name: x\n", "1:1: the file lacks the key 'accepted'"),
    ("name: x\naccepted: []\nextra: 1\n", "3:1: the file has no key 'extra'"),
    ("name: 5\naccepted: []\n", "1:7: name must be a string"),
    ("target: x\naccepted: []\n", "1:1: the file has no key 'target' [unknown-key]\n  "),
    ("name: x\naccepted: {}\n", "2:11: accepted must be a list"),
    ("name: x\naccepted: [5]\n", "2:12: accepted must be a mapping"),
    *((f"name: x\naccepted: [{{{entry}}}]\n", message) for entry, message in WRONG_ENTRIES),
    (
        "name: x\naccepted:\n- {scenario: gate/not-read, level: text, reason: r}\n"
        "- {scenario: gate/not-read, contract: 2.1.7, level: text, reason: r}\n",
        "4:3: gate/not-read (2.1.7) is already accepted in line 3",
    ),
]


@rows(("text", "message"), WRONG)
def test_an_invalid_baseline_is_refused_with_the_position_of_the_error(text: str, message: str) -> None:
    with pytest.raises(BaselineError) as raised:
        baseline(text)
    assert message in str(raised.value)


def test_an_entry_without_a_reason_has_a_comment_about_the_failure() -> None:
    harm = Harm(1, 0, "lost", "notes.txt", "line 1 of notes.txt")
    failure = verdict(fails="safe", harms=(harm,))
    text = baseline_text("x", [failure])
    assert text.endswith('reason: "not explained yet"}  # step 2: lost: line 1 of notes.txt\n')
    alike = Harm(0, 0, "lost", "notes.txt", "line 9, which the contract loses, too")
    safe = Difference(1, 0, "safe", harm.line, "", "")
    both = (replace(safe, level="effects", what="file"), safe)
    assert baseline_text("x", [replace(failure, harms=(alike, harm), differences=both)]) == text
    different = Difference(0, 0, "text", "text", "a\nb", "c")
    unequal = baseline_text("x", [verdict(differences=(different,), harms=(alike,))])
    assert unequal.endswith('"}  # step 1: text: expected a\\nb, got c\n')
    explained = text.replace("not explained yet", "By design.").partition("  #")[0]
    assert baseline_text("x", [failure], baseline(explained)).endswith('reason: "By design."}\n')


@rows("char", ["\u2028", "\x85", "\x7f", "\ud800", "\n"])
def test_a_line_break_in_an_answer_does_not_end_the_comment_of_an_entry(char: str) -> None:
    [entry] = updated(None, verdict("error", reason=f"the server wrote {char}: x")).accepted.values()
    assert entry.comment.startswith("the server wrote \\")


def test_an_updated_baseline_keeps_the_comment_of_an_entry_with_a_reason() -> None:
    stated = 'reason: "It says }  # \\"no\\"."'
    line = f'  - {{scenario: gate/not-read, contract: "2.1.7", level: text, {stated}}}  # lost: line 1'
    for entry in (line, line.replace("level: text", "level: text, varies: true")):
        old = baseline(f"name: x\naccepted:\n{entry}\n")
        assert baseline_text("x", [verdict(fails="text")], old).endswith(f"\n{entry}\n")
    assert baseline_text("x", [verdict("passed")], old).endswith(f"\n{entry}\n")


@settings(max_examples=100, deadline=None)
@given(names=st.sets(st.sampled_from(sorted({*TOOLS, *SESSION_CAPABILITIES, *REFUSALS}))))
def test_the_missing_capabilities_of_a_written_baseline_are_read_unchanged(names: set[str]) -> None:
    lacking = updated(None, *(verdict("unsupported", lacks=(name,)) for name in names)).lacking
    assert lacking is not None
    assert lacking.unclaimed == names


def test_a_run_at_a_stricter_level_than_the_baseline_is_reported() -> None:
    written = updated(None, verdict(fails="safe"), level="safe")
    warning = written.level_warning("text", "--readfirst-level")
    assert "was written at the level safe, and this run judges the level text" in warning
    assert warning.endswith("add --readfirst-level safe.")
    assert written.level_warning("safe") == ""
    assert updated(None, verdict(fails="safe")).level_warning("text") == ""


def test_a_baseline_written_after_a_run_accepts_exactly_its_failures() -> None:
    failures = [verdict(fails="reason"), verdict("error", scenario_id="staleness/touched")]
    text = baseline_text('mcp:a "b"', failures)
    read = baseline(text)
    assert read.name == 'mcp:a "b"'
    for failure in failures:
        ruling = apply_baseline(failure, read)
        assert ruling.needs_reason or ruling.accepted == "not explained yet"
        assert ruling.needs_reason == (failure.status == "error")
    schema = json.loads((default_root() / "schema" / "baseline.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(load(text.encode(), Path("x")).value)


@rows(
    ("now", "level", "varies"),
    [
        (verdict("passed"), "reason", True),
        (verdict(fails="text"), "reason", True),
        (verdict(fails="effects"), "effects", None),
    ],
)
def test_an_updated_baseline_keeps_entries_that_vary(now: Verdict, level: str, varies: bool | None) -> None:
    [entry] = updated(accepting(VARYING), now).accepted.values()
    assert entry.level == level
    assert varies in (None, entry.varies)


def test_a_nondeterministic_scenario_is_accepted_together_with_a_failed_scenario_of_its_rule() -> None:
    failed = verdict(fails="safe", rule="edit-not-read")
    spared = verdict("passed", scenario_id="staleness/touched", rule="edit-not-read")
    both = {"gate/not-read", "staleness/touched"}
    text = baseline_text("x", [failed, spared], lucky=both)
    first = baseline(text)
    assert {entry.subject for entry in first.accepted.values() if entry.varies} == both
    # Both runs require a reason for both entries, whichever of the two scenarios fails.
    assert [apply_baseline(each, first).needs_reason for each in (failed, spared)] == [True, True]
    explained = baseline(text.replace("not explained yet", "It is not atomic."))
    assert all(apply_baseline(each, explained).conformant for each in (failed, spared))
    alone = replace(explained, accepted=dict([*explained.accepted.items()][:1]))
    reasons = {entry.reason for entry in updated(alone, failed, spared, lucky=both).accepted.values()}
    assert reasons == {"It is not atomic."}
    assert len(updated(None, failed, spared, lucky={"gate/not-read"}).accepted) == 1
    assert len(updated(None, failed, replace(spared, rule="another"), lucky=both).accepted) == 1


def test_an_entry_of_a_rule_that_varies_is_kept_when_its_scenarios_pass() -> None:
    old = accepting(f"{UNREAD}safe, harms: [lost], varies: true, reason: It is not atomic.")
    again = updated(old, verdict("passed", rule="edit-not-read"), lucky={"gate/not-read"})
    assert list(again.accepted) == [("edit-not-read", "2.1.7")]


@rows("varies", ["", ", varies: true"])
def test_a_reason_for_a_harmless_failure_does_not_explain_a_harm(varies: str) -> None:
    harmful = verdict(fails="safe")
    again = updated(accepting(f"{GATE}text, reason: worded{varies}"), harmful)
    [entry] = again.accepted.values()
    assert (entry.level, entry.reason) == ("safe", "not explained yet")
    assert not apply_baseline(harmful, again).conformant


@rows(
    ("now", "kept"),
    [
        (
            [of_rule(), verdict("passed", scenario_id="staleness/touched", rule="edit-not-read")],
            [("edit-not-read", "reason")],
        ),
        ([of_rule(fails="effects")], [("gate/not-read", "effects")]),
        ([of_rule("passed")], []),
    ],
)
def test_the_entry_of_a_rule_is_kept_while_it_accepts_failures(
    now: list[Verdict], kept: list[tuple[str, str]]
) -> None:
    again = updated(accepting(OF_RULE), *now)
    assert [(entry.subject, entry.level) for entry in again.accepted.values()] == kept


def test_the_former_name_broken_of_the_level_error_is_accepted(caplog: pytest.LogCaptureFixture) -> None:
    accepted = accepting(f"{GATE}broken, reason: r")
    assert "the level `broken` is now `error`" in caplog.text
    assert apply_baseline(verdict("error"), accepted).accepted
    assert "level: error" in baseline_text("x", [verdict("error")], accepted)


@rows("now", [verdict("passed", scenario_id="staleness/touched"), verdict("passed", level="effects")])
def test_an_updated_baseline_keeps_entries_that_the_run_did_not_judge(now: Verdict) -> None:
    assert ("gate/not-read", "2.1.7") in updated(accepting(f"{GATE}text, reason: r"), now).accepted


def test_an_updated_baseline_keeps_the_reason_and_the_link_of_an_entry() -> None:
    old = accepting(f"{GATE}text, reason: worded, link: 'https://x'")
    [entry] = updated(old, verdict(fails="reason")).accepted.values()
    assert (entry.level, entry.reason, entry.link) == ("reason", "worded", "https://x")

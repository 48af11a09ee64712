import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.compare.baseline import (
    Acceptance,
    Baseline,
    BaselineError,
    BaselineResult,
    apply_baseline,
    load_baseline,
)
from readfirst.harness.compare.baseline_file import baseline_text
from readfirst.harness.compare.verdict import LEVELS, Difference, Level, Status, Verdict
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.yaml_io.finding import Position
from readfirst.harness.yaml_io.strict_yaml import load
from tests import verdicts
from tests.rows import rows

IDS = ["gate/not-read", "staleness/touched"]
CONTRACTS = Suite().contracts


def verdict(status: Status = "failed", fails: Level = "text") -> Verdict:
    """A verdict that fails at `fails` and above."""
    return verdicts.verdict("gate/not-read", status, fails=None if status == "passed" else fails)


def baseline(tmp_path: Path, text: str) -> Baseline:
    file = tmp_path / "accepted.yaml"
    file.write_text(text, encoding="utf-8")
    return load_baseline(file, IDS, CONTRACTS)


def accepting(tmp_path: Path, fails: str) -> Baseline:
    entry = f"- scenario: gate/not-read\n    fails: {fails}\n    reason: worded differently"
    return baseline(tmp_path, f"name: reference\naccepted:\n  {entry}\n")


def test_an_entry_that_fails_less_is_an_error_with_the_line_to_write(tmp_path: Path) -> None:
    ruling = apply_baseline(verdict(fails="text"), accepting(tmp_path, "[reason, text]"))
    assert not ruling.conformant
    assert ruling.stale.endswith("no longer fails as [reason] says. Change the entry to fails: [text]")


def test_a_crash_is_accepted_only_as_broken(tmp_path: Path) -> None:
    assert apply_baseline(verdict("broken"), accepting(tmp_path, "[broken]")).accepted
    assert not apply_baseline(verdict("broken"), accepting(tmp_path, "[effects, reason, text]")).conformant
    assert apply_baseline(verdict("passed"), accepting(tmp_path, "[broken]")).stale


WRONG = [
    ("[]", "1:1: a baseline must be a mapping"),
    ("name: x\n", "1:1: a baseline lacks the key 'accepted'"),
    ("name: x\naccepted: []\nextra: 1\n", "3:1: a baseline has no key 'extra'"),
    ("name: 5\naccepted: []\n", "1:7: name must be a string"),
    ("target: x\naccepted: []\n", "1:1: a baseline has no key 'target' [unknown-key]\n  "),
    ("name: x\naccepted: {}\n", "2:11: accepted must be a list"),
    ("name: x\naccepted: [5]\n", "2:12: an entry must be a mapping"),
    ("name: x\naccepted: [{scenario: gate/not-read}]\n", "lacks the key 'fails'"),
    (
        "name: x\naccepted: [{scenario: gate/not-read, fails: [], reason: r}]\n",
        "fails must be a list, not empty",
    ),
    ("name: x\naccepted: [{scenario: gate/not-read, fails: [tex], reason: r}]\n", "Did you mean text?"),
    (
        "name: x\naccepted: [{scenario: gate/not-read, fails: [text, text], reason: r}]\n",
        "names text twice",
    ),
    (
        "name: x\naccepted: [{scenario: gate/not-read, fails: [text], reason: ''}]\n",
        "reason must be a string",
    ),
]

WRONG_NAMES = [
    (
        "name: x\naccepted: [{scenario: gate/not-raed, fails: [text], reason: r}]\n",
        "2:23: no scenario has the id 'gate/not-raed' [schema]\n  Write gate/not-read, or remove the entry.",
    ),
    (
        "name: x\naccepted: [{scenario: gate/not-read, contract: 2.1.8, fails: [text], reason: r}]\n",
        "no contract is called '2.1.8' [schema]\n  2.1.8 is between 2.1.7 and 2.1.40: nothing changed at 2.1.8.",
    ),
    (
        "name: x\naccepted: [{scenario: gate/not-read, contract: latest, fails: [text], reason: r}]\n",
        "Write 2.1.330: what is the latest changes.",
    ),
    (
        "name: x\naccepted:\n- {scenario: gate/not-read, fails: [text], reason: r}\n"
        "- {scenario: gate/not-read, contract: 2.1.7, fails: [text], reason: r}\n",
        "4:3: gate/not-read (2.1.7) is already accepted in line 3",
    ),
]


@rows(("text", "message"), WRONG + WRONG_NAMES)
def test_a_wrong_baseline_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BaselineError) as raised:
        baseline(tmp_path, text)
    assert message in str(raised.value)


@rows("text", [text for text, _ in WRONG])
def test_the_schema_refuses_what_the_reader_refuses(tmp_path: Path, text: str) -> None:
    assert not list_errors(load(b"name: x\naccepted: []\n", tmp_path / "x").value)
    assert list_errors(load(text.encode(), tmp_path / "x").value)


SCHEMA = Draft202012Validator(
    json.loads((default_root() / "schema" / "baseline.schema.json").read_text("utf-8"))
)


def list_errors(value: object) -> list[object]:
    return list(SCHEMA.iter_errors(value))


def test_a_written_baseline_accepts_exactly_the_failures(tmp_path: Path) -> None:
    failures = [verdict(fails="reason"), Verdict("staleness/touched", "2.1.7", "text", "broken", {})]
    read = baseline(tmp_path, baseline_text('mcp:a "b"', failures))
    assert read.name == 'mcp:a "b"'
    assert all(apply_baseline(failure, read).accepted == "not explained yet" for failure in failures)
    assert not list_errors(load(baseline_text("x", failures).encode(), tmp_path / "x").value)


def varying(tmp_path: Path) -> Baseline:
    entry = "- scenario: gate/not-read\n    fails: [reason, text]\n    because: varies\n    reason: runs calls at once"
    return baseline(tmp_path, f"name: reference\naccepted:\n  {entry}\n")


def test_what_varies_may_fail_or_not_at_its_levels_and_at_no_other(tmp_path: Path) -> None:
    accepted = varying(tmp_path)
    assert apply_baseline(verdict(fails="reason"), accepted) == BaselineResult(
        conformant=True, accepted="runs calls at once"
    )
    assert apply_baseline(verdict(fails="text"), accepted).conformant
    assert apply_baseline(verdict(status="passed"), accepted) == BaselineResult(conformant=True)
    assert not apply_baseline(verdict(fails="effects"), accepted).conformant


def test_an_updated_baseline_keeps_what_varies(tmp_path: Path) -> None:
    for now in (verdict(status="passed"), verdict(fails="text")):
        again = baseline(tmp_path, baseline_text("reference", [now], varying(tmp_path)))
        [entry] = again.accepted.values()
        assert (entry.because, entry.fails) == ("varies", {"reason", "text"})
    wider = baseline(tmp_path, baseline_text("reference", [verdict(fails="effects")], varying(tmp_path)))
    assert next(iter(wider.accepted.values())).fails == {"effects", "reason", "text"}


def test_an_updated_baseline_keeps_what_the_run_did_not_look_at(tmp_path: Path) -> None:
    old = accepting(tmp_path, "[text]")
    other = Verdict("staleness/touched", "2.1.7", "text", "passed", {})
    assert ("gate/not-read", "2.1.7") in baseline(tmp_path, baseline_text("reference", [other], old)).accepted
    old = accepting(tmp_path, "[text]")
    at_effects = Verdict("gate/not-read", "2.1.7", "effects", "passed", dict.fromkeys(LEVELS, True))
    assert baseline(tmp_path, baseline_text("reference", [at_effects], old)).accepted


def test_an_updated_baseline_keeps_a_signature_that_is_still_true_and_the_link(tmp_path: Path) -> None:
    for because, left in (("text", "text"), ("effects: file: content", "")):
        stated = f"fails: [text]\n    because: '{because}'\n    reason: worded\n    link: 'https://x'"
        old = baseline(tmp_path, f"name: x\naccepted:\n  - scenario: gate/not-read\n    {stated}\n")
        worded = replace(verdict(), differences=(Difference(1, 0, "text", "text", "so", "thus"),))
        [entry] = baseline(tmp_path, baseline_text("x", [worded], old)).accepted.values()
        assert (entry.because, entry.reason, entry.link) == (left, "worded", "https://x")


def test_a_harm_is_not_accepted_without_a_reason() -> None:
    harmful = Verdict("a/b", "2.1.7", "safe", "failed", dict.fromkeys(LEVELS, False))

    def accepted(reason: str) -> BaselineResult:
        entry = Acceptance("a/b", "2.1.7", frozenset({"safe"}), reason, Position(Path("x.yaml"), 3, 5))
        return apply_baseline(
            harmful, Baseline("mine", Position(Path("x.yaml"), 1, 1), {("a/b", "2.1.7"): entry})
        )

    assert accepted("The file is a cache.").conformant
    unexplained = accepted("not explained yet")
    assert not unexplained.conformant
    assert unexplained.stale == "x.yaml:3:5: a/b (2.1.7) is a harm. Write as its reason why that is accepted."

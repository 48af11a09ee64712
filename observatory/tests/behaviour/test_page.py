"""The results of the claims, and their summary docs/behaviour.md, are computed only from the files of the suite."""

from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.observatory.claims.claims import claims_file, load_claims
from readfirst.observatory.claims.page import behaviour_page
from readfirst.observatory.cli.pages import page_file

from .conftest import (
    OTHER_SECTION,
    SECTION,
    Small,
    claim_of_multi_edit,
    claims,
    edit,
    read_call,
    refusal,
    step,
)

Run = Callable[..., tuple[int, str, str]]

CHECKOUT = Path(__file__).resolve().parents[3]
"""The directory of the checkout, whose docs the tests read. The installed package contains no docs."""


def page_path(small: Small) -> Path:
    file = page_file(small.suite, "behaviour.md")
    assert file is not None
    return file


@pytest.fixture(scope="module")
def page() -> str:
    return behaviour_page(Suite(CHECKOUT / "fixtures"))


@pytest.mark.slow
def test_the_page_of_the_suite_is_short() -> None:
    short = behaviour_page(Suite(CHECKOUT / "fixtures"), brief=True)
    assert short.count("\n") < 120
    assert len(short) < 30_000


@pytest.mark.slow
def test_the_page_shows_every_claim_question_and_contradiction(page: str) -> None:
    all_claims = load_claims(claims_file(CHECKOUT / "fixtures"))
    assert len(list(all_claims)) >= 250
    assert len(all_claims.questions) == 10
    assert len(all_claims.contradictions) == 50
    for part in (*all_claims, *all_claims.questions):
        assert page.count(f'<a id="{part.id}"></a>') == 1
    for topic in all_claims.topics:
        assert f"\n## {topic.title}\n" in page


@pytest.mark.slow
def test_nothing_is_left_unrecorded(page: str) -> None:
    assert "not recorded" not in page


def test_the_page_of_a_small_suite_shows_claim_source_words_and_verdict(run_claims: Run) -> None:
    code, page, _ = run_claims()
    assert code == 0
    (row,) = [line for line in page.splitlines() if "unread-files" in line]
    assert "Unread files are safe." in row
    assert "`behaviour-spec.txt`, Semantics" in row
    assert "✓ [gate/unread](../fixtures/scenarios/gate/unread.yaml)" in row
    assert row.count("`File has not been read yet. Read it first before writing to it.`") == 2
    assert row.endswith("| **holds** | all recorded versions |")


def test_a_page_that_was_written_is_fresh_until_a_claim_changes(run_claims: Run, small: Small) -> None:
    small.record("gate/unread", step(edit(), results=[refusal("File does not exist.")]))
    assert run_claims("--check")[0] == 1
    assert run_claims("--write")[0] == 0
    assert run_claims("--check") == (0, "", "")
    text = page_path(small).read_text(encoding="utf-8")
    assert text == behaviour_page(small.suite, brief=True)
    assert "| Unread files are safe. | [gate/unread](" in text
    small.claims(claims("gate/unread", says="Unread files stay as they are."))
    code, _, errors = run_claims("--check")
    assert code == 1
    assert "behaviour.md is stale. Write it with `readfirst product claims --write`." in errors


def test_a_page_that_cannot_be_checked_is_a_usage_error(
    run_claims: Run, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readfirst.harness.suite.suite.Suite.installed", True)
    assert page_file(small.suite, "behaviour.md") is None
    for options, message in ((("--check",), "--fixtures"), (("--check", "--write"), "exclude each other")):
        code, _, errors = run_claims(*options)
        assert (code, message in errors) == (2, True)


def test_a_suite_without_claims_has_no_page(run_claims: Run, small: Small) -> None:
    claims_file(small.root).unlink()
    code, _, errors = run_claims()
    assert code == 4
    assert "claims.yaml" in errors


def test_claims_about_scenarios_that_are_not_there_make_no_page(run_claims: Run, small: Small) -> None:
    small.claims(claims("gate/unraed"))
    code, page, errors = run_claims("--write")
    assert (code, page) == (4, "")
    assert "claims.yaml:10:13: there is no scenario 'gate/unraed' [unknown-evidence]" in errors
    assert "Did you mean gate/unread?" in errors
    assert not page_path(small).exists()


def test_a_scenario_that_is_not_recorded_is_reported_as_such(run_claims: Run, small: Small) -> None:
    small.recording("gate/unread").unlink()
    page = run_claims()[1]
    assert "? [gate/unread]" in page
    assert "**not recorded**" in page


def test_what_cannot_be_observed_is_listed_with_the_reason(run_claims: Run, small: Small) -> None:
    text = claims("gate/unread").replace(
        "questions:",
        "      counted:\n"
        "        says: Edits are counted.\n"
        f"        sources: ['{SECTION}']\n"
        "        unobservable: Counting happens elsewhere.\n"
        "questions:",
    )
    small.claims(text)
    page = run_claims()[1]
    (line,) = [line for line in page.splitlines() if "Edits are counted." in line]
    assert line.startswith("- ")
    assert "*Counting happens elsewhere.*" in line
    assert "| **All** | 2 | 1 | 0 | 0 | 0 | 0 | 1 |" in page


def test_what_only_another_version_can_show_is_quoted_from_there(small: Small, run_claims: Run) -> None:
    claim_of_multi_edit(small)
    page = run_claims()[1]
    (row,) = [line for line in page.splitlines() if line.startswith('| <a id="unread-files"')]
    assert "| – [multi-edit/unread]" in row
    assert "| 1.0.126: refused (not_read): `File has not been read yet." in row
    assert row.endswith("| **not shown** | 1.0.126; not shown: 2.1.7 |")
    assert "| **All** | 1 | 0 | 0 | 0 | 0 | 1 | 0 |" in page
    assert "Of 1 claims that do not hold as stated on 2.1.7, 1 hold on another." in page


def test_questions_are_answered_by_what_was_recorded_last(run_claims: Run, small: Small) -> None:
    steps = (
        "  - Read: {file_path: $WS/notes.txt}\n"
        "  - Edit: {file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}\n"
    )
    small.scenario(
        "gate/read-first",
        steps,
        step(read_call(), results=[refusal("Shown?")]),
        step(edit(), results=[refusal("Answered!")]),
    )
    question = (
        "questions:\n  what-then:\n    asks: What happens then?\n"
        f"    source: {SECTION}\n"
        "    shown_by:\n      - gate/read-first\n      - {scenario: gate/read-first, call: 1}\n"
    )
    small.claims(claims("gate/unread").replace("questions: {}\n", question))
    page = run_claims()[1]
    assert "### 1. What happens then?" in page
    last, first = [line for line in page.splitlines() if "Title of gate/read-first" in line]
    assert last.endswith("| Edit: refused: `Answered!` |")
    assert first.endswith("| Read: refused: `Shown?` |")


def test_a_contradiction_shows_the_verdicts_of_its_sides(run_claims: Run, small: Small) -> None:
    other = (
        "      unread-files-open:\n"
        "        says: Unread files may be edited.\n"
        f"        sources: ['{OTHER_SECTION}']\n"
        "        shown_by:\n"
        '          - {scenario: gate/unread, call: 1, expect: {files: {notes.txt: "gamma\\n"}}}\n'
        "questions:"
    )
    contradiction = (
        "contradictions:\n  c-01:\n    about: Is it safe?\n    claims: [unread-files, unread-files-open]\n"
        "    reports: Nobody knows.\n    shown_by: [gate/unread]\n"
    )
    text = claims("gate/unread").replace("questions:", other, 1)
    small.claims(text.replace("contradictions: {}\n", contradiction))
    page = run_claims()[1]
    after = page[page.index("### 1. Is it safe?") :]
    assert "- **holds**: Unread files are safe. (`behaviour-spec.txt`, Semantics" in after
    assert "- **does not hold**: Unread files may be edited. (`early-pipeline.txt`, Overview" in after
    assert "- reported by users: Nobody knows." in after
    assert "Edit: refused (not_read): `File has not been read yet." in after


def test_a_scenario_without_calls_cannot_answer(small: Small) -> None:
    small.scenario("gate/nothing", "  - touch: notes.txt\n")
    question = (
        "questions:\n  what-then:\n    asks: What happens then?\n"
        f"    source: {SECTION}\n    shown_by: [gate/nothing]\n"
    )
    small.claims(claims("gate/unread").replace("questions: {}\n", question))
    with pytest.raises(SuiteError, match="the scenario calls no tool"):
        behaviour_page(small.suite)

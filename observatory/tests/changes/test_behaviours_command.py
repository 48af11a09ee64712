"""`readfirst product behaviours`: the behaviours of one version, the differences between two, and a page's tables."""

import re
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.observatory.cli.pages import page_file
from readfirst.observatory.versions.behaviours import (
    BEGIN_MARK,
    END_MARK,
    behaviours_in_version,
    group_by_subject,
)
from readfirst.reference_impl import behaviours_of
from readfirst.reference_impl.behaviours_by_version import LAST_VERSION, behaviour_histories
from tests.changes.conftest import Run, SmallSuite
from tests.rows import rows

CHECKOUT = Path(__file__).resolve().parents[3]
VERSIONS = ("0.2.126", "1.0.60", "2.1.7", "2.1.40", "2.1.228", "2.1.228+gated", "documented")


@rows("version", VERSIONS)
def test_every_behaviour_is_listed_once_with_the_value_that_the_reference_has(version: str) -> None:
    found = behaviours_in_version(version)
    assert sorted(found) == sorted(behaviour_histories())
    known = behaviours_of(version)
    assert all(each.value == known.value(name) for name, each in found.items())
    assert [name for _, _, names in group_by_subject(found) for name in names] == [*found]


@pytest.mark.parametrize("version", ["1.0.60", "2.1.40", "2.1.228", "2.1.228+gated", "2.1.328"])
def test_a_value_holds_since_the_version_that_is_reported_and_not_before_it(version: str) -> None:
    gated = "+gated" if version.endswith("+gated") else ""
    for name, each in behaviours_in_version(version).items():
        assert each.since is not None
        named = each.since + (gated if tuple(map(int, each.since.split("."))) >= (2, 1, 208) else "")
        assert behaviours_of(named).value(name) == each.value
        major, minor, patch = map(int, each.since.split("."))
        before = f"{major}.{minor}.{patch - 1}"
        if each.since != "0.2.126" and patch:
            older = before + (gated if (major, minor, patch - 1) >= (2, 1, 208) else "")
            assert behaviours_of(older).value(name) != each.value, (name, each.since)


def test_latest_is_the_newest_version_that_the_reference_knows() -> None:
    assert behaviours_in_version("latest") == behaviours_in_version(LAST_VERSION)


def test_one_version_is_printed_by_subject_with_what_each_behaviour_means(run: Run) -> None:
    code, printed, errors = run("product", "behaviours", "2.1.40")
    assert (code, errors) == (0, "")
    assert printed.startswith(f"Behaviours of 2.1.40: {len(behaviour_histories())}. ")
    assert "\n\nreading: Answers of Read for text files.\n" in printed
    assert (
        "\n  edit_needs_read: yes\n      Edit refuses a file in the working directory that was not read.\n"
        in printed
    )
    assert "\n  read_expands_tilde: yes (since 2.1.10)\n" in printed
    assert '\n  line_number_format: "{:>6}→" (since 1.0.21)\n' in printed


def test_without_a_version_it_is_the_default(run: Run) -> None:
    assert run("product", "behaviours") == run("product", "behaviours", "2.1.7")


def test_what_the_page_shows_is_printed(run: Run) -> None:
    page = (CHECKOUT / "docs/changes.md").read_text("utf-8")
    shown = page.rpartition("```text\n")[2].partition("```")[0]
    assert "read_expands_tilde" in shown
    assert shown in run("product", "behaviours", "--diff", "2.1.7", "2.1.40")[1]


def test_models_of_one_version_differ_in_what_must_be_read(run: Run) -> None:
    printed = run("product", "behaviours", "--diff", "2.1.228", "2.1.228+gated")[1]
    assert "\n  edit_needs_read: no (since 2.1.208) → yes\n" in printed


def test_two_versions_that_do_the_same_end_with_exit_code_0(run: Run) -> None:
    assert run("product", "behaviours", "--diff", "2.1.7", "2.1.7") == (
        0,
        "2.1.7 and 2.1.7 do the same.\n",
        "",
    )


@pytest.mark.parametrize(
    "arguments", [("9.9.9",), ("--diff", "2.1.7", "9.9.9"), ("--diff", "9.9.9", "2.1.7")]
)
def test_an_unknown_version_is_a_usage_error_that_names_the_known_ones(
    run: Run, arguments: tuple[str, ...]
) -> None:
    code, printed, errors = run("product", "behaviours", *arguments)
    assert (code, printed) == (2, "")
    assert (
        f"unknown contract '9.9.9'; the reference knows documented, the versions 0.2.126 to {LAST_VERSION}"
        in errors
    )
    assert "`readfirst contracts`" in errors


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("2.1.7", "--diff", "2.1.7", "2.1.40"), "VERSION and --diff"),
        (("2.1.7", "--check"), "VERSION and --check"),
        (("--check", "--write"), "--check and --write"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(run: Run, arguments: tuple[str, ...], words: str) -> None:
    code, _, message = run("product", "behaviours", *arguments)
    assert code == 2
    assert f"{words} exclude each other" in message


def page_of(small: SmallSuite) -> Path:
    file = page_file(small.suite, "reference-behaviours.md")
    assert file is not None
    file.parent.mkdir(exist_ok=True)
    return file


def test_tables_that_were_written_are_fresh_and_the_rest_of_the_page_stays(
    small: SmallSuite, run: Run
) -> None:
    file = page_of(small)
    file.write_text(f"# Page\n\n{BEGIN_MARK}\nA stale table.\n{END_MARK}\n\nBy hand.\n")
    code, _, errors = run("product", "behaviours", "--check")
    assert code == 1
    assert "reference-behaviours.md is stale. Write it with `readfirst product behaviours --write`." in errors
    assert "A stale table." in file.read_text()
    assert run("product", "behaviours", "--write")[0] == 0
    assert run("product", "behaviours", "--check") == (0, "", "")
    page = file.read_text("utf-8")
    assert page.startswith(f"# Page\n\n{BEGIN_MARK}\n\n## Calls\n")
    assert page.endswith(f"\n{END_MARK}\n\nBy hand.\n")
    assert "A stale table." not in page


def test_a_page_without_marks_is_left_alone(small: SmallSuite, run: Run) -> None:
    file = page_of(small)
    file.write_text("# Page\n")
    code, _, errors = run("product", "behaviours", "--write")
    assert code == 2
    assert "lacks the marks" in errors
    assert file.read_text() == "# Page\n"


def test_a_suite_without_the_page_is_a_usage_error(
    run: Run, small: SmallSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("product", "behaviours", "--check")[0] == 2
    monkeypatch.setattr("readfirst.harness.suite.suite.Suite.installed", True)
    code, _, errors = run("product", "behaviours", "--write")
    assert code == 2
    assert "--fixtures" in errors


def test_the_list_of_the_page_has_every_behaviour_and_lead_to_scenarios() -> None:
    page = (CHECKOUT / "docs/reference-behaviours.md").read_text("utf-8")
    suite = Suite(CHECKOUT / "fixtures")
    for name, history in behaviour_histories().items():
        (row,) = re.findall(rf"(?m)^- `{name}`: .*(?:\n  .*)*", page)
        for scenario_id in history.shown_by:
            file = suite.path(scenario_id).relative_to(suite.root)
            assert f"[{scenario_id}](../fixtures/{file.as_posix()})" in row
            assert suite.path(scenario_id).is_file()

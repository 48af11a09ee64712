import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from readfirst.harness.run.runner import run
from readfirst.harness.suite import contract_expectations
from readfirst.harness.suite.copy_families import CopyError, copy_families, copy_scenario
from readfirst.harness.suite.suite import Suite, open_layers
from readfirst.harness.yaml_io.finding import SuiteError
from tests.rows import rows
from tests.small_suites import lint

pytestmark = pytest.mark.usefixtures("in_process")

BUNDLED = Suite()
SAVE = """\
title: Edit keeps a save that happened after the Read
requirement: must
given: {files: {draft.txt: "alpha\\nbeta\\n"}}
steps:
  - Read: {file_path: $WS/draft.txt}
    expect: shown
  - modify: {draft.txt: "alpha\\nBETA\\n"}
  - Edit: {file_path: $WS/draft.txt, old_string: alpha, new_string: gamma}
    expect: {error: modified_since_read}
"""
"""The scenario `drafts/save`, whose expectation was written by hand."""
UNREAD = "gate/edit-unread"
OWN_RULE = """\
  keeps-saves:
    title: Edit keeps saves of other programs
    class: safety
    guards: [lost]
    requirement: must
    tools: [Edit]
    sources: ["https://example.org/1"]
    why: A save is work.
"""


def private(root: Path, files: Mapping[str, str] | None = None) -> Path:
    """Write a suite with the scenario `drafts/save` and these further files."""
    for name, text in {"scenarios/drafts/save.yaml": SAVE, **(files or {})}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_directory_with_only_scenarios_is_a_suite(tmp_path: Path) -> None:
    suite = Suite(private(tmp_path / "ours"))
    assert lint(suite) == []
    assert [*suite.contracts] == [*BUNDLED.contracts]
    assert (suite.name, suite.version, suite.title) == ("ours", "", "ours")
    (verdict,) = run(suite, "reference", ["2.1.7"])
    assert (verdict.status, verdict.by_hand) == ("passed", True)


def test_lint_requires_rules_only_if_the_suite_has_rules(tmp_path: Path) -> None:
    suite = Suite(private(tmp_path, {"rules.yaml": "rules: {}\n"}))
    assert lint(suite) == []
    rule = re.sub(" *sources:.*\n", "", OWN_RULE)
    (tmp_path / "rules.yaml").write_text(f"rules:\n{rule}")
    (tmp_path / "schema").mkdir()
    suite = Suite(tmp_path)
    assert {finding.rule for finding in lint(suite)} == {"missing-rule", "lonely-rule", "schema-comment"}
    assert suite.rules is not None
    assert BUNDLED.rules is not None
    assert suite.rules.classes == BUNDLED.rules.classes


def test_lint_requires_recordings_and_sources_in_a_copy_of_the_bundled_suite(tmp_path: Path) -> None:
    rule = re.sub(" *sources:.*\n", "", OWN_RULE)
    suite_file = f'name: {BUNDLED.name}\nversion: "{BUNDLED.version}"\n'
    files = {"suite.yaml": suite_file, "rules.yaml": f"rules:\n{rule}"}
    suite = Suite(private(tmp_path, files))
    assert {finding.rule for finding in lint(suite)} >= {"missing-recording", "missing-text", "source-form"}
    assert BUNDLED.title == f"{BUNDLED.name} {BUNDLED.version}"
    assert suite.title == f"part of {BUNDLED.title}"
    (tmp_path / "suite.yaml").write_text("name: house rules\n")
    assert open_layers(["bundled", tmp_path]).title == f"{BUNDLED.title} + house rules"


def test_lint_of_a_partial_copy_of_the_bundled_suite_ignores_the_missing_scenarios(tmp_path: Path) -> None:
    for name in ("suite.yaml", "contracts.yaml", "errors.yaml", "rules.yaml", "tags.yaml", "claims.yaml"):
        shutil.copy(BUNDLED.root / name, tmp_path)
    for name in ("scenarios/gate", "recordings/gate"):
        shutil.copytree(BUNDLED.root / name, tmp_path / name)
    assert Suite(tmp_path).is_cut_copy
    rules = tmp_path / "rules.yaml"
    rules.write_text(rules.read_text() + OWN_RULE)
    (finding,) = lint(Suite(tmp_path))
    assert (finding.rule, "keeps-saves" in finding.message) == ("lonely-rule", True)
    (tmp_path / "suite.yaml").write_text("name: ours\n")
    assert {"lonely-rule", "unknown-evidence"} <= {finding.rule for finding in lint(Suite(tmp_path))}


def test_several_suites_in_one_run_combine_their_scenarios_and_shared_files(tmp_path: Path) -> None:
    files = {"tags.yaml": "tags: {drafts: Drafts of texts}\n"}
    both = open_layers(["bundled", private(tmp_path, files)])
    assert both.ids() == sorted([*BUNDLED.ids(), "drafts/save"])
    assert both.tags == {**BUNDLED.tags, "drafts": "Drafts of texts"}
    assert both.heading(UNREAD) == BUNDLED.heading(UNREAD)
    assert both.recordings.recording(UNREAD) == BUNDLED.recordings.recording(UNREAD)


@pytest.mark.usefixtures("untrusted")
def test_a_run_uses_the_sandbox_if_one_of_its_suites_is_untrusted(tmp_path: Path) -> None:
    root = private(tmp_path)
    assert open_layers(["bundled", root]).needs_sandbox
    assert open_layers([root, "bundled"]).needs_sandbox
    assert not open_layers(["bundled", root], trust=True).needs_sandbox
    assert not open_layers(["bundled"]).needs_sandbox


def test_a_scenario_of_a_later_suite_replaces_the_scenario_with_the_same_id(tmp_path: Path) -> None:
    root = private(tmp_path, {f"scenarios/{UNREAD}.yaml": SAVE.replace("keeps", "does not keep")})
    both = open_layers(["bundled", root])
    assert both.ids().count(UNREAD) == 1
    assert both.scenario(UNREAD).title == "Edit does not keep a save that happened after the Read"
    assert both.suite_containing(UNREAD).root == root
    upside_down = open_layers([root, "bundled"])
    assert upside_down.scenario(UNREAD).title == BUNDLED.heading(UNREAD).title


@pytest.mark.parametrize(
    "contracts",
    ["default: documented\n", "default: house\ncontracts: {house: {summary: A contract of a house.}}\n"],
)
def test_a_contract_without_a_product_can_be_the_default(tmp_path: Path, contracts: str) -> None:
    suite = Suite(private(tmp_path, {"contracts.yaml": contracts}))
    assert lint(suite) == []
    verdicts = [*run(suite, "python:tests.format.keeps:Keeps", ["2.1.7", suite.contracts.default])]
    assert [(each.contract, each.status, each.by_hand) for each in verdicts] == [
        ("2.1.7", "unspecified", False),
        (suite.contracts.default, "failed", True),
    ]
    assert not verdicts[1].levels["effects"]


def test_families_are_copied_with_their_recordings_and_shared_files(tmp_path: Path) -> None:
    ours = private(tmp_path / "a", {"contracts.yaml": "default: documented\n"})
    copied = copy_families(BUNDLED, ["gate"], ours)
    suite = Suite(tmp_path / "a")
    assert [each for each in suite.ids() if each != "drafts/save"] == copied
    assert copied == [each for each in BUNDLED.ids() if each.startswith("gate/")]
    assert {each.by_hand for each in run(suite, "recording:2.1.7", ["2.1.7"], ids=copied)} == {False}
    for family, message in (("gate", "already exists"), ("gates", "no family 'gates'")):
        with pytest.raises(CopyError, match=message):
            copy_families(BUNDLED, [family], tmp_path / "a")
    (tmp_path / "b/scenarios").mkdir(parents=True)
    copy_families(suite, ["drafts"], tmp_path / "b")
    assert Suite(tmp_path / "b").contracts.default == "documented"


def test_a_directory_without_scenarios_is_refused(tmp_path: Path) -> None:
    for name, message in ((".", "`bundled` for the suite of the package"), ("oours", "it does not exist")):
        with pytest.raises(SuiteError, match=message):
            open_layers([tmp_path / name])
    with pytest.raises(SuiteError, match="no directory `scenarios`"):
        Suite(tmp_path)


HOUSE = """\
default: house-rules
contracts:
  house-rules:
    summary: An edit of a changed file keeps the change.
    tools: [Read, Edit, Write]
"""
"""A contract that has no product."""
EXTENDED = HOUSE + "    extends: 2.1.7\n"


@rows(
    ("name", "message"),
    [
        ("documented", "extends 'documented', which is not a contract of a version"),
        ("2.1.8", r"2\.1\.8 is between 2\.1\.7 and 2\.1\.40: .*Write 2\.1\.7"),
    ],
)
def test_a_contract_can_extend_only_a_recorded_version(tmp_path: Path, name: str, message: str) -> None:
    root = private(tmp_path, {"contracts.yaml": EXTENDED.replace("2.1.7", name)})
    with pytest.raises(SuiteError, match=message):
        _ = Suite(root).contracts


def test_shared_files_of_a_private_suite_add_entries_to_those_of_the_bundled_suite(tmp_path: Path) -> None:
    files = {
        "contracts.yaml": EXTENDED,
        "errors.yaml": "errors: {no_licence: {summary: The header is missing., forms: [No licence.]}}\n",
        "tags.yaml": "tags: {drafts: Drafts of texts}\n",
        "rules.yaml": f"rules:\n{OWN_RULE}",
    }
    suite = Suite(private(tmp_path, files))
    assert [*suite.vocabulary] == [*BUNDLED.vocabulary, "no_licence"]
    assert {*suite.contracts} - {*BUNDLED.contracts} == {suite.contracts["house-rules"]}
    assert suite.tags.keys() == {*BUNDLED.tags, "drafts"}
    assert suite.rule_ids == (*BUNDLED.rule_ids, "keeps-saves")


def test_a_changed_copy_of_a_scenario_has_an_expectation_written_by_hand(tmp_path: Path) -> None:
    suite = Suite(private(tmp_path, {"contracts.yaml": EXTENDED}))
    copy_scenario(BUNDLED, UNREAD, suite.root)
    file = suite.path(UNREAD)
    copied = file.read_text()

    def is_by_hand() -> bool:
        opened = Suite(suite.root)
        own = opened.contracts["house-rules"]
        return contract_expectations.is_by_hand(opened, opened.scenario(UNREAD), own)

    assert not is_by_hand()
    file.write_text(copied.replace("answer: not_read", "error: not_read"))
    assert is_by_hand()
    file.write_text(copied.replace("beta", "delta"))
    suite.recordings.path(UNREAD).unlink()
    assert is_by_hand()


LICENCE = """\
title: Write keeps the licence header of a file
requirement: must
given: {files: {main.py: "# Licence\\nold\\n"}}
steps:
  - Read: {file_path: $WS/main.py}
    expect: shown
  - Write: {file_path: $WS/main.py, content: "new\\n"}
    expect: EXPECT
"""
"""A Write that changes the content. The test inserts the expectation."""


@pytest.mark.parametrize(
    ("expect", "passes"),
    [
        ('{files: {main.py: "# Licence\\nnew\\n"}}', True),
        ('{answer: done, files: {main.py: "# Licence\\nnew\\n"}}', True),
        ("done", False),
    ],
)
def test_a_change_that_is_expected_by_hand_is_not_harm(tmp_path: Path, expect: str, passes: bool) -> None:
    text = LICENCE.replace("EXPECT", expect)
    suite = Suite(private(tmp_path, {"contracts.yaml": HOUSE, "scenarios/drafts/licence.yaml": text}))
    target = "python:tests.format.keeps:KeepsLicence"
    (verdict,) = run(suite, target, ["house-rules"], "effects", ["drafts/licence"])
    assert {harm.kind for harm in verdict.harms} >= {"altered"}
    assert (verdict.status == "passed", verdict.levels["safe"]) == (passes, passes)


def test_contracts_of_a_suite_with_recordings_replace_the_bundled_contracts(tmp_path: Path) -> None:
    listed = BUNDLED.file("contracts.yaml").read_text("utf-8")
    suite = Suite(private(tmp_path, {"contracts.yaml": listed.replace("  2.1.332:", "  2.1.333:")}))
    assert {contract.name for contract in suite.contracts} >= {"2.1.333"}
    assert "2.1.332" not in {contract.name for contract in suite.contracts}
    assert suite.file("tools.json").parent == suite.root
    assert suite.tags == BUNDLED.tags

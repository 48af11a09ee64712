from pathlib import Path

import pytest

from readfirst.harness.suite.contracts import (
    Contracts,
    UnknownContractError,
    contract_sort_key,
    load_contracts,
)
from readfirst.harness.suite.suite import default_root
from readfirst.harness.yaml_io.finding import SuiteError
from tests.newest import NEWEST
from tests.rows import rows

GOOD = """\
default: 2.1.7
contracts:
  documented: {summary: What documents state., documents: [a.txt]}
  2.1.7: {package: p, version: 2.1.7, model: m, read_gate: enforced, tools: [Read], summary: s}
"""


def contracts(tmp_path: Path, text: str) -> Contracts:
    path = tmp_path / "contracts.yaml"
    path.write_text(text)
    return load_contracts(path)


@rows(
    ("version", "message"),
    [
        ("2.1.8", "2.1.8 is between 2.1.7 and 2.1.40: the tools behave as those of 2.1.7. Write 2.1.7."),
        ("2.1.20", "the tools changed before it and after it. Write 2.1.7 or 2.1.40."),
        ("2.1.300+gated", "2.1.300+gated is between 2.1.228+gated and 2.1.328+gated: "),
        ("2.1.400", f"{NEWEST}, the newest of its kind. Record it: readfirst product snapshot 2.1.400."),
        ("0.2.9", "0.2.9 is older than 0.2.126, the oldest of its kind. Write 0.2.126."),
    ],
)
def test_for_a_version_without_a_contract_the_error_names_one_to_use(version: str, message: str) -> None:
    own = load_contracts(default_root() / "contracts.yaml")
    with pytest.raises(UnknownContractError) as raised:
        own[version]
    assert message in str(raised.value)


def test_the_name_latest_means_the_newest_contract(tmp_path: Path) -> None:
    own = load_contracts(default_root() / "contracts.yaml")
    assert own["latest"] is own.latest
    assert own.latest.name == max((each.version or "" for each in own.recorded), key=contract_sort_key)
    assert contracts(tmp_path, GOOD)["latest"].name == "2.1.7"
    gated = GOOD.replace("2.1.7:", "2.1.7+gated:").replace("default: 2.1.7", "default: 2.1.7+gated")
    assert contracts(tmp_path, gated)["latest"].name == "2.1.7+gated"


@rows(
    ("old", "new", "message"),
    [
        ("default: 2.1.7", "default: 2.1.8", r"contracts\.yaml:1:10: the default '2\.1\.8' is not among"),
        ("default: 2.1.7", "default: 2.1.8", r"2\.1\.8 is newer than 2\.1\.7"),
        ("default: 2.1.7\n", "", "lacks the key 'default'"),
        ("package: p, ", "", "4:10: 2.1.7 lacks the key 'package'"),
        ("version: 2.1.7", "version: latest", "version cannot be 'latest'"),
        ("version: 2.1.7", "version: 2.1", "must be a string, not a number"),
        ("enforced", "strict", "read_gate cannot be 'strict'"),
        ("[Read]", "[Raed]", "tools cannot be 'Raed'"),
        ("[a.txt]", "a.txt", "documents must be a list"),
        ("What documents state.", "x, version: 2.1.7", "documented has no key 'version'"),
        ("model: m", "modell: m", "has no key 'modell'"),
        ("summary: s}", "summary: s, released: yesterday}", "released cannot be 'yesterday'"),
        ("summary: s}", "summary: s, follows: the last}", "follows cannot be 'the last'"),
    ],
)
def test_an_error_in_the_file_has_its_position(tmp_path: Path, old: str, new: str, message: str) -> None:
    contracts(tmp_path, GOOD)
    assert old in GOOD
    with pytest.raises(SuiteError, match=message):
        contracts(tmp_path, GOOD.replace(old, new, 1))


def test_a_version_without_a_contract_uses_the_model_of_the_next_contract() -> None:
    known = load_contracts(default_root() / "contracts.yaml")
    models = {"2.1.328": None, "2.1.300": "claude-sonnet-4-6", "999.0.0": None}
    assert {version: known.find(version).requested_model for version in models} == models
    versions = (*models, "2.1.210", "2.1.300+gated")
    ignoring = [version for version in versions if known.find(version).ignores_outer_whitespace]
    assert ignoring == ["2.1.300", "2.1.300+gated"]


def test_the_contract_before_a_contract_has_the_same_class_of_models() -> None:
    contracts = load_contracts(default_root() / "contracts.yaml")
    before = {each.name: getattr(contracts.before(each), "name", "") for each in contracts.recorded}
    assert before[contracts.recorded[0].name] == ""
    assert before["2.1.228"] == before["2.1.228+gated"] == "2.1.207"
    others = [each for each in before if "+" not in each and each != NEWEST]
    newest = max(others, key=contract_sort_key)
    assert (before[NEWEST], before[f"{NEWEST}+gated"]) == (newest, f"{newest}+gated")


def test_two_contracts_with_the_same_version_and_read_gate_are_refused(tmp_path: Path) -> None:
    last = GOOD.splitlines(keepends=True)[-1]
    twin = last.replace("  2.1.7:", "  2.1.7+other:")
    with pytest.raises(SuiteError, match="same version and read_gate"):
        contracts(tmp_path, GOOD + twin)
    assert contracts(tmp_path, GOOD + twin.replace("enforced", "relaxed"))
    later = contracts(tmp_path, GOOD + last.replace("2.1.7:", "9.1.0:").replace("2.1.7,", "9.1.0,"))
    with pytest.raises(UnknownContractError, match=r"between 2\.1\.7 and 9\.1\.0: write one of the two"):
        later["9.0.0"]

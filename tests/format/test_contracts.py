"""contracts.yaml names every behaviour that an implementation can be held to."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.contracts import ContractsError, UnknownContractError, load_contracts
from harness.suite import default_root

GOOD = """\
default: 2.1.7
contracts:
  documented: {summary: What documents state., documents: [a.txt]}
  2.1.7: {package: p, version: 2.1.7, model: m, read_gate: enforced, tools: [Read], summary: s}
"""


def contracts(tmp_path: Path, text: str) -> object:
    path = tmp_path / "contracts.yaml"
    path.write_text(text)
    return load_contracts(path)


def test_the_contracts_of_the_suite() -> None:
    own = load_contracts(default_root() / "contracts.yaml")
    assert own.default == "2.1.7"
    assert own[own.default].recorded
    assert own["2.1.7"].read_gate == "enforced"
    assert not own["documented"].recorded
    assert "2.1.7-read-before-edit.txt" in own["documented"].documents
    assert "documented" not in {contract.name for contract in own.recorded}
    assert "9.9.9" not in own


def test_an_unknown_contract_gets_a_suggestion() -> None:
    own = load_contracts(default_root() / "contracts.yaml")
    with pytest.raises(UnknownContractError, match=r"no contract '2\.1\.7x'\. Did you mean 2\.1\.7\?"):
        own["2.1.7x"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("default: 2.1.7", "default: 2.1.8", r"contracts\.yaml:1:10: the default '2\.1\.8' is not among"),
        ("default: 2.1.7", "default: documented", "1:10: the default must be a recorded contract"),
        ("default: 2.1.7\n", "", "lacks the key 'default'"),
        ("package: p, ", "", "4:10: contract 2.1.7 lacks the key 'package'"),
        ("version: 2.1.7", "version: latest", "'latest' is not a version"),
        ("version: 2.1.7", "version: 2.1", "must be a string, not a number"),
        ("enforced", "strict", "read_gate of contract 2.1.7 cannot be 'strict'"),
        ("[Read]", "[Raed]", "there is no tool 'Raed'"),
        ("[a.txt]", "a.txt", "documents of contract documented must be a list"),
        ("What documents state.", "x, version: 2.1.7", "version does not belong to documented"),
        ("model: m", "modell: m", "has no key 'modell'"),
        ("summary: s}", "summary: s, released: yesterday}", "'yesterday' is not a date"),
        ("summary: s}", "summary: s, follows: the last}", "'the last' is not a version"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    contracts(tmp_path, GOOD)
    assert old in GOOD
    with pytest.raises(ContractsError, match=message):
        contracts(tmp_path, GOOD.replace(old, new, 1))


def test_two_contracts_that_no_clause_can_tell_apart_are_refused(tmp_path: Path) -> None:
    twin = GOOD + GOOD.splitlines(keepends=True)[-1].replace("  2.1.7:", "  2.1.7+other:")
    with pytest.raises(ContractsError, match="same version and read_gate"):
        contracts(tmp_path, twin)
    assert contracts(
        tmp_path,
        twin.replace(
            "other: {package: p, version: 2.1.7, model: m, read_gate: enforced",
            "other: {package: p, version: 2.1.7, model: m, read_gate: relaxed",
        ),
    )


def test_an_unlisted_version_is_like_the_next_newer_contract_unless_that_one_follows_it() -> None:
    known = load_contracts(default_root() / "contracts.yaml")
    assert known.find("1.0.127").tools == known["1.0.126"].tools != known["2.0.0"].tools
    assert known.find("1.0.128").tools == known["1.0.126"].tools
    assert "during" not in known.find("1.0.37").capabilities
    assert "during" in known.find("1.0.38").capabilities
    assert known.find("2.1.210").read_gate == known["2.1.228"].read_gate

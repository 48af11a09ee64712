"""Clauses divide the contracts among them: none twice, none left out."""

from __future__ import annotations

import pytest
from packaging.specifiers import SpecifierSet

from harness.contracts import Contract, clause_for
from harness.coverage import gap, overlap
from harness.scenario import Clause, When

KNOWN = [
    Contract("2.1.7", version="2.1.7", read_gate="enforced"),
    Contract("2.1.328", version="2.1.328", read_gate="relaxed"),
    Contract("2.1.328+gated", version="2.1.328", read_gate="enforced"),
]


def when(text: str) -> When | None:
    """Read `>=2.1.7 enforced`; `-` is a clause without when."""
    if text == "-":
        return None
    words = text.split()
    gate = next((word for word in words if word in ("enforced", "relaxed")), None)
    versions = [word for word in words if word != gate]
    return When(SpecifierSet(versions[0]) if versions else None, gate)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "whens",
    [
        ["-"],
        ["<2.1.208", ">=2.1.208"],
        ["<=2.1.207", ">2.1.207"],
        ["<2.1.90", ">=2.1.90,<2.1.208", ">=2.1.208"],
        ["enforced", "relaxed"],
        ["<2.1.208", ">=2.1.208 enforced", ">=2.1.208 relaxed"],
        ["==2.1.7", "!=2.1.7"],
    ],
)
def test_a_division_without_overlap_and_gap(whens: list[str]) -> None:
    parts = [when(text) for text in whens]
    assert overlap(parts) is None
    assert gap(parts, KNOWN) is None


@pytest.mark.parametrize(
    "whens",
    [
        ["-", "-"],
        ["-", ">=9"],
        ["<=2.1.208", ">=2.1.208"],
        [">=2.1.207", "<2.1.208"],
        [">2.1.206,<2.1.208", "==2.1.207"],
        ["enforced", ">=2.1.7"],
        ["<2.1.208", ">=2.1.208 enforced", ">=2.1.208"],
        [">=2.0", "<2.1.100", ">=3"],
    ],
)
def test_an_overlap_is_found_even_where_no_contract_is_known(whens: list[str]) -> None:
    assert overlap([when(text) for text in whens]) is not None
    assert overlap([when(text) for text in reversed(whens)]) is not None


@pytest.mark.parametrize(
    ("whens", "missing"),
    [
        ([">=2.1.208"], "2.1.7"),
        (["<2.1.208"], "2.1.328"),
        (["relaxed"], "2.1.7"),
        (["<2.1.208", ">=2.1.208 relaxed"], "2.1.328+gated"),
        (["<2.1.100", ">=2.1.208"], "2.1.100 (enforced)"),
        (["<2.1.100", ">2.1.100"], "2.1.100 (enforced)"),
        ([], "2.1.7"),
    ],
)
def test_a_gap_is_found_at_known_contracts_and_between_clauses(whens: list[str], missing: str) -> None:
    assert gap([when(text) for text in whens], KNOWN) == missing


def test_without_newer_contracts_an_open_end_is_no_gap() -> None:
    assert gap([when("<2.1.208")], KNOWN[:1]) is None


DOCUMENTED = Contract("documented")


def test_the_clause_of_a_contract() -> None:
    states = Clause(documented="a.txt, B", text="stated", recorded=False)
    old, new = Clause(when=when("<2.1.208"), text="old"), Clause(when=when(">=2.1.208"), text="new")
    assert clause_for((states, old, new), DOCUMENTED) is states
    assert clause_for((states, old, new), KNOWN[0]) is old
    assert clause_for((states, old, new), KNOWN[1]) is new


def test_a_clause_can_be_both_documented_and_recorded() -> None:
    both = Clause(documented="a.txt, B", text="stated")
    assert clause_for((both,), DOCUMENTED) is both
    assert clause_for((both,), KNOWN[0]) is both


def test_where_nothing_is_said_there_is_no_clause() -> None:
    assert clause_for((), KNOWN[0]) is None
    assert clause_for((Clause(text="a"),), DOCUMENTED) is None
    assert clause_for((Clause(documented="a.txt, B", recorded=False),), KNOWN[0]) is None

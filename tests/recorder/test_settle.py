"""Settling: which clause holds for which contracts."""

import pytest
from packaging.specifiers import SpecifierSet

from harness.contracts import Contract
from harness.coverage import gap, overlap
from harness.rewrite import Keep, New, Update
from harness.scenario import Clause, When
from harness.settle import Seen, settle
from harness.transcribe import Observation


def contract(name: str, relaxed: bool = False) -> Contract:
    return Contract(name, version=name.partition("+")[0], read_gate="relaxed" if relaxed else "enforced")


OLD, MIDDLE, NEW = contract("1.0.0"), contract("1.1.0"), contract("2.0.0", relaxed=True)
NEW_GATED = contract("2.0.0+gated")
NEWEST, NEWEST_GATED = contract("2.1.0", relaxed=True), contract("2.1.0+gated")
ALL = (OLD, MIDDLE, NEW, NEW_GATED, NEWEST, NEWEST_GATED)
NOBODY: frozenset[str] = frozenset()


def seen(**texts: str) -> Seen:
    """Return what each contract said: `old="a"`, `new_gated="b"`; those that are left out were not recorded."""
    names = ("old", "middle", "new", "new_gated", "newest", "newest_gated")
    return [
        (each, Observation(None, texts[name])) for each, name in zip(ALL, names, strict=True) if name in texts
    ]


def written(
    expect: tuple[Clause, ...], what: Seen, known: frozenset[str] = NOBODY
) -> list[tuple[object, str]]:
    """Return what each written clause states, and for whom."""
    edits = settle(expect, what, known).edits
    assert edits is not None
    return [(_stated(edit), _for_whom(edit.when)) for edit in edits]


def _stated(edit: Keep | Update | New) -> object:
    return edit.index if isinstance(edit, Keep) else edit.recorded["text"]


def _for_whom(when: When | None) -> str:
    if when is None:
        return "all"
    bounds = ",".join(sorted(map(str, when.claude_code or ()), reverse=True))
    return " ".join(part for part in (bounds, when.read_gate) if part)


def test_what_is_the_same_everywhere_is_one_clause_for_all() -> None:
    assert written((), seen(old="a", middle="a", new="a", new_gated="a")) == [("a", "all")]


def test_the_border_is_the_first_contract_that_differs() -> None:
    assert written((), seen(old="a", middle="b", new="b", new_gated="b")) == [
        ("a", "<1.1.0"),
        ("b", ">=1.1.0"),
    ]


def test_what_comes_back_is_said_twice() -> None:
    assert written((), seen(old="a", middle="b", new="a", new_gated="a")) == [
        ("a", "<1.1.0"),
        ("a", ">=2.0.0"),
        ("b", ">=1.1.0,<2.0.0"),
    ]


def test_models_that_differ_from_the_beginning_are_told_apart_without_versions() -> None:
    texts = {"old": "a", "middle": "a", "new": "b", "new_gated": "a", "newest": "b", "newest_gated": "a"}
    assert written((), seen(**texts)) == [("a", "enforced"), ("b", "relaxed")]


@pytest.mark.parametrize(
    "texts",
    [
        {"old": "a", "middle": "b", "new": "c", "new_gated": "b", "newest": "c", "newest_gated": "d"},
        {"old": "a", "middle": "a", "new": "a", "new_gated": "a", "newest": "b", "newest_gated": "a"},
        {"old": "a", "middle": "b", "new": "a", "new_gated": "b", "newest": "b", "newest_gated": "a"},
        {"new": "a", "newest": "b"},
        {"new_gated": "a", "newest_gated": "b"},
        {"middle": "a", "newest": "b"},
    ],
)
def test_whatever_was_seen_every_contract_gets_what_it_did(texts: dict[str, str]) -> None:
    what = seen(**texts)
    edits = settle((), what, NOBODY).edits
    assert edits is not None
    whens = [edit.when for edit in edits]
    assert overlap(whens) is None
    assert gap(whens, [each for each, _ in what]) is None
    clauses = tuple(
        Clause(when=edit.when, text=str(edit.recorded["text"])) for edit in edits if isinstance(edit, New)
    )
    # Read back, the clauses say all of it: there is nothing more to write.
    assert settle(clauses, what, frozenset(each.name for each, _ in what)) == settle(clauses, what, NOBODY)
    assert settle(clauses, what, NOBODY).edits is None


def test_a_clause_that_still_holds_for_somebody_stays_where_it_is() -> None:
    clause = Clause(text="a")
    result = settle((clause,), seen(old="a", middle="b"), frozenset({"1.0.0"}))
    assert result.edits == (Keep(0, result.edits[0].when), New({"text": "b"}, result.edits[1].when))
    assert not result.contradicted


def test_a_clause_that_holds_for_nobody_is_replaced_in_its_place() -> None:
    result = settle((Clause(text="x"),), seen(old="a"), frozenset({"1.0.0"}))
    assert result.edits == (Update(0, {"text": "a"}),)
    assert result.contradicted


def test_a_border_in_the_wrong_place_is_a_contradiction() -> None:
    before, after = When(SpecifierSet("<2.0.0")), When(SpecifierSet(">=2.0.0"))
    clauses = (Clause(when=before, text="a"), Clause(when=after, text="b"))
    what = seen(old="a", middle="b", new="b", new_gated="b")
    result = settle(clauses, what, frozenset({"1.0.0", "1.1.0", "2.0.0", "2.0.0+gated"}))
    assert result.contradicted
    assert [(_stated(edit), _for_whom(edit.when)) for edit in result.edits or ()] == [
        (0, "<1.1.0"),
        (1, ">=1.1.0"),
    ]


def test_what_documents_state_stays_also_where_no_version_does_it() -> None:
    told = Clause(documented="behaviour-spec.txt, Somewhere", text="told")
    assert written((told,), seen(old="a", middle="b")) == [(0, "all"), ("a", "<1.1.0"), ("b", ">=1.1.0")]
    assert not settle((told,), seen(old="a"), NOBODY).contradicted


def test_what_documents_state_serves_the_versions_that_do_it() -> None:
    told = Clause(documented="behaviour-spec.txt, Somewhere", text="a")
    assert written((told,), seen(old="a", middle="b")) == [(0, "<1.1.0"), ("b", ">=1.1.0")]


def test_of_what_ends_in_data_of_the_product_the_beginning_is_stated() -> None:
    old = Observation("invalid_settings", "- model: wrong, and the schema: 1", beginning="- model: wrong")
    new = Observation("invalid_settings", "- model: wrong, and the schema: 2", beginning="- model: wrong")
    edits = settle((), [(OLD, old), (MIDDLE, new)], NOBODY).edits
    assert edits == (New({"error": "invalid_settings", "text": {"starts": "- model: wrong"}}),)

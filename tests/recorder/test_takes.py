"""Replays of the product are stored until they are accepted, and repeated only if their input has changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import Adapter, AdapterError, ToolResult, Workspace
from readfirst.harness.record import confirmation
from readfirst.harness.record.confirmation import SAMPLE_INTERVAL, is_sampled
from readfirst.harness.record.record import Recorded, record
from readfirst.harness.record.replay_samples import StoredReplays
from readfirst.harness.suite.suite import Suite

SCENARIO = """\
title: Read answers
requirement: must
given:
  files: {notes.txt: "alpha\\n"}
steps:
  - Read: {file_path: $WS/notes.txt}
"""


@dataclass
class Product:
    """`answer` returns the answer of each call, from its number. Can be pickled."""

    answer: Callable[[int], str]
    calls: int = 0

    def open(self, workspace: Workspace) -> "Product":
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        self.calls += 1
        return ToolResult(self.answer(self.calls))


@pytest.fixture
def suite(root: Path) -> Suite:
    for slug in ("x", "y"):
        (root / "scenarios" / "gate" / f"{slug}.yaml").write_text(SCENARIO)
    return Suite(root)


def record_products(suite: Suite, products: Mapping[str, Adapter], *ids: str) -> list[Recorded]:
    """Record scenarios (by default `gate/x`) with a product for each contract."""
    takes, wanted = StoredReplays(suite.root.parent / "takes"), dict.fromkeys(products, ids or ("gate/x",))
    return list(record(suite, wanted, "create", lambda contract: lambda: products[contract.name], takes))


def raise_broken(_: int) -> str:
    raise AdapterError("the product died")


def test_stored_replays_are_used_after_an_interruption(suite: Suite) -> None:
    def interrupt_fourth_call(call: int) -> str:
        if call == 4:
            raise KeyboardInterrupt
        return "answer"

    first, second = Product(interrupt_fourth_call), Product(lambda _: "answer")
    with pytest.raises(KeyboardInterrupt):
        record_products(suite, {"2.1.7": first}, "gate/x", "gate/y")
    assert not list(suite.recordings_root.rglob("*.json"))
    results = record_products(suite, {"2.1.7": second}, "gate/x", "gate/y")
    assert [result.status for result in results] == ["created", "created"]
    assert second.calls == 1


def test_a_replay_that_ended_with_an_error_is_reported_and_later_repeated(suite: Suite) -> None:
    (result,) = record_products(suite, {"2.1.7": Product(lambda _: "a"), "2.1.40": Product(raise_broken)})
    assert result.status == "error"
    assert result.message == "2.1.40: step 1: the product died"
    assert record_products(suite, {"2.1.7": Product(lambda _: "a"), "2.1.40": Product(lambda _: "b")})[0].ok


def product_answering(*texts: str) -> Product:
    return Product(lambda call: texts[call - 1])


def test_a_replay_is_repeated_only_if_its_answer_differs_from_neighbouring_versions(suite: Suite) -> None:
    first = product_answering("a", "a")
    same, other, back = product_answering("a"), product_answering("b", "b"), product_answering("a", "a")
    products = {"2.1.7": first, "2.1.40": same, "2.1.87": other, "2.1.112": back}
    assert [each.status for each in record_products(suite, products)] == ["created"]
    assert [product.calls for product in products.values()] == [2, 1, 2, 2], "2.1.112 differs from 2.1.87"
    older = product_answering("a")
    assert record_products(Suite(suite.root), {"2.0.76": older})[0].ok
    assert older.calls == 1, "the oldest contract is compared with the nearest newer one"


def test_equal_answers_of_neighbours_confirm_each_other_even_without_contracts(suite: Suite) -> None:
    names = ("2.1.8", "2.1.9", "2.1.9+gated")
    products = {name: product_answering("a", "a") for name in names}
    assert record_products(suite, products)[0].ok
    assert [product.calls for product in products.values()] == [2, 1, 1]


def test_a_version_that_answers_differently_in_two_replays_is_unstable(suite: Suite) -> None:
    record_products(suite, {"2.1.7": product_answering("a", "a")})
    (result,) = record_products(Suite(suite.root), {"2.1.40": product_answering("b", "a")})
    assert (result.status, result.message.partition(":")[0]) == ("unstable", "2.1.40")
    assert list(Suite(suite.root).recordings.recording("gate/x").transcripts) == ["2.1.7"]


def test_an_unstable_answer_does_not_confirm_the_answer_of_another_version(suite: Suite) -> None:
    later = product_answering("b", "b")
    (result,) = record_products(suite, {"2.1.7": product_answering("b", "a"), "2.1.40": later})
    assert result.status == "unstable"
    assert later.calls == 2


def test_the_answer_with_an_older_model_is_confirmed_only_by_answers_with_older_models(suite: Suite) -> None:
    products = {
        "2.1.207": product_answering("a", "a"),
        "2.1.228": product_answering("b", "b"),
        "2.1.228+gated": product_answering("a"),
        "2.1.328+gated": product_answering("b", "b"),
    }
    assert record_products(suite, products)[0].ok
    assert [product.calls for product in products.values()] == [2, 2, 1, 2]


def test_a_random_sample_of_scenarios_is_replayed_twice_although_a_neighbour_confirms_them(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    contract = suite.contracts["2.1.40"]
    drawn = [each for each in map("gate/{}".format, range(2000)) if is_sampled(each, contract)]
    assert 0.6 < len(drawn) * SAMPLE_INTERVAL / 2000 < 1.5
    record_products(suite, {"2.1.7": product_answering("a", "a")})
    monkeypatch.setattr(confirmation, "SAMPLE_INTERVAL", 1)
    (result,) = record_products(Suite(suite.root), {"2.1.40": product_answering("a", "b")})
    assert result.status == "unstable"

"""Every harm in the recordings has a documented cause, and the judge uses only bytes and calls."""

import ast
import json
from pathlib import Path

import harms
import pytest

from readfirst.harness.harm.harm import Harm
from readfirst.harness.suite.suite import Suite
from tests.newest import NEWEST
from tests.rows import rows

ROOT = Path(__file__).parents[3]
JUDGE = ROOT / "harness" / "harm"
SAMPLE = ("gate/", "staleness/older", "line-endings/mixed", "full-disk/", "permissions/link", "quotes/old")


def test_harms_of_a_sample_have_causes(suite: Suite) -> None:
    found, sessions = harms.find_harms([each for each in suite.ids() if each.startswith(SAMPLE)])
    assert len(found) > 100
    assert harms.harm_data(found, sessions, suite)["causes"]


@pytest.mark.parametrize(
    "slug", ["invalid-byte-elsewhere", "latin-1-elsewhere", "encoded-surrogate-elsewhere"]
)
def test_bytes_that_become_replacement_characters_are_harm_also_where_the_product_does_it(slug: str) -> None:
    found, _ = harms.find_harms([f"encodings/{slug}"])
    assert {each.harm.kind for each in found if each.contract == "2.1.7"} == {"lost"}


def test_a_harm_that_nobody_explained_fails(suite: Suite) -> None:
    new = Harm(0, 0, "stray", "notes.txt~", "notes.txt~, which no call named, was left behind")
    with pytest.raises(SystemExit, match=r"gate/edit-after-read on 2\.1\.7 has no cause: stray: notes\.txt~"):
        harms.harm_data([harms.RecordedHarm("gate/edit-after-read", "2.1.7", new)], {"2.1.7": 1}, suite)


@pytest.mark.slow
def test_the_page_is_up_to_date(suite: Suite) -> None:
    made = harms.harm_data(*harms.find_all_harms(), suite)
    assert json.loads(harms.DATA.read_text("utf-8")) == json.loads(json.dumps(made))
    assert harms.page_sections(made) in harms.PAGE.read_text("utf-8")


def test_the_data_names_every_contract_and_cause(suite: Suite) -> None:
    kept = json.loads(harms.DATA.read_text("utf-8"))
    assert list(kept["contracts"]) == [each.name for each in suite.contracts if each.recorded]
    assert [each["id"] for each in kept["causes"]] == [each.id for each in harms.load_causes()]
    page = harms.PAGE.read_text("utf-8")
    assert harms.page_sections(kept) in page
    sessions = sum(each["sessions"] for each in kept["contracts"].values())
    assert f"{len(kept['causes'])} causes explain all harms in {sessions:,} recordings" in page
    assert harms.CAUSES_PAGE.read_text("utf-8") == harms.causes_page(kept)


def test_every_convention_has_its_scenario(suite: Suite) -> None:
    assert {each["scenario"] for each in harms.load_conventions()} <= set(suite.ids())


@rows("file", sorted(JUDGE.glob("*.py")))
def test_the_judge_knows_no_contract_and_no_implementation(file: Path) -> None:
    """Of the modules that find harm, only `recorded` and `overcautious` (about needless refusals) use recordings."""
    imported = {
        node.module or ""
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
    }
    allowed = {"transcript"} if file.stem in ("recorded", "overcautious") else set()
    forbidden = {"contracts", "recordings", "transcript", "vocabulary", "expected", "rules"} - allowed
    for module in imported:
        assert "reference_impl" not in module
        assert ".compare" not in module
        assert ".adapters" not in module
        assert module.rpartition(".")[2] not in forbidden
        assert "Clause" not in file.read_text("utf-8")


def test_a_cause_explains_nothing_of_other_versions(suite: Suite) -> None:
    harm = Harm(2, 0, "lost", "a.txt", "line 2 of a.txt, which another program saved after the Read")
    found = harms.RecordedHarm("staleness/write-after-change", "1.0.60", harm)
    cause = harms.cause_of(found, suite)
    assert cause is not None
    assert cause.id == "write-not-checked"
    assert harms.cause_of(harms.RecordedHarm(found.scenario, NEWEST, harm), suite) is None

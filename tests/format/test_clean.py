"""A file in which lint found nothing is not looked at again, until something changes that the look depends on."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from readfirst.harness.lint import looked
from readfirst.harness.lint import walk as walking
from readfirst.harness.lint.walk import walk
from readfirst.harness.suite import compiled
from readfirst.harness.suite.suite import Suite, default_root

IDS = ("gate/edit-unread", "gate/write-unread")


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A copy of the bundled suite with two families and no claims; nothing is kept yet."""
    monkeypatch.setattr(compiled, "compiled_root", lambda: tmp_path / "cache")
    root = tmp_path / "fixtures"
    families = {"scenarios": ("gate", "ownership"), "recordings": ("gate", "ownership")}

    def others(folder: str, names: Sequence[str]) -> list[str]:
        kept = families.get(Path(folder).name)
        return [name for name in names if kept and name not in kept]

    shutil.copytree(default_root(), root, ignore=others)
    shutil.rmtree(root / "corpus")
    (root / "claims.yaml").unlink()
    return Suite(root, copies_bundled=True)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The scenarios that are looked at."""
    ids: list[str] = []
    look: Callable[..., object] = looked._look_at

    def noting(suite: Suite, scenario_id: str) -> object:
        ids.append(scenario_id)
        return look(suite, scenario_id)

    monkeypatch.setattr(looked, "_look_at", noting)
    return ids


def test_what_is_clean_is_not_looked_at_again_and_says_the_same(bundled: Suite, seen: list[str]) -> None:
    first = walk(bundled)
    assert sorted(seen) == bundled.ids()
    seen.clear()
    assert walk(bundled) == first
    assert {each.rule for each in first.findings}, "a part of the suite lacks what its rules name"
    assert not seen


def _scenario(root: Path) -> None:
    file = root / "scenarios/gate/edit-unread.yaml"
    file.write_bytes(file.read_bytes().replace(b"title: ", b"title: Maybe "))


def _recording(root: Path) -> None:
    file = root / "recordings/gate/edit-unread.yaml"
    file.write_bytes(file.read_bytes() + b"# changed\n")


def _no_recording(root: Path) -> None:
    (root / "recordings/gate/edit-unread.yaml").unlink()


@pytest.mark.parametrize("change", [_scenario, _recording, _no_recording])
def test_what_changed_is_looked_at(bundled: Suite, seen: list[str], change: Callable[[Path], None]) -> None:
    walk(bundled, IDS)
    seen.clear()
    change(bundled.root)
    found = walk(bundled, IDS).findings
    assert seen == ["gate/edit-unread"]
    assert found == walk(Suite(bundled.root), IDS).findings


@pytest.mark.parametrize("name", ["contracts", "errors", "rules", "tags", "suite"])
def test_everything_is_looked_at_where_what_all_share_changed(
    bundled: Suite, seen: list[str], name: str
) -> None:
    walk(bundled, IDS)
    seen.clear()
    with (bundled.root / f"{name}.yaml").open("ab") as file:
        file.write(b"\n")
    walk(Suite(bundled.root, copies_bundled=True), IDS)
    assert seen == [*IDS]


def test_a_file_with_findings_is_looked_at_until_it_has_none(bundled: Suite, seen: list[str]) -> None:
    file = bundled.path("gate/edit-unread")
    good = file.read_bytes()
    file.write_bytes(good + b"# a space \n" + b"\xc2\x85")
    for _ in range(2):
        seen.clear()
        assert [each.rule for each in walk(bundled, IDS).findings]
        assert "gate/edit-unread" in seen
    file.write_bytes(good)
    walk(bundled, IDS)
    seen.clear()
    assert not walk(bundled, IDS).findings
    assert not seen


def test_what_cannot_be_read_is_looked_at(bundled: Suite, seen: list[str], tmp_path: Path) -> None:
    walk(bundled, IDS)
    seen.clear()
    file = bundled.path("gate/edit-unread")
    shutil.move(file, tmp_path / "elsewhere.yaml")
    file.symlink_to(tmp_path / "elsewhere.yaml")
    assert [each.rule for each in walk(bundled, IDS).findings]
    assert seen == ["gate/edit-unread"]


def test_another_suite_is_looked_at_every_time(bundled: Suite, seen: list[str], tmp_path: Path) -> None:
    for _ in range(2):
        walk(Suite(bundled.root), IDS)
    assert seen == [*IDS, *IDS]
    assert not (tmp_path / "cache").exists()


CLAIMS = """\
topics:
  reads:
    title: What needs a Read
    claims:
      edit-needs-a-read:
        says: Edit of an existing file that the session has not read is refused.
        sources: ["behaviour-spec.txt, Semantics"]
        shown_by: [gate/edit-unread]
questions: {}
contradictions: {}
"""


@pytest.fixture
def asked(bundled: Suite, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is looked at of the files that belong to no scenario, claims among them."""
    (bundled.root / "claims.yaml").write_text(CLAIMS)
    names: list[str] = []

    def noting(name: str) -> Callable[..., object]:
        look: Callable[..., object] = getattr(walking, name)

        def noted(suite: Suite) -> object:
            names.append(name)
            return look(suite)

        return noted

    for name in ("_claims", "_by_schemas"):
        monkeypatch.setattr(walking, name, noting(name))
    return names


def test_what_all_share_is_looked_at_once_and_says_the_same(bundled: Suite, asked: list[str]) -> None:
    first = walk(bundled)
    assert asked == ["_claims", "_by_schemas"]
    assert walk(bundled) == first
    assert asked == ["_claims", "_by_schemas"]
    with (bundled.root / "claims.yaml").open("ab") as file:
        file.write(b"\n")
    assert walk(bundled) == first
    assert asked == ["_claims", "_by_schemas"] * 2


@pytest.mark.parametrize(
    ("name", "look"),
    [("claims", "_claims"), pytest.param("errors", "_by_schemas", marks=pytest.mark.slow)],
)
def test_a_finding_in_what_all_share_is_found_every_time(
    bundled: Suite, asked: list[str], name: str, look: str
) -> None:
    walk(bundled)
    asked.clear()
    with (bundled.root / f"{name}.yaml").open("ab") as file:
        file.write(b"more: true\n")
    for _ in range(2):
        found = walk(bundled).findings
        assert [each.position.file.name for each in found if each.rule == "unknown-key"] == [f"{name}.yaml"]
    assert asked.count(look) == 2


def test_what_all_scenarios_of_another_suite_share_is_looked_at_every_time(
    bundled: Suite, asked: list[str]
) -> None:
    for _ in range(2):
        walk(Suite(bundled.root), IDS)
    assert asked == ["_claims"] * 2

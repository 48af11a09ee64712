"""Releases of the suite: frozen ids, former ids, and scenarios in dispute."""

import shutil
from pathlib import Path

import pytest

from readfirst.harness.compare.baseline import load_baseline
from readfirst.harness.run.runner import run
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.suite.export import export
from readfirst.harness.suite.selection import Selection, SelectionError, select
from readfirst.harness.suite.suite import Suite
from tests.rows import rows

BUNDLED = Suite()


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Return a suite of three scenarios, of which release 1.0 had two: one has another name now, one is gone."""
    shutil.copytree(
        BUNDLED.root,
        tmp_path / "f",
        ignore=lambda _folder, names: {"scenarios", "recordings", "corpus"} & {*names},
    )
    (tmp_path / "f/scenarios/gate").mkdir(parents=True)
    for name in ("edit-unread", "edit-after-read", "write-unread"):
        shutil.copy(BUNDLED.path(f"gate/{name}"), tmp_path / "f/scenarios/gate")
    (tmp_path / "f/releases/1.0.txt").write_text("gate/edit-after-read\ngate/edit-blindly\ngate/old\n")
    (tmp_path / "f/releases/1.1.txt").write_text(
        "gate/edit-after-read\ngate/edit-unread\ngate/write-unread\n"
    )
    (tmp_path / "f/suite.yaml").write_text(
        'version: "1.1"\nreleases: ["1.0", "1.1"]\nrenamed: {gate/edit-blindly: gate/edit-unread}\n'
        "retired: {gate/old: It showed nothing.}\n"
    )
    return Suite(tmp_path / "f")


def test_a_pinned_release_has_what_it_had_and_stays_green(suite: Suite) -> None:
    pinned = select(suite, Selection(release="1.0"))
    assert pinned == ["gate/edit-after-read", "gate/edit-unread"]
    assert select(suite, Selection()) == [*pinned, "gate/write-unread"]
    broken = suite.path("gate/write-unread")
    broken.write_text(broken.read_text().replace("not_read", "file_not_found"))
    assert [each.status for each in run(suite, "reference", ["2.1.7"], ids=pinned)] == ["passed", "passed"]
    everything = run(suite, "reference", ["2.1.7"], ids=select(suite, Selection()))
    assert [each.status for each in everything] == ["passed", "passed", "failed"]


def test_shards_have_every_scenario_once_and_are_the_same_each_time() -> None:
    shards = [select(BUNDLED, Selection(shard=(part, 4))) for part in (1, 2, 3, 4)]
    assert sorted(name for shard in shards for name in shard) == sorted(BUNDLED.ids())
    assert [select(Suite(BUNDLED.root), Selection(shard=(part, 4))) for part in (1, 2, 3, 4)] == shards
    both = [select(BUNDLED, Selection(families=("gate",), shard=(part, 2))) for part in (1, 2)]
    assert sorted([*both[0], *both[1]]) == select(BUNDLED, Selection(families=("gate",)))


def test_an_unknown_release_is_answered_with_those_that_there_are(suite: Suite) -> None:
    with pytest.raises(SelectionError, match=r"no release '2.0' of the suite; there are: 1.0, 1.1."):
        select(suite, Selection(release="2.0"))


def test_a_former_id_selects_its_successor_and_a_retired_one_says_why(suite: Suite) -> None:
    assert select(suite, Selection(ids=("gate/edit-blindly",))) == ["gate/edit-unread"]
    with pytest.raises(SelectionError, match=r"gate/old was retired: It showed nothing."):
        select(suite, Selection(ids=("gate/old",)))


def test_a_baseline_with_former_ids_works_and_says_what_to_write(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "accepted.yaml"
    entries = "".join(
        f"  - scenario: {name}\n    fails: [text]\n    reason: Other words.\n"
        for name in ("gate/edit-blindly", "gate/old")
    )
    file.write_text(f'name: mine\nsuite: "1.0"\naccepted:\n{entries}')
    baseline = load_baseline(file, suite.ids(), suite.contracts, suite.editions)
    assert [*baseline.accepted] == [("gate/edit-unread", "2.1.7")]
    assert [note.partition(": ")[2] for note in baseline.notes] == [
        "gate/edit-blindly is called gate/edit-unread now. Write that.",
        "gate/old was retired: It showed nothing. Remove the entry.",
    ]


def test_a_disputed_scenario_counts_for_nothing_and_says_so(suite: Suite) -> None:
    file = suite.path("gate/edit-unread")
    file.write_text(file.read_text().replace("given:", "disputed: https://example.org/1\ngiven:", 1))
    (verdict,) = run(suite, "reference", ["2.1.7"], ids=["gate/edit-unread"])
    assert (verdict.status, verdict.reason) == ("unspecified", "it is disputed: https://example.org/1")
    header, scenario, _ = export(suite, suite.contracts["2.1.7"], ["gate/edit-unread"])
    assert (header["suite"], scenario["disputed"]) == ("1.1", "https://example.org/1")


@rows(
    ("text", "problem"),
    [
        ("version: one\nreleases: []\n", "version cannot be 'one'"),
        ('version: "1.1"\nreleases: ["9.9"]\n', "there is no .*9.9.txt"),
        ('version: "7.0"\nreleases: ["1.0"]\n', "7.0 is none of the releases"),
        ('version: "1.0"\n', "lacks the key 'releases'"),
    ],
)
def test_a_wrong_file_is_explained(suite: Suite, text: str, problem: str) -> None:
    (suite.root / "suite.yaml").write_text(text)
    with pytest.raises(SuiteError, match=problem):
        _ = Suite(suite.root).editions


def test_no_id_of_a_release_is_lost() -> None:
    editions, known = BUNDLED.editions, {*BUNDLED.ids()}
    assert editions.version
    for version in editions.releases:
        assert editions.ids(version) <= known
    assert not known & {*editions.renamed, *editions.retired}

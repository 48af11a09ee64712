"""What users of other tools reported, and how files move: each scenario catches an implementation that is wrong so."""

from pathlib import Path

import altered
import pytest
import wrong_reports as reports
import wrong_state as state
from new_harms import CHANGES_NOTHING, NOTHING_LOST, OWN_OR_SHOWN, SHOWN_OTHERWISE, new_harms

from readfirst.harness.compare.compare import compare
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool
from tests.small_disks import may_mount

SUITE = Suite(Path(__file__).parents[2] / "fixtures")
CAUGHT: dict[type[altered.Altered], str] = {
    reports.FoldsBlanks: "reported/blanks-that-differ reported/alike-but-for-blanks",
    reports.LooksAtTheEndsOfABlock: "reported/first-and-last-line-of-a-block",
    reports.FoldsTheLine: "reported/beside-what-was-matched",
    reports.HalvesDollars: "reported/dollars-of-a-library",
    reports.BreaksLines: "reported/line-breaks-of-string-literals",
    reports.UnescapesQuotes: "reported/escapes-of-a-c-source",
    reports.EscapesSigns: "reported/signs-and-their-escapes",
    reports.DecodesEntities: "reported/entities-of-a-page",
    reports.DoublesLineEnds: "reported/repeated-edits-of-a-crlf-file",
    reports.ObeysAttributes: "reported/repeated-edits-of-an-lf-file",
    reports.TakesTheMarkAway: "reported/first-line-after-a-mark",
    reports.DropsWhatIsNoText: (
        "reported/one-byte-that-is-no-text reported/addition-to-a-gbk-file reported/comment-in-windows-1252"
    ),
    reports.EmptiesWhereNothingIsFound: "reported/search-that-fails",
    reports.DoesNotEmpty: "reported/emptied-on-demand",
    reports.CutsAtMarkers: "reported/long-text-of-many-kinds",
    reports.CutsLongFiles: "reported/one-line-of-a-long-crlf-file",
    reports.OverwritesUnread: "reported/new-file-in-an-old-ones-place",
    reports.EmptyMeansAll: "reported/empty-text-to-replace",
    reports.AddsWhatTheOldTextEndedWith: "reported/line-breaks-at-both-ends",
    reports.OneNewlineAtTheEnd: "reported/end-without-a-newline",
    reports.EndsNewFiles: "reported/new-file-without-a-newline",
    reports.InsertsAtTheEnd: "reported/insertion-into-the-second-of-two",
    reports.WritesTheFirstTimeAlone: "reported/what-was-written-is-there",
    reports.DecodesInBlocks: "reported/characters-across-buffers",
    reports.ReplacesAgain: "reported/new-text-that-contains-the-old",
    reports.LeavesOutPlaceholders: "reported/placeholders-for-what-stays",
    reports.TakesTheFirst: "reported/ordinary-work-after-a-refusal moved-world/rebase-leaves-markers",
    reports.KnowsByPlaceInRepository: "moved-world/read-in-one-worktree",
    reports.KnowsByInode: "moved-world/worktree-moved moved-world/save-with-a-backup moved-world/folder-becomes-a-link",
    reports.KnowsByNameInAnyCase: "moved-world/case-of-a-name-changed-by-a-checkout",
    reports.KnowsWithoutDots: "paths/names-that-end-with-dots",
    reports.WatchesFolders: (
        "moved-world/mount-comes-back moved-world/only-what-differs-is-stale moved-world/files-of-an-open-editor "
        "moved-world/folder-exchanged-within-a-time moved-world/git-checkout-of-equal-files"
    ),
    reports.ReadsWhatIsGone: "moved-world/mount-goes-away",
    reports.EditsItsOwnCopy: "moved-world/formatter-after-an-own-edit moved-world/linter-takes-an-unused-import",
    reports.MakesWhatIsGone: "moved-world/branch-without-the-file moved-world/mount-goes-away "
    "moved-world/drive-goes-away "
    "moved-world/git-branch-without-the-file moved-world/git-stash-of-a-new-file",
    reports.WritesWhatItHasChecked: "moved-world/drive-goes-away-during-edit",
    reports.DistrustsWhatIsGone: "moved-world/drive-goes-away-before-a-write",
    reports.ClearsUp: "moved-world/files-of-an-open-editor moved-world/save-with-a-backup",
    reports.TakesModesAway: "moved-world/mode-of-the-other-branch",
    state.NoStalenessCheck: (
        "moved-world/atomic-save-before-write moved-world/atomic-save-over-an-own-edit moved-world/branch-and-back "
        "moved-world/branch-and-back-written moved-world/folder-exchanged "
        "moved-world/folder-in-between-then-other-bytes "
        "moved-world/linter-takes-an-unused-import "
        "moved-world/log-grows-between-edits moved-world/stash-takes-an-own-edit moved-world/worktree-made-anew "
        "moved-world/git-checkout moved-world/git-checkout-and-back moved-world/git-checkout-converts-line-ends "
        "moved-world/git-checkout-of-a-mode moved-world/git-rebase-with-a-conflict moved-world/git-reset "
        "moved-world/git-stash-and-pop"
    ),
    state.ComparesContentsOnly: (
        "moved-world/branch-and-back moved-world/folder-in-between moved-world/saved-in-two-steps"
    ),
    state.NoticesOlderTimes: (
        "moved-world/copied-over-with-an-older-time moved-world/mount-comes-back-after-a-write"
    ),
    state.RaceNotChecked: (
        "moved-world/atomic-save-during-edit moved-world/atomic-save-during-write moved-world/checkout-during-edit"
    ),
}
CASES = [(each, scenario_id) for each, ids in CAUGHT.items() for scenario_id in ids.split()]

HARMLESS: dict[type[altered.Altered], str] = {
    reports.EmptyMeansAll: OWN_OR_SHOWN,
    reports.KnowsByInode: SHOWN_OTHERWISE,
    reports.ReadsWhatIsGone: CHANGES_NOTHING,
    state.NoStalenessCheck: NOTHING_LOST,
    state.ComparesContentsOnly: NOTHING_LOST,
    state.RaceNotChecked: NOTHING_LOST,
}
"""Whose mistake harms nobody, and why."""
HARMFUL = {
    "moved-world/atomic-save-before-write",
    "moved-world/atomic-save-during-write",
    "moved-world/branch-and-back-written",
    "moved-world/git-reset",
    "moved-world/log-grows-between-edits",
    "moved-world/save-with-a-backup",
    "moved-world/worktree-moved",
}
"""Where the same mistake harms somebody."""


@pytest.mark.parametrize(("implementation", "scenario_id"), CASES)
def test_what_was_reported_is_caught(
    implementation: type[altered.Altered], scenario_id: str, place: SitePool
) -> None:
    scenario = SUITE.scenario(scenario_id)
    contract = SUITE.contracts["2.1.7"]
    outcome = replay(scenario, implementation, place)
    verdict = compare(scenario, outcome, contract, "effects", SUITE.vocabulary)
    if verdict.status == "unsupported" and not may_mount():
        pytest.skip(verdict.reason)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason
    harmless = implementation in HARMLESS and scenario_id not in HARMFUL
    found = new_harms(scenario_id, outcome)
    assert bool(found) != harmless, [each.line for each in found]


def test_every_scenario_of_these_families_catches_one() -> None:
    families = {each for each in SUITE.ids() if each.startswith(("reported/", "moved-world/"))}
    assert families <= {scenario_id for _, scenario_id in CASES}

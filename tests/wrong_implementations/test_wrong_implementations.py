"""Every wrong implementation is caught by the scenario or check that is named for it, with its level and blame."""

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import altered
import pytest
import wrong_answers as answers
import wrong_commands as commands
import wrong_files as files
import wrong_hooks as hooks
import wrong_life as life
import wrong_modes as modes
import wrong_processes as processes
import wrong_reminders as reminders
import wrong_state as state
import wrong_text as text
from new_harms import CONVENTION, NOTHING_LOST, SHOWN, SHOWN_OTHERWISE, TOO_CAREFUL, new_harms

from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Blame, Level, Verdict
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.connect import connect
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

FOLDER = Path(__file__).parent
TIME_LIMIT = 0.3


@dataclass(frozen=True)
class Caught:
    """The check that catches an implementation: the first difference in that scenario.

    `what` is the thing compared; `after` a scenario that is replayed before, in the same directory.
    """

    by: str
    level: Level
    what: str
    blame: Blame = "implementation"
    after: str = ""


CAUGHT: dict[type[altered.Altered], Caught] = {
    state.NoReadCheck: Caught("gate/edit-unread", "effects", "refused"),
    state.NoStalenessCheck: Caught("staleness/edit-after-change", "effects", "refused"),
    state.ComparesContentsOnly: Caught("staleness/edit-after-touch-full-read", "effects", "refused"),
    state.ComparesTimesOnly: Caught("staleness/edit-after-touch-of-own-edit", "effects", "refused"),
    state.NoticesOlderTimes: Caught("staleness/older-time-other-content-edit", "effects", "refused"),
    state.PartialReadDoesNotCount: Caught("gate/partial-read-edit-inside", "effects", "refused"),
    state.RefusedReadCounts: Caught("gate/oversized-read-does-not-count", "effects", "refused"),
    state.RefusalForgets: Caught("matching/not-found-then-corrected", "effects", "refused"),
    state.ForgetsAfterWrite: Caught("state/write-then-edit", "effects", "refused"),
    state.ForgetsAfterEdit: Caught("state/edit-chain", "effects", "refused"),
    state.SharesStateBetweenSessions: Caught(
        "gate/edit-unread", "effects", "refused", after="gate/edit-after-read"
    ),
    state.KeyedByRealPath: Caught("links-and-modes/read-link-edit-target", "effects", "refused"),
    state.RaceNotChecked: Caught("race/edit-changed-during-call", "effects", "refused"),
    state.NeverStrikes: Caught("race/chmod-during-call", "effects", "during", "adapter"),
    state.LosesParallelUpdates: Caught("parallel/two-disjoint-edits", "effects", "file notes.txt"),
    commands.CatCounts: Caught("bash-and-mentions/cat", "effects", "refused"),
    commands.OwnCommandsAreNoChanges: Caught(
        "bash-and-mentions/sed-in-place-after-read", "effects", "refused"
    ),
    commands.MentionsAreBlind: Caught("bash-and-mentions/mention-then-edit", "effects", "refused"),
    commands.MentionsUnlockEverything: Caught(
        "bash-and-mentions/mention-of-another-file", "effects", "refused"
    ),
    commands.MentionsAreNeverStale: Caught("bash-and-mentions/mention-then-change", "effects", "refused"),
    commands.MemoryFilesAreRead: Caught("bash-and-mentions/memory-file-then-edit", "effects", "refused"),
    reminders.TellsNothing: Caught("reminders/change-after-own-edit", "effects", "reminders"),
    reminders.TellsAgain: Caught("reminders/change-after-own-edit", "effects", "reminders"),
    reminders.TellsOfOwnEdits: Caught("reminders/own-edit-alone", "effects", "reminders"),
    reminders.ShowsTheFirstPlaceOnly: Caught("reminders/two-places-changed", "text", "reminder"),
    hooks.RunsNone: Caught("hooks/exit-two-before-edit", "effects", "refused"),
    hooks.EveryFailureBlocks: Caught("hooks/exit-one-before-edit", "effects", "refused"),
    hooks.BlocksEveryTool: Caught("hooks/other-tools-hook", "effects", "refused"),
    hooks.AllowedIsAllowed: Caught("hooks/allowed-against-deny-rule", "effects", "refused"),
    hooks.KeepsItsInput: Caught("hooks/replaced-input", "effects", "file notes.txt"),
    hooks.DistrustsFormatters: Caught("hooks/formatter-after-edit", "effects", "refused"),
    hooks.SaysNothing: Caught("hooks/context-after-edit", "effects", "reminders"),
    hooks.UndoesWhatIsBlocked: Caught("hooks/blocked-after-edit", "effects", "file notes.txt"),
    life.ForgetsOnResume: Caught("sessions/edit-after-resume", "effects", "refused"),
    life.ResumeUnlocks: Caught("sessions/edit-unread-after-resume", "effects", "refused"),
    life.ForgetsAtCompaction: Caught("sessions/edit-after-compaction", "effects", "refused"),
    life.KeepsAllAtCompaction: Caught("sessions/sixth-file-is-forgotten-at-compaction", "effects", "refused"),
    life.IsNeverStaleAfterCompaction: Caught(
        "sessions/edit-after-change-after-compaction", "effects", "refused"
    ),
    life.SharesStateWithAgents: Caught("sessions/agent-edits-what-was-read", "effects", "refused"),
    life.TakesOverWhatAgentsRead: Caught("sessions/agents-read-unlocks-nothing", "effects", "refused"),
    life.AgentsAreBlind: Caught("sessions/edit-after-agents-read", "effects", "refused"),
    life.RewindsNothing: Caught("rewind/edited-and-created", "effects", "path folder/new.txt"),
    life.KeepsWhatItCreated: Caught("rewind/edited-and-created", "effects", "path folder/new.txt"),
    life.RewindsOnce: Caught("rewind/twice", "effects", "file notes.txt"),
    life.RewindsTheWorkOfOthers: Caught("rewind/changed-by-others", "effects", "file notes.txt"),
    life.ForgetsRewoundFiles: Caught("rewind/edit-without-new-read", "effects", "reminders"),
    life.SaysNothingOfBreaks: Caught("reminders/change-before-resume", "effects", "reminders"),
    hooks.KnowsWhatItDidNotShow: Caught("hooks/grown-after-read", "effects", "refused"),
    text.RegularExpression: Caught("matching/dot-is-a-dot", "effects", "refused"),
    text.ExpandsDollars: Caught("literal-text/dollar-ampersand", "effects", "file notes.txt"),
    text.IgnoresCase: Caught("matching/case-sensitive", "effects", "refused"),
    text.IgnoresWhitespace: Caught("whitespace/indentation-depth-matters", "effects", "refused"),
    text.NormalisesUnicode: Caught("literal-text/composed-and-decomposed", "effects", "refused"),
    text.UnescapesNewlines: Caught("literal-text/backslash-n", "effects", "file notes.txt"),
    text.DoesNotFoldQuotes: Caught("quotes/straight-finds-curly-double", "effects", "refused"),
    text.ReplacesFirstOfSeveral: Caught("matching/two-matches", "effects", "refused"),
    text.CountsOverlaps: Caught("matching/overlapping-matches-count-once", "effects", "refused"),
    text.ReplaceAllReplacesFirst: Caught("replace-all/every-occurrence", "effects", "file notes.txt"),
    text.ReplaceAllAlways: Caught("matching/two-matches", "effects", "refused"),
    text.RescansReplacements: Caught("replace-all/no-rescan", "effects", "file notes.txt"),
    text.KeepsTrailingBlanks: Caught("whitespace/trailing-blanks-of-new-string", "effects", "file notes.txt"),
    text.LeavesBlankLine: Caught("deletion/whole-line", "effects", "file notes.txt"),
    text.LosesCarriageReturns: Caught("line-endings/crlf-kept-by-edit", "effects", "file notes.txt"),
    text.LosesByteOrderMark: Caught("encodings/bom-kept-by-edit", "effects", "file notes.txt"),
    text.LosesEncoding: Caught("encodings/utf-16-kept-by-edit", "effects", "file notes.txt"),
    text.AddsFinalNewline: Caught("final-newline/missing-stays-missing", "effects", "file notes.txt"),
    text.ConvertsWhenReading: Caught("line-endings/read-crlf", "effects", "file notes.txt"),
    files.LosesMode: Caught("links-and-modes/executable-kept-by-edit", "effects", "mode of run.sh"),
    files.ReplacesLink: Caught("links-and-modes/edit-through-symlink", "effects", "path link.txt"),
    files.WritesIntoEveryName: Caught("links-and-modes/edit-of-hard-link", "effects", "file two.txt"),
    files.LeavesTemporaryFile: Caught("gate/edit-after-read", "effects", "path notes.txt.tmp"),
    files.LeavesBackupAtHome: Caught("gate/edit-after-read", "effects", "path $HOME/backup"),
    files.WritesBesideTheWorkspace: Caught("gate/edit-after-read", "effects", "path ../log"),
    files.OnlyPretendsToEdit: Caught("results/success-is-on-disk", "effects", "file notes.txt"),
    files.OnlyPretendsToCreate: Caught("creation/write-creates", "effects", "path notes.txt"),
    files.HidesItsTraces: Caught("gate/edit-after-read", "effects", "file notes.txt"),
    files.DoesNotTruncate: Caught("gate/write-after-read", "effects", "file notes.txt"),
    files.WritesBeforeRefusing: Caught("gate/edit-unread", "effects", "file notes.txt"),
    files.MakesDirectoriesBeforeRefusing: Caught(
        "gate/refused-edit-creates-no-directory", "effects", "path a"
    ),
    files.MakesNoDirectories: Caught("creation/write-creates-parents", "effects", "refused"),
    files.IgnoresDenyRules: Caught("permissions/edit-denied", "effects", "refused"),
    files.DeletesEmptiedFiles: Caught("deletion/everything", "effects", "path notes.txt"),
    files.DropsSpecialBits: Caught("links-and-modes/setgid-kept-by-edit", "effects", "mode of run.sh"),
    files.LeavesTemporaryFileElsewhere: Caught("gate/edit-after-read", "effects", "path .tmp"),
    files.WritesBackWhenRefusing: Caught("gate/edit-unread", "effects", "time of notes.txt"),
    files.ReplacesWhenRefusing: Caught("gate/edit-unread", "effects", "inode of notes.txt"),
    files.TouchesWhatItReads: Caught("gate/edit-after-read", "effects", "time of notes.txt"),
    files.TouchesOtherFiles: Caught("links-and-modes/edit-of-hard-link", "effects", "time of two.txt"),
    files.SkipsSameBytes: Caught(
        "links-and-modes/write-same-bytes-to-hard-link", "effects", "names of one.txt"
    ),
    files.LinksEqualFiles: Caught(
        "staleness/unchanged-between-milliseconds", "effects", "names of edited.txt"
    ),
    files.ForcesModes: Caught("rights/write-closed-after-read", "effects", "refused"),
    files.NeverWritesInPlace: Caught("rights/edit-in-read-only-folder", "effects", "refused"),
    files.SaysItWrote: Caught("rights/create-in-read-only-folder", "effects", "refused"),
    files.ForgetsWhatTheSystemRefused: Caught("rights/edit-after-failed-edit", "effects", "refused"),
    files.EmptiesWhatDoesNotFit: Caught("full-disk/edit-that-grows", "effects", "file notes.txt"),
    files.KnowsWhatItCouldNotWrite: Caught("full-disk/edit-after-room-was-made", "effects", "refused"),
    modes.NeverAsks: Caught("permission-modes/default-edit", "effects", "refused"),
    modes.EditsEverywhere: Caught("permission-modes/write-outside", "effects", "refused"),
    modes.PlansByDoing: Caught("permission-modes/plan-edit", "effects", "refused"),
    modes.AsksAlways: Caught("permission-modes/bypass", "effects", "refused"),
    modes.BypassesDenyRules: Caught("permission-modes/bypass-and-denied", "effects", "refused"),
    modes.IsAtHomeEverywhere: Caught("permission-modes/read-outside", "effects", "refused"),
    modes.KnowsNoAdditionalDirectories: Caught("permission-modes/additional-directory", "effects", "refused"),
    modes.OverlooksAllowRules: Caught("permission-modes/allowed-folder", "effects", "refused"),
    answers.RefusesAsSuccess: Caught("gate/edit-unread", "effects", "refused"),
    answers.SucceedsAsError: Caught("gate/edit-after-read", "effects", "refused"),
    answers.WrongErrorName: Caught("gate/edit-unread", "reason", "error"),
    answers.WrongOrderOfChecks: Caught("gate/order-unread-before-not-found", "reason", "error"),
    answers.WrongErrorText: Caught("gate/edit-unread", "text", "text"),
    answers.TabAfterLineNumber: Caught("read-output/numbered-lines", "text", "text"),
    answers.CountsLinesFromZero: Caught("read-output/offset-and-limit", "text", "text"),
    answers.HidesFinalNewline: Caught("read-output/final-newline", "text", "text"),
    answers.CutsLongFiles: Caught("sizes/2001-lines", "text", "end of text"),
    answers.NoSnippet: Caught("results/edit-in-the-middle", "text", "text"),
}

NOTHING_BROUGHT_BACK = "a rewind is no call: that nothing is brought back loses nothing"

HARMLESS: dict[type[altered.Altered], str] = {
    state.NoStalenessCheck: NOTHING_LOST,
    state.ComparesContentsOnly: NOTHING_LOST,
    state.ComparesTimesOnly: TOO_CAREFUL,
    state.KeyedByRealPath: SHOWN_OTHERWISE,
    state.RaceNotChecked: NOTHING_LOST,
    state.NeverStrikes: "the adapter is wrong, not what it connects",
    commands.CatCounts: SHOWN_OTHERWISE,
    commands.OwnCommandsAreNoChanges: NOTHING_LOST,
    commands.MentionsAreBlind: TOO_CAREFUL,
    commands.MentionsAreNeverStale: NOTHING_LOST,
    reminders.TellsNothing: SHOWN,
    reminders.TellsAgain: SHOWN,
    reminders.TellsOfOwnEdits: SHOWN,
    hooks.KeepsItsInput: "it does what the call asks, and not what a hook made of it",
    hooks.SaysNothing: SHOWN,
    hooks.KnowsWhatItDidNotShow: NOTHING_LOST,
    life.ForgetsOnResume: TOO_CAREFUL,
    life.ForgetsAtCompaction: TOO_CAREFUL,
    life.KeepsAllAtCompaction: NOTHING_LOST,
    life.IsNeverStaleAfterCompaction: NOTHING_LOST,
    life.RewindsNothing: NOTHING_BROUGHT_BACK,
    life.RewindsOnce: NOTHING_BROUGHT_BACK,
    life.SaysNothingOfBreaks: SHOWN,
    text.DoesNotFoldQuotes: TOO_CAREFUL,
    text.KeepsTrailingBlanks: CONVENTION,
    text.LeavesBlankLine: CONVENTION,
    files.SkipsSameBytes: "the file holds what was asked",
    files.WritesIntoEveryName: "the names of a file stay together, which the contract separates",
    files.TouchesOtherFiles: "it is another name of the file that is edited",
    files.KnowsWhatItCouldNotWrite: NOTHING_LOST,
}
"""Why the mistake of an implementation whose effects differ harms nobody."""

BROKEN: dict[type[processes.Faulty], str] = {
    processes.ForgetsAParallelResult: "the adapter gave 1 results for 2 calls",
    processes.Hangs: "Edit took longer than 0.3 s",
    processes.Crashes: "the adapter ended with exit status 9 during Edit",
    processes.Aborts: "the adapter was killed by SIGABRT during Edit",
    processes.Raises: "the adapter has a problem with Edit: it raised PermissionError: File has not been read yet",
    processes.Floods: "Edit took longer than 0.3 s",
    processes.FloodsAnswer: "the adapter answered a text of 28000000 characters",
    processes.AnswersGarbage: "the adapter answered {'text': 'File has not been read yet.', 'isError': True}",
    processes.AnswersNull: "the result's text is None, not a string",
}
"""What the replay itself catches, in `gate/edit-unread` or, for a group, in `parallel/two-disjoint-edits`."""


class Judge:
    def __init__(self) -> None:
        self.suite = Suite(FOLDER.parents[1] / "fixtures")
        self.contract = self.suite.contracts["2.1.7"]
        self.place = SitePool()

    def __call__(self, scenario_id: str, adapter: Any) -> Verdict:
        scenario = self.suite.scenario(scenario_id)
        outcome = replay(scenario, adapter, self.place)
        return compare(scenario, outcome, self.contract, "text", self.suite.vocabulary)


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    judge = Judge()
    yield judge
    judge.place.close()


def named(implementation: type) -> str:
    return implementation.__name__


@pytest.mark.parametrize("implementation", CAUGHT, ids=named)
def test_a_wrong_implementation_is_caught_by_the_check_named_for_it(
    judge: Judge, implementation: type[altered.Altered]
) -> None:
    caught = CAUGHT[implementation]
    if caught.after:
        assert judge(caught.after, implementation).status == "passed"
    verdict = judge(caught.by, implementation)
    first = verdict.differences[0]
    assert (verdict.status, verdict.blame) == ("failed", caught.blame)
    assert (first.level, first.what, first.blame) == (caught.level, caught.what, caught.blame)
    assert not verdict.levels[caught.level]


@pytest.mark.parametrize(
    "implementation", [each for each, caught in CAUGHT.items() if caught.level == "effects"], ids=named
)
def test_whose_effects_differ_harms_or_has_a_reason(
    judge: Judge, implementation: type[altered.Altered]
) -> None:
    """No expectation is asked: harm shows in bytes, calls and answers, what is overcautious in the recordings."""
    caught = CAUGHT[implementation]
    if caught.after:
        judge(caught.after, implementation)
    found = new_harms(caught.by, replay(judge.suite.scenario(caught.by), implementation, judge.place))
    assert bool(found) != (implementation in HARMLESS), [each.line for each in found]


def test_unaltered_it_passes_where_the_wrong_ones_are_caught(judge: Judge) -> None:
    for scenario_id in sorted({caught.by for caught in CAUGHT.values()} | {"gate/edit-after-read"}):
        verdict = judge(scenario_id, altered.Altered)
        assert (verdict.status, verdict.differences) == ("passed", ()), scenario_id


@pytest.mark.slow
@pytest.mark.parametrize("implementation", BROKEN, ids=named)
def test_an_implementation_that_does_not_answer_properly_breaks_and_the_next_scenario_is_judged(
    judge: Judge, implementation: type[processes.Faulty], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)
    spec = f"python:{implementation.__module__}:{implementation.__name__}"
    adapter: Any = connect(spec, judge.suite, time_limit=TIME_LIMIT)
    try:
        grouped = implementation is processes.ForgetsAParallelResult
        verdict = judge("parallel/two-disjoint-edits" if grouped else "gate/edit-unread", adapter)
        assert (verdict.status, verdict.blame) == ("broken", "adapter")
        assert BROKEN[implementation] in verdict.reason
        assert not any(verdict.levels.values())
        assert judge("gate/write-unread", adapter).status == "passed"
    finally:
        adapter.close()


@pytest.mark.slow
@pytest.mark.parametrize("selection", [["--family", "gate"], ["-k", "nothing-is-called-this"]])
def test_a_run_in_which_everything_is_declined_or_nothing_selected_is_not_green(selection: list[str]) -> None:
    target = f"python:{processes.DeclinesEverything.__module__}:{processes.DeclinesEverything.__name__}"
    root = FOLDER.parents[1]
    command = [sys.executable, "-m", "readfirst", "run", target, *selection]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    ran = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, "Traceback" in ran.stderr) == (5, False)


def implementations(module: ModuleType) -> set[type]:
    """Return the implementations of a module, without the bases that leave something open."""
    bases = {altered.Agent, state.Watching, commands.Commanding, processes.Faulty, files.Refusing}
    classes = {found for _, found in inspect.getmembers(module, inspect.isclass)}
    return {found for found in classes if found.__module__ == module.__name__} - bases


def test_every_wrong_implementation_has_its_check_and_says_what_is_wrong() -> None:
    every = set().union(
        *map(
            implementations, (answers, commands, files, hooks, life, modes, processes, reminders, state, text)
        )
    )
    assert every == CAUGHT.keys() | BROKEN.keys() | {processes.DeclinesEverything}
    assert len(every) >= 28
    assert all(found.__doc__ and found.__doc__ != altered.Altered.__doc__ for found in every)

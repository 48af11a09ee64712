"""The laws hold for the reference whatever is done, and each is broken by an implementation that is wrong.

Quick, and without chance; `--hypothesis-profile=deep` tries far more, something else each time. A law that never had
anything to say proves nothing, and neither does a tool that was never refused: both fail the test.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import lawbreakers as breakers
import laws_of_reading
import laws_of_refusal
import laws_of_state
import laws_of_writing
import pytest
import wrong_answers as answers
import wrong_files as files
import wrong_state as state
import wrong_text as text
from altered import Altered
from hypothesis import Phase, reject, settings
from hypothesis.stateful import run_state_machine_as_test
from machine import Machine
from moment import Moment
from registry import LAWS, Law, suppose
from trimming import trimmed

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.session import Workspace
from readfirst.harness.suite.contracts import DOCUMENTED
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.workspace.site import SitePool
from readfirst.reference_impl import DEFAULT_CONTRACT, behaviours_of

QUICK = settings.get_profile("laws")
SEARCH = settings(QUICK, max_examples=1500, stateful_step_count=6, phases=(Phase.generate,))
"""A law that is broken is found to be after a few runs or a few dozen, so it may take many more."""
DEEP_SEARCH = settings(
    QUICK,
    max_examples=1500,
    stateful_step_count=8,
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
)
MOST_CALLS = 10
"""Calls that are left at most when a way to break a law was made small."""

BROKEN_BY: dict[Callable[[Moment], None], type[Altered]] = {
    laws_of_refusal.a_refused_call_changes_nothing: files.WritesBeforeRefusing,
    laws_of_refusal.a_refused_call_is_refused_in_the_same_words_again: breakers.GivesInTheSecondTime,
    laws_of_refusal.equal_strings_are_refused: breakers.EditsNothing,
    laws_of_refusal.only_a_known_file_is_changed: state.NoReadCheck,
    laws_of_refusal.what_happens_to_a_file_never_makes_it_unread: breakers.ForgetsChangedFiles,
    laws_of_refusal.an_unread_file_is_named_first: answers.WrongOrderOfChecks,
    laws_of_refusal.a_denied_path_stays_as_it_is: files.IgnoresDenyRules,
    laws_of_refusal.an_error_says_little_more_than_it_was_asked: breakers.TellsTheWholeFile,
    laws_of_state.own_changes_are_never_stale: breakers.DistrustsItself,
    laws_of_state.a_file_just_read_is_not_stale: breakers.DistrustsReading,
    laws_of_state.an_own_file_that_was_only_touched_can_be_edited: state.ComparesTimesOnly,
    laws_of_state.a_read_file_that_was_touched_is_stale: state.ComparesContentsOnly,
    laws_of_state.a_read_file_that_was_only_touched_can_be_edited: breakers.DistrustsWhatWasOnlyTouched,
    laws_of_state.a_changed_file_is_not_changed_over: state.NoStalenessCheck,
    laws_of_state.what_strikes_during_a_call_survives: state.RaceNotChecked,
    laws_of_state.a_read_recovers_from_anything: breakers.NeverForgives,
    laws_of_state.every_spelling_names_the_same_file: breakers.KeyedBySpelling,
    laws_of_state.the_same_steps_give_the_same_answers: breakers.CountsCallsOfAllSessions,
    laws_of_state.an_older_time_is_not_stale: state.NoticesOlderTimes,
    laws_of_state.the_workspace_is_what_the_model_says: files.LeavesTemporaryFile,
    laws_of_reading.reading_changes_nothing: text.ConvertsWhenReading,
    laws_of_reading.ranges_are_parts_of_the_whole: answers.CountsLinesFromZero,
    laws_of_reading.a_whole_read_shows_the_whole_text: answers.HidesFinalNewline,
    laws_of_reading.a_line_that_was_read_is_found: breakers.ShowsTabsAsBlanks,
    laws_of_reading.a_second_read_shows_the_file_again: breakers.RefersToEarlierReads,
    laws_of_reading.a_snippet_shows_the_file_as_it_is_now: breakers.NumbersSnippetsFromZero,
    laws_of_writing.success_is_on_disk: files.OnlyPretendsToEdit,
    laws_of_writing.bytes_around_the_match_stay: files.HidesItsTraces,
    laws_of_writing.new_text_is_written_literally: text.ExpandsDollars,
    laws_of_writing.one_match_is_needed: text.ReplacesFirstOfSeveral,
    laws_of_writing.replace_all_leaves_no_match_out: text.ReplaceAllReplacesFirst,
    laws_of_writing.a_deletion_takes_at_most_one_line_end_more: breakers.EatsBlankLines,
    laws_of_writing.uniform_line_ends_stay_uniform: text.LosesCarriageReturns,
    laws_of_writing.line_ends_do_not_decide_what_is_found: breakers.KnowsOnlyLineFeeds,
    laws_of_writing.the_final_line_end_stays: text.AddsFinalNewline,
    laws_of_writing.a_byte_order_mark_stays: text.LosesByteOrderMark,
    laws_of_writing.valid_text_stays_valid: breakers.WritesOnlyAscii,
    laws_of_writing.mode_and_kind_stay: files.LosesMode,
    laws_of_writing.no_other_file_is_touched: breakers.WritesTheNeighbour,
    laws_of_writing.writing_twice_is_writing_once: breakers.AppendsWhatItWrites,
    laws_of_writing.an_edit_can_be_taken_back: breakers.PutsBackTwice,
    laws_of_writing.calls_of_one_message_give_what_some_order_gives: state.LosesParallelUpdates,
    laws_of_refusal.a_write_that_fails_leaves_the_old_bytes: breakers.WritesInPlace,
}


@pytest.fixture(scope="module")
def place() -> Iterator[SitePool]:
    with SitePool() as place:
        yield place


TOLD_APART_BY = (
    "edit_needs_read",
    "write_needs_read",
    "edit_of_changed_file_recovers",
    "staleness_uses_read_time",
    "touched_own_write_may_be_edited",
    "touched_whole_read_may_be_edited",
    "execution_rechecks_freshness",
    "read_folds_dots",
    "symlink_refusal",
    "trailing_whitespace_is_stripped",
    "crlf_in_new_text_becomes_crcrlf",
    "unicode_escapes_are_decoded",
    "read_hides_byte_order_mark",
    "edit_hides_byte_order_mark",
    "write_keeps_byte_order_mark",
    "changes_refuse_unwritable_files",
    "repeated_read_answer",
    "edit_answer_shows_snippet",
    "empty_files_become_latin_1",
)
"""What the laws and the machine ask of the contract."""

HAPPENS = (
    *(f"{tool} {end}" for tool in ("Read", "Edit", "Write", "NotebookEdit") for end in ("done", "refused")),
    *("Message done", "during", "modify", "touch", "delete", "rename", "chmod", "symlink"),
)
"""What has to happen in the runs of a machine, so that they show anything."""


def kinds_of_contract() -> list[str]:
    """Return the default contract and as few others as show every value of what tells contracts apart here."""
    known = {
        name: behaviours
        for name in (contract.name for contract in Suite(default_root()).contracts)
        if name != DOCUMENTED
        and not (behaviours := behaviours_of(name)).arguments.edit_accepts_expected_replacements
    }
    shown = {name: {(flag, each.value(flag)) for flag in TOLD_APART_BY} for name, each in known.items()}
    chosen, missing = [DEFAULT_CONTRACT], set().union(*shown.values()) - shown[DEFAULT_CONTRACT]
    while missing:
        chosen.append(max(shown, key=lambda name: len(shown[name] & missing)))
        missing -= shown[chosen[-1]]
    return chosen


def is_deep() -> bool:
    return settings.get_current_profile_name() == "deep"


def neglected(machine: type[Machine]) -> list[str]:
    """Return the laws that had nothing to say in all runs, and what never happened."""
    return [name for name in (*machine.laws, *HAPPENS) if not machine.tally[name]]


@pytest.mark.slow
@pytest.mark.parametrize("contract", kinds_of_contract())
def test_the_reference_keeps_the_laws_of_every_kind_of_contract(contract: str, place: SitePool) -> None:
    machine = Machine.of(ReferenceAdapter(contract), place, contract=contract)
    keeps_the_laws(machine, settings.get_profile("deep" if is_deep() else "laws"))
    assert not neglected(machine)


def keeps_the_laws(machine: type[Machine], tried: settings) -> None:
    """Run a machine; where it breaks a law, fail with the few calls that do."""
    try:
        run_state_machine_as_test(machine, settings=tried)
    except AssertionError as failure:
        name = re.findall(r"^The law (\w+): ", "\n".join(failure.__notes__), re.MULTILINE)[0]
        calls = [f"\n{moment.summary}" for moment in trimmed(machine.latest, name).told]
        raise AssertionError(f"these calls break the law {name}:{''.join(calls)}") from failure


def test_a_failure_tells_the_few_calls_that_break_a_law(place: SitePool) -> None:
    machine = Machine.of(Careful(files.OnlyPretendsToEdit), place, ["success_is_on_disk"])
    with pytest.raises(AssertionError) as failure:
        keeps_the_laws(machine, SEARCH)
    told = str(failure.value).splitlines()
    assert told[0] == "these calls break the law success_is_on_disk:"
    assert 1 <= sum(line.startswith(("Read ", "Edit ", "Write ")) for line in told) <= MOST_CALLS


def test_a_law_that_has_nothing_to_say_is_named(place: SitePool, monkeypatch: pytest.MonkeyPatch) -> None:
    def a_file_of_a_gigabyte_is_refused(moment: Moment) -> None:
        suppose(moment.target is not None and len(moment.target.data or b"") > 1_000_000_000)
        raise AssertionError

    name = a_file_of_a_gigabyte_is_refused.__name__
    monkeypatch.setitem(LAWS, name, Law(a_file_of_a_gigabyte_is_refused, lambda _: True))
    machine = Machine.of(ReferenceAdapter("2.1.7"), place, [name, "reading_changes_nothing"])
    run_state_machine_as_test(machine, settings=settings(QUICK, max_examples=10))
    assert name in neglected(machine)
    assert "reading_changes_nothing" not in neglected(machine)


class Careful:
    """A wrong implementation; where it stumbles nothing is proved, so that is not followed up."""

    def __init__(self, wrong: type[Altered]) -> None:
        self.wrong = wrong
        self.capabilities = wrong.capabilities

    def open(self, workspace: Workspace) -> "CarefulSession":
        return CarefulSession(self.wrong.open(workspace))


class CarefulSession:
    def __init__(self, session: Altered) -> None:
        self.session = session

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.session, name)

        def careful(*arguments: Any) -> Any:
            try:
                return method(*arguments)
            except (KeyError, TypeError, ValueError, OSError):
                reject()

        return careful


@pytest.mark.slow
@pytest.mark.parametrize("law", BROKEN_BY, ids=lambda law: law.__name__)
def test_a_wrong_implementation_breaks_the_law_in_a_few_calls(
    law: Callable[[Moment], None], place: SitePool
) -> None:
    name = law.__name__
    contract = next(each for each in kinds_of_contract() if LAWS[name].holds_with(behaviours_of(each)))
    machine = Machine.of(Careful(BROKEN_BY[law]), place, [name], contract)
    with pytest.raises(AssertionError) as failure:
        run_state_machine_as_test(machine, settings=DEEP_SEARCH if is_deep() else SEARCH)
    assert f"The law {name}: " in "".join(failure.value.__notes__)
    assert len(trimmed(machine.latest, name).told) <= MOST_CALLS


def test_every_law_has_its_lawbreaker_and_every_lawbreaker_its_law() -> None:
    assert LAWS.keys() == {law.__name__ for law in BROKEN_BY}
    own = {
        found
        for _, found in inspect.getmembers(breakers, inspect.isclass)
        if found.__module__ == breakers.__name__
    }
    assert own <= set(BROKEN_BY.values())

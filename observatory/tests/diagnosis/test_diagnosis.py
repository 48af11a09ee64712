"""A diagnosis names the version and the changed behaviours, or alternatives that no scenario distinguishes."""

import os
import random
from collections.abc import Sequence
from contextlib import closing
from functools import cache

import pytest

from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis.behaviour_variants import change_behaviours
from readfirst.observatory.diagnosis.best_match import Diagnosis, Observed
from readfirst.observatory.diagnosis.fingerprint import AS_EXPECTED, Fingerprint
from readfirst.observatory.diagnosis.observation import (
    MAX_SAMPLE_SIZE,
    observe_run,
    reference_contracts,
    search_sample,
    without_missing_capabilities,
)
from readfirst.observatory.diagnosis.replay_cache import ReplayCache
from readfirst.reference_impl import DEFAULT_CONTRACT as BASE
from readfirst.reference_impl import behaviours_of
from readfirst.reference_impl.behaviours.versioned import version_of
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

from .conftest import NAMED, Clinic, changes_of

ALL_CONTRACTS = tuple(Suite().contracts)
CONTRACTS = tuple(each.name for each in ALL_CONTRACTS if each.recorded and not each.name.endswith("+gated"))
OWN = behaviours_of(BASE)
VISIBLE = sorted(each.name for each in NAMED.values() if each.value != OWN.value(each.behaviour))
"""The names of all changes of one behaviour to a value that the version BASE does not have."""
RANDOM = random.Random(20)
PARTS = 10


def draw_changes(size: int, count: int) -> list[tuple[str, ...]]:
    """Return `count` random sets of changes. Each set contains `size` changes of different behaviours."""
    found: set[tuple[str, ...]] = set()
    while len(found) < count:
        names = tuple(sorted(RANDOM.sample(VISIBLE, size)))
        if len({name.partition("=")[0] for name in names}) == size:
            found.add(names)
    return sorted(found)


DRAWS = int(os.environ.get("READFIRST_DRAWS", "2"))
"""Number of random pairs and of random triples of changed behaviours. If 100 or more, all single changes are tested."""
EVERY = 1 if DRAWS >= 100 else 16
SETS = [*((each,) for each in VISIBLE[::EVERY]), *draw_changes(2, DRAWS), *draw_changes(3, DRAWS)]


def diagnosis_error(clinic: Clinic, changes: Sequence[str], **options: object) -> str:
    """Diagnose the reference with `changes`. Return a message if the diagnosis is wrong, otherwise an empty text."""
    found = clinic.diagnose(clinic.observe(*changes), **options)
    if found.unexplained:
        return f"{changes}: {len(found.unexplained)} unexplained, e.g. {found.unexplained[0]}"
    if len(found.differences) > len(changes):
        return f"{changes}: reported as {sorted(each.name for each in changes_of(found))} of {found.version}"
    return ""


@pytest.mark.parametrize(
    ("changes", "version", "seen"),
    [
        (["edit_needs_read=false"], BASE, ["edit_needs_read=false"]),
        (["remembered_file_limit=null"], BASE, []),
        (
            ["edit_needs_read=false", "write_needs_read=false", 'accepted_line_numbers="strict"'],
            *(
                "2.1.89",
                ["edit_needs_read=false", "write_needs_read=false"],
            ),  # 2.1.89 has the third change
        ),
    ],
)
def test_behaviours_that_were_changed_are_named(
    few: Clinic, changes: list[str], version: str, seen: list[str]
) -> None:
    found = few.diagnose(few.observe(*changes), contracts=[BASE])
    assert (found.version, sorted(each.name for each in changes_of(found))) == (version, seen)
    assert found.unexplained == ()
    for each in found.differences:
        assert each.explains
        assert each.instead_of == behaviours_of(version).value(each.change.behaviour)
    assert bool(found.failures) == bool(seen)
    assert found.explained == found.failures


@pytest.mark.slow
def test_a_version_between_two_contracts_is_reported_as_that(few: Clinic) -> None:
    found = few.diagnose(few.observe(version="2.1.208"))
    assert "2.1.208" in (found.version, *found.alike)
    assert found.differences == ()


def test_what_no_behaviour_explains_stays_unexplained(few: Clinic) -> None:
    observed = few.observe("edit_needs_read=false")
    odd = ["gate/edit-after-read", "gate/write-after-read"]
    for each in odd:
        observed[each] = Fingerprint("odd")
    found = few.diagnose(observed, contracts=[BASE])
    assert [each.name for each in changes_of(found)] == ["edit_needs_read=false"]
    assert list(found.unexplained) == odd
    assert set(found.failures) == {*found.explained, *odd}


def test_names_of_errors_are_explained_after_effects(few: Clinic) -> None:
    changes = {"edit_needs_read=false", "validation_failures_quote_the_system=true"}
    observed = few.observe(*changes)
    both = few.diagnose(observed, "reason", contracts=[BASE])
    assert both.unexplained == ()
    assert {each.name for each in changes_of(both)} <= changes
    assert changes_of(few.diagnose(observed, contracts=[BASE])) <= changes_of(both)


@pytest.mark.slow
def test_the_real_product_is_recognised_by_its_version(few: Clinic) -> None:
    ids = sorted(few.ids)
    with closing(run(few.suite, "recording:2.0.76", [BASE], "reason", ids)) as verdicts:
        assert any(each.status == "failed" for each in verdicts)
    observed = observe_run(few.suite, "recording:2.0.76", ids)
    found = few.diagnose(without_missing_capabilities(observed))
    assert "2.0.76" in found.alike or found.version == "2.0.76"
    assert (found.differences, found.unexplained) == ((), ())


def test_what_every_version_has_may_be_lacking() -> None:
    """A scenario whose tool the implementation lacks is left out if every version has this tool. If only some versions
    have it, the scenario is used, because it helps to find the version.
    """
    lacks = {each: Fingerprint(f"lacks {each}") for each in ("Write", "MultiEdit", "MultiEdit, Write")}
    assert [*without_missing_capabilities({**lacks, "a": AS_EXPECTED})] == ["MultiEdit", "a"]


def test_the_sample_shows_every_behaviour_and_every_rule() -> None:
    suite = Suite()
    known = set(suite.ids())
    chosen = set(search_sample(suite, known))
    shown_by = [known & {*history.shown_by} for history in behaviour_histories().values()]
    assert all(chosen & each for each in shown_by if each)
    assert {suite.heading(each).rule for each in chosen} == {suite.heading(each).rule for each in known}
    assert len(chosen) <= MAX_SAMPLE_SIZE


def test_a_replay_is_not_repeated_where_nothing_that_is_asked_for_changed(few: Clinic) -> None:
    with ReplayCache(few.suite) as replays:
        base = behaviours_of(BASE)
        seen = replays("gate/edit-unread", base)
        assert "edit_needs_read" in seen.used
        assert "read_shows_pdfs" not in seen.used
        other = replays("gate/edit-unread", change_behaviours(base, [NAMED["read_shows_pdfs=false"]]))
        assert (other, replays.count) == (seen, 1)
        changed = replays("gate/edit-unread", change_behaviours(base, [NAMED["edit_needs_read=false"]]))
        assert (changed.fingerprint.effects != "", replays.count) == (True, 2)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_changes_pairs_and_triples_are_recognised(full: Clinic, part: int) -> None:
    wrong = [diagnosis_error(full, changes, contracts=[BASE]) for changes in SETS[part::PARTS]]
    assert [each for each in wrong if each] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_so_are_they_where_any_version_may_be_named(full: Clinic, part: int) -> None:
    wrong = [diagnosis_error(full, changes) for changes in SETS[part::9]]
    assert [each for each in wrong if each] == []


@cache
def recorded_results(full: Clinic, name: str) -> Observed:
    """Return the recorded results of the version `name` in the scenarios that `full` uses."""
    return without_missing_capabilities(observe_run(full.suite, f"recording:{name}", full.ids))


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTRACTS if DRAWS >= 100 else CONTRACTS[1::5])
def test_each_recorded_version_is_recognised(full: Clinic, name: str) -> None:
    found = full.diagnose(recorded_results(full, name))
    assert (found.differences, found.unexplained) == ((), ())
    assert names_version_near(found, CONTRACTS.index(name))


STRANGERS = tuple(name for name in CONTRACTS if name != BASE)


@pytest.mark.slow
@pytest.mark.parametrize("name", STRANGERS if DRAWS >= 100 else STRANGERS[5::5])
def test_a_version_that_nobody_recorded_is_found_between_its_neighbours(full: Clinic, name: str) -> None:
    """The search must not use the contract `name`. For contracts before 2.0 this test takes minutes: consecutive
    contracts differ there, so the search replays more scenarios.
    """
    others = [each for each in reference_contracts(full.suite) if each != name]
    unknown = full.diagnose(recorded_results(full, name), contracts=others)
    assert names_version_near(unknown, CONTRACTS.index(name))
    assert len(unknown.unexplained) <= 2


def names_version_near(found: Diagnosis, place: int) -> bool:
    """Whether the diagnosis names a version between the contracts before and after index `place` in CONTRACTS."""
    first, last = CONTRACTS[max(0, place - 1)], CONTRACTS[min(place + 1, len(CONTRACTS) - 1)]
    named = [each.partition("+")[0] for each in (found.version, *found.alike) if each != "documented"]
    return any(version_of(first) <= version_of(each) <= version_of(last) for each in named)

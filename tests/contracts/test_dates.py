"""Dates of behaviours: the recordings around each change show the old value before it, and the new one from it on."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import pytest
from packaging.version import Version

from readfirst.harness.diff.introduced_in import chain, version_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.reference_impl import Behaviours, behaviours_of
from readfirst.reference_impl.behaviours_by_version import histories, history_of

from .judging import SUITE, Reference, only_adds_own_file, verdict_of

ATTEMPTS = 3
"""A change by a command within one tick of the file system's clock is not noticed: such a replay is repeated."""
PARTS = 2
"""The behaviours are divided, so that processes share the work."""


def around(scenario_id: str, change: Version) -> Iterator[str]:
    """Yield the recorded versions of a scenario on both sides of a change, for each class of models."""
    recording = SUITE.recordings.recording(scenario_id)
    for gated in (False, True):
        names = chain(recording, gated=gated)
        later = [name for name in names if Version(version_of(name)) >= change]
        earlier = names[: len(names) - len(later)]
        yield from earlier[-1:] + later[:1]


def shown_changes(names: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Return by scenario and version the changes of behaviours next to that version, as `name, since version`.

    Only the first scenario that shows a behaviour is taken.
    """
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names:
        history = history_of(name)
        for change in (".".join(map(str, numbers)) for numbers in history.changes):
            for version in dict.fromkeys(around(history.shown_by[0], Version(change))):
                found[history.shown_by[0], version].append(f"{name}, since {change}")
    return found


def wrong_dates(
    names: Iterable[str], place: WorkspacePool, behaviours: Callable[[str], Behaviours] = behaviours_of
) -> list[str]:
    """Return the changes of behaviours whose date a recording contradicts, with scenario, version and difference."""
    wrong = []
    for (scenario_id, name), shown in sorted(shown_changes(names).items()):
        contract = SUITE.contracts.find(name)
        scenario = SUITE.scenario(scenario_id, contract)
        for _ in range(ATTEMPTS):
            verdict = verdict_of(scenario, replay(scenario, Reference(behaviours(name)), place), contract)
            if verdict.status == "passed":
                break
        if verdict.status != "passed" and not only_adds_own_file(verdict, name):
            different = verdict.differences[0]
            wrong.append(
                f"{' or '.join(shown)}: {scenario_id} on {name}: {different.what} is {different.got!r:.60}, "
                f"but {different.expected!r:.60} was recorded"
            )
    return wrong


@pytest.mark.parametrize("part", range(PARTS))
def test_recordings_on_both_sides_of_a_change_agree_with_its_date(part: int) -> None:
    """If this fails, correct the version in reference_impl/behaviours/, then `readfirst run --contract all`."""
    with WorkspacePool(memory=True) as place:
        assert wrong_dates([*histories()][part::PARTS], place) == []


def test_a_change_that_is_dated_one_version_early_is_named(place: WorkspacePool) -> None:
    name = "background_refusal"
    (date,) = (".".join(map(str, numbers)) for numbers in history_of(name).changes)
    scenario_id = history_of(name).shown_by[0]
    before, since, *_ = dict.fromkeys(around(scenario_id, Version(date)))

    def early(version: str) -> Behaviours:
        return behaviours_of(since if version == before else version)

    (wrong,) = wrong_dates([name], place, early)
    assert wrong.startswith(f"{name}, since {date}: {scenario_id} on {before}: ")
    assert wrong_dates([name], place) == []

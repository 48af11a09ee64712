"""Two processes of one implementation that work at the same time lose nothing silently, and do not block each other."""

from contextlib import closing
from pathlib import Path

import pytest
import wrong_at_once as wrong

from readfirst.harness.adapters.python_process import PythonAdapter
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

SUITE = Suite(Path(__file__).parents[2] / "fixtures")
LAWS = ("same-file-in-any-order", "same-new-file-in-any-order", "different-files-in-any-order")
WRONG = [
    ("LooksTwiceWithoutALock", "same-file-in-any-order", "lost"),
    ("LooksTwiceWithoutALock", "same-new-file-in-any-order", "lost"),
    ("WritesWhatItRead", "same-file-in-any-order", "lost"),
    ("AnswersBeforeItIsDone", "same-file-in-any-order", "lost"),
    ("LocksEverything", "different-files-in-any-order", "overcautious"),
    ("LeavesItsLock", "different-files-in-any-order", "overcautious"),
]


def played(name: str, slug: str, place: SitePool) -> Verdict:
    scenario = SUITE.scenario(f"at-once/{slug}")
    with closing(PythonAdapter(str(Path(wrong.__file__)), name)) as adapter:
        outcome = replay(scenario, adapter, place)
    harms = harms_of(scenario, outcome)
    return compare(scenario, outcome, SUITE.contracts["2.1.7"], "effects", SUITE.vocabulary, harms=harms)


@pytest.mark.parametrize(
    "slug", [pytest.param(each, marks=pytest.mark.slow) for each in LAWS[:2]] + [LAWS[2]]
)
def test_who_locks_the_file_passes(slug: str, place: SitePool) -> None:
    verdict = played("Locks", slug, place)
    assert verdict.status == "passed", verdict


@pytest.mark.slow  # who is faster is a matter of luck
@pytest.mark.parametrize(("name", "slug", "kind"), WRONG)
def test_who_loses_an_edit_or_blocks_another_file_is_caught(
    name: str, slug: str, kind: str, place: SitePool
) -> None:
    verdict = played(name, slug, place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason
    assert not verdict.levels["safe"]
    assert kind in {harm.kind for harm in verdict.harms}

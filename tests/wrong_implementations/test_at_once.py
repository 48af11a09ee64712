"""Two processes of the same implementation that work at the same time lose nothing silently, and do not block each
other.
"""

from contextlib import closing
from pathlib import Path

import pytest
import wrong_at_once as wrong

from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import judge_scenario

LAWS = ("same-file-in-any-order", "same-new-file-in-any-order", "different-files-in-any-order")
WRONG = [
    ("LooksTwiceWithoutALock", "same-file-in-any-order", "lost"),
    ("LooksTwiceWithoutALock", "same-new-file-in-any-order", "lost"),
    ("WritesWhatItRead", "same-file-in-any-order", "lost"),
    ("AnswersBeforeItIsDone", "same-file-in-any-order", "lost"),
    ("LocksEverything", "different-files-in-any-order", "overcautious"),
    ("LeavesItsLock", "different-files-in-any-order", "overcautious"),
]


def judge_played(name: str, slug: str, place: WorkspacePool) -> Verdict:
    with closing(PythonAdapter(str(Path(wrong.__file__)), name)) as adapter:
        return judge_scenario(f"at-once/{slug}", adapter, "effects", harm=True, place=place)


@pytest.mark.parametrize(
    "slug", [pytest.param(each, marks=pytest.mark.slow) for each in LAWS[:2]] + [LAWS[2]]
)
def test_who_locks_the_file_passes(slug: str, place: WorkspacePool) -> None:
    verdict = judge_played("Locks", slug, place)
    assert verdict.status == "passed", verdict


@pytest.mark.slow  # the faster process is a matter of luck
@pytest.mark.parametrize(("name", "slug", "kind"), WRONG)
def test_who_loses_an_edit_or_blocks_another_file_is_caught(
    name: str, slug: str, kind: str, place: WorkspacePool
) -> None:
    verdict = judge_played(name, slug, place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason
    assert not verdict.levels["safe"]
    assert kind in {harm.kind for harm in verdict.harms}

"""What is said before the real product is asked, and while it is."""

import re

import pytest

from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.record.recording_worker import WORTH_SAYING, Replaying, estimate, replaying_seconds
from readfirst.harness.record.replay_samples import Take
from readfirst.harness.suite.suite import Suite

BUNDLED = Suite()


def ids(*families: str) -> list[str]:
    return [each for each in BUNDLED.ids() if each.startswith(families)]


def test_a_long_job_is_estimated_by_its_scenarios_and_sessions() -> None:
    gate = ids("gate/")
    estimated = estimate(BUNDLED, {"2.1.400": gate, "2.1.400+gated": gate})
    found = re.fullmatch(
        r"(\d+) scenarios twice on 2\.1\.400 and 2\.1\.400\+gated: (\d+) replays, about (\S+) s each, (.+) in all",
        estimated,
    )
    assert found is not None, estimated
    assert [int(found[1]), int(found[2])] == [len(gate), 4 * len(gate)]
    alone = [each for each in gate if needs_own_session(BUNDLED.scenario(each))]
    assert replaying_seconds(BUNDLED, alone) / len(alone) > 5 * replaying_seconds(
        BUNDLED, [*{*gate} - {*alone}]
    ) / (len(gate) - len(alone))
    assert replaying_seconds(BUNDLED, gate, jobs=2) * 2 == replaying_seconds(BUNDLED, gate)


def test_a_short_job_is_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {"2.1.7": ["gate/edit-unread"]}
    assert replaying_seconds(BUNDLED, wanted["2.1.7"]) * 2 < WORTH_SAYING
    with Replaying(BUNDLED, wanted) as progress:
        progress(Take("gate/edit-unread", "2.1.7", 1, "broken", "it ended"))
    assert capsys.readouterr() == ("", "")
    assert progress.broken == {("gate/edit-unread", "2.1.7"): "it ended"}


def test_a_long_job_is_spoken_of_before_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    with Replaying(BUNDLED, {"2.1.7": ids("gate/", "staleness/")}):
        assert " replays, about " in capsys.readouterr().err

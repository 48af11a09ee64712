import re
from pathlib import Path

import pytest

from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.record.confirmation import Confirmation, is_sampled
from readfirst.harness.record.recording_worker import estimate, replay_seconds
from readfirst.harness.record.replay_samples import StoredReplays
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Transcript

BUNDLED = Suite()


def ids(*families: str) -> list[str]:
    return [each for each in BUNDLED.ids() if each.startswith(families)]


@pytest.fixture
def takes(tmp_path: Path) -> StoredReplays:
    return StoredReplays(tmp_path)


@pytest.mark.slow
def test_the_estimated_time_depends_on_the_numbers_of_scenarios_and_sessions(takes: StoredReplays) -> None:
    gate = ids("gate/", "crossings/")
    left = Confirmation(BUNDLED, takes).missing_replays({"2.1.400": gate, "2.1.400+gated": gate})
    found = re.fullmatch(
        r"(\d+) scenarios on 2\.1\.400 and 2\.1\.400\+gated: (\d+) replays, about (\S+) s each, (.+) in all; .+",
        estimate(BUNDLED, left),
    )
    assert found is not None
    sampled = [
        (each, name) for name in left for each in gate if is_sampled(each, BUNDLED.contracts.find(name))
    ]
    assert [int(found[1]), int(found[2])] == [len(gate), 2 * len(gate) + len(sampled)]
    alone = [each for each in gate if needs_own_session(BUNDLED.scenario(each))]
    assert replay_seconds(BUNDLED, alone, None) / len(alone) > 5 * replay_seconds(
        BUNDLED, [*{*gate} - {*alone}], None
    ) / (len(gate) - len(alone))
    assert replay_seconds(BUNDLED, gate, None, jobs=2) * 2 == replay_seconds(BUNDLED, gate, None)
    assert replay_seconds(BUNDLED, gate, "2.1.330") < replay_seconds(BUNDLED, gate, "2.1.7")


def test_the_estimate_leaves_out_replays_that_are_already_stored(takes: StoredReplays) -> None:
    contract = BUNDLED.contracts.find("2.1.400")
    chosen = [each for each in ids("gate/") if not is_sampled(each, contract)][:3]
    same, other, missing = map(BUNDLED.scenario, chosen)
    latest = BUNDLED.contracts.latest.name
    before, cut = (BUNDLED.recordings.recording(each.id).transcripts[latest] for each in (same, other))
    takes.put(same, contract, 1, before)
    takes.put(other, contract, 1, Transcript(cut.steps[:-1]))
    left = Confirmation(BUNDLED, takes).missing_replays({contract.name: chosen})
    assert left == {contract.name: ([missing.id], [other.id])}, "an answer that differs is replayed again"

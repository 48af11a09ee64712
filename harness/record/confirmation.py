"""Decide which replays on the product must be repeated, because no neighbouring contract gave the same answers."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from packaging.version import Version

from readfirst.harness.compare.transcribe import with_current_error_names
from readfirst.harness.record.replay_samples import StoredReplays
from readfirst.harness.record.restore_whitespace import restore_whitespace
from readfirst.harness.record.syrupy_extension import same_transcript
from readfirst.harness.suite.contracts import Contract, contract_sort_key
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError, Transcript

SAMPLE_INTERVAL = 20
"""One in this number of scenarios is always replayed twice on a contract, to detect unstable answers."""

Replays = Mapping[str, tuple[list[str], list[str]]]
"""The replays that a recording needs, by contract: the first and the second replays of scenarios."""


class Confirmation:
    """Decides whether the first replay of a scenario suffices as its recording, or a second replay must confirm it. The
    first replay suffices if its transcript equals the recording of the same contract, otherwise of the nearest older
    contract with the same class of models, otherwise of the nearest newer contract.
    """

    def __init__(self, suite: Suite, takes: StoredReplays) -> None:
        self._suite = suite
        self._takes = takes
        self._accepted: dict[tuple[str, str], Transcript] = {}

    def needs_second(self, scenario: Scenario, contract: Contract, first: Transcript) -> bool:
        """Whether a second replay must confirm the transcript `first` of the first replay. Raises SuiteError."""
        if is_sampled(scenario.id, contract):
            return True
        neighbour = self._find_neighbour(scenario, contract)
        if neighbour is None:
            return True
        first = with_current_error_names(first, self._suite.vocabulary)
        if contract.ignores_outer_whitespace:
            first = restore_whitespace(first, [neighbour])
        return not same_transcript(first, neighbour)

    def accepted(self, scenario: Scenario, contract: Contract) -> Transcript | None:
        """Return the transcript of the first replay. None if it is missing or not confirmed. Raises SuiteError."""
        key = scenario.id, contract.name
        if key not in self._accepted:
            first, second = (self._takes.get(scenario, contract, number) for number in (1, 2))
            if first is None:
                return None
            if second is None and self.needs_second(scenario, contract, first):
                return None
            first = with_current_error_names(first, self._suite.vocabulary)
            if second is not None and not same_transcript(
                first, with_current_error_names(second, self._suite.vocabulary)
            ):
                return None
            self._accepted[key] = first
        return self._accepted[key]

    def missing_replays(self, wanted: Mapping[str, Sequence[str]]) -> Replays:
        """Return the replays of the `wanted` scenarios that do not exist yet, by contract. Used for an estimate. Second
        replays are included only if they are certain.
        """
        replays: dict[str, tuple[list[str], list[str]]] = {}
        seen: set[str] = set()
        for name, ids in wanted.items():
            contract = self._suite.contracts.find(name)
            first_replays, second_replays = replays[name] = [], []
            for scenario_id in ids:
                scenario = self._suite.scenario(scenario_id, require_expect=False)
                if self._takes.get(scenario, contract, 1) is None:
                    first_replays.append(scenario_id)
                    is_comparable = (
                        scenario_id in seen or self._find_neighbour(scenario, contract) is not None
                    )
                    if is_sampled(scenario_id, contract) or not is_comparable:
                        second_replays.append(scenario_id)
                elif self.lacks_second(scenario, contract):
                    second_replays.append(scenario_id)
                seen.add(scenario_id)
        return replays

    def lacks_second(self, scenario: Scenario, contract: Contract) -> bool:
        """Whether a scenario has a first replay that must be confirmed, but no second replay. Raises SuiteError."""
        first = self._takes.get(scenario, contract, 1)
        return (
            first is not None
            and self._takes.get(scenario, contract, 2) is None
            and self.needs_second(scenario, contract, first)
        )

    def _find_neighbour(self, scenario: Scenario, contract: Contract) -> Transcript | None:
        """Return the recorded transcript that must equal a first replay to confirm it. None without a recording."""
        recorded = self._recorded_transcripts(scenario)
        if contract.name in recorded:
            return recorded[contract.name]
        replayed_on = {name for name in self._takes.contracts() if contract_sort_key(name)[0] > Version("0")}
        names = {*recorded, *replayed_on}
        alike = list(_with_same_models(sorted(names, key=contract_sort_key), contract))
        for name in reversed(
            [name for name in alike if contract_sort_key(name) < contract_sort_key(contract.name)]
        ):
            if name in recorded:
                return recorded[name]
            if (replayed := self.accepted(scenario, self._suite.contracts.find(name))) is not None:
                return replayed
        return next((recorded[name] for name in alike if name in recorded), None)

    def _recorded_transcripts(self, scenario: Scenario) -> Mapping[str, Transcript]:
        try:
            recording = self._suite.recordings.recording(scenario.id)
        except RecordingError:
            return {}
        return recording.transcripts if recording.inputs == scenario.inputs else {}


def is_sampled(scenario_id: str, contract: Contract) -> bool:
    """Whether a scenario is always replayed twice on a contract, to detect unstable answers."""
    digest = hashlib.sha256(f"{scenario_id}@{contract.name}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % SAMPLE_INTERVAL == 0


def _with_same_models(names: Sequence[str], contract: Contract) -> Iterator[str]:
    """Yield the contracts among `names` with the same suffix as `contract` (`+gated` or none). For `+gated`, also yield
    the contracts without a suffix whose versions are older than the first `+gated` contract.
    """
    variant = contract.name.partition("+")[2]
    alike = [name for name in names if name.partition("+")[2] == variant]
    if variant:
        first = contract_sort_key(min((*alike, contract.name), key=contract_sort_key))[0]
        yield from (name for name in names if "+" not in name and contract_sort_key(name)[0] < first)
    yield from alike

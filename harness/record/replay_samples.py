"""Replay scenarios on the real product, and store the replays on disk until they are accepted as recordings. A stored
replay is not repeated, so an interrupted recording continues after the last stored replay. Replays of several machines
can be copied into one directory.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import platformdirs

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.compare.file_comparison import trace_differences
from readfirst.harness.compare.transcribe import files_with_changed_links, transcribe
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.recording_file import format_recording, parse_recording
from readfirst.harness.suite.scenario import Scenario, calls_of
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import UNNAMED, Recording, RecordingError, Transcript
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.atomic_write import write_all

_LOG = logging.getLogger("readfirst")


ReplayStatus = Literal["taken", "unsupported", "error"]


@dataclass(frozen=True, slots=True)
class ProductReplayResult:
    """The result of one replay on the product. `number` is 1 for the first replay and 2 for the second. `message` is
    the reason for an `error`, or quotes a refusal that errors.yaml does not list.
    """

    scenario_id: str
    contract: str
    number: int
    status: ReplayStatus
    message: str = ""


def default_takes() -> Path:
    """Return the directory that is used for stored replays by default."""
    return platformdirs.user_cache_path("readfirst") / "takes"


class StoredReplays:
    """The stored replays in a directory, as `CONTRACT/NUMBER/SCENARIO.json`. `record` uses and deletes them."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the directory during the `with` block. Wait while another process uses the directory. Raises OSError."""
        self.root.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.root / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            with suppress(OSError):  # not every file system supports locks
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    _LOG.warning(
                        "waiting for another recording with takes in %s; --takes keeps two apart", self.root
                    )
                    fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def path(self, scenario_id: str, contract: str, number: int) -> Path:
        """Return the path of a stored replay. The file may be missing."""
        return self.root / contract / str(number) / f"{scenario_id}.json"

    def contracts(self) -> list[str]:
        """Return the names of the contracts with stored replays. The suite may not contain all of these contracts."""
        return [path.name for path in self.root.iterdir() if path.is_dir()] if self.root.is_dir() else []

    def get(self, scenario: Scenario, contract: Contract, number: int) -> Transcript | None:
        """Return a stored transcript. None if it is missing, or if the steps, the version or the model have changed."""
        try:
            taken = parse_recording(self.path(scenario.id, contract.name, number).read_bytes())
        except (OSError, RecordingError):
            return None
        return (
            taken.transcripts.get(contract.name) if taken.inputs == _replay_key(scenario, contract) else None
        )

    def put(self, scenario: Scenario, contract: Contract, number: int, transcript: Transcript) -> None:
        """Store the transcript of a replay. Raises OSError."""
        taken = Recording(_replay_key(scenario, contract), {contract.name: transcript})
        write_all({self.path(scenario.id, contract.name, number): format_recording(taken)})

    def drop(self, scenario_id: str, contract: str) -> None:
        """Delete the stored replays of a scenario on a contract."""
        for number in (1, 2):
            self.path(scenario_id, contract, number).unlink(missing_ok=True)


@dataclass(frozen=True)
class ReplayJob:
    """Job for `harness.run.process_pool` that replays scenarios in worker processes. An item is a scenario and a
    contract. `connect` opens the product of each contract. `number` is 1 for first replays, 2 for second replays.
    """

    suite: Suite
    takes: Path
    number: int
    connect: Mapping[str, Callable[[], Adapter]]

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[str, str]], ProductReplayResult]]:
        """Yield the function that a worker process uses to replay a scenario on a contract."""
        suite = self.suite
        takes = StoredReplays(self.takes)
        with WorkspacePool() as place, ExitStack() as opened:

            @cache
            def open_product(contract: str) -> Adapter:
                adapter = self.connect[contract]()
                opened.callback(traits_of(adapter).close)
                return adapter

            def replay_scenario(item: tuple[str, str]) -> ProductReplayResult:
                scenario_id, name = item
                contract = suite.contracts.find(name)
                scenario = suite.scenario(scenario_id, require_expect=False)
                missing = sorted(scenario.needs - contract.capabilities)
                if missing:
                    return self._make_result(item, "unsupported", f"{name} lacks {', '.join(missing)}")
                outcome = replay(scenario, open_product(name), place)
                if error := outcome.error:
                    explanation = f"step {error.step + 1}: {error.message} {error.details}"
                    return self._make_result(item, "error", explanation.strip())
                if reason := unrecordable(scenario, outcome):
                    return self._make_result(item, "error", reason)
                transcript = transcribe(scenario, outcome, suite.vocabulary)
                takes.put(scenario, contract, self.number, transcript)
                words = unknown_words(transcript)
                message = f"it refused in words that errors.yaml does not know: {words!r}" if words else ""
                return self._make_result(item, "taken", message)

            yield replay_scenario

    def result_for_crash(self, item: tuple[str, str], reason: str) -> ProductReplayResult:
        """Return the result of a replay whose worker process crashed."""
        return self._make_result(item, "error", reason)

    def _make_result(
        self, item: tuple[str, str], status: ReplayStatus, message: str = ""
    ) -> ProductReplayResult:
        return ProductReplayResult(*item, self.number, status, message)


def unknown_words(transcript: Transcript) -> str:
    """Return the text of the first refusal that errors.yaml does not list. Empty without such a refusal."""
    results = (result for step in transcript.steps for result in step.results)
    return next((result.text for result in results if result.error == UNNAMED), "")


def _replay_key(scenario: Scenario, contract: Contract) -> str:
    """Return a digest of a scenario's workspace and steps, the version and the model, to detect outdated replays."""
    return " ".join((scenario.inputs, contract.version or "", contract.model or ""))


def unrecordable(scenario: Scenario, outcome: Outcome) -> str:
    """Return the reason why an outcome cannot be recorded, such as a change after the last step. Empty if it can."""
    for number, what in _iter_forbidden_traces(scenario, outcome):
        return f"step {number}: the {what} changed, which a recording cannot say"
    for path in (*outcome.afterwards.changes, *outcome.afterwards.traces):
        return f"{path} changed after the last step, which a recording cannot say"
    return ""


def _iter_forbidden_traces(scenario: Scenario, outcome: Outcome) -> Iterator[tuple[int, str]]:
    state: dict[str, Entry | None] = dict(outcome.before)
    for number, (step, done) in enumerate(zip(scenario.steps, outcome.steps, strict=False), 1):
        if (calls := calls_of(step)) and done.traces:
            allowed = [call for call, result in zip(calls, done.results, strict=True) if not result.is_error]
            writing = [call for call in allowed if call.tool != "Read"]
            parts = files_with_changed_links(done, {**state, **done.expected_world})
            for difference in trace_differences(parts, writing, state, done.names, done.traces):
                yield number, difference.what
        state.update(done.changes)

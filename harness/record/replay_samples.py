"""Takes: what single replays of the real product gave, kept on disk until two of them agree.

A take that is there is not made again, so an interrupted recording goes on where it stopped, and the takes of
several machines can be brought together in one folder.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import platformdirs

from readfirst.harness.adapter_api import Adapter, traits_of
from readfirst.harness.compare.file_comparison import trace_differences
from readfirst.harness.record.transcribe import parted, transcribe
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


TakeStatus = Literal["taken", "unsupported", "broken"]


@dataclass(frozen=True, slots=True)
class Take:
    """The result of one replay, the first or the second (`number`). `broken`: it ended early.

    `message` says why it ended, or which refusal of a complete replay has no name in errors.yaml.
    """

    scenario_id: str
    contract: str
    number: int
    status: TakeStatus
    message: str = ""


def default_takes() -> Path:
    """Return the folder that takes are kept in unless another is named."""
    return platformdirs.user_cache_path("readfirst") / "takes"


class Takes:
    """The takes below one folder: `<contract>/<number>/<scenario id>.json`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes out, or wait for the one that keeps this one out. Raises OSError.

        Who blesses takes drops them, and another recording would miss them.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.root / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            with suppress(OSError):  # a file system without locks
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
        """Return where the take is or would be."""
        return self.root / contract / str(number) / f"{scenario_id}.json"

    def contracts(self) -> list[str]:
        """Return the contracts, listed in the suite or not, that there may be takes of."""
        return [each.name for each in self.root.iterdir() if each.is_dir()] if self.root.is_dir() else []

    def get(self, scenario: Scenario, contract: Contract, number: int) -> Transcript | None:
        """Return a take; None where there is none, or one of other steps or of another model."""
        try:
            taken = parse_recording(self.path(scenario.id, contract.name, number).read_bytes())
        except (OSError, RecordingError):
            return None
        return taken.transcripts.get(contract.name) if taken.inputs == _asked(scenario, contract) else None

    def put(self, scenario: Scenario, contract: Contract, number: int, transcript: Transcript) -> None:
        """Keep a take. Raises OSError."""
        taken = Recording(_asked(scenario, contract), {contract.name: transcript})
        write_all({self.path(scenario.id, contract.name, number): format_recording(taken)})

    def add(self, folder: Path) -> None:
        """Copy the takes of another folder into this one. Raises OSError."""
        shutil.copytree(folder, self.root, dirs_exist_ok=True)

    def drop(self, scenario_id: str, contract: str) -> None:
        """Forget the takes of one scenario on one contract."""
        for number in (1, 2):
            self.path(scenario_id, contract, number).unlink(missing_ok=True)


@dataclass(frozen=True)
class TakeJob:
    """One pass over scenarios on one contract, for `harness.run.process_pool`: the product is opened by `connect`."""

    suite: Suite
    takes: Path
    contract: str
    number: int
    connect: Callable[[], Adapter]

    @contextmanager
    def open(self) -> Iterator[Callable[[str], Take]]:
        """Open the product, and take one scenario after the other."""
        suite = self.suite
        contract = suite.contracts.find(self.contract)
        takes = Takes(self.takes)
        with WorkspacePool() as place, ExitStack() as opened:

            @cache
            def product() -> Adapter:
                """Open the product, unless nothing that it supports is to be replayed."""
                adapter = self.connect()
                opened.callback(traits_of(adapter).close)
                return adapter

            def take(scenario_id: str) -> Take:
                scenario = suite.scenario(scenario_id, require_expect=False)
                missing = sorted(scenario.needs - contract.capabilities)
                if missing:
                    return self._came_of(
                        scenario_id, "unsupported", f"{contract.name} lacks {', '.join(missing)}"
                    )
                outcome = replay(scenario, product(), place)
                if outcome.broken is not None:
                    explanation = (
                        f"step {outcome.broken.step + 1}: {outcome.broken.message} {outcome.broken.details}"
                    )
                    return self._came_of(scenario_id, "broken", explanation.strip())
                if left_out := unrecordable(scenario, outcome):
                    return self._came_of(scenario_id, "broken", left_out)
                transcript = transcribe(scenario, outcome, suite.vocabulary)
                takes.put(scenario, contract, self.number, transcript)
                words = unknown_words(transcript)
                said = f"it refused in words that errors.yaml does not know: {words!r}" if words else ""
                return self._came_of(scenario_id, "taken", said)

            yield take

    def lost(self, scenario_id: str, reason: str) -> Take:
        """Return the result of a scenario whose worker died."""
        return self._came_of(scenario_id, "broken", reason)

    def _came_of(self, scenario_id: str, status: TakeStatus, message: str = "") -> Take:
        return Take(scenario_id, self.contract, self.number, status, message)


def unknown_words(transcript: Transcript) -> str:
    """Return the first message of a refusal that has no name in errors.yaml; empty if each has one."""
    results = (result for step in transcript.steps for result in step.results)
    return next((result.text for result in results if result.error == UNNAMED), "")


def _asked(scenario: Scenario, contract: Contract) -> str:
    """Return what a take depends on: workspace and steps, version and model; not expectations."""
    return " ".join((scenario.inputs, contract.version or "", contract.model or ""))


def unrecordable(scenario: Scenario, outcome: Outcome) -> str:
    """Return the first file that was touched, or replaced by a file with the same bytes, by a call that must not.

    That is a Read, a call that was refused, or one that names another file; or the first path that changed after the
    last step. Empty where there is none.
    """
    for number, what in _unrecordable(scenario, outcome):
        return f"step {number}: the {what} changed, which a recording cannot say"
    for path in (*outcome.afterwards.changes, *outcome.afterwards.traces):
        return f"{path} changed after the last step, which a recording cannot say"
    return ""


def _unrecordable(scenario: Scenario, outcome: Outcome) -> Iterator[tuple[int, str]]:
    state: dict[str, Entry | None] = dict(outcome.before)
    for number, (step, done) in enumerate(zip(scenario.steps, outcome.steps, strict=False), 1):
        if (calls := calls_of(step)) and done.traces:
            allowed = [call for call, result in zip(calls, done.results, strict=True) if not result.is_error]
            writing = [call for call in allowed if call.tool != "Read"]
            parts = parted(done, {**state, **done.expected_world})
            for found in trace_differences(parts, writing, state, done.names, done.traces):
                yield number, found.what
        state.update(done.changes)

"""Kill commands that write files at random moments, check the files, and run the commands again."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.processes import ends_soon_by_command
from tools.faults.stage import UNFINISHED, Command, TrialDirectory

__all__ = ["Kills", "kills"]


_MAX_TRIALS_FACTOR = 5
"""Maximum number of trials per required kill. In some trials, the command ends before it is killed."""


@dataclass
class Kills:
    """The results of all trials of one command. Each of the `problems` describes a fault, and the moment of the kill.
    `before`, `between` and `after` count the trials with no, some or all files written before the kill, `ended` those
    whose command ended before it.
    """

    name: str
    milliseconds: float
    trials: int = 0
    ended: int = 0
    before: int = 0
    between: int = 0
    after: int = 0
    swept: int = 0
    """Number of trials that left a temporary file or directory, which the next run must remove."""
    problems: list[str] = field(default_factory=list)

    @property
    def killed(self) -> int:
        return self.trials - self.ended


class FaultError(Exception):
    """A command failed although it was not killed. The message contains the output of the command."""


def kills(command: Command, base: Path, trials: int, seed: int) -> Kills:
    """Kill a command at `trials` random moments of its run time. Raises FaultError if it fails without a kill."""
    stage = TrialDirectory(base)
    stage.fresh()
    for words in command.before:
        _run_successfully(stage, words)
    if command.before:
        stage.keep()
    expected, seconds = _run_undisturbed(stage, command)
    result = Kills(command.name, seconds * 1000)
    draw = random.Random(f"{seed} {command.name}")
    while result.killed < trials and result.trials < _MAX_TRIALS_FACTOR * trials:
        # Every other one comes late, when files are written.
        moment = draw.uniform(seconds * 0.7 if result.trials % 2 else 0, seconds * 1.1)
        ended = _try_kill(stage, command, expected, moment, result)
        if ended or moment > seconds:  # the command is quicker or slower than it was, as the machine is busy
            seconds = moment
    return result


def _run_undisturbed(stage: TrialDirectory, command: Command) -> tuple[Mapping[str, bytes], float]:
    """Run a command twice without a kill. Return its files, and the duration of the second run in seconds."""
    seconds = 0.0
    for _ in range(2):
        stage.fresh()
        start = time.monotonic()
        _run_successfully(stage, command.words)
        seconds = time.monotonic() - start
        stage.preload()
    return stage.state(), seconds


def _run_successfully(stage: TrialDirectory, words: tuple[str, ...]) -> None:
    if stage.ended(words) not in (0, 1) or stage.left():
        raise FaultError(f"readfirst {' '.join(words)}: left {stage.left()}, said\n{stage.log}")


def _try_kill(
    stage: TrialDirectory, command: Command, expected: Mapping[str, bytes], moment: float, result: Kills
) -> bool:
    """Kill a command after `moment` seconds, check the files, and rerun it. Return whether it ended before the kill."""
    stage.fresh()
    given = stage.state()
    child = stage.start(command.words)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    ended = not os.WIFSIGNALED(status)
    result.trials += 1
    result.ended += ended
    result.problems += (
        f"{problem} ({moment * 1000:.0f} ms)" for problem in _check_files(stage, given, expected, result)
    )
    code = stage.ended(command.words)
    if code not in (0, 1):
        result.problems.append(f"the next run ends with {code} ({moment * 1000:.0f} ms): {stage.log[-500:]}")
    if stage.state() != expected or stage.left():
        result.problems.append(f"the next run leaves something else ({moment * 1000:.0f} ms): {stage.left()}")
    return ended


def _check_files(
    stage: TrialDirectory, given: Mapping[str, bytes], expected: Mapping[str, bytes], result: Kills
) -> Iterator[str]:
    """Yield faults after a kill: a running process, or a file that is neither old (`given`) nor new (`expected`)."""
    if not ends_soon_by_command(str(stage.folder)):
        yield "a process goes on"
    result.swept += bool(stage.left())
    state = {path: data for path, data in stage.state().items() if not UNFINISHED.fullmatch(Path(path).name)}
    for path in given.keys() - state.keys():
        yield f"{path} is gone"
    for path, data in state.items():
        if data not in (given.get(path), expected.get(path)):
            yield f"{path} is neither as it was nor as it was to be: {data[:200]!r}"
    if state == given:
        result.before += 1
    elif state == expected:
        result.after += 1
    else:
        result.between += 1

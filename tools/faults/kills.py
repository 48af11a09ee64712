"""Kill commands that write files at random moments, check the files, and run the commands again."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.processes import none_mentions
from tools.faults.stage import UNFINISHED, Command, Stage

__all__ = ["Kills", "kills"]


_MOST = 5
"""Multiple of the number of kills: in some trials the command ends before it is killed."""


@dataclass
class Kills:
    """Results of the trials of one command. Each problem states the finding and its moment.

    `before`, `between` and `after` count the trials where no file, some files or all files were new. `ended` counts
    the trials where the command ended before the kill.
    """

    name: str
    milliseconds: float
    trials: int = 0
    ended: int = 0
    before: int = 0
    between: int = 0
    after: int = 0
    swept: int = 0
    """Trials that left a temporary file or directory, which the next run removed."""
    problems: list[str] = field(default_factory=list)

    @property
    def killed(self) -> int:
        """Number of trials with a killed command."""
        return self.trials - self.ended


class FaultError(Exception):
    """A command fails without any fault. The message contains its output."""


def kills(command: Command, base: Path, trials: int, seed: int) -> Kills:
    """Kill a command `number` times, at moments spread over its run time. Raises FaultError."""
    stage = Stage(base)
    stage.fresh()
    for words in command.before:
        _done(stage, words)
    if command.before:
        stage.keep()
    expected, seconds = _undisturbed(stage, command)
    found = Kills(command.name, seconds * 1000)
    draw = random.Random(f"{seed} {command.name}")
    while found.killed < trials and found.trials < _MOST * trials:
        # Every other one comes late, when files are written.
        moment = draw.uniform(seconds * 0.7 if found.trials % 2 else 0, seconds * 1.1)
        ended = _trial(stage, command, expected, moment, found)
        if ended or moment > seconds:  # the command is quicker or slower than it was, as the machine is busy
            seconds = moment
    return found


def _undisturbed(stage: Stage, command: Command) -> tuple[Mapping[str, bytes], float]:
    """Return the files after the command, and the seconds of its second run."""
    seconds = 0.0
    for _ in range(2):
        stage.fresh()
        start = time.monotonic()
        _done(stage, command.words)
        seconds = time.monotonic() - start
        stage.preload()
    return stage.state(), seconds


def _done(stage: Stage, words: tuple[str, ...]) -> None:
    if stage.ended(words) not in (0, 1) or stage.left():
        raise FaultError(f"readfirst {' '.join(words)}: left {stage.left()}, said\n{stage.log}")


def _trial(
    stage: Stage, command: Command, expected: Mapping[str, bytes], moment: float, found: Kills
) -> bool:
    """Kill a command after some seconds and run it again. Return whether it ended before the kill."""
    stage.fresh()
    given = stage.state()
    child = stage.start(command.words)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    ended = not os.WIFSIGNALED(status)
    found.trials += 1
    found.ended += ended
    found.problems += (
        f"{problem} ({moment * 1000:.0f} ms)" for problem in _look(stage, given, expected, found)
    )
    code = stage.ended(command.words)
    if code not in (0, 1):
        found.problems.append(f"the next run ends with {code} ({moment * 1000:.0f} ms): {stage.log[-500:]}")
    if stage.state() != expected or stage.left():
        found.problems.append(f"the next run leaves something else ({moment * 1000:.0f} ms): {stage.left()}")
    return ended


def _look(
    stage: Stage, given: Mapping[str, bytes], expected: Mapping[str, bytes], found: Kills
) -> Iterator[str]:
    """Yield the faults in the files that a killed command left."""
    if not none_mentions(str(stage.folder)):
        yield "a process goes on"
    found.swept += bool(stage.left())
    state = {path: data for path, data in stage.state().items() if not UNFINISHED.fullmatch(Path(path).name)}
    for path in given.keys() - state.keys():
        yield f"{path} is gone"
    for path, data in state.items():
        if data not in (given.get(path), expected.get(path)):
            yield f"{path} is neither as it was nor as it was to be: {data[:200]!r}"
    if state == given:
        found.before += 1
    elif state == expected:
        found.after += 1
    else:
        found.between += 1

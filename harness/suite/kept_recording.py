"""Kept recording: one scenario's recording as its file holds it; a contract's part is made when it is asked for."""

import lzma
import zlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from readfirst.harness.source.finding import SuiteError
from readfirst.harness.suite.transcript import Recording, RecordingError, Transcript, TranscriptStep

_DAMAGED = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    RecursionError,
    lzma.LZMAError,
    zlib.error,
)


class Row:
    """What one step gave on every contract: a key for each, equal where they gave the same, and the step of a key."""

    def __init__(self, held: Mapping[str, Hashable], step: Callable[[Any], TranscriptStep]) -> None:
        self.held = held
        self._step = step
        self._made: dict[Hashable, TranscriptStep] = {}

    def step(self, contract: str) -> TranscriptStep:
        """Return what a contract gave; contracts that gave the same share it. Raises what reading it raises."""
        key = self.held[contract]
        if key not in self._made:
            self._made[key] = self._step(key)
        return self._made[key]


@dataclass(frozen=True)
class Kept:
    """One scenario's recording as it is kept: each contract's part is made when it is asked for.

    `packed` has its long texts, compressed, by their digests.
    """

    inputs: str
    versions: tuple[str, ...]
    rows: Sequence[Row]
    unrecorded: Mapping[str, str]
    packed: Mapping[str, str]

    def transcript(self, contract: str) -> Transcript | None:
        """Return what one contract's product gave, None where it was not recorded. Raises RecordingError."""
        if contract not in self.versions:
            return None
        with readable():
            return Transcript(tuple(row.step(contract) for row in self.rows))

    def same(self, one: str, other: str) -> bool:
        """Whether two contracts are recorded, and together at every step."""
        return {one, other} <= {*self.versions} and all(row.held[one] == row.held[other] for row in self.rows)

    @cached_property
    def recording(self) -> Recording:
        """The transcripts of all contracts; those that gave the same share one. Raises RecordingError."""
        shared: dict[tuple[int, ...], Transcript] = {}
        transcripts = {}
        with readable():
            for name in self.versions:
                steps = tuple(row.step(name) for row in self.rows)
                transcripts[name] = shared.setdefault(tuple(map(id, steps)), Transcript(steps))
        return Recording(self.inputs, transcripts, self.unrecorded)


@contextmanager
def readable(what: str = "the scenario") -> Iterator[None]:
    """Say of what cannot be read how to get it anew."""
    try:
        yield
    except SuiteError as error:
        found = error.findings[0]
        where = f"line {found.position.line}: {found.message}"
        raise RecordingError(f"not a readable recording ({where}); record {what} again") from error
    except _DAMAGED as error:
        raise RecordingError(f"not a readable recording ({error!r}); record {what} again") from error

"""The result of judging a session: its harms, and its knowledge of files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.line_provenance import FileKnowledge
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.scenario import ToolCall


class JudgedStep(NamedTuple):
    """The calls of one step, and all files before and after the step.

    Paths of calls are absolute if a command changed the directory. `known` is the knowledge that the calling session
    has of each file after the step.
    """

    calls: Sequence[ToolCall]
    before: Mapping[str, Entry]
    after: Mapping[str, Entry]
    known: Mapping[str, FileKnowledge]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The harms of a session in the order of the steps, and its knowledge of files after each step with calls.

    The keys of `steps` are numbers of steps, from 0. Steps are omitted if it is not certain that their calls were
    executed.
    """

    harms: tuple[Harm, ...]
    steps: Mapping[int, JudgedStep] = field(default_factory=dict)

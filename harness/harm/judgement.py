"""The result of judging a session: its harms, and the lines of files that it knew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.line_provenance import FileKnowledge
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.scenario import ToolCall


class JudgedStep(NamedTuple):
    """One step of a judged session: its calls, and all files before and after it. Paths of calls are absolute if a
    command changed the directory. `known` contains, for each file, the lines that the calling session has seen after
    the step.
    """

    calls: Sequence[ToolCall]
    before: Mapping[str, Entry]
    after: Mapping[str, Entry]
    known: Mapping[str, FileKnowledge]


@dataclass(frozen=True, slots=True)
class Judgement:
    """All harms of a session in the order of the steps, and its knowledge of files after each step with calls. `steps`
    (numbered from 0) omits steps whose calls may not have been executed.
    """

    harms: tuple[Harm, ...]
    steps: Mapping[int, JudgedStep] = field(default_factory=dict)

"""Judgement: what a session harmed, and what it had seen of files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.line_provenance import FileKnowledge
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.scenario import ToolCall


class Seen(NamedTuple):
    """The calls of one step, their paths absolute where a command moved the directory, and the files before and after.

    `known` is what the session that made them knows of each file then.
    """

    calls: Sequence[ToolCall]
    before: Mapping[str, Entry]
    after: Mapping[str, Entry]
    known: Mapping[str, FileKnowledge]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a session harmed, in the order of the steps, and what it had seen of files after each step with calls.

    `seen` is by step, from 0; steps of which it is open whether the calls were made are left out.
    """

    harms: tuple[Harm, ...]
    seen: Mapping[int, Seen] = field(default_factory=dict)

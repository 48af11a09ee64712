"""The result of judging a session: its harms, and its knowledge of files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.line_provenance import FileKnowledge
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.scenario import ToolCall


class Seen(NamedTuple):
    """The calls of one step, with absolute paths if a command changed the directory, and the files before and
    after.

    `known` is the knowledge of each file in the session that made the calls.
    """

    calls: Sequence[ToolCall]
    before: Mapping[str, Entry]
    after: Mapping[str, Entry]
    known: Mapping[str, FileKnowledge]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The harms of a session in the order of the steps, and its knowledge of files after each step with calls.

    The keys of `seen` are numbers of steps, from 0. Steps are omitted if their calls may or may not have been
    executed.
    """

    harms: tuple[Harm, ...]
    seen: Mapping[int, Seen] = field(default_factory=dict)

"""Own session: which scenarios the product must not share a session for."""

import posixpath

from readfirst.harness.adapter_api import BASH
from readfirst.harness.suite.file_entry import Entry, RegularFile, TextContent
from readfirst.harness.suite.repeated_text import texts_in
from readfirst.harness.suite.scenario import Scenario, SessionEvent

_SHOWN_BYTES = 262_144
"""Read shows no larger file at once."""


def needs_own_session(scenario: Scenario) -> bool:
    """Tell whether the product needs a session of its own for it, with the workspace as working directory.

    That is so where the working directory shows: relative paths, permission rules, and new files where there
    are carriage returns (versions up to 2.1.76 choose a new file's line endings by sampling files below the
    working directory).
    And where several files are in play: 2.1.7 keeps the records of ten files per session, so that in a long
    one only the file of the latest call is sure to be known (scenario `state/eleven-files-read`).
    And where a file is too large to be shown: later versions say more of it the second time.
    And where the conversation itself ends, is summarised or waits for a sub-agent.
    And where it has hooks, which belong to the settings that a session starts with.
    And where a call is interrupted, which the conversation reports, or ends with.
    """
    given = scenario.given
    return bool(
        given.deny
        or given.hooks
        or given.permissions
        or given.disk is not None
        or scenario.mounts
        or given.memory_files
        or any(isinstance(step, SessionEvent) for step in scenario.steps)
        or any(call.interrupted for call in scenario.calls())
        or any(_is_large(entry) for entry in given.files.values())
        or len(set(map(posixpath.normpath, scenario.paths()))) > 1
        or scenario.relative
        or (_creates_files(scenario) and _has_carriage_returns(scenario))
    )


def spells_paths(scenario: Scenario) -> bool:
    """Tell whether calls name one file in several ways, of which some versions know only that of the latest Read."""
    paths = set(scenario.paths())
    return len(paths) > len(set(map(posixpath.normpath, paths)))


def _is_large(entry: Entry) -> bool:
    match entry:
        case RegularFile(content=TextContent() as content):
            return content.is_longer_than(_SHOWN_BYTES)
        case RegularFile():
            return len(entry.data) > _SHOWN_BYTES
        case _:
            return False


def _creates_files(scenario: Scenario) -> bool:
    return any(
        call.tool not in ("Read", "NotebookEdit", BASH)
        and posixpath.normpath(call.path).removeprefix("$WS/") not in scenario.given.files
        for call in scenario.calls()
    )


def _has_carriage_returns(scenario: Scenario) -> bool:
    given = scenario.given
    entries: list[Entry | None] = [*given.files.values(), *(event.entry for event in scenario.events())]
    entries += [entry for hook in given.hooks for entry in hook.files.values()]
    calls = any("\r" in text for call in scenario.calls() for text in texts_in(call.arguments))
    return calls or any(map(_entry_has_carriage_return, entries))


def _entry_has_carriage_return(entry: Entry | None) -> bool:
    match entry:
        case RegularFile(content=TextContent(text=text, eol=eol)):
            return eol != "lf" or "\r" in text
        case RegularFile():
            return b"\r" in entry.data
        case _:
            return False

"""Decide which scenarios can share a conversation with the product, and which need a separate one."""

import posixpath

from packaging.version import Version

from readfirst.harness.adapter_api import BASH
from readfirst.harness.suite.file_entry import Entry, RegularFile, TextContent
from readfirst.harness.suite.repeated_text import texts_in
from readfirst.harness.suite.scenario import Scenario, SessionEvent

_MAX_READ_BYTES = 262_144
"""Maximum bytes of a file that Read shows in full."""
_REMEMBERS_TEN_SINCE, _REMEMBERS_ALL_SINCE = Version("1.0.58"), Version("2.1.75")
"""First version that remembers only ten read files, and first later version that remembers all read files again."""
_KEEPS_LINE_ENDINGS_SINCE = Version("2.1.77")
"""First version that creates a new file with the line endings of the call. Earlier versions choose the line endings."""
_NORMALISES_PATHS_SINCE = Version("2.1.7")
"""First version that recognises a file again if its path is spelled differently."""
_SETTINGS_DIRECTORY = ".claude"


def needs_own_session(scenario: Scenario, version: Version | None = None) -> bool:
    """Whether a scenario must use a conversation that no other scenario uses. Without `version`, the result is true
    if any version requires a separate conversation. The reasons are:

    - The answers depend on the working directory: relative paths, permission patterns, settings directories, and up to
      2.1.76 the line endings of new files.
    - The scenario uses several files, and the version remembers only ten files in a session.
    - A file is too large for Read. Later versions add a text to the second answer about such a file.
    - The conversation ends, is summarised, waits for a sub-agent, or has hooks.
    - A call is interrupted: the conversation then reports the interruption, or ends.
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
        or scenario.relative
        or _can_forget_file(scenario, version)
        or any(_SETTINGS_DIRECTORY in path.split("/") for path in (*given.files, *scenario.paths()))
        or _samples_line_endings(scenario, version)
    )


def _samples_line_endings(scenario: Scenario, version: Version | None) -> bool:
    return (
        (version is None or version < _KEEPS_LINE_ENDINGS_SINCE)
        and _creates_files(scenario)
        and _has_carriage_returns(scenario)
    )


def _can_forget_file(scenario: Scenario, version: Version | None) -> bool:
    """Whether the version forgets a scenario's file if other scenarios use many files in the same conversation."""
    if version is not None and not _REMEMBERS_TEN_SINCE <= version < _REMEMBERS_ALL_SINCE:
        return False
    paths = set(scenario.paths())
    if version is None or version >= _NORMALISES_PATHS_SINCE:
        paths = set(map(posixpath.normpath, paths))
    return len(paths) > 1


def _is_large(entry: Entry) -> bool:
    return isinstance(entry, RegularFile) and len(entry.data) > _MAX_READ_BYTES


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

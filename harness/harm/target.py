"""Find the file that a call reads or changes."""

import posixpath
from collections.abc import Mapping

from readfirst.harness.suite.file_entry import Entry, Symlink
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.workspace.snapshot import candidate_paths

State = Mapping[str, Entry]

_WHITESPACE = " \t\r\n\ufeff"


def target_path(call: ToolCall, before: State, after: State, changed: set[str]) -> str | None:
    """Return the path of the file that a call reads or changes. None if its arguments contain no usable path. If the
    arguments may mean several paths, a changed path is preferred, then an existing path.
    """
    paths = candidate_paths(call.arguments, before)
    if any("$WS" in path for path in paths):
        return None
    if not any(path in before or path in after for path in paths):
        texts = {key: value for key, value in call.arguments.items() if isinstance(value, str)}
        stripped = {key: text.strip(_WHITESPACE) for key, text in texts.items()}
        paths = (*(path for path in candidate_paths(stripped, before) if path in changed), *paths)
    links = [
        path for path in changed if isinstance(before.get(path), Symlink) and starts_with_path(call, path)
    ]
    changing = (path for path in (*links, *paths) if path in changed)
    # Paths that start with ~/ are at home and come last.
    return next(iter((*changing, *(path for path in reversed(paths) if path in before), *paths)), None)


def starts_with_path(call: ToolCall, path: str) -> bool:
    """Whether the path in a call's arguments starts with `path`. Links are not resolved."""
    return posixpath.normpath(call.path.removeprefix("$WS").lstrip("/")).startswith(path)


def mentions_path(call: ToolCall, path: str) -> bool:
    """Whether an argument of a call is exactly this path. The arguments of the product's file tools are ignored."""
    known_arguments = ("file_path", "notebook_path", "content", "old_string", "new_string", "new_source")
    return any(
        isinstance(value, str) and value.removeprefix("$WS/") == path
        for key, value in call.arguments.items()
        if key not in known_arguments
    )

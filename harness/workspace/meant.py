"""Meant: which paths of a snapshot a call means by the path among its arguments."""

import posixpath
import unicodedata
from collections.abc import Mapping
from typing import Any

from readfirst.harness.suite.entry import Entry, RegularFile, behind_links


def meant(arguments: Mapping[str, Any], state: Mapping[str, Entry | None]) -> tuple[str, ...]:
    """Return the paths in a snapshot that a call may mean, behind all links; none where its argument names no file.

    What begins with `~/` is at home, or in a folder of that name. A tool may compose the letters of a path that
    leads to nothing as it is.
    """
    path = arguments.get("file_path", arguments.get("notebook_path"))
    if not isinstance(path, str):
        return ()
    plain = posixpath.normpath(path.removeprefix("$WS").lstrip("/"))
    if "/" not in plain and path[:1] != "~" and isinstance(state.get(plain), RegularFile):
        return (plain,)  # as mostly; the rest need not be tried
    here = behind_links(plain, state)
    home = f"$HOME/{posixpath.normpath(path[2:])}" if path.startswith("~/") else None
    found = [each for each in (here, home) if each is not None]
    composed = [unicodedata.normalize("NFC", each) for each in found if state.get(each) is None]
    return tuple(dict.fromkeys([*found, *composed]))

"""Git commands: those that a scenario may name, each with the lines that git is given."""

from __future__ import annotations

import re
from collections.abc import Mapping

GIT_COMMANDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "commit": (("add", "--all"), ("commit", "--quiet", "--allow-empty", "--message", "x")),
    "branch": (("checkout", "--quiet", "-b", "NAME"),),
    "checkout": (("checkout", "--quiet", "NAME"),),
    "rebase": (("rebase", "--quiet", "NAME"),),
    "stash": (("stash", "push", "--quiet", "--include-untracked"),),
    "stash pop": (("stash", "pop", "--quiet"),),
    "reset": (("reset", "--quiet", "--hard"),),
}
"""`branch`, `checkout` and `rebase` have the name of a branch behind them, the others nothing."""

_NAMED = re.compile(r"(branch|checkout|rebase) [a-z]{1,40}")


def is_git_command(text: str) -> bool:
    """Tell whether a scenario may say so."""
    return _NAMED.fullmatch(text) is not None or text in GIT_COMMANDS.keys() - {
        "branch",
        "checkout",
        "rebase",
    }

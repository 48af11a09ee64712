"""Registry: every law by its name; a law judges one moment and asserts what it states."""

from collections.abc import Callable

from moment import Moment

Law = Callable[[Moment], None]

LAWS: dict[str, Law] = {}


def law(check: Law) -> Law:
    """Register a law."""
    name = check.__name__
    if name in LAWS or not check.__doc__:
        raise ValueError(f"{name}: a law needs a name of its own and says what it states")
    LAWS[name] = check
    return check

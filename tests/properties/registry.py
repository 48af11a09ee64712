"""Registry: every law by its name, and how a law is checked on one random scenario."""

from collections.abc import Callable
from random import Random

from play import World

Law = Callable[[World, Random], None]

LAWS: dict[str, Law] = {}


def law(check: Law) -> Law:
    """Register a law. It draws from the random source, plays in the world, and asserts what it states."""
    name = check.__name__
    if name in LAWS or not check.__doc__:
        raise ValueError(f"{name}: a law needs a name of its own and says what it states")
    LAWS[name] = check
    return check

"""Trimming: leaves out of a run every step without which it breaks the same law."""

from registry import LAWS
from workshop import Step, Workshop

STUMBLES = (KeyError, TypeError, ValueError, OSError)


def trimmed(failed: Workshop, law: str) -> Workshop:
    """Return what is left of a run that broke a law: done anew, it breaks it, and without any one step it does not."""
    steps, before = list(failed.steps), 0
    while len(steps) != before:
        before = len(steps)
        for at in reversed(range(before)):
            fewer = steps[:at] + steps[at + 1 :]
            if breaks(failed, fewer, law):
                steps = fewer
    assert breaks(failed, steps, law)
    return _done(failed, steps)


def breaks(failed: Workshop, steps: list[Step], law: str) -> bool:
    """Whether these steps, done anew, break the law."""
    try:
        shop = _done(failed, steps)
    except STUMBLES:
        return False
    try:
        for moment in shop.told:
            LAWS[law].judges(moment)
    except AssertionError:
        return True
    return False


def _done(failed: Workshop, steps: list[Step]) -> Workshop:
    shop = failed.anew()
    try:
        for step in steps:
            step(shop)
    finally:
        shop.close()
    return shop

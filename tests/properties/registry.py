"""Registry: every law by its name; a law judges one moment and asserts what it states, where it states something."""

from collections.abc import Callable
from dataclasses import dataclass

from moment import Moment

from readfirst.reference_impl import Behaviours


class SaysNothing(Exception):  # noqa: N818 - it is no error
    """The law states nothing about this moment."""


def suppose(premise: object) -> None:
    """Leave the law if its premise does not hold. Raises SaysNothing."""
    if not premise:
        raise SaysNothing


def always(_: Behaviours) -> bool:
    """Return that a law is meant for every contract."""
    return True


def goes_by_the_time_of_the_file(behaviours: Behaviours) -> bool:
    """Return whether a file whose time lies in the future can be fresh."""
    return not behaviours.freshness.staleness_uses_read_time


@dataclass(frozen=True)
class Law:
    """`check` supposes its premise and asserts the rest; `holds_with` says for which contracts it is meant."""

    check: Callable[[Moment], None]
    holds_with: Callable[[Behaviours], bool]

    @property
    def statement(self) -> str:
        return self.check.__doc__ or ""

    def judges(self, moment: Moment) -> bool:
        """Judge the moment; tell whether the premise held. Raises AssertionError: the law is broken."""
        try:
            self.check(moment)
        except SaysNothing:
            return False
        return True


LAWS: dict[str, Law] = {}


def law(
    check: Callable[[Moment], None] | None = None, *, where: Callable[[Behaviours], bool] = always
) -> Callable:
    """Register a law, for all contracts or for those `where` something is as it needs it."""

    def registered(check: Callable[[Moment], None]) -> Callable[[Moment], None]:
        name = check.__name__
        if name in LAWS or not check.__doc__:
            raise ValueError(f"{name}: a law needs a name of its own and says what it states")
        LAWS[name] = Law(check, where)
        return check

    return registered if check is None else registered(check)

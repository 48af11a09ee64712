"""Courses: the ways in which a scenario went with the recorded contracts: which of its calls each refused."""

from collections.abc import Iterable

from readfirst.harness.suite.transcript import Transcript

Course = tuple[tuple[bool, ...], ...]
"""For each message, whether each of its calls was refused."""


def courses_of(recorded: Iterable[Transcript]) -> tuple[Course, ...]:
    """Return the courses of these transcripts, each once, in the order in which they come first."""
    found = (tuple(tuple(each.is_error for each in row.results) for row in one.steps) for one in recorded)
    return tuple(dict.fromkeys(found))


def marks(course: Course) -> str:
    """Write a course down: a word for each message, in it `a` for a call that was answered, `r` for a refused one."""
    return " ".join("".join("r" if refused else "a" for refused in message) for message in course)

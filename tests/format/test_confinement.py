"""No path of a scenario leads out of its workspace."""

from readfirst.harness.suite.confinement import path_problem
from tests.rows import rows


@rows(
    "path",
    ["a", "a/b.txt", ".hidden", "...", "..a", "a..", "a b", "~", "$HOME", "ä/→.txt", "a" * 255, "-rf", "C:"],
)
def test_ordinary_names_are_paths(path: str) -> None:
    assert path_problem(path) is None


@rows(
    "path",
    [
        *("", "/", "/etc/passwd", "..", "../a", "a/..", "a/../b", ".", "./a", "a/.", "a//b", "a/"),
        *("$WS", "$WS/a"),
        *("a\\b", "a\0b", "\ud800", "a" * 256, "ä" * 128, "a/" * 600 + "a"),
    ],
)
def test_what_is_not_relative_and_plain_is_refused(path: str) -> None:
    assert path_problem(path)

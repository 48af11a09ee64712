from readfirst.harness.suite.path_rules import outside_problem, path_problem, program_problem
from tests.rows import rows


@rows(
    "path",
    ["a", "a/b.txt", ".hidden", "...", "..a", "a..", "a b", "~", "$HOME", "ä/→.txt", "a" * 255, "-rf", "C:"],
)
def test_relative_paths_inside_the_workspace_are_valid(path: str) -> None:
    assert path_problem(path) is None


@rows(
    "path",
    [
        *("", "/", "/etc/passwd", "..", "../a", "a/..", "a/../b", ".", "./a", "a/.", "a//b", "a/"),
        *("$WS", "$WS/a"),
        *("a\\b", "a\0b", "\ud800", "a" * 256, "ä" * 128, "a/" * 600 + "a"),
    ],
)
def test_absolute_paths_paths_upwards_and_unusual_paths_are_refused(path: str) -> None:
    assert path_problem(path)


@rows(
    "path",
    [
        *("$WS/a", "$WS", "~/a", "~", "a/b", "./a", "", "$WS/a/../b", "a/../b", "..."),
        *("C:\\a", "\\\\host\\a", "$WS\\a", "file://$WS/a", "$WS/$HOME/a", "~nobody/a"),
        *("/readfirst-missing/a", "//readfirst.invalid/a", "//?/$WS/a", "/a" * 2048),
    ],
)
def test_a_path_argument_in_the_workspace_or_home_is_allowed(path: str) -> None:
    assert outside_problem(path) is None


@rows(
    ("path", "problem"),
    [
        *(
            (path, "begins outside the workspace")
            for path in ("/etc/passwd", "/", "//etc", "~root/a", "$WSx/a")
        ),
        ("/./readfirst", "begins outside the workspace"),
        *((path, "leaves the workspace with '..'") for path in ("..", "../a", "$WS/..", "~/../a")),
        *((path, "leaves the workspace with '..'") for path in ("$WS/a/../../b", "/readfirst/../../etc")),
    ],
)
def test_a_path_argument_that_leads_outside_is_refused(path: str, problem: str) -> None:
    assert outside_problem(path) == problem


@rows(
    "command",
    [
        *("cat a | head -n 1", "cd sub && cat a; echo done", "true || false", "echo 'a; b' > c", ""),
        *("cat < a > b", "echo a >> b", "(cat a)", "sed -n '1p; $p' a", "cat a 2>&1", "cat a\ncat b"),
        'echo "python3 a"',
    ],
)
def test_a_command_of_listed_programs_is_allowed(command: str) -> None:
    assert program_problem(command) is None


@rows(
    ("command", "problem"),
    [
        *(
            ("python3 a", "runs 'python3'"),
            ("PATH=a cat", "runs 'PATH=a'"),
            ("/bin/cat a", "runs '/bin/cat'"),
        ),
        *(
            (command, "runs 'sh'")
            for command in ("cat a | sh", "cat a;sh", "true\nsh", "(sh a)", "cat a&& sh")
        ),
        *((command, "runs 'sh'") for command in ("> a sh", "true & sh")),
        ("echo 'a", "has a quote that is not closed"),
    ],
)
def test_a_command_with_an_unlisted_program_or_an_unclosed_quote_is_refused(
    command: str, problem: str
) -> None:
    assert program_problem(command) == problem


def test_the_path_of_a_network_share_that_cannot_exist_is_allowed() -> None:
    assert outside_problem("/readfirst-missing/a", writes=True) == "begins outside the workspace"
    assert outside_problem("//readfirst.invalid/share/a", writes=True) is None

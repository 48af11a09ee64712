from readfirst.harness.suite.path_rules import outside_problem, path_problem, program_problem


def test_only_usual_relative_paths_inside_the_workspace_are_valid() -> None:
    valid = [*("a", "a/b.txt", ".hidden", "...", "..a", "a..", "a b", "~", "$HOME", "ä/→.txt", "a" * 255)]
    refused = [
        *("", "/", "/etc/passwd", "..", "../a", "a/..", "a/../b", ".", "./a", "a/.", "a//b", "a/"),
        *("$WS", "$WS/a", "a\\b", "a\0b", "\ud800", "a" * 256, "ä" * 128, "a/" * 600 + "a"),
    ]
    assert [path for path in [*valid, *refused] if path_problem(path) is None] == valid


ALLOWED_ARGUMENTS = (
    *("$WS/a", "$WS", "~/a", "~", "a/b", "./a", "", "$WS/a/../b", "a/../b", "..."),
    *("C:\\a", "\\\\host\\a", "$WS\\a", "file://$WS/a", "$WS/$HOME/a", "~nobody/a"),
    *("/readfirst-missing/a", "//readfirst.invalid/a", "//?/$WS/a", "/a" * 2048),
)
BEGINS_OUTSIDE = ("/etc/passwd", "/", "//etc", "~root/a", "$WSx/a", "/./readfirst")
LEAVES = ("..", "../a", "$WS/..", "~/../a", "$WS/a/../../b", "/readfirst/../../etc")


def test_a_path_argument_must_stay_in_the_workspace_or_home() -> None:
    problems = {
        **dict.fromkeys(ALLOWED_ARGUMENTS),
        **dict.fromkeys(BEGINS_OUTSIDE, "begins outside the workspace"),
        **dict.fromkeys(LEAVES, "leaves the workspace with '..'"),
    }
    assert {path: outside_problem(path) for path in problems} == problems


def test_a_call_that_writes_may_name_only_a_network_share_that_cannot_exist() -> None:
    assert outside_problem("/readfirst-missing/a", writes=True) == "begins outside the workspace"
    assert outside_problem("//readfirst.invalid/share/a", writes=True) is None


ALLOWED_COMMANDS = (
    *("cat a | head -n 1", "cd sub && cat a; echo done", "true || false", "echo 'a; b' > c", ""),
    *("cat < a > b", "echo a >> b", "(cat a)", "sed -n '1p; $p' a", "cat a 2>&1", "cat a\ncat b"),
    'echo "python3 a"',
)
RUNS_SH = ("cat a | sh", "cat a;sh", "true\nsh", "(sh a)", "cat a&& sh", "> a sh", "true & sh")


def test_a_command_may_run_only_listed_programs_and_must_close_its_quotes() -> None:
    problems = {
        **dict.fromkeys(ALLOWED_COMMANDS),
        **dict.fromkeys(RUNS_SH, "runs 'sh'"),
        "python3 a": "runs 'python3'",
        "PATH=a cat": "runs 'PATH=a'",
        "/bin/cat a": "runs '/bin/cat'",
        "echo 'a": "has a quote that is not closed",
    }
    assert {command: program_problem(command) for command in problems} == problems

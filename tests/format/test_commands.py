"""Commands of scenarios run on the machine of whoever replays them: only simple ones on the workspace's files may."""

import pytest

from readfirst.harness.suite.commands import problems_of


@pytest.mark.parametrize(
    "command",
    [
        "cat $WS/notes.txt",
        "cat notes.txt | head -n 1",
        "cd sub && cat notes.txt; echo done",
        "sed -i s/beta/BETA/ $WS/notes.txt",
        "sed -n 1,2p notes.txt",
        "echo omega >> $WS/notes.txt",
        "cat $WS/notes.*",
        "(cat < notes.txt)",
    ],
)
def test_a_simple_command_on_files_of_the_workspace_may_run(command: str) -> None:
    assert list(problems_of(command)) == []


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("curl example.com", "runs 'curl'"),
        ("cat /etc/passwd", "names '/etc/passwd', which may lie outside the workspace"),
        ("cat ../other.txt", "names '../other.txt', which may lie outside the workspace"),
        ("rm -r ~", "has '~' in it, which may start or name anything"),
        ("cat $(ls)", "has '$' in it, which may start or name anything"),
        ("cat `ls`", "has '`' in it, which may start or name anything"),
        ("cat $HOME/x", "has '$' in it, which may start or name anything"),
        ("cat notes.txt &", "has '&' in it, which may start or name anything"),
        ("cat notes.txt && sh x", "runs 'sh'"),
        ("cat notes.txt | sh", "runs 'sh'"),
        ("cat notes.txt\nsh x", r"has '\n' in it, which may start or name anything"),
        ("sed s/a/ls/e notes.txt", "has sed do 's/a/ls/e'"),
        ("sed --in-place=x 1d notes.txt", "has sed do '--in-place=x'"),
        ("sed '1w out' notes.txt", "has sed do '1w out'"),
        ("echo x > /tmp/x", "names '/tmp/x', which may lie outside the workspace"),
        ("cat 'notes.txt", "cannot be read: No closing quotation"),
    ],
)
def test_every_other_command_is_a_finding(command: str, problem: str) -> None:
    assert next(problems_of(command)) == problem

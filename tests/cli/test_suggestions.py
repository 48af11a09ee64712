import re
import shlex
from pathlib import Path

import pytest

from readfirst.harness.run.did_you_mean import suggest_command
from readfirst.harness.suite.selection import Selection, SelectionError, select
from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli
from tests.rows import rows


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory: it contains a server in each of several languages, and a program."""
    folder = tmp_path / "my project"
    folder.mkdir()
    for name in ("server.mjs", "server.py", "notes.txt"):
        (folder / name).touch()
    program = folder / "my-tools"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    adapter = "import json\nclass Session:\n    pass\nclass Tools:\n    def open(self, workspace): ...\n"
    (folder / "adapter.py").write_text(adapter)
    (folder / "wrong.py").write_text("class Tools:\n    def open(self:\n")
    (folder / "bin").mkdir()
    node = folder / "bin" / "node"
    node.write_text("#!/bin/sh\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
    monkeypatch.chdir(folder)
    return folder


@rows(
    ("words", "meant"),
    [
        ("gate", "--family gate"),
        ("gate reading", "--family gate --family reading"),
        ("scenarios/gate/", "--family gate"),
        ("2.1.40", "--contract 2.1.40"),
        ("latest", "--contract latest"),
        ("node server.mjs", "'mcp:node server.mjs'"),
        ("node 'a b.mjs' --port 3", "'mcp:node '\"'\"'a b.mjs'\"'\"' --port 3'"),
        ("node server.mjs gate/not-read", "'mcp:node server.mjs' gate/not-read"),
        ("./my-tools", "mcp:./my-tools"),
        ("./server.mjs", "'mcp:node ./server.mjs'"),
        ("server.py", "'mcp:python3 server.py'"),
        ("adapter.py", "python:adapter.py:Tools"),
        ("./adapter.py:Tools gate/not-read", "python:./adapter.py:Tools gate/not-read"),
        ("wrong.py", "'mcp:python3 wrong.py'"),
        ("mytools:Tools gate/not-read", "python:mytools:Tools gate/not-read"),
        ("package.module:make.tools gate", "python:package.module:make.tools --family gate"),
        ("agno", "target:agno"),
        ("agno@3.1.10", "target:agno@3.1.10"),
        ("qwen-code", "agent:qwen-code"),
    ],
)
def test_for_words_that_are_not_a_target_the_intended_command_line_is_suggested(
    mixed: Suite, words: str, meant: str
) -> None:
    hinted = suggest_command(shlex.split(words), mixed)
    assert hinted == f"readfirst run {meant}"
    again = suggest_command(shlex.split(hinted)[2:], mixed) if not meant.startswith("--") else ""
    assert again == "", "what is suggested must itself be a target"


@rows(
    "words",
    [
        "reference",
        "reference gate",
        "mcp:nothing",
        "python:nothing:here",
        "gate/not-read",
        "gate/not-read.yaml",
        "fixtures/scenarios/gate/not-read.yaml",
        "notes.txt",
        "./missing.py:Tools",
        "nothing-like-that",
        "target:agno",
    ],
)
def test_no_command_line_is_suggested_for_a_valid_target_or_for_unrecognizable_words(
    mixed: Suite, words: str
) -> None:
    assert suggest_command(words.split(), mixed) == ""


@rows(
    ("command", "words", "meant"),
    [
        ("check-adapter", "node server.mjs", "'mcp:node server.mjs'"),
        ("check-adapter", "server.py", "'mcp:python3 server.py'"),
        ("check-adapter", "mytools:Tools", "python:mytools:Tools"),
        ("check-adapter", "qwen-code", "agent:qwen-code"),
        ("fuzz", "node server.mjs", "'mcp:node server.mjs'"),
        ("fuzz", "agno@3.1.10", "target:agno@3.1.10"),
        ("fuzz reference --against", "agno@3.1.10", "target:agno@3.1.10"),
        ("targets new-mapping", "./server.mjs", "'mcp:node ./server.mjs'"),
    ],
)
def test_every_command_with_a_target_suggests_the_intended_target(
    readfirst: Cli, command: str, words: str, meant: str
) -> None:
    ran = readfirst(*command.split(), *words.split())
    assert (ran.code, ran.out) == (2, "")
    first = words.split()[0]
    assert ran.err == f"readfirst: {first!r} is not a target. Did you mean: readfirst {command} {meant}\n"


@rows(
    ("words", "message"),
    [
        (["check-adapter", "nothing"], "there is no kind 'nothing'"),
        (["check-adapter", "reference", "gate"], "Only one target is allowed: remove 'gate'"),
        (["targets", "new-mapping", "agno"], "'agno' is not an MCP server"),
        (["fuzz", "reference", "more"], "Only one target is allowed: remove 'more'"),
        (["diff", "2.1.7", "agno"], "'agno' cannot be compared. Did you mean target:agno?"),
        (
            ["diff", "2.1.7", "server.mjs"],
            "'server.mjs' cannot be compared. Did you mean 'mcp:node server.mjs'?",
        ),
        (["diff", "2.1.7", "notes.txt"], "notes.txt:1:"),
    ],
)
def test_an_error_about_an_unrecognizable_word_suggests_no_command(
    readfirst: Cli, words: list[str], message: str
) -> None:
    ran = readfirst(*words)
    assert (ran.code, message in ran.err) == (3 if "notes.txt" in words else 2, True), ran.err


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("gate", "no scenario has the id 'gate'. Write --family gate."),
        ("2.1.40", "no scenario has the id '2.1.40'. Write --contract 2.1.40."),
        ("gate/not-raed", "Did you mean gate/not-read?"),
    ],
)
def test_if_an_id_is_a_family_or_a_tag_the_error_suggests_the_option_for_it(
    readfirst: Cli, mixed: Suite, word: str, message: str
) -> None:
    with pytest.raises(SelectionError) as raised:
        select(mixed, Selection(ids=(word,)))
    assert message in str(raised.value)
    for command in (["run", "reference", word], ["list", word], ["show", word]):
        ran = readfirst(*command, "--fixtures", mixed.root)
        assert (ran.code, message in ran.err) == (2, True)


@rows(
    ("words", "meant"),
    [
        (["check", "target:mine.yaml"], "Did you mean 'check-adapter'?"),
        (["target"], "Did you mean 'targets'?"),
        (["rnu"], "Did you mean 'run'?"),
        (["nothing"], "No such command 'nothing'."),
        (["run", "--levl", "text"], "--level"),
        (["show"], "ID"),
    ],
)
def test_for_a_misspelt_command_or_option_similar_ones_are_suggested(
    readfirst: Cli, words: list[str], meant: str
) -> None:
    ran = readfirst(*words)
    assert (ran.code, meant in ran.err) == (2, True), ran.err


def test_a_suggested_command_line_is_printed_and_works(readfirst: Cli, mixed: Suite) -> None:
    ran = readfirst("run", "gate", "--fixtures", mixed.root)
    assert (ran.code, ran.out) == (2, "")
    found = re.fullmatch(r"readfirst: 'gate' is not a target\. Did you mean: readfirst (.*)\n", ran.err)
    assert found is not None
    assert readfirst(*shlex.split(found[1]), "--fixtures", mixed.root).code == 0


def test_for_a_misspelt_tag_a_tag_of_the_suite_is_suggested(mixed: Suite) -> None:
    (mixed.root / "tags.yaml").write_text(
        "tags:\n  gate: What must be read first.\n  lines: Numbered lines.\n"
    )
    assert suggest_command(["lines"], Suite(mixed.root)) == "readfirst run --tag lines"


@rows(
    ("words", "message"),
    [
        (["run", "--level", "exact"], "effects"),
        (["run", "--format", "x"], "--format"),
        (["run", "--requirement", "may"], "must"),
        (["run", "--isolation", "x"], "--isolation"),
        (["report", "--format", "x", "a.jsonl"], "--format"),
        (["diff", "a", "b", "--format", "x"], "--format"),
        (["run", "-j", "none"], "-j"),
        (["run", "-j", "0"], "-j"),
        (["run", "--time-limit", "soon"], "--time-limit"),
    ],
)
def test_an_invalid_value_is_reported_together_with_its_option(
    readfirst: Cli, words: list[str], message: str
) -> None:
    ran = readfirst(*words)
    assert (ran.code, message in ran.err) == (2, True)
    assert "Invalid value for '-" in ran.err
    assert "Value error" not in ran.err
    assert "ValueError" not in ran.err

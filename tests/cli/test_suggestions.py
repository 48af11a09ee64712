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
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a current directory with a server in each of several languages, and with programs."""
    adapter = "import json\nclass Session:\n    pass\nclass Tools:\n    def open(self, workspace): ...\n"
    for name, text in {
        **dict.fromkeys(("server.mjs", "server.py", "notes.txt"), ""),
        **dict.fromkeys(("my-tools", "bin/node"), "#!/bin/sh\n"),
        "adapter.py": adapter,
        "wrong.py": "class Tools:\n    def open(self:\n",
    }.items():
        file = tmp_path / "my project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755 if text.startswith("#!") else 0o644)
    monkeypatch.chdir(tmp_path / "my project")
    monkeypatch.setenv("PATH", f"{tmp_path / 'my project/bin'}:/usr/bin:/bin")


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
def test_for_words_that_are_no_target_a_command_is_suggested(mixed: Suite, words: str, meant: str) -> None:
    hinted = suggest_command(shlex.split(words), mixed)
    assert hinted == f"readfirst run {meant}"
    again = suggest_command(shlex.split(hinted)[2:], mixed) if not meant.startswith("--") else ""
    assert again == "", "what is suggested must itself be a target"


@rows(
    "words",
    [
        *("reference", "reference gate", "mcp:nothing", "python:nothing:here", "target:agno"),
        *("gate/not-read", "gate/not-read.yaml", "fixtures/scenarios/gate/not-read.yaml"),
        *("notes.txt", "./missing.py:Tools", "nothing-like-that"),
    ],
)
def test_no_command_line_is_suggested_for_a_target_or_for_unknown_words(mixed: Suite, words: str) -> None:
    assert suggest_command(words.split(), mixed) == ""


@rows(
    ("command", "words", "meant"),
    [
        ("check-adapter", "node server.mjs", "'mcp:node server.mjs'"),
        ("check-adapter", "mytools:Tools", "python:mytools:Tools"),
        ("fuzz", "node server.mjs", "'mcp:node server.mjs'"),
        ("fuzz reference --against", "agno@3.1.10", "target:agno@3.1.10"),
        ("targets new-mapping", "./server.mjs", "'mcp:node ./server.mjs'"),
    ],
)
def test_every_command_suggests_the_meant_target(
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
        (["diff", "2.1.7", "server.mjs"], "cannot be compared. Did you mean 'mcp:node server.mjs'?"),
        (["diff", "2.1.7", "notes.txt"], "notes.txt:1:"),
        (["check", "target:mine.yaml"], "Did you mean 'check-adapter'?"),
        (["target"], "Did you mean 'targets'?"),
        (["rnu"], "Did you mean 'run'?"),
        (["nothing"], "No such command 'nothing'."),
        (["run", "--levl", "text"], "--level"),
        (["show"], "ID"),
        (["run", "--level", "exact"], "effects"),
        (["run", "--requirement", "may"], "must"),
    ],
)
def test_an_error_about_a_word_names_what_is_meant(readfirst: Cli, words: list[str], message: str) -> None:
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
def test_for_a_family_as_id_its_option_is_suggested(
    readfirst: Cli, mixed: Suite, word: str, message: str
) -> None:
    with pytest.raises(SelectionError) as raised:
        select(mixed, Selection(ids=(word,)))
    assert message in str(raised.value)
    for command in (["run", "reference", word], ["list", word], ["show", word]):
        ran = readfirst(*command, "--fixtures", mixed.root)
        assert (ran.code, message in ran.err) == (2, True)


def test_a_suggested_command_line_is_printed_and_works(readfirst: Cli, mixed: Suite) -> None:
    ran = readfirst("run", "gate", "--fixtures", mixed.root)
    assert (ran.code, ran.out) == (2, "")
    found = re.fullmatch(r"readfirst: 'gate' is not a target\. Did you mean: readfirst (.*)\n", ran.err)
    assert found is not None
    assert readfirst(*shlex.split(found[1]), "--fixtures", mixed.root).code == 0
    (mixed.root / "tags.yaml").write_text("tags:\n  lines: Numbered lines.\n")
    assert suggest_command(["lines"], Suite(mixed.root)) == "readfirst run --tag lines"


@rows(
    "words",
    [
        *("run --level exact", "run --format x", "run --requirement may", "run --isolation x"),
        *("report --format x a.jsonl", "diff a b --format x"),
        *("run -j none", "run -j 0", "run --time-limit soon"),
    ],
)
def test_an_invalid_value_is_reported_together_with_its_option(readfirst: Cli, words: str) -> None:
    ran = readfirst(*words.split())
    (option,) = re.findall(r"-\S+", words)
    assert (ran.code, option in ran.err) == (2, True)
    assert "Invalid value for '-" in ran.err
    assert not re.search("Value ?[Ee]rror", ran.err)

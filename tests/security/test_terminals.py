import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness import terminal
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.report import output
from readfirst.harness.terminal import as_text, console, harmless_json, one_line
from tests.command_line import Terminal, exit_code
from tests.rows import rows

from .stranger import project

HARNESS = Path(terminal.__file__).parent
HOSTILE = (
    "x\x1b]0;owned\x07\x1b[31mred\x1b[2J\x9b31m\x08\x7f\r::error::one\n::add-mask::two\n  ::stop-commands::x"
    "\u2028::error::y"
    "\n##[error]three\n##vso[task.setvariable]x\n##teamcity[x]\v::warning::z\tcolumn\u202egnp."
    "\u2066\u200b\ufeff\U000e0041"
    "[red]r[/red][link=http://seen.invalid]l[/link]:boom:\u3000::debug::w\x85::group::v"
)
CONTROL_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
    "|[\U000e0000-\U000e0fff]"
)
CI_COMMANDS = re.compile(r"^\s*::|##(?:\[|vso\[|teamcity\[)", re.MULTILINE)
PRINTING_MODULES = {"terminal.py", "cli/main.py", "cli/process_setup.py", "processes/supervisor.py"}
"""Modules that may use the streams directly: they print, open the streams, or are separate programs."""


def complaints(text: str) -> list[str]:
    """Return the parts of a text that a terminal or a CI log would execute."""
    return [found[0] for pattern in (CONTROL_CHARACTERS, CI_COMMANDS) for found in pattern.finditer(text)]


def test_the_check_of_these_tests_detects_terminal_sequences_and_ci_commands() -> None:
    assert len(complaints(HOSTILE)) > 15
    assert complaints("plain\ttext\nand more: a::b #[x]") == []


def test_a_hostile_text_becomes_one_harmless_line() -> None:
    shown = one_line(HOSTILE)
    assert complaints(shown) == []
    assert "\n" not in shown
    assert "\t" not in shown
    assert one_line(shown) == shown
    assert one_line("häß → ✓ a::b") == "häß → ✓ a::b"
    assert complaints(as_text(HOSTILE)) == []
    assert as_text("a\n\tb") == "a\n\tb"


@rows("size", [1, 2, 3, 5, 7])
def test_what_is_written_in_pieces_is_no_command_either(
    size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A CI command that is written in several pieces is escaped, too."""
    with terminal.guarded_streams():
        for start in range(0, len(HOSTILE), size):
            sys.stdout.write(HOSTILE[start : start + size])
        sys.stdout.write("\n" + " " * 40)
        sys.stdout.write("::error::x\n" + "y" * 40 + " ::z")
    assert complaints(capsys.readouterr().out) == []


def test_every_print_function_prints_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say(HOSTILE)
    terminal.say_lines([HOSTILE, HOSTILE])
    terminal.say_rows([("a", HOSTILE)])
    terminal.say_table(["a", "b"], [("a", HOSTILE)])
    shown = capsys.readouterr().out
    assert complaints(shown) == []
    assert shown.count("\n") == 5
    console().print(HOSTILE)
    assert complaints(capsys.readouterr().out) == []


def test_on_a_terminal_only_the_program_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, only readfirst itself can set colours; colours in a hostile text are escaped."""
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = Terminal()
    shown = console(stream=terminal, width=200)
    shown.print(HOSTILE, style="bold")
    text = terminal.getvalue()
    assert text.startswith("\x1b[1m")
    assert complaints(re.sub(r"\x1b\[[0-9;]*m", "", text)) == []
    assert "31m" in text  # as text
    assert "\x1b[31m" not in text
    assert "\x1b]8" not in text


def test_in_a_log_colours_of_a_library_pass_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a log, the colours of a library are kept, and all other control sequences are escaped."""
    from rich.console import Console

    monkeypatch.setenv("FORCE_COLOR", "1")
    with terminal.guarded_streams():
        Console(markup=False).print(HOSTILE, style="bold")
    text = capsys.readouterr().out
    assert "\x1b[1m" in text
    assert complaints(re.sub(r"\x1b\[[0-9;]*m", "", text)) == []


def test_json_in_a_log_is_json_and_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON in a log stays valid JSON and contains no CI command."""
    with terminal.guarded_streams():
        print(harmless_json({HOSTILE: [HOSTILE]}, indent=1))
    shown = capsys.readouterr().out
    assert complaints(shown) == []
    assert json.loads(shown) == {HOSTILE: [HOSTILE]}


class _StrangeError(ReadfirstError):
    pass


@pytest.mark.parametrize(
    "error", [_StrangeError(HOSTILE, details=HOSTILE), ValueError(HOSTILE), OSError(28, HOSTILE, HOSTILE)]
)
@pytest.mark.parametrize("options", [[], ["--traceback"]])
def test_an_error_prints_text(
    error: Exception, options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The hostile message of an error is printed as plain text."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("readfirst.harness.cli.scenarios.open_suite", fail)
    exit_code(*options, "list")
    shown = capsys.readouterr().err
    assert "owned" in shown
    assert complaints(shown) == []


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = project(tmp_path_factory.mktemp("theirs"), HOSTILE).suite.root
    for name in (
        HOSTILE.replace("/", "|")[:60],
        *("::error::x", "##[error]y", "\x1b[31m", "a\nb", "[red]", "\udcff"),
    ):
        folder = root / "scenarios" / name
        folder.mkdir()
        (folder / f"{name}.yaml").write_text(f"{json.dumps(HOSTILE)}: {json.dumps(HOSTILE)}\n", "utf-8")
        (folder / name).write_text("x")
    return root


@rows(
    "words",
    [
        *("list", "rules", "rules first", "lint", "lint gate/one", "show gate/one", "contracts", "run"),
        "run reference gate/one --trace",
        *(f"run reference gate/one --format {name}" for name in ("jsonl", "junit", "markdown")),
        *("export", "targets compatibility", "diff documented 2.1.7", f"show {HOSTILE}"),
        *(f"run {HOSTILE}", f"list --tag {HOSTILE}", "product claims"),
    ],
)
def test_a_command_prints_text(words: str, theirs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Every command prints the hostile texts of a suite as plain text."""
    exit_code(*words.split(" ", 2), "--fixtures", theirs)
    out, err = capfd.readouterr()
    assert complaints(out) + complaints(err) == []
    assert out + err
    assert "Traceback" not in err


def test_a_report_that_goes_to_a_stream_is_text() -> None:
    """A report that is written to a stream contains hostile texts as plain text."""
    reads, writes = os.pipe()
    with output(Path(f"/dev/fd/{writes}")) as report:
        report.write(HOSTILE)
    os.close(writes)
    with os.fdopen(reads, encoding="utf-8") as stream:
        text = stream.read()
    assert complaints(text) == []
    assert "owned" in text


def test_a_list_has_a_line_for_each_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`list` prints one line for each scenario, even if titles contain line breaks."""
    root = project(tmp_path, HOSTILE).suite.root
    exit_code("list", "--fixtures", root)
    lines = capsys.readouterr().out.splitlines()
    assert [line.count("\t") for line in lines] == [2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("options", [["-v", "-rA"], ["--collect-only"], ["--collect-only", "-q"]])
def test_pytest_prints_text(options: list[str], theirs: Path, tmp_path: Path) -> None:
    """pytest prints the hostile texts of a suite as plain text."""
    words = [sys.executable, "-m", "pytest", *options, "-p", "no:cacheprovider", "-n", "0"]
    command = [*words, str(theirs / "scenarios")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    shown = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    assert "one.yaml" in shown
    assert complaints(shown) == []


PRINTERS = {
    *("sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"),
    *("typer.echo", "typer.secho", "click.echo", "click.secho", "rich.print"),
}
PRINTER_NAMES = re.compile(
    rf"\b({'|'.join({'print', 'Console', *(each.rpartition('.')[2] for each in PRINTERS)})})\b"
)
"""A module without a match need not be parsed, which takes long."""


def iter_printers(source: str) -> Iterator[str]:
    """Yield the functions and streams that a module uses to print, except those of `harness/terminal.py`."""
    if not PRINTER_NAMES.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="print" | "Console" as name)):
                yield name
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                if f"{module}.{name}" in PRINTERS:
                    yield name
            case ast.ImportFrom(module=str(module), names=names):
                yield from (each.name for each in names if f"{module}.{each.name}" in PRINTERS)
            case _:
                pass


def test_no_module_prints_by_itself() -> None:
    """No module prints without using `harness/terminal.py`."""
    files = {file.relative_to(HARNESS).as_posix(): file for file in HARNESS.rglob("*.py")}
    for name in files.keys() - PRINTING_MODULES:
        assert list(iter_printers(files[name].read_text("utf-8"))) == [], name


@rows(
    "source",
    [
        *("print('x')", "sys.stdout.write('x')", "from sys import stderr", "typer.echo('x')"),
        *("from rich import print", "rich = Console()"),
    ],
)
def test_a_module_that_prints_is_detected(source: str) -> None:
    assert list(iter_printers(source))

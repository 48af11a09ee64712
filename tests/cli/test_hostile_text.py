"""Hostile texts (`PAYLOADS`) in any field (`FIELDS`) stay plain text in every output format (`FORMATS`)."""

import io
import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import pytest
import typer.main
from markdown_it import MarkdownIt
from rich.console import Console

from readfirst.harness.cli import main as cli
from readfirst.harness.report.contents import ContentReader
from readfirst.harness.report.escape import visible_command
from readfirst.harness.report.failure import brief, failure_text
from readfirst.harness.report.jsonl import JsonlReport
from readfirst.harness.report.scenario_text import scenario_lines
from readfirst.harness.report.table import TableReport, print_runs
from readfirst.harness.suite.contracts import Contract
from tests.command_line import COMMANDS
from tests.parsed import ParsedPage
from tests.verdicts import write_report_of

from .hostile_world import PLAIN, World

pytestmark = pytest.mark.slow
PAYLOADS = {
    "terminal": "\x1b]0;owned\x07\x1b[31mred\x1b[2J\x9b31m\r\x08overwritten",
    "rich markup": "[red]red[/red] [/] [link=https://evil.example]x[/link] :boom:",
    "html": "</script></td><img src=x onerror=alert(1)><!--<script>alert(1)</script>&amp;\"'",
    "markdown": "```\n# big\n|a|b|\n[x](javascript:alert(1)) ![i](http://evil.example) **b** <b>b</b>\n~~~\n</details>",
    "xml": "]]></failure>\x00\x01\x0b\ufffe\uffff\ud800<!DOCTYPE x>&nbsp;",
    "ci at the start": "::error file=x::owned",
    "ci on a line": "a\n::stop-commands::owned\n  ::add-mask::owned\n##vso[task.setvariable]owned\n##[error]owned",
    "ci within a line": "a ##[group]owned ##vso[build.addbuildtag]owned ##teamcity[message text='x']",
    "templates": "{{ 7 * 7 }} {% raw %} ${{ secrets.TOKEN }} ${HOME} $(id) #{7*7} %(name)s {0} {facts}",
    "right to left": "\u202etxt.exe\u2066\u2069\u200f\u061c\u200b\ufeff",
    "line ends": "a\u2028b\u2029c\x85d\x0ce\rf",
}
LONG = {"many that need escapes": "\x1b" * 200_000, "many lines": " \n" * 50_000}
LONGEST_NAME, LONGEST_PATH = 255, 4096
LIMITED = {
    **dict.fromkeys(("name", "contract", "version", "scenario_id"), LONGEST_NAME),
    **dict.fromkeys(
        ("target", "fixtures", "given_name", "event_path", "expected_file", "file_beside"), LONGEST_PATH
    ),
}
ROOM = 70_000
COMMANDS_SHOWN = 12
"""Commands in one report that contain the target or the suite. They are never truncated: users copy them."""


@dataclass(frozen=True)
class Format:
    """One output format of a command.

    `write` returns the output for a `World`. `read` returns the structure of an output, such as the tags of a page. The
    structure must not depend on the texts. `lines`: the output is for terminals and CI logs, so no line may be a CI
    command and no control character may remain. `unabridged`: the output is data for programs, so texts are never
    truncated.
    """

    write: Callable[[World], str]
    read: Callable[[str], object] = lambda _: None
    lines: bool = True
    unabridged: bool = False


def write_json_lines(world: World) -> str:
    make = partial(JsonlReport, facts=world.facts(), version=world.version)
    return write_report_of(make, world.make_verdicts())


def console(stream: io.StringIO, *, terminal: bool = False) -> Console:
    colors = "truecolor" if terminal else None
    return Console(file=stream, width=110, emoji=False, force_terminal=terminal, color_system=colors)


def write_table(world: World, *, terminal: bool = False) -> str:
    def make(stream: io.StringIO) -> TableReport:
        return TableReport(console(stream, terminal=terminal), world.facts(), most_failures=None)

    return write_report_of(make, world.make_verdicts())


def side_by_side(world: World) -> str:
    stream = io.StringIO()
    print_runs(console(stream), world.results(), world.sources(), None)
    return stream.getvalue()


def write_page(page: Any, world: World) -> str:
    return world.sources().write(page, world.results())


def write_scenario(world: World) -> str:
    return "\n".join(scenario_lines(world.scenario("family/x"), Contract("2.1.7"))) + "\n"


def write_failures(world: World) -> str:
    texts = []
    for verdict, _ in world.make_verdicts()[:2]:
        texts += [failure_text(verdict, world.scenario("x"), world.commands("2.1.7")), brief(verdict)]
    return "\n".join(texts) + "\n"


def json_shape(value: object) -> object:
    if isinstance(value, dict | list):
        return [json_shape(each) for each in (value.values() if isinstance(value, dict) else value)]
    return type(value).__name__


def xml_shape(text: str) -> object:
    return [(each.tag, sorted(each.attrib)) for each in ElementTree.fromstring(text.encode()).iter()]


def html_shape(text: str) -> object:
    """Return the tags, attribute names and program of a page. Its data must be valid JSON."""
    page = ParsedPage(text)
    tags = [(name, sorted(attributes)) for name, attributes in page.elements]
    return tags, re.findall(r"</\w+|<!", text), page.scripts


def markdown_shape(text: str) -> object:
    """Return the blocks and kinds of markup of a Markdown page. A hostile text that acted as markup would add some."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [
        (token.type, token.content if token.type == "html_block" and PLAIN not in token.content else "")
        if not token.children
        else sorted({child.type for child in token.children} - {"softbreak"})
        for token in tokens
        if token.type != "html_block"
    ]


def json_lines(text: str) -> object:
    """Return the structure of each JSON line, after long texts on separate lines are inserted."""
    contents, shapes = ContentReader(), []
    for line in map(json.loads, text.splitlines()):
        if line.get("type") == "content":
            assert contents.add(line) == ""
            continue
        for difference in line.get("differences", ()):
            sides = {"expected", "got"} & {*difference}
            difference.update({side: contents.text(difference[side]) for side in sides})
        shapes.append(json_shape(line))
    return shapes


MARKDOWN = Format(partial(write_page, "markdown"), markdown_shape)
HTML = Format(partial(write_page, "html"), html_shape)
JUNIT = Format(partial(write_page, "junit"), xml_shape)
BADGE = Format(partial(write_page, "badge"), lambda text: json_shape(json.loads(text)))
FORMATS = {
    "run table": Format(write_table),
    "run table on a terminal": Format(partial(write_table, terminal=True)),
    "run jsonl": Format(write_json_lines, json_lines, unabridged=True),
    "run junit": JUNIT,
    "run markdown": MARKDOWN,
    "run html": HTML,
    "run badge": BADGE,
    "report table": Format(side_by_side),
    "report markdown": MARKDOWN,
    "report junit": JUNIT,
    "report html": HTML,
    "report badge": BADGE,
    "show": Format(write_scenario),
    "pytest": Format(write_failures),
}
"""The output formats by command and value of `--format`. The summary of a GitHub step is the Markdown of `report`."""

DIFFERENT = list({form: name for name, form in reversed(FORMATS.items())}.values())
"""One name of each distinct format, because `run` and `report` share formats."""

STREAMED = {f"{command} {name}" for command in ("diff", "diagnose") for name in ("text", "markdown", "json")}
"""Formats of the commands that read JSON Lines. The tests are in test_hostile_streams.py."""

REVIEWED = {
    *("compatibility markdown", "compatibility html", "compatibility json"),
    *("behaviours text", "behaviours json"),
    *("targets text", "targets json"),
}
"""Formats whose texts all come from reviewed files: recordings, rules, behaviours, names of contracts and targets."""

FIELDS = [each.name for each in fields(World)]


@pytest.mark.parametrize("name", DIFFERENT)
def test_hostile_texts_in_all_fields_are_printed_as_plain_text(name: str) -> None:
    form = FORMATS[name]
    usual = form.write(World())
    for payload, text in PAYLOADS.items():
        made = form.write(World(**dict.fromkeys(FIELDS, text)))
        assert complaints(made, form, usual) == [], payload


@pytest.mark.parametrize("name", DIFFERENT)
def test_text_stays_text_in_each_field_alone(name: str) -> None:
    form = FORMATS[name]
    usual = form.write(World())
    for payload, text in PAYLOADS.items():
        for each in FIELDS:
            made = form.write(replace(World(), **{each: text}))
            assert complaints(made, form, usual) == [], (payload, each)


@pytest.mark.parametrize("payload", LONG)
@pytest.mark.parametrize("name", DIFFERENT)
def test_a_long_text_is_truncated_except_in_formats_for_programs(name: str, payload: str) -> None:
    form = FORMATS[name]
    usual = form.write(World())
    for each in FIELDS:
        text = LONG[payload][: LIMITED.get(each)]
        room = ROOM + (COMMANDS_SHOWN * len(visible_command([text])) if each in ("target", "fixtures") else 0)
        made = form.write(replace(World(), **{each: text}))
        assert complaints(made, form, usual, room) == [], each


@pytest.mark.parametrize(
    ("name", "made", "complaint"),
    [
        ("run table", "\x1b[31mred", "'\\x1b' in '\\x1b[31mred'"),
        ("run table", "  ::error::owned", "a command: '  ::error::owned'"),
        ("run table", "a ##[error]owned", "a command: 'a ##[error]owned'"),
        ("run table", "x" * 80_000, "80,000 characters"),
        ("run badge", "[]", "another shape"),
        ("run html", "<img><script></script>", "another shape"),
        ("run markdown", "**b**", "another shape"),
        ("run junit", "<a/>", "another shape"),
        ("run jsonl", "{}", "another shape"),
    ],
)
def test_the_check_of_these_tests_detects_markup_and_commands(name: str, made: str, complaint: str) -> None:
    assert complaint in complaints(made, FORMATS[name], FORMATS[name].write(World()))


def test_a_printed_command_with_escaped_arguments_works_in_a_shell() -> None:
    words = [
        "plain",
        "two words",
        "it's",
        "::error::x",
        "##[error]x",
        "\x1b[31m\n\\",
        "\u202e\x9bä",
        "\udcff",
    ]
    words.append("a\U0001f600\x01")
    command = visible_command(["printf", "%s\\0", *words])
    assert complaints(command, FORMATS["run table"], FORMATS["run table"].write(World())) == []
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert done.stdout == b"".join(word.encode("utf-8", "surrogateescape") + b"\0" for word in words)


_ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""Control and invisible characters, which could change how the text around them is displayed."""
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
"""Matches the colour sequences that `rich` writes to a terminal. Those in a hostile text are escaped."""
_COMMAND = re.compile(r"^\s*::|##(?:\[|vso\[|teamcity\[)", re.MULTILINE)


def complaints(made: str, form: Format, usual: str, room: int = ROOM) -> list[str]:
    """Return the errors in an output with hostile texts, which may be `room` characters longer than the `usual` one."""
    plain = _STYLE.sub("", made) if form is FORMATS["run table on a terminal"] else made
    found = []
    for pattern, what in ((_ACTS, "{!r} in {!r}"), (_COMMAND, "a command: {1!r}")):
        if acts := pattern.search(plain):
            found.append(what.format(acts[0], plain[max(0, acts.start() - 40) : acts.end() + 40]))
    if not form.unabridged and len(made) > len(usual) + room:
        found.append(f"{len(made):,} characters")
    if form.read(made) != form.read(usual):
        found.append("another shape")
    return found


def test_the_tested_formats_include_every_format_of_every_command() -> None:
    listed = {*FORMATS, *STREAMED, *REVIEWED}
    assert {f"{command} {value}" for command, value in formats()} <= listed


def formats() -> Iterator[tuple[str, str]]:
    for name in (called for called in sorted(COMMANDS) if " " not in called):
        for option in typer.main.get_command(cli._build_app([name])).commands[name].params:
            if "--format" in option.opts:
                yield from ((name, str(value)) for value in option.type.choices)

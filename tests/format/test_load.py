"""One scenario file becomes one frozen value; everything that is wrong with it is told at once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from harness.contracts import Contract, Contracts
from harness.entry import (
    OLD_TIME,
    Base64Content,
    Directory,
    FileDigest,
    HardLink,
    RegularFile,
    Symlink,
    TextContent,
)
from harness.load import ScenarioError, load_scenario, scenario_from
from harness.scenario import (
    Clause,
    ParallelCalls,
    Position,
    Scenario,
    TextDigest,
    ToolCall,
    When,
    WorldEvent,
)
from harness.strict_yaml import StrictYamlError, load
from harness.suite import Suite

FILE = Path("family/slug.yaml")
CONTRACTS = Contracts(
    "2.1.7",
    (
        Contract("documented"),
        Contract("2.1.7", version="2.1.7", read_gate="enforced", tools=("Read", "Edit", "Write")),
        Contract("2.1.328", version="2.1.328", read_gate="relaxed", tools=("Read", "Edit", "Write")),
    ),
)
HEAD = "title: A title\nrequirement: must\n"


def scenario(text: str, *, require_expect: bool = True) -> Scenario:
    return scenario_from(load((HEAD + text).encode(), FILE), "family/slug", CONTRACTS, require_expect)


def problems(text: str, *, require_expect: bool = True) -> list[tuple[str, int]]:
    with pytest.raises(ScenarioError) as caught:
        scenario(text, require_expect=require_expect)
    return [(finding.rule, finding.position.line) for finding in caught.value.findings]


def given(content: str) -> object:
    return scenario(f"given: {{files: {{a: {content}, b: x}}}}\nsteps: [delete: a]\n").given.files["a"]


@pytest.mark.parametrize(
    ("content", "entry"),
    [
        ('"x\\r\\n"', RegularFile(TextContent("x\r\n"))),
        ("{text: x}", RegularFile(TextContent("x"))),
        (
            '{text: "ä\\n", encoding: latin-1, eol: crlf}',
            RegularFile(TextContent("ä\n", None, "latin-1", False, "crlf")),
        ),
        ("{repeat: 'l{n}', times: 3, bom: true}", RegularFile(TextContent("l{n}", 3, "utf-8", True))),
        ("{base64: /w==}", RegularFile(Base64Content("/w=="))),
        ('{base64: "", mode: "0600"}', RegularFile(Base64Content(""), 0o600)),
        ("{text: x, mtime: +2s}", RegularFile(TextContent("x"), None, OLD_TIME + 2)),
        ("{text: x, mtime: -10s}", RegularFile(TextContent("x"), None, OLD_TIME - 10)),
        ("{symlink: $WS/b}", Symlink("$WS/b")),
        ("{hardlink: b}", HardLink("b")),
        ('{directory: true, mode: "0555"}', Directory(0o555)),
    ],
)
def test_given_content(content: str, entry: object) -> None:
    assert given(content) == entry


def test_content_has_the_bytes_it_says() -> None:
    def data(content: str) -> bytes:
        entry = given(content)
        assert isinstance(entry, RegularFile)
        return entry.data

    assert data("{repeat: 'l{n}\n', times: 3, eol: cr}") == b"l1 l2 l3 "
    assert data('{repeat: "l{n}\\n", times: 3, eol: cr}') == b"l1\rl2\rl3\r"
    assert data("{text: ä, encoding: utf-16-le, bom: true}") == b"\xff\xfe\xe4\x00"
    assert data("{text: ä, encoding: latin-1}") == b"\xe4"
    assert data("{base64: /wA=}") == b"\xff\x00"


def event(text: str) -> tuple[WorldEvent, ...]:
    steps = scenario(f"given: {{files: {{a: x, b: x}}}}\nsteps:\n  - {text}\n").steps
    assert all(isinstance(step, WorldEvent) for step in steps)
    return tuple(
        WorldEvent(step.kind, step.path, step.entry, step.to, step.mode, step.mtime)
        for step in steps
        if isinstance(step, WorldEvent)
    )


X = RegularFile(TextContent("x"))


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("modify: {a: x}", (WorldEvent("modify", "a", X, mtime=2),)),
        ("modify: {a: {text: x, mtime: -10s}}", (WorldEvent("modify", "a", X, mtime=-10),)),
        ("modify: {a: {text: x, mtime: same}}", (WorldEvent("modify", "a", X, mtime=None),)),
        (
            "modify: {b: x, a: x}",
            (WorldEvent("modify", "b", X, mtime=2), WorldEvent("modify", "a", X, mtime=2)),
        ),
        ("touch: a", (WorldEvent("touch", "a", mtime=2),)),
        ("touch: {a: {mtime: -3s}}", (WorldEvent("touch", "a", mtime=-3),)),
        ("delete: a", (WorldEvent("delete", "a"),)),
        ("rename: {a: c, b: a}", (WorldEvent("rename", "a", to="c"), WorldEvent("rename", "b", to="a"))),
        ('chmod: {a: "0444"}', (WorldEvent("chmod", "a", mode=0o444),)),
        ("symlink: {c: b}", (WorldEvent("symlink", "c", Symlink("b")),)),
        ("mkdir: d/e", (WorldEvent("mkdir", "d/e", Directory()),)),
    ],
)
def test_world_events(text: str, events: tuple[WorldEvent, ...]) -> None:
    assert event(text) == events


def test_a_call_keeps_its_arguments_as_they_are() -> None:
    (step,) = scenario(
        "steps:\n  - Edit: {file_path: $WS/a, old_string: no, replace_all: true, n: 1.5, x: [null]}\n"
        "    during: [{delete: a}, {modify: {a: x, b: x}}]\n    expect: {text: done}\n"
    ).steps
    assert isinstance(step, ToolCall)
    assert step.tool == "Edit"
    assert step.arguments == {
        "file_path": "$WS/a",
        "old_string": "no",
        "replace_all": True,
        "n": 1.5,
        "x": [None],
    }
    assert [(item.kind, item.path) for item in step.during] == [
        ("delete", "a"),
        ("modify", "a"),
        ("modify", "b"),
    ]
    assert step.position == Position(FILE, 4, 5)
    assert step.expect == (Clause(text="done", position=Position(FILE, 6, 13)),)


def expectation(text: str) -> tuple[Clause, ...]:
    (step,) = scenario(f"steps:\n  - Read: {{file_path: a}}\n    expect: {text}\n").steps
    assert isinstance(step, ToolCall)
    return tuple(
        Clause(c.when, c.documented, c.error, c.text, c.files, None, c.recorded) for c in step.expect
    )


def test_clauses_of_one_call() -> None:
    assert expectation(
        "[{documented: 'a.txt, B', text: stated}, {when: {claude_code: <2.1.208}, error: not_read, text: old},"
        " {when: {claude_code: '>=2.1.208', read_gate: relaxed}, text: {lines: 3, starts: a}, files: {a: null}}]"
    ) == (
        Clause(documented="a.txt, B", text="stated", recorded=False),
        Clause(When(SpecifierSet("<2.1.208")), error="not_read", text="old"),
        Clause(
            When(SpecifierSet(">=2.1.208"), "relaxed"),
            text=TextDigest(lines=3, starts="a"),
            files={"a": None},
        ),
    )


def test_a_documented_clause_is_recorded_too_where_it_stands_alone_or_has_when() -> None:
    assert expectation("{documented: 'a.txt, B', text: x}")[0].recorded
    assert expectation("[{documented: 'a.txt, B', text: x}]")[0].recorded
    both = expectation(
        "[{documented: 'a.txt, B', when: {claude_code: <3}, text: x}, {when: {claude_code: '>=3'}}]"
    )
    assert [clause.recorded for clause in both] == [True, True]


def test_expected_files() -> None:
    (clause,) = expectation(
        "{text: x, files: {a: x, b: {symlink: c}, c: {directory: true}, d: null,"
        f" e: {{sha256: {'0' * 64}, size: 5000, mode: '0755'}}, f: {{repeat: x, times: 2, mode: '0600'}}}}}}"
    )
    assert clause.files == {
        "a": X,
        "b": Symlink("c"),
        "c": Directory(),
        "d": None,
        "e": FileDigest("0" * 64, 5000, 0o755),
        "f": RegularFile(TextContent("x", 2), 0o600),
    }


def test_a_group_has_its_files_and_its_calls_have_their_texts() -> None:
    (group,) = scenario(
        "steps:\n  - parallel:\n      - Write: {file_path: a, content: x}\n        expect: {text: made}\n"
        "      - Read: {file_path: a}\n        expect: {error: file_not_found, text: gone}\n"
        "    expect: {files: {a: x}}\n"
    ).steps
    assert isinstance(group, ParallelCalls)
    assert [call.tool for call in group.calls] == ["Write", "Read"]
    assert [call.expect[0].error for call in group.calls] == [None, "file_not_found"]
    assert group.expect[0].files == {"a": X}
    assert group.position == Position(FILE, 4, 5)


def test_every_problem_is_told_at_once_and_in_order() -> None:
    assert problems(
        "tags: read\n"
        "given: {files: {../a: x, b: {text: x, mode: 7}}}\n"
        "steps:\n"
        "  - Reed: {}\n"
        "  - modify: {/etc: {base64: '!'}}\n"
        "  - Read: {}\n"
        "    expect: {text: 7, eror: x}\n"
        "  - Read: {}\n"
    ) == [
        ("schema", 3),
        ("unsafe-path", 4),
        ("schema", 4),
        ("unknown-tool", 6),
        ("unsafe-path", 7),
        ("schema", 7),
        ("schema", 9),
        ("unknown-key", 9),
        ("missing-expect", 10),
    ]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("steps: [{Raed: {}}]", "Did you mean Read?"),
        ("steps: [{modfy: {a: x}}]", "Did you mean modify?"),
        ("stepz: []\nsteps: [{delete: a}]", "Did you mean steps?"),
        ("steps: [{read: {}}]", "Did you mean Read?"),
        ("steps: [{Bash: {}}]", "Use one of: Edit, MultiEdit, NotebookEdit, Read, Write."),
        ("given: {files: {a: {text: x, encoding: utf8}}}\nsteps: [{delete: a}]", "Did you mean utf-8?"),
    ],
)
def test_a_typo_gets_a_suggestion(text: str, advice: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(text)
    assert caught.value.findings[0].fix == advice


def test_without_expectations_a_recorder_can_load_what_nobody_else_can() -> None:
    text = "steps:\n  - Read: {file_path: a}\n  - Read: {file_path: a}\n    expect: {when: {claude_code: '>9'}}\n"
    assert problems(text) == [("missing-expect", 4)]
    assert [call.expect == () for call in scenario(text, require_expect=False).calls()] == [True, False]
    overlapping = "steps:\n  - Read: {}\n    expect: [{text: a}, {text: b}]\n"
    assert problems(overlapping, require_expect=False) == [("when-overlap", 5)]


def test_a_contract_without_the_tool_needs_no_clause() -> None:
    text = "steps:\n  - MultiEdit: {file_path: a}\n    expect: {when: {claude_code: <1.0.127}, text: x}\n"
    assert scenario(text).steps
    assert problems(text.replace("MultiEdit", "Edit")) == [("when-gap", 5)]


def test_too_much_content_is_refused_before_it_is_made() -> None:
    start = time.process_time()
    assert problems("given: {files: {a: {repeat: xxxxxxxx, times: 67108864}}}\nsteps: [{delete: a}]") == [
        ("schema", 3)
    ]
    assert time.process_time() - start < 0.5


def test_many_contents_are_refused_together_where_each_alone_would_pass() -> None:
    half = "{repeat: xxxxxxxx, times: 5000000}"
    assert scenario(f"given: {{files: {{a: {half}}}}}\nsteps: [{{delete: a}}]")
    assert problems(f"given: {{files: {{a: {half}}}}}\nsteps: [{{modify: {{b: {half}}}}}]") == [("schema", 1)]
    during = f"{{Read: {{}}, during: [{{modify: {{b: {half}, c: {half}}}}}], expect: {{text: x}}}}"
    assert problems(f"steps: [{during}]") == [("schema", 1)]


def test_what_stands_in_the_wrong_place_is_told_the_right_one() -> None:
    def fix(group: str) -> str:
        with pytest.raises(ScenarioError) as caught:
            scenario(f"steps:\n  - parallel: [{group}, {{Read: {{}}, expect: {{text: x}}}}]\n")
        return caught.value.findings[0].fix

    assert "in the expect of the group" in fix("{Read: {}, expect: {text: x, files: {a: x}}}")
    assert "a step of its own" in fix("{Read: {}, during: [{delete: a}], expect: {text: x}}")


def test_base64_must_be_canonical() -> None:
    assert problems("given: {files: {a: {base64: YR==}}}\nsteps: [{delete: a}]") == [("schema", 3)]


def test_a_path_part_must_fit_common_systems() -> None:
    assert problems(f"steps: [{{delete: {'a' * 256}}}]") == [("unsafe-path", 3)]


def test_a_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "family" / "slug.yaml"
    path.parent.mkdir()
    path.write_text(HEAD + "steps: [{delete: a}]\n")
    loaded = load_scenario(path, tmp_path, CONTRACTS)
    assert (loaded.id, loaded.family, loaded.path) == ("family/slug", "family", path)
    path.write_text(HEAD + "steps: *a\n")
    with pytest.raises(StrictYamlError, match=r"slug\.yaml:3:8: the alias"):
        load_scenario(path, tmp_path, CONTRACTS)


def test_loading_takes_well_below_a_millisecond() -> None:
    suite = Suite()
    ids = suite.ids()[:200]
    suite.contracts  # noqa: B018 - read once, before the clock starts
    best = min(_seconds(suite, ids) for _ in range(3))
    assert best / len(ids) < 0.001


def _seconds(suite: Suite, ids: list[str]) -> float:
    start = time.process_time()
    for scenario_id in ids:
        suite.scenario(scenario_id, require_expect=False)
    return time.process_time() - start

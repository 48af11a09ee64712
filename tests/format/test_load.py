import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from readfirst.harness.suite.contracts import Contract, Contracts
from readfirst.harness.suite.file_entry import (
    OLD_TIME,
    Base64Content,
    Directory,
    HardLink,
    RegularFile,
    Symlink,
    TextContent,
)
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import CALLS, Clause, Scenario, TextDigest, WorldEvent
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.harness.yaml_io.strict_yaml import load
from tests.rows import rows

FILE = Path("family/slug.yaml")
CONTRACTS = Contracts(
    "2.1.7",
    (
        Contract("documented"),
        Contract("1.0.60", version="1.0.60", read_gate="enforced"),
        Contract("2.1.7", version="2.1.7", read_gate="enforced", tools=("Read", "Edit", "Write")),
        Contract("2.1.328", version="2.1.328", read_gate="relaxed", tools=("Read", "Edit", "Write")),
    ),
)
HEAD = "title: A title\nrequirement: must\n"


def scenario(text: str, *, require_expect: bool = True) -> Scenario:
    """Load a scenario from a text without its first lines."""
    return scenario_from(load((HEAD + text).encode(), FILE), "family/slug", CONTRACTS, require_expect)


def problems(text: str, *, require_expect: bool = True) -> list[tuple[str, int]]:
    with pytest.raises(SuiteError) as caught:
        scenario(text, require_expect=require_expect)
    return [(finding.rule, finding.position.line) for finding in caught.value.findings]


@rows(
    ("content", "entry"),
    [
        ('"x\\r\\n"', RegularFile(TextContent("x\r\n"))),
        (
            "{text: ä, encoding: latin-1, eol: crlf}",
            RegularFile(TextContent("ä", None, "latin-1", eol="crlf")),
        ),
        ("{repeat: 'l{n}', times: 3, bom: true}", RegularFile(TextContent("l{n}", 3, "utf-8", True))),
        ("{base64: /w==}", RegularFile(Base64Content("/w=="))),
        ('{base64: "", mode: "0600"}', RegularFile(Base64Content(""), 0o600)),
        ("{text: x, mtime: -10s}", RegularFile(TextContent("x"), None, OLD_TIME - 10)),
        ("{text: x, mtime: +250ms}", RegularFile(TextContent("x"), None, OLD_TIME + Fraction(1, 4))),
        ("{symlink: $WS/b}", Symlink("$WS/b")),
        ("{hardlink: b}", HardLink("b")),
        ('{directory: true, mode: "0555"}', Directory(0o555)),
    ],
)
def test_every_form_of_content_of_a_file_is_read(content: str, entry: object) -> None:
    text = f"given: {{files: {{a: {content}, b: x}}}}\nsteps: [delete: a]\n"
    assert scenario(text).given.files["a"] == entry


@rows("times", [1, 9, 999, 1000, 1001, 1998, 1999, 2000, 2999, 12_345])
@rows("unit", ["line {n}\n", "{n}", "{n} of {n}\n"])
def test_in_a_repeated_text_each_repetition_contains_its_number(unit: str, times: int) -> None:
    numbered = "".join(unit.replace("{n}", str(number)) for number in range(1, times + 1))
    assert TextContent(unit, times).expanded == numbered


X = RegularFile(TextContent("x"))


@rows(
    ("text", "events"),
    [
        ("modify: {a: {text: x, mtime: -10s}}", (WorldEvent("modify", "a", X, mtime=-10),)),
        ("modify: {a: {text: x, mtime: same}}", (WorldEvent("modify", "a", X, mtime=None),)),
        ("modify: {b: x, a: x}", tuple(WorldEvent("modify", path, X, mtime=2) for path in "ba")),
        ("touch: a", (WorldEvent("touch", "a", mtime=2),)),
        ("touch: {a: {mtime: -3s}}", (WorldEvent("touch", "a", mtime=-3),)),
        ("touch: {a: {mtime: -1ms}}", (WorldEvent("touch", "a", mtime=Fraction(-1, 1000)),)),
        ("touch: {a: {mtime: +900us}}", (WorldEvent("touch", "a", mtime=Fraction(9, 10_000)),)),
        ("touch: {a: {mtime: +1.5s}}", (WorldEvent("touch", "a", mtime=Fraction(3, 2)),)),
        ("touch: {a: {mtime: +0.001us}}", (WorldEvent("touch", "a", mtime=Fraction(1, 10**9)),)),
        ("delete: a", (WorldEvent("delete", "a"),)),
        ("rename: {a: c, b: a}", (WorldEvent("rename", "a", to="c"), WorldEvent("rename", "b", to="a"))),
        ('chmod: {a: "0444"}', (WorldEvent("chmod", "a", mode=0o444),)),
        ("symlink: {c: b}", (WorldEvent("symlink", "c", Symlink("b")),)),
        ("mkdir: d/e", (WorldEvent("mkdir", "d/e", Directory()),)),
    ],
)
def test_the_events_of_a_step_are_read_in_their_order(text: str, events: tuple[WorldEvent, ...]) -> None:
    steps = scenario(f"given: {{files: {{a: x, b: x}}}}\nsteps:\n  - {text}\n").steps
    assert tuple(replace(step, position=None) for step in steps) == events


def recorded_clause(text: str) -> Clause:
    """Return the recorded clause of the last call of a scenario."""
    *_, call = scenario(text).calls()
    assert call.expect.recorded is not None
    return call.expect.recorded


@pytest.mark.parametrize("swapped", [False, True])
def test_the_documented_clause_is_separated_from_the_recorded_clause(swapped: bool) -> None:
    clauses = ["{documented: 'a.txt, B', text: stated}", "{error: not_read, text: {lines: 3, starts: a}}"]
    stated = f"[{', '.join(clauses[::-1] if swapped else clauses)}]"
    (call,) = scenario(f"steps:\n  - Read: {{file_path: a}}\n    expect: {stated}\n").calls()
    clauses = (call.expect.documented, call.expect.recorded)
    documented, recorded = (replace(each, position=None) for each in clauses)
    assert documented == Clause(documented="a.txt, B", text="stated")
    assert recorded == Clause(error="not_read", text=TextDigest(lines=3, starts="a"))


def test_a_clause_that_names_versions_is_refused() -> None:
    text = "steps:\n  - Read: {file_path: a}\n    expect: {when: {claude_code: '>=2'}, text: x}\n"
    with pytest.raises(SuiteError, match="Recordings contain the answers of all other contracts"):
        scenario(text)


def test_all_errors_in_a_scenario_are_reported_together_and_in_order() -> None:
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
        *(("schema", 3), ("unsafe-path", 4), ("schema", 4), ("unknown-tool", 6), ("unsafe-path", 7)),
        *(("schema", 7), ("schema", 9), ("unknown-key", 9), ("missing-expect", 10)),
    ]


@rows(
    ("text", "advice"),
    [
        ("steps: [{Raed: {}}]", "Did you mean Read?"),
        ("steps: [{modfy: {a: x}}]", "Did you mean modify?"),
        ("stepz: []\nsteps: [{delete: a}]", "Did you mean steps?"),
        ("steps: [{read: {}}]", "Did you mean Read?"),
        ("steps: [{Grep: {}}]", f"Use one of: {', '.join(sorted(CALLS))}."),
        ("given: {files: {a: {text: x, encoding: utf8}}}\nsteps: [{delete: a}]", "Did you mean utf-8?"),
    ],
)
def test_the_error_about_a_misspelt_key_suggests_an_existing_key(text: str, advice: str) -> None:
    with pytest.raises(SuiteError) as caught:
        scenario(text)
    assert caught.value.findings[0].fix == advice


def test_the_digest_of_the_inputs_changes_with_the_files_and_the_steps() -> None:
    text = "given: {files: {a: x}}\nsteps:\n  - parallel:\n      - Read: {file_path: a}\n        expect: {text: x}\n"
    text += "      - Read: {file_path: b}\n        expect: {text: y}\n  - touch: a\n"

    def inputs(*changes: tuple[str, str]) -> set[str]:
        return {scenario(text.replace(old, new)).inputs for old, new in changes}

    same = inputs(("text: y", "error: gone"), ("{a: x}", "{'a': \"x\"}"), ("given", "about: Other.\ngiven"))
    assert same == {scenario(text).inputs}
    changes = ("{a: x}", "{a: y}"), ("path: b", "path: c"), ("touch: a", "touch: b"), ("  - touch: a\n", "")
    assert len(same | inputs(*changes)) == 5


def test_too_much_repeated_content_is_refused_without_expanding_it() -> None:
    start = time.process_time()
    much = "given: {files: {a: {repeat: xxxxxxxx, times: 67108864}}}\nsteps: [{delete: a}]"
    assert problems(much) == [("schema", 3)]
    assert time.process_time() - start < 0.5


SHOWS = """
given: {files: {a: "x\\ny\\n", crlf: {text: "x\\n", eol: crlf}, wide: {text: x, encoding: utf-16-le}, empty: "",
  book: "{\\"cells\\": [{\\"cell_type\\": \\"code\\", \\"id\\": \\"one\\", \\"source\\": []}]}"}}
steps:
"""


@rows(
    "steps",
    [
        "  - Read: {file_path: $WS/other}\n",
        "  - Read: {file_path: $WS/empty}\n",
        "  - Read: {file_path: $WS/a, offset: 4}\n",
        "  - Read: {file_path: $WS/a, offset: 100000000000000000000}\n",
        "  - Read: {file_path: $WS/a, pages: '1'}\n",
        "  - Read: {file_path: $WS/../a}\n",
        "  - delete: a\n  - Read: {file_path: $WS/a}\n",
        "  - git: checkout main\n  - Read: {file_path: $WS/a}\n",
        "  - symlink: {a: a}\n  - Read: {file_path: $WS/a}\n",
        "  - symlink: {a: ../out}\n  - Read: {file_path: $WS/a}\n",
        "  - Write: {file_path: $WS/a, content: w}\n",
    ],
)
def test_the_answer_shown_is_refused_if_the_lines_cannot_be_derived_from_the_scenario(steps: str) -> None:
    with pytest.raises(SuiteError, match="cannot be derived from the scenario"):
        scenario(f"{SHOWS}{steps}    expect: shown\n")


EDIT = "The file $WS/a has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n"


@rows(
    "call",
    ["Edit: {file_path: $WS/a, old_string: Y, new_string: z}", "Write: {file_path: $WS/a, content: z}"],
)
def test_the_answer_done_can_be_combined_with_changed_files_but_not_with_a_text(call: str) -> None:
    expect = f"{SHOWS}  - {call}\n    expect: {{answer: done, "
    found = recorded_clause(f'{expect}files: {{a: "x\\nchanged\\n"}}}}\n')
    assert found.text == f"{EDIT}     1→x\n     2→changed\n     3→"
    assert found.files == {"a": RegularFile(TextContent("x\nchanged\n"))}
    for wrong, message in (
        ("files: {a: null}", "cannot be derived from the scenario"),
        ("files: {a: x, b: x}", "cannot be derived from the scenario"),
        ("text: x", "answer already contains text"),
    ):
        with pytest.raises(SuiteError, match=message):
            scenario(f"{expect}{wrong}}}\n")
    with pytest.raises(SuiteError, match="does not describe changed files"):
        scenario(f"{expect}files: {{a: x}}}}\n".replace("done", "shown"))


@rows(
    "call",
    [
        "Read: {file_path: $WS/a}",
        "Write: {file_path: $WS/crlf, content: w}",
        'Write: {file_path: $WS/a, content: "w\\r\\n"}',
        "Edit: {file_path: $WS/other, old_string: x, new_string: z}",
        "Edit: {file_path: $WS/a, old_string: gone, new_string: z}",
        'Edit: {file_path: $WS/a, old_string: "\\n", new_string: z}',
        "Edit: {file_path: $WS/a, old_string: gone, new_string: z, replace_all: true}",
        "Edit: {file_path: $WS/a, old_string: '', new_string: z}",
        "NotebookEdit: {notebook_path: $WS/a, cell_id: one, new_source: z}",
        "NotebookEdit: {notebook_path: $WS/book, cell_id: two, new_source: z}",
        "NotebookEdit: {notebook_path: $WS/book, cell_id: one, new_source: z, edit_mode: insert}",
    ],
)
def test_the_answer_done_is_refused_if_the_text_cannot_be_derived_from_the_scenario(call: str) -> None:
    with pytest.raises(SuiteError, match="cannot be derived from the scenario"):
        scenario(f"{SHOWS}  - {call}\n    expect: done\n")


def scenario_expecting_error(word: str, arguments: str = "file_path: $WS/a") -> Scenario:
    text = f"{HEAD}steps:\n  - Edit: {{{arguments}}}\n    expect: {word}\n"
    document = load(text.encode(), FILE)
    words = {"not_read": "Read it first.", "string_not_found": "No {old_string} there."}
    return scenario_from(document, "family/slug", CONTRACTS, words=lambda: words)


def test_the_message_of_an_expected_error_may_contain_arguments_of_the_call() -> None:
    (call,) = scenario_expecting_error("string_not_found", "old_string: '{x}'").calls()
    assert call.expect.recorded is not None
    assert call.expect.recorded.text == "No {x} there."
    with pytest.raises(SuiteError, match="contains an argument that this Edit lacks"):
        scenario_expecting_error("string_not_found")

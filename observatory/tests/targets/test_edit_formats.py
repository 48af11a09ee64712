"""Calls in the text format of an agent, such as a patch: parsed as its description says, the text makes the intended
change. A change that the format cannot express is refused.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readfirst.harness.adapter_api import UnsupportedCall
from readfirst.harness.compare.compare import compare
from readfirst.harness.replay.outcome import Breakage, Outcome
from readfirst.harness.suite.suite import load_suite
from readfirst.observatory.targets.catalogue import find
from readfirst.observatory.targets.edit_formats import (
    FORMATS,
    EditFormat,
    InexpressibleError,
    Knowledge,
    write_call,
)
from readfirst.observatory.targets.translate import Scope, translate_call
from tests.rows import rows

TEXTS = st.text(alphabet="ab \n", max_size=24)


def knowledge_of(text: str | None, *, read: bool = True) -> Knowledge:
    knowledge = Knowledge(lambda _path: text)
    if read:
        knowledge.learn("Read", {"file_path": "f"})
    return knowledge


def edit(old: str, new: str, **more: object) -> dict[str, object]:
    return {"file_path": "f", "old_string": old, "new_string": new, **more}


def replace_lines(text: str, removed: list[str], added: list[str]) -> str | None:
    """Replace the first occurrence of the lines `removed`. None if they do not occur."""
    lines = re.findall(r".*\n|.+", text)
    for at in range(len(lines) - len(removed) + 1):
        found = lines[at : at + len(removed)]
        if [line.removesuffix("\n") for line in found] == removed:
            put = "".join(f"{line}\n" for line in added)
            ended = not found or found[-1].endswith("\n")
            lines[at : at + len(removed)] = [put if ended else put.removesuffix("\n")]
            return "".join(lines)
    return None


def apply_patch(patch: str, text: str | None) -> str | None:
    """Return a text (None: no file) after applying a patch of one file. None if the removed lines do not occur."""
    begin, section, *lines, end, after = patch.split("\n")
    assert (begin, end, after) == ("*** Begin Patch", "*** End Patch", "")
    if section.startswith("*** Add File: "):
        assert lines
        assert all(line.startswith("+") for line in lines)
        return "".join(f"{line[1:]}\n" for line in lines)
    assert section == "*** Update File: f"
    assert lines[0] == "@@"
    assert {line[0] for line in lines[1:]} <= {"+", "-"}
    removed = [line[1:] for line in lines[1:] if line[0] == "-"]
    assert removed
    return replace_lines(text or "", removed, [line[1:] for line in lines[1:] if line[0] == "+"])


def apply_block(block: str, text: str | None) -> str | None:
    """Return the text (None: no file) after applying a search-and-replace block. An empty search part creates the file.
    None if the searched lines do not occur.
    """
    search, *lines, replace, after = block.split("\n")
    assert (search, replace, after) == ("<<<<<<< SEARCH", ">>>>>>> REPLACE", "")
    middle = lines.index("=======")
    if not lines[:middle]:
        return "".join(f"{line}\n" for line in lines[middle + 1 :])
    return replace_lines(text or "", lines[:middle], lines[middle + 1 :])


def apply_markers(patch: str, text: str | None) -> str | None:
    """Replace the old text of a patch with conflict markers once in `text`. None if the old text does not occur."""
    assert patch.startswith("<<<<<<< ORIGINAL\n")
    assert patch.endswith("\n>>>>>>> UPDATED")
    inside = patch.removeprefix("<<<<<<< ORIGINAL\n").removesuffix("\n>>>>>>> UPDATED")
    old, new = inside.split("\n=======\n")
    if not old:
        return new
    return text.replace(old, new, 1) if text is not None and old in text else None


@pytest.mark.parametrize(
    ("form", "apply"),
    [("apply_patch", apply_patch), ("search_replace", apply_block), ("conflict_markers", apply_markers)],
)
@given(text=TEXTS, old=TEXTS, new=TEXTS, read=st.booleans())
@example(text="\na", old="a", new="", read=True)
@example(text="a\naa", old="a\naa\n", new="", read=False)
def test_an_edit_comes_out_as_it_was_meant_or_is_not_expressed(form, apply, text, old, new, read) -> None:
    try:
        said = write_call(form, "Edit", edit(old, new), "f", knowledge_of(text, read=read))
    except InexpressibleError:
        return
    found = apply(said, text)
    if not old:
        assert found == new
    elif old in text:
        assert found == text.replace(old, new, 1)
    else:
        lines = old.removesuffix("\n")
        assert found is None or f"\n{lines}\n" in f"\n{text}\n"


def test_what_is_a_part_of_a_line_is_quoted_with_the_rest_of_it() -> None:
    said = write_call("apply_patch", "Edit", edit("two", "2"), "f", knowledge_of("one\none two three\n"))
    assert said == "*** Begin Patch\n*** Update File: f\n@@\n-one two three\n+one 2 three\n*** End Patch\n"
    said = write_call("search_replace", "Edit", edit("two", "2"), "f", knowledge_of("one\none two three\n"))
    assert said == "<<<<<<< SEARCH\none two three\n=======\none 2 three\n>>>>>>> REPLACE\n"


@rows(
    ("text", "arguments", "message"),
    [
        ("a b\n", edit("a", "x"), "a part of a line that was not read"),
        ("a\n", edit("a\n", "x"), "does not end with a newline"),
        ("a\n", edit("", ""), "an empty new file"),
        ("a\n", edit("", "x"), "a new file that does not end with a newline"),
        ("a\n", edit("a", "x", extra=1), "arguments of another form"),
        ("a\n", {"file_path": "f", "old_string": 5, "new_string": "x"}, "arguments of another form"),
        ("a\n", {**edit("a", "x"), "file_path": 5}, "a file whose path is not one line"),
    ],
)
def test_what_a_patch_has_no_words_for_is_reported(text: str, arguments: dict, message: str) -> None:
    with pytest.raises(InexpressibleError, match=message):
        write_call("apply_patch", "Edit", arguments, "f", knowledge_of(text, read=False))


@rows(
    ("text", "old", "new", "message"),
    [
        ("a b\na c\n", "a", "x", "a text that is in several lines"),
        ("a a\n", "a", "x", "a text that is in several lines"),
        ("a", "a", "x\n", "the newline at the end of a file"),
        ("a\n", "a\n", "x", "the newline at the end of a file"),
    ],
)
def test_what_a_patch_cannot_quote_of_a_file_that_was_read_is_reported(text, old, new, message) -> None:
    with pytest.raises(InexpressibleError, match=message):
        write_call("apply_patch", "Edit", edit(old, new), "f", knowledge_of(text))


def test_equal_lines_are_left_to_the_target_to_choose_from() -> None:
    said = write_call("apply_patch", "Edit", edit("a", "x"), "f", knowledge_of("a\nb\na\n"))
    assert apply_patch(said, "a\nb\na\n") == "x\nb\na\n"


def test_a_model_knows_what_it_wrote_and_the_lines_that_it_was_shown() -> None:
    knowledge = Knowledge(lambda _path: "one\ntwo\nthree\n")
    knowledge.learn("Read", {"file_path": "f", "offset": 2, "limit": 1})
    assert knowledge.of("f") == "two\n"
    knowledge.learn("Edit", edit("wo", "en"))
    assert knowledge.of("f") == "ten\n"
    knowledge.learn("Write", {"file_path": "f", "content": "new\n"})
    assert knowledge.of("f") == "new\n"
    assert knowledge.of("g") is None


def test_carriage_returns_and_marks_are_quoted_only_where_they_are_asked_for() -> None:
    text = "\ufeffa b\r\nc\r\n"
    assert "-a b\n+x b\n" in write_call("apply_patch", "Edit", edit("a", "x"), "f", knowledge_of(text))
    assert "-a b\r\n+a x\r\n" in write_call(
        "apply_patch", "Edit", edit("b\r\n", "x\r\n"), "f", knowledge_of(text)
    )


@rows("line", ["=======", ">>>>>>> REPLACE", "<<<<<<< SEARCH", "```python"])
def test_a_line_that_would_end_a_block_is_not_written_into_one(line: str) -> None:
    with pytest.raises(InexpressibleError, match="a mark of the format"):
        write_call("search_replace", "Edit", edit("a", line), "f", knowledge_of("a\n"))
    assert f"+{line}\n" in write_call("apply_patch", "Edit", edit("a", line), "f", knowledge_of("a\n"))


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [("a.b", "x&y", {}), ("[*]^$/\\", "/\\&'\n2", {}), ("é", "\t", {}), ("b", "", {"replace_all": True})],
)
def test_a_substitution_of_the_shell_takes_every_character_as_it_is(tmp_path: Path, old, new, more) -> None:
    file = tmp_path / "a file's name"
    file.write_text(text := "azb a.b [*]^$/\\ é\nb\n")
    command = write_call("shell", "Edit", edit(old, new, **more), str(file), knowledge_of(text))
    subprocess.run(["sh", "-c", command], check=True)
    assert file.read_text() == text.replace(old, new, -1 if more else 1)


def test_a_shell_writes_a_file_and_reads_lines_of_it(tmp_path: Path) -> None:
    file = tmp_path / "-f"
    content = "one $HOME\n`two`\n\nfour\\\n"
    command = write_call("shell", "Write", {"file_path": "f", "content": content}, "-f", knowledge_of(None))
    subprocess.run(["sh", "-c", command], check=True, cwd=tmp_path)
    assert file.read_text() == content

    def read_by_shell(**more: object) -> str:
        command = write_call("shell", "Read", {"file_path": "f", **more}, "-f", knowledge_of(None))
        return subprocess.run(
            ["sh", "-c", command], check=True, cwd=tmp_path, capture_output=True, text=True
        ).stdout

    assert read_by_shell() == content
    assert read_by_shell(offset=2) == "`two`\n\nfour\\\n"
    assert read_by_shell(limit=1) == "one $HOME\n"
    assert read_by_shell(offset=2, limit=2) == "`two`\n\n"
    for tool, arguments, message in (
        ("Read", {"file_path": "f", "offset": 0}, "no such number"),
        ("Read", {"file_path": "f", "limit": "3"}, "no such number"),
        ("Edit", edit("a\nb", "x"), "several lines"),
        ("Write", {"file_path": "f", "content": "EOF\n"}, "a mark of the format"),
    ):
        with pytest.raises(InexpressibleError, match=message):
            write_call("shell", tool, arguments, "f", knowledge_of("a\nb\n"))


def test_a_mapping_puts_the_text_where_the_target_wants_it(tmp_path: Path) -> None:
    target = find("codex")
    scope = Scope(tmp_path, tmp_path / "home")
    path = str(tmp_path / "f f")
    call = translate_call(target, "Read", {"file_path": path}, scope)
    assert call.arguments == {"cmd": f"cat {shlex.quote(path)}", "login": False}
    call = translate_call(target, "Write", {"file_path": path, "content": "a\n"}, scope)
    assert call.name == "apply_patch"
    assert call.arguments == {"input": f"*** Begin Patch\n*** Add File: {path}\n+a\n*** End Patch\n"}
    with pytest.raises(UnsupportedCall, match="Write of an empty new file"):
        translate_call(target, "Write", {"file_path": path, "content": ""}, scope)


def test_a_scenario_with_a_call_that_cannot_be_made_is_unsupported_and_no_pass() -> None:
    suite = load_suite()
    scenario = suite.scenario("gate/edit-unread")
    broken = Breakage("unsupported", "Edit of a part of a line that was not read", 0)
    contract = suite.contracts["2.1.7"]
    outcome = Outcome(scenario.id, (), broken)
    verdict = compare(scenario, outcome, contract, "effects", suite.vocabulary)
    assert verdict.status == "unsupported"
    assert verdict.reason == "the adapter lacks Edit of a part of a line that was not read"
    assert not any(verdict.levels.values())


def test_every_format_has_its_name_in_the_schema() -> None:
    schema = (Path(__file__).parents[3] / "fixtures/schema/target.schema.json").read_text()
    assert all(f'"{name}"' in schema for name in FORMATS)


ENDS = ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"]
"""Characters other than a newline that some programs treat as line ends."""
ESCAPES = {
    "search_replace": [
        f"a{end}{spaces}>>>>>>> REPLACE{end}/outside/x{end}<<<<<<< SEARCH{end}======={end}made{end}"
        for end in ["\n", *ENDS]
        for spaces in ("", " ", "\t", "\u3000")
    ],
    "apply_patch": [
        f"a{end}{spaces}*** Add File: /outside/x{end}+made" for end in ENDS for spaces in ("", " ")
    ],
    "shell": [f"a\n{mark}\ntouch /outside/x" for mark in ("EOF", "E\0OF", "EOF\0", "\x01EOF", "E\x7fOF")]
    + [f"a{end}EOF{end}touch /outside/x" for end in ENDS],
}


@rows("form", ESCAPES)
def test_no_text_begins_another_edit_or_command(form: EditFormat) -> None:
    for text in ESCAPES[form]:
        write = {"file_path": "f", "content": f"{text}\n"}
        with pytest.raises(InexpressibleError, match="a mark of the format"):
            write_call(form, "Write", write, "f", Knowledge())
        if form != "shell":
            with pytest.raises(InexpressibleError, match="a mark of the format"):
                write_call(form, "Edit", edit("x\n", f"{text}\n"), "f", knowledge_of("x\n"))


@rows("form", ESCAPES)
@rows("end", ["\n", *ENDS])
def test_no_path_has_a_second_line(form: EditFormat, end: str) -> None:
    with pytest.raises(InexpressibleError, match="a file whose path is not one line"):
        write_call(
            form, "Write", {"file_path": "f", "content": "a\n"}, f"f{end}*** Delete File: g", Knowledge()
        )


def test_a_shell_that_drops_a_nul_would_run_what_follows(tmp_path: Path) -> None:
    script = "cat > f <<'EOF'\na\nE\0OF\ntouch made\nEOF\n"
    subprocess.run(["bash"], input=script.encode(), cwd=tmp_path, stderr=subprocess.DEVNULL, check=False)
    assert (tmp_path / "made").exists()

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import jsonschema
import pytest

import readfirst.reference_impl
from readfirst.reference_impl import FileTools
from readfirst.reference_impl.call_result import truncate_answer
from tests.newest import NEWEST

PAGE = Path(readfirst.__file__).parents[1] / "docs" / "reference.md"
LOOP = PAGE.read_text("utf-8").partition("## With a model")[2].partition("```python\n")[2].partition("```")[0]
"""Connects a model to the tools."""


@pytest.mark.parametrize("name", ["missing", "file.txt", "file.txt/below"])
def test_a_root_that_is_not_a_directory_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(ValueError, match=r"root is not a directory: .*create it first") as refused:
        FileTools(root=tmp_path / name)
    assert name in str(refused.value)
    assert not (tmp_path / "missing").exists()


def test_the_tools_can_also_change_files_outside_the_root_directory(tools: FileTools, root: Path) -> None:
    assert "**`root` is not a sandbox.**" in PAGE.read_text("utf-8")
    outside = root.parent / "outside.txt"
    outside.write_text("alpha\n")
    (root / "link").symlink_to(outside)
    for path in (str(outside), "../outside.txt", "link"):
        assert "alpha" in tools.read(path)
    tools.edit(str(outside), "alpha", "beta")
    assert outside.read_text() == "beta\n"


class ScriptedClient:
    """A substitute for the client of the model's API, with a script. It rejects the same requests as the API."""

    def __init__(self, *script: list[tuple[str, dict[str, Any]]] | str) -> None:
        self._script: Iterator[list[tuple[str, dict[str, Any]]] | str] = iter(script)
        self._open: list[str] = []
        self.answers: list[dict[str, Any]] = []
        self.messages = self

    def create(
        self, *, model: str, max_tokens: int, tools: list[dict[str, Any]], messages: list[dict[str, Any]]
    ) -> SimpleNamespace:
        assert model
        assert max_tokens > 0
        for tool in tools:
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"])
            assert tool["description"]
            assert tool["input_schema"]["type"] == "object"
            jsonschema.Draft202012Validator.check_schema(tool["input_schema"])
        roles = [message["role"] for message in messages]
        assert roles == [*["user", "assistant"] * (len(messages) // 2), "user"]
        if self._open:
            answers = messages[-1]["content"]
            assert [each["tool_use_id"] for each in answers] == self._open
            assert {each["type"] for each in answers} == {"tool_result"}
            self.answers += answers
        reply = next(self._script)
        if isinstance(reply, str):
            return SimpleNamespace(content=[SimpleNamespace(type="text", text=reply)])
        schemas = {tool["name"]: tool["input_schema"] for tool in tools}
        uses = []
        for name, arguments in reply:
            jsonschema.validate(arguments, schemas[name])
            number = len(self.answers) + len(uses)
            uses.append(SimpleNamespace(type="tool_use", id=f"use-{number}", name=name, input=arguments))
        self._open = [use.id for use in uses]
        return SimpleNamespace(content=[SimpleNamespace(type="text", text="Let me see."), *uses])


def test_the_loop_with_a_model_on_the_page_works_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    edit = {"file_path": "notes.txt", "old_string": "alpha", "new_string": "beta"}
    reads = [("Read", {"file_path": "notes.txt"}), ("Read", {"file_path": "other.txt"})]
    client = ScriptedClient([("Edit", edit)], reads, [("Edit", edit)], "Done.")
    anthropic = ModuleType("anthropic")
    anthropic.Anthropic = lambda: client  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "anthropic", anthropic)
    (tmp_path / "project").mkdir()
    (tmp_path / "project/notes.txt").write_text("alpha\n")
    monkeypatch.chdir(tmp_path)
    exec(compile(LOOP, "docs/reference.md", "exec"), {})
    assert capsys.readouterr().out == "Done.\n"
    assert [(each["is_error"], each["content"].split(".")[0]) for each in client.answers] == [
        (True, "File has not been read yet"),
        (False, "     1→alpha\n     2→"),
        (True, "File does not exist"),
        (False, "The file notes"),
    ]
    assert (tmp_path / "project/notes.txt").read_text() == "beta\n"


def test_the_schemas_of_the_tools_can_be_used_with_other_apis(tools: FileTools) -> None:
    (shown,) = re.findall(r'`(\{"type": "function".*?\})`', PAGE.read_text("utf-8"), re.DOTALL)
    offered = [eval(shown, {"schema": schema}) for schema in tools.schemas]
    assert [each["function"]["name"] for each in offered] == ["Read", "Edit", "NotebookEdit", "Write"]
    for each in offered:
        jsonschema.Draft202012Validator.check_schema(each["function"]["parameters"])


@pytest.mark.parametrize(
    ("contract", "said"),
    [
        ("0.2.126", "The required parameter `content` is missing"),
        ("2.1.7", "The required parameter `file_path` is missing"),
        (NEWEST, 'You sent (first 43 of 43 bytes): {"file_path": "notes.txt", "content": "alph\n'),
    ],
)
def test_a_call_with_json_that_ends_early_is_refused(tmp_path: Path, contract: str, said: str) -> None:
    tools = FileTools(contract, root=tmp_path)
    answer = tools.call_at_limit("Write", '{"file_path": "notes.txt", "content": "alph')
    assert answer.is_error
    assert said in answer.text
    assert ("`file_path`" in answer.text) == (contract == "2.1.7")
    assert [*tmp_path.iterdir()] == []


def test_a_long_answer_is_truncated_without_splitting_a_surrogate_pair() -> None:
    end = "2KB):\n" + "a" * 1999 + "\n...\n</persisted-output>"
    assert truncate_answer("a" * 1999 + "😀", 102_400, "/f").endswith(end)
    assert truncate_answer("a\n" + "b" * 3000, 102_400, "/f").count("b") == 1998
    assert "(100KB)" in truncate_answer("a", 102_400, "/f")
    assert "(1MB)" in truncate_answer("a", 1_093_632, "/f")  # 2.1.7, of an Edit that inserts 121,500 lines

"""Every refusal of the reference has the name and the code that `fixtures/errors.yaml` gives its words."""

import ast
from pathlib import Path

import pytest

import readfirst.reference_impl
from readfirst.harness.suite.suite import Suite

VOCABULARY = Suite().vocabulary
CODE = Path(readfirst.reference_impl.__file__).parent


def raised_names():
    for path in sorted(CODE.rglob("*.py")):
        module = ".".join(path.relative_to(CODE).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refusal":
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    code = next(
                        (
                            word.value.value
                            for word in node.keywords
                            if word.arg == "code" and isinstance(word.value, ast.Constant)
                        ),
                        None,
                    )
                    yield pytest.param(first.value, module, code, id=f"{module}:{node.lineno}")


def test_the_refusals_of_every_tool_are_looked_at():
    modules = {each.values[1] for each in raised_names()}
    assert {"tools.read", "tools.edit", "tools.write", "tools.notebook_edit", "session.access"} <= modules


def test_every_name_and_code_is_in_the_vocabulary():
    tools = {"tools.edit": "Edit", "tools.write": "Write", "settings.file": "Edit"}
    for name, module, code in (each.values for each in raised_names()):
        assert name in VOCABULARY.names, (name, module)
        if code is not None:
            assert VOCABULARY.names[name].codes[tools[module]] == code, (name, module)


def refusals(make_tools, put):
    """Yield a call of every kind that is refused, and what it gave."""
    put("a.txt", "x x\n")
    put("b.ipynb", "{}")
    put("c.zip", "x")
    put("d/e.txt", "x")
    put("big.txt", "x" * 300_000)
    put("long.txt", "x" * 110_000)
    tools = make_tools(deny=("Edit(d/**)",))
    tools.read("a.txt")
    calls = [
        ("Edit", {"file_path": "a.txt", "old_string": "x", "new_string": "x"}),
        ("Edit", {"file_path": "d/e.txt", "old_string": "x", "new_string": "y"}),
        ("Edit", {"file_path": "a.txt", "old_string": "", "new_string": "y"}),
        ("Edit", {"file_path": "a.md", "old_string": "x", "new_string": "y"}),
        ("Edit", {"file_path": "b.ipynb", "old_string": "x", "new_string": "y"}),
        ("Edit", {"file_path": "big.txt", "old_string": "x", "new_string": "y"}),
        ("Edit", {"file_path": "a.txt", "old_string": "z", "new_string": "y"}),
        ("Edit", {"file_path": "a.txt", "old_string": "x", "new_string": "y"}),
        ("Edit", {"file_path": "d", "old_string": "", "new_string": "y"}),
        ("Edit", {"file_path": "a\0", "old_string": "", "new_string": "y"}),
        ("Edit", {}),
        ("Foo", {}),
        ("Write", {"file_path": "d/e.txt", "content": "y"}),
        ("Write", {"file_path": "big.txt", "content": "y"}),
        ("Write", {"file_path": "a.txt/x", "content": "y"}),
        ("Write", {"file_path": "n" * 300, "content": "y"}),
        ("Read", {"file_path": "d"}),
        ("Read", {"file_path": "none"}),
        ("Read", {"file_path": "c.zip"}),
        ("Read", {"file_path": "big.txt"}),
        ("Read", {"file_path": "long.txt"}),
        ("NotebookEdit", {"notebook_path": "none.ipynb", "new_source": "x"}),
        ("NotebookEdit", {"notebook_path": "a.txt", "new_source": "x"}),
        ("NotebookEdit", {"notebook_path": "b.ipynb", "new_source": "x", "edit_mode": "insert"}),
    ]
    for tool, arguments in calls:
        yield tool, tools.call(tool, arguments)


def test_the_words_of_a_refusal_are_recognised_as_its_name(make_tools, put):
    for tool, result in refusals(make_tools, put):
        assert result.is_error
        assert VOCABULARY.name_of(tool, result.text) == result.error, result.text
        if result.code is not None:
            assert VOCABULARY.code(result.error, tool) == result.code

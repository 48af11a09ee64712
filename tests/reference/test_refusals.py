import os
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from readfirst.reference_impl import FileTools, Refusal
from tests.rows import rows

from .conftest import MakeTools

Put = Callable[..., Path]


def refusal(change: Callable[..., str], *arguments: str) -> tuple[str, int | None]:
    with pytest.raises(Refusal) as refused:
        change(*arguments)
    return refused.value.name, refused.value.code


def test_refusals_of_edit_are_checked_in_the_order_of_their_codes(make_tools: MakeTools, put: Put) -> None:
    """The same call is repeated; each time, one reason for a refusal is removed."""
    denied, tools = make_tools(deny=("Edit(**)",)), make_tools()
    put("a.txt", "x x\n")
    assert refusal(denied.edit, "a.txt", "", "") == ("no_changes", 1)
    assert refusal(denied.edit, "a.txt", "", "b") == ("permission_denied", 2)
    assert refusal(tools.edit, "a.txt", "", "b") == ("file_exists", 3)
    assert refusal(tools.edit, "b.ipynb", "y", "b") == ("file_not_found", 4)
    put("b.ipynb", "x x\n")
    assert refusal(tools.edit, "b.ipynb", "y", "b") == ("is_notebook", 5)
    assert refusal(tools.edit, "a.txt", "y", "b") == ("not_read", 6)
    tools.read("a.txt")
    put("a.txt", "x x\n", later=2)
    assert refusal(tools.edit, "a.txt", "y", "b") == ("modified_since_read", 7)
    tools.read("a.txt")
    assert refusal(tools.edit, "a.txt", "y", "b") == ("string_not_found", 8)
    assert refusal(tools.edit, "a.txt", "x", "b") == ("multiple_matches", 9)
    put(".claude/settings.json", '{"model": "opus"}\n')
    tools.read(".claude/settings.json")
    assert refusal(tools.edit, ".claude/settings.json", "{", "[") == ("invalid_settings", 10)


def test_refusals_of_write_are_checked_in_the_order_of_their_codes(make_tools: MakeTools, put: Put) -> None:
    put("a.txt")
    assert refusal(make_tools(deny=("Edit(**)",)).write, "a.txt", "x") == ("permission_denied", 1)
    tools = make_tools()
    assert refusal(tools.write, "a.txt", "x") == ("not_read", 2)
    tools.read("a.txt")
    put("a.txt", "gamma\n", later=2)
    assert refusal(tools.write, "a.txt", "x") == ("modified_since_read", 3)


@rows("rule", ["", "Edit(", "(secret)", "Edit secret", "7(x)"])
def test_an_invalid_permission_rule_is_refused(tmp_path: Path, rule: str) -> None:
    with pytest.raises(ValueError, match="is not a permission rule: write Tool or Tool"):
        FileTools(root=tmp_path, deny=[rule])


def test_a_write_that_fails_leaves_the_file_and_the_session_unchanged(
    tools: FileTools, put: Put, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put("a.txt")
    tools.read("a.txt")

    monkeypatch.setattr(os, "replace", Mock(side_effect=OSError(5, "Input/output error")))
    with pytest.raises(Refusal, match=r"EIO: input/output error, open '.*a\.txt'") as refused:
        tools.write("a.txt", "x")
    assert refused.value.name == "os_error"
    assert path.read_text() == "alpha\nbeta\n"
    assert [entry.name for entry in root.iterdir()] == ["a.txt"]

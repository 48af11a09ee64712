import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import readfirst
from tests.rows import rows

CHECKOUT = Path(__file__).parents[2]


def test_every_public_name_exists_and_is_documented() -> None:
    assert readfirst.__all__ == sorted(readfirst.__all__, key=lambda name: (not name.isupper(), name))
    for name in readfirst.__all__:
        value = getattr(readfirst, name)
        assert isinstance(value, str) or inspect.getdoc(value), name
    assert set(readfirst.__all__) <= set(dir(readfirst))
    with pytest.raises(AttributeError, match="module 'readfirst' has no attribute 'FileTool'"):
        _ = readfirst.FileTool  # type: ignore[attr-defined]


def test_type_checkers_see_the_public_names() -> None:
    tree = ast.parse(Path(readfirst.__file__).read_text("utf-8"))
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If))
    declared = [
        each.name
        for node in guarded.body
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for each in node.names
        if node.module == f"readfirst.{readfirst._MODULES[each.name]}"
    ]
    assert sorted(declared) == sorted(readfirst.__all__)


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("before = {*sys.modules}; import readfirst; print({*sys.modules} - before)", "{'readfirst'}"),
        ("import readfirst.harness.run.runner; print('readfirst.reference_impl' in sys.modules)", "False"),
    ],
    ids=["the package", "a runner"],
)
def test_importing_a_public_name_loads_no_unnecessary_module(code: str, printed: str) -> None:
    """Otherwise every process of a run would import the reference, and mutation tests could not replace it."""
    words = [sys.executable, "-c", f"import sys; {code}"]
    ran = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == printed


@rows("page", ["README.md", *sorted(f"docs/{path.name}" for path in CHECKOUT.glob("docs/*.md"))])
def test_examples_on_pages_import_only_public_names(page: str) -> None:
    lines = (CHECKOUT / page).read_text("utf-8").splitlines()
    imports = [line for line in lines if re.match(r"(?:from|import) readfirst\b(?!_)", line)]
    assert [line for line in imports if not line.startswith("from readfirst import ")] == []

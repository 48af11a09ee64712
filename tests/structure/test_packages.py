import ast
import re
import tomllib
from pathlib import Path

HARNESS = Path(__file__).parents[2] / "harness"
LINTER = tomllib.loads(HARNESS.with_name("pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
FLOORS = {
    package: floor
    for floor, names in enumerate(reversed(LINTER["contracts"][0]["layers"]))
    for package in re.findall(r"\w+", names)
}
"""The position of each package in the order of imports. The lowest package has 0."""


def list_packages(page: str) -> list[str]:
    return re.findall(r"^\| `harness/(\w+)/` \|", page, re.MULTILINE)


def test_the_architecture_page_lists_packages_in_their_order() -> None:
    packages = list_packages(HARNESS.with_name("ARCHITECTURE.md").read_text("utf-8"))
    assert sorted(packages) == sorted({file.parent.name for file in HARNESS.glob("*/__init__.py")})
    assert packages == sorted(packages, key=FLOORS.__getitem__)
    assert FLOORS["suite"] < FLOORS["run"], "another order is detected"


_TEMPORARY = {"mkdtemp", "mkstemp", "TemporaryDirectory", "NamedTemporaryFile"}


def makes_temporary(source: str) -> bool:
    """Whether a module creates temporary files. Names of functions in strings do not count."""
    return any(name in source for name in _TEMPORARY) and any(
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in _TEMPORARY
        and not any(each.arg == "dir" for each in node.keywords)
        for node in ast.walk(ast.parse(source))
    )


def test_no_module_creates_temporary_files_outside_the_given_directory() -> None:
    assert [path for path in HARNESS.rglob("*.py") if makes_temporary(path.read_text("utf-8"))] == []
    assert makes_temporary("import tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    pass\n")
    assert makes_temporary("folder = mkdtemp(prefix='x')")
    assert not makes_temporary("file = tempfile.mkstemp(prefix='x', dir=folder)")
    assert not makes_temporary("print('tempfile.mkdtemp()')")

import ast
import re
import tomllib
from pathlib import Path

HARNESS = Path(__file__).parents[2] / "harness"
CONTRACTS = tomllib.loads(HARNESS.with_name("pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
    "contracts"
]
FLOORS = {
    package: floor
    for floor, names in enumerate(reversed(CONTRACTS[0]["layers"]))
    for package in re.findall(r"\w+", names)
}
"""The position of each package in the order of imports. The lowest package has 0."""


def list_packages(page: str) -> list[str]:
    return re.findall(r"^\| `harness/(\w+)/` \|", page, re.MULTILINE)


def test_the_architecture_page_lists_packages_in_their_order() -> None:
    packages = list_packages(HARNESS.with_name("ARCHITECTURE.md").read_text("utf-8"))
    assert sorted(packages) == sorted({file.parent.name for file in HARNESS.glob("*/__init__.py")})
    assert packages == sorted(packages, key=FLOORS.__getitem__)


def test_a_package_in_the_wrong_order_is_detected() -> None:
    packages = list_packages("| `harness/run/` | x |\n| `harness/suite/` | x |\n")
    assert packages == ["run", "suite"]
    assert packages != sorted(packages, key=FLOORS.__getitem__)


_TEMPORARY = {"mkdtemp", "mkstemp", "TemporaryDirectory", "NamedTemporaryFile"}


def makes_temporary(source: str) -> bool:
    """Whether a module creates temporary files. Names of functions in strings do not count."""
    return any(name in source for name in _TEMPORARY) and any(
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in _TEMPORARY
        and not any(each.arg == "dir" for each in node.keywords)
        for node in ast.walk(ast.parse(source))
    )


def test_only_one_module_creates_temporary_directories() -> None:
    makers = {path.name for path in HARNESS.rglob("*.py") if makes_temporary(path.read_text("utf-8"))}
    assert makers == set()


def test_a_module_that_creates_a_temporary_directory_is_detected() -> None:
    assert makes_temporary("import tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    pass\n")
    assert makes_temporary("folder = mkdtemp(prefix='x')")
    assert not makes_temporary("file = tempfile.mkstemp(prefix='x', dir=folder)")
    assert not makes_temporary("print('tempfile.mkdtemp()')")

"""The packages stand in an order, and no module imports from a package above its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

HARNESS = Path(__file__).parents[2] / "harness"

ORDER = (
    "counted exit_code printed session",
    "source",
    "suite",
    "processes",
    "workspace",
    "adapters",
    "replay",
    "harm",
    "compare",
    "report",
    "agents.scripted_model",
    "agents",
    "targets",
    "run",
    "pytest_plugin",
    "agents.claude_code",
    "changes claims survey record fuzz diagnosis",
    "crossing",
    "lint versions site",
    "cli",
)
"""From the ground up; those on one line know nothing of each other, or need not care."""

FLOORS = {package: floor for floor, names in enumerate(ORDER) for package in names.split()}

REFERENCE = HARNESS.with_name("reference_impl")
REFERENCE_ORDER = (
    "refusal behaviours",
    "contract",
    "text",
    "arguments files shell",
    "reading settings",
    "session",
    "tools",
    "file_tools",
    "server",
)
"""The rooms of the reference from the ground up; modules at its top are named as they are."""


def package_of(module: str) -> str:
    """Return the package that a module below `readfirst.harness` is in, or its own name if it is in none."""
    words = module.split(".")
    return next(name for n in (2, 1) if (name := ".".join(words[:n])) in FLOORS)


@cache
def nodes(source: str) -> list[ast.AST]:
    """Return what a module consists of that can import or call; each module is parsed once."""
    wanted = (ast.Import, ast.ImportFrom, ast.Call)
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, wanted)]


def imported(source: str) -> Iterator[str]:
    """Yield the modules below `readfirst.harness` that a module imports, anywhere in it."""
    for node in nodes(source):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def climbs(module: str, source: str) -> list[str]:
    """Return what a module imports from a package above its own."""
    own = FLOORS[package_of(module)]
    below = [
        name.removeprefix("readfirst.harness.") for name in imported(source) if "readfirst.harness." in name
    ]
    return [name for name in below if FLOORS[package_of(name)] > own]


def modules() -> Iterator[tuple[str, str]]:
    for file in sorted(HARNESS.rglob("*.py")):
        name = ".".join(file.relative_to(HARNESS).with_suffix("").parts).removesuffix("__init__").strip(".")
        if name:
            yield name, file.read_text("utf-8")


def test_no_module_imports_from_a_package_above_its_own() -> None:
    assert {module: found for module, source in modules() if (found := climbs(module, source))} == {}


def test_every_package_is_in_the_order() -> None:
    there = {package_of(module) for module, _ in modules()}
    assert there == FLOORS.keys()


def listed(page: str) -> list[str]:
    """Return the packages of the harness in the order of the table in ARCHITECTURE.md."""
    return re.findall(r"^\| `harness/(\w+)/` \|", page, re.MULTILINE)


def test_the_architecture_page_lists_every_package_in_the_order_of_the_floors() -> None:
    packages = listed(HARNESS.with_name("ARCHITECTURE.md").read_text("utf-8"))
    assert sorted(packages) == sorted({file.parent.name for file in HARNESS.glob("*/__init__.py")})
    assert packages == sorted(packages, key=FLOORS.__getitem__)


def test_a_package_in_the_wrong_place_of_the_page_is_noticed() -> None:
    packages = listed("| `harness/run/` | x |\n| `harness/suite/` | x |\n")
    assert packages == ["run", "suite"]
    assert packages != sorted(packages, key=FLOORS.__getitem__)


@pytest.mark.parametrize(
    "source",
    [
        "from readfirst.harness.cli import options",
        "def f():\n    from readfirst.harness.run.runner import run",
        "import readfirst.harness.record.takes",
    ],
)
def test_an_import_from_above_is_noticed(source: str) -> None:
    assert climbs("suite.load", source) != []


def reference_floor(module: str) -> int:
    """Return the floor of a module below `readfirst.reference_impl`."""
    return next(n for n, names in enumerate(REFERENCE_ORDER) if module.split(".")[0] in names.split())


def reference_climbs(module: str, source: str) -> list[str]:
    """Return what a module of the reference imports from a room above its own."""
    prefix = "readfirst.reference_impl."
    below = [name.removeprefix(prefix) for name in imported(source) if name.startswith(prefix)]
    return [name for name in below if reference_floor(name) > reference_floor(module)]


def test_no_module_of_the_reference_imports_from_a_room_above_its_own() -> None:
    modules = {
        ".".join(file.relative_to(REFERENCE).with_suffix("").parts): file.read_text("utf-8")
        for file in sorted(REFERENCE.rglob("*.py"))
        if file.name != "__init__.py"
    }
    assert {
        name: found for name, source in modules.items() if (found := reference_climbs(name, source))
    } == {}
    assert {name.split(".")[0] for name in modules} == {
        name for names in REFERENCE_ORDER for name in names.split()
    }


def test_an_import_from_a_room_above_is_noticed() -> None:
    source = "from readfirst.reference_impl.tools import edit"
    assert reference_climbs("session.access", source) == ["tools.edit"]
    assert reference_climbs("file_tools", source) == []


def test_the_reference_knows_nothing_of_the_harness() -> None:
    files = sorted(REFERENCE.rglob("*.py"))
    assert [
        file.name for file in files if any("harness" in name for name in imported(file.read_text("utf-8")))
    ] == []


_TEMPORARY = {"mkdtemp", "mkstemp", "TemporaryDirectory", "NamedTemporaryFile"}


def makes_temporary(source: str) -> bool:
    """Tell whether a module makes something in the system's folder for temporary files; a text does not."""
    return any(
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in _TEMPORARY
        and not any(each.arg == "dir" for each in node.keywords)
        for node in nodes(source)
    )


def test_temporary_folders_are_made_where_those_of_killed_runs_are_removed() -> None:
    makers = {path.name for path in HARNESS.rglob("*.py") if makes_temporary(path.read_text("utf-8"))}
    assert makers <= {"scratch.py"}


def test_a_module_that_makes_a_temporary_folder_is_noticed() -> None:
    assert makes_temporary("import tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    pass\n")
    assert makes_temporary("folder = mkdtemp(prefix='x')")
    assert not makes_temporary("file = tempfile.mkstemp(prefix='x', dir=folder)")
    assert not makes_temporary("print('tempfile.mkdtemp()')")

"""The tests that docs/security.md and docs/attacks.md name exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(?:(tests/[\w/]+\.py)::)?(test_\w+)`")


def missing(page: str) -> list[str]:
    """Return the missing tests of a page. A test without a file may be in any file that the page names."""
    files = {file: ROOT / file for file in re.findall(r"tests/[\w/]+\.py", page)}
    sources = {name: file.read_text("utf-8") if file.is_file() else "" for name, file in files.items()}
    return [
        f"{file}::{test}"
        for file, test in NAMED.findall(page)
        if not any(f"def {test}(" in sources[name] for name in ([file] if file else sources))
    ]


@pytest.mark.parametrize("name", ["security", "attacks"])
def test_every_test_that_a_page_names_exists(name: str) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    assert len(NAMED.findall(page)) >= 10
    assert missing(page) == []


def test_a_missing_test_is_detected() -> None:
    here = "tests/security/test_page.py"
    page = f"`{here}::test_of_nothing` `tests/security/gone.py::test_gone` `test_not_here`"
    assert missing(page) == [
        f"{here}::test_of_nothing",
        "tests/security/gone.py::test_gone",
        "::test_not_here",
    ]

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.rows import rows

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
GENERATED_PAGES = [
    *("behaviour", "compatibility", "diagnosis", "harm-causes", "harm", "history", "implementations"),
    *("mutation", "opinions", "reference-behaviours", "reference", "reliability"),
]
MAX_ROW_CHARS = 200
"""A longer row would make readers scroll sideways."""
AT_THE_TOP = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def long_rows(page: str) -> list[str]:
    """Return the table rows that are too long, without the addresses of links."""
    rows = (re.sub(r"\]\([^)]*\)", "]", line) for line in page.splitlines() if line.startswith("|"))
    return [row for row in rows if len(row) > MAX_ROW_CHARS]


@rows("name", GENERATED_PAGES)
def test_a_generated_page_has_no_long_row(name: str) -> None:
    assert long_rows((DOCS / f"{name}.md").read_text("utf-8")) == []
    long_row, linked_row = f"| {'x' * MAX_ROW_CHARS} |", f"| [x]({'y' * MAX_ROW_CHARS}) |"
    assert long_rows(f"text\n{linked_row}\n{long_row}\n{'x' * 300}\n") == [long_row], "a long row is detected"


def count_links(index: str) -> Counter[str]:
    return Counter(re.findall(r"\]\(([^)]+\.md)\)", index))


def test_docs_readme_links_to_every_page_exactly_once() -> None:
    pages = {page.name for page in DOCS.glob("*.md")} - {"README.md"} | {f"../{name}" for name in AT_THE_TOP}
    assert count_links((DOCS / "README.md").read_text("utf-8")) == Counter(pages)
    assert count_links("- [One](one.md): x\n- [Again](one.md): y\n") == Counter({"one.md": 2})


TEST_NAME_PATTERN = re.compile(r"`(?:(tests/[\w/]+\.py)::)?(test_\w+)`")


def missing_tests(page: str) -> list[str]:
    """Return the missing tests that a page names. A test without a file may be in any file that the page names."""
    files = {file: CHECKOUT / file for file in re.findall(r"tests/[\w/]+\.py", page)}
    sources = {name: file.read_text("utf-8") if file.is_file() else "" for name, file in files.items()}
    return [
        f"{file}::{test}"
        for file, test in TEST_NAME_PATTERN.findall(page)
        if not any(f"def {test}(" in sources[name] for name in ([file] if file else sources))
    ]


@pytest.mark.parametrize("name", ["security", "attacks"])
def test_every_test_that_a_page_names_exists(name: str) -> None:
    page = (CHECKOUT / "docs" / f"{name}.md").read_text("utf-8")
    assert len(TEST_NAME_PATTERN.findall(page)) >= 10
    assert missing_tests(page) == []
    files = ("tests/structure/test_pages.py", "tests/security/gone.py", "")
    wrong = [f"{name}::test_of_nothing" for name in files]
    assert missing_tests(" ".join(f"`{each.removeprefix('::')}`" for each in wrong)) == wrong

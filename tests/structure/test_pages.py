"""docs/README.md links to every page once, and generated tables fit on a screen."""

import re
from collections import Counter
from pathlib import Path

from tests.rows import rows

DOCS = Path(__file__).parents[2] / "docs"
GENERATED_PAGES = [
    *("behaviour", "compatibility", "diagnosis", "harm-causes", "harm", "history", "implementations"),
    *("mutation", "opinions", "reference-behaviours", "reference", "reliability"),
]
MAX_ROW_CHARS = 200
"""Maximum length of a table row, so that a reader need not scroll sideways."""
AT_THE_TOP = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def long_rows(page: str) -> list[str]:
    """Return the table rows of a page that are too long. The addresses of links do not count."""
    rows = (re.sub(r"\]\([^)]*\)", "]", line) for line in page.splitlines() if line.startswith("|"))
    return [row for row in rows if len(row) > MAX_ROW_CHARS]


@rows("name", GENERATED_PAGES)
def test_a_generated_page_has_no_long_row(name: str) -> None:
    assert long_rows((DOCS / f"{name}.md").read_text("utf-8")) == []


def test_a_long_row_is_found_and_an_address_does_not_count() -> None:
    long_row = f"| {'x' * MAX_ROW_CHARS} |"
    linked_row = f"| [x]({'y' * MAX_ROW_CHARS}) |"
    assert long_rows(f"text\n{linked_row}\n{long_row}\n{'x' * 300}\n") == [long_row]


def count_links(index: str) -> Counter[str]:
    """Return the number of links to each page, by its path relative to docs/."""
    return Counter(re.findall(r"\]\(([^)]+\.md)\)", index))


def test_every_page_is_in_the_index_once() -> None:
    pages = {page.name for page in DOCS.glob("*.md")} - {"README.md"} | {f"../{name}" for name in AT_THE_TOP}
    assert count_links((DOCS / "README.md").read_text("utf-8")) == Counter(pages)
    assert count_links("- [One](one.md): x\n- [Again](one.md): y\n") == Counter({"one.md": 2})

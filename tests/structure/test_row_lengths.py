"""No row of a generated table has more than 200 characters, so a reader sees it without scrolling sideways."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GENERATED_PAGES = (
    "behaviour.md",
    "compatibility.md",
    "diagnosis.md",
    "harm-causes.md",
    "harm.md",
    "history.md",
    "implementations.md",
    "mutation.md",
    "opinions.md",
    "reference-behaviours.md",
    "reference.md",
    "reliability.md",
)
MAX_ROW_CHARS = 200


def long_rows(page: str) -> list[str]:
    """Return the table rows of a page that are too long. The addresses of links do not count."""
    rows = (re.sub(r"\]\([^)]*\)", "]", line) for line in page.splitlines() if line.startswith("|"))
    return [row for row in rows if len(row) > MAX_ROW_CHARS]


@pytest.mark.parametrize("name", GENERATED_PAGES)
def test_a_generated_page_has_no_long_row(name: str) -> None:
    assert long_rows((DOCS / name).read_text("utf-8")) == []


def test_a_long_row_is_found_and_an_address_does_not_count() -> None:
    long_row = f"| {'x' * MAX_ROW_CHARS} |"
    linked_row = f"| [x]({'y' * MAX_ROW_CHARS}) |"
    assert long_rows(f"text\n{linked_row}\n{long_row}\n{'x' * 300}\n") == [long_row]

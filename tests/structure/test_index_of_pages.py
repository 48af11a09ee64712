"""docs/README.md is the index of the pages: it links to every page once."""

import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
AT_THE_TOP = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def count_links(index: str) -> Counter[str]:
    """Return the number of links to each page, by its path relative to docs/."""
    return Counter(re.findall(r"\]\(([^)]+\.md)\)", index))


def test_every_page_is_in_the_index_once() -> None:
    pages = {page.name for page in DOCS.glob("*.md")} - {"README.md"} | {f"../{name}" for name in AT_THE_TOP}
    assert count_links((DOCS / "README.md").read_text("utf-8")) == Counter(pages)


def test_a_page_that_is_listed_twice_is_counted() -> None:
    assert count_links("- [One](one.md): x\n- [Again](one.md): y\n") == Counter({"one.md": 2})

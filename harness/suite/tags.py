"""Tags: the words that scenarios can be selected by, read from `fixtures/tags.yaml`."""

from collections.abc import Mapping
from pathlib import Path

from readfirst.harness.suite.schema import checked


def load_tags(path: Path) -> Mapping[str, str]:
    """Return the meaning of every tag. Raises SuiteError with all problems."""
    with checked(path, "tags") as look:
        tags: Mapping[str, str] = look.document.value["tags"]
        return tags

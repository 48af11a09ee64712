"""Tags: the words that scenarios can be selected by, read from `fixtures/tags.yaml`."""

from collections.abc import Mapping
from pathlib import Path

from readfirst.harness.source.inspection import Inspection


def load_tags(path: Path) -> Mapping[str, str]:
    """Return the meaning of every tag. Raises SuiteError with all problems."""
    look = Inspection.of(path)
    entries = look.top.fields(("tags",), ("tags",)).fields("tags")
    for tag, meaning in entries:
        meaning.called(f"the meaning of {tag}").string()
    look.finish()
    return entries.values

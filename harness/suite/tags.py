"""Tags: the words that scenarios can be selected by, read from `fixtures/tags.yaml`."""

from collections.abc import Mapping
from pathlib import Path

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.source.inspection import Inspection


class TagsError(SuiteError):
    """`tags.yaml` is not in its format."""


def load_tags(path: Path) -> Mapping[str, str]:
    """Return the meaning of every tag. Raises TagsError (all problems) or StrictYamlError."""
    look = Inspection(strict_yaml.load(strict_yaml.read(path, suite=path.parent), path))
    top = look.mapping(look.document.value, (), "the file", ("tags",), required=("tags",)) or {}
    entries = look.mapping(top["tags"], ("tags",), "tags") if "tags" in top else None
    for tag, meaning in (entries or {}).items():
        look.string(meaning, ("tags", tag), f"the meaning of {tag}")
    look.finish(TagsError)
    return entries or {}

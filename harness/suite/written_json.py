"""Written JSON: a file that a command writes, read back; of one that is damaged, what to do about it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.source import strict_yaml


@contextmanager
def written_json(file: Path, error: type[ReadfirstError], again: str) -> Iterator[Any]:
    """Read the file; what is wrong with it, or turns out in the block, is raised as an `error` that says `again`."""
    try:
        yield json.loads(strict_yaml.read(file, suite=file.parent))
    except strict_yaml.StrictYamlError as found:
        raise error(f"{file}: {found.findings[0].message}. {again}") from found
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as found:
        raise error(f"{file} is not in its format: {found!r}. {again}") from found

"""Kept: what a command wrote as JSON, read back; of a file that is damaged, what to do about it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.yaml_io import strict_yaml


class KeptError(ReadfirstError):
    """The file cannot be used; the message names it, and the command that writes it."""


@contextmanager
def reading(file: Path, command: str, format_: int | None = None, *, strict: bool = False) -> Iterator[Any]:
    """Give what a file holds; `format_` is the only one that the block can read.

    `strict`: it is of a suite that a stranger may have made, so it is a regular file in its own folder, and not large.
    Raises KeptError where the file is missing or incomplete, and where it lacks what the block asks of it.
    """
    again = f"`{command}` writes it."
    try:
        data = json.loads(strict_yaml.read(file, suite=file.parent) if strict else file.read_bytes())
        if format_ is not None and data["format"] != format_:
            raise KeptError(f"{file} has the unknown format {data['format']}. Remove it, then {again}")
        yield data
    except OSError as error:
        raise KeptError(f"{file} cannot be read: {error.strerror}. {again}") from error
    except strict_yaml.StrictYamlError as error:
        raise KeptError(f"{file}: {error.findings[0].message}. {again}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise KeptError(f"{file} is not in its format: {error!r}. Remove it, then {again}") from error

"""Read JSON files that readfirst has written. Errors name the command that writes the file again."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.yaml_io import strict_yaml


class JsonFileError(ReadfirstError):
    """A JSON file is missing or invalid. The message names the file, and the command that writes it."""


@contextmanager
def reading(file: Path, command: str, format_: int | None = None, *, strict: bool = False) -> Iterator[Any]:
    """Yield the content of a JSON file that `command` has written. Unless `format_` is None, the file must have this
    format version. With `strict`, the file must be a regular file, not a link, and not too large. Raises JsonFileError
    if the file is missing or invalid, or for an error in the `with` block, such as KeyError.
    """
    again = f"`{command}` writes it."
    try:
        data = json.loads(strict_yaml.read(file, suite=file.parent) if strict else file.read_bytes())
        if format_ is not None and data["format"] != format_:
            raise JsonFileError(f"{file} has the unknown format {data['format']}. Remove it, then {again}")
        yield data
    except OSError as error:
        raise JsonFileError(f"{file} cannot be read: {error.strerror}. {again}") from error
    except strict_yaml.StrictYamlError as error:
        raise JsonFileError(f"{file}: {error.findings[0].message}. {again}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise JsonFileError(
            f"{file} is not in the expected format: {error!r}. Remove it, then {again}"
        ) from error

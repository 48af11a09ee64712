"""Kept: what a command wrote as JSON, read back; nobody else writes these files."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.source.packed import bytes_of


class KeptError(ReadfirstError):
    """The file cannot be used; the message names it, and the command that writes it."""


@contextmanager
def reading(file: Path, command: str, format_: int | None = None) -> Iterator[Any]:
    """Give what a file holds, or one in its folder's archive; `format_` is the only one that the block can read.

    Raises KeptError where the file is not there or not whole, and where it lacks what the block asks of it.
    """
    try:
        data = json.loads(bytes_of(file))
        if format_ is not None and data["format"] != format_:
            raise ValueError(f"its format is {data['format']}, not {format_}")
        yield data
    except OSError as error:
        raise KeptError(f"{file} cannot be read: {error.strerror}. `{command}` writes it.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise KeptError(f"{file} cannot be used: {why}. Remove it, then `{command}` writes it.") from error

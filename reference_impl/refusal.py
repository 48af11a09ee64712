"""Refusals: answers without any change, with a name, the documents' code, and the text for the model."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field

__all__ = ["MODIFIED", "NOT_READ", "Failure", "Refusal", "of_os_error", "of_read_error"]

MODIFIED = (
    "File has been modified since read, either by the user or by a linter. "
    "Read it again before attempting to write it."
)
NOT_READ = "File has not been read yet. Read it first before writing to it."

_NAMES = {
    errno.EISDIR: "is_directory",
    errno.EEXIST: "parent_not_directory",
    errno.ENOTDIR: "parent_not_directory",
    errno.ENOENT: "file_not_found",
}
# Other errors use the system's own message in lower case.
_WORDS = {
    errno.EISDIR: "illegal operation on a directory",
    errno.EEXIST: "file already exists",
    errno.ELOOP: "too many symbolic links encountered",
    errno.ENAMETOOLONG: "name too long",
    errno.ENOSPC: "no space left on device",
}


@dataclass(eq=False)
class Refusal(Exception):  # noqa: N818 - it is an answer, not an accident
    """A refused call, which changed nothing on disk.

    `name` is the error's name in `fixtures/errors.yaml`. `code` is the number of this error of this tool in the
    documents' tables (`2.1.7-read-before-edit.txt, Complete Error Codes Reference`). `code` is None for errors
    without a number: all errors of Read and of the execution. `message` is the text for the model.
    """

    name: str
    message: str
    code: int | None = field(default=None, kw_only=True)

    def __str__(self) -> str:
        return self.message


class Failure(Exception):  # noqa: N818 - it becomes an answer, too
    """Unexpected content of a file, with the error message of JavaScript, the product's programming language."""


def of_os_error(error: OSError, call: str, *, prefix: str = "") -> Refusal:
    """Return the refusal for an error of the operating system during `call`, for example `mkdir '/a'`."""
    number = error.args[0]
    words = _WORDS.get(number) or os.strerror(number).lower()
    return Refusal(_NAMES.get(number, "os_error"), f"{prefix}{errno.errorcode[number]}: {words}, {call}")


def of_read_error(error: OSError, *, prefix: str) -> Refusal:
    """Return the refusal for a file that the operating system does not allow to be read."""
    call = "read" if isinstance(error, IsADirectoryError) else f"open '{error.filename}'"
    return of_os_error(error, call, prefix=prefix)

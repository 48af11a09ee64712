"""Refusal: the answer that changes nothing, with its name, the documents' code, and the text for the model."""

from __future__ import annotations

import errno
import os

__all__ = ["MODIFIED", "UNEXPECTEDLY_MODIFIED", "Refusal", "of_os_error"]

MODIFIED = (
    "File has been modified since read, either by the user or by a linter. "
    "Read it again before attempting to write it."
)
UNEXPECTEDLY_MODIFIED = "File has been unexpectedly modified. Read it again before attempting to write it."

# Errors that are not here have the system's own words, in small letters.
_NAMES_OF_ERRNO = {
    errno.EISDIR: ("is_directory", "illegal operation on a directory"),
    errno.ENOTDIR: ("parent_not_directory", "not a directory"),
    errno.ENOENT: ("file_not_found", "no such file or directory"),
    errno.ELOOP: ("os_error", "too many symbolic links encountered"),
    errno.ENAMETOOLONG: ("os_error", "name too long"),
}


class Refusal(Exception):  # noqa: N818 - it is an answer, not an accident
    """A call that was refused; nothing on disk was changed by it.

    `name` is the error's name as in `fixtures/errors.yaml`. `code` is the number that the documents' tables
    give this error of this tool (`2.1.7-read-before-edit.txt, Complete Error Codes Reference`); None where
    they give none: all errors of Read and all errors of the execution phase. `message` is what the model sees.
    """

    def __init__(self, name: str, message: str, *, code: int | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.code = code


def of_os_error(error: OSError, call: str, *, prefix: str = "") -> Refusal:
    """Return the refusal for an error of the operating system during `call`, for example `read`."""
    number = error.errno or 0
    name, words = _NAMES_OF_ERRNO.get(number, ("os_error", os.strerror(number).lower()))
    symbol = errno.errorcode.get(number, "EIO")
    return Refusal(name, f"{prefix}{symbol}: {words}, {call}")

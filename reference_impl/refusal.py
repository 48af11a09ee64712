"""Refusals of calls: their names, their error codes, and their messages for the model."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field

__all__ = ["MODIFIED", "NOT_READ", "ContentError", "Refusal", "refusal_of_os_error", "refusal_of_read_error"]

MODIFIED = (
    "File has been modified since read, either by the user or by a linter. "
    "Read it again before attempting to write it."
)
NOT_READ = "File has not been read yet. Read it first before writing to it."

_NAME_BY_ERRNO = {
    errno.EISDIR: "is_directory",
    errno.EEXIST: "parent_not_directory",
    errno.ENOTDIR: "parent_not_directory",
    errno.ENOENT: "file_not_found",
}
# Other errors use the system's own message in lower case.
_MESSAGE_BY_ERRNO = {
    errno.EISDIR: "illegal operation on a directory",
    errno.EEXIST: "file already exists",
    errno.ELOOP: "too many symbolic links encountered",
    errno.ENAMETOOLONG: "name too long",
    errno.ENOSPC: "no space left on device",
}


@dataclass(eq=False)
class Refusal(Exception):  # noqa: N818 - it is an answer, not an accident
    """Raised if a tool refuses a call, which has changed nothing on disk. `message` is the text for the model, `name`
    the error's name in `fixtures/errors.yaml`, and `code` the number in the published descriptions of Claude Code
    (None: no number).
    """

    name: str
    message: str
    code: int | None = field(default=None, kw_only=True)

    def __str__(self) -> str:
        return self.message


class ContentError(Exception):
    """Raised for unexpected content of a file. The message is the message of a JavaScript error in the product."""


def refusal_of_os_error(error: OSError, call: str, *, prefix: str = "") -> Refusal:
    """Convert an OSError to a refusal. `call` is the system call in the message, for example `mkdir '/a'`."""
    number = error.args[0]
    message = _MESSAGE_BY_ERRNO.get(number) or os.strerror(number).lower()
    return Refusal(
        _NAME_BY_ERRNO.get(number, "os_error"), f"{prefix}{errno.errorcode[number]}: {message}, {call}"
    )


def refusal_of_read_error(error: OSError, *, prefix: str) -> Refusal:
    """Convert an OSError that occurred when a file was opened or read to a refusal."""
    call = "read" if isinstance(error, IsADirectoryError) else f"open '{error.filename}'"
    return refusal_of_os_error(error, call, prefix=prefix)

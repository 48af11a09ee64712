"""Drop root's capabilities to override file modes, so that modes restrict implementations as for an ordinary user, and
writing clears setuid and setgid bits. Child processes never get these capabilities (`supervisor`). For code in this
process, they are dropped during each call.
"""

import ctypes
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

_HEADER_VERSION = 0x20080522
_MODE_OVERRIDES = 1 << 1 | 1 << 2 | 1 << 4
"""The bits of CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FSETID for the system call `capset`."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _Word(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


class _Overrides(NamedTuple):
    """Functions that drop and restore this thread's capabilities to override file modes."""

    drop: Callable[[], object]
    restore: Callable[[], object]


@cache
def _find_capabilities() -> _Overrides | None:
    """Return the functions for this thread. None if the thread lacks such capabilities, or if this is not Linux."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "capset"):
        return None
    header, current, reduced = ctypes.byref(_Header(_HEADER_VERSION, 0)), (_Word * 2)(), (_Word * 2)()
    for words in (current, reduced):
        libc.capget(header, words)
    if not current[0].effective & _MODE_OVERRIDES:
        return None
    reduced[0].effective &= ~_MODE_OVERRIDES
    return _Overrides(partial(libc.capset, header, reduced), partial(libc.capset, header, current))


class as_an_ordinary_user:  # noqa: N801 - it is used like a function; a class, because it is around every call
    """Runs the block without root's capabilities to override file modes, only in this thread."""

    __slots__ = ("_capabilities",)

    def __enter__(self) -> None:
        self._capabilities = _find_capabilities()
        if self._capabilities is not None:
            self._capabilities.drop()

    def __exit__(self, *_: object) -> None:
        if self._capabilities is not None:
            self._capabilities.restore()

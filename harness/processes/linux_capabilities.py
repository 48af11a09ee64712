"""Drop root's capabilities to override file modes, so that modes restrict implementations as for an ordinary user, and
writing clears setuid and setgid bits. Child processes never get these capabilities (`supervisor`). For code in this
process, they are dropped during each call.
"""

import ctypes
from functools import cache

_HEADER_VERSION = 0x20080522
_MODE_OVERRIDES = 1 << 1 | 1 << 2 | 1 << 4
"""Bits of CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FSETID in the first word of the data of `capset`."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _Word(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


class _Capabilities:
    """The capabilities of the calling thread, and a reduced set without the capabilities that override file modes."""

    def __init__(self) -> None:
        self._set = ctypes.CDLL(None, use_errno=True).capset
        self._header = ctypes.byref(_Header(_HEADER_VERSION, 0))
        current, reduced = (_Word * 2)(), (_Word * 2)()
        for words in (current, reduced):
            ctypes.CDLL(None).capget(self._header, words)
        self.has_overrides = bool(current[0].effective & _MODE_OVERRIDES)
        reduced[0].effective &= ~_MODE_OVERRIDES
        self._current, self._reduced = current, reduced

    def drop_overrides(self) -> None:
        self._set(self._header, self._reduced)

    def restore_overrides(self) -> None:
        self._set(self._header, self._current)


@cache
def _find_capabilities() -> _Capabilities | None:
    """Return this thread's capabilities. None if no capability overrides file modes, or if this is not Linux."""
    if not hasattr(ctypes.CDLL(None), "capset"):
        return None
    capabilities = _Capabilities()
    return capabilities if capabilities.has_overrides else None


class as_an_ordinary_user:  # noqa: N801 - it is used like a function; a class, because it is around every call
    """Runs the block without root's capabilities to override file modes, only in this thread."""

    __slots__ = ("_capabilities",)

    def __enter__(self) -> None:
        self._capabilities = _find_capabilities()
        if self._capabilities is not None:
            self._capabilities.drop_overrides()

    def __exit__(self, *_: object) -> None:
        if self._capabilities is not None:
            self._capabilities.restore_overrides()

"""Drop the capabilities with which root overrides file modes, for implementations in this process.

An implementation that root tests must behave as for an ordinary user: modes close files, and writing clears
setuid and setgid bits. Child processes never get these capabilities (`supervisor`); code in this process lacks
them during a call.
"""

import ctypes
from functools import cache

_VERSION = 0x20080522
_AGAINST_MODES = 1 << 1 | 1 << 2 | 1 << 4
"""CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FSETID, as bits of the first word."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _Word(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


class _Capabilities:
    """Capabilities of the calling thread: its own, and those of an ordinary user."""

    def __init__(self) -> None:
        self._set = ctypes.CDLL(None, use_errno=True).capset
        self._header = ctypes.byref(_Header(_VERSION, 0))
        own, without = (_Word * 2)(), (_Word * 2)()
        for words in (own, without):
            ctypes.CDLL(None).capget(self._header, words)
        self.held = bool(own[0].effective & _AGAINST_MODES)
        without[0].effective &= ~_AGAINST_MODES
        self._own, self._without = own, without

    def withhold(self) -> None:
        self._set(self._header, self._without)

    def give_back(self) -> None:
        self._set(self._header, self._own)


@cache
def _held() -> _Capabilities | None:
    """Return the capabilities of this thread if there are some to drop. Only Linux has them."""
    if not hasattr(ctypes.CDLL(None), "capset"):
        return None
    capabilities = _Capabilities()
    return capabilities if capabilities.held else None


class as_an_ordinary_user:  # noqa: N801 - it is used like a function; a class, because it is around every call
    """Run the block, in this thread, without the capabilities that override file modes."""

    __slots__ = ("_capabilities",)

    def __enter__(self) -> None:
        self._capabilities = _held()
        if self._capabilities is not None:
            self._capabilities.withhold()

    def __exit__(self, *_: object) -> None:
        if self._capabilities is not None:
            self._capabilities.give_back()

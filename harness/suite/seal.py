"""Seal: the digest that a recording carries of itself, so that a change by hand is seen without reading it.

It is a digest of bytes: whoever writes them otherwise seals them anew, such as the build of a wheel, for which this
file runs without the package.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

UNSEALED = "0" * 16
"""What a recording says in the place of the digest before it is sealed, and what is digested there."""
_DIGEST = re.compile(rb'(?:\ndigest: |"digest":)"(?P<hex>[0-9a-f]{16})"')
_NEXT = re.compile(rb',\n(?=")')


def sealed(recording: bytes) -> bytes:
    """Return a recording, a file of its own or an entry of a theme's, with its digest; without a place, as it is."""
    before, digest, after = _parts(recording)
    return before + _digest_of(before, after) + after if digest else recording


def is_sealed(recording: bytes) -> bool:
    """Tell whether a recording is as it was when it was sealed."""
    before, digest, after = _parts(recording)
    return digest == _digest_of(before, after)


def all_sealed(file: bytes) -> bytes:
    """Return a file of one recording or a theme's with all that are in it sealed."""
    if not file.startswith(b"{\n"):
        return sealed(file)
    return b"{\n" + b",\n".join(map(sealed, _entries(file))) + b"\n}\n"


def entry_of(theme: bytes, slug: str) -> bytes:
    """Return the entry of a scenario in a theme's file; empty where it is not there as the recorder writes it."""
    start = f'"{slug}": '.encode("utf-8", "surrogateescape")
    return next((each for each in _entries(theme) if each.startswith(start)), b"")


@lru_cache(maxsize=4)
def _entries(theme: bytes) -> Sequence[bytes]:
    return _NEXT.split(theme.removeprefix(b"{\n").removesuffix(b"\n}\n"))


def _parts(recording: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what is before the digest, the digest and what is after it; where it has no digest, all is before."""
    found = _DIGEST.search(recording)
    if found is None:
        return recording, b"", b""
    start, end = found.span("hex")
    return recording[:start], found["hex"], recording[end:]


def _digest_of(before: bytes, after: bytes) -> bytes:
    digest = hashlib.sha256(before + UNSEALED.encode() + after)
    return digest.hexdigest()[: len(UNSEALED)].encode()

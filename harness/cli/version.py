"""Version: which readfirst is installed."""

from __future__ import annotations


def version() -> str:
    """Return the version of the installed distribution; `unknown` in a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("readfirst")
    except PackageNotFoundError:
        return "unknown"
